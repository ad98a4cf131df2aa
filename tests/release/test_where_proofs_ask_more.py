"""What proofs assume of their caller and the code could check: each mark goes when the code does.

The marks are strict, so a test that begins to pass fails until its mark and the assumption in the proof are taken out.
"""

from __future__ import annotations

from decimal import Decimal, localcontext

import pytest

from dpselect.scores.sensitivity import local, smooth, smooth_share


def unchecked(proof: str) -> pytest.MarkDecorator:
    """Mark what a proof assumes and the code does not check."""
    return pytest.mark.xfail(strict=True, reason=f"assumed by {proof}, not checked by the code")


@unchecked("scores/sensitivity.md")
@pytest.mark.parametrize("beta, steps", [(0.37, 743), (0.7, 743)])
def test_small_smooth_bounds_are_rounded_up(beta: float, steps: int) -> None:
    """exp(-beta t) is off by beta t 2^-53, and the bound is raised by 2^-48 whatever beta t is."""
    share = smooth_share(local(lambda t: 1.0 if t >= steps else 0.0, ceiling=1.0), beta)
    with localcontext() as context:
        context.prec = 60
        assert Decimal(share) >= (-Decimal(beta) * steps).exp()


@unchecked("scores/sensitivity.md")
def test_a_smooth_bound_whose_share_underflows_is_still_a_bound() -> None:
    """The share is below the floats and the ceiling far above 1: the bound is about 4 * 10^-48."""
    bound = smooth(local(lambda t: 1e300 if t >= 800 else 0.0, ceiling=1e300), 1.0)
    with localcontext() as context:
        context.prec = 60
        assert Decimal(bound) >= Decimal(-800).exp() * Decimal("1e300")
