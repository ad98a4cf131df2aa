"""A server as its analysts see it: which datasets there are for them, and what was asked before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dpselect.client.amounts import amount
from dpselect.client.answer import RemoteQuery
from dpselect.client.dataset import RemoteDataset
from dpselect.client.transport import Transport, parse_reply
from dpselect.kernel.errors import InputError, LostConnectionError
from dpselect.release.release import Release


@dataclass(frozen=True)
class DatasetEntry:
    """A dataset in a list.

    Attributes:
        name, about: the curator's words.
        paused: whether it answers no request now.
        released: what is left of what is released: epsilon and delta, or rho.
        share: what is left of yours; ``None`` for curators.
    """

    name: str
    about: str
    paused: bool
    released: Mapping[str, Fraction]
    share: Mapping[str, Fraction] | None

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> DatasetEntry:
        """Return the dataset in a reply."""
        left = {whose: {name: amount(most) for name, most in each.items()} for whose, each in content["left"].items()}
        return cls(content["name"], content["about"], bool(content["paused"]), left["released"], left.get("share"))


class Server:
    """A server that answers. Get one from :func:`dpselect.connect`."""

    def __init__(self, line: Transport, patience: float) -> None:
        self._line, self._patience = line, patience

    def __repr__(self) -> str:
        return f"Server({self._line.address!r})"

    def datasets(self) -> list[DatasetEntry]:
        """Return the datasets that you may ask about, with what is left of them.

        Raises:
            ConnectionError: the server does not answer, or knows no such token.
        """
        reply = self._line.send("GET", "/datasets")
        return parse_reply(self._line, lambda: [DatasetEntry.of(each) for each in reply.content])

    def dataset(self, name: str) -> RemoteDataset:
        """Return a dataset to ask, with its public facts.

        Raises:
            ValueError: there is no such dataset, or none for you.
            ConnectionError: as :meth:`datasets`.
        """
        if not name:
            raise InputError("Name a dataset: .datasets() lists yours.")
        reply = self._line.send("GET", f"/datasets/{quote(name, safe='')}")
        return parse_reply(self._line, lambda: RemoteDataset(self._line, reply.content, self._patience))

    def history(self) -> list[Mapping[str, Any]]:
        """Return what you asked, newest first: request, dataset, query, state, ledger_row and when it was asked.

        Raises:
            ConnectionError: as :meth:`datasets`.
        """
        reply = self._line.send("GET", "/history")
        return parse_reply(self._line, lambda: [dict(each) for each in reply.content])

    def answer(self, request: str) -> Release[Any]:
        """Return the answer to a query that was asked before, by its number in the history. It costs nothing.

        Raises:
            ValueError: there is no such request, or none of yours.
            BudgetError: it was refused, and nothing was spent.
            ConnectionError: there is no answer yet; else as :meth:`datasets`.
        """
        asked = [each for each in self.history() if each.get("request") == request]
        if not asked:
            raise InputError("This request does not exist, or is not yours: .history() lists yours.")
        reply = self._line.send("GET", f"/requests/{quote(request, safe='')}")
        if reply.status == 202:
            raise LostConnectionError("The answer has not come yet: ask for it again in a while.")
        query = self._remote_query(asked[0])
        return parse_reply(self._line, lambda: query.release(reply.content, None))

    def _remote_query(self, asked: Mapping[str, Any]) -> RemoteQuery:
        """Return what was asked; without types where the dataset is another one now, or nobody's."""
        name, query = parse_reply(self._line, lambda: (str(asked["dataset"]), dict(asked["query"])))
        try:
            return self.dataset(name).read(query)
        except ValueError:
            return RemoteQuery(query)


def connect(
    url: str, token: str, *, authority: str | Path | None = None, plain: bool = False, timeout: float = 600
) -> Server:
    """Return a client of a ``dpselect serve`` server; nothing is sent yet.

    A reply that is lost is asked for again with the same key, a few times, so that nothing is paid twice. No
    redirection is followed, and the token is in no text, log or error.

    Args:
        url: of the server: ``https://``, whose certificate is checked, or ``http://`` on this machine.
        token: what the curator gave you.
        authority: a file of certificates to trust instead of those of this machine, in PEM.
        plain: allow ``http://`` to another machine: everybody on the way can then read the token and the answers.
        timeout: how many seconds to wait for an answer that is queued.

    Raises:
        ValueError: the address or the token is not one; neither is quoted.
        OSError: the file of certificates cannot be read.

    >>> import dpselect as dps
    >>> dps.connect("https://dp.example.org", "a-made-up-token")
    Server('https://dp.example.org')
    >>> dps.connect("http://dp.example.org", "a-made-up-token")
    Traceback (most recent call last):
    ...
    dpselect.kernel.errors.InputError: Over http:// everybody on the way can read ...: use https://, or pass plain=True.
    """
    return Server(Transport(url, token, authority, plain), timeout)
