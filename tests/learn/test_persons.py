"""With ``person=`` the promise is for persons: one row of a person may push another out, which costs more."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit.scripted_noise import ScriptedNoise, transcripts
from dpselect.learn import (
    DPBoostedTreesClassifier,
    DPBoostedTreesRegressor,
    DPEvolutionaryTreeClassifier,
    DPID3Classifier,
    DPRandomForestClassifier,
    DPSearch,
    DPTreeClassifier,
    DPTreeRegressor,
)
from dpselect.papers import RandomDecisionForestClassifier
from dpselect.release.open_session import session_factory_of

EPSILON = Fraction(1, 2)
Row = tuple[int, int, int]
# A row without its person: its column, and its class.
KINDS = [(0, 0), (0, 1)]
PEOPLE = {
    "who": np.arange(60) // 3,
    "a": np.tile([0, 1], 30),
    "label": np.tile([0, 1, 1], 20),
}
OF_CLASSES: dict[str, Any] = {
    "tree": DPTreeClassifier(),
    "id3": DPID3Classifier(),
    "forest of random decisions": RandomDecisionForestClassifier(n_trees=2, max_depth=1),
    "evolutionary": DPEvolutionaryTreeClassifier(population=4, generations=1),
    "forest": DPRandomForestClassifier(n_trees=2),
    "boosted": DPBoostedTreesClassifier(rounds=2),
    "forest, pure": DPRandomForestClassifier(n_trees=2, delta=0),
    "boosted, pure": DPBoostedTreesClassifier(rounds=2, delta=0),
}
OF_NUMBERS: dict[str, Any] = {
    "regression tree": DPTreeRegressor(target=(0, 1)),
    "boosted regression": DPBoostedTreesRegressor(rounds=2, target=(0, 1)),
    "boosted regression, pure": DPBoostedTreesRegressor(rounds=2, target=(0, 1), delta=0),
}


def labels(most: int) -> RandomDecisionForestClassifier:
    """A tree whose leaves select their labels, of whose persons so many rows count."""
    return RandomDecisionForestClassifier(
        EPSILON, n_trees=1, max_depth=1, domains={"a": [0, 1]}, classes=[0, 1], person="who", rows_per_person=most
    )


def law(most: int, rows: tuple[Row, ...]) -> dict[tuple[int, ...], float]:
    """The log-chance of every transcript of a fit to these rows."""
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3)
    table = {"who": columns[:, 0], "a": columns[:, 1], "label": columns[:, 2]}

    def run(outcomes: ScriptedNoise) -> None:
        model = labels(most)
        model._session_factory = session_factory_of(lambda: outcomes)
        model.fit(table, "label")

    return dict(transcripts(run))


def loss(most: int, one: tuple[Row, ...], other: tuple[Row, ...]) -> float:
    """The largest log-ratio of two tables, over every transcript."""
    here, there = law(most, one), law(most, other)
    assert here.keys() == there.keys()
    return max(abs(chance - there[script]) for script, chance in here.items())


def persons(most: int) -> Iterator[tuple[Row, ...]]:
    """Everybody who has from one row to one row more than count."""
    for rows in range(1, most + 2):
        for kinds in itertools.product(KINDS, repeat=rows):
            yield tuple((7, *kind) for kind in kinds)


def test_one_row_of_a_person_who_stays_may_cost_more_so_the_claim_is_for_persons() -> None:
    """It takes the place of a row that counted: two steps, each of which costs epsilon."""
    stays = (7, 0, 0)

    assert loss(1, (stays,), ((7, 0, 1), stays)) > 1.4 * EPSILON
    assert dps.Guarantee(EPSILON, "person") == labels(1).fit(PEOPLE, "label").privacy_spent_


@pytest.mark.parametrize("most", [1, 2])
def test_no_person_of_any_number_of_rows_costs_more_than_epsilon(most: int) -> None:
    """Beside nobody and beside somebody else, whose rows all stay; and most of epsilon is used."""
    others: tuple[tuple[Row, ...], ...] = ((), ((3, 0, 1),))
    worst = max(loss(most, other, (*person, *other)) for other in others for person in persons(most))

    assert 0.99 * EPSILON < worst <= EPSILON * (1 + 1e-9)


@pytest.mark.parametrize("name", [*OF_CLASSES, *OF_NUMBERS])
def test_every_estimator_promises_persons_and_pays_from_a_budget_for_them(name: str) -> None:
    """With ``person=``, and rows without; a budget of the other relation is refused before anything is spent."""
    model = {**OF_CLASSES, **OF_NUMBERS}[name]
    given = {"domains": {"a": [0, 1]}, "epsilon": 2} | ({"classes": [0, 1]} if name in OF_CLASSES else {})
    rows = {column: cells for column, cells in PEOPLE.items() if column != "who"}
    for relation, table, person in (("person", PEOPLE, "who"), ("add-remove", rows, None)):
        other = "add-remove" if relation == "person" else "person"
        model.set_params(**given, person=person, rows_per_person=2)
        with dps.budget(epsilon=2, delta=1e-5, neighbours=relation) as book:
            assert relation == model.fit(table, "label").privacy_spent_.neighbours
        assert 2 == book.totals.epsilon
        with (
            dps.budget(epsilon=2, delta=1e-5, neighbours=other) as book,
            pytest.raises(ValueError, match=f"protects {other} neighbours and the release {relation} neighbours"),
        ):
            model.fit(table, "label")
        assert 0 == book.totals.spends


def test_a_certificate_and_a_file_of_a_model_promise_persons(tmp_path) -> None:
    """With how many rows of one count; what is loaded promises the same."""
    model = labels(2).fit(PEOPLE, "label")
    promise = model.certificate().content["guarantee"]
    model.save(tmp_path / "model.json")

    assert ("person", "one person, of whom at most 2 records count") == (promise["neighbours"], promise["protects"])
    assert dps.Guarantee(EPSILON, "person") == dps.learn.load(tmp_path / "model.json").privacy_spent_


def test_a_search_promises_persons_too() -> None:
    """In each of its runs, in what it adds to a score, and in the fit from all records."""
    search = DPSearch(
        DPTreeClassifier(domains={"a": [0, 1]}, classes=[0, 1], person="who", rows_per_person=2),
        {"max_depth": [1, 2, 3, 4]},
        epsilon=3,
        refit=1,
    )
    with dps.budget(epsilon=3, neighbours="person") as book:
        search.fit(PEOPLE, "label")

    assert dps.Guarantee(3, "person") == search.privacy_spent_ == search.best_estimator_.privacy_spent_
    assert 3 == book.totals.epsilon
    assert search.best_score_ is not None
    with dps.budget(epsilon=3) as book, pytest.raises(ValueError, match="protects add-remove neighbours"):
        search.fit(PEOPLE, "label")
    assert 0 == book.totals.spends
