"""Baraff (1992), chapter 12: the penalty method on an inconsistent sliding rod, by stiffness.

Claim: as the springs become stiff, the penalty method does not approach a finite contact force but
the impulse of the rigid limit: the normal velocity of the tip when its slip ends tends to −j/m
(dashed). The closed form with the geometry frozen (black rings) is the oracle.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import style
from matplotlib.figure import Figure
from records import RecordError, Run, cases, read_run

STUDY = "penalty-limit"
FORMULATION = "penalty"


def draw(results: Path) -> tuple[Figure, list[Run]]:
    names = cases(results, STUDY, FORMULATION, "stiffness=*")
    runs = [read_run(results, STUDY, FORMULATION, name) for name in names]
    if not runs:
        raise RecordError(f"no runs of {STUDY}\n  make them with: ./touchstone run {STUDY}")
    runs.sort(key=lambda run: run.parameters["stiffness"])
    stiffness = np.array([run.parameters["stiffness"] for run in runs])
    found = [run.summary() for run in runs]
    figure, axes = style.new_figure(height=2.6)
    axes.semilogx(
        stiffness,
        [-row["frozen_v_n"] for row in found],
        color="black",
        linestyle="none",
        marker="o",
        markersize=8,
        markerfacecolor="none",
        markeredgewidth=0.8,
        label="closed form, frozen geometry",
    )
    axes.semilogx(
        stiffness,
        [-row["jam_v_n"] for row in found],
        color=style.COLOURS[1],
        marker=style.MARKERS[1],
        linestyle="none",
        markersize=4.5,
        label="penalty, simulated",
    )
    limit = found[0]["rigid_impulse"]
    axes.axhline(limit, color="black", label="rigid limit $j/m$", **style.EXACT)
    axes.set(xlabel="Stiffness [N/m]", ylabel="Approach speed [m/s]", ylim=(0, 0.4))
    figure.subplots_adjust(left=0.17, right=0.97)
    style.legend_above(axes)
    return figure, runs


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
