"""Colours of classes: told apart by most people, and in grey."""

from __future__ import annotations

# Those of Okabe and Ito 2008, the light ones last.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999")


def colour_of(code: int) -> str:
    """Return the colour of a class; beyond eight classes they are used again."""
    return _COLOURS[code % len(_COLOURS)]
