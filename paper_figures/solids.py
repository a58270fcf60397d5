"""Convex solids that rays can meet: ellipsoids, superquadrics, cylinders, polyhedra, the ground.

Every solid answers where a ray enters it, its normal and its colour there. Rays that miss the ball
around a solid are sorted out first; arrays hold one point per row, and rays are parallel.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from matplotlib.colors import to_rgb

TINY = 1e-6  # a hit nearer than this to the start of its ray is the surface the ray started from
PALE = np.full(3, 1.0)  # what the other half of a chequered body is painted with


def perpendicular(direction: np.ndarray) -> np.ndarray:
    """Two unit columns across a unit direction and each other."""
    u = np.cross(direction, np.eye(3)[np.abs(direction).argmin()])
    u /= np.linalg.norm(u)
    return np.stack([u, np.cross(direction, u)], axis=1)


@dataclass(frozen=True, kw_only=True)
class Solid:
    """A convex body with a pose and a colour."""

    centre: np.ndarray
    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))  # body to world
    colour: str
    outline: float = 0.0  # width of the dark line along sharp edges [m]

    def hit(self, origins: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """Distance along parallel rays, of unit direction, to their entries; infinite for misses."""
        across = perpendicular(direction)
        aside = origins @ across - self.centre @ across
        near = np.flatnonzero(np.einsum("ij,ij->i", aside, aside) < self.reach() ** 2)
        distance = np.full(len(origins), np.inf)
        if len(near):
            o = (origins[near] - self.centre) @ self.rotation
            d = np.broadcast_to(direction @ self.rotation, o.shape)
            enter, leave = self.span(o, d)
            distance[near] = np.where((enter < leave) & (enter > TINY), enter, np.inf)
        return distance

    def normal(self, points: np.ndarray) -> np.ndarray:
        normals = self.gradient((points - self.centre) @ self.rotation) @ self.rotation.T
        return normals / np.linalg.norm(normals, axis=-1, keepdims=True)

    def shade(self, points: np.ndarray) -> np.ndarray:
        """The colour of its surface, before light falls on it."""
        colour = np.broadcast_to(np.array(to_rgb(self.colour)), points.shape).copy()
        local = (points - self.centre) @ self.rotation
        pale = self.pale(local)
        colour[pale] = 0.25 * colour[pale] + 0.75 * PALE
        if self.outline > 0.0:
            colour[self.edge(local)] *= 0.35
        return colour

    def reach(self) -> float:
        """Radius of a ball around the centre that holds the body."""
        raise NotImplementedError

    def span(self, o: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where rays in the body's frame enter and leave; enter ≥ leave where they miss."""
        raise NotImplementedError

    def gradient(self, x: np.ndarray) -> np.ndarray:
        """An outward normal, of any length, in the body's frame."""
        raise NotImplementedError

    def pale(self, x: np.ndarray) -> np.ndarray:
        """Which points of a body that would hide how it turns are painted pale."""
        return np.zeros(len(x), dtype=bool)

    def edge(self, x: np.ndarray) -> np.ndarray:
        """Which points lie within half the outline's width of a sharp edge."""
        return np.zeros(len(x), dtype=bool)


