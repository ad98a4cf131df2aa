"""The worst error of a release: attained by the laws of the mechanisms, enough as printed, monotone at any size."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.mechanisms.worst_case import WorstCaseBound, ordinal, rounded_up

NAMES = ["exponential", "permute-and-flip"]
# m, k, mechanism, method: the epsilon at which an error of 10 has a chance of .05 at range bound 1.
TABLE = [
    (2, 1, "exponential", None, 0.294), (2, 1, "permute-and-flip", None, 0.230),
    (100, 1, "exponential", None, 0.754), (100, 1, "permute-and-flip", None, 0.686),
    (10**6, 1, "exponential", None, 1.676), (10**6, 1, "permute-and-flip", None, 1.608),
    (100, 10, "permute-and-flip", "one-shot", 7.375), (100, 10, "exponential", "peeling", 8.540),
    (10**6, 10, "permute-and-flip", "one-shot", 16.690), (10**6, 10, "exponential", "peeling", 17.856),
]  # fmt: skip
WISHES = st.tuples(st.floats(1e-3, 1e6), st.floats(0.01, 0.9999), st.integers(2, 10**12), st.integers(1, 40))


def needed(error, probability, candidates, k=1, **more) -> float:
    """Return epsilon_for with short words."""
    k = min(k, candidates)
    return dps.epsilon_for(error=error, probability=probability, candidates=candidates, k=k, **more)


@pytest.mark.parametrize(("count", "k", "mechanism", "method", "epsilon"), TABLE)
def test_known_figures(count, k, mechanism, method, epsilon) -> None:
    """Ten persons with 95 per cent, for counts: to three digits, real scores too."""
    for kind in ("integer", "real"):
        result = needed(10, 0.95, count, k, mechanism=mechanism, method=method, range_bound=1, kind=kind)
        assert math.isclose(epsilon, result, abs_tol=6e-4)


def test_errors_between_integers_are_rounded_up() -> None:
    """An error of at least 9.5 persons is one of at least 10."""
    assert needed(9.5, 0.95, 100, kind="integer") == needed(10, 0.95, 100, kind="integer")
    assert needed(9.5, 0.95, 100) > needed(10, 0.95, 100) >= needed(10, 0.95, 100, kind="integer")
    assert dps.error_bound(epsilon=1, candidates=9, kind="integer").tail(2.01) == dps.error_bound(
        epsilon=1, candidates=9, kind="integer"
    ).tail(3)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["integer", "real"])
@pytest.mark.parametrize("range_bound", [1, 2])
def test_the_worst_database_has_the_worst_tail(name, kind, range_bound) -> None:
    """One best and all others exactly so far behind: the law of the mechanism, to the digits of a law."""
    for count, epsilon, error, sensitivity in ((2, 0.3, 5, 1), (50, 2, 3, 0.7), (3000, 0.01, 900, 1.5)):
        values = [error] + [0] * (count - 1)
        scores = dps.Scores(values, sensitivity, range_bound=range_bound, kind=kind)
        exact = dps.accuracy.error_tail(scores, epsilon=epsilon, theta=error, mechanism=dps.mechanism(name))
        public = {"candidates": count, "sensitivity": sensitivity, "range_bound": range_bound, "kind": kind}
        worst = dps.error_bound(epsilon=epsilon, mechanism=name, **public).tail(error)

        assert worst / (1 + 1e-5) <= exact <= worst * (1 + 1e-12)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(-6, 6), min_size=2, max_size=9),
    st.sampled_from([1, 0.1, 1e-300, 3e300, 5e-324, 2.0**-950, 7.7]),
    st.floats(0.05, 20),
    st.sampled_from(NAMES),
    st.sampled_from(["integer", "real"]),
)
def test_no_database_is_worse(values, unit, epsilon, name, kind) -> None:
    """Whatever the size of scores and sensitivities, at every error that occurs; and the mean is below its worst."""
    if kind == "integer":
        unit = 1.0
    numbers = [int(v) for v in values] if kind == "integer" else [v * unit / 2 for v in values]
    scores, mechanism = dps.Scores(numbers, unit, kind=kind), dps.mechanism(name)
    worst = dps.error_bound(epsilon=epsilon, candidates=len(scores), mechanism=mechanism, sensitivity=unit, kind=kind)

    for error in {float(e) for e in scores.values.max() - scores.values} - {0.0}:
        if 1e-300 <= error <= 1e300:
            assert dps.accuracy.error_tail(scores, epsilon=epsilon, theta=error, mechanism=mechanism) <= worst.tail(
                error
            ) * (1 + 1e-9)
    assert dps.accuracy.expected_error(scores, epsilon=epsilon, mechanism=mechanism) <= worst.expected_error() * (
        1 + 1e-9
    )


def test_floors_that_bring_losers_nearer_are_paid_for() -> None:
    """In lists of real scores: the k-th best just above a tick, and all losers on one."""
    tick, mechanism = 2.0**-20, dps.mechanism("exponential")
    values = [0.0, *[-0.01 * tick] * 9, *[-4.0] * 500]
    scores, behind = dps.Scores(values, 1), values[1] - values[-1]
    ticks, rate = mechanism.quantize(scores, Fraction(60, 10))
    worst = dps.error_bound(epsilon=60, candidates=510, k=10, mechanism=mechanism).tail(behind)

    assert 2**22 - 1 == ticks[1] - ticks[-1] < behind / tick
    # All nine of one weight, drawn one after the other with the best: a product over which place the best has.
    good, bad = (math.exp(float(rate * (t - ticks[0]))) for t in (int(ticks[1]), int(ticks[-1])))
    right = 0.0
    for place in range(10):
        chance = 1.0
        for drawn in range(10):
            left = (1.0 if drawn <= place else 0.0) + (9 - drawn + (drawn > place)) * good + 500 * bad
            chance *= (1.0 if drawn == place else (9 - drawn + (drawn > place)) * good) / left
        right += chance

    assert 1 - right <= worst


def test_the_mean_of_the_exponential_mechanism_is_attained() -> None:
    """At the gap that is one more than itself, in units of 1 / lambda; and the error is in the unit of the score."""
    for count in (2, 5, 400):
        mean = dps.error_bound(epsilon=10, candidates=count, mechanism="exponential", sensitivity=7.5).expected_error()
        gap = mean + 2 * 7.5 / 10
        scores = dps.Scores([gap] + [0.0] * (count - 1), 7.5)

        expected = dps.accuracy.expected_error(scores, epsilon=10, mechanism=dps.mechanism("exponential"))
        assert math.isclose(mean, expected, rel_tol=1e-4)


@settings(max_examples=25, deadline=None)
@given(WISHES, st.sampled_from(NAMES), st.sampled_from(["integer", "real"]), st.sampled_from([1, 2]))
def test_what_is_printed_is_enough_and_hardly_less_is(wish, name, kind, range_bound) -> None:
    """The decimal itself, put into the tail; and both directions are each other's inverse."""
    error, probability, count, k = wish
    k = min(k, count)
    public = {"candidates": count, "k": k, "mechanism": name, "range_bound": range_bound, "kind": kind}
    epsilon = dps.epsilon_for(error=error, probability=probability, **public)
    if not epsilon:
        assert math.comb(count, k) * Fraction(repr(probability)) <= 1
        return
    written = Fraction(f"{epsilon:.6g}")
    worst = dps.error_bound(epsilon=written, **public)
    allowed = 1 - Fraction(repr(probability))

    assert written == Fraction(repr(epsilon))
    assert Fraction(worst.tail(error)) <= allowed * (1 + Fraction(1, 10**15))
    assert dps.error_bound(epsilon=written * (1 - Fraction(2, 10**5)), **public).tail(error) > allowed
    most = math.ceil(error) if kind == "integer" else error * (1 + 1e-4) + 1e-5
    assert worst.at(probability) <= most


