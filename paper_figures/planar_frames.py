"""Line drawings of planar bodies: frames.py calls it for planar runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

import numpy as np
import style
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Polygon

COLOURS = (*style.COLOURS[:6], "#F0E442")  # of moving bodies, in turn: fills may be faint
GREY = "#8A8F94"  # fixed bodies
LINE = 0.7  # [pt]
MARGIN = 0.06  # of the larger extent, around what is in view
GROUND = 0.07  # of the larger extent: how deep the hatching of a half-space is


def tint(colour: str, white: float) -> tuple[float, ...]:
    """The colour mixed with white."""
    return tuple(white + (1.0 - white) * np.array(to_rgb(colour)))


def colour_of(body) -> str:
    return GREY if body.fixed else COLOURS[body.number % len(COLOURS)]


def in_view(frames: Sequence, include: Sequence[str] | None) -> np.ndarray:
    """The vertices of moving bodies and of the fixed ones that are included (None: all)."""
    points = [
        body.vertices()
        for frame in frames
        for name, body in frame.bodies.items()
        if body.bounded and (not body.fixed or include is None or name in include)
    ]
    return np.concatenate(points)


def scale_length(width: float) -> float:
    """A round length of about a fifth of the width."""
    unit = 10.0 ** np.floor(np.log10(width / 4))
    return float(max(step * unit for step in (1, 2, 5) if step * unit <= width / 4))


@dataclass(frozen=True)
class View:
    """The rectangle that every frame of a run shows [m]."""

    low: np.ndarray
    high: np.ndarray

    @classmethod
    def of(cls, frames: Sequence, include: Sequence[str] | None = None, crop=None) -> View:
        """Holds the bodies of all frames; `crop` (x0, x1, y0, y1) cuts it, None entries do not."""
        points = in_view(frames, include)
        low, high = points.min(0), points.max(0)
        size = (high - low).max()
        low, high = low - MARGIN * size, high + MARGIN * size
        for k, limit in enumerate(crop or ()):
            if limit is not None:
                (low, high)[k % 2][k // 2] = limit
        return cls(low, high)

    @property
    def aspect(self) -> float:
        return float((self.high - self.low)[0] / (self.high - self.low)[1])

    def draw(self, axes: Axes, frame, width: float) -> None:
        axes.set(xlim=(self.low[0], self.high[0]), ylim=(self.low[1], self.high[1]))
        bodies = sorted(frame.bodies.values(), key=lambda body: not body.fixed)
        for body in bodies:
            if body.bounded:
                self.draw_body(axes, body)
            elif "normal" in body.record:
                self.draw_ground(axes, body)
        for kind, ends in frame.rods():
            if kind == "distance":
                axes.plot(*ends.T, color="black", linewidth=0.9, solid_capstyle="round", zorder=4)
            look = {"markersize": 2.6, "markeredgewidth": 0.6, "markeredgecolor": "black"}
            axes.plot(*ends.T, "o", color="white", linestyle="none", zorder=5, **look)

    def draw_body(self, axes: Axes, body) -> None:
        colour, points = colour_of(body), body.vertices()
        dark = tuple(0.6 * np.array(to_rgb(colour)))
        look = {"linewidth": LINE, "joinstyle": "round", "zorder": 2 if body.fixed else 3}
        axes.add_patch(Polygon(points, facecolor=tint(colour, 0.45), edgecolor=dark, **look))
        if not body.fixed and len(points) > 4:  # a radius shows how a round body turns
            radius = np.array([body.position, body.place(body.record["vertices"][0])])
            axes.plot(*radius.T, color=dark, linewidth=LINE, zorder=3.1)

    def draw_ground(self, axes: Axes, body) -> None:
        """A half-space: its boundary, and hatching below it."""
        normal = body.rotation @ np.asarray(body.record["normal"])
        along = np.array([-normal[1], normal[0]])
        middle = (self.low + self.high) / 2
        reach = np.linalg.norm(self.high - self.low)
        foot = middle + (body.record["offset"] - (middle - body.position) @ normal) * normal
        ends = np.array([foot - reach * along, foot + reach * along])
        deep = ends - GROUND * (self.high - self.low).max() * normal
        strip = Polygon(
            np.concatenate([ends, deep[::-1]]),
            facecolor="none",
            edgecolor=tint(GREY, 0.3),
            hatch="//////",
            linewidth=0.0,
            zorder=1,
        )
        axes.add_patch(strip)
        axes.plot(*ends.T, color="black", linewidth=LINE, zorder=1.5)

    def draw_scale(self, axes: Axes) -> None:
        """A bar of a round length in the corner at the top right."""
        size = self.high - self.low
        bar = scale_length(size[0])
        right, y = self.high[0] - 0.02 * size[0], self.high[1]
        axes.plot([right - bar, right], [y, y], color="black", linewidth=1.2, clip_on=False)
        axes.annotate(
            *(f"{bar:g} m", (right - bar, y)),
            xytext=(-2, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=style.FONT_SIZE - 1,
        )
