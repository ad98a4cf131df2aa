"""Requests to one server and what comes back; what is lost on the way is asked for again with the same key."""

from __future__ import annotations

import json
import re
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import Any, TypeVar
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request, build_opener

from dpselect._version import VERSION
from dpselect.client.address import require_address
from dpselect.client.problem import LATER, AnswerLostError, error_of
from dpselect.kernel.errors import InputError, InputTypeError, LostConnectionError, PrivacyError

# Seconds between one attempt and the next.
WAITS = (0.2, 0.5, 1.0, 2.0, 4.0)
# How long one attempt may take, in seconds, and how long a reply may be, in bytes.
_ATTEMPT, _MOST = 60.0, 2**28
# The longest wait that a server may ask for, in seconds.
_LONGEST = 60.0
_Read = TypeVar("_Read")
_SECRET = re.compile(r"[!-~]{8,8192}")


@dataclass(frozen=True)
class Reply:
    """A reply of the server.

    Attributes:
        status: of HTTP.
        content: as JSON values.
        wait: after how many seconds to ask again, where the server says so.
    """

    status: int
    content: Any
    wait: float | None


class Transport:
    """A way to one server. The token goes to no other address, and is in no text that this writes.

    Args:
        url: of the server.
        token: of the user.
        authority: a file of certificates to trust instead of the machine's.
        plain: allow http:// to another machine.
        sleep: waits between attempts.

    Raises:
        ValueError: the address or the token is not one; neither is quoted.
        OSError: the file of certificates cannot be read.
    """

    def __init__(
        self,
        url: str,
        token: str,
        authority: str | Path | None = None,
        plain: bool = False,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.address = require_address(url, plain)
        self.sleep = sleep
        if not isinstance(token, str) or not _SECRET.fullmatch(token.strip()):
            raise InputError("This is not a token: pass the text that was shown when it was made.")
        self._token = token.strip()
        self._opener = _opener(self.address, authority)

    def __repr__(self) -> str:
        return f"Transport({self.address!r})"

    def __reduce__(self) -> Any:
        raise InputTypeError("A connection holds a token and is not stored: connect again where it is needed.")

    def send(self, method: str, path: str, body: Mapping[str, Any] | None = None, key: str | None = None) -> Reply:
        """Return the reply to a request, which is sent again a few times where none comes.

        Args:
            method: of HTTP.
            path: below the address.
            body: sent as JSON.
            key: the same for all attempts, so that the server pays once.

        Raises:
            BudgetError, ValueError: the server refuses it, in its words.
            ConnectionError: there is no reply, or none that a server of dpselect sends.
        """
        for wait in (*WAITS, None):
            try:
                reply = self._attempt(method, path, body, key)
            except (OSError, HTTPException) as error:
                lost: Exception = self._connection_error(error)
                asked = None
            else:
                if reply.status < 300:
                    return reply
                lost, asked = error_of(reply.status, reply.content), reply.wait
                if reply.status not in LATER:
                    raise lost
            if wait is None or (asked or 0) > _LONGEST:
                raise LostConnectionError(str(lost)) if key is None else AnswerLostError(str(lost), key)
            self.sleep(max(wait, asked or 0))
        raise AssertionError

    def _attempt(self, method: str, path: str, body: Mapping[str, Any] | None, key: str | None) -> Reply:
        headers = {"Authorization": f"Bearer {self._token}", "User-Agent": f"dpselect/{VERSION}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if key is not None:
            headers["Idempotency-Key"] = key
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        request = Request(f"{self.address}{path}", data, headers, method=method)
        try:
            with self._opener.open(request, timeout=_ATTEMPT) as answer:
                return _read(answer.status, answer, self._token)
        except HTTPError as answer:
            with answer:
                return _read(answer.code, answer, self._token)

    def _connection_error(self, error: Exception) -> ConnectionError:
        reason = error.reason if isinstance(error, URLError) else error
        if isinstance(reason, ssl.SSLCertVerificationError):
            raise LostConnectionError(
                f"The certificate of {self.address} is not trusted here: pass authority= with the file of yours."
            ) from None
        words = getattr(reason, "strerror", None) or type(reason).__name__
        return LostConnectionError(f"{self.address} does not reply ({words}).")


def parse_reply(line: Transport, read: Callable[[], _Read]) -> _Read:
    """Return what a reply says, or refuse one that no server of dpselect sends (``ConnectionError``)."""
    try:
        return read()
    except PrivacyError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise LostConnectionError(
            f"{line.address} does not answer as a dpselect server of this version does."
        ) from None


def _read(status: int, answer: Any, token: str) -> Reply:
    if status == 204:
        return Reply(status, None, None)
    # What a server may say of a token is not shown.
    content = answer.read(_MOST).replace(token.encode(), b"***")
    try:
        values = json.loads(content, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        if status < 300:
            raise ConnectionAbortedError(None, "what came back is not that of a dpselect server") from None
        values = None
    asked = str(answer.headers.get("Retry-After", ""))
    return Reply(status, values, float(asked) if asked.isascii() and asked.isdigit() else None)


def _refuse_constant(_: str) -> None:
    raise InputError("JSON has no such number.")


class _NoRedirects(HTTPRedirectHandler):
    """Follows no redirection: the token is for one address."""

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: HTTPMessage, newurl: str) -> None:
        """Return no request."""


def _opener(address: str, authority: str | Path | None) -> OpenerDirector:
    if address.startswith("http://"):
        # What is not encrypted is not shown to others, so not to a proxy.
        return build_opener(_NoRedirects(), ProxyHandler({}))
    context = ssl.create_default_context(cafile=None if authority is None else str(authority))
    return build_opener(_NoRedirects(), HTTPSHandler(context=context))
