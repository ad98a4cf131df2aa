"""Forms of edge files that are not tables: one graph in all of them, and what each form says of itself."""

from __future__ import annotations

import gzip
import time
import warnings
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import dpselect as dps
from dpselect.sources import edges

pytest.importorskip("pyarrow")

# Nodes 1 to 5, of which the last has no edge.
NAMES = ["ann lee", "bob", 'e"v&e', "Zoé", "zed"]
EDGES = [(1, 2, 0.5), (2, 3, 2.0), (4, 2, 1.25)]
FOLLOWERS, DEGREES, WEIGHTS = [0, 2, 1, 0, 0], [1, 3, 1, 1, 0], [0.5, 3.75, 2, 1.25, 0]


def drawn(kind: Any, *, named: bool) -> Any:
    """The graph in NetworkX."""
    graph = kind()
    names = dict(enumerate(NAMES, 1)) if named else {number: number for number in range(1, 6)}
    graph.add_nodes_from(names.values())
    graph.add_weighted_edges_from((names[a], names[b], weight) for a, b, weight in EDGES)
    return graph


def of_igraph(kind: Any) -> Any:
    """The graph in igraph, whose vertices have names."""
    igraph = pytest.importorskip("igraph")
    pairs = [(a - 1, b - 1) for a, b, _ in EDGES]
    graph = igraph.Graph(n=5, edges=pairs, directed=kind is nx.DiGraph)
    graph.vs["name"], graph.es["weight"] = NAMES, [weight for *_, weight in EDGES]
    return graph


def written(folder: Path, name: str, kind: Any) -> tuple[Path, Any, str | None]:
    """A file that a library or a hand wrote, the public nodes as it calls them, and how these are named."""
    path = folder / name
    numbers = [1, 2, 3, 4, 5]
    match name:
        case "n.graphml":
            nx.write_graphml(drawn(kind, named=True), path)
            return path, NAMES, None
        case "n.gexf":
            nx.write_gexf(drawn(kind, named=True), path)
            return path, NAMES, None
        case "l.gexf":
            graph = nx.convert_node_labels_to_integers(drawn(kind, named=True), 1, label_attribute="label")
            nx.write_gexf(graph, path)
            return path, NAMES, "label"
        case "n.gml":
            nx.write_gml(drawn(kind, named=True), path)
            return path, NAMES, "label"
        case "n.net":
            nx.write_pajek(drawn(kind, named=True), path)
            return path, NAMES, "label"
        case "i.graphml":
            of_igraph(kind).write_graphml(str(path))
            return path, NAMES, "name"
        case "i.gml":
            of_igraph(kind).write_gml(str(path))
            return path, NAMES, "name"
        case "i.net":
            of_igraph(kind).write_pajek(str(path))
            return path, 5, None
        case "s.mtx":
            from scipy.io import mmwrite
            from scipy.sparse import coo_array

            a, b, weights = (np.array(each) for each in zip(*EDGES, strict=True))
            matrix = coo_array((weights, (a - 1, b - 1)), shape=(5, 5))
            mmwrite(path, matrix if kind is nx.DiGraph else matrix + matrix.T, symmetry="AUTO")
            return path, 5, None
        case _:
            lines = "".join(f"{a} {b} {weight}\n" for a, b, weight in EDGES)
            head = f"% {'asym' if kind is nx.DiGraph else 'sym'} positive\n% 3 5 5\n"
            data = (head + lines).encode()
            path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
            return path, numbers, None


EVERY = [
    "n.graphml", "i.graphml", "n.gexf", "l.gexf", "n.gml", "i.gml", "n.net", "i.net", "s.mtx", "k.edges", "k.edges.gz",
    "k.txt",
]  # fmt: skip


