"""Chakraborty et al. (2007), figure 5: a small sphere in contact with two large spheres.

The published figure shows the start. This one also shows the run: the small sphere at the start, at
each event of the event-driven reference, and at the end, turned as the run has turned it; the path
of its centre; and on the large spheres the traces of the two contacts.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import style
from chakraborty2007_fig6 import CASE, STUDY
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from painter import Camera, paint, rotation_matrix
from records import Run, read_run
from solids import Ellipsoid

RUN = "geometric-ncp"
LARGE = ((np.zeros(3), 10.0, "#B9C3CC"), (np.array([0.0, 11.4, 0.0]), 9.0, "#CFC4B2"))
NAMES_AT = ((-6.8, -3.4), (7.4, -4.2))  # of the large spheres, in the picture [m]
CONTACTS = ("ball/first", "ball/second")
CAMERA = Camera(np.array([4.0, 5.6, 4.6]), np.array([1.0, -0.42, 0.62]), 21.0, 14.6)
HALO = [patheffects.withStroke(linewidth=2.0, foreground="white")]


def trajectory(run: Run) -> dict[str, np.ndarray]:
    columns = ("x", "y", "z", "qw", "qx", "qy", "qz")
    read = {name: run.series("trajectory.csv", f"ball.{name}") for name in columns}
    return {"t": read["x"].t, **{name: series.value for name, series in read.items()}}


def moments(run: Run) -> list[tuple[float, str]]:
    """The times at which the sphere is drawn, and what happens there."""
    said, kinds = [(0.0, "start")], {}
    for event in run.events():
        changed = kinds.get(event["contact"], event["kind"]) != event["kind"]
        kinds[event["contact"]] = event["kind"]
        if changed and event["t"] > 2 * run.parameters["h"]:
            number = 1 + CONTACTS.index(event["contact"])
            word = {"slip": "slides", "separate": "separates"}.get(event["kind"], event["kind"])
            said.append((event["t"], f"contact {number} {word}"))
    return [*said, (run.parameters["t_end"], "end")]


def draw_traces(axes: Axes, run: Run, path: np.ndarray, solids: list[Ellipsoid]) -> None:
    """Where each contact has been, on its large sphere, as long as it carried a force."""
    for k, (centre, radius, _) in enumerate(LARGE):
        force = run.contact(CONTACTS[k], "p_n")
        towards = path[1:] - centre
        points = centre + 1.0005 * radius * towards / np.linalg.norm(towards, axis=1)[:, None]
        shown = (force.value > 0) & CAMERA.sees(points, solids)
        line = np.where(shown[:, None], CAMERA.project(points), np.nan)
        label = f"trace of contact {k + 1}"
        axes.plot(*line.T, color=style.COLOURS[k], linewidth=1.4, label=label)


def draw(results: Path) -> tuple[Figure, list[Run]]:
    run = read_run(results, STUDY, RUN, CASE)
    motion = trajectory(run)
    path = np.stack([motion["x"], motion["y"], motion["z"]], axis=1)
    large = [
        Ellipsoid(centre=centre, axes=np.full(3, radius), colour=colour)
        for centre, radius, colour in LARGE
    ]
    small = []
    for t, _ in moments(run):
        k = int(np.abs(motion["t"] - t).argmin())
        turned = rotation_matrix(*(motion[name][k] for name in ("qw", "qx", "qy", "qz")))
        look = {"colour": "#D55E00", "chequered": True}
        small.append(Ellipsoid(centre=path[k], axes=np.ones(3), rotation=turned, **look))
    figure, axes = style.new_panels(1, 1, height=style.PAGE_WIDTH * CAMERA.height / CAMERA.width)
    axes = axes[0, 0]
    picture = paint([*large, *small], CAMERA, pixels=1074)
    axes.imshow(picture, extent=CAMERA.extent(), interpolation="none")
    draw_traces(axes, run, path, large + small)
    seen = CAMERA.sees(path, large)
    line = np.where(seen[:, None], CAMERA.project(path), np.nan)
    axes.plot(*line.T, color="black", linewidth=0.9, label="path of the centre")
    for (t, word), solid in zip(moments(run), small):
        place = CAMERA.project(solid.centre)
        axes.annotate(
            f"{t:.2f} s: {word}",
            place,
            xytext=place + np.array([2.6, 1.1]),
            va="center",
            path_effects=HALO,
            arrowprops={"arrowstyle": "-", "linewidth": 0.5, "shrinkB": 0},
            zorder=6,
        )
    for k, ((_, radius, _), place) in enumerate(zip(LARGE, NAMES_AT)):
        name = f"fixed sphere {k + 1}\nradius {radius:g} m"
        axes.text(*place, name, ha="center", va="center", path_effects=HALO)
    axes.set_xlim(*CAMERA.extent()[:2])
    axes.set_ylim(*CAMERA.extent()[2:])
    axes.set_axis_off()
    axes.legend(loc="upper left", frameon=True, framealpha=1.0, edgecolor="none")
    return figure, [run]


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
