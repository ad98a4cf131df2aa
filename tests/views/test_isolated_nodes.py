"""A public node without an edge is a candidate of every metric, whatever the graph was read from."""

import inspect
from pathlib import Path

import networkx as nx
import pandas
import pytest
from scipy import sparse

import dpselect as dps
from dpselect.cli import main

EDGES = [(0, 1), (0, 2), (1, 2), (2, 3)]
# Nodes 4 and 5 have no edge.
NODES = 6
FLIP = dps.mechanism("permute-and-flip")
UTILITIES = [
    utility
    for utility in dps.utilities.EVERY_UTILITY
    if "graph" in inspect.signature(utility).parameters and utility.__name__ not in ("followers", "weighted_degree")
]


def every_form(folder: Path) -> dict[str, object]:
    """The same graph from whatever graphs are made of."""
    igraph = pytest.importorskip("igraph")
    drawn = nx.Graph(EDGES)
    drawn.add_nodes_from(range(NODES))
    frame = pandas.DataFrame(EDGES, columns=["source", "target"])
    frame.to_csv(folder / "e.csv", index=False)
    frame.to_parquet(folder / "e.parquet")
    frame.to_csv(folder / "e.txt.gz", index=False, header=False, sep=" ")
    nx.write_graphml(drawn, folder / "e.graphml")
    matrix = sparse.coo_array(([True] * 4, tuple(zip(*EDGES, strict=True))), shape=(NODES, NODES))
    read = {name: dps.Graph.read(folder / name, NODES) for name in ("e.csv", "e.parquet", "e.txt.gz", "e.graphml")}
    return read | {
        "edges": dps.Graph.from_edges(*zip(*EDGES, strict=True), nodes=NODES),
        "networkx": dps.Graph.from_networkx(drawn),
        "igraph": dps.Graph.from_igraph(igraph.Graph(n=NODES, edges=EDGES)),
        "scipy": dps.Graph.from_scipy(matrix),
        "own nodes": dps.Graph.read(folder / "e.graphml", folder / "e.graphml"),
        "truncated": dps.data.TruncatedGraph(dps.Graph.from_edges(*zip(*EDGES, strict=True), nodes=NODES), 5),
    }


def test_every_metric_of_every_form_names_isolated_nodes_too(tmp_path: Path) -> None:
    """A list of all nodes names them all, once each; scores are the same from every form."""
    forms = every_form(tmp_path)
    for utility in UTILITIES:
        more = {"max_degree": 5} if "max_degree" in inspect.signature(utility).parameters else {}
        expected = utility(forms["edges"], **more)
        for form, graph in forms.items():
            scores = graph.scores(utility) if form == "truncated" else utility(graph, **more)
            assert (form, expected.values.tolist()) == (form, scores.values.tolist()), utility.__name__
            assert [*range(NODES)] == [int(each) for each in scores.candidates]
        names = dps.top_k(expected, NODES, epsilon=1, mechanism=FLIP).value
        assert [*range(NODES)] == sorted(names)


@pytest.mark.parametrize(
    "utility",
    [
        utility if utility is dps.utilities.degree else pytest.param(utility, marks=pytest.mark.slow)
        for utility in UTILITIES
    ],
)
def test_every_metric_of_an_engine_has_isolated_nodes_too(utility, tmp_path: Path) -> None:
    """The same scores as in memory."""
    forms = every_form(tmp_path)
    more = {"max_degree": 5} if "max_degree" in inspect.signature(utility).parameters else {}
    stored = utility(dps.data.StoredGraph(str(tmp_path / "e.csv"), NODES), **more)

    assert utility(forms["edges"], **more).values.tolist() == stored.values.tolist()


