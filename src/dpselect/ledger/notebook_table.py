"""A budget as a small table in notebooks: its terms, and what is spent and left."""

from __future__ import annotations

from fractions import Fraction

from dpselect._display.html_table import table
from dpselect.kernel.format_exact import format_exact
from dpselect.kernel.neighbours import PROTECTED_UNITS, Neighbours
from dpselect.ledger.composition import Terms, Totals


def summary_table(title: str, terms: Terms, totals: Totals) -> str:
    """Return the terms, and what is spent and left in the currency of the rule."""
    left = terms.remaining(totals)
    rows = [
        ("dataset", terms.dataset),
        ("protected", PROTECTED_UNITS[Neighbours(terms.neighbours)]),
        (
            "budget",
            f"epsilon {format_exact(terms.epsilon)}" + (f", delta {format_exact(terms.delta)}" if terms.delta else ""),
        ),
    ]
    if terms.rule == "rho":
        rows += [("rho spent", _figure(totals.rho)), ("rho left", _figure(left.rho))]
    else:
        rows += [("epsilon spent", _figure(totals.epsilon)), ("epsilon left", _figure(left.epsilon))]
        if terms.delta:
            rows += [("delta spent", _figure(totals.delta)), ("delta left", _figure(left.delta))]
    return table(title, [*rows, ("releases", str(totals.releases))])


def _figure(value: Fraction) -> str:
    return f"{float(value):.6g}"
