"""Systems of Yamamoto and Shibuya 2024 by their published names: SPS with Theorems 1 to 6, and the TDT study.

Theorem 1 is :func:`dpselect.release_value`, with less noise. Theorem 2 is two-sided noise, Theorem 3 one-sided noise,
Theorems 4 and 5 are :func:`dpselect.papers.bound_by_distance` with :func:`dpselect.papers.largest_beta`, and Theorem 6
is gamma. What differs from the print: the program cuts its noise at 10 and caps beta, which is not private.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.registry import mechanism
from dpselect.papers.bound_by_distance import bound_by_distance, largest_beta
from dpselect.release.release import Release
from dpselect.release.select import select
from dpselect.scores.scores import Scores
from dpselect.utilities.tdt import tdt, tdt_sensitivity

THRESHOLD = 6.0
# Case to the theorem of the bound, and the sides of the noise (Theorem 2 or 3).
_CASES = {"I": (4, 2), "II": (4, 1), "III": (5, 2), "IV": (5, 1)}


def sps(theorem: int = 3, *, gamma: int = 4, **given: Any) -> Mechanism:
    """Return SPS, smooth private selection, with the noise of Theorem 2 (two-sided) or Theorem 3 (one-sided).

    ``smooth-noisy-max`` is better as a rule.

    Args:
        theorem: 2 or 3.
        gamma: of Theorem 6, how fast the tails fall; 4 in the paper.
        **given: ``phi=``.

    Raises:
        ValueError: another theorem, or a gamma that is not an integer from 2 to 256.

    >>> sps(2).parameters["sides"], sps(3).parameters["sides"]
    (2, 1)
    """
    if theorem not in (2, 3):
        raise InputError("theorem is 2 (two-sided noise) or 3 (one-sided noise).")
    return mechanism("smooth-private-selection", gamma=gamma, sides=2 if theorem == 2 else 1, **given)


def tdt_study(
    b: ArrayLike,
    c: ArrayLike,
    *,
    families: int,
    epsilon: Epsilon,
    case: str = "IV",
    gamma: int = 4,
    candidates: Any = None,
    ledger: Accountant | None = None,
) -> Release[Any]:
    """Name the most significant marker, as in the paper's section V.

    ``dpselect.select`` with ``utilities.tdt`` has the exact sensitivity of every marker, and names the true one more
    often.

    Args:
        b, c: transmissions of the two alleles, shape (m,).
        families: the public number of families.
        epsilon: the budget; the paper has 3 to 21.
        case: ``"I"`` (Theorem 4, two-sided), ``"II"`` (Theorem 4, one-sided), ``"III"`` or ``"IV"`` (Theorem 5).
        gamma: of Theorem 6.
        candidates: what the markers are called.
        ledger: where the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy for neighbours that differ in one family.

    Raises:
        ValueError: another case; beta alone costs all of epsilon; counts as of :func:`dpselect.utilities.tdt`.
        BudgetError: the ledger does not allow it; nothing was spent.

    >>> tdt_study([60, 30, 22], [4, 28, 24], families=40, epsilon=40, candidates=["rs1", "rs2", "rs3"]).value
    'rs1'
    """
    scores, drawn = tdt_problem(b, c, families=families, epsilon=epsilon, case=case, gamma=gamma, candidates=candidates)
    return select(scores, epsilon=epsilon, mechanism=drawn, ledger=ledger)


def tdt_problem(
    b: ArrayLike,
    c: ArrayLike,
    *,
    families: int,
    epsilon: Epsilon,
    case: str = "IV",
    gamma: int = 4,
    candidates: Any = None,
) -> tuple[Scores, Mechanism]:
    """Return the scores with the smooth bound of a case, and the mechanism: what ``tdt_study`` releases by.

    Raises:
        ValueError: as :func:`tdt_study`.
    """
    if case not in _CASES:
        raise InputError(f"case is one of {', '.join(_CASES)}.")
    theorem, sides = _CASES[case]
    exact = tdt(b, c, families=families, candidates=candidates)
    distance, beta = distance_to_sensitive(families, theorem)
    markers = len(exact) if sides == 2 else len(exact) - 1
    share = markers * (gamma - 1) * beta / float(exact_epsilon(epsilon))
    if share >= 1:
        raise InputError(
            f"The beta of Theorem {theorem} costs all of epsilon with {len(exact)} markers: pass more than "
            f"{share * float(exact_epsilon(epsilon)):.3g}, or use utilities.tdt."
        )
    nearest = int(distance[np.asarray(b), np.asarray(c)].min())
    bound = bound_by_distance(nearest, ceiling=8 * (families - 1) / families, largest_beta=beta)
    scores = Scores(exact.values, bound, candidates=exact.candidates, neighbours="family", zero="worst")
    return scores, mechanism("smooth-private-selection", phi=max(share, 1e-12), gamma=gamma, sides=sides)


@lru_cache(maxsize=8)
def distance_to_sensitive(families: int, theorem: int) -> tuple[NDArray[np.int64], float]:
    """Return the distance of every table (b, c) to the sensitive ones, shape (2 N + 1, 2 N + 1), and beta.

    Tables that cannot occur, b + c > 2 N, have the distance -1.

    >>> distance, beta = distance_to_sensitive(10, 5)
    >>> distance.shape, distance[20, 0].item(), distance[9, 9].item(), round(beta, 4)
    ((21, 21), 0, 3, 0.1501)
    """
    from scipy.ndimage import binary_dilation

    size = 2 * families + 1
    b, c = np.indices((size, size))
    inside = b + c <= 2 * families
    local = np.zeros((size, size))
    local[inside] = tdt_sensitivity(np.maximum(b, c)[inside], np.minimum(b, c)[inside], families).at(0)
    ceiling = 8 * (families - 1) / families
    sensitive = inside & (local >= ceiling * (1 - 1e-12) if theorem == 4 else local > THRESHOLD)
    distance = np.where(sensitive, 0, -1)
    db, dc = np.indices((5, 5)) - 2
    # One family changes (b, c) by at most two in each, and in their sum.
    step = np.abs(db + dc) <= 2
    reached, t = sensitive, 0
    while (distance[inside] < 0).any():
        t += 1
        wider = binary_dilation(reached, step) & inside
        distance[wider & ~reached] = t
        reached = wider
    rest = inside & (distance > 0) & (local > 0)
    return distance, largest_beta(distance[rest], local[rest], ceiling=ceiling)
