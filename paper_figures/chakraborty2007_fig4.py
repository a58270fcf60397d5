"""Chakraborty et al. (2007), figure 4: contact forces of a sphere that spins on a plane.

Claim: the tangential forces are zero and the torsional moment is at its bound, 0.7848 N m, until
the sphere sticks. The step from 0.98 s to 1.05 s contains the stop at 1 s: its moment is the mean
over the step, 0.4 · 1.962 · 0.02/0.07 = 0.2242 N m, which is why the published curve does not fall
to zero at once. Each value belongs to a whole step and is drawn as one.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import style
from chakraborty2007_fig3 import FORMULATIONS, STUDY, T_END, friction_moment
from matplotlib.figure import Figure
from records import Run, read_run

CONTACT = "sphere/plane"


def draw(results: Path) -> tuple[Figure, list[Run]]:
    runs = [read_run(results, STUDY, formulation, "defaults") for formulation in FORMULATIONS]
    h = runs[0].parameters["h"]
    figure, axes = style.new_figure(height=2.6)
    p = runs[0].parameters
    stop = p["inertia"] * p["omega"] / friction_moment(runs[0])
    bound = friction_moment(runs[0])
    axes.plot(
        [0, stop, stop, T_END],
        [bound, bound, 0, 0],
        color="black",
        zorder=5,
        label=r"$|\lambda_r|$, exact",
        **style.EXACT,
    )
    for number, run in enumerate(runs):
        moment = run.contact(CONTACT, "p_r")
        values, edges = np.abs(moment.value) / h, np.append(0.0, moment.t)
        colour = style.COLOURS[number]
        label = rf"$|\lambda_r|$, {run.formulation}"
        width = 2.4 - 0.8 * number
        axes.stairs(values, edges, baseline=None, color=colour, linewidth=width, label=label)
        look = {"linestyle": "none", "marker": style.MARKERS[number], "markevery": (number, 3)}
        axes.plot((edges[1:] + edges[:-1]) / 2, values, color=colour, **look)
    for name in ("p_t", "p_o"):
        force = runs[0].contact(CONTACT, name)
        label = r"$|\lambda_t|$, $|\lambda_o|$, geometric-ncp" if name == "p_t" else None
        edges = np.append(0.0, force.t)
        axes.stairs(np.abs(force.value) / h, edges, color=style.COLOURS[6], label=label)
    axes.set(xlim=(0, T_END), ylim=(-0.04, 0.88))
    axes.set(xlabel="Time [s]", ylabel="Friction [N], moment [N m]")
    figure.subplots_adjust(left=0.13, right=0.97)
    style.legend_above(axes)
    return figure, runs


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
