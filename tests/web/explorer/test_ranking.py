"""Scores of nodes that a page ranks, and those of a neighbour."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import dpselect as dps
from dpselect.mechanisms.registry import MECHANISMS
from dpselect.queries import TopK
from dpselect.queries.metrics import METRICS as QUERIED
from dpselect.scores.scores import Scores
from dpselect.views import Graph
from dpselect.web.explorer.example_data import friends
from dpselect.web.explorer.ranking import (
    EVERY,
    METRICS,
    Ranking,
    has_edge,
    neighbour,
    public_graph,
    rank_nodes,
    require_short,
    telling,
    toggle_edge,
)


def scores_there(graph: Graph, metric: str, mechanism: str | None = None) -> Scores:
    """Return the scores that ``dpselect top-k`` ranks."""
    query = TopK(metric, k=4, mechanism=mechanism, epsilon=1)
    data = SimpleNamespace(graph=lambda _: graph, dataset=SimpleNamespace(max_degree=30), workers=1)
    return query.scores(data)


@pytest.mark.parametrize("metric", METRICS)
def test_a_page_draws_what_the_command_draws(metric) -> None:
    """By its own mechanism, or by its margin: the law of the first place is the same, number for number."""
    graph, ranking, known = friends(), Ranking(metric, 30, 4), QUERIED[metric]
    scores = rank_nodes(graph, ranking)
    there = scores_there(graph, metric)
    there = dps.utilities.margin(there, 4) if known.by_margin else there

    assert ranking.by_margin == known.by_margin
    assert known.mechanism == ranking.drawn_with(scores).name
    assert (dps.mechanism(known.mechanism).pmf(there, 0.5) == ranking.drawn_with(scores).pmf(scores, 0.5)).all()


@pytest.mark.parametrize("mechanism", [name for name in MECHANISMS if name != "inverse-sensitivity"])
def test_a_mechanism_that_is_named_sees_the_sensitivity_of_the_command(mechanism) -> None:
    """Shifted dampening of ego betweenness has the one by degrees, the others the refined one or its ceiling."""
    graph, ranking = friends(), Ranking("ego-betweenness", 30, 4, mechanism)
    there = scores_there(graph, "ego-betweenness", mechanism)
    drawn = dps.mechanism(mechanism)

    assert (drawn.pmf(there, 0.5) == drawn.pmf(rank_nodes(graph, ranking), 0.5)).all()


def test_every_metric_of_the_command_without_directions_or_weights_is_there() -> None:
    """Followers and weights are of other graphs."""
    assert {*QUERIED} - {"followers", "weighted-degree"} == {*METRICS}


@pytest.mark.parametrize("pair", [(0, 1), (1, 0), (3, 49)])
def test_a_neighbour_differs_in_one_edge(pair) -> None:
    """Added or removed, in both directions, and twice is not at all; the names stay."""
    graph = friends()
    other = toggle_edge(graph, *pair)
    degrees = other.degrees - graph.degrees

    assert has_edge(graph, *pair) != has_edge(other, *pair)
    assert {1} == set(np.abs(degrees[[*pair]]).tolist())
    assert 2 == np.abs(degrees).sum()
    assert graph.labels == other.labels
    assert (toggle_edge(other, *pair).indices == graph.indices).all()


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("mechanism", [None, "exponential", "local-dampening-flip"])
def test_no_edge_changes_a_chance_by_more_than_epsilon(metric, mechanism) -> None:
    """The promise of the library, on the pair that tells most and on others."""
    graph, ranking = friends(), Ranking(metric, 30, 4, mechanism)
    here = ranking.drawn_with(rank_nodes(graph, ranking)).log_pmf(rank_nodes(graph, ranking), 1.5)
    for edge in (telling(graph, ranking), neighbour(graph, ranking, 3, 49), neighbour(graph, ranking, 0, 1)):
        there = ranking.drawn_with(edge.scores).log_pmf(edge.scores, 1.5)

        assert np.abs(here - there).max() <= 1.5 + 1e-9


def test_the_edge_that_tells_most_tells_most() -> None:
    """Of all pairs of the best four nodes, by brute force."""
    graph, ranking = friends(), Ranking("degree", 30, 1)
    scores = rank_nodes(graph, ranking)
    best = np.argsort(-scores.values, kind="stable")[:4].tolist()
    drawn = dps.mechanism("permute-and-flip")
    moved = {}
    for one in best:
        for other in best:
            if one < other:
                there = dps.utilities.degree(toggle_edge(graph, one, other))
                moved[one, other] = np.abs(drawn.log_pmf(scores, 1) - drawn.log_pmf(there, 1)).max()
    edge = telling(graph, ranking)

    assert moved[min(edge.one, edge.other), max(edge.one, edge.other)] == max(moved.values())


def test_an_edge_beyond_the_maximum_degree_is_refused() -> None:
    """No promise covers such a neighbour."""
    graph = friends()
    most = int(graph.degrees.max())
    hub = int(graph.degrees.argmax())
    stranger = next(node for node in range(len(graph)) if node != hub and not has_edge(graph, hub, node))
    with pytest.raises(ValueError, match="exceed the maximum degree"):
        neighbour(graph, Ranking("open-pairs", most, 1), hub, stranger)


def test_graphs_that_a_page_cannot_show_are_refused_in_a_sentence() -> None:
    """With directions, with two nodes, with too many."""
    directed = dps.data.DirectedGraph.from_edges([0], [1], nodes=3)
    for given, words in (
        (directed, "undirected"),
        (dps.Graph.from_edges([0], [1], nodes=2), "fewer than 3"),
        (dps.Graph.from_edges([0], [1], nodes=20_001), "recommend_metric"),
    ):
        with pytest.raises(ValueError, match=words):
            public_graph(given)


def test_a_graph_that_would_keep_a_visitor_waiting_is_refused() -> None:
    """A star of 5,000: degree is shown, and what follows paths says what to do."""
    star = dps.Graph.from_edges(np.zeros(5000, dtype=int), np.arange(1, 5001), nodes=6000)

    assert 5000 == rank_nodes(star, Ranking("degree", 5999, 1)).values[0]
    with pytest.raises(ValueError, match="take degree"):
        rank_nodes(star, Ranking("open-pairs", 5999, 1))


def test_a_crowd_in_a_large_graph_is_refused_where_egos_are_looked_at() -> None:
    """270 nodes that all know each other took ten seconds by their egos: three metrics say so, and others are shown."""
    one, other = np.triu_indices(270, 1)
    crowd = dps.Graph.from_edges(one, other, nodes=2000)
    steps = 270 * 269 * 269**2

    for metric in ("ego-betweenness", "linear-decay"):
        with pytest.raises(ValueError, match=f"{steps:,} steps.*: take degree, or a sample of the graph"):
            rank_nodes(crowd, Ranking(metric, 400, 1))
    with pytest.raises(ValueError, match="set Compare metrics to no"):
        require_short(crowd, EVERY)
    assert not rank_nodes(crowd, Ranking("open-pairs", 400, 1)).values.any()
    assert 269 == rank_nodes(crowd, Ranking("degree", 400, 1)).values.max()


def test_one_hub_is_no_crowd() -> None:
    """Its neighbours have few neighbours: a hub of 4,000 among 20,000 is within all limits."""
    ring = np.arange(20_000)
    hub = dps.Graph.from_edges(
        np.concatenate([ring, np.zeros(4000, dtype=int)]),
        np.concatenate([(ring + 1) % 20_000, ring[1:4001]]),
        nodes=20_000,
    )

    require_short(hub, EVERY)
    require_short(hub, "ego_betweenness")
