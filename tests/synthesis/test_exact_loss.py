"""What a whole synthesis costs, exactly: small tables, one row or person more, forced to the same releases."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit import rho_between
from dpselect.kernel.bound import SquaredBound
from dpselect.ledger import RecordingAccountant
from dpselect.release.open_session import open_session, session_factory_of
from dpselect.release.system_noise import SystemNoise
from dpselect.scores.scores import Scores
from dpselect.synthesis.distance_bounds import Candidate
from dpselect.synthesis.marginal_session import MarginalSession
from dpselect.synthesis.synthesize import SynthesisPlan
from tests.synthesis.sessions import DELTA, METHODS, SameCounts, coded, run_of

SIZES = (3, 2, 3)
TABLES = ((), ((0, 0, 0),), ((1, 1, 2), (0, 1, 0), (0, 0, 1)))
MORE = ((0, 0, 0), (2, 1, 2), (1, 0, 1))
RHO = Fraction(1, 3)


def far(values, variance):
    """Releases far from the true counts, of both signs."""
    del variance
    return values + np.where(np.arange(values.size).reshape(values.shape) % 2, 10**4, -(10**4))


def costs(method: str, session: type[MarginalSession] = MarginalSession) -> list[Fraction]:
    """What every transcript of a few scripts and picks costs, for all of these tables and rows."""
    found = []
    for (rows, more), script in itertools.product(itertools.product(TABLES, MORE), (None, far)):
        rng = np.random.default_rng(len(found))
        runs = [run_of(method, table, SIZES, RHO, session=session) for table in (rows, (*rows, more))]
        parts = rho_between(*runs, script, pick=lambda bounds, rng=rng: rng.integers(0, bounds))
        found.append(sum(parts, Fraction(0)))
    return found


@pytest.mark.parametrize("method", METHODS)
def test_no_transcript_costs_more_than_rho(method: str) -> None:
    """Every choice by its law, every measurement in fractions; and most of it is used."""
    worst = max(costs(method))

    assert Fraction(6, 10) * RHO < worst <= RHO


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("people", [2, 3])
def test_all_rows_of_a_person_cost_no_more_than_rho(method: str, people: int) -> None:
    """Persons with up to as many rows as count, anywhere, also all in one cell."""
    worst = Fraction(0)
    for rows, more in itertools.product(TABLES, ([MORE[0]] * people, [*MORE][:people])):
        rng = np.random.default_rng(people)
        runs = [run_of(method, table, SIZES, RHO, people=people) for table in (rows, (*rows, *more))]
        worst = max(worst, sum(rho_between(*runs, pick=lambda bounds, rng=rng: rng.integers(0, bounds))))

    assert Fraction(6, 10) * RHO < worst <= RHO


class RangeOfOne(MarginalSession):
    """A planted fault: counts go up together, so distances do, too."""

    def _scores(self, candidates):
        scores = super()._scores(candidates)
        return Scores(scores.values, scores.sensitivity, range_bound=1)


class FreeWeights(MarginalSession):
    """A planted fault: a distance moves by one row, whatever it is multiplied by."""

    def _scores(self, candidates):
        values = super()._scores(candidates).values
        return Scores(values, sensitivity=2**10, range_bound=2)


class HalfOfThePersons(MarginalSession):
    """A planted fault: noise of a measurement for rows that are spread over many cells."""

    @property
    def _bound(self) -> SquaredBound:
        return SquaredBound(Fraction(1, 2), self._neighbours)


class ModelOfTheRows(MarginalSession):
    """A planted fault: a score of the private counts alone, without a model, has no bound of a row."""

    def _distance(self, candidate):
        counts = self._counts(candidate.clique)
        return int((counts**2).sum()) * 2**10


def test_each_planted_fault_is_noticed() -> None:
    """A smaller range, a weight without its price, too little noise, and a score that grows with the counts."""
    selections = {fault: dearest_choice(fault) for fault in (RangeOfOne, FreeWeights, ModelOfTheRows)}

    assert 1 >= dearest_choice(MarginalSession)
    assert [] == [fault.__name__ for fault, share in selections.items() if share <= 1]
    assert RHO < max(costs("mst", HalfOfThePersons))


def dearest_choice(session: type[MarginalSession], weight: int = 2) -> float:
    """The largest log-ratio of a choice between neighbours, over all rows that may come, as a share of epsilon."""
    rows, worst = [(0, 0, 0)] * 4 + [(1, 1, 2)] * 2, 0.0
    mechanism = dps.mechanism("exponential")
    overrated = Candidate((0, 1), SameCounts(np.where(np.arange(6).reshape(3, 2) == 0, 60.0, 0.0)), weight=weight)
    underrated = Candidate((0, 2), SameCounts(np.zeros((3, 3))), weight=weight)
    for more in itertools.product(*map(range, SIZES)):
        with open_session(dps.Guarantee.from_rho(1, DELTA, "add-remove")) as draws:
            pmfs = [
                mechanism.pmf(session(coded(table, SIZES), draws, SIZES)._scores([overrated, underrated]), 1)
                for table in (rows, [*rows, more])
            ]
        worst = max(worst, *np.abs(np.diff(np.log(pmfs), axis=0)).ravel().tolist())
    return worst


@pytest.mark.parametrize(
    ("method", "budgets", "sizes"),
    [
        *((method, 20, SIZES) for method in METHODS),
        *(pytest.param(method, 1000, (2, 2), marks=pytest.mark.slow) for method in ("mst", "aim-2")),
        pytest.param("aim-3", 300, (2, 2, 2), marks=pytest.mark.slow),
    ],
)
def test_no_budget_is_refused_half_way(method: str, budgets: int, sizes: tuple[int, ...]) -> None:
    """Random fractions of rho, also floats as they are: all of it is spent, and nothing is refused."""
    rng = np.random.default_rng(budgets)
    rows = [tuple(row) for row in rng.integers(0, sizes, (20, len(sizes))).tolist()]
    for _ in range(budgets):
        rho = Fraction(int(rng.integers(1, 10**6)), int(rng.integers(1, 10**6)))
        rho = Fraction(float(10 ** rng.uniform(-6, 2))) if rng.random() < 0.5 else rho
        left, session, _ = run_of(method, rows, sizes, rho)(SystemNoise())

        assert 0 == left
        assert rho == sum(step.rho + step.choice for step in session.steps)


@pytest.mark.parametrize("method", METHODS)
def test_a_stop_at_any_moment_pays_once(method: str) -> None:
    """The whole is recorded before the first draw; what stops afterwards takes nothing back and pays no more."""

    class Stop(SystemNoise):
        """Stops at one of the draws."""

        left = 0

        def gaussian(self, values, variance):
            """Stop, or draw."""
            self.left -= 1
            if self.left < 0:
                raise KeyboardInterrupt
            return super().gaussian(values, variance)

    table = {"a": ["x", "y"] * 20, "b": ["x", "y"] * 20, "c": [0, 1] * 20}
    columns = {"a": ["x", "y"], "b": ["x", "y"], "c": [0, 1]}
    for draws in range(4):
        ledger = RecordingAccountant("sum")
        plan = SynthesisPlan.of(
            dps.Dataset.of(table, columns=columns), epsilon=1, delta=DELTA, method=method.partition("-")[0]
        )
        noise = Stop()
        noise.left = draws
        with pytest.raises(KeyboardInterrupt):
            plan.release(table, ledger, session_factory_of(lambda noise=noise: noise))

        assert (1, 1) == (len(ledger.spends), ledger.spends[0].guarantee.epsilon)


@pytest.mark.parametrize("weight", [1, 3])
def test_a_choice_loses_at_most_epsilon_and_nearly_that(weight: int) -> None:
    """Between rows that the model overrates in one pair and underrates in the other, whatever a row weighs."""
    assert 0.95 < dearest_choice(MarginalSession, weight) <= 1
