"""Farias et al. 2024, the program: several candidates drawn by floats, and the exact top k where floats end.

Candidates are drawn one after the other in proportion to exp(exponent). Where fewer than k of these are above zero in
floats, the k largest exponents are taken instead (errata): whether that happens depends on the data.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from research.papers.released.fence import fenced

Floats = NDArray[np.float64]


class FloatDraw:
    """The draw of the program; it answers for exponents that are there, and never for scores of a release.

    Args:
        k: how many are drawn.
        unsound: ``"reproduction"``: it is not private for any epsilon.

    Raises:
        PrivacyError: without ``unsound="reproduction"``.

    >>> FloatDraw(2, unsound="reproduction").chance([0, 2], np.array([0.0, -900.0, -950.0]))
    0.0
    """

    def __init__(self, k: int, *, unsound: str | None = None) -> None:
        fenced(unsound, "dpselect.top_k")
        self.k = k

    def ends(self, exponents: Floats) -> bool:
        """Return whether fewer than k probabilities are above zero, so that the exact top k is taken."""
        return bool(np.count_nonzero(np.exp(exponents - exponents.max())) < self.k)

    def drawn(self, exponents: Floats, rng: np.random.Generator) -> list[int]:
        """Return k positions."""
        if self.ends(exponents):
            return self.top(exponents)
        # Adding Gumbel noise and taking the largest draws one after the other.
        noisy = exponents + rng.gumbel(size=exponents.size)
        return [int(place) for place in np.argsort(noisy)[-self.k :]]

    def top(self, exponents: Floats) -> list[int]:
        """Return the k largest, of equal ones the last."""
        return [int(place) for place in np.argsort(exponents, kind="stable")[-self.k :]]

    def chance(self, chosen: Sequence[int], exponents: Floats) -> float:
        """Return the probability of a set of k positions."""
        if self.ends(exponents):
            return float(sorted(chosen) == sorted(self.top(exponents)))
        weights = np.exp(exponents - exponents.max())
        total = 0.0
        for order in itertools.permutations(chosen):
            chance, left = 1.0, weights.copy()
            for place in order:
                chance *= left[place] / left.sum() if left[place] else 0.0
                left[place] = 0.0
            total += chance
        return total
