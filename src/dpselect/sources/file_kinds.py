"""Facts that follow from the ending of a file: whether its columns have types, and whether it declares its form."""

from __future__ import annotations

from pathlib import Path

from dpselect.kernel.errors import InputError
from dpselect.sources import feather, sheets, spelled_files
from dpselect.sources.dialects import PLAIN, Dialect
from dpselect.sources.urls import missing


def is_parquet(path: Path) -> bool:
    """Return whether the ending of a file says that it is a parquet file."""
    return path.name.lower().endswith(".parquet")


def is_feather(path: Path) -> bool:
    """Return whether the ending of a file says that it is a feather file."""
    return path.name.lower().endswith(feather.ENDINGS)


def has_schema(path: Path) -> bool:
    """Return whether the columns of a file have the types of a schema, and are not text."""
    return is_parquet(path) or is_feather(path)


def is_typed(path: Path) -> bool:
    """Return whether a file itself says how it is written."""
    return has_schema(path) or path.name.lower().endswith(spelled_files.ENDINGS)


def require_plain(path: Path, dialect: Dialect) -> None:
    """Refuse a typed file that is not there, and what is said of text where there is none."""
    if not path.is_file():
        raise missing(path)
    said = (dialect.separator, dialect.mark, dialect.encoding) != (None, PLAIN.mark, PLAIN.encoding)
    said = said or (dialect.skip_rows > 0 and not path.name.lower().endswith(sheets.ENDINGS))
    # Numbers of a sheet are spelled with a point, and its text may be grouped and have units.
    of_text = (dialect.thousands, dialect.unit, dialect.skip_rows, dialect.date_order) != (None, (), 0, None)
    if said or (of_text and has_schema(path)):
        what = "decimal, thousands, unit, skip_rows, date_order" if has_schema(path) else "decimal comma"
        raise InputError(
            f"{path.name} says itself how it is written: separator, {what} and encoding go with .csv and .tsv files, "
            "leave them out."
        )
