"""Brazil nut: height of the large grain against time, shaken and in the controls.

Claim: in beds that are shaken with three times gravity the large grain rises, whatever the random
grains are; in those that are shaken with less than gravity it stays. Thin lines are single beds. The
grains' mean height is that of the first bed. Heights are those above the container's floor, averaged
over three periods of the shaking.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from records import RecordError, Run, Series, cases, read_run

STUDY = "brazil-nut"
FORMULATION = "ratio-metric"
PERIODS = 3


def runs_of(results: Path, pattern: str) -> list[Run]:
    """The runs of the study whose case matches, by seed."""
    names = cases(results, STUDY, FORMULATION, f"coupling=qp_first_set=0.25_{pattern}")
    if not names:
        raise RecordError(f"no runs of {STUDY}\n  make them with: ./touchstone run {STUDY}")
    runs = [read_run(results, STUDY, FORMULATION, name) for name in names]
    return sorted(runs, key=lambda run: run.parameters["seed"])


def beds(results: Path) -> tuple[list[Run], list[Run]]:
    """The beds that are shaken with more than gravity, and those with less."""
    runs = runs_of(results, "seed=*")
    weak = [run for run in runs if run.parameters["strength"] < 1.0]
    return [run for run in runs if run not in weak], weak


def smooth(series: Series, run: Run) -> Series:
    """Moving averages over PERIODS periods of the shaking."""
    width = round(PERIODS / run.parameters["frequency"] / np.diff(series.t).mean())
    kernel = np.full(width, 1.0 / width)
    return Series(*(np.convolve(values, kernel, "valid") for values in series))


def nut(run: Run) -> Series:
    return smooth(run.series("trajectory.csv", "nut.y"), run)


def grains(run: Run) -> Series:
    """Mean height of the small grains."""
    count = int(run.parameters["grains"])
    columns = run.columns("trajectory.csv", "t", *(f"grain{k + 1}.y" for k in range(count)))
    return smooth(Series(columns[0], columns[1:].mean(axis=0)), run)


def draw_group(axes: Axes, runs: list[Run], number: int) -> None:
    """Each bed thin and their mean thick."""
    colour = style.COLOURS[number]
    heights = [nut(run) for run in runs]
    for height in heights:
        axes.plot(*height, color=colour, linewidth=0.5, alpha=0.6)
    mean = Series(heights[0].t, np.mean([height.value for height in heights], axis=0))
    axes.plot(
        *mean,
        color=colour,
        linewidth=1.6,
        marker=style.MARKERS[number],
        markevery=len(mean.t) // 6,
        label=f"nut, {runs[0].parameters['strength']:g}$\\,g$: mean of {len(runs)} beds",
    )


def draw(results: Path) -> tuple[Figure, list[Run]]:
    shaken, controls = beds(results)
    figure, axes = style.new_figure(height=3.0)
    figure.subplots_adjust(left=0.14, right=0.97, top=0.97)
    axes.plot(*grains(shaken[0]), color="black", label="mean of the grains", **style.EXACT)
    draw_group(axes, shaken, 0)
    draw_group(axes, controls, 1)
    axes.set(xlabel="Time [s]", ylabel="Height above the floor [m]")
    axes.set_xlim(0, shaken[0].parameters["t_end"])
    axes.set_ylim(0, 0.48)
    axes.legend(loc="upper left", handlelength=1.8)
    return figure, shaken + controls


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
