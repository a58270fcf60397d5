"""Ellipsoids on ellipsoids: velocities of an ellipsoid in the valley between two large bodies.

Chakraborty et al. (2007) say, without showing it, that their method covers ellipsoids on
ellipsoids, for which no gap function exists in closed form. Left: on the two spheres of their
example 3; right: on ellipsoids in their place. There is no exact solution: the dashed curves are
the same method at an eighth of the step, and below stands the largest difference of a velocity from
them, for each step.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import panels
import style
from matplotlib.figure import Figure
from records import Run, read_run

STUDY = "ellipsoid-on-ellipsoids"
FORMULATION = "geometric-ncp"
LARGE = ("spheres", "ellipsoids")
STEPS = ("0.01", "0.005", "0.0025")  # [s]
FINEST = "0.00125"


def case(large: str, h: str) -> str:
    return f"large={large}_h={h}"


def draw(results: Path) -> tuple[Figure, list[Run]]:
    figure, axes = style.new_panels(
        2, 2, height=4.2, sharex=True, sharey="row", height_ratios=(1.7, 1)
    )
    used = []
    for k, large in enumerate(LARGE):
        fine = read_run(results, STUDY, FORMULATION, case(large, FINEST))
        runs = [read_run(results, STUDY, FORMULATION, case(large, h)) for h in STEPS]
        used += [fine, *runs]
        name = "h/8"
        panels.velocity_panel(axes[0, k], runs[0], "egg", fine, "trajectory.csv", name)
        axes[0, k].set_title(f"on {large}, h = {STEPS[0]} s", fontsize=style.FONT_SIZE)
        for number, (h, run) in enumerate(zip(STEPS, runs)):
            error = panels.velocity_error(run, "egg", fine, "trajectory.csv")
            shown = error.value > 0
            axes[1, k].semilogy(
                error.t[shown],
                error.value[shown],
                color=style.COLOURS[number],
                linestyle=("-", "--", ":")[number],
                label=f"h = {h} s",
            )
        axes[1, k].grid(axis="y", color="0.9", linewidth=0.4)
        axes[1, k].set(xlabel="Time [s]", xlim=(0, fine.parameters["t_end"]))
    axes[0, 0].set(ylabel="Velocity")
    axes[1, 0].set(ylabel=f"Difference from\nh = {FINEST} s", ylim=(1e-6, None))
    axes[1, 0].set(yticks=10.0 ** np.arange(-6, 1))
    axes[1, 0].legend(loc="lower right")
    style.legend_on_top(figure, axes[0, 0])
    return figure, used


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
