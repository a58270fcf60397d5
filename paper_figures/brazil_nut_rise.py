"""Brazil nut: height of the large grain against time, shaken and in the control.

Claim: in a bed that is shaken with three times gravity the large grain rises, whatever the random
grains are; in one that is shaken with less than gravity it stays. The thin line is the mean height of
the small grains in the first bed. Heights are those above the container's floor.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import style
from matplotlib.figure import Figure
from records import RecordError, Run, Series, cases, read_run

STUDY = "brazil-nut"
FORMULATION = "ratio-metric"


def shaken_runs(results: Path) -> list[Run]:
    """The planar runs of the study that have the default length and number of grains, by seed."""
    runs = [
        read_run(results, STUDY, FORMULATION, case)
        for case in cases(results, STUDY, FORMULATION, "coupling=qp_*seed=*")
    ]
    if not runs:
        raise RecordError(f"no runs of {STUDY}\n  make them with: ./touchstone run {STUDY}")
    return sorted(runs, key=lambda run: (-run.parameters["strength"], run.parameters["seed"]))


def grains(run: Run) -> Series:
    """Mean height of the small grains."""
    count = int(run.parameters["grains"])
    columns = run.columns("trajectory.csv", "t", *(f"grain{k + 1}.y" for k in range(count)))
    return Series(columns[0], columns[1:].mean(axis=0))


def smooth(series: Series, period: float) -> Series:
    """Averages over one period of the shaking."""
    width = max(1, round(period / np.diff(series.t).mean()))
    kernel = np.full(width, 1.0 / width)
    return Series(
        np.convolve(series.t, kernel, "valid"), np.convolve(series.value, kernel, "valid")
    )


def draw(results: Path) -> tuple[Figure, list[Run]]:
    runs = shaken_runs(results)
    figure, axes = style.new_figure(height=3.0)
    figure.subplots_adjust(right=0.97, left=0.14, top=0.78)
    for number, run in enumerate(runs):
        period = 1.0 / run.parameters["frequency"]
        height = smooth(run.series("trajectory.csv", "nut.y"), period)
        strength, seed = run.parameters["strength"], int(run.parameters["seed"])
        style.plot_marked(axes, height, number, "", markers=4)
        axes.lines[-1].set_label(f"${strength:g}\\,g$, seed {seed}")
    mean = smooth(grains(runs[0]), 1.0 / runs[0].parameters["frequency"])
    axes.plot(*mean, color="black", label="mean of the grains", **style.EXACT)
    axes.set(xlabel="Time [s]", ylabel="Height of the nut [m]", xlim=(0, mean.t[-1]))
    axes.set_ylim(bottom=0)
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncol=3, handlelength=1.6)
    return figure, runs


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
