"""Which metric names the brokers: the graph where degree does not, and the two figures."""

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from research.comparisons import broker_graphs, brokers
from research.papers import nodes

OTHERS = [name for name in broker_graphs.MADE_UP if name != "partition"]


def test_degree_ranks_no_broker_of_the_communities_first_and_open_pairs_do() -> None:
    """The last forty nodes; without privacy, by degree and by what local dampening ranks."""
    graph, bound = broker_graphs.graph_of("communities")
    dampened = dps.mechanism("local-dampening-flip").quantize(
        dps.utilities.open_pairs(graph, max_degree=bound), Fraction(1)
    )

    assert graph.degrees.max() < bound
    assert nodes.best(graph.degrees, 20).max() < len(graph) - 40
    assert nodes.best(dampened[0], 20).min() >= len(graph) - 40


@pytest.mark.slow
@pytest.mark.parametrize("name", ["partition", *OTHERS])
def test_degree_and_betweenness_part_on_every_made_up_graph(name: str) -> None:
    """Degree holds at most a fifth of the true top 5, and no node exceeds the public maximum."""
    graph, bound = broker_graphs.graph_of(name)
    truth = dps.utilities.ego_betweenness(graph, max_degree=bound).values

    assert graph.degrees.max() < bound
    assert brokers.judged([nodes.best(graph.degrees, 5).tolist()], truth, 5)[0] <= 0.2
    assert brokers.judged([nodes.best(graph.degrees, 20).tolist()], truth, 20)[0] <= 0.35


def test_figures_are_those_of_the_lists() -> None:
    """Two of the best three once, and all of them."""
    values = np.array([10.0, 0.0, 6.0, 4.0, 1.0])

    assert (2 / 3, 17 / 20) == brokers.judged([[0, 2, 4]], values, 3)
    assert (1.0, 1.0) == brokers.judged([[3, 0, 2]], values, 3)
    assert np.allclose((5 / 6, 37 / 40), brokers.judged([[0, 2, 4], [3, 0, 2]], values, 3))


def test_lists_are_drawn_for_epsilon_in_all() -> None:
    """At a large epsilon the list is the best by the mechanism's own order."""
    scores = dps.Scores([900, 0, 800, 700], 1, neighbours="edge", kind="integer")

    assert [[0, 2]] * 3 == brokers.lists(scores, "permute-and-flip", 2, Fraction(10), 3)


def test_stored_figures_are_those_of_every_row() -> None:
    """Each graph and k has a line per row, with recall and share at four epsilons and in the limit."""
    tables = brokers.stored()

    assert {(name, k) for name in broker_graphs.NAMES for k in brokers.SIZES} == set(tables)
    for table in tables.values():
        assert [f"{metric}, {mechanism}" for metric, mechanism in brokers.ROWS] == list(table)
        assert {len(brokers.EPSILONS) + 1} == {len(cells) for cells in table.values()}
    assert (1.0, 1.0) == tables["enron", 20]["margin of ego betweenness, refined, permute-and-flip"][-1]
