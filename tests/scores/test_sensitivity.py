"""Sensitivity functions and their algebra."""

from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import dpselect as dps
from dpselect import sensitivity
from dpselect.scores import smooth_weights
from dpselect.scores.smooth_weights import SmoothWeights


def test_element_values_are_cut_at_the_ceiling_and_forced_from_the_reach_on() -> None:
    """Below the reach the value is min(delta, ceiling), from there on the ceiling."""
    built = sensitivity.element(lambda t: [t, 5], ceiling=3, reach=2).over(2)

    assert [[0, 3], [1, 3], [3, 3], [3, 3]] == built.at([0, 1, 2, 3]).tolist()
    assert [1, 3] == built.at(1).tolist()


def test_profiles_share_rows() -> None:
    """Candidates of one profile get the row of that profile."""
    built = sensitivity.profiles(lambda t: t[:, None] + np.array([[1.0, 10.0]]), profile=np.array([1, 0, 1]))

    assert [[10, 1, 10], [12, 3, 12]] == built.at([0, 2]).tolist()


def test_flatten_takes_the_maximum_over_candidates_in_use() -> None:
    """A profile that no candidate has does not count."""
    built = sensitivity.profiles(
        lambda t: t[:, None] + np.array([[1.0, 2.0, 99.0]]), profile=np.array([1, 0]), ceiling=200
    )

    assert [4.0, 4.0] == sensitivity.flatten(built).over(2).at(2).tolist()


def test_maximum_is_taken_value_by_value() -> None:
    """The maximum has the larger ceiling, and the reach of whoever attains it first."""
    one = sensitivity.local(lambda t: 3, ceiling=3, reach=0)
    two = sensitivity.element(lambda t: [t, 2 * t], ceiling=8, reach=4)
    both = sensitivity.maximum(one, two).over(2)

    assert (8.0, 4) == (both.ceiling, both.reach)
    assert [[3, 3], [3, 4], [8, 8]] == both.at([0, 2, 4]).tolist()


def test_cap_forgets_sums_in_closed_form() -> None:
    """A lower ceiling changes the sums, so the closed form may not survive."""
    built = sensitivity.profiles(lambda t: np.full((t.size, 1), 5.0), ceiling=5, total=lambda t: 5.0 * t[:, None])

    assert sensitivity.cap(built, 2).total is None
    assert sensitivity.cap(built, 7) is built


def test_reach_keeps_the_earlier_one() -> None:
    """Forcing a later reach on a function that has an earlier one changes nothing."""
    built = sensitivity.local(lambda t: 1, ceiling=4, reach=3)

    assert 3 == sensitivity.reach(built, 9).reach
    assert 1 == sensitivity.reach(built, 1).reach


@pytest.mark.parametrize("beta", [0.01, 0.3, 2.0])
def test_smooth_is_the_largest_damped_value(beta: float) -> None:
    """The smooth bound equals its definition, and is never below it."""
    built = sensitivity.element(lambda t: [1 + 0.5 * t, 2], ceiling=30)
    definition = max(np.exp(-beta * t) * min(max(1 + 0.5 * t, 2), 30) for t in range(5000))

    assert definition <= sensitivity.smooth(built, beta) <= definition * (1 + 1e-12)


@pytest.mark.parametrize("jump", [0, 1, 63, 64, 65, 127, 128, 200, 1000])
@pytest.mark.parametrize("beta", [0.001, 0.05, 0.4])
def test_a_late_jump_counts_wherever_it_is(jump: int, beta: float) -> None:
    """Brute force over every distance, for a sensitivity that is next to nothing before its jump."""
    built = sensitivity.local(lambda t: 2.0 if t >= jump else 1e-300, ceiling=2, reach=1500)
    definition = max(max(np.exp(-beta * t), 2.0**-80) * (2.0 if t >= jump else 1e-300) for t in range(1600))

    assert definition * (1 - 1e-12) <= sensitivity.smooth(built, beta) <= definition * (1 + 1e-12)


def test_smooth_bounds_are_smooth_on_a_universe() -> None:
    """S(x) <= e^beta S(y) for neighbours, and S >= the local sensitivity."""
    from tests.universes import random_problem

    problem = random_problem(3)
    scores = [problem.utility()(x) for x in problem.universe]
    bounds = [sensitivity.smooth(given.sensitivity, 0.2) for given in scores]

    assert max(abs(np.log(float(bounds[x] / bounds[y]))) for x, y in problem.universe.pairs().tolist()) <= 0.2 + 1e-12
    assert all(bound >= given.sensitivity.at(0).max() for bound, given in zip(bounds, scores, strict=True))


