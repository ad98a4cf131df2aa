"""Exact binomial numbers; their statistics are in tests/verification."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from dpselect.kernel import binomial as heads
from dpselect.kernel.bernoulli_exp import exponential_between


class Exhausted(Exception):
    """The script of random bytes has ended."""


def scripted(script: tuple[int, ...]):
    """An entropy of single bytes, one a call."""
    left = iter(script)

    def entropy(count: int) -> bytes:
        assert 1 == count
        for value in left:
            return bytes([value])
        raise Exhausted

    return entropy


def finished_within(count: int, exponent: Fraction, depth: int) -> dict[int, Fraction]:
    """Pr[shown = h and decided within ``depth`` random words], over every word of ``count`` bits."""
    found: dict[int, Fraction] = {}
    waiting = [()]
    while waiting:
        script = waiting.pop()
        try:
            shown = heads.binomial(count, exponent, scripted(script))
        except Exhausted:
            if len(script) < depth:
                waiting += [(*script, word) for word in range(2**count)]
        else:
            found[shown] = found.get(shown, Fraction(0)) + Fraction(1, 2 ** (count * len(script)))
    return found


@pytest.mark.parametrize("count, depth", [(1, 8), (2, 5), (3, 4)])
@pytest.mark.parametrize("exponent", [Fraction(1, 50), Fraction(1, 3), Fraction(1), Fraction(5, 2)])
def test_counting_bit_by_bit_is_flipping_every_coin(count: int, depth: int, exponent: Fraction) -> None:
    """Over every sequence of random words the law is binomial, as an equation of fractions.

    A coin whose first d bits differ from those of p is decided: heads with probability q = floor(2^d p) / 2^d, tails
    with 1 - q - 2^-d. Words after the last open coin are not asked for.
    """
    low, high = exponential_between(exponent, 40)
    q = Fraction(int(low * 2**depth), 2**depth)
    assert int(high * 2**depth) == int(low * 2**depth)
    tails = 1 - q - Fraction(1, 2**depth)
    expected = {h: math.comb(count, h) * q**h * tails ** (count - h) for h in range(count + 1)}

    assert {h: p for h, p in expected.items() if p} == finished_within(count, exponent, depth)


@pytest.mark.parametrize("exponent", [Fraction(1, 10**30), Fraction(1, 7), Fraction(3), Fraction(90), Fraction(2**21)])
def test_digits_of_the_exponential(exponent: Fraction) -> None:
    """200 binary digits against arithmetic of 150 decimals."""
    import mpmath

    with mpmath.workdps(150):
        exact = int(mpmath.floor(mpmath.exp(-mpmath.mpf(exponent.numerator) / exponent.denominator) * 2**200))

    assert f"{exact:0200b}" == "".join(map(str, itertools.islice(heads.bits(exponent), 200)))


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 8 * heads._BLOCK, 8 * heads._BLOCK + 3])
def test_fair_counts_no_bit_that_was_not_asked_for(count: int) -> None:
    """Bytes of ones give as many ones as bits; bytes of zeros none."""
    assert count == heads.fair(count, lambda size: b"\xff" * size)
    assert 0 == heads.fair(count, bytes)


@pytest.mark.parametrize("most", [1, 5, 2**30])
def test_small_and_large_groups_find_their_owners(most: int, monkeypatch, entropy) -> None:
    """Candidates without a gap all show heads and hopeless ones none, however groups are cut into chunks."""
    monkeypatch.setattr(heads, "_MANY", most)
    monkeypatch.setattr(heads, "_CHUNK", 4)
    gaps, counts = np.array([0, 10**6, 0, 10**6, 0]), np.array([3, 2, 9, 17, 1])

    assert [3, 0, 9, 0, 1] == heads.heads(gaps, counts, Fraction(1), entropy).tolist()


def test_a_billion_coins_take_a_moment_and_two_bits_each() -> None:
    """Random bytes asked for: a quarter of a byte a coin, in blocks."""
    asked = []

    def entropy(count: int) -> bytes:
        asked.append(count)
        return b"\x55" * count

    heads.binomial(10**8, Fraction(1), entropy)

    assert max(asked) <= heads._BLOCK
    assert abs(sum(asked) - 2 * 10**8 / 8) < 10**4
