"""The report: a first page and a page for each paper, as HTML and as Markdown, with every claim in one csv file."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from pathlib import Path

from research.engine import data, pages, pictures, verdicts
from research.engine.authors import PAPERS
from research.engine.experiment import Effort, Experiment, NotReproduced, Printed
from research.engine.journal import replace
from research.engine.runs import Outcome
from research.engine.verdicts import Row

# Every file that a report may write beside its pictures.
FILES = (
    "report.html",
    "report.md",
    "claims.csv",
    *(f"{paper.slug}.{ending}" for paper in PAPERS.values() for ending in ("html", "md")),
)


_COLUMNS = ("paper", "item", "claim", "printed", "ours", "verdict", "why")
_MARKS = {
    ".html": (b'<meta name="generator" content="python -m research reproduce">',),
    ".md": (b"<!-- Made by python -m research reproduce. -->",),
    ".csv": (",".join(_COLUMNS).encode(),),
    ".svg": tuple(f'<svg role="img" aria-label="{paper.authors}, '.encode() for paper in PAPERS.values()),
}


@dataclass(frozen=True)
class Report:
    """Everything a report shows: outcomes, claims nobody repeats, the effort, and seconds on the clock."""

    outcomes: Sequence[Outcome]
    not_reproduced: Sequence[NotReproduced]
    effort: Effort
    seconds: float

    def rows(self) -> list[Row]:
        """Return every claim with its verdict, in order of the papers."""
        result = [row for outcome in self.outcomes for row in _rows(outcome)]
        return sorted([*result, *verdicts.not_reproduced(self.not_reproduced)], key=lambda row: row.paper)

    def skipped(self) -> dict[str, list[str]]:
        """Return the datasets that are not in the folder, with the items they were for."""
        result: dict[str, list[str]] = {}
        for outcome in self.outcomes:
            for name in outcome.skipped:
                result.setdefault(name, []).append(
                    f"{PAPERS[outcome.experiment.paper].authors}, {outcome.experiment.item}"
                )
        return result

    def how(self) -> str:
        """Return what was run, in one sentence."""
        spent = sum(outcome.seconds for outcome in self.outcomes)
        aim = {"paper": "the papers' numbers of runs"}.get(
            self.effort.name, f"a standard error of {self.effort.target:g}"
        )
        # Where almost all of it was taken up from before, the clock says nothing about the work.
        taken_up = 100 * self.seconds < spent
        clock = (
            "taken up from earlier runs"
            if taken_up
            else f"{pages.clock(self.seconds)} on the clock since the last start"
        )
        return (
            f"Run “{self.effort.name}” ({aim}, at most {self.effort.most} repetitions of a slow measurement), "
            f"{len(self.outcomes)} experiments, {pages.clock(spent)} of processor time in all, {clock}."
        )


def made_here(path: Path) -> bool:
    """Return whether a file is one that a report wrote, and may be replaced: by the mark that each begins with."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        begins = file.read(400)
    return any(mark in begins for mark in _MARKS.get(path.suffix, ()))


def somebody_elses(folder: Path, experiments: Sequence[Experiment]) -> Path | None:
    """Return a file in the place of one that a report on these experiments writes, and that no report made."""
    names = [*FILES, *(f"pictures/{each.name}.svg" for each in experiments)]
    return next((folder / name for name in names if (folder / name).exists() and not made_here(folder / name)), None)


def write(report: Report, folder: Path) -> tuple[Path, Path]:
    """Write the pages, ``pictures/`` and ``claims.csv``; return the paths of the first pages, HTML and Markdown.

    Raises:
        OSError: the disk is full, with what to do.
    """
    drawn = {each.experiment.name: pictures.svg(each.experiment, each.results) for each in report.outcomes}
    rows = report.rows()
    missing = [f"{name}: {', '.join(items)}" for name, items in report.skipped().items()]
    facts = {"how": report.how(), "missing": [*missing, data.WHERE] if missing else []}
    made = pages.every_page(rows, report.outcomes, drawn, facts)
    for name, text in made.items():
        replace(folder / name, text.encode())
    # A page of another run, on papers that this one leaves out, would tell another story.
    for name in {*FILES} - {*made, "claims.csv"}:
        if made_here(folder / name):
            (folder / name).unlink()
    replace(folder / "claims.csv", _claims(rows).encode())
    for name, picture in drawn.items():
        if picture:
            replace(folder / "pictures" / f"{name}.svg", picture.encode())
    return folder / "report.html", folder / "report.md"


def _claims(rows: Sequence[Row]) -> str:
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for row in rows:
        writer.writerow((PAPERS[row.paper].authors, row.item, row.claim, row.printed, row.ours, row.verdict, row.why))
    return sink.getvalue()


def _rows(outcome: Outcome) -> list[Row]:
    """Return the claims of an experiment; printed numbers with the name of what stands along x."""
    rows, each = verdicts.rows(outcome), outcome.experiment
    first = len(each.claims)
    named = [changed(row, claim=_place(outcome, p)) for row, p in zip(rows[first:], each.printed, strict=True)]
    return [*rows[:first], *named]


def _place(outcome: Outcome, place: Printed) -> str:
    each, name = outcome.experiment, f"{place.panel}: {place.series}"
    # Facts of a dataset stand at x = 0, and what does not depend on x is printed at one x only.
    if not place.x or _constant(outcome, place):
        return name
    return f"{name} at {each.x_label} = {verdicts.figure(place.x)}" if each.x_label else name


def _constant(outcome: Outcome, place: Printed) -> bool:
    lines: dict[str, list[float]] = {}
    for point in outcome.results.points:
        if point.series == place.series:
            lines.setdefault(point.panel, []).append(point.value)
    here = [each for each in outcome.experiment.printed if (each.panel, each.series) == (place.panel, place.series)]
    # Judged by all datasets, so that one that is not here is called like the others.
    return (
        len(here) == 1
        and max(map(len, lines.values()), default=0) > 1
        and all(len(set(v)) == 1 for v in lines.values())
    )
