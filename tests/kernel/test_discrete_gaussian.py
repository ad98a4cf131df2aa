"""Exact discrete Gaussian noise."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from dpselect import audit
from dpselect.kernel.bernoulli_exp import exponential_between, new_entropy
from dpselect.kernel.bound import SquaredBound
from dpselect.kernel.samplers.discrete_gaussian import _accept, _exponent, gaussian
from dpselect.mechanisms.pmf import discrete_gaussian
from dpselect.release.system_noise import SystemNoise

FACTORS = (Fraction(7, 10), Fraction(13, 10))
VARIANCES = [Fraction(1, 4), Fraction(1), Fraction(37, 10), Fraction(50)]


def clipped_law(variance: Fraction, most: int) -> dict[int, float]:
    """The law of the noise clipped to [-most, most]."""
    inner = np.exp(discrete_gaussian(np.arange(-most + 1, most), variance))
    rest = (1 - inner.sum()) / 2
    return dict(zip(range(-most, most + 1), [rest, *inner.tolist(), rest], strict=True))


@pytest.mark.parametrize("variance", VARIANCES)
def test_noise_follows_its_law(variance: Fraction, entropy) -> None:
    """Accepted at its variance, rejected at 0.7 and 1.3 times that."""
    most = 1 + round(2 * math.sqrt(variance))
    drawn = iter(np.clip(gaussian(100_000, variance, entropy), -most, most).tolist())
    against = {f"{float(factor)}": clipped_law(variance * factor, most) for factor in FACTORS}
    verdict = audit.sampler(lambda: next(drawn), clipped_law(variance, most), against=against)

    assert verdict.is_accepted, str(verdict)


@pytest.mark.slow
@pytest.mark.parametrize("variance", [Fraction(1, 9), *VARIANCES, Fraction(4**4), Fraction(10**6)])
def test_noise_follows_its_law_at_length(variance: Fraction, entropy) -> None:
    """Four million draws, clipped at three deviations: accepted at the variance, rejected at 0.99 of it."""
    most = 1 + round(3 * math.sqrt(variance))
    drawn = iter(np.clip(gaussian(4_000_000, variance, entropy), -most, most).tolist())
    against = {"0.99": clipped_law(variance * Fraction(99, 100), most)}
    verdict = audit.sampler(lambda: next(drawn), clipped_law(variance, most), against=against, draws=4_000_000)

    assert verdict.is_accepted, str(verdict)


@pytest.mark.parametrize("variance", [Fraction(10**12), Fraction(4**39 * 3)])
def test_wide_noise_follows_its_law(variance: Fraction, entropy) -> None:
    """In cells of half a deviation; the scale is a power of two, and 1.05 and 1.94 deviations here."""
    cell = math.isqrt(int(variance)) // 2

    def law(at: Fraction) -> dict[int, float]:
        ends = [(cell * i - 0.5) / math.sqrt(2 * at) for i in range(-5, 7)]
        below = [0.0, *((1 + math.erf(end)) / 2 for end in ends[1:-1]), 1.0]
        return dict(zip(range(-5, 6), np.diff(below).tolist(), strict=True))

    drawn = iter(np.clip(gaussian(100_000, variance, entropy) // cell, -5, 5).tolist())
    against = {f"{float(factor)}": law(variance * factor) for factor in FACTORS}
    verdict = audit.sampler(lambda: next(drawn), law(variance), against=against)

    assert verdict.is_accepted, str(verdict)


def verdict_of(size: int, variance: Fraction, scale: int, prefix: int) -> bool | None:
    """Whether a prefix is accepted; ``None`` where more bits decide."""

    def with_bits(more: bytes) -> bool:
        def entropy(count: int) -> bytes:
            return np.uint32(prefix).tobytes() if count == 4 else more * count

        return bool(_accept(np.array([size]), variance, scale, entropy)[0])

    lowest, highest = with_bits(b"\x00"), with_bits(b"\xff")
    return lowest if lowest == highest else None


@pytest.mark.parametrize(
    ("variance", "scale"),
    [(Fraction(1, 100), 1), (Fraction(37, 10), 2), (Fraction(10**6), 1024), (Fraction(3 * 4**39), 2**40)],
)
def test_every_prefix_is_judged_by_the_exact_chance(variance: Fraction, scale: int) -> None:
    """Below 2^32 times the chance is a head and above it a tail; the one in between needs more bits."""
    spread = math.isqrt(int(variance)) + 1
    for size in sorted({0, 1, 2, spread // 2, spread, spread + 1, 2 * spread, 3 * spread + 1, 12 * spread}):
        gap, rate = _exponent(size, variance, scale)
        assert gap * rate == (size - variance / scale) ** 2 / (2 * variance)
        if gap * rate > 300:
            continue
        low, high = exponential_between(gap * rate, 40)
        edge = math.floor(low * 2**32)
        assert edge == math.floor(high * 2**32)
        for prefix in (0, edge - 9, edge - 1, edge, edge + 1, edge + 9, 2**32 - 1):
            if 0 <= prefix < 2**32:
                expected = None if prefix == edge else prefix < edge
                assert expected is verdict_of(size, variance, scale, prefix), (size, prefix, edge)
    assert verdict_of(2**61, variance, scale, 1) is False


@pytest.mark.parametrize("variance", VARIANCES)
def test_proposals_that_are_accepted_have_the_law(variance: Fraction) -> None:
    """The exact chance of each coin times the law of its proposal is the law of the noise."""
    scale = 1 << math.isqrt(int(variance)).bit_length()
    weights = []
    for size in range(30):
        gap, rate = _exponent(size, variance, scale)
        weights.append(float(exponential_between(gap * rate, 30)[0]) * math.exp(-size / scale) * (1 if size else 0.5))
    law = np.exp(discrete_gaussian(np.arange(30), variance)) * np.where(np.arange(30) > 0, 2, 1)

    assert np.allclose(np.array(weights) / sum(weights), law / law.sum(), rtol=1e-9, atol=1e-290)


def test_zero_has_one_sign_and_a_tail_is_left_out() -> None:
    """Planted bytes at variance 1/4, where proposals are coins of 1/e: (0, -) goes, (0, +) and (-1) stay."""
    heads, tails = (np.uint32(word).tobytes() for word in (0, 2**32 - 1))
    many = 2 * 2 + 16
    # Proposals: two zeros, a one, and zeros that the coin leaves out.
    proposals = [tails * 2 + heads + tails * (many - 3), tails]
    coins = heads * 2 + heads + tails * (many - 3)
    stream = [*proposals, coins, bytes([1, 0, 1])]

    def entropy(count: int) -> bytes:
        taken = stream.pop(0)
        assert len(taken) == count
        return taken

    assert [0, -1] == gaussian(2, Fraction(1, 4), entropy).tolist()
    assert not stream


def test_neighbouring_sums_lose_rho() -> None:
    """Of every order alpha the divergence is at most alpha rho, and exactly that where alpha d is whole."""
    bound, rho, z = SquaredBound(9), Fraction(9, 20), np.arange(-400, 401)
    assert bound.variance(rho) == 10
    here, there = (discrete_gaussian(z - d, bound.variance(rho)) for d in (0, 3))
    for alpha in (1.1, 1.5, 2.0, 7.0):
        divergence = np.log(np.exp(alpha * here + (1 - alpha) * there).sum()) / (alpha - 1)
        assert divergence <= alpha * float(rho) * (1 + 1e-12)
        assert divergence > alpha * float(rho) * (1 - 1e-9)


@pytest.mark.parametrize("variance", [Fraction(1, 10**600), Fraction(1, 10**200), Fraction(3, 10**7), Fraction(1, 400)])
def test_narrow_noise_is_zero(variance: Fraction) -> None:
    """Whatever a program lets NumPy report."""
    with np.errstate(all="raise"):
        assert not gaussian(1000, variance, new_entropy()).any()


def test_wide_noise_fits_and_wider_noise_is_refused() -> None:
    """Up to a deviation of 2^40."""
    with np.errstate(all="raise"):
        widest = gaussian(1000, Fraction(2**80) - Fraction(1, 3), new_entropy())
    assert 2**40 < np.abs(widest).max() < 2**44
    with pytest.raises(ValueError, match="rho is too small for these numbers"):
        gaussian(1, Fraction(2**80), new_entropy())


def test_shapes_and_counts() -> None:
    """Any shape, also none; more than are made at a time."""
    sums = np.arange(6, dtype=np.int64).reshape(2, 3)

    assert (2, 3) == SystemNoise().gaussian(sums, Fraction(100)).shape
    assert np.array_equal(sums, SystemNoise().gaussian(sums, Fraction(1, 1000)))
    assert (0,) == gaussian(0, Fraction(5), new_entropy()).shape
    assert (70_000,) == gaussian(70_000, Fraction(1, 10), new_entropy()).shape


def test_equal_bytes_give_equal_noise(entropy) -> None:
    """Nothing but the stream decides: the sums have no part in it."""
    taken: list[bytes] = []

    def recorded(count: int) -> bytes:
        taken.append(entropy(count))
        return taken[-1]

    one = SystemNoise(lambda: recorded).gaussian(np.zeros(50, dtype=np.int64), Fraction(900))
    replayed = iter(taken)
    two = SystemNoise(lambda: lambda _: next(replayed)).gaussian(np.full(50, 10**15), Fraction(900))

    assert np.array_equal(one, two - 10**15)


def test_squared_bounds_are_positive_and_add_up() -> None:
    """They say of whom they speak."""
    bound = SquaredBound(Fraction(1, 2), "edge").times(6)
    assert (3, "edge") == (bound.squared, bound.neighbours.value)
    for bad in (0, -1):
        with pytest.raises(ValueError, match="positive"):
            SquaredBound(bad)
