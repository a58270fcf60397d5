"""Baraff (1992), chapter 8: the forces of a chair with four legs.

Claim: the acceleration of the chair is determined, its leg forces are not. Grey: what linear
programs allow for a leg on the loaded side and one opposite as the load moves from the centre to the
edge. Markers: what each solver takes for the load at the centre, where every force between 0 and 1/2
is possible.
"""

from __future__ import annotations

import sys
from pathlib import Path

import style
from matplotlib.figure import Figure
from records import Run, read_run

STUDY = "chair"


def draw(results: Path) -> tuple[Figure, list[Run]]:
    run = read_run(results, STUDY, None, "defaults")
    x, low1, high1, low2, high2 = run.columns(
        "bounds.csv", "load_x", "low1", "high1", "low2", "high2"
    )
    forces = run.summary()["forces"]
    figure, grid = style.new_panels(1, 2, height=2.4)
    bounds, taken = grid[0]
    for number, (low, high, label) in enumerate(
        ((low1, high1, "loaded side"), (low2, high2, "other side"))
    ):
        colour = style.COLOURS[number]
        bounds.fill_between(x, low, high, color=colour, alpha=0.3, linewidth=0, label=label)
        bounds.plot(x, low, color=colour, linewidth=0.8)
        bounds.plot(x, high, color=colour, linewidth=0.8)
    bounds.set(xlabel="Load position [m]", ylabel="Force of a leg [N]", xlim=(0, 1), ylim=(0, 0.55))
    bounds.legend(loc="center right", handlelength=1.2)
    names = sorted(forces)
    first = [forces[name][0] for name in names]
    taken.plot(first, range(len(names)), linestyle="none", marker="o", color=style.COLOURS[1])
    taken.axvspan(0, 0.5, color="0.9", zorder=0)
    taken.set_yticks(range(len(names)), names)
    taken.set(xlabel="Force of leg 1 [N]", xlim=(-0.03, 0.53))
    return figure, [run]


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
