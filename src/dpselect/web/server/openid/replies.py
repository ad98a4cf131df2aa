"""Short replies of an OpenID provider, over HTTP: a time, a size, and no other address than the one that was asked."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Mapping
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Timer
from typing import Any
from urllib.parse import urlencode, urlsplit

from dpselect._version import VERSION
from dpselect.kernel.errors import DPSelectError

# How long a reply may take in all, in seconds, and how long it may be, in bytes.
SECONDS, BYTES = 5.0, 2**18


class ProviderError(DPSelectError):
    """The provider gives no answer that can be used. The message quotes nothing of a reply."""


def ask(
    address: str,
    form: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    seconds: float = SECONDS,
) -> dict[str, Any]:
    """Return the JSON object that an address replies with. No redirection is followed, and no proxy is asked.

    Args:
        address: which was checked.
        form: sent by POST, if any.
        headers: sent as well.
        seconds: in all, connecting included.

    Raises:
        ProviderError: there is no such reply in time.
    """
    parts = urlsplit(address)
    kind: type[HTTPConnection] = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=seconds)
    # A reply that comes byte by byte keeps each read short, and the clock ends it all the same.
    clock = Timer(seconds, _cut, (connection,))
    clock.daemon = True
    sent = {"Accept": "application/json", "User-Agent": f"dpselect/{VERSION}", **(headers or {})}
    body = None if form is None else urlencode(form)
    if body is not None:
        sent["Content-Type"] = "application/x-www-form-urlencoded"
    clock.start()
    try:
        with closing(connection):
            connection.request("GET" if body is None else "POST", parts.path or "/", body, sent)
            with connection.getresponse() as reply:
                status, content = reply.status, reply.read(BYTES + 1)
    except ssl.SSLCertVerificationError:
        raise ProviderError("the certificate of the provider is not trusted by this machine") from None
    except (OSError, HTTPException, ValueError, AttributeError) as error:
        # When the clock ends it, the connection goes in the midst of whatever was done with it.
        raise ProviderError(f"the provider does not answer ({type(error).__name__})") from None
    finally:
        clock.cancel()
    return _content(status, content)


def _cut(connection: HTTPConnection) -> None:
    held = connection.sock
    if held is not None:
        with suppress(OSError):
            held.shutdown(socket.SHUT_RDWR)


def _content(status: int, content: bytes) -> dict[str, Any]:
    if status != 200:
        raise ProviderError(f"the provider answers with status {status}")
    if len(content) > BYTES:
        raise ProviderError("the reply of the provider is too long")
    try:
        result = json.loads(content)
    except (ValueError, RecursionError):
        raise ProviderError("the reply of the provider is not JSON") from None
    if not isinstance(result, dict):
        raise ProviderError("the reply of the provider is not an object of JSON")
    return result