@settings(max_examples=25, deadline=None)
@given(WISHES, WISHES, st.sampled_from(NAMES), st.sampled_from(["integer", "real"]))
def test_a_larger_wish_never_costs_less(one, other, name, kind) -> None:
    """A smaller error, a larger probability, more candidates, a larger sensitivity or range bound."""
    least = min(one[0], other[0]), max(one[1], other[1]), max(one[2], other[2])
    k = min(one[3], one[2], other[2])
    for error, probability, count in ((one[0], one[1], one[2]), (least[0], one[1], one[2])):
        small = needed(error, probability, count, k, mechanism=name, kind=kind, range_bound=1)
        large = needed(*least, k, mechanism=name, kind=kind, range_bound=1)
        assert small <= large
        assert large <= needed(*least, k, mechanism=name, kind=kind, range_bound=2)
        assert large <= needed(*least, k, mechanism=name, kind=kind, range_bound=1, sensitivity=1.0001)


def test_tails_fall_in_epsilon_and_in_the_error() -> None:
    """On a grid that spans all sizes of either."""
    grid = [10.0**power for power in range(-300, 301, 50)]
    for count, k in ((2, 1), (10**12, 1), (50, 7)):
        tails = [[dps.error_bound(epsilon=e, candidates=count, k=k).tail(t) for t in grid] for e in grid]

        assert (np.diff(tails, axis=0) <= 0).all()
        assert (np.diff(tails, axis=1) <= 0).all()
        assert 0 < np.min(tails)
        assert np.max(tails) <= 1


