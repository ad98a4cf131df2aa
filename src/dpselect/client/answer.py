"""What a server answers: a plan, or a release with its promise and its certificate."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpselect._display.html_table import table
from dpselect.certificates.certificate import Certificate
from dpselect.client.amounts import amount
from dpselect.client.certificate_bound import error_bound_of
from dpselect.kernel.errors import PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.mechanisms.error_bound import ErrorBound


@dataclass(frozen=True)
class Plan:
    """What a question would cost and how wrong its answer may be, whatever the data; it cost nothing.

    Attributes:
        mechanism: what would draw the answer.
        guarantee: what would be promised, and paid.
        error_bound: how wrong the answer may be, as the server says it.
        protects: who would be protected, in words.
    """

    mechanism: str
    guarantee: Guarantee
    error_bound: ErrorBound
    protects: str

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Plan:
        """Return the plan in a reply."""
        promise = content["guarantee"]
        bound = error_bound_of(str(content["accuracy"]), content["error"])
        return cls(str(content["mechanism"]), guarantee_of(promise), bound, str(promise["protects"]))

    def _repr_html_(self) -> str:
        rows = [("mechanism", self.mechanism), ("accuracy", self.error_bound.describe())]
        return table("Plan", [*rows, *self.guarantee.in_words()[:-1], ("protected", self.protects)])


@dataclass(frozen=True)
class Answer:
    """A release that a server paid for and drew: what may be published.

    Attributes:
        answer: what was released, as its certificate has it: names of groups, values and bins are text.
        mechanism: what drew it.
        guarantee: the promise for the whole answer.
        error_bound: how wrong it may be, whatever the data, as its certificate has it.
        protects: who is protected, in words.
        ledger_row: the first row of the dataset's ledger that paid for it.
        request: its number at the server.
        key: what it was asked with; the same key gives the same answer and is paid for once. ``None`` where it was
            asked for by its number.
        question: what was asked, as it was sent.
    """

    answer: Mapping[str, Any]
    mechanism: str
    guarantee: Guarantee
    error_bound: ErrorBound
    protects: str
    ledger_row: int
    request: str
    key: str | None
    question: Mapping[str, Any] = field(repr=False)
    _certificate: Certificate = field(repr=False)
    _model: Mapping[str, Any] | None = field(repr=False)

    @classmethod
    def of(cls, content: Mapping[str, Any], question: Mapping[str, Any], key: str | None) -> Answer:
        """Return the answer in a reply.

        Raises:
            PrivacyError: it costs more than what was asked for.
            ValueError: it is not the answer that its certificate has.
        """
        promise, certificate = content["guarantee"], Certificate.of(content["certificate"], "The reply")
        if any(content[name] != certificate.content[name] for name in ("answer", "mechanism", "guarantee")):
            raise ValueError("The reply is not what its certificate says.")
        guarantee = guarantee_of(promise)
        if guarantee.epsilon > Fraction(question["epsilon"]):
            raise PrivacyError(
                f"The server promises epsilon {promise['epsilon']} where {question['epsilon']} was asked for: tell "
                "its curator, and publish nothing of it."
            )
        delta = question.get("delta") or "0"
        if guarantee.delta > Fraction(delta):
            raise PrivacyError(
                f"The server promises delta {promise['delta']} where {delta} was asked for: tell its curator, and "
                "publish nothing of it."
            )
        return cls(
            content["answer"],
            str(content["mechanism"]),
            guarantee,
            error_bound_of(str(content["accuracy"]), certificate.content["accuracy"]),
            str(promise["protects"]),
            int(content["ledger_row"]),
            str(content["request"]),
            key,
            question,
            certificate,
            content.get("model"),
        )

    @property
    def candidates(self) -> tuple[Any, ...]:
        """Return the winners, or the quantiles, in their order.

        Raises:
            AttributeError: counts and groups have none.
        """
        self._require(self._kind == "candidates")
        return tuple(self.answer["candidates"])

    @property
    def candidate(self) -> Any:
        """Return the single winner, or the median.

        Raises:
            ValueError: there are several: use ``candidates``.
        """
        if len(self.candidates) != 1:
            raise ValueError(f"This release names {len(self.candidates)} candidates: use .candidates.")
        return self.candidates[0]

    @property
    def groups(self) -> Mapping[str, tuple[Any, ...]]:
        """Return the winners of each group.

        Raises:
            AttributeError: it was not asked ``by`` a column.
        """
        self._require(self._kind == "groups")
        return {group: tuple(winners) for group, winners in self.answer.items()}

    @property
    def counts(self) -> Mapping[str, Any]:
        """Return the noisy count of each value or bin; with groups, each group with such a mapping.

        Raises:
            AttributeError: it is not about counts.
        """
        self._require(self._kind == "counts")
        return self.answer

    @property
    def model(self) -> Any:
        """Return the fitted estimator of :mod:`dpselect.learn`, new each time; its ``save`` writes the model's file.

        Raises:
            AttributeError: no model was trained.
            ValueError: it is not the one of the certificate.
            ImportError: scikit-learn is not installed.
        """
        self._require(self._kind == "model")
        from dpselect import learn

        fitted = learn.export.restored(self._model)
        if hashlib.sha256(learn.export.as_json(fitted).encode()).hexdigest() != self.answer["SHA-256 of its file"]:
            raise ValueError("This is not the model of the certificate: tell the curator of the server.")
        return fitted

    def certificate(self) -> Certificate:
        """Return the certificate, which was compared with its checksum; ``.save(path)`` writes it as JSON or HTML."""
        return self._certificate

    @property
    def _kind(self) -> str:
        kinds = {"counts": "counts", "train": "model"}
        ranked = "candidates" if self.question.get("by") is None else "groups"
        return kinds.get(self.question["question"], ranked)

    def _require(self, right: bool) -> None:
        if not right:
            raise AttributeError(f"This answer has .{self._kind}, and everything is in .answer.")

    def _repr_html_(self) -> str:
        rows = [*self.answer.items(), ("accuracy", self.error_bound.describe()), ("mechanism", self.mechanism)]
        return table("Answer", [*rows, *self.guarantee.in_words()[:-1], ("protected", self.protects)])


def guarantee_of(promise: Mapping[str, Any]) -> Guarantee:
    """Return a promise that was written as plain values.

    >>> guarantee_of({"epsilon": "0.5", "delta": "0", "rho": None, "neighbours": "edge"})
    Guarantee(epsilon=1/2, neighbours='edge')
    """
    epsilon, delta, rho = amount(promise["epsilon"]), amount(promise["delta"]), promise["rho"]
    if rho is None:
        return Guarantee(epsilon, promise["neighbours"], delta)
    return Guarantee.concentrated(amount(rho), delta, promise["neighbours"], epsilon=epsilon)
