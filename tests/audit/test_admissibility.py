"""The judge of sensitivities."""

import itertools

import numpy as np
import pytest

import dpselect as dps
from dpselect import audit
from dpselect.audit.admissibility import exact_sensitivity
from tests.universes import chain, random_problem


def brute_force(problem, t: int) -> np.ndarray:
    """Element local sensitivity by definition: all databases within t, all their neighbours."""
    universe, values = problem.universe, problem.values
    result = np.zeros(values.shape)
    for x in range(len(universe)):
        for y in np.flatnonzero((universe.distances(x) >= 0) & (universe.distances(x) <= t)):
            result[x] = np.maximum(result[x], np.abs(values[universe.near[y]] - values[y]).max(axis=0))
    return result


@pytest.mark.parametrize("seed", range(8))
def test_dynamic_programming_gives_the_definition(seed: int) -> None:
    """At every distance, and it stops where nothing changes any more."""
    problem = random_problem(seed, databases=9)
    exact = exact_sensitivity(problem.universe, problem.values.astype(float))

    for t, table in enumerate(exact):
        assert np.array_equal(brute_force(problem, t), table)
    assert np.array_equal(brute_force(problem, 9), exact[-1])


@pytest.mark.parametrize("seed", range(6))
def test_exact_sensitivity_is_admissible_and_tight(seed: int) -> None:
    """LS is the smallest admissible function; forced to the ceiling from the reach on it stays admissible."""
    problem = random_problem(seed)
    verdict = audit.admissible(problem.utility(), problem.universe)

    assert verdict.admissible
    assert verdict.tight > 0.5
    assert "bounded" in verdict.kinds


def test_the_smallest_counterexample_is_told_in_words() -> None:
    """The empty multiset, at distance 0, both neighbours named."""
    verdict = audit.admissible(lambda x: dps.Scores([len(x), 0], 0.5), audit.multisets("ab", 3))

    assert not verdict.admissible
    assert verdict.counterexample == (
        "A1 fails on {}: one step to {b} moves candidate 0 from 0 to 1, and the sensitivity at distance 0 is 0.5."
    )
    assert "NOT admissible: A1 fails" in str(verdict)


def test_a_second_step_can_fail_alone() -> None:
    """A1 holds and A2 does not."""
    problem = chain([(0.0,), (0.0,), (4.0,)])

    def utility(x: int) -> dps.Scores:
        return dps.Scores(problem.values[x], dps.sensitivity.local(lambda t: (0.0, 4.0, 4.0)[x] if t < 3 else 4.0))

    verdict = audit.admissible(utility, problem.universe)
    assert verdict.counterexample.startswith("A2 fails on 0") or verdict.counterexample.startswith("A1 fails on 1")


def test_private_reach_and_private_ceiling_are_reported() -> None:
    """Both must be the same on every database."""
    for fact in ({"ceiling": 3.0, "reach": 4}, {"ceiling": 9.0, "reach": 2}):

        def utility(x: int, fact=fact) -> dps.Scores:
            public = {"ceiling": 9.0, "reach": 4}
            return dps.Scores([float(x)], dps.sensitivity.local(lambda t: 1.0, **(fact if x == 2 else public)))

        verdict = audit.admissible(utility, chain([(0,), (1,), (2,)]).universe)
        assert "ceiling and reach are public" in verdict.counterexample


@pytest.mark.parametrize(
    ("rows", "kinds"),
    [
        ([[1.0, 1.0]], {"flat", "non-decreasing", "non-increasing"}),
        ([[1.0, 3.0]], {"non-increasing"}),
        ([[3.0, 1.0]], {"non-decreasing"}),
    ],
)
def test_kinds_are_those_of_section_3_2(rows, kinds) -> None:
    """Candidate 0 always scores more than candidate 1."""
    problem = chain([(9.0, 1.0), (8.0, 0.0), (9.0, 1.0)])
    verdict = audit.admissible(
        lambda x: dps.Scores(problem.values[x], dps.sensitivity.element(lambda t: rows[0], ceiling=3.0)),
        problem.universe,
    )

    assert kinds == set(verdict.kinds) & {"flat", "non-decreasing", "non-increasing"}


