"""Chakraborty et al. (2007), figure 6: velocities of a sphere on two spheres, step 0.01 s.

Claim: the geometrically implicit method gives smooth velocities, as Tzitzouris–Pang does, and
Stewart–Trinkle does not. The published figure shows the first; here all three stand side by side,
with the event-driven reference dashed and, below, the largest error of a velocity against it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import panels
import style
from matplotlib.figure import Figure
from records import Run, read_run

STUDY = "sphere-on-two-spheres"
FORMULATIONS = ("geometric-ncp", "tzitzouris-pang", "stewart-trinkle")
CASE = "h=0.01"


def draw(results: Path) -> tuple[Figure, list[Run]]:
    runs = [read_run(results, STUDY, formulation, CASE) for formulation in FORMULATIONS]
    figure, axes = style.new_panels(
        2, 3, height=3.9, sharex=True, sharey="row", height_ratios=(1.8, 1)
    )
    for k, run in enumerate(runs):
        panels.velocity_panel(axes[0, k], run, "ball", run, "oracle.csv")
        axes[0, k].set_title(run.formulation, fontsize=style.FONT_SIZE)
        error = panels.velocity_error(run, "ball", run, "oracle.csv")
        keep = error.value > 0
        axes[1, k].semilogy(error.t[keep], error.value[keep], color="black", linewidth=0.8)
        axes[1, k].set(xlabel="Time [s]", xlim=(0, run.parameters["t_end"]))
        axes[1, k].grid(axis="y", color="0.9", linewidth=0.4)
    axes[0, 0].set(ylabel="Velocity")
    axes[1, 0].set(ylabel="Largest error\n[m/s], [rad/s]", yticks=10.0 ** np.arange(-5, 1))
    axes[1, 0].set(ylim=(1e-5, 2))
    style.legend_on_top(figure, axes[0, 0])
    return figure, runs


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
