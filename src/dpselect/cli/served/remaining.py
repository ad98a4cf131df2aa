"""The remaining budget of a dataset at a server: of what its curator released, and of one's own share."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpselect.client.amounts import amount
from dpselect.kernel.errors import LostConnectionError
from dpselect.kernel.format_exact import format_exact

_WHOSE = {"share": "of your share", "released": "of what is released to all"}
RemainingAmounts = Mapping[str, Mapping[str, Fraction]]


def left_of(facts: Mapping[str, Any]) -> RemainingAmounts:
    """Return what is left by the facts of a dataset, yours first.

    Raises:
        ConnectionError: no server of dpselect says so.
    """
    try:
        return {
            whose: {str(name): amount(most) for name, most in facts["left"][whose].items()}
            for whose in _WHOSE
            if whose in facts["left"]
        }
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise LostConnectionError(
            "The server does not say what is left as a dpselect server of this version does."
        ) from None


def left_words(left: RemainingAmounts) -> str:
    """Return what is left in one line; a delta of which there is none is not said.

    >>> left_words({"share": {"epsilon": Fraction(5), "delta": Fraction(0)}, "released": {"epsilon": Fraction(1, 3)}})
    'epsilon 5 of your share; epsilon 0.333333 of what is released to all'
    """
    return "; ".join(
        " and ".join(f"{name} {_figure(each)}" for name, each in amounts.items() if each or name != "delta")
        + f" {_WHOSE[whose]}"
        for whose, amounts in left.items()
    )


def _figure(value: Fraction) -> str:
    exact = format_exact(value)
    return f"{float(value):.6g}" if "/" in exact else exact
