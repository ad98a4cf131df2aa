"""Exact two-sided geometric noise."""

import decimal
from fractions import Fraction

import numpy as np
import pytest

from dpselect import audit
from dpselect.kernel.coins import new_entropy
from dpselect.kernel.samplers.discrete_laplace import _Odds, geometric, noise
from dpselect.mechanisms.law import discrete_laplace
from dpselect.release.outcomes import Coins


def clipped_law(rate: Fraction, most: int) -> dict[int, float]:
    """The law of the noise clipped to [-most, most]."""
    inner = np.exp(discrete_laplace(np.arange(-most + 1, most), rate))
    rest = (1 - inner.sum()) / 2
    return dict(zip(range(-most, most + 1), [rest, *inner.tolist(), rest], strict=True))


@pytest.mark.parametrize("rate", [Fraction(1, 7), Fraction(1), Fraction(7, 3)])
def test_noise_follows_its_law(rate: Fraction) -> None:
    """Accepted at its rate, rejected at 0.7 and 1.3 times that."""
    most = max(1, round(3 / float(rate)))
    drawn = iter(np.clip(noise(400_000, rate, new_entropy()), -most, most).tolist())
    verdict = audit.sampler(
        lambda: next(drawn),
        clipped_law(rate, most),
        against={f"{factor}": clipped_law(rate * Fraction(factor), most) for factor in ("0.7", "1.3")},
    )

    assert verdict.accepted, str(verdict)


def test_neighbouring_counts_lose_epsilon() -> None:
    """The log-ratio of a count and its neighbour is the rate, everywhere."""
    z = np.arange(-50, 51)

    assert np.allclose(0.3, np.abs(discrete_laplace(z, Fraction(3, 10)) - discrete_laplace(z - 1, Fraction(3, 10))))


def test_shapes_and_sizes() -> None:
    """Any shape; large epsilons hardly disturb; small ones spread."""
    counts = np.arange(6, dtype=np.int64).reshape(2, 3)

    assert not noise(counts.size, Fraction(60), new_entropy()).any()
    assert (2, 3) == Coins().noisy(counts, Fraction(1, 100)).shape
    assert geometric(2000, Fraction(1, 10**6), new_entropy()).max() > 10**5


def test_vanishing_epsilons_are_refused() -> None:
    """The noise would not fit."""
    with pytest.raises(ValueError, match="too small for counts"):
        noise(1, Fraction(1, 2**50), new_entropy())


@pytest.mark.parametrize("rate", [Fraction(1, 3), Fraction(1, 2**30)])
def test_coins_that_32_bits_do_not_decide(rate: Fraction) -> None:
    """A prefix next to the threshold takes more bits, which decide as 1 / (1 + e^rate) does; others are certain."""
    coin = _Odds.of(rate)
    with decimal.localcontext(prec=60):
        chance = 2**32 / (1 + (decimal.Decimal(rate.numerator) / rate.denominator).exp())
        between, rest = int(chance), int(chance % 1 * 2**64)

    assert coin.heads <= between < coin.tails
    assert coin.tails - coin.heads <= 3
    for more, expected in ((0, True), (2**64 - 1, False), (rest - 1, True), (rest + 1, False)):
        drawn = iter([np.array([between], dtype=np.uint32).tobytes(), more.to_bytes(8, "big")])
        assert [expected] == coin.flip(1, lambda _, drawn=drawn: next(drawn)).tolist()
    certain = np.array([0, coin.heads - 1, coin.tails, 2**32 - 1], dtype=np.uint32)
    assert [True, True, False, False] == coin.flip(4, lambda _: certain.tobytes()).tolist()
