"""Hart and Anitescu, future research: infeasibility and energy against the stabilisation.

Claim: infeasibility falls steeply from gamma = 0 to gamma = 1, where one step takes the whole
linearised error away; beyond 1 errors are over-corrected. Right: the change of the mechanical energy over
the run, most of which friction and impacts take.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import style
from matplotlib.figure import Figure
from records import RecordError, Run, cases, read_run

STUDY = "gamma-sweep"
FORMULATION = "ratio-metric"


def draw(results: Path) -> tuple[Figure, list[Run]]:
    names = cases(results, STUDY, FORMULATION, "gamma=*")
    runs = [read_run(results, STUDY, FORMULATION, name) for name in names]
    if not runs:
        raise RecordError(f"no runs of {STUDY}\n  make them with: ./touchstone run {STUDY}")
    runs.sort(key=lambda run: run.parameters["gamma"])
    gamma = np.array([run.parameters["gamma"] for run in runs])
    figure, panels = style.new_panels(height=2.3, rows=1, columns=2)
    left, right = panels[0]
    for number, (key, name) in enumerate(
        (("max_infeasibility", "largest"), ("average_infeasibility", "average"))
    ):
        value = [run.summary()[key] for run in runs]
        left.semilogy(
            gamma, value, color=style.COLOURS[number], marker=style.MARKERS[number], label=name
        )
    left.set(xlabel="Stabilisation $\\gamma$ [1]", ylabel="Infeasibility [1]")
    left.legend()
    change = [run.summary()["energy_change_joules"] for run in runs]
    right.plot(gamma, change, color=style.COLOURS[2], marker=style.MARKERS[2])
    right.set(xlabel="Stabilisation $\\gamma$ [1]", ylabel="Change of energy [J]")
    return figure, runs


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
