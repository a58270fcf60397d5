"""Baraff (1992), figure 6.6: frictionless oscillation of an ellipse on a floor.

The published figure shows the body on its plane. This one shows half an oscillation of the run, the
contact point of each position, and below it the reaction force with the same instants.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np
import style
from matplotlib.figure import Figure
from records import Run, read_run

STUDY = "baraff-ellipsoid"
CASE = "long_axis=2"
PARTS = 4  # of half a period between the positions drawn


def outline(run: Run, x: float, y: float, theta: float) -> np.ndarray:
    """The boundary of the body, one point per column."""
    s = np.linspace(0, 2 * np.pi, 400)
    a, b = run.parameters["long_axis"], run.parameters["short_axis"]
    power = 2 / run.parameters["exponent"]
    local = np.array(
        [
            a * np.sign(np.cos(s)) * np.abs(np.cos(s)) ** power,
            b * np.sign(np.sin(s)) * np.abs(np.sin(s)) ** power,
        ]
    )
    turn = np.array([[np.cos(theta), -np.sin(theta)], [np.sin(theta), np.cos(theta)]])
    return np.array([[x], [y]]) + turn @ local


def draw(results: Path) -> tuple[Figure, list[Run]]:
    run = read_run(results, STUDY, "baraff-acceleration", CASE)
    t, x, y, theta = run.columns(
        "trajectory.csv", "t", "ellipse.x", "ellipse.y", "ellipse.theta"
    )
    instants = np.linspace(0, 2 * run.summary()["quarter_period"], PARTS + 1)
    force = run.contact("ellipse/floor", "p_n")
    force_at = np.interp(instants, force.t, force.value) / run.parameters["h"]

    matplotlib.rcParams.update(style.RC)
    figure = Figure(figsize=(style.COLUMN_WIDTH, 4.2), layout="constrained")
    scene, axes = figure.subplots(2, 1, gridspec_kw={"height_ratios": [1.75, 1]})
    scene.axhspan(-0.25, 0, color="0.88", linewidth=0)
    scene.axhline(0, color="0.4", linewidth=0.6)
    axes.plot(force.t, force.value / run.parameters["h"], color="0.45")
    for number, (instant, value) in enumerate(zip(instants, force_at)):
        k = int(np.argmin(np.abs(t - instant)))
        shape = outline(run, x[k], y[k], theta[k])
        lowest = shape[:, shape[1].argmin()]
        look = {"color": style.COLOURS[number], "marker": style.MARKERS[number]}
        scene.plot(*shape, color=look["color"], linewidth=0.9)
        label = rf"$t = {instant:.2f}$ s" if number else r"$t = 0$"
        scene.plot(lowest[0], 0, linestyle="none", markersize=5, zorder=4, label=label, **look)
        axes.plot(
            instant, value, linestyle="none", markersize=5, zorder=4, clip_on=False, **look
        )
    scene.set(aspect="equal", xlim=(-2.15, 2.15), ylim=(-0.25, 2.95), xlabel="$x$ [m]")
    scene.set(ylabel="Height [m]")
    axes.set(xlim=(0, run.parameters["t_end"]), ylim=(0, 1.08 * force_at.max()))
    axes.set(xlabel="Time [s]", ylabel="Reaction force [N]")
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - 0.36 / figure.get_figheight()))
    look = {"handletextpad": 0.1, "columnspacing": 0.9, "borderaxespad": 0.2}
    figure.legend(*scene.get_legend_handles_labels(), loc="upper center", ncol=3, **look)
    return figure, [run]


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
