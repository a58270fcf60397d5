"""Chakraborty et al. (2007), figure 3: velocities of a sphere that spins on a plane, step 0.07 s.

Claim: the spin falls linearly, with 1.962 rad/s², and every other velocity stays zero. In
continuous time (dashed) it vanishes at 1 s; the fixed step, which has an end at 0.98 s and at
1.05 s, reaches zero at 1.05 s. The published figure shows one method; the paper says that the two
others agree.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import style
from matplotlib.figure import Figure
from records import Run, read_run

STUDY = "spinning-sphere"
FORMULATIONS = ("geometric-ncp", "tzitzouris-pang", "stewart-trinkle")
OTHERS = ("vx", "vy", "vz", "wx", "wy")
T_END = 1.26  # [s]


def exact_line(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """The closed form is piecewise linear: its values, and the kink at the stop."""
    exact = run.series("oracle.csv", "sphere.wz")
    stop = run.parameters["inertia"] * run.parameters["omega"] / friction_moment(run)
    t = np.sort(np.append(exact.t, stop))
    return t, np.interp(t, [0.0, stop, t[-1]], [exact.value[0], 0.0, 0.0])


def friction_moment(run: Run) -> float:
    p = run.parameters
    return p["mu"] * p["e_r"] * p["mass"] * p["gravity"]


def draw(results: Path) -> tuple[Figure, list[Run]]:
    runs = [read_run(results, STUDY, formulation, "defaults") for formulation in FORMULATIONS]
    figure, axes = style.new_figure(height=2.6)
    look = {"color": "black", "zorder": 5, **style.EXACT}
    axes.plot(*exact_line(runs[0]), label=r"$\omega_z$, exact", **look)
    for number, run in enumerate(runs):
        spin = run.series("trajectory.csv", "sphere.wz")
        style.plot_dots(axes, spin, number, rf"$\omega_z$, {run.formulation}")
    columns = [runs[0].series("trajectory.csv", f"sphere.{name}") for name in OTHERS]
    for column in columns:
        label = r"$v_x$, $v_y$, $v_z$, $\omega_x$, $\omega_y$" if column is columns[0] else None
        axes.plot(column.t, column.value, color=style.COLOURS[6], linewidth=0.8, label=label)
    axes.set(xlim=(0, T_END), ylim=(-0.1, 2.05))
    axes.set(xlabel="Time [s]", ylabel="Velocity [m/s], [rad/s]")
    figure.subplots_adjust(left=0.13, right=0.97)
    style.legend_above(axes)
    zoom = axes.inset_axes((0.6, 0.52, 0.39, 0.46))
    zoom.plot(*exact_line(runs[0]), **look)
    for number, run in enumerate(runs):
        style.plot_dots(zoom, run.series("trajectory.csv", "sphere.wz"), number, None)
    zoom.set(xlim=(0.89, 1.14), ylim=(-0.03, 0.2), xticks=(0.91, 0.98, 1.05, 1.12))
    zoom.tick_params(labelsize=style.FONT_SIZE - 1)
    return figure, runs


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
