"""The most common items of persons who may have many."""

from __future__ import annotations

import itertools
import math

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import dpselect as dps
from dpselect.audit.scripted_noise import transcripts
from dpselect.release.most_common import grouped_of
from dpselect.release.open_session import session_factory_of
from tests.release.tossed import tossed_law

ROWS = [
    (person, ("tea", "milk", "gin")[item], "ns"[person % 2]) for item in range(3) for person in range(30 * (3 - item))
]
COLUMNS = {name: [row[place] for row in ROWS] for place, name in enumerate(("user", "product", "region"))}
SHELF = ["gin", "milk", "soy", "tea"]
ASKED = {"person": "user", "item": "product", "domain": SHELF}


class Kept:
    """A ledger that allows everything and keeps what it was told."""

    def __init__(self) -> None:
        self.spent: list = []

    def spend(self, guarantee, /, *, mechanism: str, count: int = 1, note: str = "") -> None:
        """Keep it."""
        self.spent.append((guarantee, mechanism, count, note))


@pytest.fixture
def tables(tmp_path):
    """The same events in every container."""
    arrow = pa.table(COLUMNS)
    parquet.write_table(arrow, tmp_path / "events.parquet")
    pd.DataFrame(COLUMNS).to_csv(tmp_path / "events.csv", index=False)
    return {
        "mapping": COLUMNS,
        "pandas": pd.DataFrame(COLUMNS),
        "polars": pl.DataFrame(COLUMNS),
        "arrow": arrow,
        "parquet": tmp_path / "events.parquet",
        "csv": str(tmp_path / "events.csv"),
    }


def test_every_container_gives_the_same_scores(tables) -> None:
    """Persons per item."""
    for name, table in tables.items():
        result = dps.utilities.popularity(table, **ASKED)

        assert [30, 60, 0, 90] == result.values.tolist(), name


def test_every_container_names_the_same_items(tables) -> None:
    """At an epsilon at which there is no doubt; the promise is for persons."""
    for name, table in tables.items():
        release = dps.most_common(table, 2, epsilon=50, **ASKED)

        assert ("tea", "milk") == release.value, name
        assert dps.Guarantee(50, "person", laplace=True) == release.guarantee


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_an_engine_counts_persons_where_they_are(tables, kind: str) -> None:
    """And rows that name nobody or an item outside of the list are left out."""
    pytest.importorskip("ibis")
    with dps.data.Warehouse.open(tables[kind]) as place:
        release = dps.most_common(place, 3, epsilon=60, **ASKED)

    assert ("tea", "milk", "gin") == release.value
    assert dps.Guarantee(60, "person", laplace=True) == release.guarantee


def test_an_engine_leaves_rows_out_one_by_one() -> None:
    """Nobody, no name, a stranger: and the answer is the same."""
    ibis = pytest.importorskip("ibis")
    odd = {"user": [None, 1, 2, 3], "product": ["soy", None, "rum", "soy"], "region": ["n"] * 4}
    table = ibis.memtable(pa.table({name: COLUMNS[name] + odd[name] for name in COLUMNS}))

    assert ("tea", "milk", "gin", "soy") == dps.most_common(table, 4, epsilon=120, **ASKED).value
    with pytest.raises(ValueError, match="An item without a row"):
        dps.most_common(table, 1, epsilon=1, **(ASKED | {"domain": "rows"}))


def test_the_ledger_keeps_that_persons_are_protected(tmp_path) -> None:
    """A budget of persons takes it, and one of records does not."""
    people = dps.Ledger.open(tmp_path / "people.ledger", epsilon=3, neighbours="person")
    dps.most_common(COLUMNS, 2, epsilon=1, **ASKED, ledger=people)
    records = dps.Ledger.open(tmp_path / "records.ledger", epsilon=3)

    (event,) = people.events
    assert "person" == event.neighbours
    assert {"person": "user", "item": "product"}.items() <= dict(event.metadata).items()
    assert 1 == people.totals.epsilon
    with pytest.raises(ValueError, match="protects add-remove neighbours and the release person"):
        dps.most_common(COLUMNS, 2, epsilon=1, **ASKED, ledger=records)


def test_groups_share_one_spend_and_an_empty_one_answers() -> None:
    """Each draws at epsilon / groups_per_person."""
    kept = Kept()
    release = dps.most_common(
        COLUMNS, 2, epsilon=100, **ASKED, by="region", groups=["n", "s", "e"], groups_per_person=1, ledger=kept
    )

    assert {"n": ("tea", "milk"), "s": ("tea", "milk")} == {name: release.value[name] for name in "ns"}
    assert 2 == len(set(release.value["e"]))
    assert [(dps.Guarantee(100, "person"), "permute-and-flip, one-shot", 1)] == [spend[:3] for spend in kept.spent]
    assert dps.Guarantee(100, "person") == release.guarantee
    assert isinstance(release.error_bound, dps.accuracy.NoBound)