def test_bounds_are_rounded_upwards() -> None:
    """A bound that no float hits becomes the next float above."""
    assert Fraction(dps.sensitivity.constant(Fraction(1, 3)).ceiling) > Fraction(1, 3)
    assert dps.sensitivity.constant(2**53 + 1).ceiling == 2.0**53 + 2


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: sensitivity.constant(0), "never above zero"),
        (lambda: sensitivity.constant([1, 0]), "finite numbers > 0"),
        (lambda: sensitivity.constant(float("nan")), "real number"),
        (lambda: sensitivity.constant(float("inf")), "finite"),
        (lambda: sensitivity.constant("1"), "real number"),
        (lambda: sensitivity.element(lambda t: [0], ceiling=0), "never above zero"),
        (lambda: sensitivity.local(lambda t: 1, ceiling=1, reach=-1), "integer >= 0"),
        (lambda: sensitivity.local(lambda t: 1, ceiling=1, reach=True), "integer >= 0"),
        (lambda: sensitivity.reach(sensitivity.local(lambda t: 1, ceiling=1), True), "integer >= 0"),
        (lambda: sensitivity.local(lambda t: 1, reach=2), "needs a ceiling"),
        (lambda: sensitivity.reach(sensitivity.local(lambda t: 1), 2), "needs a ceiling"),
        (lambda: sensitivity.maximum(), "at least one"),
        (lambda: sensitivity.smooth(sensitivity.local(lambda t: 1), 1), "needs a ceiling"),
        (lambda: sensitivity.smooth(sensitivity.constant(1), 0), "positive"),
        (lambda: sensitivity.local(lambda t: -1).at(0), ">= 0 at every distance"),
        (lambda: sensitivity.local(lambda t: float("nan")).at(0), ">= 0 at every distance"),
        (lambda: sensitivity.element(lambda t: [1] * (1 + t)).at(1), "1 value"),
        (lambda: sensitivity.constant(1).at(-1), "t >= 0"),
    ],
)
def test_refusals_say_what_to_do(build, message: str) -> None:
    """Each precondition is refused with a sentence that names the remedy."""
    with pytest.raises(ValueError, match=message):
        build()


def test_scores_that_have_a_constant_share_it_for_each_number_of_candidates() -> None:
    """A bound and a number of candidates are public; a function that only looks like the constant is not replaced."""
    two, again, three = (dps.Scores([0] * size, bound).sensitivity for size, bound in ((2, 1), (2, 1.0), (3, 1)))
    other = replace(dps.sensitivity.constant(1), rows=lambda t: np.full((t.size, 1), 0.5), reach=None)

    assert two is again
    assert [each.at(0).tolist() for each in (two, three, other.over(2))] == [[1, 1], [1, 1, 1], [0.5, 0.5]]


def test_bounds_of_every_candidate_round_upwards_as_one_bound_does() -> None:
    """Whole numbers beyond 2^53, fractions and decimals become the least float that is not below them."""
    exact = [2**53 + 1, Fraction(1, 3), 7, 0.1, np.int64(2**60 + 1)]
    bounds = sensitivity.constant(exact).bounds

    assert [sensitivity.constant(value).ceiling for value in exact] == bounds.tolist()
    assert [2.0**53 + 2] == sensitivity.constant(np.array([2**53 + 1])).bounds.tolist()
    assert [float(np.float32(0.1))] == sensitivity.constant(np.array([0.1], dtype=np.float32)).bounds.tolist()


def test_one_smooth_bound_is_never_below_its_definition_at_any_scale() -> None:
    """From subnormal ceilings to the largest float the share of the ceiling is the same."""
    for ceiling in (5e-324, 1e-300, 1.0, 1e155, 1.7976931348623157e308):
        at = sensitivity.local(lambda t, ceiling=ceiling: ceiling if t >= 7 else 0.0, ceiling=ceiling)

        assert (
            Fraction(ceiling) * Fraction(np.exp(-0.7) * (1 - 1e-15))
            <= sensitivity.smooth(at, 0.1)
            <= ceiling / 2 * 1.01 + 5e-324
        )


@pytest.mark.parametrize("beta, steps", [(0.37, 743), (0.7, 743), (0.01, 5000)])
def test_small_smooth_bounds_are_bounds(beta: float, steps: int) -> None:
    """Where floats round beta t by more than a margin, and where e^(-beta t) is below the public floor."""
    bound = sensitivity.smooth(sensitivity.local(lambda t: float(t >= steps), ceiling=1.0, reach=6000), beta)
    with mpmath.workdps(60):
        assert mpmath.mpf(bound.numerator) / bound.denominator >= mpmath.exp(-mpmath.mpf(beta) * steps)


