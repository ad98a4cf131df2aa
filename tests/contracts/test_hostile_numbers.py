"""Every mechanism on numbers at the ends of 64 bits: no overflow, no wrap, no NaN, and no lost promise."""

import importlib
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit.scripted_noise import ScriptedNoise
from dpselect.mechanisms.base import SmoothMechanism
from dpselect.mechanisms.smooth import scale as smooth_scale
from dpselect.mechanisms.smooth.scores import SmoothScores
from dpselect.release.open_session import session_factory_of
from dpselect.release.select import release_of
from tests.contracts.hostile import Pair, fits, pairs

NAMES = list(dps.mechanisms.MECHANISMS)
# Pairs for each mechanism: quick here, many in the slow search; a law of Laplace noise takes long.
FEW, MANY = 17 * 4, 17 * 180
SLOW = {"noisy-max-laplace": 3, "smooth-noisy-max": 2, "smooth-private-selection": 2}


def worst(name: str, pair: Pair, epsilon: float) -> float:
    """Return the exact loss on the pair over epsilon, after checking that laws are laws."""
    mechanism = dps.mechanism(name)
    logs = [mechanism.log_pmf(scores, epsilon) for scores in (pair.one, pair.two)]
    for log in logs:
        assert not np.isnan(log).any(), pair.name
        assert abs(np.exp(log).sum() - 1) < 1e-7, pair.name
    # Logarithms are floats: what a far loser's rounds by is no loss.
    blur = 2.0**-50 * np.maximum(np.abs(logs[0]), np.abs(logs[1]))
    return float((np.abs(logs[0] - logs[1]) - blur).max()) / epsilon


def stretch(name: str, pair: Pair) -> Fraction:
    """Return by how much ticks moved apart over their span, in integers without an end."""
    mechanism = dps.mechanism(name)
    one, two = mechanism.effective(pair.one), mechanism.effective(pair.two)
    moves = [int(a) - int(b) for a, b in zip(one.ticks.tolist(), two.ticks.tolist(), strict=True)]
    return (max(moves) - min(moves)) / min(one.span, two.span)


def check(name: str, seed: int, count: int) -> float:
    """Try that many pairs; return the worst loss over epsilon."""
    largest, smooth = 0.0, isinstance(dps.mechanism(name), SmoothMechanism)
    for number, pair in enumerate(pairs(seed, count)):
        if not fits(name, pair):
            continue
        epsilon = (0.01, 1.0, 10.0)[number % 3]
        loss = worst(name, pair, epsilon)
        # Laws of heavy-tailed noise are quadratures with a relative error of 1e-8.
        assert loss <= 1 + 1e-9 + (3e-8 / epsilon if dps.mechanism(name).sampler.tails else 0), (pair, number)
        assert smooth or stretch(name, pair) <= 1, (pair, number)
        largest = max(largest, loss)
    return largest


