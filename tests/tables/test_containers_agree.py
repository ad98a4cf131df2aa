"""Every question has the same counts of the same rows, whatever holds them: memory, files, engines."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpselect as dps
from dpselect.sources import table_batches, text_blocks
from dpselect.sources.public_names import PublicNames
from dpselect.views.column import Column
from dpselect.views.grid import EvenGrid, ListedGrid, grid_of
from dpselect.views.row_question import Bins, RowQuestion
from dpselect.views.row_source import RowOrder, RowSource
from dpselect.views.support import GAPS, support_table
from dpselect.views.support import QUESTIONS as QUESTIONS_OF_ENGINES
from dpselect.views.table_counts import item_counts, table_histograms
from tests.tables.containers import CONTAINERS, Columns

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
REGIONS = ["North", "South", "East"]
REGION, JOBS = PublicNames.of(REGIONS, "groups"), PublicNames.of(["cook", "nurse", "rider"], "domain")
TENTHS = EvenGrid(-5, 1, 41, 10, True)


def people(rows: int = 240) -> Columns:
    """Rows of persons who have several, with cells of every kind that all containers can hold."""
    rng = np.random.default_rng(11)
    pay = np.round(rng.uniform(-1, 4, rows), 2).tolist()
    # Middles of the grid of tenths, and what lies beside them.
    pay[:9] = [0.05, 0.15, 0.25, 0.35, 0.45, 3.55, 1e300, -1e300, 0.1 + 0.2]
    pay[9] = pay[50] = None
    region = rng.choice([*REGIONS, "Nowhere", "north"], rows).tolist()
    region[3] = region[60] = None
    return {
        "who": rng.integers(0, 50, rows).tolist(),
        "name": [f"p{each}" for each in rng.integers(0, 50, rows).tolist()],
        "pay": pay,
        "age": rng.integers(-5, 130, rows).tolist(),
        "region": region,
        "job": rng.choice(["cook", "nurse", "smith"], rows).tolist(),
        "level": rng.integers(0, 5, rows).tolist(),
        "day": [f"2024-01-{each:02}" for each in rng.integers(1, 29, rows).tolist()],
    }


PEOPLE = people()
EVERY = [pytest.param(name, marks=[pytest.mark.slow] * (name == "spark")) for name in CONTAINERS]
QUESTIONS: dict[str, RowQuestion] = {
    "values": RowQuestion("job", JOBS),
    "numbers as values": RowQuestion("level", PublicNames.of([3, 1, 4], "domain")),
    "a range": RowQuestion("level", PublicNames.of(range(1, 4), "domain")),
    "bins": RowQuestion("pay", Bins.of([-0.5, 0.05, 0.25, 3.5])),
    "integers on a grid": RowQuestion("age", EvenGrid(0, 4, 31)),
    "integers on one of tenths": RowQuestion("age", EvenGrid(0, 1, 1201, 10, True)),
    "reals on a grid": RowQuestion("pay", TENTHS),
    "reals on one of integers": RowQuestion("pay", EvenGrid(0, 1, 4)),
    "reals on an uneven grid": RowQuestion("pay", ListedGrid(np.array([-0.5, 0.1, 0.3, 3.9]))),
    "groups": RowQuestion("pay", TENTHS, "region", REGION),
    "persons": RowQuestion("pay", TENTHS, person="who", per_person=2),
    "persons by name": RowQuestion("job", JOBS, person="name", per_person=1),
    "groups and persons": RowQuestion("age", EvenGrid(0, 4, 31), "region", REGION, "who", 2),
    "groups of values and persons": RowQuestion("job", JOBS, "region", REGION, "name", 3),
    "persons in order of numbers": RowQuestion("age", EvenGrid(0, 1, 121), person="who", per_person=2, order="pay"),
    "persons in order of days": RowQuestion("age", EvenGrid(0, 1, 121), "region", REGION, "who", 1, "day"),
}


def by_the_rule(question: RowQuestion) -> list[dict[int, int]]:
    """Counts of the rows, one by one, as the proofs state them."""
    held: dict[Any, list[tuple[Any, ...]]] = defaultdict(list)
    for row in range(len(PEOPLE["who"])):
        cells = {name: column[row] for name, column in PEOPLE.items()}
        place = _cell(question.cells, cells[question.column])
        group = 0 if question.groups is None else _cell(question.groups, cells[question.by])
        if place is None or group is None:
            continue
        who = row if question.person is None else cells[question.person]
        first = None if question.order is None else cells[question.order]
        digits = hashlib.md5(f"{who}|{group}|{place}".encode()).hexdigest()[:12]
        held[who].append(((first is None, 0 if first is None else first), digits, group, place))
    counts = Counter(key[2:] for rows in held.values() for key in sorted(rows)[: question.per_person])
    many = 1 if question.groups is None else len(question.groups)
    return [{place: many for (where, place), many in counts.items() if where == group} for group in range(many)]


def _cell(cells: Any, value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(cells, PublicNames):
        return [*cells.names].index(value) if value in cells.names else None
    if isinstance(cells, Bins):
        inside = [low <= value < high for low, high in pairwise(cells.edges)]
        return inside.index(True) if any(inside) else None
    points = [Fraction(point) for point in cells.array().tolist()]
    # Middles are doubles, as public grids have them.
    middles = [Fraction(float(low) + (float(high) - float(low)) / 2) for low, high in pairwise(points)]
    return sum(Fraction(value) > middle for middle in middles)


@cache
def expected(name: str) -> list[dict[int, int]]:
    """Counts of a question by the rule, which are the same for every container."""
    return by_the_rule(QUESTIONS[name])


@cache
def answer_about_lists(name: str, place: int) -> Any:
    """The answer of a function, which that of every container must equal."""
    return FUNCTIONS[name][place](PEOPLE).value


def counted(table: Any, question: RowQuestion) -> list[dict[int, int]]:
    """Counts of a table, by cell of each group."""
    order = None if question.order is None else RowOrder(question.order, question.order == "pay")
    histograms, _ = table_histograms(RowSource(table, order=order), question)
    return [dict(zip(cells.tolist(), many.tolist(), strict=True)) for cells, many in histograms]


@pytest.mark.parametrize("container", EVERY)
def test_every_question_has_the_same_counts(container: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Those that the rule gives, row by row."""
    table = CONTAINERS[container](PEOPLE, tmp_path, request)
    wrong = [name for name, question in QUESTIONS.items() if counted(table, question) != expected(name)]

    assert [] == wrong


