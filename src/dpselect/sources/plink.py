"""Tables of PLINK (.tdt): a line of names, and lines of fields between blanks; NA is an empty cell.

What PLINK calls SNP, T and U is called snp, b and c, as :func:`dpselect.utilities.tdt` calls it.
"""

from __future__ import annotations

import codecs
import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dpselect.kernel.errors import InputError

ENDINGS = (".tdt",)
_EMPTY = ("NA", "nan")
_FIELD_NAMES = {"SNP": "snp", "T": "b", "U": "c"}


def names(path: Path) -> list[str]:
    """Return the names of the columns.

    Raises:
        ValueError: there are none, two are alike, or they are not text.
    """
    with path.open("rb") as stream:
        line = stream.readline()
    if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{path.name} is in UTF-16, which is not read here: save the table as UTF-8.")
    fields = [each.decode("utf-8", "replace") for each in line.split()]
    fields = [_FIELD_NAMES.get(each, each) for each in fields]
    if not fields or len({*fields}) != len(fields):
        raise InputError(f"{path.name} has no line of names, no two of them alike: write the table of PLINK anew.")
    return fields


def batches(path: Path, wanted: Sequence[Any]) -> Iterator[dict[Any, Any]]:
    """Yield columns as arrow arrays of text, at once; a line of another length is a record of empty cells.

    Raises:
        ValueError: as :func:`names`.
    """
    arrow, there = importlib.import_module("pyarrow"), names(path)
    with path.open("rb") as stream:
        stream.readline()
        rows = [_cells(line.split(), len(there)) for line in stream]
    places = {name: there.index(name) for name in wanted if name in there}
    yield {
        name: arrow.chunked_array([arrow.array([row[place] for row in rows], arrow.string())])
        for name, place in places.items()
    }


def columns(path: Path, wanted: Sequence[Any]) -> dict[Any, Any]:
    """Return columns as :func:`batches` does."""
    return next(batches(path, wanted))


def _cells(fields: list[bytes], width: int) -> list[str | None]:
    return [_text(each) for each in fields] if len(fields) == width else [None] * width


def _text(field: bytes) -> str | None:
    try:
        text = field.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if text in _EMPTY else text
