"""What a transcript of Gaussian noise costs between two neighbours, exactly."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit import loss_of_transcript, rho_between
from dpselect.learn.dry_run import dry_run_by_rho
from dpselect.mechanisms.pmf import discrete_gaussian
from dpselect.release.open_session import session_factory_of

HALF, EIGHTH = Fraction(1, 2), Fraction(1, 8)
PROMISE = dps.Guarantee.from_rho(HALF, 1e-6, "add-remove")
ONE = dps.mechanisms.SquaredBound(1)
HERE, THERE = np.array([5, 7, 9]), np.array([5, 8, 9])


def release(counts, ask):
    """A release of these counts, as a function of its outcomes."""

    def run(outcomes) -> None:
        with session_factory_of(lambda: outcomes)(PROMISE) as draws:
            ask(counts, draws)

    return run


def between(ask, script=None, here=HERE, there=THERE) -> tuple[Fraction, ...]:
    """The parts of one transcript."""
    return rho_between(release(here, ask), release(there, ask), script)


def adaptive(counts, draws) -> None:
    """The second question looks at the count that the first answer names, twice as close."""
    first = draws.gaussian(counts, EIGHTH, ONE)
    draws.gaussian(2 * counts[int(first.argmax())][None], draws.remaining, dps.mechanisms.SquaredBound(4))


def test_a_script_forces_what_is_released() -> None:
    """What is asked afterwards follows it, so what is lost does too."""
    for index, second in ((0, 0), (1, HALF - EIGHTH), (2, 0)):
        asked = []

        def script(values, variance, index=index, asked=asked):
            asked.append((values.tolist(), variance))
            return np.eye(3, dtype=np.int64)[index] * 10**9 if values.size == 3 else values

        assert (EIGHTH, second) == between(adaptive, script)
        assert [([5, 7, 9], 4), ([2 * HERE[index]], Fraction(16, 3))] == asked


def test_squares_of_large_sums_are_exact() -> None:
    """Beyond 64 bits and beyond doubles."""

    def ask(counts, draws) -> None:
        draws.gaussian(counts, HALF, dps.mechanisms.SquaredBound(3))

    here, there = np.array([-(2**60), 1]), np.array([2**60 + 1, 0])
    assert ((2**61 + 1) ** 2 + 1) / Fraction(2 * 3) == between(ask, None, here, there)[0]


def test_a_bound_that_is_not_true_shows() -> None:
    """Three lists that one record is in, at the bound of one of them, cost three times the rho that was taken."""

    def ask(counts, draws) -> None:
        draws.gaussian(np.concatenate([counts, counts, counts]), HALF, ONE)

    assert 3 * HALF == sum(between(ask))


@pytest.mark.parametrize(
    "ask",
    [
        lambda counts, draws: draws.gaussian(counts[: counts[1]], EIGHTH, ONE),
        lambda counts, draws: draws.gaussian(counts, Fraction(1, int(counts[1])), ONE),
        lambda counts, draws: draws.uniform(counts),
        lambda counts, draws: [draws.gaussian(counts, Fraction(1, 99), ONE) for _ in range(counts[1])],
        lambda counts, draws: [draws.gaussian(counts, Fraction(1, 99), ONE) for _ in range(9 - counts[1])],
    ],
    ids=["shape", "rho", "coins", "more", "less"],
)
def test_a_question_that_depends_on_records_loses_everything(ask) -> None:
    """Its shape, its rho, its public coins, and whether it is asked."""
    with pytest.raises(ValueError, match="that loses everything"):
        between(ask, None, np.array([1, 2, 3]), np.array([1, 3, 3]))


def test_a_script_releases_what_it_is_asked_for() -> None:
    """One integer for each."""
    with pytest.raises(ValueError, match="one integer for each"):
        between(adaptive, lambda values, _: values[:1])


def test_draws_at_an_epsilon_cost_their_divergence() -> None:
    """Geometric noise on a count that moves by one is randomised response, and one that stays costs nothing."""

    def ask(counts, draws) -> None:
        draws.counts(counts, 1, dps.mechanisms.Bound(1))

    (part,) = between(ask)
    assert 0.9999 * math.tanh(0.5) < part < math.tanh(0.5)


def test_draws_of_which_only_an_epsilon_is_known_are_audited_elsewhere() -> None:
    """Their losses are not rhos."""

    def ask(counts, draws) -> None:
        draws.joint_quantiles(counts, [Fraction(1, 2)], EIGHTH, 21)

    with pytest.raises(ValueError, match="use loss_of_transcript"):
        between(ask)


def test_a_transcript_with_a_promise_by_rho_loses_its_rho() -> None:
    """An overdraft shows, as it does in a release."""
    pick = np.random.default_rng(3).integers

    def ask(counts, draws) -> None:
        draws.gaussian(counts, HALF, ONE)

    assert HALF == loss_of_transcript(ask, HERE, THERE, PROMISE, pick)
    less = dps.Guarantee.from_rho(EIGHTH, 1e-6, "add-remove")
    with pytest.raises(dps.PrivacyError, match="asks for rho 1/2 and 1/8 is left"):
        loss_of_transcript(ask, HERE, THERE, less, pick)


def test_a_rehearsal_refuses_what_a_release_refuses() -> None:
    """Overdrafts of the share of a person, noise that would not fit, deltas; and it adds no noise."""
    draws = dry_run_by_rho(PROMISE, people=2)
    assert EIGHTH == draws.remaining
    with pytest.raises(dps.PrivacyError, match="asks for rho 1/4 and 1/8 is left"):
        draws.gaussian(HERE, Fraction(1, 4), ONE)
    with pytest.raises(ValueError, match="rho is too small"):
        draws.gaussian(HERE, EIGHTH, dps.mechanisms.SquaredBound(2**78))
    with pytest.raises(dps.PrivacyError, match="for which no rho pays"):
        draws.keys(HERE, EIGHTH, 1e-7, dps.mechanisms.Bound(1))
    with pytest.raises(dps.PrivacyError, match="and 1/8 is left"):
        draws.counts(HERE, 1, dps.mechanisms.Bound(1))
    assert HERE.tolist() == draws.gaussian(HERE, EIGHTH, ONE).tolist()
    assert [0, 0] == draws.uniform(np.array([4, 5])).tolist()


@pytest.mark.parametrize(
    "variance", [Fraction(1, 30), Fraction(1, 2), Fraction(99, 100), Fraction(1), Fraction(77, 10)]
)
def test_the_law_is_that_of_decimal_arithmetic(variance: Fraction) -> None:
    """Fifty digits, summed far out."""
    with localcontext() as context:
        context.prec = 50
        spread = 2 * Decimal(variance.numerator) / Decimal(variance.denominator)
        weights = {z: (-Decimal(z * z) / spread).exp() for z in range(-80, 81)}
        total = sum(weights.values())
        exact = [float((weights[z] / total).ln()) for z in range(-12, 13)]

    assert np.allclose(exact, discrete_gaussian(np.arange(-12, 13), variance), rtol=1e-13, atol=1e-14)
