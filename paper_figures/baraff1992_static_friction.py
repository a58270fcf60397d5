"""Baraff (1992), section 14.2: static friction by approximation on walls of growing size.

Claim: the sign-guess program is reasonably successful up to about 40 contacts and sometimes fails
beyond. Asked once and from nothing (no earlier step to take the signs from) it fails on far
smaller walls; Lötstedt's lag always settles on them, and the exact law is solved on each.
"""

from __future__ import annotations

import sys
from pathlib import Path

import style
from matplotlib.figure import Figure
from records import Run, read_run

STUDY = "static-friction"
THESIS = 40  # contacts
RULES = (("sign_guess", "sign guess"), ("lag", "lag"), ("exact", "exact law"))
DIMENSIONS = ((2, "plane", "-"), (3, "space", "--"))


def draw(results: Path) -> tuple[Figure, list[Run]]:
    figure, axes = style.new_figure(height=2.8)
    figure.subplots_adjust(left=0.14, right=0.97)
    runs = []
    for dimension, where, line in DIMENSIONS:
        run = read_run(results, STUDY, None, f"dim={dimension}")
        runs.append(run)
        for number, (rule, label) in enumerate(RULES):
            contacts, samples, failed = run.columns(
                "rules.csv", "contacts", "samples", f"{rule}_failed"
            )
            axes.plot(
                contacts,
                100 * failed / samples,
                line,
                color=style.COLOURS[number],
                marker=style.MARKERS[number],
                label=f"{label}, {where}",
                markersize=7 if rule == "exact" else None,  # around the others
                markerfacecolor="none" if rule == "exact" else None,
                clip_on=False,
                zorder=3 - number / 3,
            )
    axes.axvline(THESIS, color="black", **style.EXACT)
    axes.annotate("thesis: n ≈ 40", (THESIS, 50), xytext=(4, 0), textcoords="offset points")
    axes.set(xlabel="Contacts", ylabel="Walls without an answer [%]", ylim=(0, 100), xlim=(0, None))
    style.legend_above(axes)
    return figure, runs


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
