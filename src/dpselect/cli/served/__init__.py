"""Datasets of servers: ``https://host/survey`` in the place of a description asks there, where rows and ledger are."""

from __future__ import annotations

import re

from dpselect.kernel.errors import InputError

_ADDRESS = re.compile("(?i)https?://[^/]*/*")
# As servers have them: without a dot, which files of the web have.
_NAME = re.compile("[a-z0-9][a-z0-9_-]{0,62}")
_NOT_ONE = (
    "A dataset of a server is like https://dp.example.org/survey, without user, password, query or fragment: check it, "
    "or list yours by dpselect datasets https://dp.example.org."
)


def is_served(dataset: object) -> bool:
    """Return whether a dataset is that of a server, and not a file of this machine or of the web.

    >>> [is_served(each) for each in ("https://dp.example.org/survey", "https://example.org/survey.csv", "survey.toml")]
    [True, False, False]
    """
    host = _ADDRESS.match(str(dataset))
    return host is not None and "." not in re.split("[?#]", str(dataset)[host.end() :])[0].rpartition("/")[2]


def place_of(dataset: str) -> tuple[str, str]:
    """Return the address of a server and the name of its dataset.

    Raises:
        ValueError: there is no name; the message does not quote what may hold a token.

    >>> place_of("https://dp.example.org/survey")
    ('https://dp.example.org', 'survey')
    """
    server, _, name = dataset.rpartition("/")
    if _ADDRESS.match(f"{server}/") is None or server.endswith("/") or not _NAME.fullmatch(name):
        raise InputError(_NOT_ONE)
    return server, name
