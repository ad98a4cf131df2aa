"""Files at http(s) addresses: fetched once, when they are first read, and read like any other file.

Nothing is fetched that was not named. The copy is kept for as long as the process lives, so that everything that is
read from one address is read from one state of it.
"""

from __future__ import annotations

import atexit
import re
import threading
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from dpselect.kernel.errors import InputError, LostConnectionError
from dpselect.sources.urls import is_url, without_secrets

ENDINGS = (
    ".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz", ".jsonl", ".jsonl.gz", ".ndjson", ".xlsx", ".ods",
    ".parquet", ".feather", ".arrow", ".sav", ".zsav", ".dta", ".tdt",
    ".edges", ".edges.gz", ".mtx", ".mtx.gz", ".net", ".gml", ".graphml", ".gexf",
)  # fmt: skip
# Larger files are read where they are, after a download that the curator watches.
LARGEST = 2**30
_SECONDS, _BLOCK = 60, 2**20
_ADDRESS = re.compile("(?i)https?://")

_copies: dict[str, Path] = {}
_one_at_a_time = threading.Lock()


def is_web(source: Any) -> bool:
    """Return whether this is the address of a file, and not that of a database.

    >>> is_web("https://host/people.csv"), is_web("postgres://host/people"), is_web("people.csv")
    (True, False, False)
    """
    return isinstance(source, str) and _ADDRESS.match(source) is not None


def is_database(source: Any) -> bool:
    """Return whether this is the address of a database.

    >>> is_database("https://host/people.csv"), is_database("postgres://host/people"), is_database("people.csv")
    (False, True, False)
    """
    return is_url(source) and not is_web(source)


def local(path: str | Path) -> Path:
    """Return the path of a file, of an address that of its copy on this machine.

    Raises:
        ValueError: an address that names no table, holds a password, or leads to more than 1 GiB.
        ConnectionError: nothing could be fetched.
    """
    if not isinstance(path, str) or not is_web(path):
        return Path(path)
    with _one_at_a_time:
        if path not in _copies:
            _copies[path] = _fetch(path, _name(path))
        return _copies[path]


def _name(url: str) -> str:
    """Return what the file is called: the end of the address."""
    shown, parts = without_secrets(url), urlsplit(url)
    if "@" in parts.netloc:
        raise InputError(f"{shown} is given with a user or a password, which are not sent: download the file first.")
    # The copy is written into a folder of its own: no part of its name may lead out of it.
    name = re.sub(r"[/\\\0]", "_", unquote(parts.path.rpartition("/")[2]))
    if not name.lower().endswith(ENDINGS):
        *most, last = ENDINGS
        raise InputError(
            f"{shown} does not end in {', '.join(most)} or {last}: name the address of a table, or download it first."
        )
    return name


def _fetch(url: str, name: str) -> Path:
    import shutil
    import tempfile
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError

    folder = tempfile.mkdtemp(prefix="dpselect-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path, shown = Path(folder) / name, without_secrets(url)
    try:
        _copy(url, path, shown)
    except HTTPError as error:
        error.close()
        raise LostConnectionError(f"{shown} could not be fetched: the server answers {error.code}.") from None
    except (URLError, HTTPException, OSError) as error:
        reason = getattr(error, "reason", error)
        kind = type(reason).__name__ if isinstance(reason, BaseException) else "no connection"
        raise LostConnectionError(
            f"{shown} could not be fetched ({kind}): check the address, or download the file first."
        ) from None
    return path


def _copy(url: str, path: Path, shown: str) -> None:
    from urllib.request import Request, build_opener

    size = 0
    request = Request(url, headers={"User-Agent": "dpselect", "Accept-Encoding": "identity"})
    with build_opener(_redirects()).open(request, timeout=_SECONDS) as answer, path.open("wb") as file:
        while block := answer.read(_BLOCK):
            size += len(block)
            if size > LARGEST:
                raise InputError(f"{shown} holds more than {LARGEST:,} bytes: download it, and read it in place.")
            file.write(block)
        promised = answer.headers.get("Content-Length")
    if promised is not None and promised.isdigit() and int(promised) != size:
        raise LostConnectionError("incomplete")


def _redirects() -> Any:
    """Return what follows redirects, but from https to https only."""
    from urllib.error import URLError
    from urllib.request import HTTPRedirectHandler

    class Redirects(HTTPRedirectHandler):
        def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
            if not is_web(newurl) or (req.full_url.lower().startswith("https:") and newurl.lower().startswith("http:")):
                fp.close()
                raise URLError("a redirect")
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    return Redirects
