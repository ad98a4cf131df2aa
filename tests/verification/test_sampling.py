"""Samplers against their laws: accepted against the law, rejected at 0.7 and 1.3 epsilon.

Entropy is fixed, unless a test declares its chance. A p-value below 1e-12 rejects. Power: on these scores the
laws at 0.7 and 1.3 epsilon differ by enough that the expected chi-square statistic at this many draws exceeds the
threshold more than twice.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import dpselect as dps
from dpselect.release.system_noise import SystemNoise
from tests.chance import accept

THRESHOLD = 1e-12
EPSILON = Fraction(2)


def scores_for(name: str) -> dps.Scores:
    """Twelve candidates with ties, an outlier and a loser; sensitivity that varies where it is used."""
    values = [9.0, 8.0, 8.0, 6.5, 6.0, 5.0, 5.0, 3.0, 2.0, 0.5, 0.0, -4.0]
    if "dampening" in name:
        at = dps.sensitivity.element(lambda t: 1 + 0.1 * np.arange(12)[::-1] + 0.5 * t, ceiling=4, reach=8)
        return dps.Scores(values, at)
    return dps.Scores(values, sensitivity=1.0, distance=[0, 1, 1, 3, 3, 4, 4, 6, 7, 9, 9, 13])


def p_value(counts: np.ndarray, law: np.ndarray) -> float:
    """Chi-square, with candidates too rare to count put together."""
    expected = law * counts.sum()
    rare = expected < 10
    if rare.any():
        counts = np.append(counts[~rare], counts[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    return float(stats.chisquare(counts, expected * counts.sum() / expected.sum()).pvalue)


def verify(name: str, draws: int, entropy, epsilon: Fraction = EPSILON) -> None:
    """Draw and test; the two wrong laws must be rejected, or the test has no power."""
    mechanism, scores = dps.mechanism(name), scores_for(name)
    ticks, rate = mechanism.quantize(scores, epsilon)
    coins = SystemNoise(lambda: entropy)
    counts = np.bincount([coins.winners(mechanism.sampler, ticks, rate, 1)[0] for _ in range(draws)], minlength=12)

    assert p_value(counts, mechanism.pmf(scores, epsilon)) > 1e-4
    assert p_value(counts, mechanism.pmf(scores, epsilon * Fraction(7, 10))) < THRESHOLD
    assert p_value(counts, mechanism.pmf(scores, epsilon * Fraction(13, 10))) < THRESHOLD


# They draw by the samplers of others, from other ticks.
ALIKE = ("shifted-local-dampening", "shifted-local-dampening-flip", "generalised-exponential")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if name in ALIKE else ()) for name in dps.mechanisms.MECHANISMS],
)
def test_sampler_follows_its_law(name: str, entropy) -> None:
    """A sampler is accepted against its own law and rejected against two others; at 4 fewer draws tell them apart."""
    verify(name, 4000, entropy, Fraction(4))


@pytest.mark.slow
@pytest.mark.parametrize("name", dps.mechanisms.MECHANISMS)
def test_sampler_follows_its_law_at_length(name: str, entropy) -> None:
    """The same with 100,000 draws."""
    verify(name, 100_000, entropy)


@pytest.mark.chance(2.1e-6)
@pytest.mark.parametrize("name", ["exponential", "permute-and-flip", "noisy-max-laplace"])
def test_operating_system_randomness_follows_the_law(name: str) -> None:
    """The release path, with its own stream: accepted at epsilon, rejected at 0.7 and 1.3 epsilon."""
    accept(dps.audit.sampler_of(name, scores_for(name), epsilon=EPSILON))


# What top_k releases has this law in tests/release/test_select.py: quick there.
@pytest.mark.slow
@pytest.mark.parametrize("name", ["exponential", "permute-and-flip"])
def test_pairs_of_top_two_follow_the_peeled_law(name: str, entropy) -> None:
    """The joint law of (first, second): each pick at half epsilon, the second among those that remain.

    A sampler that reused its randomness for the second pick would fail here.
    """
    mechanism = dps.mechanism(name)
    values = np.array([4, 3, 3, 1, 0])
    unit = mechanism.effective(dps.Scores(values, sensitivity=1))
    counts = np.zeros((5, 5))
    for _ in range(3500):
        first, second = SystemNoise(lambda: entropy).winners(mechanism.sampler, unit.ticks, unit.rate(EPSILON / 2), 2)
        counts[first, second] += 1

    def joint(epsilon: Fraction) -> np.ndarray:
        table = np.zeros((5, 5))
        first = mechanism.pmf(dps.Scores(values, sensitivity=1), epsilon / 2)
        for i in range(5):
            left = [j for j in range(5) if j != i]
            table[i, left] = first[i] * mechanism.pmf(dps.Scores(values[left], sensitivity=1), epsilon / 2)
        return table

    off = ~np.eye(5, dtype=bool)
    assert p_value(counts[off], joint(EPSILON)[off]) > 1e-4
    assert p_value(counts[off], joint(EPSILON * Fraction(7, 10))[off]) < THRESHOLD
    assert p_value(counts[off], joint(EPSILON * 2)[off]) < THRESHOLD


def test_peeling_the_exponential_sampler_is_one_shot_gumbel() -> None:
    """Durfee and Rogers 2019: peeled pairs follow the law of the two largest Gumbel scores."""
    scores = dps.Scores([3, 1, 0], sensitivity=1)
    law = dps.mechanism("exponential").pmf(scores, 1)
    rest = dps.mechanism("exponential").pmf(dps.Scores([1, 0], sensitivity=1), 1)

    # Of Gumbel scores the order is a Plackett-Luce ranking: weights renormalised after each pick.
    assert np.isclose(rest[0], law[1] / (law[1] + law[2]))


@pytest.mark.parametrize("name", ["exponential", "permute-and-flip", "noisy-max-laplace"])
def test_chunks_do_not_show(name: str, entropy) -> None:
    """More candidates than one chunk: the share of the second chunk is that of its law."""
    values = np.zeros(2**15 + 2**13, dtype=np.int64)
    mechanism = dps.mechanism(name)
    unit = mechanism.effective(dps.Scores(values, sensitivity=1))
    coins = SystemNoise(lambda: entropy)
    late = sum(coins.winners(mechanism.sampler, unit.ticks, Fraction(1), 1)[0] >= 2**15 for _ in range(150))

    assert stats.binomtest(late, 150, 0.2).pvalue > 1e-4