@pytest.mark.parametrize("name", EVERY)
def test_every_form_gives_the_same_graph(name: str, tmp_path: Path) -> None:
    """Directed or not, with weights, by the names that its nodes have there; the node without an edge stays."""
    for kind in (nx.Graph, nx.DiGraph):
        path, nodes, label = written(tmp_path, name, kind)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            graph = dps.Graph.read(path, nodes, label=label)
            weighted = dps.data.WeightedGraph.read(path, nodes, label=label, cap=9)
        # A matrix, and the headings of Pajek, do not warn: whether all edges have a twin is private.
        says = kind is nx.DiGraph and not name.endswith((".mtx", ".net"))
        assert ["Directions are dropped" in str(each.message) for each in heard] == [True] * 2 * says
        assert DEGREES == graph.degrees.tolist()
        assert WEIGHTS == dps.utilities.weighted_degree(weighted).values.tolist()
        assert (NAMES if isinstance(nodes, list) and "ann lee" in nodes else [1, 2, 3, 4, 5]) == [*graph.candidates]
        assert (0, 0) == (graph.unknown_nodes_dropped, weighted.unknown_nodes_dropped)
        if kind is nx.DiGraph:
            assert FOLLOWERS == dps.data.DirectedGraph.read(path, nodes, label=label).followers.tolist()
        elif name.endswith(".net"):
            assert 0 == dps.data.DirectedGraph.read(path, nodes, label=label).followers.sum()
        else:
            with pytest.raises(ValueError, match="no direction"):
                dps.data.DirectedGraph.read(path, nodes, label=label)


def test_nodes_stay_declared(tmp_path: Path) -> None:
    """Those of a file are public only where its path is passed for them; edges of others are left out."""
    for name in ("n.graphml", "l.gexf", "n.gml", "n.net"):
        path, _, label = written(tmp_path, name, nx.Graph)
        with pytest.raises(dps.PrivacyError, match="nodes"):
            dps.Graph.read(path, label=label)
        few = dps.Graph.read(path, NAMES[:2], label=label)
        assert ([1, 1], 2) == (few.degrees.tolist(), few.unknown_nodes_dropped)
        every = dps.Graph.read(path, path, label=label)
        assert (NAMES, DEGREES) == ([*every.candidates], every.degrees.tolist())
    assert [1, 3, 1, 1, 0, 0] == dps.Graph.read(written(tmp_path, "s.mtx", nx.Graph)[0], 6).degrees.tolist()


@pytest.mark.parametrize(
    ("name", "nodes", "how", "said"),
    [
        ("s.mtx", ["a", "b"], {}, "list numbers"),
        ("i.net", NAMES, {}, 'pass label="label"'),
        ("i.net", NAMES, {"label": "name"}, 'pass label="label"'),
        ("n.gml", NAMES, {}, 'pass label="label"'),
        ("s.mtx", 5, {"label": "name"}, "no labels in a .mtx file"),
        ("k.edges", NAMES, {}, "cannot stand in a .edges file"),
        ("k.edges", 5, {"label": "name"}, "no labels in a .edges file"),
        ("n.gexf", NAMES, {"ends": ("a", "b")}, "have no names"),
        ("n.gexf", NAMES, {"separator": ";"}, "leave it out for a .gexf file"),
    ],
)
def test_what_no_edge_can_spell_is_refused(name: str, nodes: Any, how: Any, said: str, tmp_path: Path) -> None:
    """By the form of the file and the public list, before an edge is read."""
    path, *_ = written(tmp_path, name, nx.Graph)
    for kind, more in ((dps.Graph, {}), (dps.data.WeightedGraph, {"cap": 1})):
        with pytest.raises(ValueError, match=said):
            kind.read(path, nodes, **how, **more)


