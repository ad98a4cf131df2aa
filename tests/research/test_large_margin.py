"""The large margin mechanism, the baseline: its law, and what it loses between neighbouring scores."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from research.papers.baselines import large_margin

EPSILON, DELTA = 3.0, 0.2
# Around the thresholds, which are 25 and 33 here, ties and swaps among the best included.
PLACES = [
    (top, top - gap, top - gap - more) for top in (40,) for gap in (0, 1, 2, 20, 26, 30) for more in (0, 1, 5, 12)
]


def _worst(law) -> float:
    """Return the largest delta that epsilon leaves over, of scores that differ by at most 1 each."""
    worst = 0.0
    for scores in PLACES:
        here = law(scores)
        for moves in product((-1, 0, 1), repeat=3):
            there = law(np.add(scores, moves))
            for one, two in ((here, there), (there, here)):
                worst = max(worst, float(np.maximum(one - np.exp(EPSILON) * two, 0).sum()))
    return worst


def test_it_loses_epsilon_and_delta_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over ties, swaps and margins around the thresholds; without a threshold the promise breaks."""
    assert _worst(lambda scores: large_margin.pmf(scores, EPSILON, DELTA)) <= DELTA

    monkeypatch.setattr(large_margin, "thresholds", lambda candidates, *_: np.full(candidates - 1, -1e3))
    assert _worst(lambda scores: large_margin.pmf(scores, EPSILON, DELTA)) > DELTA


@pytest.mark.parametrize("scores", [[5, 4, 0], [400, 0, 0, 0], [7, 7], [900, 880, 860, 3]])
def test_the_law_is_the_share_of_simulated_choices(scores) -> None:
    """The printed program, two hundred thousand times: within six standard errors."""
    rng = np.random.default_rng(20261128)
    epsilon, delta, runs, m = 1.0, 0.05, 200_000, len(scores)
    law = large_margin.pmf(scores, epsilon, delta)
    heights = np.append(large_margin.thresholds(m, epsilon, delta), -np.inf)
    margins = np.append(scores[0] - np.asarray(scores[1:], dtype=float), 0)
    shared = rng.laplace(0, 3 / epsilon, runs) - rng.laplace(0, 6 / epsilon, runs)
    above = margins + shared[:, None] + rng.laplace(0, 12 / epsilon, (runs, m)) > heights
    r = above.argmax(axis=1)
    weights = np.exp((np.asarray(scores) - scores[0]) * epsilon / 6)
    drawn = np.array(
        [np.append(weights[: each + 1], np.zeros(m - each - 1)) / weights[: each + 1].sum() for each in range(m)]
    )
    seen = drawn[r].mean(axis=0)

    assert law.sum() == pytest.approx(1)
    assert (np.abs(seen - law) <= 6 * np.sqrt(law * np.maximum(1 - law, 0) / runs) + 1e-6).all()
