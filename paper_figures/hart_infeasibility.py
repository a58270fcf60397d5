"""Hart and Anitescu, numerical results: average infeasibility against the step size.

Claim: with stabilisation (gamma = 1) the average of the largest violation over all pairs and joints
falls like the square of the step size, and stays below that of the unstabilised method (gamma = 0)
at every step size. Scenes are drawn whose runs are there; the exponents are least-squares fits.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import style
from matplotlib.figure import Figure
from records import RecordError, Run, cases, read_run

STUDIES = ("balance2", "pyramid1", "dice3", "setup6")
FORMULATION = "ratio-metric"


def runs_of(results: Path, study: str, gamma: int) -> list[Run]:
    """The runs of one curve, the largest step first."""
    found = [
        read_run(results, study, FORMULATION, case)
        for case in cases(results, study, FORMULATION, f"gamma={gamma}_h=*")
    ]
    return sorted(found, key=lambda run: -run.parameters["h"])


def draw(results: Path) -> tuple[Figure, list[Run]]:
    studies = [study for study in STUDIES if runs_of(results, study, 1)]
    if not studies:
        remedy = "make them with: ./touchstone run balance2"
        raise RecordError(f"no runs of {', '.join(STUDIES)}\n  {remedy}")
    figure, panels = style.new_panels(height=2.3, rows=1, columns=len(studies))
    used = []
    for axes, study in zip(panels[0], studies):
        for number, gamma in enumerate((1, 0)):
            runs = runs_of(results, study, gamma)
            h = np.array([run.parameters["h"] for run in runs])
            value = np.array([run.summary()["average_infeasibility"] for run in runs])
            exponent = np.polyfit(np.log(h), np.log(value), 1)[0]
            axes.loglog(
                h,
                value,
                color=style.COLOURS[number],
                marker=style.MARKERS[number],
                label=f"$\\gamma = {gamma}$: $h^{{{exponent:.2f}}}$",
            )
            used += runs
        axes.set(title=study, xlabel="Step size $h$ [s]")
        axes.set_ylim(bottom=0.05 * axes.get_ylim()[0])  # room for the legend
        axes.title.set_fontsize(style.FONT_SIZE)
        axes.legend(loc="lower right", handlelength=1.2)
    panels[0][0].set_ylabel("Average infeasibility [1]")
    return figure, used


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
