"""Public data of a command: a table or a graph that is shown as it is, because naming it declares it public."""

from __future__ import annotations

import gzip
import warnings
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dpselect as dps
from dpselect import datasets
from dpselect.cli import paths, reading
from dpselect.cli.options import READING, flag, nodes, option
from dpselect.cli.request import Request
from dpselect.kernel.errors import InputError
from dpselect.sources import dialects, edges, file_parts, graphml, graphs, tables
from dpselect.sources.tables import FileOptions
from dpselect.sources.urls import is_url, missing

if TYPE_CHECKING:
    from dpselect.web.explorer.material import Material

EXAMPLE = "example"
# Pages are for looking: a sample says as much, and what a page shows must fit memory many times.
ROWS, CELLS, BYTES = 2 * 10**6, 4 * 10**7, 2**28
_LINES = (".txt", ".txt.gz")
_GRAPHS = (".graphml", *_LINES)
# What may be said of a file of edges.
_OF_EDGES = ("separator", "encoding", "where")
_BLOCK, _BATCH = 2**20, 2**16
OPTIONS = (
    paths.input(
        "data",
        required=False,
        default=EXAMPLE,
        metavar="[DATASET|TABLE|GRAPH|example]",
        help="a description of private data, survey.toml, whose shape is shown with made-up rows; or public data: a "
        "table (.csv, .tsv, .xlsx, .parquet), an edge file (.graphml, .txt, or a table with "
        "--graph), a graph that ships with NetworkX, such as lesmis, or a dataset of the papers, such as adult; "
        "made-up examples unless it is named",
    ),
    flag("--graph", "the table holds edges, one per row", READING),
    option("--source", metavar="NAME", panel=READING, help="the column of one end of an edge (default source)"),
    option("--target", metavar="NAME", panel=READING, help="the column of the other end (default target)"),
    paths.input(
        "--nodes",
        metavar="N|FILE",
        panel=READING,
        help="the nodes, as their number or a file with one per line, where some may have no edge",
    ),
    *reading.OPTIONS,
)


def material_of(request: Request) -> Material:
    """Return what a command line names, read whole and within bounds.

    Raises:
        FileNotFoundError, ImportError: no such file; what reads it is not installed.
        ValueError: neither a file nor a name that is known, a file that is too large, an option that has no use here.
    """
    from dpselect.web.explorer.material import EXAMPLES

    text = request.data
    if is_url(text):
        raise InputError("The pages show what lies on this machine: download the file, and name it.")
    if text.lower().endswith(".toml"):
        from dpselect.web.explorer import example_dataset

        _require_bare(request, "a description")
        return example_dataset.material_of(text)
    if text == EXAMPLE:
        _require_bare(request, "the made-up examples")
        return EXAMPLES
    if not _is_file(text):
        return _material_of(request, text)
    asked = request.graph or request.source is not None or request.target is not None or request.nodes is not None
    path = Path(text)
    _require_small(path)
    if asked or path.name.lower().endswith(_GRAPHS):
        return _edges(request, path)
    return _table(request, path)


def display_name(name: str) -> str:
    """Return the name of a file as a terminal and a page may show it: without its folder and what steers a terminal.

    >>> display_name("/home/ann/people\\x1b.csv")
    'people?.csv'
    """
    return "".join(letter if letter.isprintable() else "?" for letter in Path(name).name)


def _is_file(text: str) -> bool:
    path = Path(text)
    return bool(path.suffix) or path.exists() or len(path.parts) > 1


def _table(request: Request, path: Path) -> Material:
    how = FileOptions.of(**reading.keywords(request))
    keywords = "".join(f", {name}={value!r}" for name, value in reading.keywords(request).items())
    return _of_table(
        path,
        how,
        display_name(path.name),
        f"table = dps.data.TableFile.of({path.name!r}{keywords})",
        reading.keywords(request),
    )


