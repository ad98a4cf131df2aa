"""The signed zero: what D(0) is when delta starts with zeros, and that each of the three is private."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.audit.admissibility import exact_sensitivity
from dpselect.audit.claims import COMBINATION_CLAIMS
from dpselect.kernel.units import TICKS
from dpselect.mechanisms.local_dampening import dampen
from dpselect.scores.zero import SIGNS
from tests.universes import Problem, chain, random_problem

ZEROS = ("best", "worst", "neutral")
DRAWN = ("local-dampening", "local-dampening-flip", "local-dampening-t")


def by_definition(u: Fraction, delta: list[Fraction], sign: int) -> Fraction:
    """D as it is written, in exact arithmetic; the last value of delta goes on for ever."""
    i = 0
    if not u:
        while not delta[min(i, len(delta) - 1)]:
            i += 1
        return Fraction(sign * i)
    left = abs(u)
    while left >= (step := delta[min(i, len(delta) - 1)]):
        left -= step
        i += 1
    return (i + left / step) * (1 if u > 0 else -1)


def declared(problem: Problem, zero: str):
    """The utility of a problem with its exact sensitivity and a declared zero."""
    plain = problem.utility()

    def scores(x: int) -> dps.Scores:
        found = plain(x)
        return dps.Scores(found.values, found.sensitivity, range_bound=found.range_bound, zero=zero)

    return scores


def with_zeros(seed: int) -> Problem:
    """A random space on which many scores are zero, and often nothing else near."""
    problem = random_problem(seed, 9, 3)
    values = problem.values - 3
    values = np.minimum(values, 0) if seed % 3 == 0 else np.maximum(values, 0) if seed % 3 == 1 else values
    values[np.abs(values) <= seed % 4] = 0
    # Candidates that are zero everywhere else move on one far database only.
    values[-1, 0] = 5 if seed % 2 else -5
    return Problem(problem.universe, values)


# Zeros that are safe for 0 to 4 steps, one fewer and the other more with every step; and one that never moves.
FACING = chain([(min(0, 4 - x), min(0, x - 4)) for x in range(9)])
NEVER = chain([(min(0, 4 - x), min(0, x - 4), 0) for x in range(9)])
PROBLEMS = [FACING, NEVER, chain(-FACING.values), chain(-NEVER.values), *(with_zeros(seed) for seed in range(60))]
# All of them are slow.
FEW = PROBLEMS[:16]


@pytest.mark.parametrize(("zero", "expected"), [("best", 5.0), ("worst", -5.0), ("neutral", 0.0)])
def test_zero_is_the_number_of_leading_zeros_with_the_declared_sign(zero: str, expected: float) -> None:
    """T = 5; scores that are not zero are as they were."""
    at = dps.sensitivity.local(lambda t: 0 if t < 5 else 1, ceiling=1).over(4)

    assert [expected, 5.5, -6.0, expected] == dampen(np.array([0.0, 0.5, -1.0, -0.0]), at, zero).tolist()


@pytest.mark.parametrize("reach", [None, 0, 1, 7, 100])
@pytest.mark.parametrize("zeros", [0, 1, 2, 3, 6, 7, 40])
def test_leading_zeros_are_counted_up_to_the_reach(reach: int | None, zeros: int) -> None:
    """From the reach on the sensitivity is the ceiling, so nothing has more zeros than that."""
    at = dps.sensitivity.element(
        lambda t: [float(t >= zeros), 1.0, float(t >= 2 * zeros)], ceiling=1, reach=reach
    ).over(3)
    most = 10**9 if reach is None else reach

    assert [min(zeros, most), 0, min(2 * zeros, most)] == dampen(np.zeros(3), at, "best").tolist()


@pytest.mark.parametrize("ceiling", [None, 3])
def test_zeros_without_an_end_count_as_the_public_end_of_the_walk(ceiling: float | None) -> None:
    """2^20 where no reach is known, with few calls of the function."""
    asked = []

    def rows(t: np.ndarray) -> np.ndarray:
        asked.append(t)
        return np.zeros((t.size, 1))

    at = dps.sensitivity.profiles(rows, ceiling=ceiling).over(2)

    assert [-(2.0**20)] * 2 == dampen(np.zeros(2), at, "worst").tolist()
    assert len(asked) < 100
    far = dps.sensitivity.profiles(rows, ceiling=3, reach=2**40).over(1)
    assert [2.0**24] == dampen(np.zeros(1), far, "best").tolist()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 300), min_size=1, max_size=12), st.integers(0, 2**32))
def test_every_candidate_has_its_own_zeros(zeros: list[int], seed: int) -> None:
    """By rows and by profiles that candidates share, for any mixture."""
    profile = np.random.default_rng(seed).integers(len(zeros), size=20)

    def rows(t: np.ndarray) -> np.ndarray:
        return np.where(t[:, None] >= np.array(zeros), 0.5, 0.0)

    at = dps.sensitivity.profiles(rows, profile=profile, ceiling=1).over(20)

    assert np.array(zeros)[profile].tolist() == dampen(np.zeros(20), at, "best").tolist()


@pytest.mark.parametrize("problems", [FEW, pytest.param(PROBLEMS, marks=pytest.mark.slow)], ids=len)
@pytest.mark.parametrize("zero", ZEROS)
def test_neighbours_are_at_most_one_unit_apart(zero: str, problems: list[Problem]) -> None:
    """Exact rational arithmetic on every pair of neighbours, and floats and ticks of the library beside it."""
    worst = Fraction(0)
    for problem in problems:
        utility, exact = declared(problem, zero), exact_sensitivity(problem.universe, problem.values.astype(float))
        if not exact.max():
            continue
        ceiling = Fraction(float(exact.max()))
        table = []
        for x in range(len(problem.values)):
            scores = utility(x)
            delta = [[*(Fraction(d) for d in exact[:, x, r].tolist()), ceiling] for r in range(len(scores))]
            row = [by_definition(Fraction(int(u)), delta[r], SIGNS[zero]) for r, u in enumerate(problem.values[x])]
            found = dampen(scores.values.astype(float), scores.sensitivity, zero).tolist()
            assert all(abs(d - Fraction(f)) <= Fraction(1, 2**21) for d, f in zip(row, found, strict=True))
            table.append((row, dps.mechanism("local-dampening").effective(scores)))
        for x, y in problem.universe.pairs().tolist():
            worst = max(worst, *(abs(a - b) for a, b in zip(table[x][0], table[y][0], strict=True)))
            moved = table[x][1].ticks - table[y][1].ticks
            assert np.abs(moved).max() <= TICKS + 1
            assert np.ptp(moved) <= table[x][1].span
    assert worst == 1


@pytest.mark.parametrize(
    ("zero", "problems"),
    [("best", FEW[:12]), *(pytest.param(zero, PROBLEMS, marks=pytest.mark.slow) for zero in ZEROS)],
    ids=lambda each: each if isinstance(each, str) else len(each),
)
@pytest.mark.parametrize("name", DRAWN)
def test_the_exact_loss_is_at_most_epsilon(name: str, zero: str, problems: list[Problem]) -> None:
    """Where two zeros face each other it is nearly attained."""
    mechanism = dps.mechanism(name)
    problems = problems[:12] if name == "local-dampening-t" else problems
    for epsilon in (0.01, 1, 8):
        for problem in problems:
            loss = dps.audit.privacy_loss(mechanism, declared(problem, zero), problem.universe, epsilon=epsilon)
            assert loss.holds, loss
    tight = dps.audit.privacy_loss(mechanism, declared(FACING, "best"), FACING.universe, epsilon=8)
    assert tight.worst > 7


@pytest.mark.parametrize(
    "zero", ["best", *(pytest.param(zero, marks=pytest.mark.slow) for zero in ("worst", "neutral"))]
)
def test_pareto_scores_of_small_graphs_and_rates_are_private(zero: str) -> None:
    """All graphs of four nodes, and four records: exact loss with each zero, not only the one that is declared."""
    for claim in COMBINATION_CLAIMS:
        if claim.name.startswith("pareto"):

            def utility(x: object, claim=claim) -> dps.Scores:
                found = claim.utility(x)
                return dps.Scores(found.values, found.sensitivity, found.candidates, found.neighbours.value, zero=zero)

            loss = dps.audit.privacy_loss(dps.mechanism("local-dampening-flip"), utility, claim.universe(), epsilon=1)
            assert loss.holds, (claim.name, loss)


def test_a_sign_from_the_data_loses_more_and_is_not_admissible() -> None:
    """Each of the three is private; to choose among them by looking is not."""
    mechanism = dps.mechanism("local-dampening")
    near = chain([(1, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 1)])

    def of_data(x: int) -> dps.Scores:
        return declared(near, "worst" if near.values[x].max() > 0 else "best")(x)

    assert not dps.audit.privacy_loss(mechanism, of_data, near.universe, epsilon=1).holds
    for zero in ZEROS:
        assert dps.audit.privacy_loss(mechanism, declared(near, zero), near.universe, epsilon=1).holds
    verdict = dps.audit.admissible(of_data, near.universe)
    assert not verdict.admissible
    assert "zero is public" in verdict.counterexample


def test_a_robust_front_wins_and_a_safe_winner_stays() -> None:
    """Pareto scores: the candidate that nothing near can beat. 0/1: the winner, and the hopeless are far below."""
    speed = dps.Scores([900, 1, 2], 1, kind="integer")
    price = dps.Scores([800, 3, 1], 1, kind="integer")
    law = dps.mechanism("local-dampening").pmf(dps.multiobjective.pareto([speed, price]), 0.1)
    assert law[0] > 0.999

    votes = dps.utilities.majority([100, 1, 0])
    effective = dps.mechanism("local-dampening").effective(votes)
    assert [100, -99, -99] == (effective.ticks / TICKS).tolist()


def test_a_zero_of_either_sign_is_a_matter_of_accuracy() -> None:
    """Erratum to Definition 3.3.1: +T, as printed, keeps a Pareto lead and leaves nothing of that of a 0/1 score."""
    dampening, votes = dps.mechanism("local-dampening"), dps.utilities.majority([50, 20, 20])
    speed, price = (dps.Scores([200, 1, 2], 1, kind="integer") for _ in range(2))

    def chance(scores: dps.Scores, zero: str) -> float:
        return float(dampening.pmf(dps.Scores(scores.values, scores.sensitivity, zero=zero), 0.1)[0])

    # The lead is 30 steps: 1, 31 or 61 units ahead of two others.
    for zero, lead in (("best", 1), ("neutral", 31), ("worst", 61)):
        assert pytest.approx(1 / (1 + 2 * np.exp(-0.05 * lead)), abs=1e-5) == chance(votes, zero)
    flat = dps.mechanism("exponential").pmf(dps.Scores(votes.values, 1), 0.1)[0]
    assert pytest.approx(flat, abs=1e-6) == chance(votes, "best")
    assert votes.zero == "worst"
    front = dps.multiobjective.pareto([speed, price])
    assert chance(front, "best") > 0.9 > 0.4 > chance(front, "neutral") > chance(front, "worst")
    assert front.zero == "best"


def test_shifted_dampening_looks_at_no_zero() -> None:
    """Its score is (u - C) / Du or (u + C) / Du: nothing is special about zero."""
    at = partial(dps.sensitivity.local, lambda t: 0 if t < 5 else 1, ceiling=1, reach=9)
    for name in ("shifted-local-dampening", "shifted-local-dampening-flip"):
        laws = [dps.mechanism(name).pmf(dps.Scores([0.0, -1.0], at(), zero=zero), 1).tolist() for zero in ZEROS]
        assert laws[0] == laws[1] == laws[2]
