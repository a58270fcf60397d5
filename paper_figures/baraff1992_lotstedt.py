"""Baraff (1992), section 14.2.1: Lötstedt's friction bound repeated within one step.

Claim: taking the normal force of the last iteration as the bound of the next need not converge. For
the rod of figure 10.1 the force grows without limit where no finite force is consistent, leaves the
finite solution of the indeterminate rod to either side, and alternates when the slip is reversed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import style
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from records import Run, read_run

STUDY = "lotstedt"
LABELS = ("inconsistent", "indeterminate, from 0.9 N", "indeterminate, from 1.1 N", "reversed slip")


def draw(results: Path) -> tuple[Figure, list[Run]]:
    run = read_run(results, STUDY, None, "defaults")
    case, iteration, normal = run.columns("iterations.csv", "case", "iteration", "normal")
    figure, axes = style.new_figure(height=2.8)
    figure.subplots_adjust(left=0.16, right=0.97)
    for number, label in enumerate(LABELS):
        chosen = case == number
        axes.plot(
            iteration[chosen],
            normal[chosen],
            color=style.COLOURS[number],
            marker=style.MARKERS[number],
            label=label,
        )
    exact = run.summary()["exact_normal"]
    axes.axhline(exact, color="black", label="exact, reversed slip", **style.EXACT)
    axes.set_yscale("symlog", linthresh=1.0)
    axes.set(xlabel="Iteration", ylabel="Normal force [N]", ylim=(-0.1, 1000))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    style.legend_above(axes)
    return figure, [run]


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
