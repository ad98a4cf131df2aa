"""Sensitivities that take longer than the scores are computed when a mechanism reads them, and not before."""

import sys

import numpy as np
import pytest

import dpselect as dps
from dpselect.utilities import ego_betweenness, linear_decay, triangles

GRAPH = dps.Graph.from_name("karate")
UTILITIES = {
    "ego_betweenness.losses": lambda: ego_betweenness(GRAPH, max_degree=33),
    "ego_betweenness.widest_overlaps": lambda: ego_betweenness(GRAPH, max_degree=33, sensitivity="overlap"),
    "linear_decay.widest_overlaps": lambda: linear_decay(GRAPH, 33),
    "triangles.widest_overlaps": lambda: triangles(GRAPH, 33),
}


class CountedError(Exception):
    """Raised where overlaps are counted."""


@pytest.mark.parametrize("counted", UTILITIES)
def test_overlaps_are_counted_for_a_mechanism_that_reads_them_alone(counted: str, monkeypatch) -> None:
    """Permute-and-flip divides by the public ceiling; local dampening reads every distance."""

    def count(*_: object) -> None:
        raise CountedError

    module, name = counted.split(".")
    monkeypatch.setattr(sys.modules[f"dpselect.utilities.{module}"], name, count)
    scores = UTILITIES[counted]()

    assert dps.select(scores, epsilon=1, mechanism="permute-and-flip").value in GRAPH.candidates
    assert dps.select(-scores, epsilon=1, mechanism="exponential").error_bound.at() > 0
    with pytest.raises(CountedError):
        dps.select(scores, epsilon=1, mechanism="local-dampening")


@pytest.mark.parametrize("counted", UTILITIES)
def test_what_is_read_later_is_what_is_read_at_once(counted: str) -> None:
    """The order in which parts are read changes nothing, and they are computed once."""
    first, later = UTILITIES[counted]().sensitivity, UTILITIES[counted]().sensitivity
    dps.select(UTILITIES[counted](), epsilon=1, mechanism="permute-and-flip")

    assert first.profile is first.profile
    assert np.array_equal(first.at(np.arange(9)), later.by_profile(np.arange(9))[:, later.profile])
    assert first.over(len(GRAPH)) is first
