"""Tables in files of every kind. Messages never quote a cell, because cells are private.

How a file is read is declared: its ending says the format, a :class:`Dialect` how text is written, and a
:class:`Condition` which rows are wanted. Each of them looks at one row at a time.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from dpselect._optional import not_installed
from dpselect.kernel.errors import Advice, InputError
from dpselect.sources import arrow_text, csv_text, feather, file_parts, frames, spelled_files
from dpselect.sources.column_choice import ColumnChoice
from dpselect.sources.conditions import Condition
from dpselect.sources.dialects import PLAIN, Dialect, advice
from dpselect.sources.file_kinds import has_schema, is_feather, is_typed, require_plain
from dpselect.sources.missing_column import no_column
from dpselect.sources.urls import without_secrets
from dpselect.sources.web import local


@dataclass(frozen=True)
class FileOptions:
    """Options of reading a file: how its text is written, and which rows are wanted.

    Attributes:
        dialect: of text files; others say themselves how they are written.
        where: the rows that are wanted; ``None`` for all.
        missing: what stands for an empty cell.
        sheet: of an Excel file; ``None`` for the first.
    """

    dialect: Dialect = PLAIN
    where: Condition | None = None
    missing: tuple[str, ...] = ()
    sheet: str | None = None

    @classmethod
    def of(
        cls,
        separator: str | None = None,
        decimal: str | None = None,
        encoding: str = "utf-8",
        where: str | None = None,
        thousands: str | None = None,
        missing: Sequence[str] = (),
        sheet: str | None = None,
        line_breaks: bool = False,
        unit: str | Sequence[str] = (),
        skip_rows: int = 0,
        date_order: str | None = None,
    ) -> FileOptions:
        """Return the options of keyword arguments.

        Raises:
            ValueError: one of them says nothing that can be read.
        """
        condition = None if where is None else Condition.of(where)
        units: Any = unit
        dialect = Dialect(separator, decimal, encoding, thousands, line_breaks, units, skip_rows, date_order)
        return cls(dialect, condition, tuple(missing), sheet)


AS_IT_IS = FileOptions()


@dataclass(frozen=True)
class TableFile:
    """A table in a file, with its declared form.

    Attributes:
        path: the file.
        reading: how it is read.

    Limits: Schemas are public. The type that NumPy, arrow, polars, parquet or a database declares for a column is a
    fact about the table and not about its rows, and so is its shape: keep them the same for every state of the data.
    Text in a parquet file that is not UTF-8 is refused where the file is read in place. The time at which a file was
    written is recorded with a spend; its size is not.

    How a file is written is declared. Nothing is guessed, so a wrong ``--decimal`` or ``--encoding`` is not noticed
    where the header does not show it: cells are then not numbers, or are other text, and the answer is poor. Thousands
    separators and units are read where they are declared, or a decimal mark is. Encodings that do not keep ASCII bytes,
    such as UTF-16, are refused. Options of files are for tables read into memory: with ``--in-place`` and databases,
    name a view. Of a file of sheets the first is read unless another is named, and of a formula the value that was
    saved with it. A cell that cannot be read, such as letters declared as a number, is missing, alone. In a ``.jsonl``
    file each line names its own columns, so a misspelt column is not refused: it is a column of empty cells, as
    ``check`` says. In a file of SPSS or Stata a number with a label is that label, and not a number. The condition of
    ``--where`` is public and orders numbers and dates. A file at a ``https://`` or ``http://`` address is fetched whole
    when it is named, at most 1 GiB of it and without a password; over http everybody on the way can read the private
    table, and the server sees who asked.

    The first line of a csv file names its columns. dpselect cannot know whether it does, so no message quotes it; if it
    is a record instead, that record is left out. ``dpselect select`` reads csv and Excel files with a line for every
    public candidate (``--domain rows``); for other domains, and in Python with ``dps.data.Candidates``, write parquet.

    Types that a reader infers depend on rows: ``polars.read_csv`` makes text of a column of integers for one cell, so
    "01" and 1 are two names or one, and ``pandas.read_csv`` makes 1 of "01", and 10 of "1_0", where all cells allow it.
    Name the types (``schema=``, ``dtype=``), or pass the path of the file, which dpselect reads as text.

    Names of tables are UTF-8. A table whose file name holds other bytes is refused in one sentence, because Arrow
    cannot open it; ledgers, models, labels and notes may have such names.
    """

    path: str | Path
    reading: FileOptions = AS_IT_IS

    @classmethod
    def of(
        cls,
        path: str | Path,
        *,
        separator: str | None = None,
        decimal: str | None = None,
        encoding: str = "utf-8",
        where: str | None = None,
        thousands: str | None = None,
        line_breaks: bool = False,
        sheet: str | None = None,
        skip_rows: int = 0,
        unit: str | Sequence[str] = (),
        date_order: str | None = None,
    ) -> TableFile:
        """Return a file with its declared form; nothing is read yet.

        Args:
            path: a file of text (``.csv``, ``.tsv``, ``.jsonl``), a sheet (``.xlsx``, ``.ods``), of columns
                (``.parquet``, ``.feather``), or of statistics (``.sav``, ``.dta``).
            separator: ``","`` (a tab in ``.tsv``), ``";"``, ``"|"`` or ``"tab"``.
            decimal: ``"."`` or ``","``; a point unless said, but between semicolons numbers ask for it.
            encoding: such as ``"utf-8"``, ``"latin-1"`` or ``"cp1252"``.
            where: a public condition on columns, such as ``"region = North and age >= 18"``; other rows are left out.
            thousands: what stands between groups of three digits: ``"."``, ``","``, ``"space"`` or ``"apostrophe"``;
                any of them but the decimal mark where ``decimal`` is declared, and nothing where it is not.
            line_breaks: whether quoted cells have line breaks; otherwise one line is one record.
            sheet: of a file of sheets; the first one without it.
            skip_rows: how many lines, or rows of a sheet, stand before the names of the columns.
            unit: what may stand before or behind a number, such as ``"%"`` or ``["EUR", "€"]``.
            date_order: ``"dmy"`` for dates such as 31.12.2025, ``"mdy"`` for 12/31/2025; 2025-12-31 is always read.

        Raises:
            ValueError: one of them says nothing that can be read.
        """
        how = {"line_breaks": line_breaks, "unit": unit, "skip_rows": skip_rows, "date_order": date_order}
        return cls(path, FileOptions.of(separator, decimal, encoding, where, thousands, (), sheet, **how))  # type: ignore[arg-type]

    def columns(self, numbers: Collection[str] = ()) -> dict[str, NDArray[Any]]:
        """Return all columns, as a table that estimators take; ``numbers`` are those that the decimal mark is for.

        Raises:
            FileNotFoundError, ImportError, ValueError: as :func:`table`; a name that is not a column; numbers between
                semicolons without ``decimal``.
        """
        there = listed_names(self.path, self.reading)
        if numbers:
            self.reading.dialect.require_decimal()
        for name in numbers:
            if name not in there:
                raise no_column(name, there, self.path)
        return table(self.path, there, self.reading, numbers)

    @property
    def metadata(self) -> dict[str, str]:
        """Return what a ledger records of where the rows came from."""
        where = self.reading.where
        return {"source": without_secrets(str(self.path))} | ({} if where is None else {"where": where.text})


def column(path: str | Path, name: str | None = None, reading: FileOptions = AS_IT_IS) -> Any:
    """Return one column of numbers as an arrow array: text, or the type of the schema.

    Args:
        path: a file as :meth:`TableFile.of` takes it; text and sheets have a header line.
        name: the column; may be left out when there is one only.
        reading: how the file is read.

    Raises:
        FileNotFoundError: no such file.
        ImportError: what reads the file is not installed.
        ValueError: another kind of file, or no such column; semicolons without a decimal mark.
    """
    path = local(path)
    wanted = _choose(names(path, reading), name, path)
    reading.dialect.require_decimal()
    cells = arrows(path, [wanted], reading, [wanted])[wanted]
    # A schema says itself how numbers are written.
    return cells if has_schema(path) else reading.dialect.number(cells)


def table(
    path: str | Path, names: list[Any], reading: FileOptions = AS_IT_IS, numbers: Collection[Any] = ()
) -> dict[Any, NDArray[Any]]:
    """Return some columns of a file, missing where cells are empty.

    Cells of text files are text, which domains read; columns of a parquet file have the types of its schema. Columns
    that the file lacks are left out. ``numbers`` are the columns whose text spells numbers in the file's dialect.

    Raises:
        FileNotFoundError, ImportError, ValueError: as :func:`column`; two columns of one name.
    """
    path = local(path)
    there = arrows(path, names, reading, numbers)
    if has_schema(path):
        return {name: frames.column(values) for name, values in there.items()}
    return {
        name: _text(reading.dialect.number(values) if name in numbers else values) for name, values in there.items()
    }


def arrows(
    path: str | Path, names: list[Any], reading: FileOptions = AS_IT_IS, numbers: Collection[Any] = ()
) -> dict[Any, Any]:
    """Return some columns of a file as arrow arrays; those that the file lacks are left out.

    ``numbers`` are the columns that are declared to be of numbers: those of SPSS and Stata have codes, and no labels.

    Raises:
        FileNotFoundError, ImportError, ValueError: as :func:`table`; the condition reads a column that is not there.
    """
    path = local(path)
    choice = ColumnChoice.of(path, names, reading, numbers)
    there = _columns(path, choice.columns, reading)
    for name in choice.tested:
        if name not in there:
            raise no_column(name, _header(path, reading), path)
    return choice.rows(there)


def names(path: str | Path, reading: FileOptions = AS_IT_IS) -> list[str]:
    """Return the names of the columns of a file: a schema, or the first line of a text file or sheet.

    Whether that line holds names is not known, so no message may quote it.

    Raises:
        FileNotFoundError, ImportError, ValueError: as :func:`column`.
    """
    return _header(local(path), reading)


def listed_names(path: str | Path, reading: FileOptions = AS_IT_IS) -> list[str]:
    """Return the names of the columns as :func:`names`, of a file that lists them (``ValueError``: it does not)."""
    there = names(path, reading)
    if not there and is_typed(local(path)):
        raise InputError(f"{local(path).name} has no list of its columns: ask about one by its name.")
    # Columns without a name may be several.
    return there if has_schema(local(path)) else [*dict.fromkeys(there)]


def types(path: str | Path) -> list[Any]:
    """Return the arrow types of the columns of a parquet or feather file, or of the first of several.

    Raises:
        FileNotFoundError, ImportError: no such file; pyarrow is not installed.
    """
    path = local(path)
    if is_feather(path):
        return [*feather.schema(path).types]
    return [*_arrow("parquet").read_schema(file_parts.files(path)[0] if file_parts.are_in(path) else path).types]


def labels(path: str | Path, name: str, option: str = "--label", reading: FileOptions = AS_IT_IS) -> list[Any]:
    """Return a column of public labels, integers where all are written as such, else text: all of them different.

    ``option`` is what names the column on a command line.

    Raises:
        FileNotFoundError, ImportError, ValueError: as :func:`column`; a cell is empty, or two labels are the same.
    """
    result = repeated_labels(path, name, option, reading)
    if len({*map(str, result)}) != len(result):
        raise InputError(
            f"The label column {name!r} holds a name twice: {option} needs a column with a different name in every row."
        )
    return result


def repeated_labels(path: str | Path, name: str, option: str, reading: FileOptions = AS_IT_IS) -> list[Any]:
    """Return a column of public labels as :func:`labels`; a label may stand in several rows."""
    wanted = _choose(names(path, reading), name, local(path))
    result: list[Any] = arrows(path, [wanted], reading)[wanted].to_pylist()
    if any(label is None or label == "" for label in result):
        raise InputError(f"The label column {name!r} has empty cells: {option} names a public column that is complete.")
    if all(isinstance(label, str) and label.isascii() and label.isdigit() for label in result):
        # "007" is a label and "7" an integer.
        whole = all(len(label) < 19 and str(int(label)) == label for label in result)
        result = [int(label) for label in result] if whole else result
    return result


def _header(path: Path, reading: FileOptions) -> list[str]:
    if file_parts.are_in(path):
        return file_parts.header(path, lambda each: _header(each, reading))
    if not is_typed(path):
        return csv_text.header(path, reading.dialect)
    require_plain(path, reading.dialect)
    if not has_schema(path):
        return spelled_files.header(path, reading.sheet, reading.dialect)
    if is_feather(path):
        return [*feather.schema(path).names]
    arrow, parquet = _arrow(), _arrow("parquet")
    try:
        result: list[str] = parquet.read_schema(path).names
    except (arrow.ArrowException, OSError):
        raise InputError(f"{path.name} is not a complete parquet file.") from None
    return result


def _columns(path: Path, names: Sequence[Any], reading: FileOptions) -> dict[Any, Any]:
    """Return the wanted columns of a file of any kind, or of several whose names match."""
    if file_parts.are_in(path):
        _header(path, reading)
        return file_parts.join_parts(path, lambda each: _columns(each, names, reading))
    if not is_typed(path):
        return csv_text.columns(path, [*names], reading.dialect)
    require_plain(path, reading.dialect)
    if not has_schema(path):
        return spelled_files.columns(path, names, reading.sheet, reading.dialect)
    return feather.columns(path, names) if is_feather(path) else _parquet(path, names)


def _text(values: Any) -> NDArray[Any]:
    array: NDArray[Any] = values.to_numpy()
    return array


def _parquet(path: Path, names: Sequence[Any]) -> dict[Any, Any]:
    arrow, parquet = _arrow(), _arrow("parquet")
    try:
        with parquet.ParquetFile(path) as file:
            there = Counter(file.schema_arrow.names)
            wanted = [name for name in dict.fromkeys(names) if name in there]
            twice = next((name for name in wanted if there[name] > 1), None)
            if twice is not None:
                raise InputError(f"{path.name} has two columns called {twice!r}: give every column a name of its own.")
            result = file.read(columns=wanted)
    except (arrow.ArrowException, OSError):
        raise InputError(f"{path.name} is not a complete parquet file.") from None
    return {name: arrow_text.readable(result[name]) for name in wanted}


def _choose(names: list[str], name: str | None, path: Path) -> str:
    """Return the wanted column."""
    if name is not None and name in names and names.count(name) == 1:
        return name
    if not names:
        raise InputError("The file has no columns: pass a table.")
    if name is None and len(names) == 1:
        advised = "" if has_schema(path) else advice(names)
        if advised:
            raise InputError(f"{path.name} has one column, and {advised}.")
        return names[0]
    if name is None:
        raise InputError(
            Advice(
                "The file has {many} columns: {pass column=, the name of one|name one after the file}.", many=len(names)
            )
        )
    if name not in names:
        raise no_column(name, names, path)
    if names.count(name) > 1:
        raise InputError(f"{path.name} has two columns called {name!r}: give every column a name of its own.")
    return name


def _arrow(part: str | None = None) -> Any:
    try:
        return importlib.import_module("pyarrow" if part is None else f"pyarrow.{part}")
    except ImportError:
        raise not_installed("Reading tables needs pyarrow", "graph") from None
