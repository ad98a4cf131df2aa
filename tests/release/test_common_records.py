"""The most common items of records: without a column of persons every row is one, with one item."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import dpselect as dps
from dpselect.release.most_common import grouped_of
from tests.mechanisms.test_ordered_pmf import lists
from tests.release.test_most_common import COLUMNS, SHELF, Kept
from tests.release.tossed import tossed_law

ASKED = {"item": "product", "domain": SHELF}
BY = {"by": "region", "groups": ["n", "s", "e"]}
# Two items, a stranger, and cells of which none is an item.
CELLS = [0, 1, 7, None, [], float("nan"), "x", 10**400]


def test_rows_are_counted_and_the_promise_is_for_one_of_them() -> None:
    """A person of many rows is many records."""
    rows = {"who": ["ann"] * 5 + ["bob"], "what": ["tea"] * 5 + ["milk"]}
    scores = dps.utilities.popularity(rows, item="what", domain=["milk", "tea", "soy"])

    assert [1, 5, 0] == scores.values.tolist()
    assert ("add-remove", 1, 1, "i") == (
        scores.neighbours,
        scores.range_bound,
        scores.sensitivity.ceiling,
        scores.values.dtype.kind,
    )
    release = dps.most_common(rows, 1, epsilon=60, item="what", domain=["milk", "tea", "soy"])
    assert (("tea",), dps.Guarantee(60, "add-remove", laplace=True)) == (release.value, release.guarantee)
    assert release.error_bound.at(0.95) <= 1
    assert "neighbours" in repr(release.guarantee)


def test_a_ledger_of_records_takes_it_and_one_of_persons_does_not(tmp_path) -> None:
    """What is recorded names the item, and no person."""
    records = dps.Ledger.open(tmp_path / "records.ledger", epsilon=3)
    dps.most_common(COLUMNS, 2, epsilon=1, **ASKED, ledger=records)
    dps.most_common(COLUMNS, 2, epsilon=1, **ASKED, **BY, ledger=records)
    people = dps.Ledger.open(tmp_path / "people.ledger", epsilon=3, neighbours="person")

    assert 2 == records.totals.epsilon
    assert [{"item": "product"}, {"item": "product", "by": "region"}] == [
        {name: event.metadata[name] for name in ("item", "by", "person", "column") if name in event.metadata}
        for event in records.events
    ]
    with pytest.raises(ValueError, match="protects person neighbours and the release add-remove"):
        dps.most_common(COLUMNS, 2, epsilon=1, **ASKED, ledger=people)


def test_each_group_of_records_draws_at_all_of_epsilon() -> None:
    """A row is in one group: so the worst error of a group is that of one list, and known."""
    kept = Kept()
    release = dps.most_common(COLUMNS, 2, epsilon=100, **ASKED, **BY, ledger=kept)

    assert {"n": ("tea", "milk"), "s": ("tea", "milk")} == {name: release.value[name] for name in "ns"}
    assert [dps.Guarantee(100, "add-remove")] == [spend[0] for spend in kept.spent]
    for epsilon in (0.1, 1, 4):
        alone = dps.most_common(COLUMNS, 2, epsilon=epsilon, **ASKED)
        assert alone.error_bound.at() == dps.most_common(COLUMNS, 2, epsilon=epsilon, **ASKED, **BY).error_bound.at()


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"domain": None}, dps.PrivacyError, "public list"),
        ({"domain": None, "delta": 1e-6, "kept": 3}, dps.PrivacyError, "tells persons apart"),
        ({"delta": 1e-6}, dps.PrivacyError, "tells persons apart"),
        ({"kept": 3}, dps.PrivacyError, "tells persons apart"),
        ({"items_per_person": 1}, dps.PrivacyError, "tells persons apart"),
        ({**BY, "groups_per_person": 1}, ValueError, "a row is in one"),
        ({"groups_per_person": 1}, ValueError, "a row is in one"),
        ({"by": "region"}, dps.PrivacyError, "pass groups=, their public list"),
        ({"groups": ["n"]}, ValueError, "pass by"),
        ({"item": "thing"}, ValueError, "no column 'thing'"),
        ({"k": 5}, ValueError, "there are 4 candidates"),
        ({**BY, "k": 5}, ValueError, "there are 4 candidates"),
    ],
)
def test_what_is_refused_is_refused_before_the_spend(changed, error, message) -> None:
    """In one sentence."""
    kept = Kept()
    with pytest.raises(error, match=message):
        dps.most_common(COLUMNS, ledger=kept, **{"k": 2, "epsilon": 1, **ASKED, **changed})
    assert [] == kept.spent


@pytest.mark.parametrize("cell", [None, "", [], {"a": 1}, float("nan"), b"x", pd.NaT, 10**400, object(), "\ud800"])
@pytest.mark.parametrize("column", ["product", "region"])
def test_no_cell_decides_whether_there_is_an_answer(column: str, cell) -> None:
    """In lists and in pandas; other rows count as before."""
    columns = {name: [*cells, cell if name == column else cells[0]] for name, cells in COLUMNS.items()}
    for table in (columns, pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()})):
        assert ("tea", "milk") == dps.most_common(table, 2, epsilon=60, **ASKED).value
        assert ("tea", "milk") == dps.most_common(table, 2, epsilon=60, **ASKED, **BY).value["n"]


def test_an_engine_counts_rows_where_they_are() -> None:
    """The same counts as in memory: no name and strangers are left out, and an item without a row counts."""
    ibis = pytest.importorskip("ibis")
    import pyarrow as pa

    from dpselect.views.stored_events import stored_popularity

    rows = {"who": ["ann", "ann", None, "bob", "eve"], "what": ["tea", "tea", "tea", None, "rum"]}
    table = ibis.memtable(pa.table(rows))
    with stored_popularity(table, None, "what", SHELF) as candidates:
        scores = candidates.scores()
    in_memory = dps.utilities.popularity(rows, item="what", domain=SHELF)

    assert [0, 0, 0, 3] == scores.values.tolist() == in_memory.values.tolist()
    assert ("add-remove", 1) == (scores.neighbours, scores.range_bound)
    release = dps.most_common(table, 1, epsilon=60, item="what", domain=SHELF)
    assert (("tea",), dps.Guarantee(60, "add-remove", laplace=True)) == (release.value, release.guarantee)


# ---- the exact loss ---------------------------------------------------------------------------------------------


def test_one_record_raises_one_count_and_lists_of_two_lose_epsilon_at_most() -> None:
    """Exactly, for all tables of at most two rows of any cells, and every row that may join."""
    base, worst = Fraction(3, 2), Fraction(1)
    laws: dict[tuple[int, ...], dict] = {}

    def counted(cells) -> tuple[int, ...]:
        scores = dps.utilities.popularity({"what": list(cells)}, item="what", domain=[0, 1, 2])
        return tuple(scores.values.tolist())

    for size in range(3):
        for cells in itertools.combinations_with_replacement([0, 1, 2, *CELLS[2:]], size):
            for joins in [0, 1, 2, *CELLS[2:]]:
                before, after = counted(cells), counted([*cells, joins])
                moved = np.subtract(after, before)
                assert {0, 1} >= set(moved.tolist())
                assert moved.sum() <= 1
                for counts in (before, after):
                    laws.setdefault(counts, lists([base**count for count in counts], 2))
                one, other = laws[before], laws[after]
                worst = max(worst, *(max(one[s] / other[s], other[s] / one[s]) for s in one))
    assert 1 < worst <= base**2


def grouped_loss(rows: int, copies: int = 1) -> float:
    """The largest log-ratio over tables of so many rows at most and every record that joins, so many times."""
    laws: dict[tuple, dict] = {}

    def law(table) -> dict:
        table = sorted(table, key=repr)
        if repr(table) not in laws:
            columns = {"where": [where for where, _ in table], "what": [what for _, what in table]}
            asked = (columns, 1, 1, None, "what", [0, 1], "where", [0, 1], None)
            laws[repr(table)] = tossed_law(
                lambda session_factory: tuple(grouped_of(*asked, session_factory=session_factory).value.values())
            )
        return laws[repr(table)]

    records = [(0, 0), (0, 1), (1, 0), (1, 1), (None, 0), (1, []), (9, 1), (0, float("nan"))]
    return max(
        abs(math.log(law(list(others))[key] / law([*others, *[record] * copies])[key]))
        for size in range(rows + 1)
        for others in itertools.combinations_with_replacement(records[: 8 if size < 2 else 2], size)
        for record in records
        for key in law(list(others))
    )


def test_a_record_costs_epsilon_in_all_groups_together() -> None:
    """Each group draws at all of it; one that is written four times, the planted fault, costs more."""
    assert 0.4 < grouped_loss(2) <= 1 + 1e-9
    assert grouped_loss(0, copies=4) > 1.01
