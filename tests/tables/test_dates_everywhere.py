"""Dates have the same counts and answers whatever holds them: as dates, as moments, and as text."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import Counter, defaultdict
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpselect as dps
from dpselect.data import Periods, TableFile
from dpselect.sources.public_names import PublicNames
from dpselect.views.row_question import RowQuestion
from dpselect.views.row_source import RowSource
from dpselect.views.table_counts import table_histograms
from tests.tables.containers import CONTAINERS, Columns

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
FIRST, LAST = date(2023, 11, 15), date(2025, 2, 10)
KINDS = ("on", "at", "text")


def admissions(rows: int = 300) -> Columns:
    """Rows with a date, the same as a moment and as text, at the edges of periods, outside, and missing."""
    rng = np.random.default_rng(5)
    on: list[Any] = [date(2023, 8, 1) + timedelta(days=each) for each in rng.integers(0, 700, rows).tolist()]
    on[:8] = [
        date(2024, 2, 29), date(2023, 12, 31), date(2024, 1, 1), date(2024, 12, 30), FIRST, LAST,
        date(1200, 3, 1), date(9999, 12, 31),
    ]  # fmt: skip
    on[9] = on[100] = None
    minutes = rng.integers(0, 24 * 60, rows).tolist()
    at = [
        None if each is None else datetime(each.year, each.month, each.day) + timedelta(minutes=more)
        for each, more in zip(on, minutes, strict=True)
    ]
    text = [None if each is None else str(each) for each in on]
    text[20:24] = ["2023-02-30", "soon", "2024-3-1", "0000-00-00"]
    return {
        "on": on, "at": at, "text": text, "job": rng.choice(["cook", "nurse", "smith"], rows).tolist(),
        "who": rng.integers(0, 60, rows).tolist(),
    }  # fmt: skip


ROWS = admissions()
JOBS = PublicNames.of(["nurse", "cook"], "domain")


def questions(column: str) -> dict[str, RowQuestion]:
    """Questions about a column of dates."""
    every = {step: Periods.between(FIRST, LAST, step) for step in ("day", "week", "month", "quarter", "year")}
    listed = {f"counts by {step}": RowQuestion(column, periods) for step, periods in every.items()}
    moved = {f"places by {step}": RowQuestion(column, periods.moving()) for step, periods in every.items()}
    return listed | moved | {
        "groups": RowQuestion("job", JOBS, column, every["quarter"]),
        "groups and persons": RowQuestion("job", JOBS, column, every["month"], "who", 2),
        "persons": RowQuestion(column, every["week"].moving(), person="who", per_person=1),
    }  # fmt: skip


@cache
def expected(kind: str, name: str) -> list[dict[int, int]]:
    """Counts of a question by the rule, which are the same for every container."""
    return by_the_rule(questions(kind)[name])


@cache
def starts(periods: Periods) -> list[date]:
    """First days of all periods."""
    return [periods.start(place) for place in range(len(periods))]


def by_the_rule(question: RowQuestion) -> list[dict[int, int]]:
    """Counts of the rows, one by one."""
    held: dict[Any, list[tuple[Any, ...]]] = defaultdict(list)
    for row in range(len(ROWS["who"])):
        place = _place(question.cells, ROWS[question.column][row])
        group = 0 if question.groups is None else _place(question.groups, ROWS[question.by][row])
        if place is None or group is None:
            continue
        who = row if question.person is None else ROWS[question.person][row]
        digits = hashlib.md5(f"{who}|{group}|{place}".encode()).hexdigest()[:12]
        held[who].append((digits, group, place))
    counts = Counter(key[1:] for rows in held.values() for key in sorted(rows)[: question.per_person])
    many = 1 if question.groups is None else len(question.groups)
    return [{place: many for (where, place), many in counts.items() if where == group} for group in range(many)]


def _place(cells: Any, value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(cells, Periods):
        return [*cells.names].index(value) if value in cells.names else None
    if isinstance(value, str):
        try:
            value = date.fromisoformat(value) if len(value) == 10 else None
        except ValueError:
            return None
        if value is None:
            return None
    value = value.date() if isinstance(value, datetime) else value
    place = bisect_right(starts(cells), value) - 1
    outside = place < 0 or value > cells.ends[1]
    return None if outside and not cells.moved else max(place, 0)


def counted(table: Any, question: RowQuestion) -> list[dict[int, int]]:
    """Counts of a table, by cell of each group."""
    histograms, _ = table_histograms(RowSource(table), question)
    return [dict(zip(cells.tolist(), many.tolist(), strict=True)) for cells, many in histograms]


@pytest.mark.parametrize(
    "container", [pytest.param(name, marks=[pytest.mark.slow] * (name == "spark")) for name in CONTAINERS]
)
def test_every_question_has_the_same_counts(container: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Those that the rule gives, row by row, of dates, moments and text."""
    held = CONTAINERS[container](ROWS, tmp_path, request)
    wrong = [
        f"{kind}: {name}"
        for kind in KINDS
        for name, question in questions(kind).items()
        if counted(held, question) != expected(kind, name)
    ]

    assert [] == wrong


class Unlimited:
    """A ledger that allows everything."""

    def spend(self, *_: Any, **__: Any) -> None:
        """Allow it."""