@dataclass(frozen=True, kw_only=True)
class Ellipsoid(Solid):
    """(x/a)² + (y/b)² + (z/c)² ≤ 1; `chequered` paints its octants in turn."""

    axes: np.ndarray
    chequered: bool = False

    def reach(self) -> float:
        return float(self.axes.max())

    def span(self, o: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        o, d = o / self.axes, d / self.axes
        a, b, c = (d * d).sum(-1), (o * d).sum(-1), (o * o).sum(-1) - 1.0
        root = np.sqrt(np.maximum(b * b - a * c, 0.0))
        return (-b - root) / a, (-b + root) / a

    def gradient(self, x: np.ndarray) -> np.ndarray:
        return x / self.axes**2

    def pale(self, x: np.ndarray) -> np.ndarray:
        return (np.prod(np.sign(x), axis=-1) > 0) & self.chequered


@dataclass(frozen=True, kw_only=True)
class Superquadric(Ellipsoid):
    """|x/a|ᵖ + |y/b|ᵖ + |z/c|ᵖ ≤ 1."""

    exponent: float

    def reach(self) -> float:
        return float(np.linalg.norm(self.axes))

    def span(self, o: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Newton's method from where the ray enters the bounding box; where it leaves is not asked.

        The function is convex along the ray: iterates from outside come no nearer than the surface,
        and a slope that turns before it is reached means that the ray misses.
        """
        o, d = o / self.axes, d / self.axes
        with np.errstate(divide="ignore", invalid="ignore"):
            sides = np.sort([(1.0 - o) / d, (-1.0 - o) / d], axis=0)
        s, leave = np.nanmax(sides[0], axis=-1), np.nanmin(sides[1], axis=-1)
        s[s >= leave] = np.inf
        going = np.flatnonzero(s < leave)
        p = self.exponent
        for _ in range(100):
            x = o[going] + s[going, None] * d[going]
            power = np.abs(x) ** (p - 1.0)
            value = (power * np.abs(x)).sum(-1) - 1.0
            slope = p * (power * np.sign(x) * d[going]).sum(-1)
            on = (value > 1e-9) & (slope < 0.0)
            s[going[(value > 1e-9) & ~on]] = np.inf
            going = going[on]
            if not len(going):
                break
            s[going] -= value[on] / slope[on]
        return s, np.full(len(s), np.inf)

    def gradient(self, x: np.ndarray) -> np.ndarray:
        y = x / self.axes
        return np.sign(y) * np.abs(y) ** (self.exponent - 1.0) / self.axes


@dataclass(frozen=True, kw_only=True)
class Cylinder(Solid):
    """About its z axis, `height` being the full length; half of its side may be pale."""

    radius: float
    height: float
    chequered: bool = False

    def reach(self) -> float:
        return float(np.hypot(self.radius, self.height / 2))

    def span(self, o: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        a = np.maximum((d[:, :2] ** 2).sum(-1), 1e-300)
        b = (o[:, :2] * d[:, :2]).sum(-1)
        root = b * b - a * ((o[:, :2] ** 2).sum(-1) - self.radius**2)
        width = np.sqrt(np.maximum(root, 0.0))
        dz = np.where(d[:, 2] == 0.0, 1e-300, d[:, 2])
        half = self.height / 2
        caps = np.sort([(half - o[:, 2]) / dz, (-half - o[:, 2]) / dz], axis=0)
        enter, leave = np.maximum((-b - width) / a, caps[0]), np.minimum((-b + width) / a, caps[1])
        return enter, np.where(root > 0.0, leave, -np.inf)

    def beyond(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Signed distances from the side and from the nearer cap."""
        return np.hypot(x[:, 0], x[:, 1]) - self.radius, np.abs(x[:, 2]) - self.height / 2

    def gradient(self, x: np.ndarray) -> np.ndarray:
        side, cap = self.beyond(x)
        on_side = (side > cap)[:, None]
        return np.where(on_side, x * [1.0, 1.0, 0.0], np.sign(x) * [0.0, 0.0, 1.0])

    def pale(self, x: np.ndarray) -> np.ndarray:
        return (x[:, 0] * x[:, 1] > 0) & self.chequered

    def edge(self, x: np.ndarray) -> np.ndarray:
        return np.minimum(*self.beyond(x)) > -self.outline / 2


@dataclass(frozen=True, kw_only=True)
class Polyhedron(Solid):
    """n_j·x ≤ c_j, the rows of `normals` being unit vectors; `size` bounds |x|."""

    normals: np.ndarray
    offsets: np.ndarray
    size: float

    def reach(self) -> float:
        return self.size

    def span(self, o: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        enter, leave = np.full(len(o), -np.inf), np.full(len(o), np.inf)
        for n, c in zip(self.normals, self.offsets):
            rate, room = d @ n, c - o @ n
            with np.errstate(divide="ignore", invalid="ignore"):
                s = room / rate
            enter = np.where(rate < 0, np.maximum(enter, s), enter)
            leave = np.where(rate > 0, np.minimum(leave, s), leave)
            leave = np.where((rate == 0) & (room < 0), -np.inf, leave)
        return enter, leave

    def gradient(self, x: np.ndarray) -> np.ndarray:
        return self.normals[(x @ self.normals.T - self.offsets).argmax(-1)]

    def edge(self, x: np.ndarray) -> np.ndarray:
        slack = np.partition(x @ self.normals.T - self.offsets, -2, axis=-1)
        return slack[:, -2] > -self.outline / 2


@dataclass(frozen=True, kw_only=True)
class Ground(Solid):
    """The half-space below a plane; `rotation` takes z to its normal, `centre` lies on it.

    Tiles of side `tile` fade into white paper at the distance `fade` from the centre.
    """

    colour: str = "#E3E5E7"
    tile: float = 1.0
    fade: float = 1.0

    def hit(self, origins: np.ndarray, direction: np.ndarray) -> np.ndarray:
        normal = self.rotation[:, 2]
        if direction @ normal >= 0.0:
            return np.full(len(origins), np.inf)
        s = (self.centre - origins) @ normal / (direction @ normal)
        return np.where(s > TINY, s, np.inf)

    def gradient(self, x: np.ndarray) -> np.ndarray:
        return np.broadcast_to([0.0, 0.0, 1.0], x.shape)

    def shade(self, points: np.ndarray) -> np.ndarray:
        x = (points - self.centre) @ self.rotation
        dark = (np.floor(x[:, 0] / self.tile) + np.floor(x[:, 1] / self.tile)) % 2 > 0
        grey = np.array(to_rgb(self.colour))
        colour = np.where(dark[:, None], grey, 0.5 + 0.5 * grey)
        return colour + (1.0 - colour) * self.faded(points)[:, None]

    def faded(self, points: np.ndarray) -> np.ndarray:
        """0 near the centre, 1 where nothing of the ground is left."""
        x = (points - self.centre) @ self.rotation
        return np.clip(2.0 * np.hypot(x[:, 0], x[:, 1]) / self.fade - 1.0, 0.0, 1.0)