@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_the_worst_error_of_a_group_is_known_where_every_person_counts_in_all(most: int) -> None:
    """Else persons whom the coins leave out would have to be said too."""
    release = dps.most_common(
        COLUMNS, 2, epsilon=100, **ASKED, by="region", groups=["n", "s", "e"], groups_per_person=most
    )

    if most >= 3:
        assert release.error_bound.at(0.95) <= 1
        return
    assert isinstance(release.error_bound, dps.accuracy.NoBound)
    with pytest.raises(ValueError, match="groups_per_person="):
        release.error_bound.at(0.95)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"domain": None}, dps.PrivacyError, "domain"),
        ({"k": 5}, ValueError, "there are 4 candidates"),
        ({"k": 0}, ValueError, "at least 1"),
        ({"epsilon": 0}, ValueError, "positive"),
        ({"person": "who"}, ValueError, "no column 'who'"),
        ({"groups": ["n"]}, ValueError, "pass by"),
        ({"by": "region"}, dps.PrivacyError, "groups"),
        ({"by": "region", "groups": ["n"]}, dps.PrivacyError, "groups_per_person"),
        ({"by": "region", "groups": ["n"], "groups_per_person": 0}, ValueError, "at least 1"),
        ({"by": "region", "groups": ["n"], "groups_per_person": 1, "k": 5}, ValueError, "there are 4 candidates"),
        ({"by": "place", "groups": ["n"], "groups_per_person": 1}, ValueError, "no column 'place'"),
    ],
)
def test_what_is_refused_is_refused_before_the_spend(changed, error, message) -> None:
    """In one sentence."""
    kept = Kept()
    asked = {"k": 2, "epsilon": 1, **ASKED, **changed}
    with pytest.raises(error, match=message):
        dps.most_common(COLUMNS, ledger=kept, **asked)
    assert [] == kept.spent


@pytest.mark.parametrize("cell", [None, "", [], {"a": 1}, float("nan"), b"x", pd.NaT, 10**400, object(), "\ud800"])
@pytest.mark.parametrize("column", ["user", "product", "region"])
def test_no_cell_decides_whether_there_is_an_answer(column: str, cell) -> None:
    """In lists and in pandas; other rows count as before."""
    columns = {name: [*cells, cell if name == column else cells[0]] for name, cells in COLUMNS.items()}
    by = {"by": "region", "groups": ["n", "s"], "groups_per_person": 1}
    for table in (columns, pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()})):
        assert ("tea", "milk") == dps.most_common(table, 2, epsilon=60, **ASKED).value
        assert ("tea", "milk") == dps.most_common(table, 2, epsilon=60, **ASKED, **by).value["n"]


def test_a_table_without_rows_answers() -> None:
    """Items that nobody has are candidates."""
    empty = {name: [] for name in COLUMNS}

    assert set(SHELF) == set(dps.most_common(empty, 4, epsilon=1, **ASKED).value)
    by = {"by": "region", "groups": ["n", "s"], "groups_per_person": 2}
    assert set(SHELF) == set(dps.most_common(empty, 4, epsilon=1, **ASKED, **by).value["s"])


# ---- the exact loss with groups ---------------------------------------------------------------------------------


def grouped_law(people, share: int, epsilon: float = 1) -> dict[tuple, float]:
    """The law of the most common of two items in each of two groups; a person is a set of (group, item)."""
    rows = [(who, group, item) for who, held in enumerate(people) for group, item in held]
    columns = {name: [row[place] for row in rows] for place, name in enumerate(("who", "where", "what"))}

    def run(session_factory) -> tuple:
        """The winners of both groups."""
        asked = (columns, 1, epsilon, "who", "what", [0, 1], "where", [0, 1], share)
        return tuple(grouped_of(*asked, session_factory=session_factory).value.values())

    return tossed_law(run)


CELLS = [(0, 0), (0, 1), (1, 0), (1, 1)]
PERSONS = [held for size in range(5) for held in itertools.combinations(CELLS, size)]


def grouped_loss(share: int, others) -> float:
    """The largest log-ratio over every person who may join the others."""
    before = grouped_law(others, share)
    return max(
        abs(math.log(before[key] / after[key]))
        for person in PERSONS
        for after in [grouped_law([*others, person], share)]
        for key in before
    )


@pytest.mark.parametrize(
    "others", [[], [((0, 0), (0, 1))], pytest.param([((0, 0), (1, 1)), ((0, 1), (1, 0))], marks=pytest.mark.slow)]
)
def test_one_person_in_two_regions_costs_epsilon_and_no_more(others) -> None:
    """Truncation to one region, or half of epsilon in each of two: exactly, over all coins and winners."""
    assert grouped_loss(1, others) <= 1 + 1e-9
    assert grouped_loss(2, others) <= 1 + 1e-9


def test_the_price_of_two_regions_is_reached() -> None:
    """Two groups in which a person moves the best away from the other, at half of epsilon each."""
    others = [((0, 1), (1, 1))] * 8
    assert grouped_loss(2, others) >= 0.9


def test_scripts_of_the_library_agree() -> None:
    """Where nobody is in two groups, nothing is tossed and the replay of the audit knows the whole law."""
    rows = {"who": [0, 1, 2], "where": [0, 0, 1], "what": [0, 1, 1]}
    ways = [
        math.exp(chance)
        for _, chance in transcripts(
            lambda replay: grouped_of(
                rows,
                1,
                1,
                "who",
                "what",
                [0, 1],
                "where",
                [0, 1],
                1,
                session_factory=session_factory_of(lambda: replay),
            )
        )
    ]

    assert 4 == len(ways)
    assert math.isclose(1, sum(ways))


def test_one_list_has_a_p_value_at_no_cost() -> None:
    """Wherever it is free: not where all items are named, and not by a ledger that adds rhos."""
    table = {"user": [*range(90), *range(60)], "item": ["tea"] * 90 + ["milk"] * 60}
    for k in (1, 2):
        release = dps.most_common(table, k, epsilon=3, person="user", item="item", domain=["tea", "milk", "gin", "soy"])
        assert k == len(release.gaps)
        assert 0 < release.p_value < 0.01
        assert 3 == release.guarantee.epsilon
    every = dps.most_common(table, 2, epsilon=3, person="user", item="item", domain=["tea", "milk"])
    assert (None, ()) == (every.p_value, every.gaps)
    with dps.budget(epsilon=9, delta=1e-6, rule="rho", neighbours="person"):
        peeled = dps.most_common(
            table, 2, epsilon=0.5, person="user", item="item", domain=["tea", "milk", "gin", "soy"]
        )
    assert peeled.p_value is None
