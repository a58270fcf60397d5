"""Chakraborty et al. (2007), figure 1(a): kinetic energy of a rolling disc, step 0.01 s.

Claim: when a disc is replaced by a regular polygon and stepped by Stewart–Trinkle, the energy loss
decreases as the number of edges grows, but towards a limit set by the step. A smooth disc keeps its
6.75 J; the geometrically implicit formulation computes exactly that.

The exact polygon, which itself loses energy at each vertex, is drawn dashed in the same colour: the
distance between the two is the time stepper's own error. The dashed curves lie in the order of
their edges, 1000 on top. Every formulation that was run on the smooth disc (edges=0) gets its line
as soon as its run directory exists.
"""

from __future__ import annotations

import sys
from pathlib import Path

import style
from matplotlib.figure import Figure
from records import Run, cases, formulations, read_run

STUDY = "rolling-disc"
POLYGONS = "stewart-trinkle"
IMPLICIT = "geometric-ncp"  # the horizontal line at the top of the published figure
H = "0.01"  # [s]
EDGES = (10, 20, 50, 100, 200, 500, 1000)
T_END = 10.0  # [s]


def disc_runs(results: Path) -> list[Run]:
    """The smooth disc, by Stewart–Trinkle and every other formulation that was run on it."""
    case = f"edges=0_h={H}"
    others = [
        read_run(results, STUDY, formulation, case)
        for formulation in formulations(results, STUDY)
        for _ in cases(results, STUDY, formulation, case)
        if formulation != POLYGONS
    ]
    runs = [read_run(results, STUDY, POLYGONS, case), *others]
    if IMPLICIT not in {run.formulation for run in runs}:
        print(
            f"note: {STUDY}/{IMPLICIT}/{case} has not been run: its line is left out",
            file=sys.stderr,
        )
    return runs


def draw(results: Path) -> tuple[Figure, list[Run]]:
    polygons = [read_run(results, STUDY, POLYGONS, f"edges={n}_h={H}") for n in EDGES]
    discs = disc_runs(results)
    figure, axes = style.new_figure(height=3.0)
    axes.plot([], [], color="black", marker="o", label=f"polygon, {POLYGONS}")
    axes.plot([], [], color="black", label="polygon, exact", **style.EXACT)
    curves = []
    for number, run in enumerate(polygons):
        edges = f"{run.parameters['edges']:g}"
        curve = style.plot_marked(axes, run.series("energy.csv", "kinetic"), number, edges)
        exact = style.envelope(run.series("oracle.csv", "kinetic"))
        axes.plot(exact.t, exact.value, color=curve.colour, **style.EXACT)
        curves.append(curve)
    disc = discs[0].series("oracle.csv", "kinetic")
    axes.plot(disc.t, disc.value, color="black", linewidth=0.6, label="disc, exact")
    for number, run in enumerate(discs):
        kinetic = run.series("energy.csv", "kinetic")
        style.plot_open(axes, kinetic, number, f"disc, {run.formulation}")
    axes.set(xlim=(0, T_END), ylim=(0, 7.2), xlabel="Time [s]", ylabel="Kinetic energy [J]")
    style.legend_above(axes)
    style.label_ends(axes, curves, heading="edges")
    return figure, polygons + discs


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
