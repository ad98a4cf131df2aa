"""Which rows of a person count: what follows from that person's rows alone, in every order, in memory and in DuckDB."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pytest

from dpselect.sources.public_names import PublicNames
from dpselect.views import rows_of_persons
from dpselect.views.row_question import RowQuestion
from dpselect.views.row_source import RowOrder, RowSource
from dpselect.views.table_counts import table_histograms

Row = tuple[str, int, str, int]
Histograms = Callable[[Sequence[Row], int, bool], Counter[tuple[int, int]]]
GROUPS, CELLS = PublicNames.of(["n", "s"], "groups"), PublicNames.of([0, 1, 2], "domain")


def question(most: int) -> RowQuestion:
    """How many rows are in each cell of each group."""
    return RowQuestion("cell", CELLS, "group", GROUPS, "who", most)


def columns(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Rows of (person, cell, group, day) as a table."""
    names = ("who", "cell", "group", "day")
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def counted(table: Any, most: int, ordered: bool) -> Counter[tuple[int, int]]:
    """Counts by (group, cell) of a table."""
    source = RowSource(table, order=RowOrder("day", True) if ordered else None)
    histograms, _ = table_histograms(source, question(most))
    return Counter(
        {
            (group, int(cell)): int(many)
            for group, held in enumerate(histograms)
            for cell, many in zip(*held, strict=True)
        }
    )


def in_memory(rows: Sequence[Row], most: int, ordered: bool) -> Counter[tuple[int, int]]:
    """Of lists."""
    return counted(columns(rows), most, ordered)


def by_the_rule(rows: Iterable[Row], most: int, ordered: bool) -> Counter[tuple[int, int]]:
    """The rule as the proof states it, row by row."""
    held: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for who, cell, group, day in rows:
        if group in GROUPS.names and cell in CELLS.names and who:
            code = list(GROUPS.names).index(group)
            digits = hashlib.md5(f"{who}|{code}|{cell}".encode()).hexdigest()[:12]
            held[who].append((day if ordered else 0, digits, code, cell))
    return Counter(key[2:] for each in held.values() for key in sorted(each)[:most])


KINDS = [("n", 0), ("n", 1), ("s", 1), ("s", 2), ("w", 0)]
# Rows of a person who may join, of one to three kinds, and what the others have.
JOINING = [held for size in (1, 2, 3) for held in itertools.combinations_with_replacement(KINDS, size)]
OTHERS: list[Row] = [("ann", 0, "n", 3), ("bob", 1, "s", 1), ("ann", 2, "s", 1), ("bob", 2, "s", 2), ("ann", 1, "n", 2)]


def moved(histograms: Histograms, most: int, ordered: bool) -> int:
    """The most that a person who joins adds to all counts, or an impossible number where one of them falls."""
    before = histograms(OTHERS, most, ordered)
    worst = 0
    for held in JOINING:
        joined = [("eve", cell, group, 2 - place) for place, (group, cell) in enumerate(held)]
        for at in range(len(OTHERS) + 1):
            after = histograms([*OTHERS[:at], *joined, *OTHERS[at:]], most, ordered)
            if before - after:
                return 10**6
            worst = max(worst, sum((after - before).values()))
    return worst


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_person_who_joins_adds_their_rows_and_moves_no_other(most: int, ordered: bool) -> None:
    """At most as many as count, wherever their rows stand; and no fewer."""
    assert most == moved(in_memory, most, ordered)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("most", [1, 2])
def test_the_order_of_a_table_does_not_matter(most: int, ordered: bool) -> None:
    """Every order of the rows has the counts of the rule."""
    rows = [*OTHERS[:4], ("eve", 1, "n", 1)]
    for table in itertools.permutations(rows):
        assert by_the_rule(rows, most, ordered) == in_memory(table, most, ordered)


def test_an_order_by_the_rows_of_others_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the position in the table, which rows of others shift, is hashed."""

    seen = itertools.count()

    def by_position(*_: Any) -> int:
        return int(hashlib.md5(f"{next(seen)}".encode()).hexdigest()[:12], 16)

    def again(*asked: Any) -> Counter[tuple[int, int]]:
        nonlocal seen
        seen = itertools.count()
        return in_memory(*asked)

    monkeypatch.setattr(rows_of_persons, "row_hash", by_position)
    assert 10**6 == moved(again, 1, False)


def test_an_order_by_a_column_of_others_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: rows are ordered by how many rows of the table have the same cell."""

    def by_frequency(who: Any, names: Any, groups: Any, places: Any, most: int, _: Any) -> Any:
        return original(who, names, groups, places, most, (-np.bincount(places[places >= 0], minlength=3)[places],))

    original = rows_of_persons.rows_that_count
    monkeypatch.setattr("dpselect.views.row_question.rows_that_count", by_frequency)
    assert 10**6 == moved(in_memory, 1, False)


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.slow)])
def test_duckdb_chooses_the_same(step: int) -> None:
    """One expression for every table of these."""
    ibis, arrow = pytest.importorskip("ibis"), pytest.importorskip("pyarrow")
    for held in JOINING[::step]:
        rows = [*OTHERS, *(("eve", cell, group, 2 - place) for place, (group, cell) in enumerate(held))]
        table = ibis.memtable(arrow.table(columns(rows)))
        for most, ordered in itertools.product((1, 2), (False, True)):
            assert by_the_rule(rows, most, ordered) == counted(table, most, ordered)


def test_persons_are_written_alike_whatever_holds_them() -> None:
    """A number, the text that spells it, and a float that is whole choose the same rows."""
    rng = np.random.default_rng(5)
    who, cell = rng.integers(0, 20, 300), rng.integers(0, 3, 300)
    group = np.array(["n", "s"])[rng.integers(0, 2, 300)]
    results = [
        counted({"who": written, "cell": cell, "group": group}, 2, False)
        for written in (who, who.astype(float), who.astype(str), who.tolist(), [str(each) for each in who])
    ]

    assert 40 == sum(results[0].values())
    assert [results[0]] * 5 == results


HOSTILE = [None, "", [], {"a": 1}, float("nan"), float("inf"), b"x", 10**5000, object(), "\ud800", "n\x00", (1, [])]


@pytest.mark.parametrize("cell", HOSTILE, ids=lambda cell: type(cell).__name__)
def test_no_person_decides_whether_there_is_an_answer(cell: Any) -> None:
    """One row of somebody odd, or two of them, beside others whose rows are chosen."""
    honest = columns(OTHERS)
    expected = counted(honest, 1, False)
    odd = {name: [*cells, *([cell] * 2 if name == "who" else cells[:2])] for name, cells in honest.items()}
    after = counted(odd, 1, False)

    assert not expected - after
    assert sum((after - expected).values()) <= 1
