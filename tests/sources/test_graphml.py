"""GraphML and igraph: what their form says, and their edges."""

import warnings
from pathlib import Path

import networkx as nx
import pytest

import dpselect as dps

PAIRS = [("ann", "bob"), ("eve", "bob"), ("bob", "ann")]
NODES = ["ann", "bob", "eve", "zed"]


def written(graph, path: Path) -> Path:
    """A file with weights of edges and one node alone."""
    graph.add_weighted_edges_from((a, b, 2.5) for a, b in PAIRS)
    graph.add_node("zed", age=7)
    nx.write_graphml(graph, path)
    return path


def test_graphml_is_read_as_what_it_says_it_is(tmp_path: Path) -> None:
    """Directions are counted, or dropped aloud; an undirected file has no followers."""
    directed, plain = (written(made(), tmp_path / f"{made.__name__}.graphml") for made in (nx.DiGraph, nx.Graph))

    with pytest.warns(UserWarning, match="Directions are dropped"):
        assert [1, 2, 1, 0] == dps.Graph.read(directed, nodes=NODES).degrees.tolist()
    assert [1, 2, 0, 0] == dps.data.DirectedGraph.read(directed, nodes=NODES).followers.tolist()
    assert [1, 2, 1, 0] == dps.Graph.read(plain, nodes=NODES).degrees.tolist()
    with pytest.raises(ValueError, match="no direction"):
        dps.data.DirectedGraph.read(plain, nodes=NODES)
    with pytest.raises(dps.PrivacyError, match="nodes"):
        dps.Graph.read(plain)
    with pytest.raises(ValueError, match="have no names"):
        dps.Graph.read(plain, nodes=NODES, ends=("a", "b"))


@pytest.mark.parametrize("edge", ["", '<edge source="0" target="1"><data key="d0">7</data></edge>'])
def test_weights_of_graphml_are_dropped_without_a_word(tmp_path: Path, edge: str) -> None:
    """A writer declares them where an edge has one, so a warning would tell of that edge."""
    file = tmp_path / "e.graphml"
    for target in ("edge", "node"):
        key = f'<key id="d0" for="{target}" attr.name="weight" attr.type="long"/>'
        file.write_text(f'<graphml>{key}<graph edgedefault="undirected">{edge}</graph></graphml>')
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            dps.Graph.read(file, nodes=2)
        assert [] == heard


def test_an_edge_of_graphml_is_left_out_by_itself(tmp_path: Path) -> None:
    """A missing end, a stranger, a direction of its own: whether there is an answer does not depend on one edge."""
    edges = '<edge source="1"/><edge target="x" source="0"/><edge source=" 1 " target="2" directed="true"/>'
    file = tmp_path / "e.graphml"
    file.write_text(f'<graphml><graph edgedefault="undirected">{edges}<node id="7"/></graph></graphml>')

    assert [0, 1, 1] == dps.Graph.read(file, nodes=3).degrees.tolist()
    for cut in ("", "<graphml/>", "<graphml><graph>", "no markup"):
        file.write_text(cut)
        with pytest.raises(ValueError, match="not a complete GraphML file"):
            dps.Graph.read(file, nodes=3)


def test_igraph_is_read_by_names_or_numbers() -> None:
    """Isolated vertices included; directions go aloud."""
    igraph = pytest.importorskip("igraph")
    plain = igraph.Graph(n=4, edges=[(0, 1), (1, 2), (1, 2)])
    named = igraph.Graph(n=4, edges=[(0, 1), (2, 1), (1, 0)], directed=True)
    named.vs["name"] = NODES

    assert [1, 2, 1, 0] == dps.Graph.from_igraph(plain).degrees.tolist()
    assert range(4) == dps.Graph.from_igraph(plain).candidates
    with pytest.warns(UserWarning, match="Directions are dropped"):
        assert [1, 2, 1, 0] == dps.Graph.from_igraph(named).degrees.tolist()
    directed = dps.data.DirectedGraph.from_igraph(named)
    assert ([1, 2, 0, 0], tuple(NODES)) == (directed.followers.tolist(), directed.labels)
    with pytest.raises(ValueError, match="directed=True"):
        dps.data.DirectedGraph.from_igraph(plain)
    named.vs["name"] = ["ann"] * 4
    with pytest.raises(ValueError, match="listed twice"):
        dps.data.DirectedGraph.from_igraph(named)


@pytest.mark.parametrize("directed", [False, True])
def test_one_edge_with_a_weight_decides_nothing_of_igraph(directed: bool) -> None:
    """It makes an attribute of all edges: neither a warning nor a refusal may follow from it."""
    igraph = pytest.importorskip("igraph")
    said = []
    for weights in ({}, {"weight": 3}):
        graph = igraph.Graph(4, directed=directed)
        graph.add_edge(0, 1)
        graph.add_edge(1, 2, **weights)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            (dps.data.DirectedGraph if directed else dps.Graph).from_igraph(graph)
            weighted = dps.data.WeightedGraph.from_igraph(graph, cap=9)
        said.append([str(each.message) for each in caught])
        assert [0, *[weights.get("weight", 0)] * 2, 0] == dps.utilities.weighted_degree(weighted).values.tolist()
        assert (1 if weights else 2) == weighted.zero_weights_dropped
    assert said[0] == said[1]


def test_what_is_not_a_graph_of_igraph_is_refused() -> None:
    """By its type."""
    with pytest.raises(TypeError, match=r"igraph\.Graph"):
        dps.Graph.from_igraph(nx.path_graph(3))
