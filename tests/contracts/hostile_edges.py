"""Forms of edge files, and lines among their edges that could change how the others are read."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import quoteattr

# Ends and a weight, all text; the ends are numbers.
Edge = tuple[str, str, str]

HONEST: tuple[Edge, ...] = (("1", "2", "0.5"), ("2", "3", "4"), ("5", "1", "1e1"), ("3", "4", ".25"), ("4", "1", "2"))
# Cells that a record may hold as an end or as a weight, as its writer escapes them.
CELLS = (
    '', ' ', 'x', '-1', '1.0', '0x1', '1e999', 'nan', 'inf', '999999999999999999999999999999', '007', '\u0663',
    '1 2', '1,2', '1;2', '1\t2', '#', '%', '"', "'", '"1', '1"', 'a&b', 'a<b', 'a>b', ']]>', '<!--', '-->', '&amp;',
    '&#x0;', '&#xd800;', '&x;', '[', ']', 'edge [ source 1 target 4 ]', "<edge source='1' target='4'/>", '*',
    'null', '\\', '\ufffd', '\x1a', '\x0b', '\x85', '\u2028',
)  # fmt: skip
# Whole lines, as they are.
LINES = (
    b'x', b'1', b'1 2 3 4 5 6', b'1,2', b'1;2', b'"', b'"1', b'1" 2', b"'", b"' 1 2", b'#', b'# 1 2', b'%',
    b'% 1 2', b'%%MatrixMarket matrix coordinate real general', b'% bip unweighted', b'5 5 5', b'0 0 0', b'\x00',
    b'\xff\xfe', b'\xe9 1', b'1\x00 2', b'\xef\xbb\xbf1 2', b'&', b'&x;', b'<', b'>', b'<>', b'</>', b'<edge',
    b"<edge source='1", b'<edge source=\'1" target=\'4\'/>', b'<edge/>', b'</edge>', b"<data key='w'>", b'</data>',
    b"<data key='w'>9", b'<!--', b'-->', b'<!-- -- -->', b'<![CDATA[', b']]>',
    b"<!DOCTYPE x [ <!ENTITY e SYSTEM 'file:///etc/passwd'> ]>", b'<?x', b"<?xml encoding='utf-16'?>",
    b"<attvalue for='w' value='9'/>", b"<key id='w' for='edge' attr.name='other'/>",
    b"<graph edgedefault='directed' defaultedgetype='directed'>", b'</graph>', b'</graphml>', b'</gexf>', b'[',
    b']', b'[ [', b'] ]', b'edge', b'edge [', b'edge [ source 1', b'edge [ [ source 1', b'source 4', b'weight 9',
    b'weight [ 9', b'edge [ label "', b'label "x', b'graph [', b'node', b'# edge [', b'*', b'**', b'*Nothing',
    b'* 1 2', b'3 "ann"', b'source,target,weight', b'1,2,3,4,5', b',,', b'1e400 1e400', b'-- 1', b'\t', b' ', b'',
    b'<node id="1"><data key="l">v2</data></node>', b'node [ id 1 label "v2" ]', b'<node id="1', b'</node>',
)  # fmt: skip


@dataclass(frozen=True)
class EdgeFile:
    """A form of edge files.

    Attributes:
        ending: how the name of the file ends.
        record: writes an edge as its line or element; raises where the form cannot hold it.
        head, tail: what comes before and behind all of them.
        name: what it is called in tests.
        labels: whether node n of it has the label ``vn``.
    """

    ending: str
    record: Callable[[Edge], str]
    head: str = ""
    tail: str = ""
    name: str = ""
    labels: bool = False

    def write(self, folder: Path, records: Sequence[bytes]) -> Path:
        """Write a file of such records."""
        path = folder / f"e{self.ending}"
        data = b"\n".join([*self.head.encode().splitlines(), *records, *self.tail.encode().splitlines(), b""])
        path.write_bytes(gzip.compress(data) if self.ending.endswith(".gz") else data)
        return path

    def __str__(self) -> str:
        return self.name or self.ending


def _fields(separator: str) -> Callable[[Edge], str]:
    return lambda edge: separator.join(edge)


def _csv(edge: Edge) -> str:
    return ",".join('"' + cell.replace('"', '""') + '"' for cell in edge)


def _gml(edge: Edge) -> str:
    cells = ['"' + cell.replace("&", "&amp;").replace('"', "&quot;") + '"' for cell in edge]
    return f"  edge [ source {cells[0]} target {cells[1]} weight {cells[2]} ]"


def _gml_lines(edge: Edge) -> str:
    return "edge\n[\nsource {}\ntarget {}\nweight {}\n]".format(*edge)


def _graphml(edge: Edge) -> str:
    source, target, weight = (quoteattr(cell) for cell in edge)
    return f'<edge source={source} target={target}><data key="w">{weight[1:-1]}</data></edge>'


def _gexf(edge: Edge) -> str:
    source, target, weight = (quoteattr(cell) for cell in edge)
    return f"<edge source={source} target={target} weight={weight} />"


def _gexf_values(edge: Edge) -> str:
    source, target, weight = (quoteattr(cell) for cell in edge)
    return f'<edge source={source} target={target}><attvalues><attvalue for="w" value={weight}/></attvalues></edge>'


_VERTICES = "*Vertices 5\n" + "\n".join(f'{n} "v{n}"' for n in range(1, 6))
_GML_NODES = "".join(f'node [ id {n} label "v{n}" ]' for n in range(1, 6))
_NODES = "".join(f'<node id="{n}"><data key="l">v{n}</data></node>' for n in range(1, 6))
FILES = (
    EdgeFile(".csv", _csv, "source,target,weight"),
    EdgeFile(".tsv", _fields("\t"), "source\ttarget\tweight"),
    EdgeFile(".txt", _fields(" ")),
    EdgeFile(".txt.gz", _fields("\t"), "# SNAP"),
    EdgeFile(".edges", _fields(",")),
    EdgeFile(".edges", _fields("\t"), "% sym weighted\n% 5 5 5", name=".edges of KONECT"),
    EdgeFile(".mtx", _fields(" "), "%%MatrixMarket matrix coordinate real general\n% a comment\n5 5 5"),
    EdgeFile(".mtx", _fields(" "), "%MatrixMarket matrix coordinate real symmetric", name=".mtx without its size"),
    EdgeFile(".net", _fields(" "), f"{_VERTICES}\n*Arcs", labels=True),
    EdgeFile(".net", _fields(" "), "*Vertices 5\n*Edges", name=".net without labels"),
    EdgeFile(".gml", _gml, f"graph [\n directed 1\n{_GML_NODES}", "]", labels=True),
    EdgeFile(".gml", _gml_lines, "graph\n[", "]", name=".gml in lines"),
    EdgeFile(
        ".graphml",
        _graphml,
        '<?xml version="1.0"?>\n<graphml><key id="w" for="edge" attr.name="weight"/>'
        f'<key id="l" for="node" attr.name="label"/><graph edgedefault="directed">{_NODES}',
        "</graph></graphml>\n<!-- the end -->",
        labels=True,
    ),
    EdgeFile(".gexf", _gexf, '<gexf><graph defaultedgetype="directed"><edges>', "</edges></graph></gexf>"),
    EdgeFile(
        ".gexf",
        _gexf_values,
        '<gexf><graph defaultedgetype="directed"><attributes class="edge">'
        '<attribute id="w" title="weight"/></attributes><edges>',
        "</edges></graph></gexf>",
        name=".gexf with values",
    ),
)  # fmt: skip