def answers(table: Any) -> list[Any]:
    """Answers that are dates, and counts by periods, with a budget at which noise is nothing."""
    asked: dict[str, Any] = {"epsilon": 10**6, "ledger": Unlimited()}
    bounds: dict[str, Any] = {"column": "on", "lower": FIRST, "upper": LAST, **asked}
    quarters = Periods.between(FIRST, LAST, "quarter")
    return [
        dps.median(table, **bounds).value,
        dps.median(table, step="month", **bounds).value,
        dps.median(table, step="week", by="job", groups=["cook", "nurse"], **bounds).value,
        dps.median(table, person="who", rows_per_person=2, by="on", groups=quarters, **bounds).value,
        dps.quantiles(table, [0.1, 0.9], step="week", **bounds).value,
        dps.quantiles(table, [0.1, 0.9], by="job", groups=["cook", "nurse"], **bounds).value,
        dps.counts(table, column="on", domain=Periods.between(FIRST, LAST, "month"), **asked).value,
        dps.counts(table, column="job", domain=["cook"], by="on", groups=quarters, **asked).value,
        dps.most_common(table, 1, item="on", domain=quarters, **asked).value,
        dps.most_common(table, 1, item="on", domain=Periods.between(FIRST, LAST, "year"), person="who", **asked).value,
    ]


@cache
def answers_about_lists() -> list[Any]:
    """What every container must answer."""
    return answers(ROWS)


@pytest.mark.parametrize("container", [name for name in CONTAINERS if name != "spark"])
def test_every_function_answers_with_dates(container: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The same as of lists, and of an upper median the date itself."""
    known = answers_about_lists()
    inside = sorted(min(max(each, FIRST), LAST) for each in ROWS["on"] if each is not None)

    assert known == answers(CONTAINERS[container](ROWS, tmp_path, request))
    assert inside[len(inside) // 2] == known[0]
    assert date(known[0].year, known[0].month, 1) == known[1]


@pytest.mark.parametrize("order, form", [("dmy", "%d.%m.%Y"), ("mdy", "%m/%d/%Y")])
@pytest.mark.parametrize("separator", [",", ";", "tab"])
def test_dates_of_text_are_read_in_the_declared_order(order: str, form: str, separator: str, tmp_path: Path) -> None:
    """Nothing of numbers has to be declared for them, and no decimal comma changes them."""
    sign, lines = {"tab": "\t"}.get(separator, separator), ["on,job,who"]
    for on, job, who in zip(ROWS["on"], ROWS["job"], ROWS["who"], strict=True):
        lines.append(f"{'' if on is None else on.strftime(form).rjust(10, '0')},{job},{who}")
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines).replace(",", sign), encoding="utf-8")
    decimal = None if separator == "," else ","
    for how in ({}, {"decimal": decimal}):
        assert answers_about_lists() == answers(TableFile.of(path, separator=separator, date_order=order, **how))
    where = TableFile.of(path, separator=separator, date_order=order, where="on >= 2024-07-01")
    periods = Periods.between(date(1999, 1, 1), date(2999, 1, 1), "year")
    late = dps.counts(where, column="on", domain=periods, epsilon=10**6, ledger=Unlimited()).value

    assert sum(late.values()) == sum(
        each is not None and date(2024, 7, 1) <= each < date(2999, 1, 1) for each in ROWS["on"]
    )


HOSTILE_DATES = {
    "postgres": ["'infinity'", "'-infinity'", "'4713-01-01 BC'", "'5874897-12-31'", "NULL"],
    "duckdb": ["'infinity'", "'-infinity'", "'5000-01-01 (BC)'", "'200000-12-31'", "NULL"],
}


@pytest.mark.parametrize("kind", ["date", "timestamp"])
@pytest.mark.parametrize("engine", HOSTILE_DATES)
def test_a_date_without_a_year_moves_no_other(engine: str, kind: str, request: pytest.FixtureRequest) -> None:
    """Engines have dates that no calendar has; they lie before or after all others."""
    ibis = pytest.importorskip("ibis")
    hostile = [each for each in HOSTILE_DATES[engine] if kind == "date" or "5874897" not in each]
    listed = ", ".join(f"({each})" for each in ["'2024-03-01'"] * 5 + ["'2024-05-31'"] * 3 + hostile)
    statements = [f"CREATE TABLE odd_{kind} (d {kind})", f"INSERT INTO odd_{kind} VALUES {listed}"]
    if engine == "postgres":
        server = request.getfixturevalue("postgres")
        server.run(*statements)
        table = ibis.connect(server.url).table(f"odd_{kind}")
    else:
        backend = ibis.duckdb.connect()
        for statement in statements:
            backend.raw_sql(statement)
        table = backend.table(f"odd_{kind}")
    for step in ("day", "week", "month", "quarter", "year"):
        periods = Periods.between("2023-01-01", "2025-12-31", step)
        ((_, nowhere),) = table_histograms(table, RowQuestion("d", periods))[0]
        ((places, nearest),) = table_histograms(table, RowQuestion("d", periods.moving()))[0]
        assert 8 == nowhere.sum()
        assert {0, len(periods) - 1} <= {*places.tolist()}
        assert 8 + len(hostile) - 1 == nearest.sum()
