"""Energy over time of every formulation on one study or scene, as `touchstone compare` ran them.

Above, the energy itself: the one that the oracle predicts (drawn dashed and black), else the total
energy, less the work of applied loads where there are any. Below, on a logarithmic axis, how far
each run is from the oracle (or, without one, from its own start), relative to the largest energy.
Runs that agree to round-off lie on top of each other above and are told apart below.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import matplotlib
import numpy as np
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from records import RecordError, Run, Series, read_folder

ROUND_OFF = 1e-16  # [1] no difference below this is drawn
HEIGHT = 4.2  # [in]


def read_comparison(path: Path) -> tuple[str, list[Run]]:
    """The compared study or scene and its runs."""
    try:
        record = json.loads(path.read_text())
        folders = [path.parent / run["folder"] for run in record["runs"]]
        name = record["compared"]
    except FileNotFoundError:
        raise RecordError(f"missing file: {path}\n  make it with: ./touchstone compare") from None
    except (json.JSONDecodeError, KeyError) as error:
        raise RecordError(f"{path}: not a comparison: {error!r}") from None
    return name, [read_folder(folder) for folder in folders]


def predicted_energy(run: Run) -> str | None:
    """The energy column that the run's oracle has, if any."""
    path = run.directory / "oracle.csv"
    if not path.exists():
        return None
    with path.open() as stream:
        columns = stream.readline().strip().split(",")
    return next((name for name in ("total", "kinetic") if name in columns), None)


def energy(run: Run, column: str | None, loaded: bool) -> Series:
    """The energy that is compared."""
    if column:
        return run.series("energy.csv", column)
    total = run.series("energy.csv", "total")
    if not loaded:
        return total
    return Series(total.t, total.value - run.series("energy.csv", "work_applied").value)


def label_of(column: str | None, loaded: bool) -> str:
    if column:
        return f"{column.capitalize()} energy [J]"
    return "Energy less applied work [J]" if loaded else "Total energy [J]"


def differences_shown(axes: Axes) -> tuple[float, float]:
    """Limits from round-off, or the lowest typical difference, to the largest."""
    values = [np.asarray(line.get_ydata(), dtype=float) for line in axes.get_lines()]
    high = max(value.max() for value in values)
    low = min(np.percentile(value, 5) for value in values)
    return max(ROUND_OFF, min(low, 1e-3 * high) / 10), max(10 * high, 1e3 * ROUND_OFF)


def draw(comparison: Path) -> tuple[Figure, list[Run]]:
    name, runs = read_comparison(comparison)
    column = predicted_energy(runs[0])
    loaded = any(np.any(run.series("energy.csv", "work_applied").value != 0.0) for run in runs)
    matplotlib.rcParams.update(style.RC)
    figure = Figure(figsize=(style.COLUMN_WIDTH, HEIGHT))
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    figure.subplots_adjust(left=0.185, right=0.97, bottom=0.4 / HEIGHT, hspace=0.12)

    curves = [energy(run, column, loaded) for run in runs]
    exact = [run.series("oracle.csv", column) for run in runs] if column else []
    size = max(np.abs(curve.value).max() for curve in curves + exact) or 1.0
    if exact:
        longest = max(exact, key=lambda series: series.t[-1])
        line = style.envelope(longest)
        above.plot(line.t, line.value, color="black", label="oracle", zorder=5, **style.EXACT)
    for number, (run, curve) in enumerate(zip(runs, curves)):
        reference = exact[number].value if exact else curve.value[0]
        difference = np.abs(curve.value - reference) / size
        apart = Series(curve.t, np.maximum(difference, ROUND_OFF))
        style.plot_named(above, curve, number, run.formulation)
        style.plot_named(below, apart, number, None)
    below.set_yscale("log")
    below.set_ylim(*differences_shown(below))
    low, high = (min(0.0, above.get_ylim()[0]), max(0.0, above.get_ylim()[1]))
    above.set(ylabel=label_of(column, loaded), ylim=(low, high + 0.05 * (high - low)))
    below.set(
        xlabel="Time [s]",
        ylabel="Off oracle [1]" if exact else "Relative change [1]",
        xlim=(0, max(curve.t[-1] for curve in curves)),
    )
    figure.align_ylabels()
    style.legend_above(above, extra=0.12)
    case = comparison.parent.name.replace("_", ", ")
    heading = name if case == "defaults" else f"{name}: {case}"
    figure.text(0.5, 1 - 0.02 / HEIGHT, heading, ha="center", va="top", fontsize=style.FONT_SIZE)
    return figure, runs


def main() -> int:
    title = __doc__.splitlines()[0]
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--comparison", type=Path, required=True, help="comparison.json")
    parser.add_argument("--out", type=Path, help="default: beside the comparison")
    arguments = parser.parse_args()
    try:
        figure, runs = draw(arguments.comparison)
    except RecordError as error:
        print(f"compare_energy: {error}", file=sys.stderr)
        return 2
    out = arguments.out or arguments.comparison.parent
    for path in style.write(figure, out, "energy", title, runs):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
