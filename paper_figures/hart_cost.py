"""Hart and Anitescu, future research: time of the ratio metric and of the Minkowski depth.

Claim: the linear program of the ratio metric costs time in proportion to the number of facets, from
scratch and, cheaper, from the last solution of a moving pair; the depth from the Minkowski difference
and the enumeration of separating axes grow faster. Medians over random pairs; the exponents are
least-squares fits from 64 facets on.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import style
from matplotlib.figure import Figure
from records import Run, read_run

STUDY = "ratio-cost"
CURVES = (
    ("minkowski_us", "minkowski_exponent", "Minkowski difference"),
    ("axes_us", "axes_exponent", "separating axes"),
    ("ratio_us", "ratio_exponent", "ratio metric"),
    ("warm_us", "warm_exponent", "ratio metric, warm start"),
)


def draw(results: Path) -> tuple[Figure, list[Run]]:
    run = read_run(results, STUDY, None, "defaults")
    summary = run.summary()
    figure, axes = style.new_figure(height=3.3)
    figure.subplots_adjust(right=0.97, left=0.15, top=0.74)
    for number, (column, exponent, name) in enumerate(CURVES):
        facets, time = run.columns("cost.csv", "facets", column, missing=True)
        measured = np.isfinite(time)
        axes.loglog(
            facets[measured],
            time[measured],
            color=style.COLOURS[number],
            marker=style.MARKERS[number],
            label=f"{name}: $m^{{{summary[exponent]:.2f}}}$",
        )
    axes.set(xlabel="Facets of each polytope, $m$ [1]", ylabel="Time [µs]")
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), handlelength=1.6)
    return figure, [run]


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
