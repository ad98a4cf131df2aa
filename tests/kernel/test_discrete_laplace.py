"""Exact two-sided geometric noise."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dpselect import audit
from dpselect.kernel.bernoulli_exp import new_entropy
from dpselect.kernel.samplers.discrete_laplace import geometric, noise
from dpselect.mechanisms.pmf import discrete_laplace
from dpselect.release.system_noise import SystemNoise
from tests.chance import accept


def clipped_law(rate: Fraction, most: int) -> dict[int, float]:
    """The law of the noise clipped to [-most, most]."""
    inner = np.exp(discrete_laplace(np.arange(-most + 1, most), rate))
    rest = (1 - inner.sum()) / 2
    return dict(zip(range(-most, most + 1), [rest, *inner.tolist(), rest], strict=True))


@pytest.mark.chance(2.1e-6)
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

    accept(verdict)


def test_neighbouring_counts_lose_epsilon() -> None:
    """The log-ratio of a count and its neighbour is the rate, everywhere."""
    z = np.arange(-50, 51)

    assert np.allclose(0.3, np.abs(discrete_laplace(z, Fraction(3, 10)) - discrete_laplace(z - 1, Fraction(3, 10))))


def test_shapes_and_sizes() -> None:
    """Any shape; large epsilons hardly disturb; small ones spread."""
    counts = np.arange(6, dtype=np.int64).reshape(2, 3)

    assert not noise(counts.size, Fraction(60), new_entropy()).any()
    assert (2, 3) == SystemNoise().noisy(counts, Fraction(1, 100)).shape
    assert geometric(2000, Fraction(1, 10**6), new_entropy()).max() > 10**5


def test_vanishing_epsilons_are_refused() -> None:
    """The noise would not fit."""
    with pytest.raises(ValueError, match="too small for counts"):
        noise(1, Fraction(1, 2**50), new_entropy())


@pytest.mark.chance(2.1e-6)
@pytest.mark.parametrize("rate", [Fraction(1, 5), Fraction(1, 3), Fraction(1), Fraction(8, 3)])
def test_geometric_numbers_follow_their_law(rate: Fraction) -> None:
    """Low bits and the rest together: accepted at the rate, rejected at 0.7 and 1.3 times that."""

    def law(at: float) -> dict[int, float]:
        inner = np.exp(-at * np.arange(12)) * -np.expm1(-at)
        return dict(enumerate([*inner.tolist(), math.exp(-12 * at)]))

    drawn = iter(np.minimum(geometric(50_000, rate, new_entropy()), 12).tolist())
    against = {f"{factor}": law(float(rate) * factor) for factor in (0.7, 1.3)}
    verdict = audit.sampler(lambda: next(drawn), law(float(rate)), against=against)

    accept(verdict)


def test_low_bits_are_accepted_by_their_own_coin() -> None:
    """Bits 3 at rate 1/4 need a prefix below 2^32 e^(-3/4); a tail draws both anew, and then come the coins of 4."""
    heads, tails = (np.array([int(2**32 * math.exp(-0.75)) + step], dtype=np.uint32).tobytes() for step in (-9, 9))
    bits = [np.array([word], dtype=np.int64).tobytes() for word in (2**40 + 3, 3)]
    ends = np.array([2**32 - 1], dtype=np.uint32).tobytes()
    drawn = iter([bits[0], tails, bits[1], heads, ends])

    assert [3] == geometric(1, Fraction(1, 4), lambda _: next(drawn)).tolist()
