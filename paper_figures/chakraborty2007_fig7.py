"""Chakraborty et al. (2007), figure 7: force and sliding speed at contact 1, step 0.01 s.

Claim: contact 1 slides until it separates, so that friction and μ times the normal force coincide;
the sliding speed grows as the normal force falls. The paper reads the separation at about 3.2 s.
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

CONTACT = "ball/first"


def draw(results: Path) -> tuple[Figure, list[Run]]:
    runs = [read_run(results, STUDY, formulation, CASE) for formulation in FORMULATIONS]
    return panels.contact_figure(runs, CONTACT), runs


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
