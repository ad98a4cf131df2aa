"""Draws by the group against their laws: accepted against the law, rejected at 0.7 and 1.3 epsilon.

Entropy is fixed, unless a test declares its chance; thresholds as in ``test_sampling``.
"""

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.kernel.bernoulli_exp import new_entropy
from dpselect.release.open_session import session_factory_of
from dpselect.release.system_noise import SystemNoise
from dpselect.scores.grouped_scores import GroupedScores
from tests.chance import accept
from tests.verification.test_sampling import EPSILON, THRESHOLD, p_value

# Small groups are flipped, large ones counted; two groups share a tick.
TABLE = GroupedScores(dps.Scores([9, 7, 3, 1, 3], sensitivity=1), np.array([1, 3, 40, 5000, 2]))


def picks(table, k, epsilon, mechanism, stream=new_entropy):
    """The groups and ordinals of k winners, behind the door, with this entropy."""
    with session_factory_of(lambda: SystemNoise(stream))(dps.Guarantee(epsilon * k, "add-remove")) as draws:
        return draws.top_k_grouped(table, k, epsilon * k, mechanism=mechanism, method="peeling")


def verify(name: str, draws: int, entropy) -> None:
    """Draw groups and test; the two wrong laws must be rejected, or the test has no power."""
    mechanism = dps.mechanism(name)
    drawn = [picks(TABLE, 1, EPSILON, mechanism, lambda: entropy)[0][0] for _ in range(draws)]
    counts = np.bincount(drawn, minlength=5)

    def law(epsilon: Fraction) -> np.ndarray:
        return np.exp(mechanism.grouped_log_pmf(TABLE, epsilon)) * TABLE.counts

    assert p_value(counts, law(EPSILON)) > 1e-4
    assert p_value(counts, law(EPSILON * Fraction(7, 10))) < THRESHOLD
    assert p_value(counts, law(EPSILON * Fraction(13, 10))) < THRESHOLD


@pytest.mark.parametrize("name", ["exponential", "permute-and-flip"])
def test_groups_follow_the_law(name: str, entropy) -> None:
    """Accepted against the law of ungrouped candidates, and against no other."""
    verify(name, 900, entropy)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["exponential", "permute-and-flip"])
def test_groups_follow_the_law_at_length(name: str, entropy) -> None:
    """The same with 200,000 draws."""
    verify(name, 200_000, entropy)


@pytest.mark.parametrize("name", [pytest.param("exponential", marks=pytest.mark.slow), "permute-and-flip"])
def test_ordinals_of_pairs_follow_the_peeled_law(name: str, entropy) -> None:
    """The joint law of two picks as (group, ordinal), against candidate by candidate; wrong epsilons are rejected."""
    mechanism, counts = dps.mechanism(name), np.array([1, 2, 3])
    table = GroupedScores(dps.Scores([5, 4, 2], sensitivity=1), counts)
    values = np.repeat([5, 4, 2], counts)
    starts = np.array([0, 1, 3])
    seen = np.zeros((6, 6), dtype=np.int64)
    for _ in range(1600):
        (g, i), (h, j) = picks(table, 2, EPSILON, mechanism, lambda: entropy)
        seen[starts[g] + i, starts[h] + j] += 1

    def law(epsilon: Fraction) -> np.ndarray:
        joint = np.zeros((6, 6))
        first = mechanism.pmf(dps.Scores(values, sensitivity=1), epsilon)
        for i in range(6):
            others = np.delete(np.arange(6), i)
            joint[i, others] = first[i] * mechanism.pmf(dps.Scores(values[others], sensitivity=1), epsilon)
        return joint[~np.eye(6, dtype=bool)]

    assert 0 == np.trace(seen)
    flat = seen[~np.eye(6, dtype=bool)]
    assert p_value(flat, law(EPSILON)) > 1e-4
    assert p_value(flat, law(EPSILON * Fraction(7, 10))) < THRESHOLD
    assert p_value(flat, law(EPSILON * Fraction(13, 10))) < THRESHOLD


@pytest.mark.parametrize(
    "count, chance",
    [(3, Fraction(1, 2)), pytest.param(5000, Fraction(3), marks=pytest.mark.slow), (5000, Fraction(1, 100))],
)
def test_binomial_numbers_follow_their_law(count: int, chance: Fraction, entropy) -> None:
    """Counted bit by bit, against the binomial law with p = exp(-x); p changed by a tenth of a deviation more fails."""
    from scipy import stats

    from dpselect.kernel.binomial import binomial

    p = float(np.exp(-float(chance)))
    drawn = np.bincount([binomial(count, chance, entropy) for _ in range(1500)], minlength=count + 1)
    wrong = p - 0.35 * np.sqrt(p * (1 - p) / count)

    assert p_value(drawn, stats.binom.pmf(np.arange(count + 1), count, p)) > 1e-4
    assert p_value(drawn, stats.binom.pmf(np.arange(count + 1), count, wrong)) < THRESHOLD


@pytest.mark.chance(2.1e-6)
def test_the_release_path_uses_a_stream_of_its_own() -> None:
    """With operating system randomness: accepted at epsilon, rejected at 0.7 and 1.3 epsilon."""
    mechanism = dps.mechanism("permute-and-flip")

    def law(epsilon: Fraction) -> dict[int, float]:
        return dict(enumerate((np.exp(mechanism.grouped_log_pmf(TABLE, epsilon)) * TABLE.counts).tolist()))

    verdict = dps.audit.sampler(
        lambda: picks(TABLE, 1, EPSILON, mechanism)[0][0],
        law(EPSILON),
        against={f"{float(factor)} epsilon": law(EPSILON * factor) for factor in (Fraction(7, 10), Fraction(13, 10))},
    )
    accept(verdict)
    assert mechanism.sampler.grouped
