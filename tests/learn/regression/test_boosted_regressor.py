"""The boosted regressor: what a whole fit costs, exactly, faults that this finds, and what it predicts and saves."""

from __future__ import annotations

import importlib
import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import dpselect as dps
from dpselect.audit import loss_of_transcript, rho_between
from dpselect.kernel.bound import Bound, SquaredBound
from dpselect.kernel.rho_conversion import rho_within
from dpselect.learn import DPBoostedTreesRegressor, load
from dpselect.learn.boosted.noise import Moves
from dpselect.learn.export import _checksum
from dpselect.release.open_session import session_factory_of
from dpselect.release.system_noise import SystemNoise
from dpselect.views.gradient_sums import Loss
from dpselect.views.scored_records import ScoredRecords
from dpselect.views.targets import SidedRecords, Targets
from tests.learn.regression.doors import KNOWN, targets_of
from tests.learn.regression.test_tree_regressor import DOMAINS, table
from tests.learn.two_fits import asked

DELTA = Fraction(1, 10**6)
TABLES, MORE = ((), (0, 3), (1, 2, 4)), (0, 1, 5)
RHO = rho_within(Fraction(1), DELTA)


def run_of(model, kinds, epsilon=Fraction(1)):
    """The whole fit on a table, as a function of its outcomes; returns what is left."""
    program, promise = model._fit_plan(KNOWN, [], model._share(epsilon)), model._promise(epsilon)

    def run(outcomes) -> Fraction:
        with session_factory_of(lambda: outcomes)(promise) as draws:
            program(targets_of(kinds), draws)
            return draws.remaining

    return run


def peak(values, variance):
    """A target in the middle half of the range, of many records; nothing else."""
    del variance
    answer = np.zeros(values.shape, dtype=np.int64)
    if values.size == 1:
        answer[:] = 10**6
    elif values.size == 256:
        answer[64:192] = 10**9
    return answer


def far(values, variance):
    """Sums far from the true ones, of both signs."""
    del variance
    return values + np.where(np.arange(values.size).reshape(values.shape) % 2, 10**6, -(10**6))


def cost_by_rho(rounds: int = 2, tables=TABLES) -> Fraction:
    """The most that a fit costs on these tables, with a range that is whole, narrow, or follows far answers."""
    model, worst = DPBoostedTreesRegressor(1, rounds=rounds), Fraction(0)
    for kinds, more, script in itertools.product(tables, MORE, (peak, far)):
        parts = rho_between(run_of(model, kinds), run_of(model, (*kinds, more)), script)
        assert 3 + 2 * rounds == len(parts)
        worst = max(worst, sum(parts))
    return worst


def test_no_transcript_costs_more_than_rho() -> None:
    """The rho of every draw, in fractions, added up: at most what was paid, and nearly that."""
    assert Fraction(9, 10) * RHO < cost_by_rho() <= RHO


def test_every_pure_draw_at_its_worst_loses_no_more_than_epsilon() -> None:
    """Each draw is scaled to how far a record moves it, in fractions."""
    model, worst, rng = DPBoostedTreesRegressor(1, delta=0, rounds=2), Fraction(0), np.random.default_rng(0)
    program = model._fit_plan(KNOWN, [], Fraction(1))
    for kinds, more in itertools.product(TABLES, MORE):
        here, there = targets_of(kinds), targets_of((*kinds, more))
        guarantee = model._promise(Fraction(1))
        worst = max(worst, loss_of_transcript(program, here, there, guarantee, lambda n: rng.integers(0, n)))

    assert Fraction(9, 10) < worst <= 1


@pytest.mark.parametrize("delta", [0, DELTA])
def test_a_fit_leaves_nothing(delta) -> None:
    """What was paid for is used, to the last fraction."""
    assert 0 == run_of(DPBoostedTreesRegressor(1, delta=delta, rounds=7), (0, 1, 2))(SystemNoise())


def one_column(columns: int, width: int) -> Moves:
    """As if a record were in one column of all."""
    del columns
    return Moves(Bound(width), SquaredBound(width**2))


def unclipped_range(records: Targets, low: int, high: int) -> SidedRecords:
    """A range whose ends cut nothing."""
    return SidedRecords(records.codes, records.steps - low, records.sizes, high - low)


def unclipped_residuals(records: ScoredRecords, scores, labels):
    """Gradients of any size."""
    _, hessians = DERIVATIVES(records, scores, labels)
    loss = records._loss
    return (scores[0] - (loss.first + loss.step * labels))[None] * 64.0, hessians


