"""A stream of questions at a server: paid for once, and asked as a stream of the library is."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any
from urllib.parse import quote

from dpselect._display.html_table import table
from dpselect.client.answer import guarantee_of
from dpselect.client.idempotency_keys import key_or_new
from dpselect.client.problem import AnswerLostError
from dpselect.client.transport import Transport, parse_reply
from dpselect.kernel.errors import PrivacyError
from dpselect.kernel.format_exact import format_exact
from dpselect.kernel.numbers import Epsilon, exact_epsilon, whole
from dpselect.release.sparse_vector import ThresholdAnswer
from dpselect.release.threshold_bound import ThresholdBound
from dpselect.release.threshold_rules import ThresholdRules, threshold_rules

NAME = "above_threshold"
_STREAM_ENDED = (
    "This stream has ended and answers nothing more: ask further questions of a new one, which is a spend of its own."
)
# Seconds before a query that takes long is sent again with its key.
_POLL = 0.5


def opening(
    threshold: int | None,
    *,
    epsilon: Epsilon,
    positives: int = 1,
    levels: Sequence[tuple[Epsilon, Epsilon]] = (),
    questions: int = 100,
) -> dict[str, Any]:
    """Return what a server is asked to open: the arguments of :func:`dpselect.above_threshold`.

    Args:
        threshold, epsilon, positives, levels: as there.
        questions: how many a plan says something of.
    """
    return {
        "epsilon": format_exact(exact_epsilon(epsilon)),
        "positives": whole(positives, "positives", "how many questions may be answered above at the full price"),
        "threshold": threshold,
        "levels": [[margin, float(share)] for margin, share in levels],
        "queries": whole(questions, "questions", "how many questions are counted"),
    }


class ServedStream:
    """Questions against a secretly raised threshold at a server, until the answers above have used up what was paid.

    Get one from :meth:`RemoteDataset.above_threshold`. Names are those of
    :class:`dpselect.release.sparse_vector.SparseVector`; a question is a condition that rows are counted by, instead of
    a value. As a context manager it ends with its block.

    Attributes:
        stream: its number at the server.
        key: what it was opened with; the same key gives the same stream and is paid for once.
        rules: everything that is public about it.
        ledger_row: of the dataset's ledger, the one that paid for it.
    """

    def __init__(
        self, line: Transport, content: Mapping[str, Any], asked: Mapping[str, Any], key: str, patience: float
    ) -> None:
        self._line, self._patience, self.key, self.stream = line, patience, key, str(content["stream"])
        guarantee = guarantee_of(content["guarantee"])
        if guarantee.epsilon > Fraction(asked["epsilon"]):
            raise PrivacyError(
                f"The server promises epsilon {format_exact(guarantee.epsilon)} where {asked['epsilon']} was asked "
                "for: tell its curator, and publish nothing of it."
            )
        self.rules = _rules(asked, str(guarantee.neighbours.value))
        self.ledger_row = int(content["ledger_row"])
        self._left = Fraction(content["remaining"] or 0)
        self._ended = bool(content["state"] == "ended")

    @property
    def remaining_epsilon(self) -> Fraction:
        """Return the epsilon that is left for answers above."""
        return self._left

    @property
    def has_ended(self) -> bool:
        """Return whether nothing more will be answered, as far as the server has said."""
        return self._ended

    def ask(
        self, where: Mapping[str, Any] | None = None, threshold: int | None = None, *, key: str | None = None
    ) -> ThresholdAnswer:
        """Answer whether the rows that fulfil a condition, or the persons with such a row, are above a threshold.

        Args:
            where: public: for each column one of its values, a list of them, or ``{"lower": 18, "upper": 65}`` of
                numbers, both included; every column must fit. Without one all rows count.
            threshold: public; that of the stream unless it is passed.
            key: what to ask with; the same key gives the same answer, also after the end of the stream.

        Raises:
            PrivacyError: the stream has ended, or no threshold is known.
            BudgetError: the dataset is paused; nothing was used up.
            ValueError: not a query of this dataset, or the key was used for another one.
            ConnectionError: there is no answer in time, or rows could not be read, which ended the stream.
        """
        if self._ended and key is None:
            raise PrivacyError(_STREAM_ENDED)
        if threshold is None and self.rules.line is None:
            raise PrivacyError("The threshold is public and has to be named: pass threshold=.")
        key = key_or_new(key)
        content = self._send_query({"where": dict(where or {}), "threshold": threshold}, key)
        return parse_reply(self._line, lambda: self._read(content))

    def _send_query(self, query: Mapping[str, Any], key: str) -> Any:
        begun = time.monotonic()
        while True:
            try:
                reply = self._line.send("POST", f"{self._path}/queries", query, key)
            except PrivacyError:
                # There are no further answers.
                self._ended = True
                raise
            if reply.status != 202:
                return reply.content
            if time.monotonic() - begun > self._patience:
                raise AnswerLostError(f"The answer has not come after {self._patience:g} seconds.", key)
            self._line.sleep(_POLL)

    def _read(self, content: Mapping[str, Any]) -> ThresholdAnswer:
        answer = ThresholdAnswer(bool(content["above"]), content["level"], content["gap"], Fraction(content["paid"]))
        # An answer that is given again tells of an earlier moment.
        self._left = min(self._left, Fraction(content["remaining"]))
        self._ended = self._ended or bool(content["ended"])
        return answer

    def error_bound(self, questions: int) -> ThresholdBound:
        """Return how far from the threshold answers are right: as :func:`dpselect.accuracy.threshold_bound`."""
        return ThresholdBound(self.rules, questions)

    def transcript(self) -> list[Mapping[str, Any]]:
        """Return what was asked and answered so far, in order, as the server has it: query and answer.

        Raises:
            ConnectionError: the server does not answer.
        """
        listed: list[Mapping[str, Any]] = []
        while True:
            reply = self._line.send("GET", f"{self._path}?after={len(listed)}")
            before = len(listed)
            parse_reply(self._line, partial(_extend, listed, reply.content))
            if len(listed) == before:
                return listed

    def end(self) -> None:
        """Answer nothing more; what is left is not given back.

        Raises:
            ConnectionError: the server does not answer.
        """
        if not self._ended:
            self._line.send("DELETE", self._path)
            self._ended = True

    @property
    def _path(self) -> str:
        return f"/streams/{quote(self.stream, safe='')}"

    def __enter__(self) -> ServedStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def __repr__(self) -> str:
        state = "ended" if self._ended else f"remaining={self._left}"
        return f"ServedStream({self.rules.guarantee}, {state})"

    def _repr_html_(self) -> str:
        rows = [("remaining", format_exact(self._left)), ("ended", str(self._ended))]
        return table("ServedStream", [*rows, *self.rules.guarantee.in_words()])


def _extend(listed: list[Mapping[str, Any]], content: Mapping[str, Any]) -> None:
    listed += content["queries"]


def _rules(asked: Mapping[str, Any], neighbours: str) -> ThresholdRules:
    """Return the rules that a server gives to a stream of counts."""
    rules = threshold_rules(
        Fraction(asked["epsilon"]),
        positives=asked["positives"],
        sensitivity=1,
        kind="integer",
        range_bound=1,
        neighbours=neighbours,
        levels=asked["levels"],
        share=None,
    )
    line = asked["threshold"]
    return rules if line is None else replace(rules, line=rules.threshold_ticks(line))
