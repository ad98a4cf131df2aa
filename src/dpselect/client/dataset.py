"""One dataset of a server: plans that cost nothing, and releases that are paid for once."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from dpselect._display.html_table import table
from dpselect.client import questions, stream
from dpselect.client.answer import Plan, ServedRelease
from dpselect.client.keys import chosen
from dpselect.client.line import Line, understood
from dpselect.client.problem import NoAnswer
from dpselect.client.questions import EVERY_QUESTION, Question
from dpselect.client.stream import ServedStream
from dpselect.kernel.numbers import Epsilon

# Seconds between two questions whether an answer is there: they grow up to the last.
_POLLS = (0.2, 0.5, 1.0, 2.0, 5.0)


class ServedDataset:
    """A dataset of a server. Get one from :meth:`Server.dataset`.

    Every question takes the arguments of the function of the library that has its name, without those that are public
    facts at the server (bounds, values, groups and persons), and ``key``: what you choose to ask with, such as
    ``"report-2025-age"``. The same key gives the same answer and is paid for once, also from another program. Without
    one, each call is a question of its own.

    Attributes:
        name: the curator's.
        facts: the public facts, as the server says them.

    All questions raise ``BudgetError`` where the dataset, or your share of it, does not allow them, ``ValueError``
    where they are not questions about it, ``ConnectionError`` where there is no answer in time (its message has the key
    to ask with again), and ``PrivacyError`` where a server answers at a higher price than asked.
    """

    def __init__(self, line: Line, facts: Mapping[str, Any], patience: float) -> None:
        self.name, self.facts = str(facts["name"]), facts
        self._line, self._patience = line, patience

    def __repr__(self) -> str:
        return f"ServedDataset({self.name!r}, {self._line.address!r})"

    def _repr_html_(self) -> str:
        return table(self.name, self.facts.items())

    def plan(self, question: str, *arguments: Any, **named: Any) -> Plan:
        """Return what a question would cost and how wrong its answer may be. It costs nothing and reads no row.

        Args:
            question: the name of one of the questions below, such as ``"median"``.
            arguments, named: as it takes them.

        Raises:
            ValueError: it is not a question about this dataset.
            TypeError: it takes other arguments.
        """
        if question == stream.NAME:
            reply = self._line.send("POST", f"{self._path}/streams/plan", stream.opening(*arguments, **named))
            return understood(self._line, lambda: Plan.of(reply.content))
        if question not in EVERY_QUESTION:
            raise ValueError(f"question is one of {', '.join([*EVERY_QUESTION, stream.NAME])}.")
        reply = self._line.send("POST", f"{self._path}/plan", EVERY_QUESTION[question](*arguments, **named))
        return understood(self._line, lambda: Plan.of(reply.content))

    def median(self, *, column: str, epsilon: Epsilon, by: str | None = None, key: str | None = None) -> ServedRelease:
        """Release the median of a column of numbers, of all rows or in each group: as :func:`dpselect.median`."""
        return self._release(questions.median(column=column, epsilon=epsilon, by=by), key)

    def quantiles(
        self,
        q: Iterable[Any] | None = None,
        *,
        p: Iterable[Any] | None = None,
        column: str,
        epsilon: Epsilon,
        by: str | None = None,
        key: str | None = None,
    ) -> ServedRelease:
        """Release several quantiles of a column of numbers, as shares or in per cent: as :func:`dpselect.quantiles`."""
        return self._release(questions.quantiles(q, p=p, column=column, epsilon=epsilon, by=by), key)

    def counts(
        self,
        *,
        epsilon: Epsilon,
        column: str,
        bins: Iterable[float] | None = None,
        by: str | None = None,
        key: str | None = None,
    ) -> ServedRelease:
        """Release a histogram of a column: as :func:`dpselect.counts`."""
        return self._release(questions.counts(epsilon=epsilon, column=column, bins=bins, by=by), key)

    def most_common(self, k: int, *, epsilon: Epsilon, item: str, key: str | None = None) -> ServedRelease:
        """Release the k most common values of a column: as :func:`dpselect.most_common`."""
        return self._release(questions.most_common(k, epsilon=epsilon, item=item), key)

    def select(
        self,
        score: str,
        *,
        epsilon: Epsilon,
        candidate: str,
        of: str | None = None,
        k: int = 1,
        mechanism: str | None = None,
        key: str | None = None,
    ) -> ServedRelease:
        """Release the best of the public values of a column, ``candidate``: as :func:`dpselect.select`.

        The score is ``"largest-count"`` or ``"smallest-count"``, of rows or of different persons, or
        ``"largest-total"`` or ``"smallest-total"`` of the column of numbers ``of``.
        """
        asked = questions.select(score, epsilon=epsilon, candidate=candidate, of=of, k=k, mechanism=mechanism)
        return self._release(asked, key)

    def train(
        self,
        target: str,
        *,
        epsilon: Epsilon,
        features: Iterable[str] | None = None,
        model: str = "tree",
        delta: Epsilon | None = None,
        max_depth: int | None = None,
        rounds: int | None = None,
        interactions: bool | None = None,
        n_trees: int | None = None,
        n_records: int | None = None,
        bins: int | None = None,
        unknown: str | None = None,
        missing: str | None = None,
        key: str | None = None,
    ) -> ServedRelease:
        """Release a model that predicts a column from others; ``.model`` is the estimator of :mod:`dpselect.learn`.

        Args:
            target: the column to be predicted: its public values are classes, or its bounds those of a number.
            epsilon: what the fit may cost.
            features: the columns to learn from; all others where none are named.
            model: ``"tree"``, ``"boosted"``, ``"id3"`` or ``"forest"``; numbers are predicted by the first two.
            delta: for boosted and forest; without it they too spend nothing but epsilon.
            max_depth, rounds, interactions, n_trees, n_records, bins, unknown, missing: as the estimator of this model
                takes them; its own defaults where they are left out.
            key: as for every question.
        """
        asked = questions.train(
            target,
            epsilon=epsilon,
            features=features,
            model=model,
            delta=delta,
            max_depth=max_depth,
            rounds=rounds,
            interactions=interactions,
            n_trees=n_trees,
            n_records=n_records,
            bins=bins,
            unknown=unknown,
            missing=missing,
        )
        return self._release(asked, key)

    def top_k(self, metric: str, k: int, *, epsilon: Epsilon, key: str | None = None) -> ServedRelease:
        """Release the k largest nodes of a graph by a metric, such as ``"degree"``: as :func:`dpselect.top_k`."""
        return self._release(questions.top_k(metric, k, epsilon=epsilon), key)

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

        It is paid for here as a whole, and ends with the server that opened it: what is left then is gone.
        """
        asked, key = stream.opening(threshold, epsilon=epsilon, positives=positives, levels=levels), chosen(key)
        reply = self._line.send("POST", f"{self._path}/streams", asked, key)
        return understood(self._line, lambda: ServedStream(self._line, reply.content, asked, key, self._patience))

    @property
    def _path(self) -> str:
        return f"/datasets/{quote(self.name, safe='')}"

    def _release(self, question: Question, key: str | None) -> ServedRelease:
        key = chosen(key)
        reply, begun = self._line.send("POST", f"{self._path}/release", question, key), time.monotonic()
        number = understood(self._line, lambda: str(reply.content["request"]))
        polls = iter(_POLLS)
        wait = next(polls)
        while reply.status == 202:
            if time.monotonic() - begun > self._patience:
                raise NoAnswer(f"There is no answer yet after {self._patience:g} seconds.", key)
            self._line.sleep(wait)
            wait = next(polls, wait)
            reply = self._line.send("GET", f"/requests/{quote(number, safe='')}", key=key)
        return understood(self._line, lambda: ServedRelease.of(reply.content, question, key))