DERIVATIVES = ScoredRecords._derivatives
BOOSTING = "dpselect.learn.regression.boosting"


@pytest.mark.parametrize(
    ("where", "name", "wrong"),
    [
        (importlib.import_module(BOOSTING), "one_pair_of_each", one_column),
        (Targets, "within", unclipped_range),
        (ScoredRecords, "_derivatives", unclipped_residuals),
        (Loss, "hessian_squared", property(lambda _: 2**28)),
    ],
)
def test_a_planted_fault_costs_more_than_rho(where, name: str, wrong, monkeypatch) -> None:
    """A bound of one column, a target or a residual that is not cut, a Hessian bound of a quarter."""
    monkeypatch.setattr(where, name, wrong)

    assert cost_by_rho(1, TABLES[:2]) > RHO


def test_rows_of_a_person_pay_with_the_square() -> None:
    """rho / m^2 with a delta, epsilon / m without one."""
    person = {"person": "id", "rows_per_person": 4}

    assert Fraction(1, 4) == DPBoostedTreesRegressor(1, delta=0, **person)._share(Fraction(1))
    assert RHO / 16 == DPBoostedTreesRegressor(1, **person)._share(Fraction(1))


def fitted(epsilon=5, **given) -> DPBoostedTreesRegressor:
    """A model of the table of two steps."""
    return DPBoostedTreesRegressor(epsilon, **({"domains": DOMAINS, "target": (0, 300)} | given)).fit(table(), "y")


@pytest.mark.parametrize(("interactions", "delta"), [(True, 1e-6), (False, 1e-6), (False, 0)])
def test_it_predicts_and_says_why(interactions: bool, delta) -> None:
    """Steps are found; a prediction is its start plus contributions, inside the range that was found."""
    data = table()
    model = fitted(interactions=interactions, delta=delta)
    values, moves = model.predict(data), model.contributions(data)

    assert model.score(data, data["y"]) > 0.85
    assert (0, 300) == model.target_
    assert 0 <= values.min() <= values.max() <= 300
    inside = np.abs(values - values.mean()) < 20
    assert np.allclose(values[inside], (model.intercept_ + moves.sum(axis=1))[inside])
    assert " because " in model.why({"a": [0.9], "b": ["y"]})[0]
    assert model.feature_importances_[0] > model.feature_importances_[1] > 0
    if not interactions:
        assert 70 > np.ptp(model.curves_[0]) > 40


def test_it_is_saved_and_loaded_and_has_a_page(tmp_path) -> None:
    """The same values everywhere; a file whose range is not one is refused."""
    model, path = fitted(interactions=False), tmp_path / "model.json"
    model.save(path)
    model.save_html(tmp_path / "page.html")
    again = load(path)

    assert (again.predict(table()) == model.predict(table())).all()
    assert (model.privacy_spent_, model.target_) == (again.privacy_spent_, again.target_)
    assert "A prediction starts with" in (tmp_path / "page.html").read_text(encoding="utf-8")
    content = json.loads(path.read_text())
    for change in ({"range": [0, 0, 9]}, {"range": [0, 2**16, 10**6]}, {"target": [5, 5]}, {"range": [0.5, 10, 10]}):
        edited = {name: part for name, part in (content | change).items() if name != "checksum"}
        path.write_text(json.dumps(edited | {"checksum": _checksum(edited)}))
        with pytest.raises(ValueError, match="damaged or was edited"):
            load(path)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"target": None}, dps.PrivacyError, "bounds of the target are public"),
        ({"epsilon": 1e-12}, ValueError, "too small"),
        ({"epsilon": 1e-12, "delta": 0}, ValueError, "too small"),
        ({"rounds": 0}, ValueError, "rounds must be"),
        ({"delta": 2}, ValueError, "delta"),
        ({"interactions": "no"}, ValueError, "interactions is"),
    ],
)
def test_refused_and_nothing_spent(given: dict, error: type[Exception], message: str) -> None:
    """At once, and in one sentence."""
    with dps.budget(epsilon=2) as book, pytest.raises(error, match=message) as refusal:
        fitted(**({"epsilon": 1} | given))

    assert 0 == book.totals.spends
    assert 1 == str(refusal.value).count(". ") + 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Domains and classes are read from the data")
@parametrize_with_checks([DPBoostedTreesRegressor(10, rounds=5, domains="observed-not-private")])
def test_scikit_learn_finds_nothing(estimator, check) -> None:
    """It reads tables by the same code as the tree."""
    asked(check, estimator)
