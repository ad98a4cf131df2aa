"""Options of a file with a table: the form of its text, and the rows that are wanted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from dpselect.cli import key_options, paths
from dpselect.cli.locations import stays
from dpselect.cli.options import READING, Argument, CommandOption
from dpselect.cli.request import Request
from dpselect.dataset.fields import FILE_KEYS, DatasetFields
from dpselect.kernel.errors import InputError, PrivacyError
from dpselect.sources.tables import FileOptions, TableFile
from dpselect.sources.urls import is_url

FILES = "a table (.csv, .csv.gz, .tsv, .xlsx, .parquet; or several, 'part-*.parquet')"
# Few files need the others: a page of help has them with --all.
_USUAL = ("separator", "decimal", "thousands", "encoding", "skip_rows", "sheet", "where")
_KEYS = {each.name: each for each in fields(DatasetFields)}


def _options(*keys: str) -> tuple[CommandOption | Argument, ...]:
    return tuple(key_options.key_option(_KEYS[name], READING, rare=name not in _USUAL) for name in keys)


# How a file is written, and the rows that are wanted.
FILE = _options(*FILE_KEYS)
OPTIONS = (*FILE, *_options("where"))


def require_public(request: Request, private: str) -> None:
    """Refuse a condition on a private column where the rows are public names: it would decide which there are.

    Raises:
        PrivacyError: the condition reads it.
    """
    where = of(request).where
    if where is not None and private in where.names:
        raise PrivacyError(
            f"Which names there are must not depend on the private column {private!r}: let --where read public columns."
        )


def require_apart(request: Request, private: str | None, *public: str) -> None:
    """Refuse a private column that is named as a public one too: its cells would be printed as they are.

    Args:
        private: the column.
        public: the options that name public columns, such as ``"label"``.

    Raises:
        PrivacyError: one of them names it.
    """
    for name in public:
        if private is not None and request.get(name) == private:
            raise PrivacyError(
                f"--{name} names a public column, and the cells of {private!r} are private: pass another column there."
            )


def refuse_all(request: Request) -> None:
    """Refuse what is said of a text file where the table is asked in its engine (``ValueError``)."""
    if keywords(request):
        raise InputError(
            "How the file is read goes with candidates in a .csv, .tsv or .xlsx file: leave it out for other tables."
        )


def of(request: Request) -> FileOptions:
    """Return how the file is read.

    Raises:
        ValueError: an option that cannot be read, or one for a table that stays in an engine.
    """
    if stays(request, request.file):
        require_memory(request)
    return FileOptions.of(**keywords(request))


def require_memory(request: Request) -> None:
    """Refuse what is said of a file where the table stays in its engine (``ValueError``)."""
    for _, option in given_options(request):
        raise InputError(
            f"{option} goes with a file that is read into memory: leave it out, or leave --in-place out; of a "
            "database, name a view that has the rows and types you want."
        )


def note_check(request: Request, **columns: tuple[int, int]) -> None:
    """Let a dry run say how many cells of columns of whole numbers, with their bounds, are not understood."""
    from dpselect.dataset import Dataset, check_dataset

    def line() -> str:
        bounds: Any = {name: {"lower": lower, "upper": upper} for name, (lower, upper) in columns.items()}
        return check_dataset(Dataset(source=str(request.file), columns=bounds, **keywords(request))).first_line

    if not stays(request, request.file) and not is_url(str(request.file)):
        request.outcome.check = line


def keywords(request: Request) -> dict[str, Any]:
    """Return what the command line says of the file, by the keys of a description."""
    where = request.get("where")
    return key_options.file_keywords(request) | ({} if where is None else {"where": where})


def given_options(request: Request) -> Iterator[tuple[str, str]]:
    """Yield the key of each thing that the command line says of the file, and the option that says it."""
    for name in keywords(request):
        yield name, paths.label_of(request.parameters[key_options.name_of(_KEYS[name])])


def file(request: Request) -> Any:
    """Return the table: its path or URL, with how it is read where something is said of that."""
    reading = of(request)
    return TableFile(request.file, reading) if keywords(request) else request.file


def numbers(domains: dict[Any, Any]) -> set[Any]:
    """Return the columns whose public domain is one of numbers, so that a decimal comma is one."""
    return {
        name
        for name, domain in domains.items()
        if not (isinstance(domain, (list, tuple)) and any(isinstance(each, str) for each in domain))
    }
