"""Ellipsoids on ellipsoids: forces, sliding speeds and contact modes of both contacts.

An ellipsoid in the valley between two spheres (left half) and between two ellipsoids (right half),
step 0.01 s; the dashed curves are the same method at an eighth of the step. Where a contact slides,
friction is μ times the normal force; where it sticks, less. The bars show what each contact does,
by the geometrically implicit method (upper) and by Stewart–Trinkle (lower); white is separated.
"""

from __future__ import annotations

import sys
from pathlib import Path

import panels
import style
from ellipsoid_on_ellipsoids_motion import FINEST, FORMULATION, LARGE, STEPS, STUDY, case
from matplotlib.figure import Figure
from records import Run, read_run

CONTACTS = ("egg/first", "egg/second")
OTHER = "stewart-trinkle"


def draw(results: Path) -> tuple[Figure, list[Run]]:
    figure, axes = style.new_panels(
        3, 4, height=4.4, sharex=True, sharey="row", height_ratios=(1.5, 1, 0.4)
    )
    used = []
    for i, large in enumerate(LARGE):
        run = read_run(results, STUDY, FORMULATION, case(large, STEPS[0]))
        fine = read_run(results, STUDY, FORMULATION, case(large, FINEST))
        other = read_run(results, STUDY, OTHER, case(large, STEPS[0]))
        used += [run, fine, other]
        for k, contact in enumerate(CONTACTS):
            force, speed, strip = axes[:, 2 * i + k]
            exact = panels.recorded_curves(fine, contact)
            curves = panels.recorded_curves(run, contact)
            panels.contact_panels(force, speed, curves, exact, "h/8")
            panels.mode_strip(strip, run, contact, 1)
            panels.mode_strip(strip, other, contact, 0)
            force.set_title(f"on {large}: contact {k + 1}", fontsize=style.FONT_SIZE)
            strip.set(xlabel="Time [s]", xlim=(0, run.parameters["t_end"]), ylim=(-0.5, 1.5))
            strip.set_yticks((0, 1), (OTHER, FORMULATION))
    axes[0, 0].set(ylabel="Force [N]", ylim=(0, None))
    axes[1, 0].set(ylabel="Sliding speed [m/s]", ylim=(0, None))
    for mode in ("stick", "slip"):
        axes[2, 0].barh(0, 0, color=panels.MODES[mode], label=mode)
    style.legend_on_top(figure, *axes[:, 0])
    return figure, used


if __name__ == "__main__":
    sys.exit(style.main(__file__, __doc__, draw))
