"""Performance profiles of solvers (Dolan and Moré 2002), one panel per problem class.

ρ(τ) is the share of the problems that a solver solves within τ times the time of the fastest one,
every answer held to the same residual by the referee. Failures never count, so that a curve ends at
the solver's share of solved problems. Solvers that give another's answers bit for bit share its
curve; those that cannot be ranked, solve nothing or are not installed are named below the panels.

usage: performance_profile.py PROFILE [--out DIR], with the folder that `touchstone profile` wrote.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import textwrap
from pathlib import Path

import matplotlib
import numpy as np
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from records import RecordError, Run

LINES = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)))
WIDTH, PANEL, ENTRY, NOTE = 7.0, 2.7, 0.155, 0.135  # [in] two columns; panel; legend and note lines


def read_csv(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(newline="") as stream:
            return list(csv.DictReader(stream))
    except FileNotFoundError:
        raise RecordError(f"missing file: {path}\n  make it with: ./touchstone profile") from None


def label(solver: dict[str, str], solvers: list[dict[str, str]]) -> str:
    """The solver and those that share its curve."""
    twins = [s["solver"] for s in solvers if s["twin_of"] == solver["solver"]]
    shown = [solver["solver"], *twins[:1]]
    return " = ".join(shown) + (f" (+{len(twins) - 1})" if len(twins) > 1 else "")


def draw_class(
    axes: Axes, name: str, solvers: list[dict[str, str]], rows: list[dict[str, str]], common: int
) -> None:
    ranked = [s for s in solvers if s["ranked"] == "1" and int(s["solved"]) > 0]
    ratios = {
        s["solver"]: np.sort(
            [
                float(row["ratio"])
                for row in rows
                if row["class"] == name and row["solver"] == s["solver"] and row["ratio"]
            ]
        )
        for s in ranked
    }
    ranked = [s for s in ranked if len(ratios[s["solver"]])]
    limit = 2.0 * max((float(r[-1]) for r in ratios.values() if len(r)), default=10.0)
    for number, solver in enumerate(ranked):
        r = ratios[solver["solver"]]
        x = np.concatenate([[1.0], r, [limit]])
        y = np.concatenate([[np.sum(r <= 1.0)], np.arange(1, len(r) + 1), [len(r)]]) / common
        y[1:-1] = np.maximum(y[1:-1], y[0])
        colour = style.COLOURS[number % len(style.COLOURS)]
        marker = style.MARKERS[number % len(style.MARKERS)]
        dash = LINES[number // len(style.COLOURS) % len(LINES)]
        axes.step(x, y, where="post", color=colour, linestyle=dash, linewidth=1.0)
        places = limit ** style.stagger(number, 4)
        places = places[places >= r[0]]  # none on the axis
        heights = [np.sum(r <= place) / common for place in places]
        axes.plot(places, heights, linestyle="none", color=colour, marker=marker, zorder=4)
        axes.plot(
            [],
            [],
            color=colour,
            linestyle=dash,
            marker=marker,
            label=label(solver, solvers),
        )
    axes.set_xscale("log")
    axes.set(xlim=(1.0, limit), ylim=(0.0, 1.02))
    axes.set_xlabel("Time ratio to the fastest solver, τ")
    axes.set_ylabel("Share of problems, ρ(τ)")
    axes.set_title(f"{name}, {common} problems", fontsize=style.FONT_SIZE, loc="left")
    axes.legend(
        loc="upper left", bbox_to_anchor=(1.02, 1.02), borderaxespad=0.0, labelspacing=0.3,
        handlelength=2.6,
    )


def notes(name: str, solvers: list[dict[str, str]]) -> list[str]:
    """What the panel leaves out, and why."""
    failed = [s["solver"] for s in solvers if int(s["solved"]) == 0 and int(s["tried"]) > 0]
    unranked = [s["solver"] for s in solvers if s["remark"].startswith("not ranked: 0 iter")]
    lines = []
    if failed:
        lines.append(f"{name}: solve none: {', '.join(failed)}")
    if unranked:
        lines.append(f"{name}: not ranked, they report 0 iterations: {', '.join(unranked)}")
    return lines


def draw(folder: Path) -> tuple[Figure, list[Run]]:
    try:
        about = json.loads((folder / "profile.json").read_text())
    except (FileNotFoundError, json.JSONDecodeError) as error:
        raise RecordError(f"{folder}: not a profile: {error}") from None
    rows, summary = read_csv(folder / "rows.csv"), read_csv(folder / "solvers.csv")
    classes = [name for name, count in about["common_problems"].items() if count > 0]
    if not classes:
        raise RecordError(f"{folder}: no problem that every solver was tried on")
    lines = [n for c in classes for n in notes(c, [s for s in summary if s["class"] == c])]
    if about.get("unavailable"):
        lines.append(f"not installed: {', '.join(about['unavailable'])}")
    settings = about["settings"]
    lines.append(
        f"natural residual ≤ {settings['tolerance']:g}"
        + (f" + {settings['relative']:g}‖q‖" if settings["relative"] else "")
        + "; times: least of repeated calls, child processes without their start"
    )
    lines = [part for line in lines for part in textwrap.wrap(line, 125)]
    heights = []
    for name in classes:
        curves = sum(s["class"] == name and s["ranked"] == "1" for s in summary)
        heights.append(max(PANEL, 0.55 + ENTRY * curves))
    foot = 0.1 + NOTE * len(lines)
    matplotlib.rcParams.update(style.RC)
    total = sum(heights) + foot
    figure = Figure(figsize=(WIDTH, total))
    top = total
    for name, height in zip(classes, heights):
        box = (0.075, (top - height + 0.45) / total, 0.56, (height - 0.7) / total)
        axes = figure.add_axes(box)
        solvers = [s for s in summary if s["class"] == name]
        draw_class(axes, name, solvers, rows, about["common_problems"][name])
        top -= height
    for k, line in enumerate(lines):
        figure.text(0.02, (foot - 0.1 - NOTE * k) / total, line, fontsize=6.5, va="top")
    return figure, [Run(folder.name, folder, "", {}, about["commit"])]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("profile", type=Path, help="the folder of a profile")
    parser.add_argument("--out", type=Path, help="default: the same folder")
    arguments = parser.parse_args()
    try:
        figure, runs = draw(arguments.profile)
    except RecordError as error:
        print(f"performance_profile: {error}", file=sys.stderr)
        return 2
    out = arguments.out or arguments.profile
    for path in style.write(figure, out, "performance_profile", __doc__.splitlines()[0], runs):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
