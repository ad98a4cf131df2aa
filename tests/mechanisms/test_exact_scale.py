"""Ticks and rates of mechanisms with a smooth bound: what a neighbour moves them by, exactly and through their laws."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import dpselect as dps
from dpselect.mechanisms.smooth.dilation import downwards
from dpselect.mechanisms.smooth.heavy_tail import HeavyTail
from dpselect.mechanisms.smooth.scale import floor_scores, weigh
from dpselect.mechanisms.smooth.slides import shift
from dpselect.mechanisms.smooth.smooth_private_selection import steepest
from dpselect.scores.sensitivity import smooth
from dpselect.scores.smooth_weights import decay
from tests.contracts.hostile import pairs

# One-sided Student t as drawn: for gaps near and far, what its scale and what a slide cost per unit.
STUDENT = HeavyTail(0)
GAPS = np.geomspace(1e-3, 1e6, 20_000)
HAZARD = np.maximum.accumulate(STUDENT.hazard(GAPS)[::-1])[::-1]
ELASTICITY = GAPS * HAZARD


def tick(scores: dps.Scores) -> Fraction:
    """The public size of a tick, by its definition."""
    if scores.values.dtype.kind == "i":
        return Fraction(1)
    size, ceiling = Fraction(1), Fraction(scores.sensitivity.ceiling)
    while size > ceiling:
        size /= 2
    while 2 * size <= ceiling:
        size *= 2
    return size / 2**24


def universe(seed: int, kind: str) -> list[dps.Scores]:
    """Scores on a path of databases, with their exact sensitivities."""
    draw = np.random.default_rng(seed)
    many, m, top = int(draw.integers(3, 9)), int(draw.integers(2, 6)), int(draw.integers(1, 6))
    steps = draw.integers(-top, top + 1, (many, m))
    steps[draw.random(many) < 0.5] //= 3
    values = np.cumsum(steps, axis=0)
    values = values if kind == "integer" else values * 0.37 + draw.random(m)
    # Floats: how far they are apart as rationals, rounded up.
    moves = [
        max(abs(Fraction(a) - Fraction(b)) for a, b in zip(x.tolist(), y.tolist(), strict=True))
        for x, y in itertools.pairwise(values)
    ]
    near = [max([*moves[max(x - 1, 0) : x], *moves[x : x + 1]]) for x in range(many)]
    rounded = [float(np.nextafter(float(move), np.inf)) for move in near]
    ceiling = max(*rounded, 1e-3)

    def at(x: int) -> dps.Sensitivity:
        return dps.sensitivity.local(lambda t: max(rounded[max(0, x - t) : x + t + 1]), ceiling=ceiling, reach=many)

    return [dps.Scores(row, at(x), kind=kind) for x, row in enumerate(values)]


def neighbours(kind: str, seeds: range) -> Iterator[tuple[dps.Scores, dps.Scores]]:
    """Pairs of neighbours of many universes."""
    for seed in seeds:
        scores = universe(seed, kind)
        yield from itertools.pairwise(scores)


def moved(one: np.ndarray, two: np.ndarray) -> int:
    """The length of the interval of all moves."""
    moves = [b - a for a, b in zip(one.tolist(), two.tolist(), strict=True)]
    return max(moves) - min(moves)


@pytest.mark.parametrize(
    "beta",
    [
        *(pytest.param(beta, marks=pytest.mark.slow) for beta in (Fraction(1, 10**13), Fraction(1, 100))),
        Fraction(1, 2),
        Fraction(5),
    ],
)
@pytest.mark.parametrize("kind", ["integer", "real", "hostile"])
def test_moves_of_ticks_fit_into_the_bound_exactly(kind: str, beta: Fraction) -> None:
    """What the proof asks of scores and bounds, in fractions: no move exceeds b S', and S' is beta-smooth."""
    found = ((pair.one, pair.two) for pair in pairs(11, 17 * 9)) if kind == "hostile" else neighbours(kind, range(40))
    for pair in found:
        one, two = (weigh(scores, Fraction(1), lambda *_, range_bound: (beta, Fraction(1))) for scores in pair)
        size = tick(pair[0])
        bounds = [size / one.rate, size / two.rate]
        assert moved(one.ticks, two.ticks) * size <= pair[0].range_bound * min(bounds)
        assert decay(beta) * max(bounds) <= min(bounds)


@pytest.mark.parametrize("name", ["smooth-noisy-max", "smooth-private-selection"])
@pytest.mark.parametrize(
    "epsilon", ["1e-300", *(pytest.param(each, marks=pytest.mark.slow) for each in ("1e-12", "1e-6", "0.001")), "0.1"]
)
@pytest.mark.parametrize("kind", ["integer", "real"])
def test_a_small_epsilon_is_kept_without_a_law(name: str, epsilon: str, kind: str) -> None:
    """Slide and dilation through the very ticks and rates, by their constants: no quadrature could tell 10^-12."""
    exact, mechanism, worst = Fraction(epsilon), dps.mechanism(name), Fraction(0)
    for pair in neighbours(kind, range(30)):
        (one, rate), (two, other) = (mechanism.quantize(scores, exact) for scores in pair)
        m, length = one.size, moved(one, two)
        growth = max(rate, other) / min(rate, other) - 1
        if name == "smooth-noisy-max":
            # A scale that grows costs K and the steepest slope; one that shrinks what the worst gap pays for both.
            move = length * min(rate, other)
            both = (ELASTICITY * float(growth) + HAZARD * float(move)).max()
            cost = max(STUDENT.steepest * move + downwards(STUDENT, m) * growth, Fraction(float(both)))
        else:
            cost = steepest(4) * length * min(rate, other) + (m - 1) * 3 * growth
        assert cost <= exact * (1 + Fraction(1, 10**5) + 2 * exact)
        worst = max(worst, cost / exact)
    assert worst > Fraction(4, 5)


MECHANISMS = [
    dps.mechanism("smooth-noisy-max"),
    dps.mechanism("smooth-noisy-max", phi=0.5),
    dps.mechanism("smooth-noisy-max", noise="cauchy-4"),
    dps.mechanism("smooth-private-selection", phi=0.5),
    dps.mechanism("smooth-private-selection", gamma=2, sides=2),
]


def worst_loss(mechanism: dps.mechanisms.Mechanism, kind: str, epsilon: float, seeds: range) -> float:
    """The worst exact loss over epsilon between neighbours."""
    worst = 0.0
    for seed in seeds:
        laws = [mechanism.log_pmf(scores, epsilon) for scores in universe(seed, kind)]
        losses = [float(np.abs(a - b).max()) for a, b in itertools.pairwise(laws)]
        worst = max(worst, *losses)
    return worst / epsilon


@pytest.mark.parametrize("epsilon", [0.01, *(pytest.param(each, marks=pytest.mark.slow) for each in (0.1, 1, 5)), 20])
@pytest.mark.parametrize("kind", ["integer", "real"])
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_the_worst_exact_loss_is_at_most_epsilon(mechanism, kind: str, epsilon: float) -> None:
    """On every pair of universes by brute force, through the ticks and rates that are drawn from."""
    assert worst_loss(mechanism, kind, epsilon, range(3)) <= 1 + 3e-8 / epsilon


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1, 5, 20])
@pytest.mark.parametrize("kind", ["integer", "real"])
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_the_worst_exact_loss_in_a_long_search(mechanism, kind: str, epsilon: float) -> None:
    """The same on sixty universes; where nothing is wasted the worst is close to epsilon."""
    assert worst_loss(mechanism, kind, epsilon, range(60)) <= 1 + 3e-8 / epsilon


def test_the_search_finds_noise_that_is_too_small() -> None:
    """With an eighth of the scale epsilon is exceeded, so the search can fail."""
    scores = universe(1, "integer")
    mechanism = dps.mechanism("smooth-noisy-max")
    laws = []
    for each in scores:
        ticks, rate = mechanism.quantize(each, Fraction(1))
        laws.append(mechanism.tick_log_pmf(ticks, 8 * rate))

    assert max(float(np.abs(a - b).max()) for a, b in itertools.pairwise(laws)) > 1


@pytest.mark.parametrize("exponent", [-1104, -40, -30, 0, 13, 900])
def test_ticks_are_exact_floors_measured_from_the_best(exponent: int) -> None:
    """Against fractions, also where differences are beyond 53 bits, overflow, or are smaller than any float."""
    draw = np.random.default_rng(exponent + 2000)
    for _ in range(300):
        size = 2.0 ** np.clip(exponent + draw.integers(-5, 90, 6), -1060, 1020)
        values = np.concatenate(
            (draw.uniform(-1, 1, 6) * size, [0.0, 1.7e308, -1.7e308, 5e-324][: draw.integers(0, 5)])
        )
        values = np.minimum(np.maximum(values, -(2.0 ** min(exponent + 999, 1023))), 2.0 ** min(exponent + 999, 1023))
        tau = Fraction(2) ** exponent
        whole = [Fraction(v) // tau if abs(v) > 1e-300 or exponent < 0 else 0 for v in values.tolist()]
        expected = [max(w - max(whole), -(2**61)) for w in whole]

        assert expected == floor_scores(values, exponent).tolist()


def test_integers_pay_nothing_and_real_scores_a_hair() -> None:
    """Same scores as integers and as real numbers: the same rate in units of the score, but for four ticks of bound."""
    at = dps.sensitivity.local(lambda t: 1.0 if t < 20 else 8.0, ceiling=8, reach=50)
    rates = []
    for kind in ("integer", "real"):
        scores = dps.Scores([3, 1, 0], at, kind=kind)
        _, rate = dps.mechanism("smooth-noisy-max").quantize(scores, Fraction(1))
        rates.append(rate / tick(scores))

    assert 1 < rates[0] / rates[1] < 1 + Fraction(4 * 8, 2**24)


def test_a_bound_of_a_million_distances_and_any_epsilon_has_a_rate() -> None:
    """No reach, jumps late or never: every epsilon down to 10^-300 gets a positive rate."""
    late = dps.sensitivity.profiles(lambda t: 1e-9 + 0.0 * t[:, None], ceiling=1.0)
    for epsilon in (Fraction(1, 10**300), Fraction(1, 10**12), Fraction(1), Fraction(10**9)):
        ticks, rate = dps.mechanism("smooth-noisy-max").quantize(dps.Scores([1.0, 0.5], late), epsilon)
        assert rate > 0
        assert np.isfinite(dps.mechanism("smooth-noisy-max").tick_log_pmf(ticks, rate)).all()


@pytest.mark.parametrize("epsilon", ["1e-300", "1e-12", "9.5e-7", "9.6e-7", "1", "600", "1e9"])
def test_shifts_are_rounded_down_and_positive(epsilon: str) -> None:
    """A shift is never longer than its slope allows, nor than the float below epsilon has."""
    exact = Fraction(epsilon)

    assert 0 < shift(STUDENT, exact)
    assert shift(STUDENT, exact) <= shift(STUDENT, exact * Fraction(1001, 1000))
    if exact < Fraction(1, 10**3):
        assert Fraction(999, 1000) * exact <= STUDENT.steepest * shift(STUDENT, exact) <= exact


def test_slopes_of_cauchy_noise_are_rounded_up() -> None:
    """By at most a hair."""
    with mpmath.workdps(40):
        for gamma in (2, 4, 6, 10, 100):
            exact = mpmath.mpf(gamma - 1) ** (mpmath.mpf(gamma - 1) / gamma)
            found = mpmath.mpf(steepest(gamma).numerator) / steepest(gamma).denominator
            assert exact <= found * (1 + mpmath.mpf(10) ** -38)
            assert found <= exact * (1 + mpmath.mpf(2) ** -40)


def test_the_smooth_bound_of_a_release_is_that_of_the_sensitivity() -> None:
    """With c = 1 the rate is one over the bound."""
    at = dps.sensitivity.local(lambda t: 1.0 + t, ceiling=9, reach=8)
    weighed = weigh(
        dps.Scores(np.array([4, 2]), at), Fraction(1), lambda *_, range_bound: (Fraction(1, 3), Fraction(1))
    )

    assert weighed.rate == 1 / smooth(at, Fraction(1, 3))
