"""The look shared by all figures, and how they are written.

One journal column wide, 8 pt, colours of Okabe and Ito (2008) that colour-blind readers can tell
apart, and a marker per curve so that a grey print can still be read. The same inputs give the same
bytes: files carry no date, and say instead which runs and which commit they were drawn from.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Callable, NamedTuple, Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from records import RecordError, Run, Series, commits

COLUMN_WIDTH = 3.5  # [in]
PAGE_WIDTH = 7.16  # [in] two columns
FONT_SIZE = 8  # [pt]

# Okabe–Ito without its yellow, too faint on white paper; black is kept for exact solutions.
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
EXACT = {"linestyle": (0, (4, 2)), "linewidth": 0.6}

RC = {
    "font.family": "DejaVu Sans",  # ships with matplotlib: the same glyphs on every machine
    "font.size": FONT_SIZE,
    "axes.labelsize": FONT_SIZE,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": FONT_SIZE,
    "ytick.labelsize": FONT_SIZE,
    "legend.fontsize": FONT_SIZE,
    "legend.frameon": False,
    "lines.linewidth": 1.0,
    "lines.markersize": 3.5,
    "lines.markeredgewidth": 0.0,
    "pdf.fonttype": 42,  # TrueType, which journals ask for
    "savefig.dpi": 300,
}


class Curve(NamedTuple):
    """A drawn curve that wants a label beside its end."""

    end: float
    label: str
    colour: str
    marker: str


def new_figure(height: float) -> tuple[Figure, Axes]:
    """A figure one column wide, with room for labels at the right of its axes; height in inches.

    `legend_above` makes the room above the axes.
    """
    matplotlib.rcParams.update(RC)
    figure = Figure(figsize=(COLUMN_WIDTH, height))
    axes = figure.subplots()
    figure.subplots_adjust(left=0.115, right=0.82, bottom=0.4 / height)
    return figure, axes


def new_panels(rows: int, columns: int, height: float, **options) -> tuple[Figure, np.ndarray]:
    """Panels side by side over the width of a page; height in inches, options of subplots."""
    matplotlib.rcParams.update(RC)
    figure = Figure(figsize=(PAGE_WIDTH, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.02, h_pad=0.02, wspace=0.05, hspace=0.02)
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    return figure, axes


def legend_on_top(figure: Figure, *panels: Axes) -> None:
    """One legend above the figure, of the panels named, for which the others make room."""
    entries = [entry for axes in panels for entry in zip(*axes.get_legend_handles_labels())]
    handles, labels = zip(*entries)
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - 0.22 / figure.get_figheight()))
    look = {"columnspacing": 1.4, "handlelength": 2.0, "borderaxespad": 0.2}
    figure.legend(handles, labels, loc="upper center", ncol=len(labels), **look)


def envelope(series: Series, bins: int = 400) -> Series:
    """Thins a curve to the lowest and the highest sample of each bin, in their order.

    Taking every k-th sample would alias the ripple that a polygon's centre leaves in the energy as
    it rises and falls over each facet. A bin is about half a point wide on paper, less than a line,
    so the thinned curve covers the same ink.
    """
    count = len(series.t)
    if count <= 2 * bins:
        return series
    edges = np.linspace(0, count, bins + 1).astype(int)
    keep = {0, count - 1}
    for first, last in zip(edges[:-1], edges[1:]):
        part = series.value[first:last]
        keep |= {first + int(part.argmin()), first + int(part.argmax())}
    index = np.array(sorted(keep))
    return Series(series.t[index], series.value[index])


def plot_marked(axes: Axes, series: Series, number: int, label: str, markers: int = 5) -> Curve:
    """Draws a curve with the number-th colour and marker, to be labelled at its end.

    Markers sit between the start and the point where the curve has come down to its final value,
    staggered from curve to curve, so that neighbours do not hide each other.
    """
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    line = envelope(series)
    axes.plot(line.t, line.value, color=colour, zorder=3)
    above = np.flatnonzero(np.abs(series.value - series.value[-1]) > 0.01 * np.ptp(series.value))
    moving = above[-1] if len(above) else len(series.t) - 1
    index = (stagger(number, markers) * moving).astype(int)
    axes.plot(
        series.t[index],
        series.value[index],
        linestyle="none",
        color=colour,
        marker=marker,
        zorder=4,
    )
    return Curve(float(series.value[-1]), label, colour, marker)


def plot_open(axes: Axes, series: Series, number: int, label: str, markers: int = 5) -> None:
    """Draws a curve in black with the number-th marker, open, to be named in the legend."""
    line = envelope(series)
    marker = MARKERS[-1 - number % len(MARKERS)]
    look = {"color": "black", "markerfacecolor": "white", "markeredgewidth": 0.6, "markersize": 4.5}
    at = np.searchsorted(line.t, line.t[-1] * stagger(number, markers)).tolist()
    axes.plot(line.t, line.value, marker=marker, markevery=at, zorder=3, label=label, **look)


def plot_dots(axes: Axes, series: Series, number: int, label: str | None) -> None:
    """Draws the samples of a run that agrees with others: open markers, smaller from run to run."""
    axes.plot(
        series.t,
        series.value,
        linestyle="none",
        marker=MARKERS[number],
        markersize=6.5 - 1.8 * number,
        markerfacecolor="none" if number < 2 else COLOURS[number],
        markeredgecolor=COLOURS[number],
        markeredgewidth=0.8,
        label=label,
        zorder=4,
    )


def plot_named(axes: Axes, series: Series, number: int, label: str | None) -> None:
    """Draws a curve with the number-th colour and a few of its markers, to be named in the legend.

    Later curves are thinner and dashed differently, so that those below stay visible.
    """
    line = envelope(series)
    at = np.searchsorted(line.t, line.t[-1] * stagger(number, 5)).tolist()
    axes.plot(
        line.t,
        line.value,
        color=COLOURS[number % len(COLOURS)],
        marker=MARKERS[number % len(MARKERS)],
        markevery=at,
        linewidth=max(0.8, 2.0 - 0.3 * number),
        zorder=3 + 0.1 * number,
        label=label,
    )


def stagger(number: int, count: int) -> np.ndarray:
    """Evenly spaced fractions in (0, 1), shifted differently for neighbouring curves."""
    return (np.arange(count) + 0.2 + 0.6 * (number % 4) / 3) / count


def label_ends(axes: Axes, curves: Sequence[Curve], heading: str) -> None:
    """Writes each curve's label beside its end, moved apart where they would overlap.

    Curves are given in the order in which labels of equal ends are stacked, the lowest first. The
    axes' limits and place must be final.
    """
    spacing = 1.2 * FONT_SIZE  # [pt]
    height = axes.get_window_extent().height * 72 / axes.figure.dpi  # [pt]
    low, high = axes.get_ylim()
    ordered = sorted(curves, key=lambda curve: curve.end)  # stable
    ends = [(curve.end - low) / (high - low) for curve in ordered]
    places = spread([end * height for end in ends], spacing, height - spacing)
    outside = {"transform": axes.transAxes, "clip_on": False}
    for curve, end, place in zip(ordered, ends, places):
        y = place / height
        axes.plot([1.005, 1.04], [end, y], color=curve.colour, linewidth=0.4, **outside)
        axes.plot(1.055, y, color=curve.colour, marker=curve.marker, **outside)
        axes.text(1.08, y, curve.label, va="center_baseline", **outside)
    axes.text(1.04, (places[-1] + spacing) / height, heading, va="center_baseline", **outside)


def spread(wanted: Sequence[float], spacing: float, height: float) -> list[float]:
    """Moves ascending positions apart to the spacing, staying within [0, height] if they fit."""
    places = list(wanted)
    for i in range(1, len(places)):
        places[i] = max(places[i], places[i - 1] + spacing)
    limit = height
    for i in reversed(range(len(places))):
        places[i] = min(places[i], limit)
        limit = places[i] - spacing
    return places


def legend_above(axes: Axes, extra: float = 0.0) -> None:
    """The legend in two columns above the axes, which make room for it and `extra` inches more."""
    entries = len(axes.get_legend_handles_labels()[0])
    rows = (entries + 1) // 2
    height = axes.figure.get_figheight()
    axes.figure.subplots_adjust(top=1 - (0.1 + extra + 0.16 * rows) / height)
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(-0.17, 1.0),
        ncol=2,
        handlelength=2.0,
        columnspacing=1.2,
        handletextpad=0.5,
        borderaxespad=0.2,
        labelspacing=0.3,
    )


def write(figure: Figure, out: Path, name: str, title: str, runs: Sequence[Run]) -> list[Path]:
    """Writes NAME.pdf and NAME.png, each whole or not at all, with their provenance inside."""
    sources = "runs: " + " ".join(sorted(run.name for run in runs))
    commit = "commit: " + commits(runs)
    metadata = {
        "pdf": {
            "Title": title,
            "Subject": sources,
            "Keywords": commit,
            "Creator": "Touchstone",
            "CreationDate": None,
        },
        "png": {
            "Title": title,
            "Source": sources,
            "Comment": commit,
            "Software": "Touchstone",
        },
    }
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for kind, entries in metadata.items():
        target = out / f"{name}.{kind}"
        partial = out / f"{name}.{kind}.partial-{os.getpid()}"
        try:
            figure.savefig(partial, format=kind, metadata=entries)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
        written.append(target)
    return written


Draw = Callable[[Path], "tuple[Figure, list[Run]]"]


def main(script: str, documentation: str, draw: Draw) -> int:
    """The command line of a figure script: reads --results, writes to --out."""
    title = documentation.splitlines()[0]
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--results", type=Path, default=Path("results"), help="default: results")
    parser.add_argument("--out", type=Path, help="default: RESULTS/figures")
    arguments = parser.parse_args()
    name = Path(script).stem
    try:
        figure, runs = draw(arguments.results)
    except RecordError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    out = arguments.out or arguments.results / "figures"
    for path in write(figure, out, name, title, runs):
        print(path)
    return 0
