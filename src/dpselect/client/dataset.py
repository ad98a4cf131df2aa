"""One dataset of a server: plans that cost nothing, and releases that are paid for once."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, overload
from urllib.parse import quote

from dpselect._display.html_table import table
from dpselect.client import stream
from dpselect.client.answer import AnyQuery, RemoteQuery, plan_of_reply
from dpselect.client.idempotency_keys import key_or_new
from dpselect.client.problem import AnswerLostError
from dpselect.client.stream import ServedStream
from dpselect.client.transport import Transport, parse_reply
from dpselect.dataset import Dataset, DatasetError
from dpselect.kernel.numbers import Epsilon
from dpselect.queries import DatasetMethods, Plan, Query, QueryError
from dpselect.queries.sql.kinds import NO_CONDITION
from dpselect.release.release import Release

T = TypeVar("T")
# Seconds between two questions whether an answer is there: they grow up to the last.
_POLLS = (0.2, 0.5, 1.0, 2.0, 5.0)


class RemoteDataset(DatasetMethods):
    """A dataset of a server, with the methods of :class:`dpselect.queries.LocalDataset`. See :meth:`Server.dataset`.

    Every query is a method: ``data.median("income", epsilon=1)``; ``data.by("region")`` answers in groups, and
    ``data.plan`` prices without spending. Releases are those of a dataset of this machine, and have a ``receipt`` of
    the server. Each call is a request of its own; :meth:`ask` takes a key of yours for scripts that may run again.

    Attributes:
        name: the curator's.
        facts: the public facts, as the server says them.
        description: the same as a description without rows; ``None`` where no description says them.

    All queries raise ``ValueError`` where they are not about the dataset, mostly before anything is sent;
    ``BudgetError`` where the dataset, or your share of it, does not allow them; ``ConnectionError`` where there is no
    answer in time (its message has the key to ask with again); and ``PrivacyError`` where a server answers at a higher
    price than asked.
    """

    def __init__(self, line: Transport, facts: Mapping[str, Any], patience: float) -> None:
        self.name, self.facts = str(facts["name"]), facts
        self._line, self._patience = line, patience
        self.description, self._rule = description_of(facts), str(facts["rule"])

    def __repr__(self) -> str:
        return f"RemoteDataset({self.name!r}, {self._line.address!r})"

    def _repr_html_(self) -> str:
        return table(self.name, self.facts.items())

    def plan_of(self, query: AnyQuery) -> Plan:
        """Return the price and the error of a query, as the server says them. It costs nothing and reads no row.

        Raises:
            ValueError: it is not a query about this dataset.
        """
        asked = self.read(query)
        reply = self._line.send("POST", f"{self._path}/plan", asked.content)
        return parse_reply(self._line, lambda: asked.plan(reply.content))

    @overload
    def ask(self, query: Query[T], *, key: str | None = None) -> Release[T]: ...
    @overload
    def ask(self, query: Mapping[str, Any], *, key: str | None = None) -> Release[Any]: ...

    def ask(self, query: AnyQuery, *, key: str | None = None) -> Release[Any]:
        """Return the release that answers a query, with the certificate of the server.

        Args:
            query: of any class, also one that only you and the server have; or its JSON, such as
                ``{"query": "median", "column": "income", "epsilon": 1}``.
            key: what you choose to ask with, such as ``"report-2025-income"``: the same key gives the same answer and
                is paid for once, also from another program. A new one unless it is passed.
        """
        asked, key = self.read(query), key_or_new(key)
        try:
            content = self._wait_for_answer(asked.content, key)
        except AnswerLostError as lost:
            raise AnswerLostError(lost.why, key, "ask(query, key={!r})") from None
        return parse_reply(self._line, lambda: asked.release(content, key))

    def subset(self, where: str | None) -> RemoteDataset:
        """Return this dataset; a condition beside its description is refused (``QueryError``)."""
        if where is not None:
            raise QueryError(NO_CONDITION)
        return self

    def read(self, query: AnyQuery) -> RemoteQuery:
        """Return a query as it is sent here (``ValueError``: it is not about this dataset)."""
        return RemoteQuery.of(query, self.description, self._rule)

    def above_threshold(
        self,
        threshold: int | None,
        *,
        epsilon: Epsilon,
        positives: int = 1,
        levels: Sequence[tuple[Epsilon, Epsilon]] = (),
        key: str | None = None,
    ) -> ServedStream:
        """Open a stream of questions whether counts of rows are above a threshold: as :func:`dpselect.above_threshold`.

        It is paid for here as a whole, and ends with the server that opened it: what is left then is gone. The same
        ``key`` gives the same stream and is paid for once.
        """
        asked, key = stream.opening(threshold, epsilon=epsilon, positives=positives, levels=levels), key_or_new(key)
        reply = self._line.send("POST", f"{self._path}/streams", asked, key)
        return parse_reply(self._line, lambda: ServedStream(self._line, reply.content, asked, key, self._patience))

    def plan_above_threshold(
        self,
        threshold: int | None,
        *,
        epsilon: Epsilon,
        positives: int = 1,
        levels: Sequence[tuple[Epsilon, Epsilon]] = (),
        questions: int = 100,
    ) -> Plan:
        """Return the price of a stream and the error of so many answers, as the server says them. It costs nothing."""
        asked = stream.opening(threshold, epsilon=epsilon, positives=positives, levels=levels, questions=questions)
        reply = self._line.send("POST", f"{self._path}/streams/plan", asked)
        return parse_reply(self._line, lambda: plan_of_reply(reply.content))

    @property
    def _path(self) -> str:
        return f"/datasets/{quote(self.name, safe='')}"

    def _wait_for_answer(self, query: Mapping[str, Any], key: str) -> Any:
        """Return the reply with an answer, which is waited for."""
        reply, begun = self._line.send("POST", f"{self._path}/release", query, key), time.monotonic()
        number = parse_reply(self._line, lambda: str(reply.content["request"]))
        polls = iter(_POLLS)
        wait = next(polls)
        while reply.status == 202:
            if time.monotonic() - begun > self._patience:
                raise AnswerLostError(f"The answer has not come after {self._patience:g} seconds.", key)
            self._line.sleep(wait)
            wait = next(polls, wait)
            reply = self._line.send("GET", f"/requests/{quote(number, safe='')}", key=key)
        return reply.content


def description_of(facts: Mapping[str, Any]) -> Dataset | None:
    """Return a description without rows; ``None`` where no description says what the facts do.

    Of the server's own description it lacks the place of the rows and the name of the column of persons, neither of
    which is public, and so its digest.

    Args:
        facts: as a server lists them.

    >>> description_of({"columns": {"job": ["nurse", "smith"]}, "rows_per_person": None}).groups("job")
    ('nurse', 'smith')
    >>> description_of({"nodes": 40, "max_degree": 7}).max_degree
    7
    """
    said: dict[str, Any]
    if "columns" in facts:
        said = {"source": "server.csv", "columns": facts["columns"]}
        if facts["rows_per_person"] is not None:
            # No column has this name.
            person = f"_{max(facts['columns'], key=len)}"
            said |= {"person": person, "rows_per_person": facts["rows_per_person"]}
    else:
        said = {"graph": "server.txt", "nodes": facts["nodes"], "max_degree": facts["max_degree"]}
    try:
        return Dataset(**said)
    except DatasetError:
        return None
