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
STRIPS = {
    "scene=jack-on-stairs_t_end=2.4": {
        "heading": "D.1: a jack of three bars falls down stairs",
        "times": (0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0),
        "columns": 4,
    },
    "scene=dice-through-lattice_t_end=1.2": {
        "heading": "D.2: superquadric dice of exponent 4 fall through a lattice of round bars",
        "times": (0, 0.25, 0.4, 0.55, 0.7, 0.85),
        "columns": 6,
    },
    "scene=collapsing-gate_t_end=1.5": {
        "heading": "D.3: a heavy ball strikes a gate of blocks",
        "times": (0, 0.2, 0.35, 0.45, 0.55, 0.65, 0.8, 1.5),
        "columns": 4,
        "towards": (-0.55, -1.0, 0.55),
    },
}


def draw(results: Path) -> tuple[Figure, list[Run]]:
    strips, runs = [], []
    for case, options in STRIPS.items():
        run = read_run(results, STUDY, FORMULATION, f"{case}_rest_speed=0.01")
        strips.append(make_strip(run, **options))
        runs.append(run)
    return draw_strips(strips), runs


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
