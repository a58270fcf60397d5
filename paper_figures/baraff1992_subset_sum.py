"""Baraff (1992), chapter 11: the time to decide whether contact forces exist.

Claim: contact forces with dynamic friction solve subset sum. Enumeration finds every solution, in a
time that more than doubles with each rod; Lemke's method needs polynomial time, but ends on a ray
whether or not there is a solution. Masses 1 to n, sum n. Dashed: the fitted growth.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import style
from matplotlib.figure import Figure
from records import Run, read_run

STUDY = "subset-sum"


def fitted(x: np.ndarray, time: np.ndarray, growth: np.ndarray) -> np.ndarray:
    """The fitted growth through the (geometric) mean of the times it was fitted to."""
    return growth * np.exp(np.mean(np.log(time / growth)))


def draw(results: Path) -> tuple[Figure, list[Run]]:
    run = read_run(results, STUDY, None, "defaults")
    summary = run.summary()
    n, enumeration, lemke = run.columns(
        "cost.csv", "rods", "enumeration_us", "lemke_us", missing=True
    )
    per_rod, exponent = summary["growth_per_rod"], summary["lemke_exponent"]
    figure, axes = style.new_figure(height=2.9)
    figure.subplots_adjust(right=0.97, left=0.15, top=0.83)
    small, large = np.isfinite(enumeration) & (n >= 6), n >= 32
    curves = (
        (enumeration, small, per_rod**n, f"enumeration, all solutions: ${per_rod:.2f}^n$"),
        (lemke, large, n**exponent, f"Lemke, ends on a ray: $n^{{{exponent:.2f}}}$"),
    )
    for number, (time, part, growth, label) in enumerate(curves):
        measured = np.isfinite(time)
        colour, marker = style.COLOURS[number], style.MARKERS[number]
        axes.loglog(
            n[measured], time[measured], color=colour, marker=marker, linestyle="none", label=label
        )
        line = fitted(n[part], time[part], growth[part])
        axes.loglog(n[part], line, color=colour, linestyle="--", linewidth=0.8)
    axes.set(xlabel="Rods, $n$ [1]", ylabel="Time [µs]")
    ticks = (2, 4, 8, 14, 32, 64, 128, 256, 512)
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), handlelength=1.6)
    return figure, [run]


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