def test_a_smooth_bound_whose_share_is_below_the_floats_is_a_bound() -> None:
    """The share of the ceiling is e^-800, and the ceiling far above 1: the bound is at least 4 * 10^-48."""
    bound = sensitivity.smooth(sensitivity.local(lambda t: 1e300 * (t >= 800), ceiling=1e300, reach=900), 1.0)

    assert bound >= Fraction(36, 10**49)


@pytest.mark.parametrize(
    "reach", [1, 63, 64, *(pytest.param(each, marks=pytest.mark.slow) for each in (1000, 1023, 1025)), 1024, 3000]
)
@pytest.mark.parametrize("beta", [Fraction(1, 10**12), Fraction(1, 1000), Fraction(1, 3), Fraction(7), Fraction(10**9)])
def test_smooth_is_the_largest_weighted_value_exactly(reach: int, beta: Fraction) -> None:
    """Against fractions at every distance, for values with many near ties, jumps and zeros."""
    weights = SmoothWeights(beta)
    draw = np.random.default_rng(reach)
    for values in (
        np.exp(np.minimum(float(min(beta, 1)) * np.arange(reach) - 30, 0)),
        np.where(np.arange(reach) < reach // 2, 0.0, 0.7),
        np.full(reach, 2.0**-70),
        draw.random(reach) ** 20,
    ):
        rows = np.minimum(values, 1.0)
        found = sensitivity.smooth(
            sensitivity.local(lambda t, rows=rows: rows[t] if t < reach else 1.0, ceiling=1, reach=reach), beta
        )

        assert found == max([weights.at(t) * Fraction(float(rows[t])) for t in range(reach)] + [weights.at(reach)])


@pytest.mark.parametrize(
    "beta", [Fraction(1, 10**300), Fraction(1, 10**12), Fraction(1, 700), Fraction(1, 2), Fraction(40)]
)
def test_weights_are_smooth_and_close_to_exponential(beta: Fraction) -> None:
    """w(t) <= e^beta w(t + 1), also where blocks meet and at the floor; w(t) >= e^(-beta t), and hardly more."""
    weights = SmoothWeights(beta)
    times = [*range(70), *range(1000, 1100), *range(2040, 2060), *range(10**6, 10**6 + 5)]
    with mpmath.workdps(60):
        falls = mpmath.exp(-mpmath.mpf(beta.numerator) / beta.denominator)
        for t in times:
            here, after = weights.at(t), weights.at(t + 1)
            assert mpmath.mpf(after.numerator) / after.denominator >= falls * here.numerator / here.denominator * (
                1 - mpmath.mpf(10) ** -55
            )
            exact = mpmath.exp(-mpmath.mpf(beta.numerator) / beta.denominator * t)
            assert mpmath.mpf(here.numerator) / here.denominator >= exact * (1 - mpmath.mpf(10) ** -50)
            assert (
                beta > 1
                or here <= Fraction(1, 2**80)
                or mpmath.mpf(here.numerator) / here.denominator <= exact * (1 + mpmath.mpf(10) ** -17)
            )


def test_a_late_bound_of_a_long_reach_is_found_without_exponentials_of_every_step() -> None:
    """A million distances are a thousand array operations, and next to none where the first value is large."""
    asked: list[int] = []

    def rows(t):
        asked.append(t.size)
        return np.full((t.size, 1), 2.0**-60)

    at = sensitivity.profiles(rows, ceiling=1, reach=10**6)
    assert sensitivity.smooth(at, 1e-6) > 0.36
    assert (sum(asked), len(asked)) <= (10**6, 1100)
    asked.clear()
    sensitivity.smooth(sensitivity.profiles(lambda t: rows(t) + 0.5, ceiling=1, reach=10**6), 0.01)
    assert sum(asked) <= 256


def test_a_declared_bound_is_asked_for_its_beta_and_kept_within_public_constants() -> None:
    """A float that is not above beta; the ceiling cuts, and so does a lower one; 2^-80 of it is left of nothing."""
    seen = []
    known = sensitivity.smooth_bound(lambda beta: seen.append(beta) or 3.5, ceiling=4)
    beta = Fraction(10**20 - 1, 10**20)

    assert Fraction(7, 2) == sensitivity.smooth(known, beta)
    assert Fraction(seen[0]) <= beta < Fraction(np.nextafter(seen[0], 2))
    assert 2 == sensitivity.smooth(sensitivity.cap(known, 2), beta)
    for value, bound in (
        (0, Fraction(4, 2**80)),
        (np.inf, 4),
        (np.float32(0.5), Fraction(1, 2)),
        (Fraction(1, 3),) * 2,
    ):
        assert bound == sensitivity.smooth(sensitivity.smooth_bound(lambda _, value=value: value, ceiling=4), beta)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [(-1, ValueError, "number >= 0"), (np.nan, ValueError, "number >= 0"), ("1", TypeError, "is a number"),
     (True, TypeError, "is a number")],
)  # fmt: skip
def test_a_declared_bound_is_a_number(value, error, message) -> None:
    """For every beta."""
    with pytest.raises(error, match=message):
        sensitivity.smooth(sensitivity.smooth_bound(lambda _: value, ceiling=4), 0.5)


