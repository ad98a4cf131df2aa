"""What a whole fit costs, exactly: small tables, one row more, forced to the same releases."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from dpselect.audit import loss_of_transcript, rho_between
from dpselect.learn import DPRandomForestClassifier
from dpselect.learn.forest.temperature import STEPS
from dpselect.release.system_noise import SystemNoise
from tests.learn.boosted.doors import DELTA, KNOWN, authenticator_of, bumpy, records_of, rho_of, run_of

TABLES = ((), ((0, 0, 0),), ((1, 2, 1), (0, 1, 0)))
MORE = ((0, 0, 1), (1, 2, 0), (0, 1, 1))


def scripts(classes: int):
    """Releases that make the record that is added as surprising as can be, and others."""

    def surprising(values, variance):
        """Leaves that hold nobody but the first class, and slopes that say so."""
        del variance
        answer = np.zeros(values.shape, dtype=np.int64)
        answer.reshape(-1, classes if values.size % classes == 0 else 1)[:, 0] = 10**5
        return answer

    def far(values, variance):
        """Sums far from the true ones, of both signs."""
        del variance
        return values + np.where(np.arange(values.size).reshape(values.shape) % 2, 10**6, -(10**6))

    return surprising, far, None


@pytest.mark.parametrize("classes", [2, 3])
def test_no_concentrated_transcript_costs_more_than_rho(classes: int) -> None:
    """The rho of every draw, in fractions, added up: at most what was paid, and nearly that."""
    model, worst = DPRandomForestClassifier(1, n_trees=3), Fraction(0)
    for rows, more, script in itertools.product(TABLES, MORE, scripts(classes)):
        parts = rho_between(run_of(model, rows, classes), run_of(model, (*rows, more), classes), script)
        assert 2 + 3 + 2 * STEPS == len(parts)
        # Class counts, survey and leaves cost what they may; the slopes of a record are seldom the largest.
        assert Fraction(95, 100) * rho_of(model) <= sum(parts[:5]) <= rho_of(model)
        worst = max(worst, sum(parts))

    assert Fraction(96, 100) * rho_of(model) < worst <= rho_of(model)


@pytest.mark.parametrize("classes", [2, 3])
def test_every_pure_draw_at_its_worst_loses_no_more_than_epsilon(classes: int) -> None:
    """After several answers, in fractions: each draw is scaled to how far a record moves it."""
    model, worst = DPRandomForestClassifier(1, delta=0, n_trees=2), Fraction(0)
    program = model._fit_plan(KNOWN, list(range(classes)), Fraction(1))
    guarantee, rng = model._promise(Fraction(1)), np.random.default_rng(0)
    for rows, more in itertools.product(TABLES, MORE):
        here, there = (records_of(table, classes) for table in (rows, (*rows, more)))
        worst = max(worst, loss_of_transcript(program, here, there, guarantee, lambda n: rng.integers(0, n)))

    assert Fraction(95, 100) < worst <= 1


@pytest.mark.parametrize("delta", [0, DELTA])
@pytest.mark.parametrize("classes", [1, 2])
def test_a_fit_leaves_nothing(delta, classes: int) -> None:
    """What was paid for is used, to the last fraction; of one class, which needs no slope, too."""
    assert 0 == run_of(DPRandomForestClassifier(1, delta=delta, n_trees=7), TABLES[classes], classes)(SystemNoise())


@pytest.mark.parametrize("rows_per_person", [1, 3])
def test_all_rows_of_a_person_cost_no_more_than_rho(rows_per_person: int) -> None:
    """m of them move every count m times as far, so records pay with rho / m^2; more rows are not read."""
    table, labels = bumpy(60)
    table["id"] = np.repeat(np.arange(12), 5)
    table["x"][:5], table["job"][:5], table["noise"][:5], labels[:5] = 5.0, "c", 0.5, 1
    model = DPRandomForestClassifier(
        1,
        n_trees=2,
        person="id",
        rows_per_person=rows_per_person,
        domains={"x": (0, 10), "job": ["a", "b", "c", "d"], "noise": (0, 1)},
        classes=[0, 1],
    )

    def run_without(person: int):
        mask = table["id"] != person

        def run(outcomes):
            model._session_factory = authenticator_of(outcomes)
            model.fit({name: cells[mask] for name, cells in table.items()}, labels[mask])

        return run

    costs = [sum(rho_between(run_without(-1), run_without(0), script)) for script in scripts(2)]
    assert Fraction(95, 100) * rho_of(model) < max(costs) <= rho_of(model)


def test_rows_of_a_person_share_what_is_paid() -> None:
    """A pure epsilon in proportion to their number, a rho by its square."""
    person = {"person": "id", "rows_per_person": 4}

    assert Fraction(1, 4) == DPRandomForestClassifier(1, delta=0, **person)._share(Fraction(1))
    model = DPRandomForestClassifier(1, **person)
    assert rho_of(model) / 16 == model._share(Fraction(1))
