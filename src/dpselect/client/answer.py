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
from dpselect.release.release import Release


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
class ServedRelease(Release[Any]):
    """A release that a server paid for and drew: in its value, names of groups, values and bins are text.

    Attributes:
        protects: who is protected, in words.
        ledger_row: the first row of the dataset's ledger that paid for it.
        request: its number at the server.
        key: what it was asked with; the same key gives the same answer and is paid for once. ``None`` where it was
            asked for by its number.
        question: what was asked, as it was sent.
    """

    protects: str = field(kw_only=True)
    ledger_row: int = field(kw_only=True)
    request: str = field(kw_only=True)
    key: str | None = field(kw_only=True)
    question: Mapping[str, Any] = field(repr=False, kw_only=True)
    _certificate: Certificate = field(repr=False, kw_only=True)
    _model: Mapping[str, Any] | None = field(repr=False, kw_only=True)

    @classmethod
    def of(cls, content: Mapping[str, Any], question: Mapping[str, Any], key: str | None) -> ServedRelease:
        """Return the release in a reply.

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
        answer = content["answer"]
        return cls(
            _value(answer, question),
            str(content["mechanism"]),
            guarantee,
            tuple(answer.get("gaps", ())),
            answer.get("p-value"),
            single=question.get("by") is None and _single(question),
            error_bound=error_bound_of(str(content["accuracy"]), certificate.content["accuracy"]),
            protects=str(promise["protects"]),
            ledger_row=int(content["ledger_row"]),
            request=str(content["request"]),
            key=key,
            question=question,
            _certificate=certificate,
            _model=content.get("model"),
        )

    @property
    def model(self) -> Any:
        """Return the fitted estimator of :mod:`dpselect.learn`, new each time; its ``save`` writes the model's file.

        Raises:
            AttributeError: no model was trained.
            ValueError: it is not the one of the certificate.
            ImportError: scikit-learn is not installed.
        """
        if self._model is None:
            raise AttributeError("No model was trained here: .value is what was released.")
        from dpselect import learn

        fitted = learn.export.restored(self._model)
        if hashlib.sha256(learn.export.as_json(fitted).encode()).hexdigest() != self._answer["SHA-256 of its file"]:
            raise ValueError("This is not the model of the certificate: tell the curator of the server.")
        return fitted

    def certificate(self, **stated: Any) -> Certificate:
        """Return the server's certificate, which was compared with its checksum; ``.save(path)`` writes JSON or HTML.

        Raises:
            TypeError: anything is to be said in it: the server has said it.
        """
        if stated:
            raise TypeError("The server made this certificate: call .certificate() without arguments.")
        return self._certificate

    @property
    def _answer(self) -> Mapping[str, Any]:
        answer: Mapping[str, Any] = self._certificate.content["answer"]
        return answer

    @property
    def _protects(self) -> str:
        return self.protects


def _value(answer: Mapping[str, Any], question: Mapping[str, Any]) -> Any:
    """Return the value as releases of the library have it; an answer of another form as it is."""
    kind, listed = question["question"], _only if _single(question) else tuple
    try:
        if question.get("by") is None:
            return answer if kind in ("counts", "train") else listed(answer["candidates"])
        return answer if kind == "counts" else {group: listed(winners) for group, winners in answer.items()}
    except (LookupError, TypeError, ValueError):
        return answer


def _single(question: Mapping[str, Any]) -> bool:
    return question["question"] in ("median", "select") and question.get("k", 1) == 1


def _only(winners: Any) -> Any:
    (winner,) = winners
    return winner


def guarantee_of(promise: Mapping[str, Any]) -> Guarantee:
    """Return a promise that was written as plain values.

    >>> guarantee_of({"epsilon": "0.5", "delta": "0", "rho": None, "neighbours": "edge"})
    Guarantee(epsilon=1/2, neighbours='edge')
    """
    epsilon, delta, rho = amount(promise["epsilon"]), amount(promise["delta"]), promise["rho"]
    if rho is None:
        return Guarantee(epsilon, promise["neighbours"], delta)
    return Guarantee.concentrated(amount(rho), delta, promise["neighbours"], epsilon=epsilon)