def test_nodes_of_numbered_forms_begin_with_one(tmp_path: Path) -> None:
    """So many of them are 1 to n; a list is a list."""
    path = tmp_path / "a.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n4 4 2\n1 2\n4 2\n", encoding="utf-8")
    graph = dps.Graph.read(path, 4)
    assert ([1, 2, 3, 4], [1, 2, 0, 1]) == ([*graph.candidates], graph.degrees.tolist())
    assert {1, 2, 3, 4} == {*dps.top_k(dps.utilities.degree(graph), 4, epsilon=1).value}
    for nodes in ([4, 2], ["2", "4"], range(2, 5, 2)):
        assert [1, 1] == dps.Graph.read(path, nodes).degrees.tolist()
    with pytest.raises(ValueError, match="number >= 0"):
        dps.Graph.read(path, -1)


def test_a_matrix_says_what_its_entries_are(tmp_path: Path) -> None:
    """Zero entries are stored and are not edges; the number of entries in the head is not looked at."""
    path = tmp_path / "a.mtx"
    entries = "1 2 0.5\n2 3 0\n3 1 -0.0e5\n2 1 nan\n4 4 1\n1 4 .5\n3 4\n9 1 1\nx 1 1\n2 4 1e-999\n\n% x\n"
    for first, size, kind in (("%%MatrixMarket", "4 4 99\n", "real"), ("%matrixmarket", "", "Integer")):
        path.write_text(f"{first} matrix coordinate {kind} general\n% a\n\n{size}{entries}", encoding="utf-8")
        graph = dps.Graph.read(path, 4)
        assert [2, 2, 1, 3] == graph.degrees.tolist()
        assert (1, 5) == (graph.self_loops_dropped, graph.unknown_nodes_dropped)
        weighted = dps.data.WeightedGraph.read(path, 4, cap=9)
        assert [1, 0.5, 0, 0.5] == dps.utilities.weighted_degree(weighted).values.tolist()
    for kind in ("pattern", "complex"):
        path.write_text(f"%%MatrixMarket matrix coordinate {kind} general\n4 4 9\n{entries}", encoding="utf-8")
        assert [3, 3, 3, 3] == dps.Graph.read(path, 4).degrees.tolist()
        with pytest.raises(ValueError, match=f"its entries are {kind}, so edges have no weights"):
            dps.data.WeightedGraph.read(path, 4, cap=9)


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("%%MatrixMarket matrix array real general\n2 2\n", r"is dense \(array\)"),
        ("%%MatrixMarket matrix coordinate real general\n2 3 1\n", "is not square"),
        ("%%MatrixMarket vector coordinate real general\n", "does not begin with %%MatrixMarket"),
        ("% Karate Club\n34 34 78\n0 1\n", "end its name in .edges"),
        ("", "does not begin with %%MatrixMarket"),
    ],
)
def test_the_head_of_a_matrix_is_its_form(head: str, said: str, tmp_path: Path) -> None:
    """What is not a sparse square matrix is refused without a number of it."""
    path = tmp_path / "a.mtx"
    path.write_text(f"{head}1 2 3\n", encoding="utf-8")
    with pytest.raises(ValueError, match=said) as refused:
        dps.Graph.read(path, 3)
    assert not any(sign.isdigit() for sign in str(refused.value))


def test_quotes_in_labels_of_pajek(tmp_path: Path) -> None:
    """A backslash before a quote, as NetworkX writes it, and one at the end of a label, as Pajek does."""
    path = tmp_path / "a.net"
    labels = ['e"v&e', "a\\", 'b\\"c', "C:\\temp", "C:\\", "d"]
    lines = [r'1 "e\"v&e" 0 0', r'2 "a\\" 0 0', r'3 "b\\\"c"', r'4 "C:\temp"', r'5 "C:\" 0 0', "6 d"]
    path.write_text("*Vertices 6\n" + "\n".join(lines) + "\n*Edges\n1 2\n3 4\n5 6\n", encoding="utf-8")
    assert [1] * 6 == dps.Graph.read(path, labels, label="label").degrees.tolist()
    path.write_text('*Vertices 2\n1 "' + "\\" * 100_000 + "\n2 b\n*Edges\n1 2\n", encoding="utf-8")
    assert [0, 0] == dps.Graph.read(path, ["a", "b"], label="label").degrees.tolist()


