"""The first page: a page of this explorer, which a colleague may have named by the address of theirs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from dpselect.kernel.errors import InputError
from dpselect.web.explorer.explorer_page import Page

# An address as browsers show it, with the machine and the port of its sender.
_WHOLE = re.compile(r"((https?:)?//[^/?#]*|(localhost|127\.0\.0\.1)(:\d+)?(?=[/?#]|$))", re.IGNORECASE)


def within(text: str, pages: Sequence[Page]) -> str:
    """Return the page and its values that an address names, whoever's explorer it is of.

    Args:
        text: such as "/top-k?epsilon=2", "top-k", or an address that a browser shows.
        pages: that there are.

    Raises:
        ValueError: there is no such page.

    >>> within("http://127.0.0.1:4242/top-k?epsilon=2#commands", [Page("top-k", "Top k", "Who?")])
    '/top-k?epsilon=2'
    """
    given = text.strip()
    if named := _WHOLE.match(given):
        given = given[named.end() :]
    parts = urlsplit(f"/{given.lstrip('/')}")
    path = parts.path.strip("/")
    if path and path not in {page.path for page in pages}:
        known = ", ".join(f"/{page.path}" for page in pages)
        raise InputError(f"The explorer has no such page: --at is one of /, {known}, with or without values behind it.")
    return f"/{path}" + (f"?{parts.query}" if parts.query else "")
