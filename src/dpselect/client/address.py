"""The address of a server, which a token may be sent to."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from dpselect.kernel.errors import InputError

_NOT_ONE = "A server's address is like https://dp.example.org, without user, password, query or fragment: check it."


def require_address(url: str, plain: bool) -> str:
    """Return the address of a server without a slash at its end.

    Args:
        url: ``https://``, or ``http://`` on this machine.
        plain: allow ``http://`` to any machine.

    Raises:
        ValueError: it is not such an address; the message does not quote it.

    >>> require_address("https://dp.example.org/", False), require_address("http://localhost:8440", False)
    ('https://dp.example.org', 'http://localhost:8440')
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except (ValueError, AttributeError, TypeError):
        raise InputError(_NOT_ONE) from None
    odd = parts.scheme not in ("http", "https") or not host or "@" in parts.netloc or parts.query or parts.fragment
    if odd or not url.isascii() or not url.isprintable() or " " in url:
        raise InputError(_NOT_ONE)
    if parts.scheme == "http" and not plain and not is_here(host):
        raise InputError(
            "Over http:// everybody on the way can read the token and the answers: use https://, or pass plain=True."
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def is_here(host: str) -> bool:
    """Return whether a host is this machine, so that nothing leaves it.

    >>> [is_here(host) for host in ("localhost", "127.0.0.1", "::1", "localhost.example.org")]
    [True, True, True, False]
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