@pytest.mark.parametrize("name", NAMES)
def test_no_number_breaks_the_promise(name: str) -> None:
    """On true neighbours at the ends of 64 bits the exact loss is at most epsilon, and nothing warns."""
    assert check(name, 1, FEW // SLOW.get(name, 1)) <= 1 + 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_no_number_breaks_the_promise_in_a_long_search(name: str) -> None:
    """The same over many more pairs."""
    assert check(name, 2, MANY // SLOW.get(name, 1)) <= 1 + 1e-5


@pytest.mark.parametrize("name", NAMES)
def test_the_law_is_that_of_what_is_drawn(name: str) -> None:
    """A release draws from the ticks whose law is shown: none further behind the best than 64 bits hold."""
    mechanism = dps.mechanism(name)
    seen: list[tuple[np.ndarray, Fraction]] = []

    class Watched(ScriptedNoise):
        """What is asked for is written down."""

        def winners(self, sampler, ticks, rate, k):
            seen.append((ticks, rate))
            return super().winners(sampler, ticks, rate, k)

    for pair in pairs(3, 17):
        if fits(name, pair):
            release_of(pair.one, 1, 1, mechanism, session_factory=session_factory_of(Watched))
            ticks, rate = seen.pop()
            assert ticks.dtype == np.int64
            assert max(ticks.tolist()) - min(ticks.tolist()) < 2**63
            assert np.array_equal(mechanism.tick_log_pmf(ticks, rate), mechanism.log_pmf(pair.one, 1))


@pytest.mark.parametrize("name", ["permute-and-flip", "exponential", "generalised-exponential"])
def test_ticks_are_the_exact_scores_rounded(name: str) -> None:
    """Against arithmetic without rounding: a tick is within one and a half of 2^20 times the score."""
    mechanism = dps.mechanism(name)
    for pair in pairs(4, 17 * 6):
        if fits(name, pair) and not (name != "generalised-exponential" and pair.one.values.dtype.kind == "i"):
            exact = by_definition(pair.one, name == "generalised-exponential")
            ticks = mechanism.effective(pair.one).ticks.tolist()
            off = [abs(max(e, -(2**28)) * 2**20 - t) for e, t in zip(exact, ticks, strict=True)]
            assert max(off) < 1.5, pair.name


def by_definition(scores: dps.Scores, generalised: bool, margin: Fraction = Fraction(0)) -> list[Fraction]:
    """Return the score of the mechanism in fractions; integers clipped at 2^61."""
    values = [Fraction(v) for v in scores.values.tolist()]
    if scores.values.dtype.kind == "i":
        values = [min(max(v, -(2**61)), 2**61) for v in values]
    ceiling = Fraction(scores.sensitivity.ceiling)
    if not generalised:
        return [(v - max(values)) / ceiling for v in values]
    bounds = scores.sensitivity.bounds
    bounds = [ceiling] * len(values) if bounds is None else [Fraction(b) for b in bounds.tolist()]
    reduced = [v - margin * b for v, b in zip(values, bounds, strict=True)]
    return [
        min((a - c) / (b + d) for c, d in zip(reduced, bounds, strict=True))
        for a, b in zip(reduced, bounds, strict=True)
    ]


def loss(name: str, one: dps.Scores, two: dps.Scores, epsilon: float = 1, **parameters: float) -> float:
    """Return the exact loss over epsilon."""
    mechanism = dps.mechanism(name, **parameters)
    return float(np.abs(mechanism.log_pmf(one, epsilon) - mechanism.log_pmf(two, epsilon)).max()) / epsilon


def test_integers_do_not_pass_through_floats_before_they_are_subtracted() -> None:
    """Beyond 2^53 a step of one is a step of one: it was one float spacing, and cost 63 epsilon."""
    base = 2**60 + 128
    name = "generalised-exponential"

    assert 0.5 >= loss(name, dps.Scores([base, base], 1), dps.Scores([base + 1, base], 1))
    for power in (53, 54, 56, 58, 60):
        bounds = dps.sensitivity.constant([1, 1e-6, 1e-6])
        one, two = [2**power + 128] * 3, [2**power + 129, 2**power + 128, 2**power + 128]
        assert loss(name, dps.Scores(one, bounds), dps.Scores(two, bounds)) <= 1


def test_a_margin_does_not_round_the_scores_it_is_taken_from() -> None:
    """Near 2^53 the margin times a bound is no multiple of the spacing of scores."""
    bounds = dps.sensitivity.constant([2, 1e-6, 2])
    for step in range(-4, 5):
        one = np.array([2.0**53, 2.0**53 - 2, 2.0**53 + 2 * step])
        two = one + np.array([2.0, 0.0, -2.0 if step > -4 else 0.0])

        assert loss("generalised-exponential", dps.Scores(one, bounds), dps.Scores(two, bounds), margin=0.5) <= 1


def test_corners_of_a_hull_are_not_lost_to_overflow() -> None:
    """Products of values and bounds near 1e307 are beyond floats: a lost corner cost 5e8 epsilon."""
    bounds = dps.sensitivity.constant(
        [2.220483085219454e307, 1.2173517296519505e307, 2.5434359081686437e307, 7.471381484038125e306]
    )
    one = [5.129895122069485e307, -7.272874984430054e307, -7.089009091056017e307, 8.350492385998423e307]
    two = [7.348157724203719e307, -8.489009362352352e307, -9.629901563316492e307, 9.096883396253832e307]

    assert loss("generalised-exponential", dps.Scores(one, bounds), dps.Scores(two, bounds)) <= 1


@pytest.mark.parametrize("name", ["smooth-noisy-max", "smooth-private-selection"])
def test_differences_of_64_bits_do_not_wrap(name: str) -> None:
    """The best of 2^62 and -2^62 wins, on this database and on its neighbour."""
    for best in (2**62, 2**62 - 1):
        scores = dps.Scores(np.array([best, -(2**62)]), 1)

        assert all(0 == dps.select(scores, epsilon=1, mechanism=dps.mechanism(name)).value for _ in range(5))
        assert dps.mechanism(name).pmf(scores, 1)[0] > 0.99


@pytest.mark.parametrize("name", ["smooth-noisy-max", "smooth-private-selection"])
@pytest.mark.parametrize("epsilon", [1e-300, 1e-12, 1e-5, 1, 20, 1e9])
def test_a_rate_is_positive_and_hides_one_move_at_every_epsilon(name: str, epsilon: float) -> None:
    """A gap as long as one neighbour can move scores is worth no more noise than epsilon hides."""
    tiny = dps.Scores(np.array([0, 5]), 1e-300, kind="integer")
    assert abs(dps.mechanism(name).pmf(tiny, epsilon).sum() - 1) < 1e-7
    for values in ([0, 1], [0.0, 1.0], [0.0, 1e-300], [0.0, 5e-324], [0.0, 1e300]):
        scores = dps.Scores(np.array(values), max(values))
        ticks, rate = dps.mechanism(name).quantize(scores, Fraction(epsilon))
        # Shifts grow slower than epsilon up to 1 and may be as long as e^(epsilon / 3) beyond.
        assert 0 < rate * (max(ticks.tolist()) - min(ticks.tolist())) < Fraction(min(epsilon, 1e90)) * 10**90
        assert abs(dps.mechanism(name).pmf(scores, epsilon).sum() - 1) < 1e-7
        if epsilon <= 1:
            assert rate * (max(ticks.tolist()) - min(ticks.tolist())) <= Fraction(epsilon) / 2


@pytest.mark.parametrize("epsilon", [1e-300, 1e-20, 1e-17, 1e-12, 1e-9, 9.99e-7, 1.01e-6, 1e-3])
def test_a_slide_hides_no_more_than_epsilon_however_small(epsilon: float) -> None:
    """The shift times the steepest slope bounds the cost: it was 104 epsilon at 1e-20."""
    from dpselect.mechanisms.smooth.heavy_tail import HeavyTail
    from dpselect.mechanisms.smooth.slides import shift

    cost = float(shift(HeavyTail(0), Fraction(epsilon)) * HeavyTail(0).steepest)
    assert 0.998 * epsilon <= cost <= epsilon * (1 + 1e-3 * epsilon**0.5)


def test_sums_over_a_reach_do_not_overflow() -> None:
    """Two steps of 1e308 are more than a float: one candidate had probability 0 on one of two neighbours."""

    def scores(rows) -> dps.Scores:
        at = dps.sensitivity.element(lambda t: rows[min(t, 1)], ceiling=1e308, reach=2)
        return dps.Scores([0.0, 0.0], at)

    one = scores([[1e307, 1e307], [1e308, 1e308]])
    two = scores([[1e308, 1e307], [1e308, 1e308]])
    for name in ("shifted-local-dampening", "shifted-local-dampening-flip"):
        assert loss(name, one, two) <= 1


def test_a_reach_beyond_what_floats_sum_counts_as_the_longest() -> None:
    """The precision of C ends at 2^28 steps in closed form and at 2^24 walked: a longer public reach is cut there."""
    from dpselect.mechanisms.shifted_local_dampening import shift

    def closed(reach: int) -> dps.Sensitivity:
        return dps.sensitivity.profiles(
            lambda t: np.full((t.size, 1), 0.5), ceiling=1, reach=reach, total=lambda t: 0.5 * t[:, None]
        )

    assert [-(2.0**27)] == shift(np.zeros(1), closed(2**40), "growing").tolist()
    assert [-(2.0**26)] == shift(np.zeros(1), closed(2**27), "growing").tolist()


@pytest.mark.parametrize("name", ["smooth-noisy-max", "smooth-private-selection"])
def test_a_tiny_ceiling_does_not_underflow_the_floor(name: str) -> None:
    """Of two scores in units of 1e-300 the better one wins however late its sensitivity sets in."""
    for late in (1000, 5000):
        at = dps.sensitivity.local(lambda t, late=late: 1e-300 * (t >= late), ceiling=1e-300)

        assert dps.mechanism(name).pmf(dps.Scores([1e-300, 0.0], at), 1)[0] > 0.99


@pytest.mark.parametrize("name", ["permute-and-flip", "exponential", "noisy-max-laplace"])
def test_large_real_scores_are_told_apart(name: str) -> None:
    """Counts of 10^12 as floats have the law of the same counts as integers, not of ties."""
    counts = [10**12 + 5, 10**12, 10**12 - 3]
    whole, real = dps.Scores(counts, 1), dps.Scores(np.array(counts, dtype=float), 1)

    assert np.allclose(dps.mechanism(name).pmf(whole, 1), dps.mechanism(name).pmf(real, 1), atol=1e-5)


def test_several_objectives_near_the_end_of_floats_warn_of_nothing() -> None:
    """Intervals that leave the floats are cut at infinity, without a word that would depend on the data."""
    for values in ([1.7e308, -1.7e308, 1e308], [1.0, 2.0, 3.0]):
        part = dps.Scores(values, dps.sensitivity.element(lambda t: [1e307 * (1 + t), 1e308, 1e306], ceiling=1e308))
        for score in (
            dps.multiobjective.pareto([part, -part]),
            dps.multiobjective.aggregate([part, part], [0.25, 0.5]),
        ):
            for name in ("local-dampening", "local-dampening-flip", "permute-and-flip"):
                assert abs(dps.mechanism(name).pmf(score, 1).sum() - 1) < 1e-9


@pytest.mark.parametrize("name", ["generalised-exponential", "smooth-noisy-max"])
def test_the_contract_notices_code_that_subtracts_in_floats(name: str, monkeypatch) -> None:
    """Planted: integers pass through floats, or wrap around, before the best is taken away."""
    if name == "generalised-exponential":
        module = importlib.import_module("dpselect.mechanisms.generalised_exponential")
        sound = module.separate
        monkeypatch.setattr(module, "separate", lambda v, *rest: sound(v.astype(float), *rest))
    if name == "smooth-noisy-max":
        monkeypatch.setattr(importlib.import_module("dpselect.mechanisms.smooth.share"), "weigh", in_floats)
    with np.errstate(all="ignore"), pytest.raises(AssertionError):
        check(name, 1, FEW)


def in_floats(scores: dps.Scores, epsilon: Fraction, calibrate) -> SmoothScores:
    """Return smooth scores whose integers were floats once."""
    sound = smooth_scale.weigh(scores, epsilon, calibrate)
    if scores.values.dtype.kind == "f":
        return sound
    return SmoothScores(np.clip(scores.values.astype(float), -(2.0**61), 2.0**61).astype(np.int64), sound.rate)


@pytest.mark.parametrize("name", ["generalised-exponential", "smooth-noisy-max", "local-dampening-flip"])
def test_a_list_of_integers_is_not_rounded_beside_one_large_bound(name: str) -> None:
    """Lists become doubles: beyond 2^53 a step of one would be 256, which only the largest bound could hide."""
    at = dps.sensitivity.constant([1, 1, 2.0**30])
    if name != "generalised-exponential":
        at = dps.sensitivity.local(lambda t: 1.0 if t < 400 else 2.0**30, ceiling=2.0**30, reach=400)
    for base in (2**53, 2**58 + 16, 2**60 + 128):
        for kind in (None, "real", "integer"):
            one, two = [dps.Scores([base + step, base, 0], at, kind=kind) for step in (0, 1)]

            assert loss(name, one, two) <= 1
