"""One number plus heavy-tailed noise: enclosed without chance, refined where it must be."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from dpselect.kernel.samplers.heavy_families import family
from dpselect.kernel.samplers.heavy_value import heavy_value
from dpselect.mechanisms.smooth.value_noise import CAUCHY, STUDENT, ValueNoise

BOTH = pytest.mark.parametrize("noise", [CAUCHY, STUDENT], ids=lambda noise: noise.name)


@BOTH
def test_the_law_lies_between_what_is_decided_and_what_is_open(noise: ValueNoise) -> None:
    """All prefixes of eight bits of U and V: certain answers weigh at most the law, with open ones at least."""
    bits, centre, scale, law = 8, 3, Fraction(5, 2), family(noise.gamma)
    certain, possible = dict.fromkeys(range(-2, 9), 0), dict.fromkeys(range(-2, 9), 0)
    accepted = undecided = 0
    for drawn in range(2**bits):
        verdicts = [law.decide(drawn, drawn + 1, bar, bits, bits) for bar in range(2**bits)]
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


def start(prefix: int, coin: int, sign: int = 1) -> tuple[bytes, bytes]:
    """Fifty-three bits of U with a sign, and the coin."""
    return (prefix << 11 | (sign > 0)).to_bytes(8, "big"), coin.to_bytes(4, "big")


def word(number: int) -> bytes:
    """Sixty-four bits more."""
    return number.to_bytes(8, "big")


def answer(noise: ValueNoise, scale: Fraction, *words: bytes) -> int:
    """The answer around 0 from planted bytes, which must all be asked for, in this order."""
    stream = list(words)

    def entropy(count: int) -> bytes:
        taken = stream.pop(0)
        assert len(taken) == count
        return taken

    result = heavy_value(0, scale, noise.gamma, entropy)
    assert [] == stream
    return result


HALF, LOW, HIGH = 2**52, 2**28, 2**32 - 1


def test_an_answer_that_is_not_certain_asks_for_more_bits_of_the_same_noise() -> None:
    """U from 1/2 on is Z up to 1, and 3/2 is where answers change: the bits that follow those of U decide."""
    assert 1 == answer(CAUCHY, Fraction(3, 2), *start(HALF, LOW), word(1))
    assert 1 == answer(CAUCHY, Fraction(3, 2), *start(HALF, LOW), word(0), word(7))
    assert -1 == answer(CAUCHY, Fraction(3, 2), *start(HALF, LOW, sign=-1))


def test_a_prefix_of_zeros_is_never_an_answer() -> None:
    """Z has no upper end there; the bits that follow give it one."""
    assert 1 == answer(CAUCHY, Fraction(1, 2**54), *start(0, LOW), word(2**63))


def test_acceptance_that_is_open_asks_for_more_bits_of_both() -> None:
    """Student t at U = 0 rejects every coin but 0, of which more bits are drawn, and of U too."""
    opened = *start(0, 0), word(0), word(1)

    assert 0 == answer(STUDENT, Fraction(1, 4), *opened, *start(HALF, LOW))


def test_a_rejected_number_is_drawn_anew() -> None:
    """Both words of it."""
    assert 0 == answer(CAUCHY, Fraction(1, 4), *start(2**50, HIGH), *start(HALF, LOW))
