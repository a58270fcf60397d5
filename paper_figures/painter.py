"""A small painter of shaded ellipsoids: rays, one lamp with shadows, smooth edges.

Matplotlib's surfaces do not hide each other correctly; here every pixel asks which body it sees.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Sequence

import numpy as np
from matplotlib.colors import to_rgb

LAMP = np.array([0.45, -0.35, 0.82]) / np.linalg.norm([0.45, -0.35, 0.82])  # towards the lamp
SKY = 0.38  # light that reaches every place, falling off below
TINY = 1e-6  # a shadow ray starts this far from its surface, in lengths of the body


@dataclass(frozen=True)
class Solid:
    """An ellipsoid with a colour; `chequered` shows how it is turned."""

    centre: np.ndarray
    axes: np.ndarray
    colour: str
    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))
    chequered: bool = False

    def hit(self, origins: np.ndarray, directions: np.ndarray) -> np.ndarray:
        """Distance along each ray to the first hit from outside; infinite where it misses."""
        o = (origins - self.centre) @ self.rotation / self.axes
        d = directions @ self.rotation / self.axes
        a, b, c = (d * d).sum(-1), (o * d).sum(-1), (o * o).sum(-1) - 1.0
        root = b * b - a * c
        with np.errstate(invalid="ignore"):
            s = (-b - np.sqrt(root)) / a
        return np.where((root > 0) & (s > TINY), s, np.inf)

    def normal(self, points: np.ndarray) -> np.ndarray:
        local = (points - self.centre) @ self.rotation / self.axes**2
        normals = local @ self.rotation.T
        return normals / np.linalg.norm(normals, axis=-1, keepdims=True)

    def shade(self, points: np.ndarray) -> np.ndarray:
        colour = np.broadcast_to(np.array(to_rgb(self.colour)), points.shape).copy()
        if self.chequered:
            local = (points - self.centre) @ self.rotation / self.axes
            dark = np.prod(np.sign(local), axis=-1) > 0  # octants
            colour[dark] = 0.25 + 0.75 * np.array([1.0, 1.0, 1.0])
        return colour


@dataclass(frozen=True)
class Camera:
    """Parallel projection: `towards` points from the scene to the viewer; sizes in metres."""

    centre: np.ndarray
    towards: np.ndarray
    width: float
    height: float

    def frame(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        back = self.towards / np.linalg.norm(self.towards)
        right = np.cross([0.0, 0.0, 1.0], back)
        right /= np.linalg.norm(right)
        return right, np.cross(back, right), back

    def project(self, points: np.ndarray) -> np.ndarray:
        """Picture coordinates [m] of points."""
        right, up, _ = self.frame()
        relative = np.asarray(points) - self.centre
        return np.stack([relative @ right, relative @ up], axis=-1)

    def sees(self, points: np.ndarray, solids: Sequence[Solid]) -> np.ndarray:
        """Whether nothing stands between each point and the viewer."""
        _, _, back = self.frame()
        points = np.asarray(points)
        rays = np.broadcast_to(back, points.shape)
        blocked = [np.isfinite(solid.hit(points + 1e-3 * back, rays)) for solid in solids]
        return ~np.any(blocked, axis=0)

    def extent(self) -> tuple[float, float, float, float]:
        return -self.width / 2, self.width / 2, -self.height / 2, self.height / 2


def paint(solids: Sequence[Solid], camera: Camera, pixels: int, oversample: int = 2) -> np.ndarray:
    """An RGB picture, `pixels` wide, on a white ground."""
    nx = pixels * oversample
    ny = int(round(nx * camera.height / camera.width / oversample)) * oversample
    right, up, back = camera.frame()
    x = (np.arange(nx) + 0.5) / nx * camera.width - camera.width / 2
    y = camera.height / 2 - (np.arange(ny) + 0.5) / ny * camera.height
    origins = camera.centre + x[None, :, None] * right + y[:, None, None] * up + 100.0 * back
    origins = origins.reshape(-1, 3)
    rays = np.broadcast_to(-back, origins.shape)
    distance = np.stack([solid.hit(origins, rays) for solid in solids])
    nearest = distance.argmin(0)
    picture = np.ones((nx * ny, 3))
    for k, solid in enumerate(solids):
        seen = (nearest == k) & np.isfinite(distance[k])
        points = origins[seen] - distance[k][seen, None] * back
        picture[seen] = light(points, solid, solids, back)
    picture = picture.reshape(ny // oversample, oversample, nx // oversample, oversample, 3)
    return np.clip(picture.mean((1, 3)), 0.0, 1.0)


def light(points: np.ndarray, solid: Solid, solids: Sequence[Solid], back: np.ndarray):
    """Colour of points on a solid: sky, lamp with shadows, a soft highlight."""
    normals = solid.normal(points)
    towards_lamp = np.broadcast_to(LAMP, points.shape)
    lamp = np.clip(normals @ LAMP, 0.0, None)
    start = points + 1e-4 * normals
    for other in solids:
        if other is not solid:
            lamp = np.where(np.isfinite(other.hit(start, towards_lamp)), 0.0, lamp)
    half = (LAMP + back) / np.linalg.norm(LAMP + back)
    gloss = np.where(lamp > 0, np.clip(normals @ half, 0.0, None) ** 40, 0.0)
    sky = SKY * (0.75 + 0.25 * normals[:, 2])
    return solid.shade(points) * (sky + 0.62 * lamp)[:, None] + 0.18 * gloss[:, None]


def rotation_matrix(w: float, x: float, y: float, z: float) -> np.ndarray:
    """Of a unit quaternion, body to world."""
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
