"""Made-up data of the shape of a described dataset: its columns, bounds and values, or its nodes. No row is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.dataset import Dataset, DateDomain, NumericDomain
from dpselect.dataset.description_parts import UNLISTED
from dpselect.kernel.errors import InputError
from dpselect.queries import Query
from dpselect.views import Graph
from dpselect.web.explorer.explorer_page import Commands
from dpselect.web.explorer.material import Material
from dpselect.web.explorer.query_commands import plain, shell_of
from dpselect.web.explorer.text_column import TextColumn

# Rows and nodes enough to see a shape, and few enough to draw.
ROWS, NODES = 1000, 500
_NAMES = 12
_FROM = "from dpselect.web.explorer.example_dataset import "


def material_of(path: str | Path) -> Material:
    """Return made-up data of the shape that a description has; the data that it names are not opened.

    Raises:
        FileNotFoundError, DatasetError: there is no such file, or it cannot be used.
        ValueError: it has no column or too many nodes for the pages.
    """
    dataset, name = Dataset.load(path), Path(path).name
    loaded = f"dps.Dataset.load({name!r})"
    if dataset.graph is not None:
        return Material(
            name=f"made-up edges between the nodes of {name}; tables are made up",
            graph=graph_of(dataset),
            given="graph",
            graph_name=f"made-up edges between the nodes of {name}",
            graph_python=f"{_FROM}graph_of\n\ngraph = graph_of({loaded})",
            description=name,
            dataset=dataset,
        )
    columns = table_of(dataset)
    python = f"{_FROM}table_of\n\ntable = table_of({loaded})"
    return Material(
        name=f"{ROWS:,} made-up rows of the shape of {name}",
        columns=columns,
        visits=columns,
        given="table",
        table_name=f"made-up rows of {name}",
        table_python=python,
        visits_python=f"{python}\nvisits = table",
        description=name,
        dataset=dataset,
    )


def table_of(dataset: Dataset) -> Mapping[str, TextColumn]:
    """Return made-up rows with the columns, bounds, values and persons of a description.

    Numbers lie around the middle of their bounds, and the first values of a list are the most frequent ones.

    >>> shape = Dataset(source="a.csv", columns={"x": {"lower": 0, "upper": 9}, "y": ["p", "q"]})
    >>> {name: cells.counts[0] for name, cells in table_of(shape).items()}
    {'x': ('4', 233), 'y': ('p', 668)}
    """
    columns = {}
    for place, (name, domain) in enumerate(dataset.columns.items()):
        spread = _spread(place)
        if isinstance(domain, NumericDomain):
            columns[name] = TextColumn.of(map(_text, _numbers(dataset, name, spread)))
        elif isinstance(domain, DateDomain):
            periods = domain.periods
            columns[name] = TextColumn.of(
                str(periods.start(int(at))) for at in (spread * len(periods)).astype(np.int64)
            )
        else:
            # Names that no list holds are made up.
            names = [f"name {place + 1}" for place in range(_NAMES)] if domain == UNLISTED else [*map(str, domain)]
            columns[name] = TextColumn.of(names[at] for at in _falling(len(names), spread).tolist())
    if dataset.person is not None:
        many = dataset.rows_per_person
        columns[dataset.person] = TextColumn.of(f"person {row // many + 1}" for row in range(ROWS))
    return columns


def graph_of(dataset: Dataset) -> Graph:
    """Return made-up edges between the nodes of a description: each newcomer knows three, mostly those known to many.

    No degree is above a described maximum.

    Raises:
        ValueError: more nodes than the pages show.
    """
    names = list(range(dataset.nodes)) if isinstance(dataset.nodes, int) else [*(dataset.nodes or ())]
    if len(names) > NODES:
        raise InputError(f"The graph has {len(names):,} nodes, and the pages show {NODES}: describe a smaller one.")
    edges: set[tuple[int, int]] = set()
    degrees, most = [0] * len(names), dataset.max_degree or len(names)
    for place in range(3):
        for node, share in enumerate(_spread(place, len(names)).tolist()):
            other = int(share**2 * node)
            if other != node and (other, node) not in edges and max(degrees[other], degrees[node]) < most:
                edges.add((other, node))
                degrees[other] += 1
                degrees[node] += 1
    source, target = ([names[edge[end]] for edge in sorted(edges)] for end in (0, 1))
    return Graph.from_edges(source, target, nodes=names)


def commands(description: str, query: Query[Any]) -> Commands:
    """Return the command and the Python that ask a query of the data of a description.

    >>> from dpselect.queries import Quantiles
    >>> commands("survey.toml", Quantiles("income", p=[50], epsilon=0.5)).shell
    'dpselect quantiles survey.toml income --p 50 --epsilon 0.5'
    """
    named = []
    for name, each in query.fields().items():
        kind, value = each.metadata["kind"], getattr(query, name)
        if value != each.default:
            # Exact numbers are written as they are read.
            exact = _list(value) if kind.several else repr(value) if isinstance(value, str | int) else kind.write(value)
            named.append(f"{name}={exact}" if each.kw_only else exact)
    python = f"import dpselect as dps\n\ndata = dps.open({description!r})\ndata.{query.name}({', '.join(named)})"
    return Commands(
        shell_of(query, description), python, "The description names the data, their bounds and the ledger."
    )


def _list(values: Iterable[Any]) -> str:
    """Return a list as Python writes it, with whole numbers where numbers are whole."""
    return f"[{', '.join(plain(each) if isinstance(each, float) else repr(each) for each in values)}]"


def _numbers(dataset: Dataset, column: str, spread: NDArray[np.float64]) -> list[float | int]:
    """Return numbers of the grid around its middle: the mean of three even spreads."""
    grid = dataset.grid(column)
    mean = (spread + np.roll(spread, 37) + np.roll(spread, 389)) / 3
    return [*grid.points((mean * (grid.size - 1)).astype(np.int64)).tolist()]


def _falling(size: int, spread: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return places in a list of values: each is about as frequent as its place is small."""
    shares = np.cumsum(1 / np.arange(1, size + 1))
    return np.searchsorted(shares[:-1] / shares[-1], spread, side="right")


def _spread(place: int, size: int = ROWS) -> NDArray[np.float64]:
    """Return numbers that fill [0, 1) evenly, shape (size,), another order for each place."""
    result: NDArray[np.float64] = np.arange(1, size + 1) * np.sqrt(2 + 3 * place + 5 * (place % 2)) % 1
    # Multiples of a whole root would all be 0.
    return result if result.any() else np.arange(1, size + 1) * np.sqrt(2) % 1


def _text(number: float | int) -> str:
    return str(int(number)) if float(number).is_integer() else repr(number)
