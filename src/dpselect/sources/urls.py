"""The place of a table: paths and URLs, and what of them may be shown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from dpselect.kernel.errors import InputError, MissingFileError
from dpselect.sources.engines import engine

# postgres://, and what is meant to be that: with one slash, or escaped. One letter is a drive.
_URL = re.compile(r"(?is)\s*([a-z][a-z0-9+.-]+)(?::|%3a)(?:/|%2f){1,2}(.*)")
_SECRET_NAME = r"\b\w*(?:pass|pwd|token|secret|credential|key_id)\w*(?:\s*(?:=>?|:=?|%3d)\s*|\s+(?=['\"]))"
_VALUE = r"(?:'(?:\\.|''|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|(?:\\.|[^\s\\])+)"
_SECRETS = re.compile(rf"(?is)//[^\s'\"]*@|{_SECRET_NAME}{_VALUE}")


def is_url(source: Any) -> bool:
    """Return whether this reads as a URL.

    >>> is_url("postgres://host/people"), is_url("people.parquet")
    (True, False)
    """
    return isinstance(source, str) and "://" in source and not source.startswith("file://")


def without_secrets(text: str) -> str:
    """Return a URL without user, password and options, or other text with what looks like a secret blanked out.

    >>> without_secrets("postgres://ann:pw@host:5432/people?sslpassword=x")
    'postgres://host:5432/people'
    >>> without_secrets("host=db user=ann password='p w' dbname=people")
    'host=db user=ann *** dbname=people'
    """
    url = _URL.fullmatch(text)
    if url is None:
        return _SECRETS.sub("***", text)
    scheme, rest = url.groups()
    head, *options = re.split(r"[?#]", rest, maxsplit=1)
    # An @ behind the options may belong to a password that was not escaped: nothing of it is shown.
    if options and re.search("(?i)@|%40", options[0]):
        head = ""
    place = re.split("(?i)@|%40", head)[-1]
    # What stands where a port should be, and is none, is a password whose host was forgotten.
    place = re.sub(r"^[^/:\[\]]*:(?!\d*(?:/|$))[^/]*", "", place)
    return f"{scheme}://{_SECRETS.sub('***', place)}"


def scrub(message: str, words: Iterable[str]) -> str:
    """Return a message in which words that hold secrets are replaced by what may be shown of them."""
    for word in words:
        shown = without_secrets(word)
        if shown != word:
            for form in (word, repr(word)[1:-1], str(Path(word)), Path(word).name):
                # What may be shown anyway, as a last part without secrets, would be replaced in it again.
                message = message.replace(form, shown) if form and form not in shown else message
    return message


def require_plain(source: str) -> None:
    """Refuse the address of a database that is not written as a URL, and so would be taken for the name of a file.

    Raises:
        ValueError: without a word of it, because it may hold a password.
    """
    if not is_url(source) and without_secrets(source) != source and not _there(source):
        raise InputError(
            "This reads like the address of a database with a password, and is not a URL: write "
            "postgres://host/database, and keep the password in the engine's own file (PGPASSFILE)."
        )


def no_table(path: Path, shown: str, wanted: str, sought: str = "a table") -> ValueError:
    """Return the error that says that a file of this name is not what is sought, and what to pass instead."""
    if path.name.lower().endswith((".duckdb", ".ddb")):
        return InputError(f"{shown} is a DuckDB database: pass duckdb://{shown}?table=NAME, where NAME is its table.")
    return InputError(f"{shown} is not {sought}: pass {wanted}.")


def missing(path: str | Path) -> FileNotFoundError:
    """Return the error that says that a file is not there, or that no file matches a pattern."""
    shown = without_secrets(str(path))
    if "*" in Path(path).name:
        return MissingFileError(f"No file matches {shown}: check the folder and the pattern, and put quotes around it.")
    return MissingFileError(f"The file {shown} does not exist: check its path.")


def file_of(url: str) -> Path | None:
    """Return the file of this machine that a URL names, ``None`` where there is none or it is in memory.

    >>> file_of("duckdb://people.duckdb?table=x"), file_of("postgres://host/d")
    (PosixPath('people.duckdb'), None)
    """
    parts = urlsplit(url)
    if not engine(parts.scheme).in_files:
        return None
    name = parts.netloc + parts.path
    return None if name in ("", ":memory:", "/:memory:") else Path(name)


def _there(source: str) -> bool:
    try:
        return Path(source).exists()
    except OSError:
        return False
