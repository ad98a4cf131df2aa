"""Private rows and edges that a description names: opened by the readers of tables, databases and graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.dataset.description_parts import UNLISTED, DatasetError, DateDomain, NumericDomain, WeightColumn
from dpselect.dataset.fields import DatasetFields
from dpselect.kernel.errors import InputError, MissingFileError
from dpselect.sources import days, frames, tables
from dpselect.sources.column_cells import array_of, reals
from dpselect.sources.distinct import distinct
from dpselect.sources.graphs import shipped_graph
from dpselect.sources.missing_column import no_column
from dpselect.sources.tables import FileOptions, TableFile
from dpselect.sources.warehouse import Warehouse
from dpselect.views import Column, Graph, StoredColumn, StoredGraph, WeightedGraph
from dpselect.views.row_source import RowOrder, RowSource
from dpselect.views.synthetic import synthetic_graph, synthetic_table


def reading_of(dataset: DatasetFields) -> FileOptions:
    """Return how the file is read."""
    return FileOptions.of(
        dataset.separator, dataset.decimal, dataset.encoding, dataset.where, dataset.thousands, dataset.missing,
        dataset.sheet, dataset.line_breaks, dataset.unit, dataset.skip_rows, dataset.date_order,
    )  # fmt: skip


def order_of(dataset: DatasetFields) -> RowOrder | None:
    """Return what orders the rows of each person; ``None`` where nothing is declared."""
    if dataset.order is None:
        return None
    known = dataset.columns.get(dataset.order)
    return RowOrder(dataset.order, isinstance(known, NumericDomain), isinstance(known, DateDomain))


def source(dataset: DatasetFields) -> RowSource:
    """Return the table as questions about columns take it: no row is read before it is counted.

    Raises:
        DatasetError: this is a graph.
        ValueError: this is a histogram.
        OSError, ImportError: as :meth:`dpselect.data.Warehouse.open`, where the rows stay.
    """
    if dataset.graph is not None:
        raise DatasetError(("graph",), "a graph has no rows: ask for its graph.")
    _require_rows(dataset)
    order = order_of(dataset)
    if dataset.frame is not None:
        return RowSource(dataset.frame, order=order)
    if dataset.in_engine:
        return RowSource(dataset.address, dataset.table, order)
    if dataset.in_place:
        return RowSource(Warehouse.open(dataset.address), order=order)
    return RowSource(TableFile(dataset.address, reading_of(dataset)), order=order)


def cells(dataset: DatasetFields, names: Sequence[str]) -> dict[str, Any]:
    """Return the cells of columns as the source has them, in its order: arrow columns, or what a frame holds.

    Raises:
        OSError, ValueError, ImportError: the source is not there, or lacks a column.
    """
    _require_rows(dataset)
    if dataset.frame is not None:
        there, held = frames.some(dataset.frame, names)
        _require(names, there, None)
        return {name: held[name] for name in names}
    if dataset.in_engine:
        with Warehouse.open(dataset.address, dataset.table) as warehouse, warehouse.reading():
            warehouse.require([*names])
            return warehouse.arrows(warehouse.table[[*names]])
    reading = reading_of(dataset)
    _require(names, tables.names(dataset.address, reading), dataset.address)
    numbers = [name for name in names if isinstance(dataset.columns.get(name), NumericDomain)]
    return tables.arrows(dataset.address, [*names], reading, numbers)


def with_point(dataset: DatasetFields, held: Any) -> Any:
    """Return cells of a file of text with numbers written with a point; others as they are."""
    return reading_of(dataset).dialect.number(held) if hasattr(held, "chunks") and not dataset.in_engine else held


def columns(dataset: DatasetFields, names: Sequence[str]) -> dict[str, Any]:
    """Return cells of columns as arrays, sorted by the declared order; of a frame, as it holds them.

    Text that spells numbers of a column with bounds is read as doubles, once; what is not a number is NaN. Dates are
    days of NumPy, and NaT where they are none.
    """
    ordered = [*dict.fromkeys([*names, *(() if dataset.order is None else (dataset.order,))])]
    read = cells(dataset, ordered)
    if dataset.frame is not None:
        return read
    numeric = {name for name in ordered if isinstance(dataset.columns.get(name), NumericDomain)}
    arrays = {
        name: frames.column(with_point(dataset, held) if name in numeric else held) for name, held in read.items()
    }
    arrays |= {name: reals(arrays[name]).values for name in numeric if arrays[name].dtype.kind in "UO"}
    dated = [name for name in ordered if isinstance(dataset.columns.get(name), DateDomain)]
    arrays |= {
        name: _dates(arrays[name], dataset.date_order, name) for name in dated if arrays[name].dtype.kind in "UO"
    }
    if dataset.order is None:
        return arrays
    rows = _sorted_order(
        reals(array_of(arrays[dataset.order])).values if dataset.order in numeric else arrays[dataset.order]
    )
    return {name: arrays[name][rows] for name in names}


def _dates(cells: NDArray[Any], order: str | None, name: str) -> NDArray[Any]:
    column = distinct(cells)
    held = np.append(days.days(column.cells, order, name), days.NO_DAY)
    return held[column.codes].astype("M8[D]")


def numbers(dataset: DatasetFields, name: str) -> Any:
    """Return a column of numbers: its cells, or counts of them, or where an engine counts them."""
    if dataset.stays:
        return StoredColumn(Warehouse.open(dataset.address, dataset.table), name)
    return _column_of_counts(dataset, name) if dataset.is_histogram else columns(dataset, [name])[name]


def _column_of_counts(dataset: DatasetFields, name: str) -> Column:
    """Return the records that a file of counts has of each value of the public grid."""
    domain = dataset.columns[name]
    assert isinstance(domain, NumericDomain)
    held = histogram(dataset.address)
    if held.size != (domain.upper - domain.lower) / domain.step + 1:
        raise DatasetError(
            ("columns", name),
            f"the file has {held.size} counts, and the bounds have another number of values: correct the bounds.",
        )
    plain: Any = int if domain.lower.denominator == domain.step.denominator == 1 else float
    return Column.from_counts(held, lower=plain(domain.lower), step=plain(domain.step))


def histogram(path: str) -> NDArray[Any]:
    """Return the counts of a .npy file, shape (cells,).

    Raises:
        FileNotFoundError, ValueError: no such file, or not one of counts.
    """
    try:
        held: NDArray[Any] = np.load(path, allow_pickle=False)
    except FileNotFoundError:
        raise MissingFileError(f"The file {path} does not exist: check its path.") from None
    except (ValueError, EOFError, OSError):
        raise InputError(f"{path} is not a NumPy file of counts.") from None
    if held.ndim != 1 or held.size < 2:
        raise InputError("A histogram is a list of at least two counts: pass a one-dimensional .npy file.")
    return held


def graph(dataset: DatasetFields, kind: Any) -> Any:
    """Return the graph; what its form has and is left out is said in a warning (``GraphPartsWarning``)."""
    if dataset.is_shipped:
        return _shipped_graph(dataset, kind)
    if dataset.stays:
        if kind is WeightedGraph:
            raise DatasetError(("graph",), "weights are added up in memory: export the edges to a file.")
        source = Warehouse.open(dataset.address, dataset.table)
        return StoredGraph(source, nodes(dataset), ends=dataset.ends)
    said = ["separator", "encoding", "where", "ends", "label"]
    how: dict[str, Any] = {}
    if kind is WeightedGraph:
        described = weights(dataset)
        said += ["decimal", "thousands"]
        how = {"weight": described.column, "cap": described.cap, "kind": described.kind}
    how |= {name: getattr(dataset, name) for name in said}
    return kind.read(dataset.address, nodes(dataset), **how)


def _shipped_graph(dataset: DatasetFields, kind: Any) -> Any:
    """Return a graph that ships with NetworkX."""
    held = shipped_graph(str(dataset.graph))
    if kind is WeightedGraph:
        described = weights(dataset)
        return kind.from_networkx(held, weight=described.column, cap=described.cap, kind=described.kind)
    if kind is not Graph:
        raise DatasetError(("graph",), "edges of a shipped graph have no directions: name a file of edges.")
    return kind.from_networkx(held)


def weights(dataset: DatasetFields) -> WeightColumn:
    """Return the weights of the graph.

    Raises:
        DatasetError: none are described.
    """
    if dataset.weight is None:
        raise DatasetError(("graph",), "no weights are described: add weight = {column = ..., cap = ...}.")
    return dataset.weight


def nodes(dataset: DatasetFields) -> Any:
    """Return how many public nodes there are, or their names as the file calls them."""
    if isinstance(dataset.nodes, tuple):
        return [*dataset.nodes]
    # A table needs no reader of graphs.
    from dpselect.sources.edges import public_nodes

    return public_nodes(dataset.place, dataset.nodes)


def _require_rows(dataset: DatasetFields) -> None:
    if dataset.is_histogram:
        raise InputError("A histogram (.npy) has no rows that a group or a person could have: leave them out.")


def _require(names: Sequence[str], there: Sequence[Any], source: Any) -> None:
    for name in names:
        if name not in there:
            raise no_column(name, there, source)


def _sorted_order(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return rows by the size of a cell, else by its text, those without one last; rows alike keep their order.

    Which rows of a person come first follows from the rows of that person alone.
    """
    if values.dtype.kind in "biufmM":
        return np.argsort(values, kind="stable")
    texts = [(cell is None, "" if cell is None else str(cell)) for cell in values.tolist()]
    return np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)


def synthetic(dataset: DatasetFields, kind: type[Any]) -> Any:
    """Return one row, or a graph of a kind without edges, as public facts allow."""
    if dataset.graph is None:
        return synthetic_table({name: _bounds_or_values(dataset, name) for name in dataset.wanted_columns})
    if kind is not WeightedGraph:
        return synthetic_graph(nodes(dataset), kind)
    weight = weights(dataset)
    return synthetic_graph(nodes(dataset), kind, {"cap": weight.cap, "kind": weight.kind})


def _bounds_or_values(dataset: DatasetFields, column: str) -> Sequence[Any] | None:
    known = dataset.columns.get(column)
    if isinstance(known, DateDomain):
        return (known.lower,)
    if known is None or known == UNLISTED:
        return None
    return known.bounds if isinstance(known, NumericDomain) else [*known]
