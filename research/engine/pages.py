"""The words of the report: what its pages show, computed from outcomes, and set by templates."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from research.engine import pictures, power, tables, verdicts
from research.engine.authors import PAPERS
from research.engine.findings import findings
from research.engine.runs import Outcome
from research.engine.series import times
from research.engine.verdicts import VERDICTS, Row

# How lines of Markdown begin that are not plain text; of some kinds every line is a block by itself.
_STARTS = ("<!--", "#", "|", "- ", "1. ", "**", "![", "`dpselect")
_ALONE = ("#", "**", "![")
TITLE = "The papers, reproduced and judged"
# The verdicts as heads of narrow columns.
_HEADS = ("reproduced", "without privacy", "other size", "depends", "refuted", "not comparable")
_MEANINGS = (
    ("as released", "a line with the set-up that made the printed numbers, as far as programs or logs tell it."),
    ("as described", "a line with the paper's text, corrected where it errs."),
    ("sound", "a line with what this library recommends for the same question."),
    ("reproduced", "we get the same number or sentence, from a mechanism whose loss is at most the stated epsilon."),
    (
        "reproduced, without privacy",
        "we get it from the set-up that made it, and that set-up loses more than the stated epsilon; each page "
        "says how much.",
    ),
    (
        "same direction, other size",
        "we get a gain where one is printed, or a saving, and it is larger or smaller than chance and rounding allow.",
    ),
    (
        "depends on unpublished data or choices",
        "it rests on something that we had to make up or that is not printed; the page shows how much other choices "
        "change it.",
    ),
    ("refuted", "the set-up is printed or known, and we still do not get the number."),
    ("not comparable", "something is missing that would decide it; the entry says what."),
)


def every_page(
    rows: Sequence[Row], outcomes: Sequence[Outcome], drawn: Mapping[str, str], facts: Any
) -> dict[str, str]:
    """Return the text of every page by file name.

    Args:
        rows: all claims. drawn: pictures as SVG, by experiment; empty where there is none.
        facts: ``how`` the run was made, and what is ``missing``.
    """
    papers = [_paper(code, rows, outcomes, drawn) for code in PAPERS if any(row.paper == code for row in rows)]
    first = {
        "title": TITLE,
        "verdicts": VERDICTS,
        "heads": _HEADS,
        "papers": papers,
        "total": len(rows),
        "counts": _counts(rows),
        "findings": findings(rows, outcomes),
        "meanings": _MEANINGS,
        "refuted": [
            (f"{PAPERS[row.paper].authors}, {row.item}", row.claim, row.printed, row.ours)
            for row in rows
            if row.verdict == "refuted"
        ],
        "winners": [line for outcome in outcomes if (line := _winner(outcome))],
        **facts,
    }
    pages = {}
    for ending in ("html", "md"):
        name = "{}.html" if ending == "html" else "{}.md.jinja"
        pages[f"report.{ending}"] = _set(name.format("report"), first)
        for paper in papers:
            content = {"title": TITLE, "verdicts": VERDICTS, "heads": _HEADS, "paper": paper}
            pages[f"{paper['slug']}.{ending}"] = _set(name.format("paper"), content)
    return pages


def clock(seconds: float) -> str:
    """Return a time as people say it."""
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"


def _paper(code: str, rows: Sequence[Row], outcomes: Sequence[Outcome], drawn: Mapping[str, str]) -> dict[str, Any]:
    theirs = [row for row in rows if row.paper == code]
    ours = [each for each in outcomes if each.experiment.paper == code]
    items = [
        (item, str(len(of)), *map(str, _counts(of)))
        for item in dict.fromkeys(row.item for row in theirs)
        if (of := [row for row in theirs if row.item == item])
    ]
    unrepeated = [(row.item, row.claim, row.printed, row.why) for row in theirs if row.why.startswith("not repeated")]
    return {
        **PAPERS[code]._asdict(),
        "total": len(theirs),
        "counts": _counts(theirs),
        "lines": items,
        "sections": [_section(each, rows, drawn.get(each.experiment.name, "")) for each in ours],
        "unrepeated": unrepeated,
    }


def _section(outcome: Outcome, rows: Sequence[Row], picture: str) -> dict[str, Any]:
    each, results = outcome.experiment, outcome.results
    sentences = {claim.text for claim in each.claims}
    ours = [row for row in rows if (row.paper, row.item) == (each.paper, each.item)]
    ours = [row for row in ours if not row.why.startswith("not repeated")]
    rules = [f"Tolerance {verdicts.figure(each.tolerance)}: {each.tolerance_because}."] if each.tolerance else []
    if each.printed:
        rules.append(" ".join(filter(None, [verdicts.allowance(each), power.sentence(outcome)])))
    notes = [*outcome.notes]
    if outcome.skipped:
        notes.append(f"Skipped, not in the data folder: {', '.join(outcome.skipped)}.")
    return {
        "name": each.name,
        "kind": each.kind,
        "item": each.item,
        "title": each.title.removesuffix("."),
        "verdict": verdicts.sentence(outcome),
        "picture": picture,
        "message": " ".join(filter(None, [verdicts.message(outcome), _left_out(outcome)])),
        "sentences": [(r.claim, r.printed, r.ours, r.verdict, r.why) for r in ours if r.claim in sentences],
        "remark": each.remark,
        "method": each.method,
        "rules": rules,
        "losses_on": each.losses_on,
        "losses": [
            (series.name, series.kind, times(loss))
            for series in each.series
            if (loss := results.loss(series.name)) is not None
        ],
        "sheets": tables.sheets(each, results),
        "joint": [test.cells() for test in power.line_tests(each, results)],
        "joint_head": power.HEAD,
        "numbers": [(r.claim, r.printed, r.ours, r.verdict, r.why) for r in ours if r.claim not in sentences],
        "notes": notes,
        "clock": clock(outcome.seconds),
    }


def _left_out(outcome: Outcome) -> str:
    """Return how many lines a picture leaves out, in a sentence."""
    each, results = outcome.experiment, outcome.results
    panels = pictures.panels(each, results)
    every = {name for panel in panels for name in results.series(panel)}
    shown = pictures.shown(each, results, panels)
    return (
        f"{len(shown)} of {len(every)} lines are drawn; the others are among the numbers." if every - {*shown} else ""
    )


def _counts(rows: Iterable[Row]) -> list[int]:
    counted = Counter(row.verdict for row in rows)
    return [counted[verdict] for verdict in VERDICTS]


def _winner(outcome: Outcome) -> tuple[str, str, str] | None:
    each = outcome.experiment
    ranked = verdicts.best(each, outcome.results) if each.task else []
    if not ranked:
        return None
    rank = ranked[0][1]
    task = f"{each.task} ({PAPERS[each.paper].authors}, {each.item})"
    level = [name for name, place in ranked if f"{place:.1f}" == f"{rank:.1f}"]
    then = ranked[len(level) : len(level) + 1]
    second = "".join(f"{other} ({place:.1f})" for other, place in then)
    return task, f"{' and '.join(level)}, mean rank {rank:.1f} of {len(ranked)}", second


@cache
def _templates() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=PackageLoader(__package__, "templates"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["kind"] = lambda verdict: verdict.replace(",", "").replace(" ", "-")
    environment.filters["cell"] = _escaped
    return environment


def _set(name: str, content: Mapping[str, Any]) -> str:
    text = str(_templates().get_template(name).render(content))
    return _apart(text) if name.endswith(".md.jinja") else text


def _apart(text: str) -> str:
    """Return Markdown with one empty line between blocks of different kinds, and none within a table or list."""
    result: list[str] = []
    last = ""
    for line in text.splitlines():
        kind = next((start for start in _STARTS if line.startswith(start)), "text") if line.strip() else ""
        if kind and last and (kind != last or kind in _ALONE):
            result.append("")
        if kind:
            result.append(line.rstrip())
            last = kind
        elif last in ("text", ""):
            last = ""
            result.append("")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(result).strip()) + "\n"


def _escaped(text: object) -> str:
    safe = html.escape(str(text), quote=False)
    return safe.replace("|", "\\|").replace("\n", " ").replace("_", "\\_").replace("*", "\\*")
