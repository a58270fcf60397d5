"""Baraff (1992), figures D.1 to D.3: a jack on stairs, dice through a lattice, a collapsing gate.

The thesis closes with such pictures and gives no parameters for them; these scenes and their
parameters are ours (experiments/scenes/). Event-driven simulation at acceleration level, with
friction and impacts.
"""

from __future__ import annotations

import sys
from pathlib import Path

import style
from frames import draw_strips, make_strip
from matplotlib.figure import Figure
from records import Run, read_run

STUDY, FORMULATION = "baraff-scenes", "baraff-acceleration"
SCENES = (
    (
        *("D.1: a jack of three bars falls down stairs", "scene=jack-on-stairs_t_end=2.4"),
        *((0, 0.4, 0.8, 1.2, 1.6, 2.4), {}),
    ),
    (
        "D.2: superquadric dice (exponent 4) fall through a lattice of round bars",
        *("scene=dice-through-lattice_t_end=1.2", (0, 0.24, 0.4, 0.6, 0.8, 1.0)),
        {"towards": (0.8, -1.0, 0.6)},
    ),
    (
        *("D.3: a heavy ball strikes a gate of blocks", "scene=collapsing-gate_t_end=1.5"),
        *((0, 0.25, 0.45, 0.6, 0.8, 1.5), {}),
    ),
)


def draw(results: Path) -> tuple[Figure, list[Run]]:
    strips, runs = [], []
    for heading, case, times, view in SCENES:
        run = read_run(results, STUDY, FORMULATION, f"{case}_rest_speed=0.01")
        strips.append(make_strip(run, times, heading, columns=3, **view))
        runs.append(run)
    return draw_strips(strips), runs


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
