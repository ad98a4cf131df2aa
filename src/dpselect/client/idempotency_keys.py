"""Names of requests that no other request has. No answer to a question about data comes from here."""

from __future__ import annotations

import re
from uuid import uuid4

from dpselect.kernel.errors import InputError

_KEY = re.compile(r"[!-~]{1,200}")


def key_or_new(key: str | None) -> str:
    """Return the idempotency key of a request: the given one, or for ``None`` a new one.

    Raises:
        ValueError: a header cannot hold it.
    """
    if key is None:
        return str(uuid4())
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise InputError("key is at most 200 signs of ASCII without spaces.")
    return key