def test_headings_of_pajek(tmp_path: Path) -> None:
    """Pairs and lists of neighbours, with and without directions, in one file; a line without a weight weighs 1."""
    path = tmp_path / "a.net"
    text = (
        '\ufeff*Network x\r\n% a comment\r\n*Vertices 5 3\r\n 1 "ann lee" 0.1 0.2 ic Red\r\n2 bob\r\n3 "e\'v"\r\n4\r\n'
        '*arcs :1 "likes"\r\n1 2 3\r\n 2   3\r\n*Arcslist\r\n3 1 2 x\r\n*Edges\r\n1 4 -2\r\n2 4 0.5\r\n'
        "*EdgesList\r\n4 5\r\n*Vector\r\n1 5\r\n"
    )
    path.write_bytes(text.encode())
    graph = dps.Graph.read(path, 5)
    assert [3, 3, 2, 3, 1] == graph.degrees.tolist()
    assert 2 == graph.unknown_nodes_dropped
    weighted = dps.data.WeightedGraph.read(path, 5, cap=9)
    assert [4, 4.5 + 1, 3, 1.5, 1] == dps.utilities.weighted_degree(weighted).values.tolist()
    directed = dps.data.DirectedGraph.read(path, 5)
    assert ([1, 2, 1, 0, 0], 5) == (directed.followers.tolist(), directed.unknown_nodes_dropped)
    named = dps.Graph.read(path, ["ann lee", "bob", "e'v"], label="label")
    assert [2, 2, 2] == named.degrees.tolist()
    for text, said in (
        ("1 2\n", "is not a Pajek file"),
        ("", "is not a Pajek file"),
        ("*Vertices 2\n*Matrix\n0 1\n1 0\n", "are below a heading that is not read: save them as"),
        ("*Vertices 2\n1 a\n*Paths\n1 2 1\n", "are below a heading that is not read: save them as"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=said):
            dps.Graph.read(path, 2)


def test_values_of_gml(tmp_path: Path) -> None:
    """Keys inside of other brackets are others' keys; texts keep what looks like more."""
    path = tmp_path / "a.gml"
    path.write_text(
        'Creator "x [ edge [ source 1 target 2 ]"\ngraph [ comment "graph [" directed 1 '
        'node [ id 1 label "edge [ source 1 target 3 ]" ] '
        'node [ id 2 label "B&eacute;a" graphics [ label "no" x 1 ] ] node [ id 3 name "c" ]\n'
        "# edge [ source 3 target 1 ]\n"
        'edge [ graphics [ source 9 target 9 ] target 2 value 2.5 source 1 label "]" ] edge [ source 2 target 3 ]\n'
        "edge [ source 3 ] edge [ source 3 target 1 value 1 source 2 ] ]",
        encoding="utf-8",
    )
    with pytest.warns(UserWarning, match="Directions"):
        assert [2, 2, 2] == dps.Graph.read(path, [1, 2, 3]).degrees.tolist()
    assert [1, 1, 1] == dps.data.DirectedGraph.read(path, [1, 2, 3]).followers.tolist()
    with pytest.warns(UserWarning, match="Directions"):
        weighted = dps.data.WeightedGraph.read(path, [1, 2, 3], weight="value", cap=9)
    assert [3.5, 2.5, 1] == dps.utilities.weighted_degree(weighted).values.tolist()
    named = dps.data.DirectedGraph.read(path, ["Béa", "edge [ source 1 target 3 ]"], label="label")
    assert [1, 0] == named.followers.tolist()
    for text in ("", "graph", "1 2\n2 3\n", "graphs [ ]"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match="is not a GML file"):
            dps.Graph.read(path, 2)


def test_values_of_graphml(tmp_path: Path) -> None:
    """Whatever element a key is for, its default, its prefix, raw text, and the text of elements in elements."""
    path = tmp_path / "a.graphml"
    path.write_text(
        '<?xml version="1.0" encoding="latin-1"?><!-- <graph edgedefault="undirected"> --><g:graphml xmlns:g="x">'
        '<key id="a" for="node" attr.name="weight"><default> 2.5 </default></key>'
        '<key id="b" for="node" attr.name="name"><default>nobody</default></key><key id="d6" for="node"/>'
        '<g:graph edgedefault="directed"><g:node id="n0"><data key="b">B\xe9a &amp; <![CDATA[<Co>]]></data></g:node>'
        "<node id='n1'><data key='d6'><y:Shape><y:Label>dan</y:Label></y:Shape></data><data key='b'> eve </data></node>"
        '<node id="n2"/><node id="n1"><data key="b">other</data></node>'
        '<g:edge source="n0" target="n1"><data key="a">.5</data></g:edge><!-- <edge source="n1" target="n2"/> -->'
        '<edge source="n1" target="n2"></edge>'
        '<edge source="n2" target="n0" directed="false"><data key="a">x</data></edge>'
        "</g:graph></g:graphml>",
        encoding="latin-1",
    )
    names = ["n0", "n1", "n2"]
    with pytest.warns(UserWarning, match="Directions"):
        assert [2, 2, 2] == dps.Graph.read(path, names).degrees.tolist()
    with pytest.warns(UserWarning, match="Directions"):
        weighted = dps.data.WeightedGraph.read(path, names, cap=9)
    assert [0.5, 3, 2.5] == dps.utilities.weighted_degree(weighted).values.tolist()
    directed = dps.data.DirectedGraph.read(path, names)
    assert ([0, 1, 1], 1) == (directed.followers.tolist(), directed.unknown_nodes_dropped)
    for label, called in (("name", ["Béa & <Co>", "eve"]), ("d6", ["dan"])):
        with pytest.warns(UserWarning, match="Directions"):
            assert len(called) - 1 == dps.Graph.read(path, called, label=label).degrees.sum() / 2


def test_nothing_is_looked_up_in_xml(tmp_path: Path) -> None:
    """An entity is neither expanded nor fetched, whatever a file declares; other encodings are read."""
    secret = tmp_path / "secret.txt"
    secret.write_text("n1", encoding="utf-8")
    path = tmp_path / "a.gexf"
    laughs = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "ha"}">' for n in range(12))
    text = (
        f'<!DOCTYPE gexf [ {laughs} <!ENTITY s SYSTEM "{secret.as_uri()}"> ]><gexf><graph><nodes/><edges>'
        '<edge source="n0" target="&s;"/><edge source="n0" target="&e11;"/><edge source="n0" target="&#110;1"/>'
        "</edges></graph></gexf>"
    )
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        path.write_text(text, encoding=encoding)
        graph = dps.Graph.read(path, ["n0", "n1"])
        assert ([1, 1], 2) == (graph.degrees.tolist(), graph.unknown_nodes_dropped)