def _of_table(path: Path, how: FileOptions, name: str, file: str, said: dict[str, str] | None = None) -> Material:
    """Return the columns of a table, numbers with a point where a comma marked their fractions.

    Args:
        path, how: the file, and how it is read.
        name: what the pages call it.
        file: a statement that names the file in Python.
        said: how it is read, by the names of options.
    """
    from dpselect.web.explorer.material import Material
    from dpselect.web.explorer.text_column import TextColumn

    how.dialect.require_decimal()
    names = tables.names(path, how)
    advised = "" if _is_parquet(path) or how.dialect.separator is not None else dialects.advice(names)
    if advised:
        raise InputError(f"{name} has one column, and {advised} (or --separator , where one is right).")
    read = tables.arrows(path, names, how)
    rows = max((len(cells) for cells in read.values()), default=0)
    _require_fitting(rows, len(names))
    if not rows:
        raise InputError(f"{name} has no rows: name a table that has some.")
    columns = {}
    for column, cells in read.items():
        number = TextColumn.of_arrow(how.dialect.number(cells))
        columns[column] = number if number.is_numeric else TextColumn.of_arrow(cells)
    numeric = [column for column, cells in columns.items() if cells.is_numeric]
    python = f"{file}.columns({f'numbers={numeric!r}' if how.dialect.decimal or how.dialect.thousands else ''})"
    return Material(
        name=f"{name}, {rows:,} row{'s'[: rows != 1]}",
        columns=columns,
        visits=columns,
        given="table",
        table_name=name,
        table_python=python,
        visits_python=f"{python}\nvisits = table",
        words=name,
        reading=said or {},
    )


def _edges(request: Request, path: Path) -> Material:
    ends = (request.source or "source", request.target or "target")
    asked = reading.keywords(request)
    if option := next((each for key, each in reading.given_options(request) if key not in _OF_EDGES), None):
        raise InputError(f"{option} is for numbers and for tables of columns, and an edge has names: leave it out.")
    public: Any = nodes(request.nodes)
    if public is None:
        public = _ends_of(path, ends, FileOptions.of(**asked))
    with warnings.catch_warnings():
        # Here directions and weights may be known to all, and the pages say which edges they show.
        warnings.simplefilter("ignore", graphs.GraphPartsWarning)
        graph = dps.Graph.read(path, nodes=public, ends=ends, **asked)
    _require_edges(graph, path)
    said: dict[str, Any] = ({} if ends == ("source", "target") else {"ends": ends}) | asked
    keywords = "".join(f", {name}={value!r}" for name, value in said.items())
    listed = len(graph) if graph.labels is None else [*graph.labels]
    python = f"graph = dps.Graph.read({path.name!r}, nodes={listed!r}{keywords})"
    columns = zip(("source", "target"), ends, strict=True)
    named = {name: column for name, column in columns if column != name}
    return replace(_of_graph(graph, display_name(path.name), python), graph_reading=named | asked)


def _ends_of(path: Path, ends: tuple[str, str], how: FileOptions) -> Sequence[Any]:
    """Return the ends of all edges as nodes, numbers in their order where all are whole; GraphML lists its own."""
    if path.name.lower().endswith(graphml.ENDING):
        return graphml.nodes(path)
    source, target, _ = edges.read(path, kind=str, ends=ends, reading=how)
    names = {*source.tolist(), *target.tolist()}
    if all(name.isascii() and name.isdigit() and len(name) < 16 and str(int(name)) == name for name in names):
        return sorted(map(int, names))
    return sorted(names)


def _material_of(request: Request, text: str) -> Material:
    """Return a dataset of the papers, or a graph that ships with NetworkX."""
    _require_bare(request, text)
    try:
        known = datasets.every()
    except FileNotFoundError:
        known = {}
    if text not in known:
        return _shipped_graph(text)
    kind = known[text].facts.get("kind")
    if kind == "graph":
        graph = datasets.graph(text)
        _require_edges(graph, text)
        return _of_graph(graph, text, f"from dpselect import datasets\n\ngraph = datasets.graph({text!r})")
    if kind != "tabular":
        raise InputError(
            f"{text} is neither a table nor a graph: name one, as `python -m research datasets` lists them in a clone."
        )
    path = datasets.checked_file(text)
    _require_small(path)
    return _of_table(
        path,
        FileOptions(),
        text,
        f"from dpselect import datasets\n\ntable = dps.data.TableFile.of(datasets.checked_file({text!r}))",
    )


def _shipped_graph(text: str) -> Material:
    try:
        graph = dps.Graph.from_name(text)
    except ValueError:
        raise InputError(
            f"No file, dataset or shipped graph is called {display_name(text)!r}: name a table, an edge file, a graph "
            f"such as lesmis or karate, a dataset that `python -m research datasets` lists, or {EXAMPLE}."
        ) from None
    return _of_graph(graph, text, f"graph = dps.Graph.from_name({text!r})")


def _of_graph(graph: dps.Graph, name: str, python: str) -> Material:
    from dpselect.web.explorer.material import Material

    if not len(graph):
        raise InputError(f"{name} has no nodes: name a graph that has some.")
    return Material(
        name=f"{name}, {len(graph):,} nodes; tables are made up",
        graph=graph,
        given="graph",
        graph_name=name,
        graph_python=python,
        words=name,
    )


