"""Plans and releases in replies of a server, in the types that a dataset of this machine gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from dpselect.certificates.certificate import Certificate
from dpselect.certificates.receipt import Receipt
from dpselect.client.amounts import amount
from dpselect.dataset import Dataset
from dpselect.kernel.errors import InputError, PrivacyError
from dpselect.kernel.format_exact import format_exact
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import PROTECTED_UNITS
from dpselect.kernel.numbers import Epsilon
from dpselect.mechanisms.error_bound import NONE, PROBABILITY, ErrorBound, NoBound, exact_chance
from dpselect.queries import QUERIES, Plan, Query, plan_of, query_of
from dpselect.queries.field_kinds import DELTA, EPSILON
from dpselect.release.release import Release


@dataclass(frozen=True)
class CertificateBound(ErrorBound):
    """The bound of a plan or of a certificate, which says one probability only.

    Attributes:
        line: what the server says, with its unit and its scope.
        figures: the same for programs.
    """

    line: str
    figures: Mapping[str, Any] = field(repr=False)

    @property
    def names(self) -> int | None:
        """Return among how many public candidates was chosen; ``None`` where that is not said."""
        return self.figures.get("candidates")

    def at(self, probability: Epsilon = PROBABILITY) -> float:
        """Return what the error stays below with the probability of the statement; infinite where nothing can be said.

        Raises:
            ValueError, TypeError: the server states another probability, or it is not between 0 and 1.
        """
        said = exact_chance(self.figures["probability"])
        if exact_chance(probability) != said:
            raise InputError(f"The server states the error with probability {float(said):g} alone: ask for that.")
        least = self.figures["error_below"]
        return float("inf") if least is None else least

    def describe(self, unit: str = "", probability: Epsilon = PROBABILITY) -> str:  # noqa: ARG002
        """Return the line of the server, whatever the unit."""
        return self.line

    def _sentence(self, probability: Epsilon, unit: str) -> str:  # noqa: ARG002
        return self.line

    def facts(self, unit: str = "") -> dict[str, Any]:  # noqa: ARG002
        """Return the figures of the server, whatever the unit."""
        return dict(self.figures)


def error_bound_of(line: str, figures: Mapping[str, Any] | None) -> ErrorBound:
    """Return what a server says of an error: without a figure that there is no bound, and why."""
    if figures is None or figures.get("probability") is None:
        return NoBound(line.removeprefix(f"{NONE}: "))
    return CertificateBound(line, figures)


# What a query is: one of a class, or its JSON, for a server that knows classes which are not known here.
AnyQuery = Query[Any] | Mapping[str, Any]


@dataclass(frozen=True)
class RemoteQuery:
    """A query as it is sent to a server, and how its replies are read.

    Attributes:
        content: its JSON.
        query: as an object, where its class and the dataset are known here.
        example: the release of synthetic rows of the same public facts, then.
    """

    content: Mapping[str, Any]
    query: Query[Any] | None = None
    example: Release[Any] | None = None

    @classmethod
    def of(cls, query: AnyQuery, description: Dataset | None, rule: str) -> RemoteQuery:
        """Return a query to send; what is not about the dataset is refused here, as a dataset of this machine does.

        Args:
            query: one of any class, or its JSON.
            description: of the dataset, by its public facts.
            rule: of its ledger.

        Raises:
            PrivacyError, ValueError: as :func:`dpselect.queries.plan_of`.
        """
        if isinstance(query, Mapping):
            if query.get("query") not in QUERIES:
                return cls({**query, "epsilon": EPSILON.write(EPSILON.parse(query.get("epsilon")))})
            query = query_of(query)
        if description is None:
            return cls(query.as_json())
        return cls(query.as_json(), query, plan_of(query, description, rule).example)

    def plan(self, content: Mapping[str, Any]) -> Plan:
        """Return the plan in a reply."""
        return plan_of_reply(content, self.example)

    def release(self, content: Mapping[str, Any], key: str | None) -> Release[Any]:
        """Return the release in a reply, with its receipt.

        Args:
            content: the reply.
            key: what it was asked with.

        Raises:
            PrivacyError: it costs more than what was asked for.
            ValueError: it is not the answer that its certificate has.
        """
        certificate = Certificate.of(content["certificate"], "The reply")
        if any(content[name] != certificate.content[name] for name in ("answer", "mechanism", "guarantee")):
            raise InputError("The reply is not what its certificate says.")
        guarantee = _promise(content["guarantee"], self.example)
        self._require("epsilon", guarantee.epsilon, EPSILON.parse(self.content["epsilon"]))
        self._require("delta", guarantee.delta, self._delta)
        receipt = Receipt(str(content["request"]), int(content["ledger_row"]), key, certificate)
        shown: dict[str, Any] = {
            "mechanism": str(content["mechanism"]),
            "guarantee": guarantee,
            "error_bound": _bound(str(content["accuracy"]), certificate.content["accuracy"], self.example),
            "stated": {"receipt": receipt},
        }
        if self.query is None or self.example is None:
            return Release(_json_value(content["answer"]), **shown)
        return replace(self.query.read_reply(content, self.example), **shown)

    @property
    def _delta(self) -> Fraction:
        """Return the delta that is asked for: the planned one, or else what the JSON says."""
        if self.example is not None:
            return self.example.guarantee.delta
        delta = self.content.get("delta")
        return Fraction(0) if delta is None else DELTA.parse(delta)

    @staticmethod
    def _require(name: str, promised: Fraction, asked: Fraction) -> None:
        if promised > asked:
            raise PrivacyError(
                f"The server promises {name} {format_exact(promised)} where {format_exact(asked)} was asked for: tell "
                "its curator, and publish nothing of it."
            )


def plan_of_reply(content: Mapping[str, Any], example: Release[Any] | None = None) -> Plan:
    """Return the plan in a reply; its error bound is that of an example, if the server states the same."""
    guarantee, words = _promise(content["guarantee"], example), str(content["guarantee"]["protects"])
    protects = None if words == PROTECTED_UNITS[guarantee.neighbours] else words
    return Plan(
        str(content["mechanism"]), guarantee, _bound(str(content["accuracy"]), content["error"], example), protects
    )


def guarantee_of(promise: Mapping[str, Any]) -> Guarantee:
    """Return a promise that was written as plain values.

    >>> guarantee_of({"epsilon": "0.5", "delta": "0", "rho": None, "neighbours": "edge"})
    Guarantee(epsilon=1/2, neighbours='edge')
    """
    epsilon, delta, rho = amount(promise["epsilon"]), amount(promise["delta"]), promise["rho"]
    if rho is None:
        return Guarantee(epsilon, promise["neighbours"], delta)
    return Guarantee.from_rho(amount(rho), delta, promise["neighbours"], epsilon=epsilon)


def _promise(promise: Mapping[str, Any], example: Release[Any] | None) -> Guarantee:
    """Return a promise that was written as plain values: that of an example, which knows its shape, if it is the same.

    What is stated of both is equal, and the shape of a promise follows from the query alone.
    """
    stated = guarantee_of(promise)
    planned = stated if example is None else example.guarantee
    same = (planned.epsilon, planned.delta, planned.neighbours, planned.stated_rho)
    return planned if same == (stated.epsilon, stated.delta, stated.neighbours, stated.stated_rho) else stated


def _bound(line: str, figures: Mapping[str, Any] | None, example: Release[Any] | None) -> ErrorBound:
    """Return the error bound of an example, which knows all probabilities, if the server states the same."""
    if example is not None and example.error_bound.describe() == line:
        return example.error_bound
    return error_bound_of(line, figures)


def _json_value(answer: Mapping[str, Any]) -> Any:
    """Return the value of an answer as far as JSON tells: winners are tuples, names of groups and values text."""
    winners = answer.get("candidates")
    if isinstance(winners, list):
        return tuple(winners)
    return {name: tuple(each) if isinstance(each, list) else each for name, each in answer.items()}
