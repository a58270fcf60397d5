"""Renderings of spatial bodies: frames.py calls it for spatial runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

import numpy as np
import style
from matplotlib.axes import Axes
from painter import Camera, paint
from planar_frames import MARGIN, colour_of, in_view, scale_length
from solids import Cylinder, Ellipsoid, Ground, Polyhedron, Solid, Superquadric

TOWARDS = (0.75, -1.0, 0.55)  # where the viewer stands
PIXELS = 220  # per inch of width
ROD = 0.006  # radius of a rod, of the width of the picture
FIXED = "#B4B9BE"
STEEL = "#4A4F55"  # rods


def facets(record: dict) -> tuple[np.ndarray, np.ndarray]:
    """Unit normals and offsets of the faces of a mesh."""
    vertices = np.asarray(record["vertices"])
    normals, offsets = [], []
    for face in record["faces"]:
        x = vertices[face]
        n = sum(np.cross(a - x[0], b - x[0]) for a, b in zip(x[1:], x[2:]))
        n /= np.linalg.norm(n)
        normals.append(n)
        offsets.append((x @ n).max())
    return np.array(normals), np.array(offsets)


def solid_of(body, outline: float) -> Solid:
    """The body as the painter knows it: exact where its shape is named, else by its mesh."""
    record = body.record
    look = {
        "centre": body.position,
        "rotation": body.rotation,
        "colour": FIXED if body.fixed else colour_of(body),
    }
    if "semi_axes" in record:
        look |= {"axes": np.asarray(record["semi_axes"]), "chequered": not body.fixed}
        if "exponent" in record:
            return Superquadric(exponent=record["exponent"], **look)
        return Ellipsoid(**look)
    if "height" in record:
        sizes = {"radius": record["radius"], "height": record["height"]}
        return Cylinder(chequered=not body.fixed, outline=outline, **sizes, **look)
    normals, offsets = facets(record)
    size = float(np.linalg.norm(record["vertices"], axis=1).max())
    sharp = outline if record["shape"] == "polytope" else 0.0
    return Polyhedron(normals=normals, offsets=offsets, size=size, outline=sharp, **look)


def rod_of(ends: np.ndarray, radius: float) -> Cylinder | None:
    """A thin cylinder between two points."""
    length = np.linalg.norm(ends[1] - ends[0])
    if length < radius:
        return None
    z = (ends[1] - ends[0]) / length
    x = np.cross(z, np.eye(3)[np.abs(z).argmin()])
    x /= np.linalg.norm(x)
    turned = np.stack([x, np.cross(z, x), z], axis=1)
    pose = {"centre": ends.mean(0), "rotation": turned, "colour": STEEL}
    return Cylinder(radius=radius, height=length, **pose)


@dataclass(frozen=True)
class View:
    """The camera of all frames of a run."""

    camera: Camera
    grounded: bool  # whether there is a half-space to see

    @classmethod
    def of(
        cls,
        frames: Sequence,
        include: Sequence[str] | None = None,
        towards: Sequence[float] = TOWARDS,
        crop=None,
    ) -> View:
        """Looks at the bodies of all frames; `crop` (left, right, below, above) [m] widens it."""
        points = in_view(frames, include)
        middle = (points.min(0) + points.max(0)) / 2
        camera = Camera(middle, np.asarray(towards, dtype=float), 1.0, 1.0)
        seen = camera.project(points)
        low, high = seen.min(0), seen.max(0)
        margin = MARGIN * (high - low).max()
        left, right, below, above = crop or (0.0, 0.0, 0.0, 0.0)
        low, high = low - margin - [left, below], high + margin + [right, above]
        x, y, _ = camera.frame()
        centre = middle + (low + high)[0] / 2 * x + (low + high)[1] / 2 * y
        grounded = any("normal" in body.record for body in frames[0].bodies.values())
        return cls(Camera(centre, camera.towards, *(high - low)), grounded)

    @property
    def aspect(self) -> float:
        return self.camera.width / self.camera.height

    def ground(self, body) -> Ground:
        """A half-space, seen around the middle of the picture."""
        normal = body.rotation @ np.asarray(body.record["normal"])
        _, _, back = self.camera.frame()
        above = (self.camera.centre - body.position) @ normal - body.record["offset"]
        foot = self.camera.centre - above / (back @ normal) * back
        x = np.cross(normal, np.eye(3)[np.abs(normal).argmin()])
        x /= np.linalg.norm(x)
        turned = np.stack([x, np.cross(normal, x), normal], axis=1)
        size = max(self.camera.width, self.camera.height)
        tile = scale_length(size)
        return Ground(centre=foot, rotation=turned, tile=tile, fade=1.5 * size)

    def solids(self, frame, outline: float) -> list[Solid]:
        solids = []
        for body in frame.bodies.values():
            if body.bounded:
                solids.append(solid_of(body, outline))
            elif "normal" in body.record:
                solids.append(self.ground(body))
        rods = [rod_of(ends, ROD * self.camera.width) for kind, ends in frame.rods()]
        return solids + [rod for rod in rods if rod is not None]

    def draw(self, axes: Axes, frame, width: float) -> None:
        pixels = int(round(PIXELS * width))
        outline = 1.6 * self.camera.width / pixels
        picture = paint(self.solids(frame, outline), self.camera, pixels)
        axes.imshow(picture, extent=self.camera.extent(), interpolation="none", aspect="auto")

    def draw_scale(self, axes: Axes) -> None:
        """The tiles of the ground are the scale: their size, above the frame at its right."""
        if not self.grounded:
            return
        tile = scale_length(max(self.camera.width, self.camera.height))
        axes.annotate(
            *(f"tiles of {tile:g} m", (1.0, 1.0)),
            xytext=(0, 2),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="right",
            va="bottom",
            fontsize=style.FONT_SIZE - 1,
        )
