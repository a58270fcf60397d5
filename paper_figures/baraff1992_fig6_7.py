"""Baraff (1992), figure 6.7: reaction force on a smooth ellipse that rocks on a floor.

Claim: the force stays finite but peaks where the contact point passes the flattest part of the
surface, and the more so the longer the ellipse: a collision spread over a short time. The closed
form (dashed) is not in the original.
"""

from __future__ import annotations

import sys
from pathlib import Path

import style
from matplotlib.figure import Figure
from records import Run, read_run

STUDY = "baraff-ellipsoid"
AXES = ("1.25", "1.5", "2", "3")  # long semi-axis over the short one


def draw(results: Path) -> tuple[Figure, list[Run]]:
    runs = [read_run(results, STUDY, "baraff-acceleration", f"long_axis={a}") for a in AXES]
    figure, axes = style.new_figure(height=2.6)
    for number, (axis, run) in enumerate(zip(AXES, runs)):
        force = run.contact("ellipse/floor", "p_n")
        value = force.value / run.parameters["h"]
        axes.plot(force.t, value, color=style.COLOURS[number], label=rf"$a/b = {axis}$")
        exact = run.series("oracle.csv", "reaction")
        label = "exact" if run is runs[-1] else None
        axes.plot(exact.t, exact.value, color="black", label=label, **style.EXACT)
    axes.set(xlim=(0, runs[0].parameters["t_end"]), ylim=(0, None))
    axes.set(xlabel="Time [s]", ylabel="Reaction force [N]")
    figure.subplots_adjust(left=0.13, right=0.97)
    style.legend_above(axes)
    return figure, runs


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
