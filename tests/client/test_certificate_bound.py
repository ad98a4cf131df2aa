"""The error bound of a server that the library does not know: its figure and its line, at the one probability."""

from __future__ import annotations

import math

import pytest

import dpselect as dps
from dpselect.client.answer import CertificateBound, error_bound_of

FIGURES = {"probability": 0.95, "error_below": 3, "unit": "votes", "candidates": 7}


def test_figures_are_those_of_the_server() -> None:
    """An error that nothing bounds is infinite; the line stays as it is, whatever the unit."""
    bound = CertificateBound("less than 3 votes behind", FIGURES)

    assert (3, 7, FIGURES) == (bound.at(), bound.names, bound.facts())
    assert "less than 3 votes behind" == bound.describe("persons")
    assert math.isinf(CertificateBound("nothing can be said", FIGURES | {"error_below": None}).at())
    with pytest.raises(ValueError, match=r"with probability 0\.95 alone"):
        bound.at(0.9)


@pytest.mark.parametrize("figures", [None, {"probability": None, "error_below": None, "unit": None}])
def test_without_figures_the_line_says_why(figures) -> None:
    """As plans have none, and as certificates do: it is what the library has."""
    line = "no bound on the error: it is private"
    bound = error_bound_of(line, figures)

    assert dps.accuracy.NoBound("it is private") == bound
    assert line == bound.describe()
