"""Baraff (1992), figure 10.1: where the sliding rod has one contact force, two or none.

Claim: two closed-form surfaces bound the regions. Friction beyond (I/ml² + cos²θ)/(cos θ sin θ)
makes the normal force pull the tip down; then rotation faster than √(g/(l sin θ)) leaves two
answers, slower rotation none. Coloured: verdicts of the solvers on problems assembled from the
bodies; lines: the closed form. Above the thesis' rod (I = ml²/16), below a uniform one.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
import style
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from records import Run, read_run

STUDY = "baraff-rod"
CASES = (("defaults", "1/16"), ("inertia=0.3333333333333333", "1/3"))
SPINS = (0.0, 3.5, 5.0)  # [rad/s]
THESIS = (72.0, 0.750245)  # θ [°], μ
REGIONS = ("contact", "separation", "indeterminate", "inconsistent", "boundary")
COLOURS = ("#56B4E9", "#F0F0F0", "#E69F00", "#A03C00", "#000000")  # told apart in grey as well
NAMES = ("contact", "separation", "two\nsolutions", "none")


def verdicts(run: Run) -> dict[float, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For each ω: angles, frictions and the number of the region at each pair of them."""
    omega, theta, mu = run.columns("map.csv", "omega", "theta_deg", "mu")
    with (run.directory / "map.csv").open(newline="") as stream:
        region = np.array([REGIONS.index(row["solver"]) for row in csv.DictReader(stream)])
    maps = {}
    for spin in np.unique(omega):
        chosen = omega == spin
        angles, frictions = np.unique(theta[chosen]), np.unique(mu[chosen])
        maps[float(spin)] = angles, frictions, region[chosen].reshape(len(angles), len(frictions))
    return maps


def name_regions(axes: Axes, angles: np.ndarray, frictions: np.ndarray, region: np.ndarray) -> None:
    """Writes each region's name at the point of it that is farthest from its edge."""
    for number, name in enumerate(NAMES):
        inside = np.argwhere(region == number)
        if len(inside) < 20:
            continue
        outside = np.argwhere(np.pad(region, 1, constant_values=-1) != number) - 1
        gap = np.abs(inside[:, None, :] - outside[None, :, :]) / np.array([2.0, 1.0])
        best = inside[gap.max(axis=2).min(axis=1).argmax()]
        axes.text(
            angles[best[0]],
            frictions[best[1]],
            name,
            ha="center",
            va="center",
            linespacing=1.0,
            color="white" if REGIONS[number] == "inconsistent" else "black",
            fontsize=7,
        )


def draw_panel(axes: Axes, run: Run, spin: float, panel: tuple) -> None:
    angles, frictions, region = panel
    axes.pcolormesh(
        angles,
        frictions,
        region.T,
        cmap=ListedColormap(COLOURS),
        vmin=-0.5,
        vmax=len(COLOURS) - 0.5,
        shading="nearest",
        rasterized=True,
    )
    theta, critical, lifting = run.columns("boundaries.csv", "theta_deg", "mu", "omega")
    axes.plot(theta, critical, color="black", label="$B + \\mu C = 0$")
    if lifting.min() < spin < lifting.max():
        at = float(np.interp(-spin, -lifting, theta))
        axes.axvline(at, color="black", linestyle="--", label="$\\omega^2 l\\,\\sin\\theta = g$")
    name_regions(axes, angles, frictions, region)
    axes.set(xlim=(angles[0], angles[-1]), ylim=(0.0, frictions[-1]))


def draw(results: Path) -> tuple[Figure, list[Run]]:
    runs = [read_run(results, STUDY, None, case) for case, _ in CASES]
    figure, panels = style.new_panels(2, len(SPINS), 4.2, sharex=True, sharey=True)
    for row, (run, (_, inertia)) in enumerate(zip(runs, CASES)):
        maps = verdicts(run)
        for axes, spin in zip(panels[row], SPINS):
            draw_panel(axes, run, spin, maps[spin])
            axes.set_title(f"$I = {inertia}\\;ml^2$, $\\omega = {spin:g}$ rad/s", fontsize=8)
            if row == 0:
                look = {"markerfacecolor": "white", "markeredgecolor": "black"}
                look |= {"markeredgewidth": 0.8, "linestyle": "none"}
                axes.plot(*THESIS, marker="o", label="rod of figure 10.1", **look)
        panels[row, 0].set_ylabel("Friction coefficient $\\mu$ [1]")
    for axes in panels[-1]:
        axes.set_xlabel("Angle $\\theta$ [°]")
    style.legend_on_top(figure, panels[0, -1])
    return figure, runs


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
