"""The sensitivities that Farias et al. 2024 print for a rate and for ego density, in local dampening: to measure with.

Neither is admissible (errata). That of the rate loses more than epsilon on tables of a few records; that of the density
is nowhere below the corrected one and falls from 2 to 1 on the way, which costs nothing on small graphs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from research.papers.released.fence import fenced

Floats = NDArray[np.float64]


class PrintedRate:
    """True positive rates, dampened with the sensitivity of section 6.2.3.

    Args:
        unsound: ``"reproduction"``: it is not private.

    Raises:
        PrivacyError: without it.
    """

    def __init__(self, *, unsound: str | None = None) -> None:
        fenced(unsound, "dpselect.utilities.true_positive_rate")

    def units(self, rates: Floats, positives: int, negatives: int) -> Floats:  # noqa: ARG002
        """Return the dampened true positive rate of every tree, shape (trees,)."""
        hits = np.round(rates[:, 0] * positives).astype(np.int64)
        pairs = zip(rates[:, 0].tolist(), hits.tolist(), strict=True)
        return np.array([_dampened(u, self._of(tp, positives)) for u, tp in pairs])

    def _of(self, hits: int, positives: int) -> Callable[[int], float]:
        missed = positives - hits

        def delta(t: int) -> float:
            p, tp = max(positives - t, 2), max(hits - max(t - missed, 0), 2)
            return max((p - tp if t <= missed else tp) / (p * (p - 1)), 0.0)

        return delta


class PrintedDensity:
    """Ego densities, dampened with the sensitivity of Lemma 7.2.

    Args:
        unsound: ``"reproduction"``: it is not admissible.

    Raises:
        PrivacyError: without it.
    """

    def __init__(self, *, unsound: str | None = None) -> None:
        fenced(unsound, "dpselect.utilities.ego_density")

    def units(self, densities: Floats, degrees: NDArray[np.int64]) -> Floats:
        """Return the dampened density of every node, shape (nodes,)."""
        pairs = zip(densities.tolist(), degrees.tolist(), strict=True)
        return np.array([_dampened(u, lambda t, d=d: 2 / (d - t - 2) if d - t > 2 else 1.0) for u, d in pairs])  # type: ignore[misc]


def _dampened(score: float, delta: Callable[[int], float]) -> float:
    """Return D of a score above 0 by Definition 3.3.1 of local dampening, step by step; D(0) = 0."""
    t, passed = 0, 0.0
    while score > 0 and passed + delta(t) <= score:
        passed += delta(t)
        t += 1
    return t + (score - passed) / delta(t) if score > 0 else 0.0
