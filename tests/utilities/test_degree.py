"""Degree."""

import numpy as np

import dpselect as dps
from dpselect.utilities import degree
from tests.utilities.enumeration import admissible, tabulate, tightness


def test_degrees_are_exact_integers_with_range_bound_one() -> None:
    """Counts go to the sampler as they are."""
    scores = degree(dps.Graph.from_edges([0, 0], [1, 2], nodes=4))

    assert [2, 1, 1, 0] == scores.values.tolist()
    assert ("i", 1, "edge", 1.0, 0) == (
        scores.values.dtype.kind,
        scores.range_bound,
        scores.neighbours,
        scores.sensitivity.ceiling,
        scores.sensitivity.reach,
    )


def test_sensitivity_one_is_admissible_and_exact_on_all_graphs_of_five_nodes() -> None:
    """By enumeration; half of it is caught."""
    table = tabulate(degree, dps.audit.graphs(5))

    assert admissible(table)
    assert (1.0, 1.0, [1.0]) == tightness(table)
    assert not admissible(table, 0.5)


def test_one_more_edge_moves_all_degrees_the_same_way() -> None:
    """Range bound 1, on all graphs of four nodes."""
    universe = dps.audit.graphs(4)
    values = np.array([degree(graph).values for graph in universe])
    moves = values[universe.near] - values[:, None]

    assert 1 == np.ptp(moves, axis=2).max()
    assert ((moves >= 0).all(axis=2) | (moves <= 0).all(axis=2)).all()
