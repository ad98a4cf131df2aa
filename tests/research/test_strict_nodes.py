"""Degree and ego density as the program of Farias et al. 2024 has them: by hand, admissible, and where floats end."""

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect import audit
from dpselect.utilities.egos import links_of_egos
from research.papers import multi_objective_table_2 as table_2
from research.papers.multi_objective_losses import of_strict_draw
from research.papers.released.multi_objective_draw import FloatDraw
from research.papers.released.strict_nodes import StrictNodes, star


def nodes_of(graph: dps.Graph) -> StrictNodes:
    """The nodes of a graph by the conventions of the program."""
    links, degrees = links_of_egos(graph), graph.degrees
    return StrictNodes.of(degrees, links / np.maximum(degrees * (degrees - 1) // 2, 1))


def test_conventions_are_those_of_the_program() -> None:
    """A triangle with a tail: half of the density, 1 for the end of the tail, larger in both."""
    graph = nodes_of(dps.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], nodes=5))

    assert [0.5, 0.5, 1 / 6, 1.0, 0.0] == pytest.approx(graph.density[graph.kind].tolist())
    # Nobody is larger in both than any of the first four; all four are larger than the last, which has no edge.
    assert [0, 0, 0, 0, -4] == graph.scores()[graph.kind].tolist()


def test_moves_of_the_density_are_added_up() -> None:
    """Edge by edge."""
    graph = nodes_of(dps.Graph.from_name("lesmis"))
    for t in (0, 1, 5, 60):
        expected = [sum(2 / (max(int(d) - j, 3) - 1) for j in range(t + 1)) for d in graph.degree]
        assert expected == pytest.approx(graph.reach(t).tolist())


def test_the_sensitivity_is_admissible() -> None:
    """On all graphs of four nodes, so that one draw is private; and what no node counts is itself."""

    def utility(graph: dps.Graph) -> dps.Scores:
        nodes = nodes_of(graph)
        rows = nodes._moved(np.arange(8), np.arange(nodes.degree.size))[:, nodes.kind]
        return dps.Scores(nodes.scores()[nodes.kind], dps.sensitivity.element(lambda t: rows[min(t, 7)]), kind="real")

    assert "" == audit.admissible(utility, audit.graphs(4)).counterexample
    for units in (StrictNodes.global_units, StrictNodes.local_units):
        for epsilon in (0.5, 50.0):
            assert 0.3 < of_strict_draw(units, epsilon) <= 1


def test_floats_end_on_a_star() -> None:
    """One edge more, and nobody but the hub and the last two leaves can be named."""
    draw, share = FloatDraw(3, unsound="reproduction"), 50 / 3
    ends = [draw.ends(star(leaves, 600).local_units() * share / 2) for leaves in range(150, 220)]

    assert sorted(ends) == ends
    assert not ends[0]
    assert ends[-1]
    assert np.inf == table_2.loss(table_2.RELEASED_LOCAL, 50.0)
    assert table_2.loss(table_2.TEXT_LOCAL, 50.0) <= 1


def test_the_order_of_ties_decides_the_level() -> None:
    """The end of a tail has density 1 and beats nobody; hubs beat the nodes in between, which have little of both."""
    paths = [*((5 + i, 6 + i) for i in range(20)), (26, 27), (28, 29)]
    clique = [(i, j) for i in range(5) for j in range(i)]
    graph = nodes_of(dps.Graph.from_edges(*zip(*clique, *paths, strict=True), nodes=30))
    lines = table_2.released("toy", table_2.RELEASED_GLOBAL, graph, 3)
    at = {(each.panel, each.x): each.value for each in lines}

    assert at["toy", 0.1] > 0.5
    assert at["toy" + table_2.LAST, 0.1] == 0


def test_the_share_that_is_beaten_is_that_of_draws() -> None:
    """The exact value against draws."""
    graph = nodes_of(dps.Graph.from_name("lesmis"))
    exact = {p.x: p.value for p in table_2.released("toy", table_2.RELEASED_LOCAL, graph, 3) if p.panel == "toy"}
    units, rng = graph.local_units(), np.random.default_rng(0)
    score, degree, density = graph.scores()[graph.kind], graph.degree[graph.kind], graph.density[graph.kind]
    best = np.lexsort((degree, score))[-3:]
    beaten = ((degree[best, None] > degree) & (density[best, None] > density)).any(axis=0)
    draw = FloatDraw(3, unsound="reproduction")
    seen = [beaten[draw.drawn(units * float(Fraction(2) / 6), rng)].mean() for _ in range(3000)]

    assert exact[2.0] == pytest.approx(np.mean(seen), abs=0.02)
