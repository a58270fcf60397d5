"""Chakraborty et al. (2007), figure 8: force and sliding speed at contact 2, step 0.01 s.

Claim: contact 2 rolls, with a friction below μ times the normal force, until about 3 s, then slides
and separates at about 3.6 s (as the paper reads it; the reference has 2.945 s and 3.702 s).
The friction magnitude is that of the friction ellipsoid, √(λ_t² + λ_o² + (λ_r/e_r)²) for the
weights of the paper. Beside the published method stand Tzitzouris–Pang and Stewart–Trinkle; the
event-driven reference is dashed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import panels
import style
from chakraborty2007_fig6 import CASE, FORMULATIONS, STUDY
from matplotlib.figure import Figure
from records import Run, read_run

CONTACT = "ball/second"


def draw(results: Path) -> tuple[Figure, list[Run]]:
    runs = [read_run(results, STUDY, formulation, CASE) for formulation in FORMULATIONS]
    return panels.contact_figure(runs, CONTACT), runs


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
