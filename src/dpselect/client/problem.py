"""Refusals in Python: the server's one sentence, as the error that the library would raise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpselect.kernel.errors import BudgetError, DPSelectError, InputError, LostConnectionError, PrivacyError

_BUDGET = 403
# What a problem calls a claim that would be false; its status is that of what is wrong.
_PRIVACY = "PrivacyError"
# So many signs of a server's words are shown.
_MOST = 1000
# A question, a name or a key that is wrong.
_WRONG = frozenset({400, 404, 405, 409, 411, 413, 414, 415, 422})
# It was paid for and failed, which stands; the sentence asks to tell the curator its number.
_FAILED_STATUS = 424
# The server, or a proxy before it, may well answer the same request later.
LATER = frozenset({408, 429, 500, 502, 503, 504})


class AnswerLostError(DPSelectError, ConnectionError):
    """An answer that has not come, or was lost on the way: the same key asks for it again, and nothing is paid twice.

    Attributes:
        why: in one sentence.
        key: what it was asked with.
    """

    def __init__(self, why: str, key: str, call: str = "key={!r}") -> None:
        super().__init__(f"{why} Nothing is paid twice if you ask again with {call.format(key)}.")
        self.why, self.key = why, key


def error_of(status: int, content: Any) -> Exception:
    """Return the error of a reply that is not an answer.

    Args:
        status: of the reply.
        content: what it holds as JSON, or ``None`` where it is not JSON.

    >>> error_of(403, {"detail": "Your share does not allow this."})
    BudgetError('Your share does not allow this.')
    >>> error_of(422, {"detail": "No public list names the groups.", "error": "PrivacyError"})
    PrivacyError('No public list names the groups.')
    >>> error_of(502, None)
    LostConnectionError('The server cannot answer now (status 502).')
    """
    said = sentence(content)
    if status == _BUDGET and said:
        return BudgetError(said)
    if status in _WRONG and said:
        return PrivacyError(said) if content.get("error") == _PRIVACY else InputError(said)
    if 300 <= status < 400:
        return LostConnectionError(
            "The server sends requests elsewhere, which is not followed: connect to where it is."
        )
    if status == _FAILED_STATUS and said:
        return LostConnectionError(f"{said} It is {printable(str(content.get('request')))}.")
    return LostConnectionError(said or f"The server cannot answer now (status {status}).")


def sentence(content: Any) -> str:
    """Return what a problem says; of several mistakes in a request, the first. No sign of it steers a terminal."""
    return printable(_words(content))


def printable(text: str) -> str:
    r"""Return words of a server: what would steer a terminal is spelled out, the end of long ones left out.

    >>> printable("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    shown = "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text[:_MOST])
    return f"{shown}..." if len(text) > _MOST else shown


def _words(content: Any) -> str:
    if not isinstance(content, Mapping):
        return ""
    errors, said = content.get("errors"), str(content.get("detail", ""))
    if isinstance(errors, list) and errors and isinstance(errors[0], Mapping):
        place, words = str(errors[0].get("where", "")).rpartition(".")[2], str(errors[0].get("sentence", ""))
        return words if words.startswith(f"{place} ") else f"{place}: {words}"
    return said