def test_a_declared_bound_has_a_finite_ceiling() -> None:
    """Public, and positive."""
    for ceiling in (np.inf, 0, -1):
        with pytest.raises(ValueError, match="finite ceiling|zero"):
            sensitivity.smooth_bound(lambda _: 1, ceiling=ceiling)


@pytest.mark.parametrize("name", ["local-dampening", "local-dampening-flip", "local-dampening-t"])
def test_a_declared_bound_does_not_serve_dampening(name: str) -> None:
    """The message says what to use; nothing is spent."""
    known = sensitivity.smooth_bound(lambda _: 1, ceiling=4)
    scores = dps.Scores([3.0, 1.0], sensitivity=known)

    with dps.budget(epsilon=1) as book, pytest.raises(dps.PrivacyError, match="use smooth-noisy-max or"):
        dps.select(scores, epsilon=1, mechanism=dps.mechanism(name))
    assert 0 == book.totals.epsilon


SMOOTH = [
    ("smooth-noisy-max", {}),
    ("smooth-noisy-max", {"phi": 0.3}),
    ("smooth-noisy-max", {"noise": "cauchy-2"}),
    ("smooth-noisy-max", {"noise": "exponential"}),
    ("smooth-noisy-max", {"noise": "exponential", "clip": 8, "phi": 0.3}),
    ("smooth-noisy-max", {"noise": "laplace", "delta": 1e-6}),
    ("smooth-noisy-max", {"calibration": "chaves-2024", "sides": 1}),
    ("smooth-private-selection", {}),
]


@pytest.mark.parametrize(("name", "parameters"), SMOOTH)
@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize(("kind", "ceiling", "range_bound"), [("integer", 1, 2), ("integer", 4, 1), ("real", 1, 2)])
def test_beta_is_the_one_that_a_release_asks_for(
    name: str, parameters, k: int, kind: str, ceiling: int, range_bound
) -> None:
    """Whatever the share is and who chose it; the share of epsilon of each winner of a list counts."""
    seen: list[float] = []
    known = sensitivity.smooth_bound(lambda beta: seen.append(beta) or 0.5, ceiling=ceiling)
    scores = dps.Scores([1, 0, 0, 0], sensitivity=known, kind=kind, range_bound=range_bound)
    mechanism = dps.mechanism(name, **parameters)
    beta = mechanism.beta(scores, 1, k)

    assert seen == [], "saying which beta asks nothing"
    dps.top_k(scores, k, epsilon=1, mechanism=mechanism)
    assert set(seen) == {beta}


def test_a_list_asks_for_a_smaller_beta_than_one_winner() -> None:
    """Each winner has its share of epsilon, so a bound that is smooth for the whole does not serve."""
    scores = dps.Scores([1, 0, 0, 0], sensitivity=sensitivity.smooth_bound(lambda _: 0.5, ceiling=1), kind="integer")
    mechanism = dps.mechanism("smooth-noisy-max", noise="exponential", clip=8, phi=0.3)

    assert 0.0375 == pytest.approx(mechanism.beta(scores, 1), rel=1e-12)
    assert 0.01875 == pytest.approx(mechanism.beta(scores, 1, 2), rel=1e-12) == mechanism.beta(scores, 0.5)


def test_beta_follows_what_the_scores_declare() -> None:
    """0/1 scores with a sensitivity at every distance have a larger share than floats."""
    step = sensitivity.local(lambda t: float(t >= 20), ceiling=1.0)
    whole, real = (dps.Scores([1, 0, 0], step, kind=kind) for kind in ("integer", "real"))
    mechanism = dps.mechanism("smooth-noisy-max")

    assert mechanism.beta(whole, 1) == pytest.approx(
        dps.mechanism("smooth-noisy-max", phi=0.7).beta(real, 1), rel=1e-12
    )
    assert mechanism.beta(whole, 1) > 2 * mechanism.beta(real, 1)


