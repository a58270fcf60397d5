"""Frames of the motion of one run.

Draws the bodies of a run directory (bodies.json) as they stand at chosen times (trajectory.csv):
planar scenes as line drawings, spatial ones rendered with shadows. Gravity points down the page.
`touchstone simulate SCENE.toml --frames N` calls this file as a script; figures import it.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Sequence

import matplotlib
import numpy as np
import planar_frames
import spatial_frames
import style
from matplotlib.figure import Figure
from painter import rotation_matrix
from records import RecordError, Run, read_folder

GAP = 0.06  # [in] between frames
LABEL = 0.16  # [in] above each frame, for its time
HEADING = 0.22  # [in] above the frames of one run
WIDEST = 3.5  # [in] of a frame
TALLEST = 8.6  # [in] of all frames, a page


@dataclass(frozen=True)
class Body:
    """A body of bodies.json at one time: x_world = rotation x_body + position, upright."""

    record: dict
    number: int  # among the moving bodies, or among the fixed ones: tied ones share it
    position: np.ndarray
    rotation: np.ndarray

    @property
    def fixed(self) -> bool:
        return self.record["fixed"]

    @property
    def bounded(self) -> bool:
        return "vertices" in self.record

    def place(self, points: Sequence) -> np.ndarray:
        return np.asarray(points, dtype=float) @ self.rotation.T + self.position

    def vertices(self) -> np.ndarray:
        return self.place(self.record["vertices"])


@dataclass(frozen=True)
class Frame:
    """All bodies at one time."""

    t: float
    bodies: dict[str, Body]
    joints: list[dict]

    def rods(self) -> list[tuple[str, np.ndarray]]:
        """The kind of each joint and the two points that it ties together."""
        return [
            (joint["kind"], np.array([self.bodies[name].place(x) for name, x in attached]))
            for joint in self.joints
            for attached in [list(zip(joint["bodies"], joint["points"]))]
        ]


def read_bodies(run: Run) -> dict:
    path = run.directory / "bodies.json"
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        remedy = "run it again with --rerun; computed runs have no bodies"
        raise RecordError(f"missing file: {path}\n  {remedy}") from None
    except json.JSONDecodeError as error:
        raise RecordError(f"{path}: {error}") from None


def upright(gravity: Sequence[float]) -> np.ndarray:
    """The rotation after which gravity points down the last axis."""
    g = np.asarray(gravity, dtype=float)
    if not np.linalg.norm(g) > 0.0:
        return np.eye(len(g))
    down = g / np.linalg.norm(g)
    if len(g) == 2:
        return np.array([[-down[1], down[0]], [-down[0], -down[1]]])
    axis, cosine = np.cross(down, [0.0, 0.0, -1.0]), -down[2]
    if cosine < -1.0 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + K + K @ K / (1.0 + cosine)


def turn(record: dict) -> np.ndarray:
    """The rotation of a pose: `angle` or `quaternion`."""
    if "quaternion" in record:
        return rotation_matrix(*record["quaternion"])
    c, s = np.cos(record["angle"]), np.sin(record["angle"])
    return np.array([[c, -s], [s, c]])


def read_frames(run: Run, times: Sequence[float]) -> list[Frame]:
    """The frames at the recorded times nearest to those asked for."""
    scene = read_bodies(run)
    dim, up = scene["dimension"], upright(scene["gravity"])
    names = ("x", "y", "theta") if dim == 2 else ("x", "y", "z", "qw", "qx", "qy", "qz")
    moving = [body["name"] for body in scene["bodies"] if not body["fixed"]]
    wanted = ["t"] + [f"{body}.{name}" for body in moving for name in names]
    table = dict(zip(wanted, run.columns("trajectory.csv", *wanted)))
    frames = []
    for t in times:
        k = int(np.abs(table["t"] - t).argmin())
        bodies, counts = {}, {True: 0, False: 0}
        for body in scene["bodies"]:
            pose = body
            if not body["fixed"]:
                q = [float(table[f"{body['name']}.{name}"][k]) for name in names]
                turned = {"angle": q[2]} if dim == 2 else {"quaternion": q[3:]}
                pose = {"position": q[:dim], **turned}
            number = counts[body["fixed"]]
            counts[body["fixed"]] += 1
            place = up @ np.asarray(pose["position"], dtype=float)
            bodies[body["name"]] = Body(body, number, place, up @ turn(pose))
        paint_kin_alike(bodies, scene["joints"])
        frames.append(Frame(float(table["t"][k]), bodies, scene["joints"]))
    return frames


def paint_kin_alike(bodies: dict[str, Body], joints: list[dict]) -> None:
    """Bodies that fixed joints tie together are one body to the eye: they share a colour."""
    for joint in joints:
        one, other = (bodies[name] for name in joint["bodies"])
        if joint["kind"] == "fixed" and not one.fixed and not other.fixed:
            bodies[joint["bodies"][1]] = replace(other, number=one.number)


def even_times(run: Run, count: int) -> np.ndarray:
    """`count` times from the start to the end of what was recorded."""
    t = run.columns("trajectory.csv", "t")[0]
    return np.linspace(t[0], t[-1], count)


@dataclass(frozen=True)
class Strip:
    """The frames of one run, the picture that each of them shows, and how they are laid out."""

    frames: list[Frame]
    view: planar_frames.View | spatial_frames.View
    columns: int
    heading: str

    @property
    def planar(self) -> bool:
        return isinstance(self.view, planar_frames.View)

    def cell(self) -> tuple[float, float]:
        """Width and height of a frame [in]."""
        width = (style.PAGE_WIDTH - 0.1 - GAP * (self.columns - 1)) / self.columns
        width = min(width, WIDEST, TALLEST / self.rows() * self.view.aspect)
        return width, width / self.view.aspect

    def rows(self) -> int:
        return -(-len(self.frames) // self.columns)

    def height(self) -> float:
        """Of all its frames with their labels [in]."""
        heading = HEADING if self.heading else 0.0
        return heading + self.rows() * (self.cell()[1] + LABEL + GAP)


def make_strip(
    run: Run, times: Sequence[float], heading: str = "", columns: int = 0, **view
) -> Strip:
    """The frames of a run; columns, unless given, so that full rows fill about a fifth of a page.

    `view` has the options of the views: `include` (names of fixed bodies to be in view), `towards`
    (spatial: where the viewer stands), `crop`.
    """
    frames = read_frames(run, times)
    planar = len(next(iter(frames[0].bodies.values())).position) == 2
    seen = (planar_frames if planar else spatial_frames).View.of(frames, **view)
    if columns:
        return Strip(frames, seen, columns, heading)
    fitting = [c for c in range(1, len(frames) + 1) if len(frames) % c == 0]
    strips = [Strip(frames, seen, c, heading) for c in fitting]
    return min(strips, key=lambda strip: abs(strip.height() - TALLEST / 5))


def draw_strips(strips: Sequence[Strip]) -> Figure:
    """All strips below each other on one page."""
    matplotlib.rcParams.update(style.RC)
    height = sum(strip.height() for strip in strips) + 0.04
    figure = Figure(figsize=(style.PAGE_WIDTH, height))
    top = height - 0.02
    for strip in strips:
        if strip.heading:
            place = (0.05 / style.PAGE_WIDTH, (top - 0.03) / height)
            figure.text(*place, strip.heading, va="top", fontsize=style.FONT_SIZE)
            top -= HEADING
        draw_strip(figure, strip, top)
        top -= strip.rows() * (strip.cell()[1] + LABEL + GAP)
    return figure


def draw_strip(figure: Figure, strip: Strip, top: float) -> None:
    page_width, page_height = figure.get_size_inches()
    width, height = strip.cell()
    for k, frame in enumerate(strip.frames):
        row, column = divmod(k, strip.columns)
        left = 0.05 + column * (width + GAP)
        bottom = top - (row + 1) * (height + LABEL + GAP) + GAP
        place = (left / page_width, bottom / page_height, width / page_width, height / page_height)
        axes = figure.add_axes(place)
        strip.view.draw(axes, frame, width)
        if k == 0:
            strip.view.draw_scale(axes)
        axes.set_axis_off()
        axes.text(
            *(0.0, 1.0 + 0.03 / height, f"{frame.t:.3g} s"),
            transform=axes.transAxes,
            va="bottom",
            fontsize=style.FONT_SIZE - 1,
        )


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path, help="a run directory")
    parser.add_argument("--count", type=int, default=6, help="frames, evenly spaced (default: 6)")
    parser.add_argument("--times", type=float, nargs="+", help="instead: at these times [s]")
    parser.add_argument("--columns", type=int, default=0, help="default: as fits")
    parser.add_argument("--towards", type=float, nargs=3, help="spatial: direction to the viewer")
    parser.add_argument("--out", type=Path, help="default: the run directory")
    arguments = parser.parse_args()
    if arguments.count < 1 or arguments.columns < 0:
        parser.error("expected --count of at least 1 and --columns of at least 0")
    return arguments


def main() -> int:
    arguments = parse()
    try:
        run = read_folder(arguments.run)
        times = arguments.times or even_times(run, arguments.count)
        view = {"towards": arguments.towards} if arguments.towards else {}
        figure = draw_strips([make_strip(run, times, columns=arguments.columns, **view)])
    except RecordError as error:
        print(f"frames: {error}", file=sys.stderr)
        return 2
    out = arguments.out or arguments.run
    for path in style.write(figure, out, "frames", __doc__.splitlines()[0], [run]):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
