"""The draw of permute-and-flip on clipped gaps, and the clip of Laplace noise."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from scipy import stats

from dpselect.kernel.samplers import clipped_flip as module
from dpselect.kernel.samplers import laplace as two_sided
from dpselect.kernel.samplers.clipped_flip import clipped_flip
from dpselect.mechanisms.sampler import Sampler
from dpselect.mechanisms.smooth import clip as clips
from dpselect.release.system_noise import SystemNoise

HOSTILE = [
    # Ticks, rate, clip: the clip between two gaps, on one, beyond all, below all; rates at both ends of floats.
    ([0, -3, -10, -400], Fraction(1, 7), Fraction(3)),
    ([0, -21, -20, -22], Fraction(1, 7), Fraction(3)),
    ([5, 5, 0, -9], Fraction(22, 70), Fraction(400)),
    ([0, -1, -2, -3], Fraction(10) ** 400, Fraction(2)),
    ([2**61, -(2**61), 0, 2**61 - 1], Fraction(1, 2**62), Fraction(1, 2)),
    ([2**61, -(2**61), 0, 2**61 - 1], Fraction(1, 10**400), Fraction(1, 2)),
    ([7], Fraction(1), Fraction(1)),
]


@pytest.mark.parametrize(("ticks", "rate", "clip"), HOSTILE)
def test_every_coin_is_that_of_the_smaller_exponent(ticks, rate, clip, entropy, monkeypatch) -> None:
    """One coin per candidate, of exponent min(gap * rate, clip) as a fraction; also across chunks of two."""
    asked: list[Fraction] = []

    def watched(gaps, rate, _):
        asked.extend(int(gap) * rate for gap in gaps)
        return np.flatnonzero(gaps == 0) if gaps.size else np.empty(0, dtype=np.intp)

    monkeypatch.setattr(module, "flip", watched)
    monkeypatch.setattr(module, "_CHUNK", 2)
    winner = clipped_flip(np.array(ticks, dtype=np.int64), rate, clip, entropy)

    assert sorted(asked) == sorted(min((max(ticks) - t) * rate, clip) for t in ticks)
    assert ticks[winner] == max(ticks)


@pytest.mark.parametrize(("ticks", "rate", "clip"), HOSTILE)
def test_rivals_of_laplace_noise_are_behind_by_the_smaller_gap(ticks, rate, clip, entropy, monkeypatch) -> None:
    """Whoever may still win after the first round is compared at min(gap * rate, clip), exactly."""
    seen: list[tuple[int, Fraction]] = []

    def watched(position, gap, *rest):
        seen.append((position, gap))
        return kind(position, gap, *rest)

    kind = two_sided._Rival
    monkeypatch.setattr(two_sided, "_Rival", watched)
    for _ in range(50):
        two_sided.laplace(np.array(ticks, dtype=np.int64), rate, entropy, clip)

    assert all(gap == min((max(ticks) - ticks[position]) * rate, clip) for position, gap in seen)


def p_value(seen: np.ndarray, sampler: Sampler, ticks: np.ndarray, rate: Fraction) -> float:
    """Chi-square of winners against the law of a sampler."""
    expected = np.maximum(np.exp(sampler.tick_log_pmf(ticks, rate)) * seen.sum(), 1e-9)
    return float(stats.chi2.sf(((seen - expected) ** 2 / expected).sum(), ticks.size - 1))


@pytest.mark.parametrize("build", [clips.clipped_flip, clips.clipped_laplace])
@pytest.mark.parametrize(
    "count", [6000, pytest.param(200_000, marks=pytest.mark.slow)], ids=["a few draws", "many draws"]
)
def test_draws_follow_the_law_of_clipped_gaps(build, count: int, entropy) -> None:
    """Accepted at the law; rejected at other rates, at another clip, and without one."""
    ticks, rate = np.array([0, -1, -4, -9, -10, -60], dtype=np.int64), Fraction(2, 7)
    right, deeper, unclipped = (
        build(partial(clips.constant_clip, units)) for units in (Fraction(3, 2), Fraction(9, 4), 100)
    )
    coins = SystemNoise(lambda: entropy)
    seen = np.bincount([coins.winners(right, ticks, rate, 1)[0] for _ in range(count)], minlength=ticks.size)

    assert p_value(seen, right, ticks, rate) > 1e-4
    assert p_value(seen, right, ticks, rate * Fraction(7, 10)) < 1e-6
    assert p_value(seen, right, ticks, rate * Fraction(13, 10)) < 1e-6
    assert p_value(seen, deeper, ticks, rate) < 1e-6
    assert p_value(seen, unclipped, ticks, rate) < 1e-6


@pytest.mark.parametrize("build", [clips.clipped_flip, clips.clipped_laplace])
def test_chunks_do_not_show(build, entropy) -> None:
    """More candidates than one chunk, half of them beyond the clip: the share of the far ones is that of the law."""
    ticks = np.zeros(2**15 + 2**13, dtype=np.int64)
    ticks[::2] = -1000
    sampler = build(partial(clips.constant_clip, Fraction(1)))
    law = np.exp(sampler.tick_log_pmf(ticks, Fraction(1)))
    coins = SystemNoise(lambda: entropy)
    winners = np.array([coins.winners(sampler, ticks, Fraction(1), 1)[0] for _ in range(200)])

    assert stats.binomtest(int((winners % 2 == 0).sum()), 200, float(law[::2].sum())).pvalue > 1e-4
    assert stats.binomtest(int((winners >= 2**15).sum()), 200, 0.2).pvalue > 1e-4