def test_beta_is_not_for_a_number_of_candidates_nor_for_mechanisms_without_one() -> None:
    """A number of candidates does not say which share; the sentence says what to pass and use."""
    scores = dps.Scores([1, 0], 1, kind="integer")
    with pytest.raises(TypeError, match="Scores"):
        dps.mechanism("smooth-noisy-max").beta(4, 1)
    with pytest.raises(ValueError, match="permute-and-flip .*no beta.*smooth-noisy-max"):
        dps.mechanism("permute-and-flip").beta(scores, 1)
    for k in (0, 3, True):
        with pytest.raises(ValueError, match="k "):
            dps.mechanism("smooth-noisy-max").beta(scores, 1, k)


@pytest.mark.parametrize("name", ["smooth-noisy-max", "smooth-private-selection"])
def test_a_declared_bound_that_is_the_smooth_one_changes_nothing(name: str) -> None:
    """The same law as from the sensitivity itself; the beta is the one that the mechanism names."""
    known = sensitivity.local(lambda t: min(1.0 + t, 9.0), ceiling=9)
    mechanism, seen = dps.mechanism(name), []

    def bound(beta: float) -> Fraction:
        seen.append(beta)
        return sensitivity.smooth(known, Fraction(beta))

    values = [30.0, 8.0, 1.0]
    one, two = (dps.Scores(values, each) for each in (known, sensitivity.smooth_bound(bound, ceiling=9)))
    assert np.allclose(mechanism.pmf(one, 2), mechanism.pmf(two, 2), rtol=1e-12)
    assert [mechanism.beta(two, 2)] == seen


def test_weights_are_the_same_whoever_else_asks_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread that computes the same weights in the middle of it adds none twice."""
    alone, together = (smooth_weights.SmoothWeights(Fraction(1, 1000)) for _ in range(2))
    expected, up, calls = [alone.at(t) for t in range(0, 20_000, 512)], smooth_weights._up, iter(range(10**6))

    def interrupted(product: int) -> int:
        if next(calls) == 1:
            together.at(5 * 1024)
        return up(product)

    monkeypatch.setattr(smooth_weights, "_up", interrupted)

    assert expected == [together.at(t) for t in range(0, 20_000, 512)]


def test_a_function_is_told_from_a_number() -> None:
    """Each sentence names what to pass; a number is no function of beta."""
    with pytest.raises(ValueError, match=r"sensitivity.local\(.*sensitivity.smooth_bound\("):
        dps.Scores([1, 0], sensitivity=lambda t: t)
    with pytest.raises(TypeError, match="function of beta"):
        sensitivity.smooth_bound(0.1, ceiling=1)


def test_a_smooth_bound_has_no_reach() -> None:
    """Neither by itself nor for shifted dampening: the sentence says what to use."""
    known = sensitivity.smooth_bound(lambda _: 0.5, ceiling=1)
    with pytest.raises(dps.PrivacyError, match="use smooth-noisy-max or"):
        sensitivity.reach(known, 10)
    with pytest.raises(dps.PrivacyError, match="use smooth-noisy-max or"):
        dps.mechanism("shifted-local-dampening").pmf(dps.Scores([1, 0], known, kind="integer"), 1)


def test_smooth_bounds_of_several_objectives_add_up() -> None:
    """Weights count; where one step touches one objective only the largest does; another part may have distances."""
    known = sensitivity.smooth_bound(lambda beta: 2 * np.exp(-3 * beta), ceiling=2)
    one = dps.Scores([3, 0, 1], known, kind="integer")
    other = dps.Scores([0, 5, 1], sensitivity.local(lambda t: float(t), ceiling=4), kind="integer")
    both = dps.multiobjective.aggregate([one, other], [2, -1]).sensitivity
    most = dps.multiobjective.aggregate([one, other], [2, -1], max_changed="one").sensitivity

    parts = 2 * sensitivity.smooth(known, 0.5), sensitivity.smooth(other.sensitivity, 0.5)
    assert float(sum(parts)) == pytest.approx(float(sensitivity.smooth(both, 0.5)), rel=1e-12)
    assert sum(parts) < sensitivity.smooth(both, 0.5)
    assert float(max(parts)) == pytest.approx(float(sensitivity.smooth(most, 0.5)), rel=1e-12)
    assert 8 == both.ceiling
    endless = dps.Scores([1, 0, 0], sensitivity.local(lambda t: 1 + t), kind="integer")
    with pytest.raises(dps.PrivacyError, match="ceiling of every objective"):
        dps.multiobjective.aggregate([one, endless])
    assert 3 == dps.mechanism("smooth-noisy-max").pmf(dps.multiobjective.aggregate([one, other]), 1).size
