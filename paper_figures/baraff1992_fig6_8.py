"""Baraff (1992), figure 6.8: reaction force on a superquadric that rocks over its flat spot.

Claim: the force diverges where the contact point passes the spot of zero curvature, yet its impulse
over a shrinking interval tends to zero: an impact of order zero. The published figure shows the
force; this one adds the rates, (m w²/3)|w t|^(-2/3) of the force and 2 m w^(4/3) Δt^(1/3) of the
impulse, and the exact motion (dashed).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from records import Run, read_run

STUDY = "baraff-ellipsoid"
LONG = "exponent=4_long_axis=1_t_end=5"
SHORT = "angle=0.2_exponent=4_h=1e-5_long_axis=1_t_end=0.35"
GUIDE = {"color": "black", "linestyle": (0, (1, 1.2)), "linewidth": 1.0}


def whole_motion(axes: Axes, run: Run) -> None:
    force = run.contact("ellipse/floor", "p_n")
    axes.plot(force.t, force.value / run.parameters["h"], color=style.COLOURS[1], label="run")
    exact = run.series("oracle.csv", "mean_reaction")
    axes.plot(exact.t[1:], exact.value[1:], color="black", label="exact", **style.EXACT)
    axes.set(yscale="log", xlim=(0, run.parameters["t_end"]), ylim=(5, 3000))
    axes.set(xlabel="Time [s]", ylabel="Mean reaction force\nof a step [N]")
    axes.legend(loc="upper center", ncol=2, borderaxespad=0.1, handlelength=1.6)


def crossing(run: Run) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Ends of the steps, impulses, the instant on the flat spot and the angular velocity there."""
    force = run.contact("ellipse/floor", "p_n")
    instant = next(event["t"] for event in run.events() if event["kind"] == "flat")
    speed = run.series("trajectory.csv", "ellipse.w")
    return force.t, force.value, instant, abs(float(np.interp(instant, *speed)))


def force_near(axes: Axes, run: Run) -> None:
    t, impulse, instant, w = crossing(run)
    h = run.parameters["h"]
    middle = t - 0.5 * h - instant
    for number, (name, side) in enumerate((("before", middle < -h), ("after", middle > h))):
        chosen = np.flatnonzero(side & (np.abs(middle) < 0.05))
        wanted = np.geomspace(1.2 * h, 0.05, 30)
        at = chosen[[np.argmin(np.abs(np.abs(middle[chosen]) - s)) for s in wanted]]
        axes.plot(
            np.abs(middle[at]),
            impulse[at] / h,
            linestyle="none",
            marker=style.MARKERS[number],
            markersize=4.5 - 1.5 * number,
            markerfacecolor="none" if number == 0 else style.COLOURS[number],
            markeredgecolor=style.COLOURS[number],
            markeredgewidth=0.8,
            label=name,
        )
    s = np.geomspace(h, 0.05, 50)
    axes.plot(s, w**2 / 3 * (w * s) ** (-2 / 3), label=r"$\frac{1}{3}mw^2|wt|^{-2/3}$", **GUIDE)
    axes.set(xscale="log", yscale="log", xlim=(0.8 * h, 0.06))
    axes.set(xlabel="Time from the flat spot [s]", ylabel="Reaction force [N]")
    axes.legend(loc="upper right", borderaxespad=0.1, handlelength=1.6)


def impulse_near(axes: Axes, run: Run) -> None:
    t, impulse, instant, w = crossing(run)
    h = run.parameters["h"]
    total = np.concatenate(([0.0], np.cumsum(impulse)))
    middle = int(instant / h)
    windows = np.unique(np.geomspace(1, 5000, 24).astype(int))
    low, high = middle - windows, middle + 1 + windows
    width = np.sqrt((instant - low * h) * (high * h - instant))
    axes.plot(
        width,
        total[high] - total[low],
        linestyle="none",
        marker="o",
        markersize=4,
        color=style.COLOURS[1],
        label="run",
    )
    s = np.geomspace(h, 0.06, 50)
    axes.plot(s, 2 * w ** (4 / 3) * np.cbrt(s), label=r"$2mw^{4/3}\Delta t^{1/3}$", **GUIDE)
    axes.set(xscale="log", yscale="log", xlim=(0.8 * h, 0.07))
    axes.set(xlabel=r"Half width $\Delta t$ [s]", ylabel=r"Impulse over $\pm\Delta t$ [N s]")
    axes.legend(loc="upper left", borderaxespad=0.1, handlelength=1.6)


def draw(results: Path) -> tuple[Figure, list[Run]]:
    runs = [read_run(results, STUDY, "baraff-acceleration", case) for case in (LONG, SHORT)]
    figure, axes = style.new_panels(1, 3, 2.2)
    whole_motion(axes[0, 0], runs[0])
    force_near(axes[0, 1], runs[1])
    impulse_near(axes[0, 2], runs[1])
    return figure, runs


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