def test_the_global_sensitivity_is_stable_and_bounded() -> None:
    """One constant is everything at once."""
    verdict = audit.admissible(lambda x: dps.Scores([x, 0], 1), chain([(0,), (1,), (2,)]).universe)

    assert ("bounded", "flat", "non-decreasing", "non-increasing", "stable") == verdict.kinds


def with_rows(values: list[float], *rows: float):
    """A utility with one row of sensitivities at every distance below 20 and a ceiling of 4."""
    return lambda _: dps.Scores(values, dps.sensitivity.element(lambda _: list(rows), ceiling=4, reach=20))


def test_dominance_depends_on_the_direction() -> None:
    """Definition 4.4.1, corrected: a gain lowers scores in the growing direction and raises them in the other."""
    problem, scores = chain([(0,)]), [3.0, 1.0]
    less_for_the_better, less_for_the_worse, same = (with_rows(scores, *rows) for rows in ((1, 4), (4, 1), (4, 4)))

    for lower, higher, direction in (
        (less_for_the_worse, less_for_the_better, "growing"),
        (less_for_the_better, less_for_the_worse, "shrinking"),
    ):
        assert "" == audit.dominates(lower, same, problem.universe, direction=direction)
        message = audit.dominates(higher, same, problem.universe, direction=direction)
        assert "is the better one" in message
        assert "the first is larger" in audit.dominates(same, lower, problem.universe, direction=direction)
    with pytest.raises(ValueError, match="direction is"):
        audit.dominates(same, same, problem.universe, direction="down")


@pytest.mark.parametrize("direction", ["growing", "shrinking"])
def test_what_dominates_is_never_worse(direction: str) -> None:
    """Lemma 4.4.1 with it: shifted local dampening errs no more with the first, for all rows of three candidates."""
    universe, values = chain([(0,)]).universe, [3.0, 1.0, 0.0]
    mechanism = dps.mechanism("shifted-local-dampening", direction=direction)
    utilities = [with_rows(values, *rows) for rows in itertools.product((1.0, 2.5, 4.0), repeat=3)]
    errors = [dps.accuracy.expected_error(utility(0), epsilon=0.5, mechanism=mechanism) for utility in utilities]
    compared = 0

    for (one, less), (two, more) in itertools.product(zip(utilities, errors, strict=True), repeat=2):
        if not audit.dominates(one, two, universe, direction=direction):
            compared += 1
            assert less <= more + 1e-12
    assert 30 < compared < 27**2


def test_a_sensitivity_that_falls_is_named() -> None:
    """Database, candidate, distance and both values."""

    def utility(x: int) -> dps.Scores:
        return dps.Scores([x, 0], dps.sensitivity.element(lambda t: [3 - t if x == 1 else 3, 3] if t < 2 else [3, 3]))

    with pytest.raises(ValueError, match="candidate 0 on 1 falls from 3 at distance 0 to 2"):
        audit.admissible(utility, chain([(0,), (1,), (2,)]).universe)


@pytest.mark.parametrize(
    ("utility", "error", "message"),
    [
        (lambda x: dps.Scores([float("nan") if x == 1 else 0.0], 1), ValueError, "On 1: Scores must be finite"),
        (lambda x: dps.Scores([0] * (1 + x), 1), ValueError, "candidates on 1 are not those on 0"),
        (lambda x: [x], TypeError, "returns dpselect.Scores"),
    ],
)
def test_bad_utilities_are_named_with_their_database(utility, error, message: str) -> None:
    """NaN, other candidates, no Scores."""
    with pytest.raises(error, match=message):
        audit.admissible(utility, chain([(0,), (1,), (2,)]).universe)


def test_a_utility_that_changes_its_mind_is_caught() -> None:
    """It must be a function of the database."""
    draw = np.random.default_rng(0)
    with pytest.raises(ValueError, match="two different answers on 0"):
        audit.admissible(lambda x: dps.Scores([draw.random()], 1), chain([(0,), (1,)]).universe)
