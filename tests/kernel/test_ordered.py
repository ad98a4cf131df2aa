"""Lists in one pass, with their gaps: integers, coins and an order."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from dpselect import audit
from dpselect.kernel.samplers import ordered_top_k as sampler
from dpselect.kernel.samplers.ordered_top_k import first_of, ordered_top_k
from dpselect.mechanisms.ordered_pmf import gaps_log_density, list_log_pmf

TICKS, RATE = np.array([3, 2, 2, 0]), Fraction(3, 2)
# Gaps of so many ticks and more are one outcome.
MOST = 3


def law(rate: Fraction, k: int = 2) -> dict[tuple[int, ...], float]:
    """Every ordered list of the ticks above."""
    lists = itertools.permutations(range(TICKS.size), k)
    return {names: math.exp(list_log_pmf(TICKS, rate, names)) for names in lists}


@pytest.mark.parametrize("chunk", [2, pytest.param(2**15, marks=pytest.mark.slow)])
def test_lists_follow_their_rational_law(chunk: int, entropy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the chunks; rejected at 0.7 and 1.3 of the rate."""
    monkeypatch.setattr(sampler, "_CHUNK", chunk)
    verdict = audit.sampler(
        lambda: tuple(ordered_top_k(TICKS, 2, RATE, entropy)[0]),
        law(RATE),
        against={f"{factor}": law(RATE * Fraction(factor)) for factor in ("0.7", "1.3")},
    )

    assert verdict.is_accepted, str(verdict)


def test_a_list_of_one_is_permute_and_flip(entropy) -> None:
    """Its law is that of the noise named for it."""
    verdict = audit.sampler(lambda: tuple(ordered_top_k(TICKS, 1, RATE, entropy)[0]), law(RATE, 1), draws=2000)

    assert verdict.is_accepted, str(verdict)


def points_of(k: int) -> list[tuple[tuple[Fraction, ...], float]]:
    """Return points of the unit cell and their weights; a square is cut where densities bend, at a sum of 1."""
    nodes, weights = np.polynomial.legendre.leggauss(8)
    line = [(float(x + 1) / 2, w / 2) for x, w in zip(nodes, weights, strict=True)]
    if k == 1:
        return [((Fraction(x),), w) for x, w in line]
    below = [((x, y * (1 - x)), v * w * (1 - x)) for x, v in line for y, w in line]
    both = [*below, *(((1 - x, 1 - y), w) for (x, y), w in below)]
    return [((Fraction(x), Fraction(y)), w) for (x, y), w in both]


def law_with_gaps(ticks: np.ndarray, rate: Fraction, k: int) -> dict[tuple[int, ...], float]:
    """Lists with their floored gaps, by quadrature over the cells between whole gaps, where densities are smooth."""
    inside = points_of(k)
    chances: dict[tuple[int, ...], float] = {}
    for names in itertools.permutations(range(ticks.size), k):
        rest = math.exp(list_log_pmf(ticks, rate, names))
        for cell in itertools.product(range(MOST), repeat=k):
            chance = 0.0
            for point, weight in inside:
                gaps = [low + part for low, part in zip(cell, point, strict=True)]
                height = math.exp(gaps_log_density(ticks, rate, names, gaps))
                chance += weight * height * float(rate) ** k
            chances[(*names, *cell)] = chance
            rest -= chance
        # One gap at least beyond the cells.
        chances[(*names, MOST)] = rest
    return chances


@pytest.mark.parametrize(
    ("ticks", "k"), [([3, 2, 0], 1), ([0, 0], 1), pytest.param([4, 3, 1], 2, marks=pytest.mark.slow)]
)
def test_floored_gaps_follow_the_integrals_of_their_density(ticks, k: int, entropy) -> None:
    """The rate is large, so that a gap which is off by one shows; rejected at 0.7 and 1.3 of it."""
    values, rate = np.array(ticks), Fraction(3, 2)

    def drawn() -> tuple[int, ...]:
        names, gaps = ordered_top_k(values, k, rate, entropy)
        return (*names, *gaps) if max(gaps) < MOST else (*names, MOST)

    verdict = audit.sampler(
        drawn,
        law_with_gaps(values, rate, k),
        against={f"{factor}": law_with_gaps(values, rate * Fraction(factor), k) for factor in ("0.7", "1.3")},
    )

    assert verdict.is_accepted, str(verdict)


def test_a_winner_with_the_smaller_fraction_leads_by_one_less() -> None:
    """Integers 5, 5 and 3 with fractions .25, .75 and .5: sums 5.75, 5.25 and 3.5, gaps .5 and 1.75."""
    words = (np.array([1, 3, 2], dtype=np.uint64) << np.uint64(62)).tobytes()
    first, gaps = first_of(np.array([5, 5, 3]), 3, lambda _: words)

    assert ([1, 0, 2], [0, 1]) == (first.tolist(), gaps)


def test_equal_words_are_drawn_anew() -> None:
    """Two that agree in 64 bits say nothing of their order."""
    answers = iter([np.array([[7, 7], [1, 9]], dtype=np.uint64)[row].tobytes() for row in (0, 1)])

    assert [1, 0] == first_of(np.array([4, 4]), 2, lambda _: next(answers))[0].tolist()


def test_ends_of_64_bits(entropy) -> None:
    """Ticks at the clips on both sides, and noise of a small rate: no wrap, and every name once."""
    ticks = np.array([2**61, -(2**61), 2**61 - 5, 0])
    for rate in (Fraction(1, 2**39), Fraction(10**30)):
        names, gaps = ordered_top_k(ticks, 4, rate, entropy)
        assert {0, 1, 2, 3} == set(names)
        assert [0, 2] == sorted(names[:2])
        assert 2**60 < gaps[1] < 2**62
        assert 3 == len(gaps)


def test_gaps_are_never_negative_and_all_named_have_one_less(entropy) -> None:
    """Among many ties too."""
    names, gaps = ordered_top_k(np.zeros(5000, dtype=np.int64), 100, Fraction(3), entropy)

    assert (100, 100) == (len(set(names)), len(gaps))
    assert min(gaps) >= 0
