"""A small painter of shaded convex solids: rays, one lamp with soft shadows, smooth edges.

Matplotlib's surfaces do not hide each other correctly; here every pixel asks which body it sees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

import numpy as np
from solids import Ground, Solid, perpendicular

LAMP = np.array([0.45, -0.35, 0.82]) / np.linalg.norm([0.45, -0.35, 0.82])  # towards the lamp
LAMP_SIZE = 0.05  # [rad] seen from the scene; the rays towards it are spread over its disc
LAMP_RAYS = 9
SKY = 0.38  # light that reaches every place, falling off below
VIEWER = 0.16  # light from where the viewer stands
SHADOW = 0.45  # how much darker the ground is where the lamp does not reach it


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
        start = np.asarray(points) + 1e-3 * back
        blocked = [np.isfinite(solid.hit(start, back)) for solid in solids]
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
    away = 100.0 * max(camera.width, camera.height)
    origins = camera.centre + x[None, :, None] * right + y[:, None, None] * up + away * back
    origins = origins.reshape(-1, 3)
    nearest, distance = np.full(len(origins), -1), np.full(len(origins), np.inf)
    for k, solid in enumerate(solids):
        s = solid.hit(origins, -back)
        nearest[s < distance] = k
        distance = np.minimum(s, distance)
    picture = np.ones((nx * ny, 3))
    for k, solid in enumerate(solids):
        seen = nearest == k
        if seen.any():
            points = origins[seen] - distance[seen, None] * back
            picture[seen] = light(points, solid, solids, back, 1e-5 * camera.width)
    picture = picture.reshape(ny // oversample, oversample, nx // oversample, oversample, 3)
    return np.clip(picture.mean((1, 3)), 0.0, 1.0)


def light(points: np.ndarray, solid: Solid, solids: Sequence[Solid], back: np.ndarray, lift: float):
    """Colour of points on a solid: sky, lamp with shadows, a soft highlight."""
    normals = solid.normal(points)
    facing = np.clip(normals @ LAMP, 0.0, None)
    others = [other for other in solids if other is not solid and not isinstance(other, Ground)]
    lit = np.zeros(len(points))
    lit[facing > 0] = lamp_seen(points[facing > 0] + lift * normals[facing > 0], others)
    if isinstance(solid, Ground):
        shadow = SHADOW * (1.0 - lit) * (1.0 - solid.faded(points))
        return solid.shade(points) * (1.0 - shadow)[:, None]
    lamp = facing * lit
    half = (LAMP + back) / np.linalg.norm(LAMP + back)
    gloss = lit * np.clip(normals @ half, 0.0, None) ** 40
    sky = SKY * (0.75 + 0.25 * normals[:, 2]) + VIEWER * np.clip(normals @ back, 0.0, None)
    return solid.shade(points) * (sky + 0.56 * lamp)[:, None] + 0.15 * gloss[:, None]


def lamp_seen(points: np.ndarray, solids: Sequence[Solid]) -> np.ndarray:
    """The part of the lamp's disc that each point sees, 0 … 1."""
    across = perpendicular(LAMP)
    seen = np.zeros(len(points))
    for k in range(LAMP_RAYS):  # a sunflower's spiral: evenly spread over the disc
        radius, angle = LAMP_SIZE * np.sqrt((k + 0.5) / LAMP_RAYS), k * np.pi * (3 - np.sqrt(5))
        ray = LAMP + radius * across @ [np.cos(angle), np.sin(angle)]
        ray /= np.linalg.norm(ray)
        free = np.ones(len(points), dtype=bool)
        for solid in solids:
            free &= np.isinf(solid.hit(points, ray))
        seen += free / LAMP_RAYS
    return seen


def rotation_matrix(w: float, x: float, y: float, z: float) -> np.ndarray:
    """Of a unit quaternion, body to world."""
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
