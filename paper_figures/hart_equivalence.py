"""Hart and Anitescu, metric equivalence theorem: the ratio metric between its two bounds.

Claim: with D the distance of the interior points and ε half the sum of the radii of the balls about
them, s/D ≤ ρ ≤ s/ε for disjoint polytopes at the distance s, and the same for −ρ with the depth s of
overlapping ones, as long as s ≤ ε. Dividing by s/D puts the lower bound at 1 and the upper at D/ε, so
that one picture holds all sizes. Crosses are overlaps deeper than ε, for which the published upper
bound does not hold.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import style
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, ScalarFormatter
from records import Run, read_run

STUDY = "ratio-equivalence"
DIMENSIONS = (2, 3)
RANGE = (0.25, 120.0)  # of D/ε
SHOWN = 600  # points of each kind, so that the PDF stays small


def thinned(values: np.ndarray, keep: np.ndarray) -> np.ndarray:
    """The columns that are to be kept, at most SHOWN of them, evenly spread."""
    chosen = values[:, keep]
    step = max(1, -(-chosen.shape[1] // SHOWN))
    return chosen[:, ::step]


def draw(results: Path) -> tuple[Figure, list[Run]]:
    runs = [read_run(results, STUDY, None, f"dim={dim}") for dim in DIMENSIONS]
    figure, grid = style.new_panels(1, 2, height=2.4)
    panels = grid[0]
    for number, (dim, run) in enumerate(zip(DIMENSIONS, runs)):
        table = run.columns("scatter.csv", "s", "rho", "D", "eps")
        s, _, _, eps = table
        for axes, kept in zip(panels, (s > 0, (s <= 0) & (-s <= eps))):
            shown_s, rho, distance, shown_eps = thinned(table, kept)
            axes.plot(
                distance / shown_eps,
                rho * distance / shown_s,
                linestyle="none",
                marker=style.MARKERS[number],
                markersize=1.6,
                color=style.COLOURS[number],
                label=f"{dim}-D",
            )
        shown_s, rho, distance, shown_eps = thinned(table, -s > eps)
        (deeper,) = panels[1].plot(
            distance / shown_eps,
            rho * distance / shown_s,
            linestyle="none",
            marker="x",
            markersize=2.4,
            markeredgewidth=0.4,
            color="0.45",
            zorder=1,
            label="deeper than ε",
        )
    for axes, title in zip(panels, ("disjoint", "overlapping")):
        line = np.array(RANGE)
        axes.plot(line, line, color="black", linewidth=0.8, label=r"upper bound $s/\varepsilon$")
        axes.plot(line, [1, 1], color="black", label="lower bound $s/D$", **style.EXACT)
        axes.set(xscale="log", yscale="log", xlim=RANGE, ylim=(0.9, 8))
        axes.set_title(title, fontsize=style.FONT_SIZE)
        axes.set_xlabel(r"$D/\varepsilon$ [1]")
        axes.set_yticks([1, 2, 4, 8])
        axes.yaxis.set_major_formatter(ScalarFormatter())
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.xaxis.set_major_formatter(ScalarFormatter())
    panels[0].set_ylabel(r"$\rho\, D/s$ [1]")
    panels[0].legend(loc="upper left", handlelength=1.4, markerscale=2)
    panels[1].legend(handles=[deeper], loc="upper left", handlelength=1.4, markerscale=1.5)
    return figure, runs


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