def test_directed_and_weighted_graphs_have_isolated_nodes_too(tmp_path: Path) -> None:
    """From numbers, from NetworkX, from files and from an engine."""
    drawn = nx.DiGraph(EDGES)
    drawn.add_nodes_from(range(NODES))
    nx.write_graphml(drawn, tmp_path / "d.graphml")
    pandas.DataFrame(EDGES, columns=["source", "target"]).assign(weight=3).to_csv(tmp_path / "w.csv", index=False)
    pandas.DataFrame(EDGES, columns=["source", "target"]).to_csv(tmp_path / "e.csv", index=False)
    directed = [
        dps.data.DirectedGraph.from_edges(*zip(*EDGES, strict=True), nodes=NODES),
        dps.data.DirectedGraph.from_networkx(drawn),
        dps.data.DirectedGraph.read(tmp_path / "e.csv", NODES),
        dps.data.DirectedGraph.read(tmp_path / "d.graphml", tmp_path / "d.graphml"),
        dps.data.StoredGraph(str(tmp_path / "e.csv"), NODES),
    ]
    for graph in directed:
        assert [0, 1, 2, 1, 0, 0] == dps.utilities.followers(graph).values.tolist()
    weighted = dps.utilities.weighted_degree(dps.data.WeightedGraph.read(tmp_path / "w.csv", NODES, cap=2))
    assert [4, 4, 6, 2, 0, 0] == weighted.values.tolist()


def test_the_command_line_takes_labels_and_the_nodes_of_graphml(tmp_path: Path, capsys) -> None:
    """One per line, or those that the file lists; integers stay integers."""
    (tmp_path / "e.csv").write_text("source,target\nann,bob\nbob,eve\n")
    (tmp_path / "names.txt").write_text("ann\nbob\neve\nzed\n")
    command = ["degree", "--epsilon", "1000", "--yes", "--k", "4", "--nodes"]
    assert 0 == main(["top-k", str(tmp_path / "e.csv"), *command, str(tmp_path / "names.txt")])
    printed = capsys.readouterr().out.splitlines()
    assert ["bob", "zed"] == [printed[0].split()[-1], printed[3].split()[-1]]
    drawn = nx.Graph(EDGES)
    drawn.add_nodes_from(range(NODES))
    file = str(tmp_path / "e.graphml")
    nx.write_graphml(drawn, file)
    command[5] = "6"
    assert 0 == main(["top-k", file, *command, file])
    printed = capsys.readouterr().out.splitlines()
    assert {"4", "5"} == {line.split()[-1] for line in printed[4:6]}


def test_a_file_that_lists_no_nodes_or_one_twice_is_refused(tmp_path: Path) -> None:
    """And one that is not there, or no GraphML."""
    file = tmp_path / "e.graphml"
    for inner, message in (
        ("", "lists no nodes"),
        ('<node id="1"/><node id=" 1 "/>', "listed twice"),
        ("<node", "lists no nodes"),
    ):
        file.write_text(f'<graphml><graph edgedefault="undirected">{inner}</graph></graphml>')
        with pytest.raises(ValueError, match=message):
            dps.Graph.from_edges([], [], nodes=file)
    for name, text, message in (
        ("cut.graphml", '<graphml><graph><node id="1"/>', "not a complete GraphML file"),
        ("e.net", "*Vertices 9\n*Edges\n1 2\n", "lists no nodes"),
        ("e.gml", "graph [ edge [ source 1 target 2 ] ]", "lists no nodes"),
        ("e.gml", "graph [ node [ id 1 ] node [ id 1 ] ]", "listed twice"),
        ("e.gml", "no graph", "not a GML file"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(ValueError, match=message):
            dps.Graph.from_edges([], [], nodes=tmp_path / name)
    for name in ("none.graphml", "none.net", "none.gml"):
        with pytest.raises(FileNotFoundError, match=f"The file .*{name} does not exist"):
            dps.Graph.from_edges([], [], nodes=tmp_path / name)
    with pytest.raises(TypeError, match="number of public nodes, or a list"):
        dps.Graph.from_edges([], [], nodes=tmp_path / "names.txt")
