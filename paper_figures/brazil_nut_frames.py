"""Brazil nut: the bed of the first seed at some times.

The container is shaken up and down with three times gravity; the frames are those of the container, at
whole periods after the shaking began, so that the bed is in the same phase in each.
"""

from __future__ import annotations

import sys
from pathlib import Path

import style
from brazil_nut_rise import beds
from frames import draw_strips, make_strip
from matplotlib.figure import Figure
from records import Run


def draw(results: Path) -> tuple[Figure, list[Run]]:
    run = beds(results)[0][0]
    start, end = run.parameters["shake_start"], run.parameters["t_end"]
    period = 1.0 / run.parameters["frequency"]
    times = [start + period * round((end - start - period) * k / 3 / period) for k in range(4)]
    include = ("floor", "left", "right")
    return draw_strips([make_strip(run, times, columns=4, include=include)]), [run]


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
