"""The report: one HTML file without external parts, and the same in Markdown with pictures beside it."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from pathlib import Path

from dpselect.studies.engine import data, pictures, tables, verdicts
from dpselect.studies.engine.experiment import Effort, NotReproduced, Printed
from dpselect.studies.engine.journal import replace
from dpselect.studies.engine.runs import Outcome
from dpselect.studies.engine.verdicts import Row

TITLE = "The papers, reproduced and judged"
_TITLES = {
    "000": "Chaves 2024, Smooth Noisy Max",
    "001": "Farias 2021, Local dampening",
    "002": "Yamamoto and Shibuya 2024, Smooth private selection",
    "003": "Farias et al., Multi-objective selection: Pareto and aggregation",
    "004": "Imola and Yang 2018, Jostle: algorithmic choice",
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
                result.setdefault(name, []).append(f"{outcome.experiment.paper} {outcome.experiment.item}")
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
            "taken up from earlier runs" if taken_up else f"{_clock(self.seconds)} on the clock since the last start"
        )
        return (
            f"Run “{self.effort.name}” ({aim}, at most {self.effort.most} repetitions of a slow measurement), "
            f"{len(self.outcomes)} experiments, {_clock(spent)} of processor time in all, {clock}."
        )


def write(report: Report, folder: Path) -> tuple[Path, Path]:
    """Write ``report.html``, ``report.md`` and ``pictures/``; return the paths of the first two.

    Raises:
        OSError: the disk is full, with what to do.
    """
    drawn = {each.experiment.name: pictures.svg(each.experiment, each.results) for each in report.outcomes}
    for name, picture in drawn.items():
        if picture:
            replace(folder / "pictures" / f"{name}.svg", picture.encode())
    replace(folder / "report.html", page(report, drawn).encode())
    replace(folder / "report.md", markdown(report, drawn).encode())
    return folder / "report.html", folder / "report.md"


def summary(report: Report) -> list[tuple[str, list[str]]]:
    """Return the one-page summary: headings with sentences below them."""
    rows = report.rows()
    counted = Counter(row.verdict for row in rows)
    totals = "; ".join(f"{number} {verdict}" for verdict, number in counted.most_common())
    met, refuted = ([_told(row) for row in _sentences(report, verdict)] for verdict in ("reproduced", "refuted"))
    parts = [
        (f"{len(rows)} printed claims: {totals}", [_numbers(outcome) for outcome in report.outcomes]),
        ("Claims met", met or ["None."]),
        ("Claims refuted", refuted or ["None."]),
        ("Best mechanism per task", [line for each in report.outcomes if (line := _winner(each))]),
    ]
    missing = [f"{name}: {', '.join(items)}" for name, items in report.skipped().items()]
    if missing:
        parts.append(("Not in the data folder, skipped", [*missing, data.WHERE]))
    return parts


def page(report: Report, drawn: dict[str, str]) -> str:
    """Return the report as one HTML file."""
    parts = [_HEAD, f"<h1>{TITLE}</h1>", f"<p>{_safe(report.how())}</p>"]
    for heading, lines in summary(report):
        parts += [f"<h3>{_safe(heading)}</h3>", "<ul>", *(f"<li>{_safe(line)}</li>" for line in lines), "</ul>"]
    for paper, title in _TITLES.items():
        outcomes = [each for each in report.outcomes if each.experiment.paper == paper]
        if outcomes:
            parts.append(f"<h2>{paper}: {_safe(title)}</h2>")
        for outcome in outcomes:
            parts += _section(outcome, drawn[outcome.experiment.name])
    head = ("paper", "item", "claim", "printed", "ours", "verdict", "why")
    cells = [(r.paper, r.item, r.claim, r.printed, r.ours, r.verdict, r.why) for r in report.rows()]
    parts += ["<h2 id='claims'>Every numeric claim</h2>", _table(head, cells), "</main></body></html>"]
    return "\n".join(parts)


def markdown(report: Report, drawn: dict[str, str]) -> str:
    """Return the report as Markdown; pictures are files in ``pictures/``."""
    parts = [
        f"# {TITLE}",
        f"{report.how()}\nMade by `dpselect reproduce`; `dpselect reproduce --help` says how to run it.",
    ]
    for heading, lines in summary(report):
        parts += [f"## {_escaped(heading)}", "\n".join(f"- {_escaped(line)}" for line in lines)]
    for outcome in report.outcomes:
        each = outcome.experiment
        parts += [f"## {each.paper}, {each.item}", f"{_escaped(each.title)}\n{_escaped(each.method)}"]
        parts.append(f"**{_escaped(verdicts.sentence(outcome))}**")
        if each.remark:
            parts.append(_escaped(each.remark))
        if drawn[each.name]:
            parts.append(f"![{_escaped(each.title)}](pictures/{each.name}.svg)")
        parts += [_escaped(note) for note in outcome.notes]
        parts.append(f"`dpselect reproduce {each.name}`, {_clock(outcome.seconds)} of processor time.")
    rows = ["| paper | item | claim | printed | ours | verdict | why |", "|---|---|---|---|---|---|---|"]
    for r in report.rows():
        cells = (r.paper, r.item, r.claim, r.printed, r.ours, r.verdict, r.why)
        rows.append("| " + " | ".join(_escaped(cell) for cell in cells) + " |")
    return "\n\n".join([*parts, "## Every numeric claim", "\n".join(rows)]) + "\n"


def _section(outcome: Outcome, picture: str) -> list[str]:
    each = outcome.experiment
    parts = [
        f"<section id='{each.name}'><h3>{_safe(each.item)}. {_safe(each.title)}</h3>",
        f"<p class='verdict'>{_safe(verdicts.sentence(outcome))}</p>",
        f"<p>{_safe(each.method)}</p>",
    ]
    if each.tolerance:
        parts.append(f"<p>Tolerance {verdicts.figure(each.tolerance)}: {_safe(each.tolerance_because)}.</p>")
    if each.remark:
        parts.append(f"<p>{_safe(each.remark)}</p>")
    sheets = [
        f"<h4>{_safe(sheet.title)}</h4>{_table(sheet.head, sheet.rows)}"
        for sheet in tables.sheets(each, outcome.results)
    ]
    drawing = f"<figure>{picture}</figure>" if picture else ""
    if each.kind == "table":
        parts += [*sheets, drawing]
    else:
        parts += [drawing, f"<details><summary>The numbers</summary>{''.join(sheets)}</details>" if sheets else ""]
    claims = [row for row in verdicts.rows(outcome) if row.claim in {claim.text for claim in each.claims}]
    if claims:
        cells = [(row.claim, row.printed, row.ours, row.verdict, row.why) for row in claims]
        parts.append(_table(("claim", "printed", "ours", "verdict", "why"), cells))
    parts += [f"<p class='note'>{_safe(note)}</p>" for note in outcome.notes]
    if outcome.skipped:
        parts.append(f"<p class='note'>Skipped, not in the data folder: {_safe(', '.join(outcome.skipped))}.</p>")
    parts.append(f"<p class='time'>dpselect reproduce {each.name}: {_clock(outcome.seconds)} of processor time.</p>")
    return [*parts, "</section>"]


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


def _sentences(report: Report, verdict: str) -> list[Row]:
    texts = {
        (o.experiment.paper, o.experiment.item, claim.text) for o in report.outcomes for claim in o.experiment.claims
    }
    return [row for row in report.rows() if row.verdict == verdict and (row.paper, row.item, row.claim) in texts]


def _numbers(outcome: Outcome) -> str:
    return f"{outcome.experiment.paper} {outcome.experiment.item}: {verdicts.sentence(outcome)}"


def _told(row: Row) -> str:
    return f"{row.paper} {row.item}: {row.claim} (printed {row.printed}; ours {row.ours})"


def _winner(outcome: Outcome) -> str:
    ranked = verdicts.best(outcome.experiment, outcome.results) if outcome.experiment.task else []
    if not ranked:
        return ""
    name, rank = ranked[0]
    second = f", then {ranked[1][0]} ({ranked[1][1]:.1f})" if len(ranked) > 1 else ""
    each = outcome.experiment
    return f"{each.task} ({each.paper} {each.item}): {name}, mean rank {rank:.1f} of {len(ranked)}{second}"


def _clock(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    heads = "".join(f"<th>{_safe(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(_cell(cell) for cell in row) + "</tr>" for row in rows)
    return f"<div class='wide'><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"


def _cell(text: str) -> str:
    kind = text.replace(",", "").replace(" ", "-") if text in verdicts.VERDICTS else ""
    return f"<td class='{kind}'>{_safe(text)}</td>" if kind else f"<td>{_safe(text)}</td>"


def _safe(text: str) -> str:
    return html.escape(text)


def _escaped(text: str) -> str:
    return html.escape(text, quote=False).replace("|", "\\|").replace("\n", " ").replace("_", "\\_").replace("*", "\\*")


_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>The papers, reproduced and judged</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; margin: 0; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem; }
h1 { line-height: 1.2; } h2 { border-bottom: 2px solid #333; margin-top: 3rem; } h4 { margin: 1rem 0 .3rem; }
section { margin: 2rem 0 3rem; } figure { margin: 1rem 0; overflow-x: auto; } svg { max-width: 100%; height: auto; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .82rem; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #ddd; padding: .2rem .5rem; text-align: left; vertical-align: top; }
td { white-space: pre-wrap; } td:first-child { min-width: 3rem; } th { border-bottom: 2px solid #555; }
.verdict { font-weight: 600; } .note, .time { color: #555; font-size: .85rem; }
.reproduced { font-weight: 600; color: #0b5d1e; } .refuted { font-weight: 600; color: #a01c1c; }
.not-comparable, .not-reproduced { color: #555; font-style: italic; }
/* What is folded on the screen is on paper. */
@media print { details::details-content { content-visibility: visible; } }
</style></head><body><main>"""
