"""Chakraborty et al. (2007), figure 1(b): kinetic energy of a rolling 1000-gon, by step.

Claim: with the number of edges fixed, the energy loss of Stewart–Trinkle decreases with the step,
up to a limit. The limit is the exact rolling 1000-gon (dashed), which loses energy at each vertex;
it is not the disc, which keeps its energy.
"""

from __future__ import annotations

import sys
from pathlib import Path

import style
from matplotlib.figure import Figure
from records import Run, read_run

STUDY = "rolling-disc"
FORMULATION = "stewart-trinkle"
EDGES = 1000
STEPS = ("0.01", "0.005", "0.002", "0.001", "0.0005", "0.0001")  # [s]
T_END = 10.0  # [s]


def draw(results: Path) -> tuple[Figure, list[Run]]:
    runs = [read_run(results, STUDY, FORMULATION, f"edges={EDGES}_h={h}") for h in STEPS]
    smooth = read_run(results, STUDY, FORMULATION, "edges=0_h=0.01")
    disc = smooth.series("oracle.csv", "kinetic")
    figure, axes = style.new_figure(height=2.8)
    axes.plot([], [], color="black", marker="o", label=f"{EDGES}-gon, {FORMULATION}")
    curves = []
    for number, (h, run) in enumerate(zip(STEPS, runs)):
        kinetic = run.series("energy.csv", "kinetic")
        curves.append(style.plot_marked(axes, kinetic, number, h))
    exact = style.envelope(runs[-1].series("oracle.csv", "kinetic"))
    axes.plot(
        exact.t, exact.value, color="black", zorder=5, label=f"{EDGES}-gon, exact", **style.EXACT
    )
    axes.plot(disc.t, disc.value, color="black", linewidth=0.6, label="disc, exact")
    lowest, highest = min(curve.end for curve in curves), float(disc.value.max())
    margin = 0.05 * (highest - lowest)
    axes.set(xlim=(0, T_END), ylim=(lowest - margin, highest + margin))
    axes.set(xlabel="Time [s]", ylabel="Kinetic energy [J]")
    style.legend_above(axes)
    style.label_ends(axes, curves, heading="step [s]")
    return figure, [*runs, smooth]


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
