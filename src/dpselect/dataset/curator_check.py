"""Counts of what a description leaves of the rows, for the curator alone: they are exact and private."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.dataset.description import Dataset
from dpselect.dataset.description_parts import UNLISTED, DatasetError, DateDomain, NumericDomain
from dpselect.dataset.edge_counts import MOST_SHOWN, PRIVATE, edge_counts, examples
from dpselect.dataset.file_counts import (
    encoding_hint,
    file_counts,
    labelled_codes,
    number_hint,
    undecoded_counts,
)
from dpselect.dataset.source_rows import cells, nodes, reading_of, with_point
from dpselect.kernel.format_exact import count_text
from dpselect.sources import csv_text, identity
from dpselect.sources.cell_types import is_missing
from dpselect.sources.column_cells import array_of, reals
from dpselect.sources.distinct import Distinct, distinct
from dpselect.sources.periods import require_without_zone
from dpselect.sources.public_names import PublicNames

# What cells of a column are when they are understood, by the fact that counts them.
_READ_AS = {"filled": "filled", "numbers": "read as numbers", "dates": "read as dates", "listed": "in its list"}
Mask = NDArray[np.bool_]
# An example is not longer than this.
_LONGEST = 40
# So many columns are named in one line, whether they lose cells or not.
_COLUMNS = 4
# A name of digits that a spreadsheet or a database writes without its zeros.
_ZEROS = re.compile("0[0-9]+")
_YEAR = re.compile("[12][0-9]{3}")


@dataclass(frozen=True, repr=False)
class DatasetCheck:
    """Counts of a table or a graph as it was understood. They are private: print them for the curator alone.

    Attributes:
        lines: in words.
        facts: the same by name, for programs.
    """

    lines: list[str]
    facts: dict[str, Any]

    def __str__(self) -> str:
        return "\n".join(self.lines)

    @property
    def first_line(self) -> str:
        """Return how much was not understood, in one line: private, as all of it is."""
        return f"private, for you alone: {not_understood(self.facts)}"

    def __repr__(self) -> str:
        return "DatasetCheck(private)"


def check_dataset(dataset: Dataset, *, directed: bool | None = None) -> DatasetCheck:
    """Return what was understood of the rows or edges that a description names. Nothing is spent.

    Args:
        dataset: the description.
        directed: whether edges point from one end to the other; ``None`` for what their file says of itself.

    Raises:
        OSError, ValueError, ImportError: as the readers of tables and graphs.

    >>> frame = {"age": [31, 44, 160, "x"], "job": ["nurse", "smith", "cook", None]}
    >>> print(check_dataset(Dataset.of(frame, columns={"age": {"lower": 0, "upper": 120}, "job": ["nurse", "smith"]})))
    Private: these counts are for the curator alone; publish none of them, and set no bounds by them.
    rows: 4
    age: 3 numbers, 0 empty, 1 not a number, such as 'x'; 1 outside of the bounds, such as '160'
    job: 2 listed, 1 empty, 1 not in the list, such as 'cook'
    """
    if dataset.graph is None:
        return _of_rows(dataset)
    if dataset.stays or dataset.is_shipped:
        raise DatasetError(("graph",), "edges are checked in a file: export them, and check that.")
    lines, facts = edge_counts(
        dataset.address,
        nodes(dataset),
        dataset.ends,
        reading_of(dataset),
        directed=directed,
        label=dataset.label,
        weight=dataset.weight,
    )
    return DatasetCheck(lines, facts)


def not_understood(facts: dict[str, Any]) -> str:
    """Return how many cells of each column, or lines of edges, a question leaves out; a clause."""
    rows = facts["rows"]
    if "between" in facts:
        return f"{rows - facts['between']:,} of {rows:,} lines are not edges between the public nodes"
    clauses, others = [], 0
    for name, held in facts["columns"].items():
        kind = next(each for each in _READ_AS if each in held)
        # Of many columns, those are named that lose cells.
        if held[kind] == rows and not held.get("outside") and len(facts["columns"]) > _COLUMNS:
            others += 1
            continue
        outside = f", and {held['outside']:,} lie outside of the bounds" if held.get("outside") else ""
        strange = f", {held['undecoded']:,} of them because of the encoding" if held.get("undecoded") else ""
        clauses.append(f"{rows - held[kind]:,} of {rows:,} cells of {name} were not {_READ_AS[kind]}{strange}{outside}")
    if others:
        clauses.append(f"all cells of {others} columns were understood")
    if "persons" in facts:
        clauses.append(f"{facts['persons']['nobody']:,} of {rows:,} rows are of nobody")
    return "; ".join(clauses)


def _of_rows(dataset: Dataset) -> DatasetCheck:
    names = [*dataset.columns, *([] if dataset.person is None else [dataset.person])]
    read = cells(dataset, names)
    rows = len(read[names[0]])
    facts: dict[str, Any] = {"private": "these counts are for the curator alone", "rows": rows, "columns": {}}
    lines = [PRIVATE, f"rows: {rows}"]
    lines += file_counts(dataset, facts)
    undecoded = undecoded_counts(dataset, read)
    for name, domain in dataset.columns.items():
        if isinstance(domain, DateDomain):
            line, facts["columns"][name] = _dates(dataset, read[name], domain, name)
        elif isinstance(domain, NumericDomain):
            line, facts["columns"][name] = _numbers(dataset, read[name], domain)
            line += labelled_codes(dataset, name, domain, facts["columns"][name])
        elif domain == UNLISTED:
            line, facts["columns"][name] = _names(dataset, read[name])
        else:
            line, facts["columns"][name] = _values(read[name], domain, name)
        facts["columns"][name] |= {"undecoded": undecoded[name]} if name in undecoded else {}
        lines.append(f"{name}: {line}{encoding_hint(dataset, undecoded.get(name, 0))}")
    if dataset.person is not None:
        line, facts["persons"] = _persons(read[dataset.person], dataset.rows_per_person)
        lines.append(f"{dataset.person}: {line}{encoding_hint(dataset, undecoded.get(dataset.person, 0))}")
    return DatasetCheck(lines, facts)


def _names(dataset: Dataset, held: Any) -> tuple[str, dict[str, Any]]:
    """Return how many cells of a column of names are filled, and how many of them are numbers."""
    lacking = np.isnan(reals(array_of(with_point(dataset, held))).values)
    _, facts = _count_read(held, lacking, "number")
    facts["filled"] = len(held) - facts["empty"]
    return f"{facts['filled']} filled, {facts['empty']} empty; {facts['numbers']} are numbers", facts


def _numbers(dataset: Dataset, held: Any, domain: NumericDomain) -> tuple[str, dict[str, Any]]:
    """Return what was read of a column of numbers, and how much of it lies outside of the bounds."""
    values = reals(array_of(with_point(dataset, held))).values
    outside = (values < float(domain.lower)) | (values > float(domain.upper))
    line, facts = _count_in_bounds(held, np.isnan(values), outside, "number")
    return line + number_hint(dataset, facts["unread"]), facts


def _dates(dataset: Dataset, held: Any, domain: DateDomain, name: str) -> tuple[str, dict[str, Any]]:
    """Return what was read of a column of dates, and how much of it lies outside of the bounds."""
    periods, column = domain.periods.in_date_order(dataset.date_order), distinct(held)
    require_without_zone(held, name)
    lacking = periods.moving().codes(column, name) < 0
    line, facts = _count_in_bounds(held, lacking, ~lacking & (periods.codes(column, name) < 0), "date")
    if any(_YEAR.fullmatch(each) for each in facts["unread"]):
        line += f"; years are asked as numbers: lower = {domain.lower.year}, upper = {domain.upper.year}"
    elif facts["not_a_date"] and dataset.date_order is None:
        line += '; 2025-12-31 is read, and 31.12.2025 with date_order = "dmy"'
    return line, facts


def _count_read(held: Any, lacking: Mask, noun: str) -> tuple[str, dict[str, Any]]:
    """Return how many cells are such a thing, are empty, or are neither."""
    empty, unread = _apart(held, lacking)
    many, none = int((~lacking).sum()), int(lacking.sum()) - empty
    facts: dict[str, Any] = {
        f"{noun}s": many,
        "empty": empty,
        f"not_a_{noun}": none,
        "unread": unread,
    }
    return f"{many} {noun}s, {empty} empty, {none} not a {noun}{examples(unread)}", facts


def _count_in_bounds(held: Any, lacking: Mask, outside: Mask, noun: str) -> tuple[str, dict[str, Any]]:
    """Return how many cells are such a thing, are empty, are neither, or lie outside of the bounds."""
    line, facts = _count_read(held, lacking, noun)
    facts |= {"outside": int(outside.sum()), "beyond": _sample_texts(_at(held, outside))}
    return f"{line}; {facts['outside']} outside of the bounds{examples(facts['beyond'])}", facts


def name_counts(column: Distinct, public: PublicNames, called: str) -> dict[str, Any]:
    """Return how many cells are empty, how many name nothing of a list, and the first few that do not.

    Raises:
        ValueError: as :meth:`PublicNames.codes`.
    """
    codes = public.codes(column, called)
    listed = codes >= 0
    without = [place for place, name in enumerate(public.names) if isinstance(name, str) and _ZEROS.fullmatch(name)]
    dropped = listed & np.isin(codes, without)
    written = np.array([isinstance(cell, str) and cell.startswith("0") for cell in column.cells], dtype=np.bool_)
    dropped[dropped] = ~written[column.codes[dropped]]
    empty = (identity.persons(column) < 0) & (codes < 0)
    outside = (codes < 0) & ~empty
    return {
        "empty": int(empty.sum()),
        "outside_the_list": int(outside.sum()),
        "strangers": _sample_texts(column.cells[place] for place in dict.fromkeys(column.codes[outside].tolist())),
        "without_leading_zeros": int(dropped.sum()),
        "unused": len(public) - np.unique(codes[codes >= 0]).size,
        "names": len(public),
    }


def _values(held: Any, domain: tuple[Any, ...], name: str) -> tuple[str, dict[str, Any]]:
    """Return how many cells hold a listed value."""
    facts = name_counts(distinct(held), PublicNames.of(domain, name), name)
    listed = len(held) - facts["empty"] - facts["outside_the_list"]
    line = f"{facts['empty']} empty, {facts['outside_the_list']} not in the list{examples(facts['strangers'])}"
    many = facts["without_leading_zeros"]
    zeros = f" ({many} without the leading zeros of the list)" if many else ""
    return f"{listed} listed{zeros}, {line}", {"listed": listed, **facts}


def _persons(held: Any, most: int) -> tuple[str, dict[str, Any]]:
    """Return how many rows each person has."""
    who = identity.persons(distinct(held))
    _, rows = np.unique(who[who >= 0], return_counts=True)
    sizes, many = np.unique(rows, return_counts=True)
    facts: dict[str, Any] = {
        "persons": int(rows.size),
        "nobody": int((who < 0).sum()),
        "largest": int(rows.max(initial=0)),
        "rows_per_person": dict(zip(map(str, sizes.tolist()), many.tolist(), strict=True)),
        "above": int((rows > most).sum()),
        "left_out": int(np.maximum(rows - most, 0).sum()),
    }
    line = (
        f"{count_text(facts['persons'], 'person')}, at most {count_text(facts['largest'], 'row')} each; with more than "
        f"{most}: {facts['above']}, of whose rows {facts['left_out']} "
        f"{'does' if facts['left_out'] == 1 else 'do'} not count; rows of nobody: {facts['nobody']}"
    )
    return line, facts


def _apart(held: Any, lacking: Mask) -> tuple[int, list[str]]:
    """Return how many of some cells are empty, and the first different ones that are not."""
    there = [cell for cell in _at(held, lacking) if not _is_empty(cell)]
    return int(lacking.sum()) - len(there), _sample_texts(there)


def _at(held: Any, rows: Mask) -> list[Any]:
    """Return the cells of some rows as Python has them, whatever holds the column."""
    places = np.flatnonzero(rows)
    if type(held).__module__.startswith("pyarrow"):
        return [_python(cell) for cell in held.take(places)]
    array = held if isinstance(held, np.ndarray) else np.fromiter(iter(held), dtype=object, count=len(held))
    return [*array[places].tolist()]


def _python(cell: Any) -> Any:
    """Return an arrow cell as Python has it; a day that Python has not, as in the year 300000, as its kind."""
    try:
        return cell.as_py()
    except (OverflowError, ValueError):
        return _text(cell)


def _is_empty(cell: Any) -> bool:
    if isinstance(cell, str):
        number = csv_text.number(cell)
        return number is not None and number != number
    return bool(is_missing(cell))


def _sample_texts(cells: Iterable[Any]) -> list[str]:
    """Return the first few different cells as short texts."""
    shown: dict[str, None] = {}
    for cell in cells:
        text = _text(cell)
        shown[text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."] = None
        if len(shown) == MOST_SHOWN:
            break
    return [*shown]


def _text(cell: Any) -> str:
    try:
        return str(cell)
    except Exception:
        # An integer of thousands of digits, or whatever else a frame holds.
        return f"a {type(cell).__name__}"
