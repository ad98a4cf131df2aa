"""What one row, or one person, moves a score of ``select`` by: followed over every small table."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

import dpselect as dps
from dpselect import audit
from dpselect.dataset import Dataset
from dpselect.queries import QueryError, Select, query_of
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.settings import read_settings
from dpselect.web.server.state import ServerState
from tests.chance import accept
from tests.web.server.conftest import write

MECHANISMS = ("permute-and-flip", "exponential", "noisy-max-laplace")
EPSILON = Fraction(1)
BOUNDS = {"one sign": (0, 2, 1), "below zero": (-2, -1, 0.5), "both signs": (-1, 2, 1), "halves": (-0.5, 0.5, 0.25)}


class Given:
    """Rows that are given."""

    def __init__(self, rows, dataset: Dataset) -> None:
        self.rows, self.dataset = rows, dataset

    def table(self, columns):
        """Return some columns of the rows."""
        places = [("job", "pay", "who").index(name) for name in columns]
        return {name: [row[place] for row in self.rows] for name, place in zip(columns, places, strict=True)}


def facts_of(bounds, rows_per_person: int = 0) -> Dataset:
    """Return public facts of two jobs and of what they pay."""
    lower, upper, step = bounds
    person = {"person": "who", "rows_per_person": rows_per_person} if rows_per_person else {}
    columns = {"job": ["a", "b"], "pay": {"lower": lower, "upper": upper, "step": step}}
    return Dataset(source="nowhere.csv", columns=columns, **person)


def select(score: str, mechanism: str = "permute-and-flip") -> Select:
    """Return the question."""
    of = ', "of": "pay"' if score.endswith("total") else ""
    asked = query_of(
        f'{{"query": "select", "candidate": "job", "score": "{score}", "mechanism": "{mechanism}", "epsilon": "1"{of}}}'
    )
    assert isinstance(asked, Select)
    return asked


def losses(pairs, facts: Dataset, score: str, mechanism: str) -> list[float]:
    """Return the exact loss of every pair of neighbours."""
    asked, known = select(score, mechanism), dict[tuple, np.ndarray]()

    def law(rows) -> np.ndarray:
        if (key := tuple(rows)) not in known:
            scores = asked._scores(Given(rows, facts))
            values = (-scores if score.startswith("smallest") else scores).values
            known[key] = law_of(tuple(values.tolist()), int(scores.sensitivity.ceiling), scores.range_bound, mechanism)
        return known[key]

    return [loss(law(one), law(other)) for one, other in pairs]


@cache
def law_of(values, sensitivity: int, range_bound: int, mechanism: str) -> np.ndarray:
    """Return the exact law of these scores, once."""
    scores = dps.Scores(values, sensitivity, range_bound=range_bound, kind="integer")
    return dps.mechanism(mechanism).pmf(scores, EPSILON)


def loss(first: np.ndarray, second: np.ndarray) -> float:
    """Return the larger of both losses."""
    return float(np.abs(np.log(first) - np.log(second)).max())


def pairs_of_rows(bounds):
    """Return all pairs of small tables that differ in one row, of two jobs and the ends of what they pay."""
    lower, upper, _ = bounds
    rows = [(job, pay, 0) for job, pay in product("ab", (lower, upper))]
    for size in range(3):
        for table in product(rows, repeat=size):
            for row in rows:
                yield [*table], [*table, row]


def pairs_of_persons(bounds):
    """Return pairs of small tables that differ in a person of up to three rows, before or after another person's."""
    lower, upper, _ = bounds
    rows = [*product("ab", (lower, upper))]
    for others in ([], [("a", upper, "z")], [("b", lower, "z"), ("a", upper, "z")]):
        for size in (1, 2, 3):
            for theirs in product(rows, repeat=size):
                person = [(*row, "new") for row in theirs]
                yield others, [*person, *others]
                yield others, [*others, *person]


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("score", ["largest-count", "smallest-count", "largest-total", "smallest-total"])
@pytest.mark.parametrize("name", BOUNDS)
def test_one_row_is_protected(name, score, mechanism) -> None:
    """The exact loss of every pair of neighbours is at most epsilon, and some pair comes near to it."""
    worst = max(losses(pairs_of_rows(BOUNDS[name]), facts_of(BOUNDS[name]), score, mechanism))

    assert 0.45 < worst <= float(EPSILON) * (1 + 1e-12)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("score", ["smallest-count", "largest-total", "smallest-total"])
