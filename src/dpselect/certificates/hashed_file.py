"""The hash of a file that was read: only where the curator asks for it, because it lets others test a guess."""

from __future__ import annotations

import hashlib
from pathlib import Path

from dpselect.certificates.canonical_json import text
from dpselect.kernel.errors import Advice, InputError
from dpselect.sources.urls import is_url


def hash_of_file(path: str | Path) -> dict[str, str]:
    """Return the name of a file and its SHA-256.

    A reader can test a guess of the whole file: differential privacy does not protect it.

    Raises:
        ValueError: not one plain file.
    """
    if is_url(str(path)) or not Path(path).is_file():
        raise InputError(Advice("{path} is not one plain file: leave out {file_hash}.", path=path))
    with Path(path).open("rb") as file:
        return {"name": text(Path(path).name), "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