def test_errors_of_any_size_have_an_epsilon_or_a_refusal() -> None:
    """From 10^-300 to 10^300; the decimal is between the least and the largest that a release takes."""
    for size in (1e-300, 1e-290, 1e-9, 1.0, 1e150, 1e300):
        result = needed(size, 0.5, 10**12, sensitivity=size)
        assert math.isclose(54.3301, result, rel_tol=1e-5)
    assert 1e-300 == needed(10**300, 0.5000001, 2, range_bound=1, sensitivity=1e-9, kind="integer")
    with pytest.raises(ValueError, match="epsilon beyond 10\\^300"):
        needed(1e-300, 0.95, 2)


def test_ranks_of_a_percentile_are_a_choice_among_the_grid() -> None:
    """The error that rank scores count: records to add or remove, at their range bound of 2."""
    epsilon = dps.epsilon_for(error=25, probability=0.9, candidates=121, kind="integer")
    worst, law = dps.error_bound(epsilon=epsilon, candidates=121, kind="integer"), dps.mechanism("permute-and-flip")

    for ages in ([7] * 1000, list(range(121)) * 9, [0, 120] * 50):
        scores = dps.utilities.percentile(ages, 50, lower=0, upper=120)
        assert dps.accuracy.error_tail(scores, epsilon=epsilon, theta=25, mechanism=law) <= worst.tail(25) <= 0.1


def test_a_joint_list_is_one_choice_among_all_sequences() -> None:
    """At twice the span; one of one is the plain choice, and a chance below 2^-60 is not claimed."""
    whole = {"mechanism": "exponential", "kind": "integer", "range_bound": 1}
    public = whole | {"method": "joint"}
    sequences = dps.epsilon_for(error=10, candidates=60, **whole | {"range_bound": 2})

    assert sequences == dps.epsilon_for(error=10, candidates=5, k=3, **public)
    assert dps.epsilon_for(error=10, candidates=60, **whole) == dps.epsilon_for(error=10, candidates=60, **public)
    far = dps.error_bound(epsilon=100, candidates=5, k=3, **public)
    assert 2**-61 <= far.tail(10**9) <= 2**-60
    with pytest.raises(ValueError, match="chance of 2\\^-60"):
        dps.epsilon_for(error=10, probability=1 - Fraction(1, 2**61), candidates=5, k=3, **public)


def test_a_joint_list_of_everything_may_be_in_the_wrong_order() -> None:
    """The worst two scores, 10 apart: the other order has the chance e^(-5/2) / (1 + e^(-5/2))."""
    scores = dps.Scores([20, 10], 1, range_bound=1, kind="integer")
    wrong = dps.accuracy.joint_pmf(scores, 2, epsilon=0.5)[1, 0]
    worst = dps.error_bound(
        epsilon=0.5, candidates=2, k=2, mechanism="exponential", method="joint", kind="integer", range_bound=1
    )

    assert 0.0758 < wrong <= worst.tail(10) < 0.0759
    assert worst.at(0.95) > 10
    assert 0 == dps.error_bound(epsilon=1, candidates=1, mechanism="exponential", kind="integer", method="joint").tail(
        1
    )


def test_wishes_that_chance_grants_and_lists_of_everything_take_any_epsilon() -> None:
    """Exactly at the boundary; nothing can go wrong where all are named."""
    assert 0 == needed(1, 0.5, 2) == needed(1, 0.95, 1) == needed(1, 0.95, 3, 3)
    assert needed(1, Fraction(1, 2) + Fraction(1, 10**9), 2) > 0
    assert (
        0
        == dps.error_bound(epsilon=1, candidates=3, k=3).tail(1)
        == dps.error_bound(epsilon=1, candidates=1).expected_error()
    )


