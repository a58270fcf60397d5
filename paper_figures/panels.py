"""Panels that several figures share: velocities, contact forces and modes, one column per run."""

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from records import Run, Series

VELOCITIES = ("vx", "vy", "vz", "wx", "wy", "wz")
NAMES = (r"$v_x$", r"$v_y$", r"$v_z$", r"$\omega_x$", r"$\omega_y$", r"$\omega_z$")
MODES = {"stick": style.COLOURS[5], "slip": style.COLOURS[4], "spin": style.COLOURS[3]}


class ContactCurves(NamedTuple):
    """What the law of a contact is about."""

    limit: Series  # μλ_n [N]
    friction: Series  # √((λ_t/e_t)² + (λ_o/e_o)² + (λ_r/e_r)²) [N]: the limit where it slides
    slip: Series  # [m/s], 0 where it does not touch


def velocity_panel(
    axes: Axes, run: Run, body: str, reference: Run, file: str, name: str = "reference"
) -> None:
    """The six velocities of a body and, dashed, those in a file of the reference run, so called."""
    for number, (column, symbol) in enumerate(zip(VELOCITIES, NAMES)):
        series = run.series("trajectory.csv", f"{body}.{column}")
        unit = "m/s" if number < 3 else "rad/s"
        axes.plot(
            series.t,
            series.value,
            color=style.COLOURS[number],
            marker=style.MARKERS[number],
            markevery=(len(series.t) * (4 + 2 * number) // 20, len(series.t)),
            label=f"{symbol} [{unit}]",
        )
        exact = reference.series(file, f"{body}.{column}")
        label = name if column == VELOCITIES[-1] else None
        axes.plot(exact.t, exact.value, color="black", zorder=5, label=label, **style.EXACT)
    axes.axhline(0.0, color="0.8", linewidth=0.4, zorder=0)


def velocity_error(run: Run, body: str, reference: Run, file: str) -> Series:
    """The largest error of a velocity at the run's times, all of which the reference has."""
    errors = []
    for column in VELOCITIES:
        series = run.series("trajectory.csv", f"{body}.{column}")
        exact = reference.series(file, f"{body}.{column}")
        at = np.searchsorted(exact.t, series.t - 1e-9)
        errors.append(np.abs(series.value - exact.value[at]))
    return Series(series.t, np.max(errors, axis=0))


def recorded_curves(run: Run, contact: str) -> ContactCurves:
    """Of the run itself; impulses of a step as mean forces."""
    p = run.parameters
    normal, slip = run.contact(contact, "p_n"), run.contact(contact, "slip")
    squares = np.zeros_like(normal.t)
    for column, weight in (("p_t", p["e_t"]), ("p_o", p["e_o"]), ("p_r", p["e_r"])):
        if weight > 0:
            squares += (run.contact(contact, column).value / p["h"] / weight) ** 2
    return ContactCurves(
        Series(normal.t, p["mu"] * normal.value / p["h"]),
        Series(normal.t, np.sqrt(squares)),
        Series(slip.t, np.where(normal.value > 0, slip.value, 0.0)),
    )


def exact_curves(run: Run, contact: str) -> ContactCurves:
    """Of the run's oracle."""
    names = ("normal_force", "friction", "slip")
    normal, friction, slip = (run.series("oracle.csv", f"{contact}.{name}") for name in names)
    return ContactCurves(Series(normal.t, run.parameters["mu"] * normal.value), friction, slip)


def contact_panels(
    force: Axes,
    speed: Axes,
    curves: ContactCurves,
    exact: ContactCurves,
    name: str = "reference",
) -> None:
    """μλ_n and friction above, the sliding speed below; the reference dashed, so called."""
    force.plot(*curves.limit, color=style.COLOURS[1], label="μ × normal force")
    dots = {"linestyle": (0, (1, 1)), "linewidth": 1.6}
    force.plot(*curves.friction, color=style.COLOURS[0], label="friction magnitude", **dots)
    speed.plot(*curves.slip, color=style.COLOURS[2], label="sliding speed")
    look = {"color": "black", "zorder": 5, **style.EXACT}
    force.plot(*exact.limit, **look)
    force.plot(*exact.friction, **look)
    speed.plot(*exact.slip, label=name, **look)


def contact_figure(runs: Sequence[Run], contact: str) -> Figure:
    """One column of panels per run, each with its oracle."""
    figure, axes = style.new_panels(
        2, len(runs), height=3.4, sharex=True, sharey="row", height_ratios=(1.4, 1)
    )
    for k, run in enumerate(runs):
        curves = recorded_curves(run, contact)
        contact_panels(axes[0, k], axes[1, k], curves, exact_curves(run, contact))
        axes[0, k].set_title(run.formulation, fontsize=style.FONT_SIZE)
        axes[1, k].set(xlabel="Time [s]", xlim=(0, run.parameters["t_end"]))
    axes[0, 0].set(ylabel="Force [N]", ylim=(0, None))
    axes[1, 0].set(ylabel="Sliding speed [m/s]", ylim=(0, None))
    style.legend_on_top(figure, axes[0, 0], axes[1, 0])
    return figure


def mode_strip(axes: Axes, run: Run, contact: str, y: float) -> None:
    """A bar over the time, coloured by what the contact does; nothing where it is separated."""
    modes = run.contact_modes(contact)
    h, start = run.parameters["h"], 0
    for k in range(1, len(modes) + 1):
        if k < len(modes) and modes[k][1] == modes[start][1]:
            continue
        first, mode, last = modes[start][0] - h, modes[start][1], modes[k - 1][0]
        start = k
        if mode in MODES:
            axes.barh(y, last - first, left=first, height=0.7, color=MODES[mode], linewidth=0)
