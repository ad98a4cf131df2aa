"""What a whole fit costs, exactly: all small tables, one row more, forced to the same releases."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from dpselect.audit import loss_of_transcript, rho_between
from dpselect.audit.coupled_noise import RecordingNoise, RepeatingNoise
from dpselect.learn import DPBoostedTreesClassifier
from dpselect.learn.boosted.budget_shares import Shares
from dpselect.learn.boosted.rule import BY_RHO_RULE, PURE, hessian_share, loss_of_classes
from tests.learn.boosted.doors import DELTA, DOMAINS, KNOWN, authenticator_of, bumpy, records_of, rho_of, run_of
from tests.losses import losses

TABLES = ((), ((0, 0, 0),), ((1, 2, 1), (0, 1, 0)))
MORE = ((0, 0, 1), (1, 2, 0), (0, 1, 1))
# Released numbers beyond all true ones, below and above: there the log-ratio is largest.
FAR = (-(10**6), 10**6)


@pytest.mark.parametrize("rounds", [1, 3, 40, 200, 9999])
@pytest.mark.parametrize("rule", [BY_RHO_RULE, PURE])
def test_the_parts_are_the_whole(rule, rounds: int) -> None:
    """In fractions, whatever the budget and however many rounds."""
    for total, classes in itertools.product((Fraction(1), Fraction(2435597035, 10**11), Fraction(7, 3)), (2, 3, 10)):
        loss = loss_of_classes(classes, squared=rule is BY_RHO_RULE)
        weight = hessian_share(rule, loss, squared=rule is BY_RHO_RULE)
        shares = Shares(total, total * rule.counts, total * rule.survey, weight)

        assert total == shares.counts + shares.survey + rounds * sum(shares.of_round(rounds))
        assert 0 < weight < Fraction(1, 2)


def test_no_pure_transcript_loses_more_than_epsilon() -> None:
    """Every transcript of a round on all these tables; and the budget is used, not wasted."""
    model = DPBoostedTreesClassifier(Fraction(1, 2), delta=0, rounds=1)
    worst = max(losses(lambda rows: run_of(model, rows), TABLES, MORE, FAR))

    assert 0.95 * 0.5 < worst <= 0.5 * (1 + 1e-9)


@pytest.mark.parametrize("classes", [2, 3])
def test_every_pure_draw_at_its_worst_loses_no_more_than_epsilon(classes: int) -> None:
    """Several rounds after several answers, in fractions: each draw is scaled to how far a record moves it."""
    model, worst = DPBoostedTreesClassifier(1, delta=0, rounds=3), Fraction(0)
    program = model._fit_plan(KNOWN, list(range(classes)), Fraction(1))
    guarantee, rng = model._promise(Fraction(1)), np.random.default_rng(0)
    for rows, more in itertools.product(TABLES, MORE):
        here, there = (records_of(table, classes) for table in (rows, (*rows, more)))
        worst = max(worst, loss_of_transcript(program, here, there, guarantee, lambda n: rng.integers(0, n)))

    assert Fraction(95, 100) < worst <= 1


def scripts(skew: float):
    """Releases that make the record that is added as surprising as can be, and others."""

    def surprising(values, variance):
        """Class counts of 1 to 3, nothing else."""
        del variance
        answer = np.zeros(values.shape, dtype=np.int64)
        if values.size in (2, 3):
            answer[:] = 1000
            answer[0] = int(1000 * skew)
        return answer

    def far(values, variance):
        """Sums far from the true ones, of both signs."""
        del variance
        return values + np.where(np.arange(values.size).reshape(values.shape) % 2, 10**6, -(10**6))

    return surprising, far, None


@pytest.mark.parametrize("classes", [2, 3])
def test_no_concentrated_transcript_costs_more_than_rho(classes: int) -> None:
    """The rho of every draw, in fractions, added up: at most what was paid, and nearly that."""
    model, worst = DPBoostedTreesClassifier(1, rounds=3, interactions=True), Fraction(0)
    for rows, more, script in itertools.product(TABLES, MORE, scripts(2.6)):
        parts = rho_between(run_of(model, rows, classes), run_of(model, (*rows, more), classes), script)
        assert 2 + 2 * 3 == len(parts)
        worst = max(worst, sum(parts))

    assert Fraction(9, 10) * rho_of(model) < worst <= rho_of(model)


@pytest.mark.parametrize("pairs", [10, pytest.param(1000, marks=pytest.mark.slow)])
def test_no_pair_of_tables_costs_more_than_rho(pairs: int) -> None:
    """Tables of up to forty records of two or three classes, with and without interactions, other noise in each."""
    rng, worst = np.random.default_rng(pairs), Fraction(0)
    for pair in range(pairs):
        classes = 2 + pair % 2
        *rows, more = map(tuple, rng.integers(0, (2, 3, classes), (rng.integers(1, 40), 3)).tolist())
        model = DPBoostedTreesClassifier(4, rounds=6, interactions=bool(pair % 3))
        runs = [run_of(model, table, classes) for table in (rows, [*rows, more])]
        worst = max(worst, sum(rho_between(*runs, pick=lambda bounds: rng.integers(0, bounds))) / rho_of(model))

    assert Fraction(3, 4) < worst <= 1


@pytest.mark.parametrize("delta", [0, DELTA])
def test_a_fit_leaves_nothing(delta) -> None:
    """What was paid for is used, to the last fraction."""
    from dpselect.release.system_noise import SystemNoise

    assert 0 == run_of(DPBoostedTreesClassifier(1, delta=delta, rounds=7), TABLES[2])(SystemNoise())


def runs_without(people: tuple[int, ...], **given):
    """Fits of twelve people with five rows each, without one of them; and the model."""
    table, labels = bumpy(60)
    table["id"] = np.repeat(np.arange(12), 5)
    table["x"][:] = 5.0
    labels[:5] = 1
    model = DPBoostedTreesClassifier(1, rounds=2, person="id", domains=DOMAINS, classes=[0, 1], **given)

    def run_without(person: int):
        mask = table["id"] != person

        def run(outcomes):
            model._session_factory = authenticator_of(outcomes)
            model.fit({name: cells[mask] for name, cells in table.items()}, labels[mask])

        return run

    return [run_without(person) for person in people]


@pytest.mark.parametrize("rows_per_person", [1, 3])
def test_all_rows_of_a_person_cost_no_more_than_rho(rows_per_person: int) -> None:
    """m of them move every sum m times as far, so records pay with rho / m^2; more rows are not read."""
    runs, rho = runs_without((-1, 0), rows_per_person=rows_per_person), rho_of(DPBoostedTreesClassifier(1))
    costs = [sum(rho_between(*runs, script)) for script in scripts(2.6)]

    assert rho / 4 < max(costs) <= rho


@pytest.mark.parametrize("rows_per_person", [1, 3])
def test_all_rows_of_a_person_lose_no_more_than_a_pure_epsilon(rows_per_person: int) -> None:
    """Each draw at its worst, in fractions."""
    rng = np.random.default_rng(1)
    recording = RecordingNoise(lambda bounds: rng.integers(0, bounds))
    one, other = runs_without((-1, 0), rows_per_person=rows_per_person, delta=0)
    one(recording)
    repetition = RepeatingNoise(recording)
    other(repetition)

    assert Fraction(1, 2) < repetition.finish() <= 1


def test_pure_rows_of_a_person_pay_with_a_share_of_epsilon() -> None:
    """And those of a promise with a delta with the square of it."""
    person = {"person": "id", "rows_per_person": 4}

    assert Fraction(1, 4) == DPBoostedTreesClassifier(1, delta=0, **person)._share(Fraction(1))
    model = DPBoostedTreesClassifier(1, **person)
    assert rho_of(model) / 16 == model._share(Fraction(1))
    assert rho_of(model) == model._promise(Fraction(1)).rho