@pytest.mark.parametrize("rows_per_person", [1, 2])
@pytest.mark.parametrize("name", ["both signs", pytest.param("one sign", marks=pytest.mark.slow)])
def test_one_person_is_protected(name, rows_per_person, score, mechanism) -> None:
    """With however many rows, in both jobs at once, and with pay of one sign or both."""
    worst = max(losses(pairs_of_persons(BOUNDS[name]), facts_of(BOUNDS[name], rows_per_person), score, mechanism))

    assert 0.3 < worst <= float(EPSILON) * (1 + 1e-12)


def test_the_check_can_fail() -> None:
    """A range bound of 1 for a person who moves one total up and another down is caught."""
    facts, bounds = facts_of(BOUNDS["both signs"], 2), BOUNDS["both signs"]
    asked = select("largest-total", "exponential")

    def wrong(rows) -> np.ndarray:
        right = asked._scores(Given(rows, facts))
        scores = dps.Scores(right.values, Fraction(2), range_bound=1, neighbours="person", kind="integer")
        return dps.mechanism("exponential").pmf(scores, EPSILON)

    assert max(loss(wrong(one), wrong(other)) for one, other in pairs_of_persons(bounds)) > float(EPSILON) * 1.05


LADDER = """
[server]
port = 0

[datasets.shops]
source = "shops.csv"
budget = {epsilon = 20}
shares = {ann = 20}
columns.shop = SHOPS
columns.sold = {lower = 0, upper = 4}
"""
SHOPS = [*"abcdefghijklmnopqrstuvwxyz"]
# In the largest step that divides all: of which one row moves a total by 4. Among many, 1024 draws tell epsilons apart.
TOTALS = (10, 6, 6, 6, *[4] * 14, *[2] * 8)


@pytest.mark.chance(1e-8)
def test_answers_follow_the_law_of_the_library(tmp_path) -> None:
    """As a desk draws them, again and again under one payment: at epsilon, and neither at 0.7 nor at 1.3 of it."""
    path = write(tmp_path, LADDER.replace("SHOPS", json.dumps(SHOPS)))
    rows = [f"{shop},2\n" for shop, total in zip(SHOPS, TOTALS, strict=True) for _ in range(total // 2)]
    (tmp_path / "shops.csv").write_text("shop,sold\n" + "".join(rows), encoding="utf-8")
    server_state = ServerState.open(read_settings(path))
    server_state.people.add("ann", "analyst", "test")
    asked = query_of('{"query": "select", "candidate": "shop", "score": "largest-total", "of": "sold", "epsilon": "2"}')
    jobs = JobQueue(server_state)
    request = jobs.submit("ann", "one", "shops", asked)
    right = dps.Scores(TOTALS, 4, range_bound=1, kind="integer")

    def law(factor: Fraction) -> dict[str, float]:
        return dict(zip(SHOPS, dps.mechanism("permute-and-flip").pmf(right, 2 * factor).tolist(), strict=True))

    verdict = audit.sampler(
        lambda: json.loads(jobs._pay(request, server_state.datasets["shops"])[0]())["answer"]["candidates"][0],
        law(Fraction(1)),
        against={f"{float(factor)} epsilon": law(factor) for factor in (Fraction(7, 10), Fraction(13, 10))},
    )
    assert 1 == server_state.datasets["shops"].account.ledger.totals.spends
    jobs.stop()
    server_state.close()
    accept(verdict)


def test_totals_are_exact() -> None:
    """Numbers move to the grid and into the bounds, what is missing counts nothing, and the unit divides all."""
    facts = facts_of((-0.5, 1, 0.75))
    rows = [("a", 0.2, 0), ("a", 9.0, 0), ("b", -7.0, 0), ("b", float("nan"), 0), ("c", 1.0, 0), ("b", -0.5, 0)]
    totals = select("largest-total")._totals(facts)

    assert (Fraction(1, 4), 4, 1) == (totals.unit, totals.sensitivity, totals.range_bound)
    # 0.25 and 1 for a, twice -0.5 for b.
    assert [5, -4] == totals.scores(Given(rows, facts).table(["job", "pay", "who"])).values.tolist()


def test_of_each_person_the_first_rows_count() -> None:
    """In all jobs together."""
    facts = facts_of((0, 2, 1), 2)
    rows = [("a", 2, "x"), ("b", 1, "x"), ("b", 2, "x"), ("b", 2, "y"), ("c", 2, "z")]
    scores = select("largest-total")._scores(Given(rows, facts))

    assert ([2, 3], "person", 1) == (scores.values.tolist(), scores.neighbours.value, scores.range_bound)


def test_bounds_of_too_many_digits_are_refused() -> None:
    """Before anything is spent: a mechanism could not tell such units apart."""
    lower = Fraction("0.1234567890123")
    with pytest.raises(QueryError, match="too many digits"):
        select("largest-total").candidates(facts_of((lower, lower + 5, 1), 1000))
