"""Brazil nut: time of a step against the number of bodies, in the plane and in space.

Claim: with the convex relaxation and the sparse interior-point method the time of a step grows little
faster than the number of bodies. Medians over the steps of a run; the exponents are least-squares fits.
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
    bodies = np.array([run.summary()["bodies"] for run in runs])
    colour, marker = style.COLOURS[number], style.MARKERS[number]
    for key, face, what in (("median_step_us", colour, ""), ("median_solve_us", "white", "; solve")):
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
    runs = runs_of(results, "grains=*_t_end=*")
    runs.sort(key=lambda run: run.parameters["grains"])
    figure, axes = style.new_figure(height=2.9)
    figure.subplots_adjust(right=0.97, left=0.15, top=0.97)
    for number, (dim, name) in enumerate(((3, "in space"), (2, "in the plane"))):
        draw_times(axes, [run for run in runs if run.parameters["dim"] == dim], number, name)
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
    axes.set_ylim(0.5, 3000)
    axes.legend(loc="upper left", handlelength=2.2)
    return figure, runs


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
