"""A noisy histogram of one column."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dpselect as dps
from dpselect.mechanisms.pmf import discrete_laplace
from dpselect.release.count_bound import within
from dpselect.release.counts import counts_of
from dpselect.release.open_session import session_factory_of
from dpselect.views.row_question import Bins
from tests.release.counted_people import counterexample, person_less, row_less, worst

JOBS = ["clerk", "nurse", "smith"]
TABLE = {
    "who": [1, 1, 1, 2, 3, None],
    "job": ["nurse", "smith", "nurse", "nurse", "rider", "nurse"],
    "age": [18, 17.9, 65, float("nan"), -1, 120],
    "place": ["n", "n", "s", "s", "n", "s"],
}


class Silent:
    """Outcomes without noise, which keep what was asked of them."""

    def __init__(self) -> None:
        self.rates: list[Fraction] = []

    def noisy(self, counts, rate):
        """The counts themselves."""
        self.rates.append(rate)
        return counts


def exact(table, *args, **more) -> dict:
    """Return the counts before noise, and check the rate of the noise."""
    silent = Silent()
    release = counts_of(table, 1, *args, **more, session_factory=session_factory_of(lambda: silent))
    assert [release.rate] == silent.rates == [Fraction(1, more.get("rows_per_person") or 1)]
    return dict(release.value)


@pytest.mark.parametrize("kind", [dict, pd.DataFrame, pl.DataFrame, pa.table, "csv"])
def test_every_public_value_is_counted_and_no_other(kind, tmp_path) -> None:
    """In every container; what nobody has is 0, and a stranger is counted nowhere."""
    table = TABLE
    if kind == "csv":
        table = tmp_path / "people.csv"
        pd.DataFrame(TABLE).to_csv(table, index=False)
    elif kind is pl.DataFrame:
        table = pl.DataFrame(TABLE, strict=False)
    elif kind is not dict:
        table = kind(TABLE)

    assert {"clerk": 0, "nurse": 4, "smith": 1} == exact(table, "job", JOBS)
    assert {"[0, 18)": 1, "[18, 65)": 1, "[65, 120]": 2} == exact(table, "age", bins=[0, 18, 65, 120])
    assert {"n": {"nurse": 1}, "s": {"nurse": 3}} == exact(table, "job", ["nurse"], by="place", groups=["n", "s"])


def test_a_few_rows_of_a_person_count_and_no_row_of_nobody() -> None:
    """Over all groups together; a row outside of the list takes no place."""
    assert {"clerk": 0, "nurse": 2, "smith": 0} == exact(TABLE, "job", JOBS, person="who", rows_per_person=1)
    assert {"clerk": 0, "nurse": 3, "smith": 0} == exact(TABLE, "job", JOBS, person="who", rows_per_person=2)
    assert {"clerk": 0, "nurse": 3, "smith": 1} == exact(TABLE, "job", JOBS, person="who", rows_per_person=3)
    grouped = exact(TABLE, "job", JOBS, by="place", groups=["s"], person="who")
    assert {"s": {"clerk": 0, "nurse": 2, "smith": 0}} == grouped


def test_a_decimal_comma_is_one_in_bins(tmp_path) -> None:
    """As the file declares."""
    path = tmp_path / "people.csv"
    path.write_text("age;job\n1,5;a\n2,5;b\n")
    file = dps.data.TableFile.of(path, separator=";", decimal=",")

    assert {"[0, 2)": 1, "[2, 3]": 1} == exact(file, "age", bins=[0, 2, 3])


def test_results_below_zero_stay_or_are_clipped() -> None:
    """By a public choice; sums of what stays are right on average."""
    for negative, least in (("keep", -5), ("clip", 0)):
        release = counts_of(
            {"job": []},
            1,
            "job",
            JOBS,
            negative=negative,
            session_factory=session_factory_of(lambda: type("Low", (), {"noisy": _low})()),
        )
        assert dict.fromkeys(JOBS, least) == release.value


def _low(_, counts, __):
    return counts - 5


@pytest.mark.parametrize("most", [1, 2])
def test_no_person_moves_the_law_by_more_than_epsilon(most: int) -> None:
    """Exactly, over all tables of two persons; and a person of as many rows reaches it."""
    loss, _ = worst(
        lambda table, session_factory: counts_of(
            table, 1, "what", [0, 1], person="who", rows_per_person=most, session_factory=session_factory
        ),
        person_less(3),
    )
    assert math.isclose(1, loss, rel_tol=1e-9)


@pytest.mark.parametrize("grouped", [{}, {"by": "who", "groups": [0, 1]}])
def test_no_row_moves_the_law_by_more_than_epsilon(grouped: dict) -> None:
    """Exactly, with and without groups."""
    loss, _ = worst(
        lambda table, session_factory: counts_of(table, 1, "what", [0, 1], **grouped, session_factory=session_factory),
        row_less(2),
    )
    assert math.isclose(1, loss, rel_tol=1e-9)


def test_the_noise_of_one_row_is_too_little_for_a_person() -> None:
    """The test of the law can fail."""
    assert "loss 2.000" in counterexample(
        lambda held, session_factory: counts_of(held, 2, "what", [0, 1], person="who", session_factory=session_factory)
    )


@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1), Fraction(3)])
@pytest.mark.parametrize("cells", [1, 7, 1000])
def test_the_accuracy_is_the_least_that_the_law_gives(rate: Fraction, cells: int) -> None:
    """By adding the law up."""
    bound = within(rate, cells)
    inside = [
        float(np.exp(discrete_laplace(np.arange(-size, size + 1), rate)).sum()) if size >= 0 else 0.0
        for size in (bound - 1, bound)
    ]
    assert inside[0] ** cells < 0.95 <= inside[1] ** cells


def test_a_release_says_what_it_promises(tmp_path) -> None:
    """In the ledger, in a certificate, in a notebook; its accuracy counts every cell of every group."""
    ledger = dps.Ledger.open(tmp_path / "people.ledger", epsilon=3, neighbours="person")
    release = dps.counts(
        TABLE,
        epsilon=1,
        column="job",
        domain=JOBS,
        by="place",
        groups=["n", "s"],
        person="who",
        rows_per_person=2,
        ledger=ledger,
    )

    (event,) = ledger.events
    assert (1, "person", "two-sided geometric noise", "2") == (
        event.epsilon, event.neighbours, event.mechanism, event.metadata["rows_per_person"],
    )  # fmt: skip
    assert dps.Guarantee(1, "person") == release.guarantee
    assert within(Fraction(1, 2), 6) == release.error_bound.at() - 1
    assert within(Fraction(1), 1) == dps.counts(TABLE, epsilon=1, column="job", domain=["nurse"]).error_bound.at() - 1
    assert "nurse" in release._repr_html_()
    assert ["n", "s"] == list(release.certificate(ledger=ledger, row=1).content["answer"])


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ({}, dps.PrivacyError, "pass domain"),
        ({"domain": JOBS, "bins": [1, 2]}, ValueError, "one of the two"),
        ({"domain": JOBS, "by": "place"}, dps.PrivacyError, "groups"),
        ({"domain": JOBS, "groups": ["n"]}, ValueError, "their column"),
        ({"domain": JOBS, "rows_per_person": 2}, ValueError, "pass person"),
        ({"domain": JOBS, "person": "who", "rows_per_person": 0}, ValueError, "at least 1"),
        ({"domain": JOBS, "negative": "drop"}, ValueError, "keep or clip"),
        ({"domain": range(3000), "by": "place", "groups": range(3000)}, ValueError, "at most 4194304 cells"),
        ({"domain": JOBS, "epsilon": 0}, ValueError, "positive"),
        ({"domain": JOBS, "epsilon": 1e-13}, ValueError, "too small"),
        ({"bins": [3, 2]}, ValueError, "larger than the one before"),
        ({"bins": [3]}, ValueError, "at least two"),
        ({"bins": ["a", "b"]}, TypeError, "public edges"),
        ({"bins": [0, 2**53]}, ValueError, "beyond 2"),
        ({"column": "name", "domain": JOBS}, ValueError, "no column 'name'"),
        ({"table": "duckdb://x?table=t", "domain": JOBS}, FileNotFoundError, "name a database that exists"),
    ],
)
def test_what_is_refused_is_refused_before_the_spend(asked, error, said: str, tmp_path) -> None:
    """In one sentence."""
    ledger = dps.Ledger.open(tmp_path / "people.ledger", epsilon=1)
    with pytest.raises(error, match=said):
        dps.counts(**{"table": TABLE, "epsilon": 1, "column": "job", "ledger": ledger} | asked)
    assert () == tuple(ledger.events)


@pytest.mark.parametrize("cell", [None, "", [], {"a": 1}, float("nan"), b"x", pd.NaT, 10**400, object(), "\ud800"])
def test_no_cell_decides_whether_there_is_an_answer(cell) -> None:
    """As value, number, group or person; other rows count as before."""
    for name in TABLE:
        table = {key: [*cells, cell if key == name else cells[0]] for key, cells in TABLE.items()}
        after = exact(table, "job", ["nurse", "smith"], person="who", rows_per_person=2, by="place", groups=["n", "s"])
        # Some cells name a person of their own, who counts.
        assert sum(each["nurse"] for each in after.values()) in {2, 2 + (name == "who")}
        assert 1 == sum(each["smith"] for each in after.values())
        assert 4 <= sum(exact(table, "age", bins=[0, 200]).values()) <= 5


def test_bins_hold_their_lower_edge_and_the_last_its_upper_one() -> None:
    """Whatever the type of the numbers, and none beyond."""
    bins = Bins.of([0, 0.5, 2])

    assert ["[0, 0.5)", "[0.5, 2]"] == bins.names
    assert [-1, 0, 1, 1, -1, -1] == np.minimum(bins.codes([-1e-9, 0, 0.5, 2, 2.1, float("inf")]), 1).tolist()
    assert [0, 1] == bins.codes(["0", "1"]).tolist()
    assert [-1, -1] == bins.codes(pd.Series([2**53 + 1, None])).tolist()
