"""Ego betweenness with the bound that the paper prints."""

import numpy as np
import pytest

import dpselect as dps
from dpselect import papers, utilities
from dpselect.utilities.ego_betweenness import quarter_bound
from tests.utilities.enumeration import admissible, tabulate

PATH = dps.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], nodes=8)


def test_the_scores_are_those_of_the_utility() -> None:
    """Only the sensitivity differs."""
    ours = utilities.ego_betweenness(PATH, max_degree=5)

    assert np.array_equal(ours.values, papers.ego_betweenness(PATH, max_degree=5).values)
    assert "edge" == papers.ego_betweenness(PATH, max_degree=5).neighbours


@pytest.mark.parametrize("max_degree", [2, 5, 7])
def test_the_sensitivity_is_the_printed_one(max_degree: int) -> None:
    """min(B(d + t), B(D)), one step beyond the corrected ceiling."""
    sensitivity = papers.ego_betweenness(PATH, max_degree=max_degree).sensitivity
    steps = np.arange(10)
    printed = quarter_bound(np.minimum(PATH.degrees + steps[:, None], max_degree)) / 4

    assert np.array_equal(printed, sensitivity.at(steps))
    assert (max_degree, quarter_bound(max_degree) / 4) == (sensitivity.reach, sensitivity.ceiling)


@pytest.mark.parametrize("max_degree", [2, *(pytest.param(most, marks=pytest.mark.slow) for most in (3, 4))])
def test_the_printed_bound_is_admissible(max_degree: int) -> None:
    """On all graphs of five nodes inside the public maximum degree."""
    universe = dps.audit.graphs(5, max_degree)

    assert admissible(tabulate(lambda graph: papers.ego_betweenness(graph, max_degree=max_degree), universe))


def test_the_papers_global_sensitivities_are_its_ceilings() -> None:
    """Enron and DBLP, which the paper prints exchanged."""
    hub = dps.Graph.from_edges([0], [1], nodes=2000)

    assert 477_826.5 == papers.ego_betweenness(hub, max_degree=1383).sensitivity.ceiling
    assert 29_326.5 == papers.ego_betweenness(hub, max_degree=343).sensitivity.ceiling


def test_the_maximum_degree_is_public() -> None:
    """It is never read from the graph, and bounds beyond n - 1 count as n - 1."""
    with pytest.raises(dps.PrivacyError, match="needs max_degree="):
        papers.ego_betweenness(PATH)
    with pytest.raises(ValueError, match="exceeds max_degree"):
        papers.ego_betweenness(dps.Graph.from_edges([0, 0, 0], [1, 2, 3], nodes=4), max_degree=2)

    assert 7 == papers.ego_betweenness(PATH, max_degree=100).sensitivity.reach
