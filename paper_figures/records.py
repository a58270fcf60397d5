"""Reads run directories (results/README.md). A figure takes its numbers from here only."""

from __future__ import annotations

import csv
import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Iterator

import numpy as np


class RecordError(Exception):
    """A record that a figure needs is missing or cannot be used; the message says what to do."""


def number(cell: str) -> float:
    """The number in a cell of a table; NaN for an empty cell."""
    return float(cell) if cell else math.nan


@dataclass(frozen=True)
class Series:
    """One quantity over time."""

    t: np.ndarray  # [s]
    value: np.ndarray

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter((self.t, self.value))


@dataclass(frozen=True)
class Run:
    """One run directory: one formulation, one set of parameters."""

    name: str  # its path below the results folder: STUDY/FORMULATION/KEY=VALUE_KEY=VALUE
    directory: Path
    formulation: str | None  # None: computed by the study itself, STUDY/KEY=VALUE_KEY=VALUE
    parameters: dict[str, float]
    commit: str

    def series(self, file: str, column: str) -> Series:
        """The column of a CSV file of this run, against its column t."""
        return Series(*self.columns(file, "t", column))

    def columns(self, file: str, *names: str, missing: bool = False) -> np.ndarray:
        """The named columns of a CSV file of this run, one row of the result each.

        An empty cell is an error unless missing values are expected, which read as NaN.
        """
        path = self.directory / file
        try:
            with path.open() as stream:
                header = stream.readline().strip().split(",")
                used = [header.index(name) for name in names]
                converters = dict.fromkeys(used, number) if missing else None
                return np.loadtxt(
                    stream,
                    delimiter=",",
                    usecols=used,
                    unpack=True,
                    ndmin=2,
                    converters=converters,
                    encoding="utf-8",
                )
        except FileNotFoundError:
            raise RecordError(f"missing file: {path}") from None
        except ValueError as error:
            raise RecordError(f"{path}: no usable columns {', '.join(names)}: {error}") from None

    def summary(self) -> dict:
        """The measures of the run."""
        path = self.directory / "summary.json"
        try:
            return json.loads(path.read_text())
        except (FileNotFoundError, json.JSONDecodeError) as error:
            raise RecordError(f"{path}: {error}") from None

    def contact(self, contact: str, column: str) -> Series:
        """A column of contacts.csv for one contact; 0 at the steps that do not list it."""
        path = self.directory / "contacts.csv"
        steps = self.series("trajectory.csv", "t").t[1:]
        values = dict.fromkeys(steps.tolist(), 0.0)
        try:
            with path.open(newline="") as stream:
                for row in csv.DictReader(stream):
                    if row["contact"] == contact:
                        values[float(row["t"])] = float(row[column])
        except (FileNotFoundError, KeyError, ValueError) as error:
            raise RecordError(f"{path}: no usable column {column}: {error!r}") from None
        return Series(np.array(list(values)), np.array(list(values.values())))

    def contact_modes(self, contact: str) -> list[tuple[float, str]]:
        """The end of each step that lists the contact, and its mode."""
        with (self.directory / "contacts.csv").open(newline="") as stream:
            rows = [row for row in csv.DictReader(stream) if row["contact"] == contact]
        return [(float(row["t"]), row["mode"]) for row in rows]

    def events(self) -> list[dict]:
        """The events of summary.json: t [s], contact, kind."""
        return json.loads((self.directory / "summary.json").read_text())["events"]


def read_folder(folder: Path, name: str | None = None) -> Run:
    """Reads one run directory; `name` is how figures call it (default: its last three folders)."""
    path = folder / "run.json"
    name = name or "/".join(folder.resolve().parts[-3:])
    try:
        record = json.loads(path.read_text())
        run = Run(name, folder, record["formulation"], record["parameters"], record["commit"])
        if record["status"] != "completed":
            print(f"note: {name} has status {record['status']}", file=sys.stderr)
    except FileNotFoundError:
        raise RecordError(f"missing run directory: {folder}") from None
    except (json.JSONDecodeError, KeyError) as error:
        raise RecordError(f"{path}: not a run record: {error!r}") from None
    return run


def read_run(results: Path, study: str, formulation: str | None, case: str) -> Run:
    """Reads RESULTS/STUDY/FORMULATION/CASE; its absence is an error that names the remedy.

    A computed case has no formulation (None) and lies at RESULTS/STUDY/CASE.
    """
    name = f"{study}/{formulation}/{case}" if formulation else f"{study}/{case}"
    folder = results / name
    if not (folder / "run.json").exists():
        raise RecordError(
            f"missing run directory: {folder}\n  make it with: ./touchstone run {study}"
        )
    return read_folder(folder, name)


def cases(results: Path, study: str, formulation: str, pattern: str) -> Iterator[str]:
    """The names of the formulation's run directories that match a glob pattern."""
    for path in sorted((results / study / formulation).glob(f"{pattern}/run.json")):
        yield path.parent.name


def formulations(results: Path, study: str) -> list[str]:
    """The formulations that have been run on the study."""
    return sorted(path.name for path in (results / study).glob("*") if path.is_dir())


def commits(runs: Iterable[Run]) -> str:
    """The commits that made the runs, one word each."""
    return " ".join(sorted({run.commit for run in runs}))
