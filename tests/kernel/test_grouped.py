"""Draws by the group equal draws candidate by candidate."""

import itertools
from collections import Counter
from fractions import Fraction
from math import comb, prod

import numpy as np
import pytest

import dpselect as dps
from dpselect.kernel.bernoulli_exp import exponential_between
from dpselect.kernel.samplers import group_draws as groups
from dpselect.mechanisms.base import require_grouped
from dpselect.scores.grouped_scores import GroupedScores

GROUPED = [name for name in dps.mechanisms.MECHANISMS if dps.mechanism(name).sampler.grouped]


def sensitivity(kind: str, groups_of: np.ndarray) -> dps.Sensitivity:
    """One constant, one bound a candidate, or an element sensitivity; by profile 0, 1, 2."""
    if kind == "constant":
        return dps.sensitivity.constant(2)
    if kind == "bounds":
        return dps.sensitivity.constant(np.array([1.0, 2.0, 3.5])[groups_of])
    growth = np.array([0.5, 1.0, 0.0])[groups_of]
    return dps.sensitivity.element(lambda t: np.minimum(1 + growth * (1 + t), 4.0), ceiling=4, reach=9)


@pytest.mark.parametrize(
    "name, kind",
    [
        (name, kind)
        for name in GROUPED
        for kind in ("constant", "bounds", "element")
        # A shift needs a public reach, an inverse sensitivity distances.
        if name != "inverse-sensitivity" and not (kind == "bounds" and name.startswith("shifted"))
    ],
)
@pytest.mark.parametrize("most", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_grouped_and_ungrouped_have_one_law(name: str, kind: str, most: int) -> None:
    """Every table of so many pairs of score and profile with counts 1 to 3: same ticks, same law."""
    mechanism = dps.mechanism(name)
    pairs = [(0.0, 0), (3.0, 1), (3.0, 2), (-2.5, 1)]
    for size in range(1, most + 1):
        for chosen in itertools.combinations(pairs, size):
            for counts in itertools.product((1, 2, 3), repeat=size):
                values, profile = np.array([p[0] for p in chosen]), np.array([p[1] for p in chosen])
                grouped = GroupedScores(dps.Scores(values, sensitivity(kind, profile)), np.array(counts))
                every = np.repeat(np.arange(size), counts)
                scores = dps.Scores(values[every], sensitivity(kind, profile[every]))

                ticks = mechanism.effective(grouped.scores).ticks
                assert ticks[every].tolist() == mechanism.effective(scores).ticks.tolist()
                law = np.exp(mechanism.grouped_log_pmf(grouped, Fraction(3, 2)))
                np.testing.assert_allclose(mechanism.pmf(scores, Fraction(3, 2)), law[every], rtol=1e-12)


def permuted(chances: list[Fraction]) -> list[Fraction]:
    """Permute-and-flip as published, over every permutation; the best candidate has chance 1."""
    law = [Fraction(0)] * len(chances)
    orders = list(itertools.permutations(range(len(chances))))
    for order in orders:
        still = Fraction(1, len(orders))
        for candidate in order:
            law[candidate] += still * chances[candidate]
            still *= 1 - chances[candidate]
    return law


@pytest.mark.parametrize("counts", [(1,), (1, 3), (2, 2), (3, 1, 2), (1, 2, 1)])
def test_a_uniform_head_of_binomial_groups_is_permute_and_flip(counts: tuple[int, ...], monkeypatch) -> None:
    """Over every number of heads and every uniform ordinal: the published law, as an equation of fractions."""
    chances = [Fraction(1), Fraction(1, 3), Fraction(2, 7)][: len(counts)]
    law = [Fraction(0)] * len(counts)
    for shown in itertools.product(*(range(n + 1) for n in counts)):
        weight = prod(comb(n, h) * p**h * (1 - p) ** (n - h) for n, h, p in zip(counts, shown, chances, strict=True))
        if not weight:
            continue
        monkeypatch.setattr(groups, "heads", lambda *_, shown=shown: np.array(shown))
        for ordinal in range(sum(shown)):
            monkeypatch.setattr(groups, "below", lambda bound, _, ordinal=ordinal: ordinal)
            law[groups.permute_and_flip(np.arange(len(counts)), np.array(counts), Fraction(1), bytes)] += weight / sum(
                shown
            )

    single = permuted([p for n, p in zip(counts, chances, strict=True) for _ in range(n)])
    starts = [sum(counts[:i]) for i in range(len(counts))]
    assert [n * single[i] for n, i in zip(counts, starts, strict=True)] == law


@pytest.mark.parametrize("mass", [1, 5, 10**9 << 32])
@pytest.mark.parametrize("exponent", [Fraction(0), Fraction(1, 10**12), Fraction(7, 3), Fraction(40)])
def test_a_point_is_under_the_weight_exactly(mass: int, exponent: Fraction) -> None:
    """Whole cells below and above are decided at once; in the cell of the boundary, the bits decide."""
    import mpmath

    with mpmath.workdps(100):
        weight = mass * mpmath.exp(-mpmath.mpf(exponent.numerator) / exponent.denominator)
        cell = int(mpmath.floor(weight))
        fraction = int(mpmath.floor((weight - cell) * 2**64))

    def words(value: int):
        return lambda count: value.to_bytes(count, "big")

    if cell:
        assert groups.under(cell - 1, mass, exponent, bytes)
    assert not groups.under(cell + 1, mass, exponent, bytes)
    if exponent:
        assert fraction == 0 or groups.under(cell, mass, exponent, words(fraction - 1))
        assert not groups.under(cell, mass, exponent, words(fraction + 1))


@pytest.mark.parametrize("rate", [Fraction(1), Fraction(1, 10**20), Fraction(10**300), Fraction(22, 7 * 2**20)])
def test_the_line_of_the_exponential_draw_covers_every_weight(rate: Fraction) -> None:
    """No length falls short of its weight, through underflow and up to 2^60 candidates; the sum fits 63 bits."""
    gaps, counts = np.array([0, 1, 700, 10**6, 2**61]), np.array([2**60, 1, 10**9, 3, 2**40])
    for chosen in ([0], [0, 1, 2, 3, 4], [1, 2, 3], [4, 1]):
        lengths, shift = groups._lengths(gaps[chosen], counts[chosen], rate)

        assert sum(lengths.tolist()) < 2**63
        for length, gap, count in zip(lengths.tolist(), gaps[chosen].tolist(), counts[chosen].tolist(), strict=True):
            least, most = exponential_between(gap * rate, 40) if gap else (1, 1)
            assert count * 2**shift * most <= length <= count * 2**shift * least * (1 + Fraction(1, 2**32)) + 1


@pytest.mark.parametrize("sampler", [groups.exponential, groups.permute_and_flip])
def test_with_no_privacy_left_the_best_group_wins(sampler, entropy) -> None:
    """At an enormous rate the winners are the best, then the next best, each candidate once."""
    winners = groups.peel(
        np.array([5, 9, 5, -(2**61)]), np.array([2, 1, 1, 10**6]), 5, Fraction(10**9), sampler, lambda: entropy
    )

    assert (1, 0) == winners[0]
    assert {(0, 0), (0, 1), (2, 0)} == set(winners[1:4])
    assert 3 == winners[4][0]
    assert 0 <= winners[4][1] < 10**6


def test_ordinals_run_through_every_order_once(monkeypatch) -> None:
    """Four candidates in three groups that share a tick: the 24 lists of three are equally likely, each once."""
    lists = Counter()
    for script in itertools.product(range(4), range(3), range(2)):
        given = iter(script)
        monkeypatch.setattr(groups, "below", lambda bound, _, given=given: next(given))
        lists[
            tuple(groups.peel(np.zeros(3, int), np.array([1, 2, 1]), 3, Fraction(1), lambda *_: 0, lambda: bytes))
        ] += 1

    every = [(0, 0), (1, 0), (1, 1), (2, 0)]
    assert Counter(itertools.permutations(every, 3)) == lists


@pytest.mark.parametrize("sampler", [groups.exponential, groups.permute_and_flip])
def test_everyone_may_be_named(sampler, entropy) -> None:
    """With k = m every candidate comes once, and a runaway winner does not hold up the others."""
    counts = np.array([3, 1, 4])
    winners = groups.peel(np.array([0, 2**60, 7]), counts, 8, Fraction(1), sampler, lambda: entropy)

    assert (1, 0) == winners[0]
    assert {(g, i) for g in range(3) for i in range(counts[g])} == set(winners)


@pytest.mark.parametrize("name", sorted(set(dps.mechanisms.MECHANISMS) - set(GROUPED)))
def test_noise_for_every_candidate_cannot_be_grouped(name: str) -> None:
    """The message names mechanisms that can."""
    with pytest.raises(ValueError, match="use permute-and-flip, exponential"):
        require_grouped(dps.mechanism(name))


def test_checking_the_winners_group_alone_would_cost_nearly_twice() -> None:
    """A table whose group of the first candidate changes during a release; neighbours differ before and after.

    If only a changed winner is drawn again, Pr[first] = p(before) p(after), and both factors move by e^epsilon.
    """
    mechanism, epsilon = dps.mechanism("exponential"), 1

    def law(first: int, second: int) -> np.ndarray:
        return mechanism.pmf(dps.Scores([first, second], sensitivity=1, kind="integer"), epsilon)

    one = law(-20, 0)[0] * law(-22, 0)[0]
    other = law(-19, -1)[0] * law(-21, -1)[0]

    assert np.log(other / one) > 1.99 * epsilon
    # Drawn again whoever won, the last state alone decides.
    assert np.abs(np.log(law(-21, -1) / law(-22, 0))).max() <= epsilon