def test_an_end_without_an_id_has_no_label(tmp_path: Path) -> None:
    """Though a node without an id has one."""
    for name, text in (
        ("a.gexf", "<gexf><graph><node label='ann'/><node id='1' label='bob'/><edge target='1'/></graph></gexf>"),
        ("a.gml", 'graph [\nnode [ label "ann" ]\nnode [ id 1 label "bob" ]\nedge [ target 1 ]\n]'),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        graph = dps.Graph.read(tmp_path / name, ["ann", "bob"], label="label")
        assert ([0, 0], 1) == (graph.degrees.tolist(), graph.unknown_nodes_dropped)


def test_long_lines_take_no_square_of_time(tmp_path: Path) -> None:
    """Files of one line, of elements that do not end, and of comments that do not."""
    many = 40_000
    for name, text in (
        ("a.gml", "graph [ " + "edge [ source 1 target 2 ] " * many + "]"),
        ("b.gml", "graph [ " + "edge [ source 1 target 2 " * many),
        ("a.graphml", "<graphml><graph>" + "<edge source='1' target='2'><!--<![CDATA[" * many + "</graph></graphml>"),
        ("a.gexf", "<gexf><graph>" + "<edge source='1' target=\"2" * many + "</graph></gexf>"),
        ("a.net", "*Vertices 2\n*Edgeslist\n" + "1 2 " * many),
        ("a.txt", "1 2 " * many),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        began = time.process_time()
        dps.Graph.read(tmp_path / name, [1, 2])
        assert 5 > time.process_time() - began, name


@pytest.mark.parametrize("ending", [".graphml", ".gexf"])
def test_a_file_of_xml_is_complete(ending: str, tmp_path: Path) -> None:
    """One that was cut off is refused, and so is one whose encoding nobody knows."""
    path, root = tmp_path / f"e{ending}", ending[1:]
    whole = f'<?xml version="1.0"?><{root}><graph><edge source="0" target="1"/></graph></{root}>'
    path.write_text(whole, encoding="utf-8")
    assert [1, 1] == dps.Graph.read(path, 2).degrees.tolist()
    for cut in (whole[:-4], whole[:-30], f"<{root}/>", f"<?xml encoding='ebcdic-cp-xx'?>{whole[21:]}", "", "1 2"):
        path.write_text(cut, encoding="utf-8")
        with pytest.raises(ValueError, match="is not a complete G"):
            dps.Graph.read(path, 2)


def test_weights_of_gexf_are_one_where_they_are_not_said(tmp_path: Path) -> None:
    """As its schema has it; values of nodes are no weights of edges."""
    path = tmp_path / "a.gexf"
    path.write_text(
        '<gexf><graph><attributes class="node"><attribute id="0" title="cost"/></attributes><attributes class="edge">'
        '<attribute id="0" title="weight"/><attribute id="1" title="cost"><default>3</default></attribute></attributes>'
        '<edges><edge source="0" target="1"/><edge source="1" target="2" weight="0.5"><attvalues><attvalue for="1" '
        'value="2"/></attvalues></edge><edge source="2" target="3" type="directed">'
        '<attvalues><attvalue id="0" value="4"/></attvalues></edge></edges></graph></gexf>',
        encoding="utf-8",
    )
    for name, expected in (("weight", [1, 1.5, 4.5, 4]), ("cost", [3, 5, 5, 3])):
        graph = dps.data.WeightedGraph.read(path, 4, weight=name, cap=9)
        assert expected == dps.utilities.weighted_degree(graph).values.tolist()


def test_what_is_not_an_edge_is_shown_to_the_curator(tmp_path: Path) -> None:
    """The first few lines or elements, as they are written."""
    texts = {
        "a.mtx": "%%MatrixMarket matrix coordinate pattern general\n9 9 3\n1 2\nx 2\n3\n",
        "a.edges": "1 2\nx 2\n3\n",
        "a.net": "*Vertices 9\n*Edges\n1 2\nx 2\n3\n",
        "a.gml": "graph [\nedge [ source 1 target 2 ]\nedge [ source x target 2 ]\nedge [ source 3 ]\n]",
        "a.gexf": "<gexf><graph/><edge source='1' target='2'/><edge source='x' target='2'/><edge source='3'/></gexf>",
        "a.graphml": '<graphml><graph><edge source="1" target="2"/><edge x/><edge source="3"/></graph></graphml>',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert 2 == edges.read(tmp_path / name, kind=int)[2]
        shown = edges.unread(tmp_path / name, int, 3)
        assert ["<edge x/" if name == "a.graphml" else "x 2", "3"] == sorted(
            (each.strip() for each in shown), reverse=True
        )
