"""Lists of the exponential mechanism in one pass: a race, decided exactly."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dpselect import audit
from dpselect.kernel.samplers import gumbel_keys as sampler
from dpselect.kernel.samplers.gumbel_keys import _ends, _in_order, _Runner, gumbel_keys

TICKS, RATE = np.array([5, 4, 4, 2, 0]), Fraction(3, 2)


def law(rate: float) -> dict[tuple[int, int], float]:
    """Ordered pairs, peeled: the second from those that remain."""
    weight = np.exp(rate * TICKS)
    total = weight.sum()
    pairs = itertools.permutations(range(TICKS.size), 2)
    return {(i, j): weight[i] / total * weight[j] / (total - weight[i]) for i, j in pairs}


@pytest.mark.parametrize("bits", [63, pytest.param(8, marks=pytest.mark.slow), 4])
def test_lists_follow_the_law_of_peeling(bits: int, entropy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four bits leave nearly all to the exact part; rejected at 0.7 and 1.3 of the rate."""
    monkeypatch.setattr(sampler, "_BITS", bits)
    monkeypatch.setattr(sampler, "_CHUNK", 3)
    verdict = audit.sampler(
        lambda: tuple(gumbel_keys(TICKS, 2, RATE, entropy)),
        law(1.5),
        against={f"{factor}": law(1.5 * factor) for factor in (0.7, 1.3)},
        draws=2048 if bits > 60 else 1024,
    )

    assert verdict.is_accepted, str(verdict)


@pytest.mark.parametrize("word", [0, 1, 2**40, 2**63 - 2**9, 2**63 - 2, 2**63 - 1])
@pytest.mark.parametrize("behind", [Fraction(0), Fraction(-(10**9)), Fraction(10**12, 7)])
def test_enclosures_hold_the_arrival(word: int, behind: Fraction) -> None:
    """Floats and decimals, against two hundred digits, at both ends of the word; decimals are narrow."""
    with np.errstate(all="ignore"):
        low, high = (float(end[0]) for end in _ends(np.array([float(behind)]), np.array([word], dtype=np.uint64)))
    least, most = _Runner(0, behind, word, 63).arrival()
    with mpmath.workdps(200):
        ends = [
            mpmath.mpf(behind.numerator) / behind.denominator + mpmath.log(-mpmath.log1p(-mpmath.mpf(v) / 2**63))
            for v in (word, word + 1)
            if 0 < v < 2**63
        ]
        inner = [mpmath.mpf(end.numerator) / end.denominator for end in (least, most) if end is not None]
        assert len(ends) == len(inner)
        assert all(low <= end <= high for end in ends)
        for end, inside in zip(ends, inner, strict=True):
            assert abs(end - inside) < mpmath.mpf(10) ** -15
        if least is not None:
            assert inner[0] <= ends[0]
        if most is not None:
            assert ends[-1] <= inner[-1]


def test_equal_words_are_drawn_on() -> None:
    """Two that agree in 63 and in 127 bits are told apart by the next 64."""
    answers = iter([(7).to_bytes(8, "big")] * 2 + [(9).to_bytes(8, "big"), (3).to_bytes(8, "big")])
    runners = [_Runner(position, Fraction(0), 2**62, 63) for position in (0, 1)]

    assert [1, 0] == _in_order(runners, lambda _: next(answers))


def test_ties_far_behind_a_few_are_quick_and_fair(entropy) -> None:
    """One candidate is ahead by 10^10 units of noise; the rest tie, and floats tell them apart."""
    ticks = np.concatenate(([10**9], np.zeros(40_000, dtype=np.int64)))
    names = gumbel_keys(ticks, 30, Fraction(10), entropy)

    assert (0, 30) == (names[0], len(set(names)))
    assert max(names) > 20_000


@pytest.mark.parametrize("rate", [Fraction(1, 10**20), Fraction(1), Fraction(10**250)])
def test_ends_of_64_bits(rate: Fraction, entropy) -> None:
    """Ticks at the clips, rates of any size, everyone named once; large rates give the ranking."""
    ticks = np.array([0, 2**61, -(2**61), 2**61 - 1, 7])
    names = gumbel_keys(ticks, 5, rate, entropy)

    assert set(range(5)) == set(names)
    assert rate < 10 or [1, 3, 4, 0, 2] == names


def test_chances_of_peeling_add_up() -> None:
    """The law above is one."""
    assert math.isclose(1, sum(law(1.5).values()))
