"""Brazil nut: time of a step against the number of bodies.

Claim: with the convex relaxation and the sparse interior-point method a step of a shaken bed costs time
nearly in proportion to the number of bodies. Medians over the steps of a run; the exponents are
least-squares fits.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import style
from matplotlib.figure import Figure
from records import RecordError, Run, cases, read_run

STUDY = "brazil-nut"
FORMULATION = "ratio-metric"


def draw(results: Path) -> tuple[Figure, list[Run]]:
    names = cases(results, STUDY, FORMULATION, "coupling=qp_*grains=*_t_end=*")
    runs = [read_run(results, STUDY, FORMULATION, case) for case in names]
    if not runs:
        raise RecordError(f"no runs of {STUDY}\n  make them with: ./touchstone run {STUDY}")
    runs.sort(key=lambda run: run.parameters["grains"])
    bodies = np.array([run.summary()["bodies"] for run in runs])
    step = np.array([run.summary()["median_step_us"] for run in runs]) / 1e3
    solve = np.array([np.median(run.series("steps.csv", "solve_us").value) for run in runs]) / 1e3
    figure, axes = style.new_figure(height=2.8)
    figure.subplots_adjust(right=0.97, left=0.15, top=0.97)
    for number, (name, time) in enumerate((("whole step", step), ("its solve", solve))):
        exponent = np.polyfit(np.log(bodies), np.log(time), 1)[0]
        axes.loglog(
            bodies,
            time,
            color=style.COLOURS[number],
            marker=style.MARKERS[number],
            label=f"{name}: $n^{{{exponent:.2f}}}$",
        )
    period = 1e3 * runs[0].parameters["h"]
    axes.axhline(period, color="black", **style.EXACT)
    axes.text(bodies[0], period * 1.08, "simulated time of a step", fontsize=style.FONT_SIZE - 1)
    axes.set(xlabel="Moving bodies, $n$ [1]", ylabel="Time of a step [ms]")
    axes.set_xticks(bodies, [str(count) for count in bodies])
    axes.minorticks_off()
    axes.legend(loc="lower right", handlelength=1.6)
    return figure, runs


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