@pytest.mark.parametrize("container", EVERY)
def test_persons_are_counted_once_for_each_value(
    container: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """However many rows they have; and rows are counted in groups."""
    table = CONTAINERS[container](PEOPLE, tmp_path, request)
    (persons,), metadata = item_counts(table, "job", JOBS, person="who")
    groups, _ = item_counts(table, "job", JOBS, "region", REGION)
    pairs = Counter(job for _, job in {*zip(PEOPLE["who"], PEOPLE["job"], strict=True)})
    cells = Counter(zip(PEOPLE["region"], PEOPLE["job"], strict=True))

    assert [pairs[job] for job in JOBS.names] == persons.tolist()
    assert [[cells[region, job] for job in JOBS.names] for region in REGIONS] == [each.tolist() for each in groups]
    assert {"item": "job", "person": "who"}.items() <= metadata.items()


@pytest.mark.parametrize("container", ["csv", "tsv", "parquet"])
def test_files_are_counted_part_by_part(
    container: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Persons, names and groups that are spread over many parts of a file are those of the whole."""
    monkeypatch.setattr(text_blocks, "_BLOCK", 300)
    monkeypatch.setattr(table_batches, "_ROWS", 9)
    table = CONTAINERS[container](PEOPLE, tmp_path, request)
    wrong = [name for name, question in QUESTIONS.items() if counted(table, question) != expected(name)]
    (persons,), _ = item_counts(table, "job", JOBS, person="name")
    pairs = Counter(job for _, job in {*zip(PEOPLE["name"], PEOPLE["job"], strict=True)})

    assert [] == wrong
    assert [pairs[job] for job in JOBS.names] == persons.tolist()
    name = "`most_common` with a delta and `kept`"
    for place, function in enumerate(FUNCTIONS[name]):
        assert answer_about_lists(name, place) == function(table).value


class _Unlimited:
    """A ledger that allows everything."""

    def spend(self, *_: Any, **__: Any) -> None:
        """Allow it."""


# Noise is nothing at this budget.
PAID: dict[str, Any] = {"epsilon": 10**6, "ledger": _Unlimited()}
# The chances of a wall take time that grows with epsilon.
ALLOWED = {**PAID, "epsilon": 100, "delta": 1e-9}
AGES: dict[str, Any] = {"column": "age", "lower": 0, "upper": 120}
ROWS: dict[str, Any] = {"by": "region", "groups": REGIONS, "person": "who", "rows_per_person": 2}
ITEMS: dict[str, Any] = {"person": "name", "item": "job"}
JOBS_LISTED: dict[str, Any] = {"item": "job", "domain": ["cook", "nurse"]}
# What is asked of every container, by the names of the one list of what is supported.
FUNCTIONS: dict[str, list[Callable[[Any], Any]]] = {
    "`median`": [
        lambda table: dps.median(table, **AGES, **ROWS, **PAID),
        lambda table: dps.median(table, **AGES, **PAID),
    ],
    "`quantiles`": [
        lambda table: dps.quantiles(table, [0.1, 0.9], **AGES, **ROWS, **PAID),
        # A joint draw takes time that grows with epsilon.
        lambda table: dps.quantiles(table, [0.1, 0.9], **AGES, method="joint", total=240, **PAID | {"epsilon": 60}),
        lambda table: dps.quantiles(table, [0.1, 0.9], **AGES, total=240, **PAID),
    ],
    "`counts`": [
        lambda table: dps.counts(table, column="job", domain=["cook", "nurse"], **ROWS, **PAID),
        lambda table: dps.counts(table, column="pay", bins=[-1, 0, 4], **ROWS, **PAID),
    ],
    "`most_common` of a list": [
        lambda table: dps.most_common(table, 1, person="who", **JOBS_LISTED, **PAID),
        lambda table: dps.most_common(table, 1, **JOBS_LISTED, **PAID),
    ],
    "`most_common` of records in groups": [
        lambda table: dps.most_common(table, 1, by="region", groups=REGIONS, **JOBS_LISTED, **PAID),
    ],
    "`most_common` with a delta and `kept`": [
        lambda table: dps.most_common(table, 2, kept=3, **ITEMS, **ALLOWED),
    ],
    "`most_common` of persons in groups": [
        lambda table: dps.most_common(
            table, 1, person="who", by="region", groups=REGIONS, groups_per_person=3, **JOBS_LISTED, **PAID
        ),
    ],
    "`most_common` with a bound on the items of a person": [
        lambda table: dps.most_common(table, 1, items_per_person=3, **ITEMS, **ALLOWED),
    ],
    "`partitions`": [
        lambda table: dps.partitions(table, person="name", key="job", keys_per_person=3, **ALLOWED),
    ],
}
ENGINES = ["csv in place", "duckdb", "postgres", "sqlite", "spark"]


@pytest.mark.parametrize("container", EVERY)
def test_every_function_answers_about_every_container(
    container: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """As about lists; what is not asked of an engine is refused, by the list, with the reason and before the spend."""
    table = CONTAINERS[container](PEOPLE, tmp_path, request)
    refused = {gap.question: str(gap.refusal()) for gap in GAPS} if container in ENGINES else {}
    wrong = []
    for name, functions in FUNCTIONS.items():
        for place, function in enumerate(functions):
            if name in refused:
                with pytest.raises(ValueError) as raised:
                    function(table)
                wrong += [(name, place)] * (str(raised.value) != refused[name])
            elif function(table).value != answer_about_lists(name, place):
                wrong.append((name, place))

    assert [] == wrong


def test_every_question_of_the_list_is_asked() -> None:
    """Those that are supported, and those that are not."""
    assert {*QUESTIONS_OF_ENGINES, *(gap.question for gap in GAPS)} == {*FUNCTIONS}


def test_the_guide_shows_what_is_supported() -> None:
    """Its table is made of the list that refuses."""
    guide = Path(__file__).parents[2] / "docs" / "how-to" / "databases.md"

    assert support_table() in guide.read_text()


@pytest.mark.parametrize("grid", [np.linspace(0, 1, 11), np.arange(0, 101, 5), np.array([0.1, 0.2, 0.4])])
def test_listed_grids_of_decimals_are_even_ones(grid: np.ndarray) -> None:
    """Recognised where each value is the double of its decimal number; others are looked up."""
    from dpselect.views.engine_cells import evenly

    listed = grid_of(grid)
    even = listed if isinstance(listed, EvenGrid) else evenly(listed)
    if even is not None:
        assert np.array_equal(grid, even.array())
        assert np.array_equal(Column(grid).grid_index(even), np.arange(grid.size))
