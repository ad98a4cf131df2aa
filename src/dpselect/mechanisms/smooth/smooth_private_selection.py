"""Smooth Private Selection: argmax of u(r) + (b S(x) / 2 alpha) Z_r, Z of density proportional to 1 / (1 + |z|^gamma).

S is the beta-smooth upper bound on the local sensitivity of all m candidates, b the range bound. With a public phi
in (0, 1), k = 1 - phi and l = 2 phi / m (two-sided noise) or 2 phi / (m - 1) (one-sided):

    alpha = k epsilon / (2 (gamma - 1)^((gamma - 1) / gamma)),    beta = l epsilon / (2 (gamma - 1))

for any whole gamma of at least 2. Neighbours: those of the scores. Guarantee: epsilon-DP of what is drawn. beta falls
as 1/m, so use it for few candidates; ``smooth-noisy-max`` pays with the logarithm of m.

References: Yamamoto and Shibuya 2024, Theorems 2, 3 and 6. Errata: Theorem 2 holds and is loose; the printed proof of
Theorem 3 is withdrawn, its statement holds for every gamma >= 2 [proved here]; Theorem 6 needs gamma >= 2. Their
Theorems 4 and 5, for a utility of one's own: ``dpselect.papers.bound_by_distance``.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from dpselect.kernel.errors import InputError
from dpselect.mechanisms.base import Mechanism, SmoothMechanism
from dpselect.mechanisms.sampler import noisy_max
from dpselect.mechanisms.smooth.noise_distributions import cauchy
from dpselect.mechanisms.smooth.share import weigh_scores

# Up to here noise is drawn.
_MOST = 256


def smooth_private_selection(phi: float | None = None, *, gamma: int = 4, sides: int = 1) -> Mechanism:
    """Return Smooth Private Selection.

    Args:
        phi: the share of epsilon that pays for the moving scale: a public number between 0 and 1, from what the scores
            declare unless it is passed (``share``).
        gamma: how fast the tails fall: an integer from 2 to 256. The paper has 2, 4, 6 and 10. It is not a dial of
            quality: on the universes that were tried, 256 with two sides used less than a hundredth of epsilon, so
            nearly all of what was paid for is not used. Take 4 unless you study gamma. Theorem 6 has every gamma of at
            least 2; noise is drawn exactly for integers, where 1 + z^gamma is a polynomial.
        sides: 1 for one-sided noise (Theorem 3), 2 for two-sided (Theorem 2).

    Raises:
        ValueError: phi is not between 0 and 1, another gamma, or another number of sides.

    >>> import dpselect as dps
    >>> markers = dps.utilities.tdt([34, 30, 22], [16, 20, 20], families=100)
    >>> dps.mechanism("smooth-private-selection").pmf(markers, 10).round(2)
    array([0.99, 0.01, 0.  ])
    """
    whole = isinstance(gamma, int) and not isinstance(gamma, bool)
    if not whole or not 2 <= gamma <= _MOST or sides not in (1, 2):
        raise InputError(f"gamma is an integer from 2 to {_MOST}, and sides is 1 or 2.")
    return SmoothMechanism(
        "smooth-private-selection",
        "A few candidates and a smooth bound; smooth-noisy-max is better as a rule.",
        weigh_scores(partial(calibrate, gamma=gamma, sides=sides), phi),
        noisy_max(cauchy(gamma, sides)),
        ({} if phi is None else {"phi": phi}) | {"gamma": gamma, "sides": sides},
    )


def calibrate(
    candidates: int, epsilon: Fraction, *, phi: Fraction, gamma: int, sides: int, range_bound: int = 2
) -> tuple[Fraction, Fraction]:
    """Return beta and b / (2 alpha), b the range bound: scores slide against each other by at most b S."""
    moving = 2 * phi / max(candidates if sides == 2 else candidates - 1, 1)
    return moving * epsilon / (2 * (gamma - 1)), range_bound * steepest(gamma) / ((1 - phi) * epsilon)


def steepest(gamma: int) -> Fraction:
    """Return (gamma - 1)^((gamma - 1) / gamma), the steepest slope of ln(1 + z^gamma), rounded up.

    >>> float(steepest(2)), float(steepest(4))
    (1.0, 2.27950705695...)
    """
    root = Fraction((gamma - 1) ** ((gamma - 1) / gamma))
    while root**gamma < (gamma - 1) ** (gamma - 1):
        root += Fraction(1, 2**50)
    return root
