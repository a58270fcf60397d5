"""Baraff (1992), chapter 9: impacts of several contacts, together and in turn.

Claim: both rules keep momentum and, with e = 1, energy, and still differ: of N equal balls hit by
one, all bounce together, or the last one leaves. With e < 1 they also keep different energies, and
in turn the energy of a cube that falls flat depends on the order of its corners. Lines of the
simultaneous rule lie on e² + (1 − e²)/N and on e².
"""

from __future__ import annotations

import sys
from pathlib import Path

import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from records import Run, read_run

STUDY = "simultaneous-impacts"


def draw_speeds(axes: Axes, run: Run, balls: int) -> None:
    """Bars: the velocity of each ball, one moving at first, e = 1."""
    n, moving, e, ball, together, in_turn = run.columns(
        "balls.csv", "balls", "moving", "restitution", "ball", "together", "in_turn"
    )
    chosen = (n == balls) & (moving == 1) & (e == 1)
    look = {"width": 0.36, "linewidth": 0.6, "edgecolor": "black"}
    axes.bar(
        ball[chosen] - 0.19, together[chosen], color=style.COLOURS[1], label="together", **look
    )
    axes.bar(
        ball[chosen] + 0.19,
        in_turn[chosen],
        color=style.COLOURS[4],
        hatch="////",
        label="in turn",
        **look,
    )
    axes.axhline(0, color="black", linewidth=0.6)
    axes.set(xlabel="Ball", ylabel="Velocity after / before [1]", ylim=(-0.7, 1.1))
    axes.set_title(f"{balls} balls, $e = 1$", fontsize=style.FONT_SIZE)
    axes.set_xticks(range(1, balls + 1))


def draw_energies(axes: Axes, run: Run, curves: tuple, title: str) -> None:
    e, *energies = run.columns("energy.csv", "restitution", *(column for column, _, _ in curves))
    for energy, (_, label, number) in zip(energies, curves):
        axes.plot(
            e,
            energy,
            color=style.COLOURS[number],
            marker=style.MARKERS[number],
            markevery=(number, 8),
            label=label,
        )
    axes.set(xlabel="Restitution, $e$ [1]", ylabel="Energy after / before [1]")
    axes.set(xlim=(0, 1), ylim=(0, 1.02))
    axes.set_title(title, fontsize=style.FONT_SIZE)
    axes.legend(loc="upper left", handlelength=1.8)


def draw(results: Path) -> tuple[Figure, list[Run]]:
    run = read_run(results, STUDY, None, "defaults")
    figure, grid = style.new_panels(2, 2, height=4.2)
    draw_speeds(grid[0][0], run, 3)
    draw_speeds(grid[0][1], run, 5)
    grid[0][0].legend(loc="upper left", handlelength=1.2)
    draw_energies(
        grid[1][0],
        run,
        (
            ("together_3", "3 balls, together", 1),
            ("in_turn_3", "3 balls, in turn", 4),
            ("together_5", "5 balls, together", 2),
            ("in_turn_5", "5 balls, in turn", 0),
        ),
        "One ball hits the others",
    )
    draw_energies(
        grid[1][1],
        run,
        (
            ("cube_together", "together", 1),
            ("cube_1234", "corners in turn, 1 2 3 4", 4),
            ("cube_1324", "corners in turn, 1 3 2 4", 3),
        ),
        "A cube falls flat",
    )
    return figure, [run]


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
