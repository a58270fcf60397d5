"""Hart and Anitescu, numerical results: the motions of their four scenes.

The source shows such frames without numbers. These are of our own versions of the scenes, stepped
with stabilisation (gamma = 1) at h = 0.0025 s; gravity points down. Scenes are drawn whose runs are
there.
"""

from __future__ import annotations

import sys
from pathlib import Path

import style
from frames import draw_strips, make_strip
from hart_infeasibility import FORMULATION
from matplotlib.figure import Figure
from records import RecordError, Run, read_run

CASE = "gamma=1_h=0.0025_solver=chain"
SCENES = {
    "balance2": ("a beam on a wedge carries two weights on rods", (0, 0.3, 0.6, 0.9, 1.2, 1.5)),
    "pyramid1": ("a hexagon on a rod swings into a pyramid", (0, 0.4, 0.7, 0.8, 0.9, 1.0)),
    "dice3": ("three thrown dice joined by rods", (0, 0.2, 0.4, 0.6, 0.8, 1.0)),
    "setup6": ("wheels with crank rods and two boxes on a slope", (0, 0.3, 0.6, 0.9, 1.2, 1.5)),
}


def draw(results: Path) -> tuple[Figure, list[Run]]:
    strips, runs = [], []
    for study, (words, times) in SCENES.items():
        if not (results / study / FORMULATION / CASE).exists():
            continue
        run = read_run(results, study, FORMULATION, CASE)
        strips.append(make_strip(run, times, f"{study}: {words}"))
        runs.append(run)
    if not runs:
        remedy = "make them with: ./touchstone run balance2"
        raise RecordError(f"no runs of {', '.join(SCENES)}\n  {remedy}")
    return draw_strips(strips), runs


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