def _require_bare(request: Request, what: str) -> None:
    """Refuse what is said of a file where there is none (``ValueError``)."""
    ends = [f"--{name}" for name in ("graph", "source", "target", "nodes") if request.get(name)]
    for name in [*ends, *(label for _, label in reading.given_options(request))]:
        raise InputError(f"{name} is about a file, and {what} is not a file: leave it out, or name a file.")


def _require_small(path: Path) -> None:
    """Refuse a file that is not there, or is too large to show, before it is read.

    Raises:
        FileNotFoundError, ValueError: that.
    """
    files = file_parts.files(path) if file_parts.are_in(path) else [path]
    if not all(each.is_file() for each in files):
        raise missing(path)
    _require_rows(files)
    if sum(map(_size, files)) > BYTES:
        raise InputError(
            f"{display_name(path.name)} is larger than {BYTES // 2**20} MiB, more than the pages show: name a sample "
            f"of it."
        )


def _size(path: Path) -> int:
    """Return how many bytes a file has, after it is unpacked where it is packed, or some number above BYTES."""
    size = path.stat().st_size
    if path.name.lower().endswith(".gz"):
        size = 0
        try:
            with gzip.open(path) as stream:
                while size <= BYTES and (block := stream.read(_BLOCK)):
                    size += len(block)
        except (OSError, EOFError):
            # Its reader says what is wrong with it.
            return size
    elif zipfile.is_zipfile(path) and path.name.lower().endswith(".xlsx"):
        with zipfile.ZipFile(path) as sheets:
            size = sum(each.file_size for each in sheets.infolist())
    elif _is_parquet(path):
        size = max(size, _unfolded_size(path))
    return size


def _require_rows(files: Sequence[Path]) -> None:
    """Refuse parquet files by what they say of themselves: rows are not values, or are too many (``ValueError``)."""
    from pyarrow import ArrowException, parquet

    try:
        known = [parquet.read_metadata(each) for each in files if _is_parquet(each)]
    except (ArrowException, OSError):
        # Its reader says what is wrong with it.
        return
    for each, said in zip(filter(_is_parquet, files), known, strict=True):
        if not all(map(_is_flat, map(said.schema.column, range(said.num_columns)))):
            raise InputError(f"{display_name(each.name)} has lists or records in its cells: leave those columns out.")
    if known:
        _require_fitting(sum(each.num_rows for each in known), known[0].num_columns)


def _unfolded_size(path: Path) -> int:
    """Return how many bytes the text of a parquet file has once each cell has its own, or some number above BYTES.

    Columns are read with their dictionaries, so that a long text that stands in every row is held once.
    """
    from pyarrow import ArrowException, DictionaryArray, compute, parquet

    try:
        known = parquet.read_metadata(path)
        size: int = sum(known.row_group(number).total_byte_size for number in range(known.num_row_groups))
        texts = [each.path for each in map(known.schema.column, range(known.num_columns)) if _is_text(each)]
        if size > BYTES or not texts:
            return size
        size = 0
        with parquet.ParquetFile(path, read_dictionary=texts) as file:
            for batch in file.iter_batches(_BATCH, columns=texts):
                for cells in batch.columns:
                    if not isinstance(cells, DictionaryArray):
                        size += cells.nbytes
                        continue
                    lengths = compute.binary_length(cells.dictionary).take(cells.indices)
                    size += compute.sum(lengths, min_count=0).as_py()
                    if size > BYTES:
                        return size
    except (ArrowException, OSError):
        return 0
    return size


def _is_text(column: Any) -> bool:
    """Return whether a column of a parquet file has text, or strings of bytes."""
    return bool(column.physical_type == "BYTE_ARRAY" and column.logical_type.type != "DECIMAL")


def _is_flat(column: Any) -> bool:
    """Return whether a column of a parquet file has one value in each row."""
    return bool(column.path == column.name and not column.max_repetition_level)


def _is_parquet(path: Path) -> bool:
    return path.name.lower().endswith(".parquet")


def _require_fitting(rows: int, columns: int) -> None:
    if rows > ROWS or rows * columns > CELLS:
        raise InputError(
            f"The table has {rows:,} rows of {columns:,} cells, and the pages show {ROWS:,} rows and {CELLS:,} cells "
            "at most: name a sample of it."
        )


def _require_edges(graph: dps.Graph, name: str | Path) -> None:
    if graph.indices.size > 2 * ROWS:
        raise InputError(
            f"{display_name(str(name))} has more than {ROWS:,} edges, which is more than the pages show: name a "
            f"smaller graph."
        )