def test_what_cannot_be_told_apart_is_said() -> None:
    """Errors below two ticks in lists of real scores; errors beyond every clip."""
    with pytest.raises(ValueError, match="allow an error above 1.90735e-06"):
        needed(1e-6, 0.95, 100, 2)
    assert needed(1e-6, 0.95, 100) > 1e5
    assert 1 - 1 / 4950 <= dps.error_bound(epsilon=1, candidates=100, k=2).tail(1e-9) < 1
    tiny = dps.error_bound(epsilon=1e-12, candidates=100)
    assert math.inf == tiny.at(0.95) == dps.error_bound(epsilon=1e-30, candidates=100, kind="integer").at()
    assert "nothing can be said with probability 0.95, whatever the data" == tiny.describe()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"error": 0}, "error must be positive"),
        ({"error": math.nan}, "error must be positive"),
        ({"probability": 1}, "probability must be below 1"),
        ({"probability": 0}, "probability must be positive"),
        ({"probability": 95}, "probability must be below 1"),
        ({"candidates": 0}, "candidates must be an integer"),
        ({"k": 101}, "k is 101 and there are 100"),
        ({"k": True}, "k must be an integer"),
        ({"mechanism": "noisy-max-laplace"}, "No exact worst error is known for noisy-max-laplace"),
        ({"mechanism": dps.mechanism("local-dampening")}, "No exact worst error is known for local-dampening"),
        ({"k": 2, "method": "peeling"}, "permute-and-flip with peeling"),
        ({"k": 2, "method": "joint", "mechanism": "exponential"}, 'say kind="integer"'),
        ({"k": 2, "method": "joint", "kind": "integer"}, "drawn by the exponential mechanism"),
        ({"method": "jont"}, "The method 'jont' does not exist"),
        ({"range_bound": 3}, "range_bound is 1"),
        ({"kind": "count"}, 'kind is "integer" or "real"'),
    ],
)
def test_refusals_say_what_to_do(wrong, message) -> None:
    """Numbers out of range, and cases that are not covered."""
    with pytest.raises(ValueError, match=message):
        dps.epsilon_for(**{"error": 10, "probability": 0.95, "candidates": 100} | wrong)


def test_lists_have_no_known_mean() -> None:
    """Only one choice has."""
    with pytest.raises(ValueError, match="one choice only"):
        dps.error_bound(epsilon=1, candidates=9, k=2).expected_error()


def test_sentences_name_what_is_compared() -> None:
    """The best, the k-th best or every place; with the unit where it is passed."""
    one = dps.error_bound(epsilon=1, candidates=1000, range_bound=1, kind="integer")
    several = dps.error_bound(epsilon=9, candidates=1000, k=3, range_bound=1, kind="integer")
    joint = dps.error_bound(
        epsilon=9, candidates=1000, k=3, mechanism="exponential", range_bound=1, kind="integer", method="joint"
    )

    assert "less than 10 persons behind the best with probability 0.95, whatever the data" == one.describe("persons")
    assert several.describe(probability=0.5).startswith("each less than 3 behind the 3rd best with probability 0.5,")
    exact = dps.error_bound(epsilon=100, candidates=1000, range_bound=1, kind="integer")
    assert "as good as the best with probability 0.95, whatever the data" == exact.describe("persons")
    assert joint.describe().startswith("every place less than 6 behind the candidate that belongs there")


@given(st.fractions(min_value=0, max_value=10**20))
def test_rounding_goes_up_by_less_than_a_hundred_thousandth(number) -> None:
    """To what is printed."""
    rounded = Fraction(repr(rounded_up(number)))

    assert number <= rounded <= number * (1 + Fraction(1, 10**5))


def test_places_in_words() -> None:
    """English counts oddly."""
    assert ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th"] == [
        ordinal(k) for k in (1, 2, 3, 4, 11, 12, 13, 21, 112)
    ]


@pytest.mark.parametrize(("kind", "clip"), [("integer", 61), ("real", 53)])
def test_errors_are_those_of_scores_as_they_are_clipped(kind: str, clip: int) -> None:
    """Twice the clip counts as the clip, which the statement says: no candidate is behind another one there."""
    mechanism = dps.mechanism("permute-and-flip")
    scores = dps.Scores([2 ** (clip + 1), 2**clip], sensitivity=1, kind=kind)

    assert [0.5, 0.5] == mechanism.pmf(scores, 1).tolist()
    assert f"beyond 2^{clip}" in str(WorstCaseBound.__doc__)
