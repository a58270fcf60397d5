"""Brazil nut: time of a step against the number of bodies, in the plane and in space.

Claim: with the convex relaxation and the sparse interior-point method a step of some hundred bodies
takes milliseconds in the plane, and its time grows with less than the square of their number. Medians
over the steps of a run; the exponents are least-squares fits.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import style
from brazil_nut_rise import runs_of
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from records import Run


def draw_times(axes: Axes, runs: list[Run], number: int, name: str) -> None:
    """The whole steps, and their solves hollow."""
    runs.sort(key=lambda run: run.parameters["grains"])
    bodies = np.array([run.summary()["bodies"] for run in runs])
    colour, marker = style.COLOURS[number], style.MARKERS[number]
    for key, face, what in (("median_step_us", colour, ""), ("median_solve_us", "white", ", solve")):
        time = np.array([run.summary()[key] for run in runs]) / 1e3
        exponent = np.polyfit(np.log(bodies), np.log(time), 1)[0]
        axes.loglog(
            bodies,
            time,
            color=colour,
            marker=marker,
            markerfacecolor=face,
            markeredgecolor=colour,
            markeredgewidth=0.8,
            linestyle="-" if face == colour else ":",
            label=f"{name}{what}: $n^{{{exponent:.2f}}}$",
        )


def draw(results: Path) -> tuple[Figure, list[Run]]:
    space = runs_of(results, "dim=3_grains=*_nut=2.5_t_end=1_*")
    plane = runs_of(results, "grains=*_t_end=1.5_*")
    figure, axes = style.new_figure(height=2.9)
    figure.subplots_adjust(right=0.97, left=0.15, top=0.83)
    draw_times(axes, space, 0, "space")
    draw_times(axes, plane, 1, "plane")
    runs = space + plane
    axes.axhline(1e3 * runs[0].parameters["h"], color="black", **style.EXACT)
    axes.annotate(
        "simulated time",
        (1.0, 1e3 * runs[0].parameters["h"]),
        xycoords=("axes fraction", "data"),
        xytext=(0, -2),
        textcoords="offset points",
        ha="right",
        va="top",
        fontsize=style.FONT_SIZE - 1,
    )
    counts = sorted({run.summary()["bodies"] for run in runs})
    axes.set(xlabel="Moving bodies, $n$ [1]", ylabel="Time of a step [ms]")
    axes.set_xticks(counts, [str(count) for count in counts])
    axes.minorticks_off()
    axes.set_ylim(0.5, 500)
    axes.legend(loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncol=2, handlelength=2.2)
    return figure, runs


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
