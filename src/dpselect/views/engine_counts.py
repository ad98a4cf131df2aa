"""Counts of rows in public cells inside an engine: one expression; only grouped counts are fetched.

An engine has no order of rows, so which rows of a person count follows from a declared column, or from a hash of what
they count for, as in :mod:`dpselect.views.rows_of_persons`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from dpselect.sources import encoding
from dpselect.sources.collation import require_exact
from dpselect.sources.periods import Periods
from dpselect.sources.public_names import PublicNames
from dpselect.sources.warehouse import Warehouse
from dpselect.views.cell_sums import CellSum
from dpselect.views.engine_cells import cell_of, place_and_mask
from dpselect.views.grouped_counts import Histogram, Integers
from dpselect.views.row_question import PublicCells, RowQuestion
from dpselect.views.rows_of_persons import DIGITS


def engine_histograms(warehouse: Warehouse, question: RowQuestion) -> list[Histogram]:
    """Return of every group the occupied cells and how many rows each holds, counted where the table is.

    Raises:
        TypeError, ValueError: no such column, one of a type that no domain lists, or cells that no query holds.
        ConnectionError: the engine failed.
    """
    rows = _coded_rows(warehouse, question)
    return _fetch_histograms(warehouse, bounded_counts(rows, question), question)


def engine_sums(warehouse: Warehouse, question: RowQuestion, sums: Sequence[CellSum]) -> Integers:
    """Return of every group how many rows count and the sums over them, shape (1 + sums, groups).

    The engine groups once, by the cells of the table as they are; which public group such a cell is it finds out of
    the few that there are.

    Raises:
        TypeError, ValueError, ConnectionError: as :func:`engine_histograms`.
    """
    assert question.groups is not None
    many = {f"s{place}": each for place, each in enumerate(sums)}

    def added(rows: Any, by: str) -> Any:
        totals = {name: each.expression(rows[f"c{each.column}"]).sum() for name, each in many.items()}
        return rows.group_by(by).aggregate(n=rows.count(), **totals)

    if question.person is None and not isinstance(question.groups, Periods):
        there = added(_coded_rows(warehouse, question, raw=True), "b")
        found = there.mutate(g=cell_of(question.groups, there.b, question.by, text=warehouse.is_csv))
        found = found.filter(found.g >= 0)
    else:
        found = added(bounded_rows(_coded_rows(warehouse, question), question), "g")
    totals = np.zeros((1 + len(many), len(question.groups)), dtype=np.int64)
    rows = warehouse.ask(found[["g", "n", *many]])
    for total, name in zip(totals, ["n", *many], strict=True):
        np.add.at(total, rows["g"].astype(np.int64), rows[name].astype(np.int64))
    return totals


def _coded_rows(warehouse: Warehouse, question: RowQuestion, *, raw: bool = False) -> Any:
    """Return the cells ``c0``, ``c1``, .. of every row that has all of them, its group and its person.

    The group is ``b``, as it is; or the code ``g`` of a public one, beside ``i``, all cells as one.
    """
    import ibis

    warehouse.require(question.columns)
    table, text = warehouse.only(question.columns).table, warehouse.is_csv
    if question.remainder:
        placed = [
            (_place_or_last(table[name], name, cells, text=text), None) for name, cells in question.counted_columns
        ]
    else:
        placed = [place_and_mask(cells, table[name], name, text=text) for name, cells in question.counted_columns]
    coded = {f"c{at}": place for at, (place, _) in enumerate(placed)}
    if question.groups is None:
        coded["g"] = ibis.literal(0, "int64")
    else:
        group = table[question.by]
        coded |= {"b": group} if raw else {"g": cell_of(question.groups, group, question.by, text=text)}
    _require_exact(warehouse, question)
    if question.person is not None:
        coded |= {"p": _person(table[question.person])}
        if question.order is not None:
            coded |= _order(table[question.order])
    # What is left out before cells are computed costs less than cells that say so.
    masks = [mask for _, mask in placed if mask is not None]
    rows = (table.filter(masks) if masks else table).select(**coded)
    for at, (_, mask) in enumerate(placed):
        rows = rows.filter(rows[f"c{at}"] >= 0) if mask is None else rows
    return rows if raw else rows.mutate(i=_together(rows, question.sizes))


def _place_or_last(column: Any, name: Any, cells: PublicCells, *, text: bool) -> Any:
    """Return the expression of the cell of every row, and one more where it has none."""
    import ibis

    place = cell_of(cells, column, name, text=text)
    last = ibis.literal(RowQuestion(name, cells).size, "int64")
    return ibis.ifelse((place >= 0).fill_null(False), place, last)


def _together(rows: Any, sizes: Sequence[int]) -> Any:
    """Return one cell for those of all columns."""
    import ibis

    cell = rows.c0
    for place, size in enumerate(sizes[1:], 1):
        cell = cell * ibis.literal(size, "int64") + rows[f"c{place}"]
    return cell


def bounded_counts(rows: Any, question: RowQuestion) -> Any:
    """Return the expression of grouped counts: how many rows that count are in each group and cell.

    Args:
        rows, question: as for :func:`bounded_rows`.
    """
    rows = bounded_rows(rows, question)
    return rows.group_by("g", "i").aggregate(n=rows.count().cast("int64"))


def bounded_rows(rows: Any, question: RowQuestion) -> Any:
    """Return the expression of the rows that count.

    Args:
        rows: columns ``g`` and ``i``, negative or NULL where a row has none; ``p``, NULL for nobody, and ``o`` and
            ``s`` where the question has persons and an order.
        question: says how many rows of a person count.
    """
    import ibis

    rows = rows.filter((rows.g >= 0) & (rows.i >= 0))
    if question.distinct_persons:
        rows = rows.filter(rows.p.notnull()).distinct()
    elif question.person is not None:
        rows = rows.filter(rows.p.notnull())
        text = rows.p.cast("string") + "|" + rows.g.cast("string") + "|" + rows.i.cast("string")
        ordered = [_md5()(text).left(DIGITS), rows.g, rows.i]
        if question.order is not None:
            ordered[:0] = [ibis.asc(rows[name], nulls_first=False) for name in ("o", "s")]
        place = ibis.row_number().over(group_by=rows.p, order_by=ordered)
        rows = rows.mutate(r=place)
        rows = rows.filter(rows.r < question.per_person)
    return rows


def _fetch_histograms(warehouse: Warehouse, expression: Any, question: RowQuestion) -> list[Histogram]:
    counts = question.counter()
    for batch in warehouse.batches(expression):
        counts.add(*(batch[name].astype("int64") for name in ("g", "i", "n")))
    return counts.histograms()


@cache
def _md5() -> Any:
    import ibis

    def md5(text: str) -> str:
        raise NotImplementedError(text)

    return ibis.udf.scalar.builtin(md5)


def _require_exact(warehouse: Warehouse, question: RowQuestion) -> None:
    """Refuse collations that take texts for equal: they would make one person, or one name, of two."""
    named = [question.person]
    listed = (*question.counted_columns, (question.by, question.groups))
    named += [name for name, list_ in listed if isinstance(list_, PublicNames) and not isinstance(list_, Periods)]
    texts = [name for name in named if name is not None and warehouse.table[name].type().is_string()]
    if texts and not warehouse.is_csv:
        require_exact(warehouse, texts)


def _person(column: Any) -> Any:
    """Return what tells persons apart, NULL for nobody: text, or whole numbers, or what the type of the column is."""
    import ibis

    kind, gone = column.type(), encoding.is_missing(column)
    if kind.is_floating():
        number = column.cast("float64")
        whole, integer = encoding.whole_number(number)
        column = ibis.ifelse(whole, integer.cast("string"), number.cast("string"))
        gone = gone | (number.abs() == encoding.literal(float("inf")))
    elif kind.is_boolean():
        column = column.cast("int32")
    return ibis.ifelse(gone, ibis.null(column.type()), column)


def _order(column: Any) -> dict[str, Any]:
    """Return what orders rows: the number in a cell, and the text or the moment of one that has none, else NULL."""
    import ibis

    kind, gone = column.type(), encoding.is_missing(column)
    if not (kind.is_string() or kind.is_numeric() or kind.is_boolean()):
        return {"o": ibis.null("float64"), "s": column}
    number = ibis.ifelse(gone, ibis.null("float64"), encoding.number(column))
    if not kind.is_string():
        return {"o": number, "s": ibis.null("string")}
    return {"o": number, "s": ibis.ifelse(gone | number.notnull(), ibis.null("string"), column)}
