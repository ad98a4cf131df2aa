"""Lists in one pass from groups of equal scores: the law of every candidate by itself, whatever their number."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import dpselect as dps
from dpselect import audit
from dpselect.kernel.samplers import ordered_groups as sampler
from dpselect.kernel.samplers.ordered_groups import ordered_groups
from dpselect.kernel.samplers.poisson import poisson
from dpselect.kernel.samplers.sum_ranges import SumRange
from dpselect.mechanisms.ordered_pmf import list_log_pmf
from tests.kernel.test_ordered import MOST, law_with_gaps

# Two groups share a tick.
TICKS, COUNTS = np.array([5, 3, 4, 3]), np.array([1, 2, 1, 1])
EVERYONE = [(0, 0), (1, 0), (1, 1), (2, 0), (3, 0)]
# With so few to spare a part is expected to hold one candidate, so that a list needs several parts.
FEW = -5


def law(rate: Fraction, k: int = 2) -> dict[tuple[tuple[int, int], ...], float]:
    """Every ordered list, candidate by candidate."""
    ticks = np.repeat(TICKS, COUNTS)
    lists = itertools.permutations(range(ticks.size), k)
    return {tuple(EVERYONE[i] for i in names): math.exp(list_log_pmf(ticks, rate, names)) for names in lists}


@pytest.mark.parametrize(
    ("rate", "spare", "guard", "draws"),
    [
        pytest.param(Fraction(3, 2), 512, sampler.GUARD, 5000, marks=pytest.mark.slow),
        (Fraction(3, 2), FEW + 1, sampler.GUARD, 900),
        pytest.param(Fraction(1, 3), FEW, sampler.GUARD, 40_000, marks=pytest.mark.slow),
        pytest.param(Fraction(3), FEW, sampler.GUARD, 40_000, marks=pytest.mark.slow),
        pytest.param(Fraction(3, 2), FEW, 0.3, 5000, marks=pytest.mark.slow),
    ],
)
def test_lists_follow_the_law_of_single_candidates(rate, spare, guard, draws, entropy, monkeypatch) -> None:
    """In one part and in several, with coins that floats decide and others; rejected at 0.7 and 1.3 of the rate."""
    monkeypatch.setattr(sampler, "_SPARE", spare)
    monkeypatch.setattr(sampler, "GUARD", guard)
    verdict = audit.sampler(
        lambda: tuple(ordered_groups(TICKS, COUNTS, 2, rate, entropy)[0]),
        law(rate),
        draws=draws,
        against={f"{factor}": law(rate * Fraction(factor)) for factor in ("0.7", "1.3")},
    )

    assert verdict.is_accepted, str(verdict)


def with_gaps(rate: Fraction) -> dict[tuple[int, ...], float]:
    """The group of the winner of two equal candidates and one behind, and its floored gap."""
    chances: dict[tuple[int, ...], float] = {}
    for (name, *gap), chance in law_with_gaps(np.array([2, 2, 0]), rate, 1).items():
        key = (name // 2, *gap)
        chances[key] = chances.get(key, 0.0) + chance
    return chances


@pytest.mark.parametrize("spare", [512, pytest.param(-3, marks=pytest.mark.slow)])
def test_floored_gaps_follow_the_integrals_of_their_density(spare: int, entropy, monkeypatch) -> None:
    """The rate is large, so that a gap which is off by one shows; rejected at 0.7 and 1.3 of it."""
    monkeypatch.setattr(sampler, "_SPARE", spare)
    rate = Fraction(3, 2)

    def drawn() -> tuple[int, int]:
        ((group, _),), (gap,) = ordered_groups(np.array([2, 0]), np.array([2, 1]), 1, rate, entropy)
        return (group, min(gap, MOST))

    verdict = audit.sampler(
        drawn,
        with_gaps(rate),
        draws=1500,
        against={f"{factor}": with_gaps(rate * Fraction(factor)) for factor in ("0.7", "1.3")},
    )

    assert verdict.is_accepted, str(verdict)


@pytest.mark.parametrize("spare", [512, pytest.param(-3, marks=pytest.mark.slow)])
def test_large_groups_follow_the_law_of_permute_and_flip(spare: int, entropy, monkeypatch) -> None:
    """A list of one, where most candidates get no coin at all; ordinals are uniform."""
    monkeypatch.setattr(sampler, "_SPARE", spare)
    counts, mechanism = np.array([1, 3, 40, 200_000]), dps.mechanism("permute-and-flip")
    table = dps.Scores([9, 7, 3, -9], 1, kind="integer")

    def groups(epsilon: Fraction) -> dict[int, float]:
        ticks, rate = mechanism.quantize(table, epsilon)
        return dict(enumerate(np.exp(mechanism.tick_log_pmf(ticks, rate, counts)) * counts))

    ticks, rate = mechanism.quantize(table, Fraction(1))
    ordinals = []

    def drawn() -> int:
        ((group, ordinal),), _ = ordered_groups(ticks, counts, 1, rate, entropy)
        ordinals.extend([ordinal] * (group == 3))
        return group

    verdict = audit.sampler(
        drawn, groups(Fraction(1)), draws=900, against={f: groups(Fraction(f)) for f in ("0.7", "1.3")}
    )
    assert verdict.is_accepted, str(verdict)
    assert abs(np.mean(ordinals) / 200_000 - 0.5) < 4 / math.sqrt(12 * len(ordinals))


@pytest.mark.parametrize("rate", [Fraction(1, 2**39), Fraction(1, 1000), Fraction(1), Fraction(10**30)])
def test_a_trillion_in_one_group_take_no_longer_than_a_few(rate: Fraction, entropy) -> None:
    """Ends of 64 bits on both sides, and a thousand winners: every name once."""
    ticks, counts = np.array([3, -(2**61), 2**61, 0]), np.array([5, 7, 3, 10**12])
    for k, many in ((1000, 10**12), (20, 2**60)):
        counts[3] = many
        names, gaps = ordered_groups(ticks, counts, k, rate, entropy)
        assert (k, k) == (len(set(names)), len(gaps))
        assert min(gaps) >= 0
        assert {2} == {group for group, _ in names[:3]}
        assert all(0 <= ordinal < counts[group] for group, ordinal in names)
        assert np.unique([ordinal for group, ordinal in names if group == 3]).size >= k - 8


def test_everyone_is_named_once_and_the_last_has_no_gap(entropy) -> None:
    """And one candidate alone."""
    names, gaps = ordered_groups(TICKS, COUNTS, 5, Fraction(1), entropy)
    assert (sorted(EVERYONE), 4) == (sorted(names), len(gaps))
    assert ([(0, 0)], []) == ordered_groups(np.array([7]), np.array([1]), 1, Fraction(1), entropy)


def test_nobody_is_named_twice_in_several_parts(entropy, monkeypatch) -> None:
    """Who was found in one part is left out in those below."""
    monkeypatch.setattr(sampler, "_SPARE", -9)
    for _ in range(40):
        names, _ = ordered_groups(np.array([1, 0]), np.array([3, 3]), 4, Fraction(1, 2), entropy)
        assert 4 == len(set(names))


def test_chances_of_parts_agree_with_their_enclosures() -> None:
    """Within the guard, from the top to the last share of an integer; shares add up to the whole."""
    ticks, counts, rate = np.array([4, 0, -30]), np.array([1, 10**6, 10**9]), Fraction(1, 3)
    part, left = SumRange(5), [Fraction(1)] * 3
    for _ in range(40):
        for i, chance in enumerate(part.chances(ticks, rate).tolist()):
            if part.top or ticks[i] <= part.bar:
                low, high = part.chance_between(int(ticks[i]), rate, 60)
                assert low * (1 - 2**-34) <= Fraction(chance) <= high * (1 + 2**-34)
                left[i] *= 1 - low
        if part.revealed_share == 1:
            for i, tick in enumerate(ticks.tolist()):
                gone = math.exp(-rate * max(part.bar - tick, 0))
                assert math.isclose(left[i], 1 - gone, abs_tol=1e-12)
        part = part.below(ticks, counts, rate, 10)
    assert part.bar < 4


def test_poisson_numbers_follow_their_law(entropy) -> None:
    """Accepted, and rejected at a mean that is a fifth off."""
    stats = pytest.importorskip("scipy.stats")
    places = np.arange(30)
    verdict = audit.sampler(
        lambda: poisson(9, entropy),
        dict(enumerate(stats.poisson.pmf(places, 4.5).tolist())),
        draws=1500,
        against={"3.6": dict(enumerate(stats.poisson.pmf(places, 3.6).tolist()))},
    )
    assert verdict.is_accepted, str(verdict)


@pytest.mark.parametrize("ties", [0, 1, 2])
@pytest.mark.parametrize(
    "part", [SumRange(7), SumRange(4, False, Fraction(0), 0), SumRange(4, False, Fraction(1, 4), 2)]
)
@pytest.mark.parametrize("mass", [Fraction(0), Fraction(1, 8)])
def test_a_coin_that_words_leave_open_is_settled_exactly(part: SumRange, mass: Fraction, ties: int) -> None:
    """Its uniform number agrees with the threshold in 32 bits and some words, and then lies just on either side."""
    rate, tick = Fraction(3, 2), 2
    with mpmath.workdps(120):
        near = mpmath.exp(-mpmath.mpf(3) / 2 * max(part.bar - tick, 0))
        above = 0 if part.top else mpmath.exp(-mpmath.mpf(3) / 2 * (part.bar + 1 - tick))
        done = mpmath.mpf(part.done.numerator) / part.done.denominator
        threshold = (near - above) / 2**part.tail / (1 - above - done * (near - above))
        threshold /= 1 - mpmath.exp(-mpmath.mpf(mass.numerator) / mass.denominator) if mass else 1
        bits = int(mpmath.floor(threshold * 2 ** (32 + 64 * (ties + 1))))
    assert 0 < threshold < 1
    for number, heads in ((bits - 1, True), (bits + 1, False)):
        words = [(number >> 64 * place) % 2**64 for place in reversed(range(ties + 1))]
        left = iter(word.to_bytes(8, "big") for word in words)
        prefix = number >> 64 * (ties + 1)

        assert heads is sampler._settle(part, tick, rate, mass, prefix, lambda size, left=left: next(left))
        assert next(left, None) is None
