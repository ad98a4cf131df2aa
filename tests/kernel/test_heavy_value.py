"""One number plus heavy-tailed noise: enclosed without chance, refined where it must be."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from dpselect.kernel.samplers import heavy_value as sampler
from dpselect.kernel.samplers.heavy_value import decide, heavy_value
from dpselect.mechanisms.smooth.value_noise import CAUCHY, STUDENT, ValueNoise

BOTH = pytest.mark.parametrize("noise", [CAUCHY, STUDENT], ids=lambda noise: noise.name)


@BOTH
def test_the_law_lies_between_what_is_decided_and_what_is_open(noise: ValueNoise) -> None:
    """All prefixes of eight bits of U and V: certain answers weigh at most the law, with open ones at least."""
    bits, centre, scale = 8, 3, Fraction(5, 2)
    certain, possible = dict.fromkeys(range(-2, 9), 0), dict.fromkeys(range(-2, 9), 0)
    accepted = undecided = 0
    for drawn in range(2**bits):
        verdicts = [decide(drawn, bar, bits, noise.power) for bar in range(2**bits)]
        sure, unsure = verdicts.count(True), verdicts.count(None)
        accepted, undecided = accepted + sure, undecided + unsure
        # |Z| at the ends of this prefix, 0 to ever larger.
        ends = [Fraction(2**bits - drawn - 1, drawn + 1), Fraction(2**bits - drawn, max(drawn, 1))]
        for sign in (1, -1):
            one, other = sorted(math.floor(centre + sign * scale * z + Fraction(1, 2)) for z in ends)
            for cell in certain:
                certain[cell] += sure if one == cell == other and drawn else 0
                possible[cell] += sure + unsure if one <= cell <= other or not drawn else 0

    chances = np.exp(noise.log_cells(list(certain), centre, scale))
    assert undecided < 0.03 * 4**bits
    for cell, chance in zip(certain, chances, strict=True):
        low, high = certain[cell] / (2 * (accepted + undecided)), possible[cell] / (2 * accepted)
        assert low < chance < high
        assert high - low < 0.035


@BOTH
def test_more_bits_never_change_a_verdict(noise: ValueNoise) -> None:
    """What eight bits decide, twelve decide alike, for every completion."""
    rng = np.random.default_rng(1)
    for drawn, bar in rng.integers(0, 256, (3000, 2)).tolist():
        verdict = decide(drawn, bar, 8, noise.power)
        if verdict is not None:
            for _ in range(4):
                more, further = rng.integers(0, 16, 2).tolist()
                assert decide(drawn << 4 | more, bar << 4 | further, 12, noise.power) is verdict


@BOTH
def test_the_ceiling_is_at_least_the_supremum(noise: ValueNoise) -> None:
    """Where acceptance is likeliest, at U = 1/2 for Cauchy noise and beyond for Student t, it is at most certain."""
    u = np.linspace(0, 1, 100_001)
    ratio = u ** (2 * noise.power - 2) / (u**2 + (1 - u) ** 2) ** noise.power

    assert ratio.max() <= float(sampler._CEILING[noise.power]) < 1.001 * ratio.max()


def word(number: int) -> bytes:
    """Sixty-four bits."""
    return number.to_bytes(8, "big")


def answer(noise: ValueNoise, scale: Fraction, *words: bytes) -> int:
    """The answer around 0 from planted bytes, which must all be asked for, in this order."""
    stream = list(words)

    def entropy(count: int) -> bytes:
        taken = stream.pop(0)
        assert len(taken) == count
        return taken

    result = heavy_value(0, scale, noise.power, entropy)
    assert [] == stream
    return result


HALF, LOW, PLUS, MINUS = word(2**63), word(2**60), b"\x01", b"\x00"


def test_an_answer_that_is_not_certain_asks_for_more_bits_of_the_same_noise() -> None:
    """U from 1/2 on is Z up to 1, and 3/2 is where answers change: the bits that follow those of U decide."""
    assert 1 == answer(CAUCHY, Fraction(3, 2), HALF, LOW, PLUS, word(1))
    assert 1 == answer(CAUCHY, Fraction(3, 2), HALF, LOW, PLUS, word(0), word(7))
    assert -1 == answer(CAUCHY, Fraction(3, 2), HALF, LOW, MINUS)


def test_a_prefix_of_zeros_is_never_an_answer() -> None:
    """Z has no upper end there; the bits that follow give it one."""
    assert 1 == answer(CAUCHY, Fraction(1, 2**65), word(0), LOW, PLUS, word(2**63))


def test_acceptance_that_is_open_asks_for_more_bits_of_both() -> None:
    """Cauchy noise at U = 1/2 accepts every V: one just below 1 is open until U is known to lie close enough."""
    edge = word(2**64 - 1)

    assert 1 == answer(CAUCHY, Fraction(1), HALF, edge, word(0), word(0), PLUS)


def test_a_rejected_number_is_drawn_anew() -> None:
    """Both words of it."""
    assert 0 == answer(CAUCHY, Fraction(1, 4), word(2**62), word(2**64 - 1), HALF, LOW, PLUS)
