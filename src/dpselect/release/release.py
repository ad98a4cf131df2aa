"""Common parts of all releases: a value, what drew it and the promise; with a certificate, and a small table in
notebooks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack

from dpselect._display.html_table import table
from dpselect._public import named_publicly
from dpselect.certificates.contribution_text import protects
from dpselect.kernel.format_exact import format_exact
from dpselect.kernel.guarantee import Guarantee
from dpselect.mechanisms.error_bound import ErrorBound, NoBound

if TYPE_CHECKING:
    from dpselect.certificates.build import CertificateStatements
    from dpselect.certificates.certificate import Certificate
    from dpselect.certificates.receipt import Receipt

# What is released.
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Release(Generic[T_co]):
    """A value that may be published, with its guarantee.

    Attributes:
        value: the winner, or the number; of a list the tuple of winners in their order; of groups a dict of them.
        mechanism, guarantee: what drew it, its noise and its public parameters; the promise for the whole release.
        gaps: with ``gaps=True`` the leads of each winner over the next, and of the last over the best other, floored.
        p_value: of the last gap; whatever the data, a wrong name has one of at most a in at most a share a of releases.
        tick, single: of a number with noise, what it is a multiple of; whether a value that is a tuple is one winner.
        error_bound: its error, or one group's, whatever the data; ``stated`` holds statements for its certificate.
    """

    value: T_co
    mechanism: str
    guarantee: Guarantee
    gaps: tuple[int | float, ...] = ()
    p_value: float | None = None
    tick: Fraction | None = field(default=None, repr=False, kw_only=True)
    single: bool = field(default=False, repr=False, kw_only=True)
    error_bound: ErrorBound = field(default=NoBound(), repr=False, compare=False, kw_only=True)
    stated: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False, kw_only=True)

    @property
    def rows_per_person(self) -> int | None:
        """Return how many rows of each person count, the first ones; ``None`` where all do."""
        return self.error_bound.rows_per_person

    @property
    def receipt(self) -> Receipt | None:
        """Return the receipt of the server that paid for this and drew it; ``None`` of a release of this machine."""
        receipt: Receipt | None = self.stated.get("receipt")
        return receipt

    def certificate(self, **stated: Unpack[CertificateStatements]) -> Certificate:
        """Return the certificate of this release; ``.save(path)`` writes it as JSON or HTML.

        Args:
            stated: question, public, repeat, ledger, row, file_hash, as :func:`dpselect.certificates.build.certify`.
                Nothing of a release with a receipt, whose certificate the server has made.

        Raises:
            TypeError, ValueError: as there.
        """
        if self.receipt is not None:
            return self.receipt.certify(**stated)
        from dpselect.certificates.build import certify

        return certify(self, **{**self.stated, **stated})

    def _certificate_facts(self) -> tuple[Mapping[str, Any], Guarantee, str]:
        """Return what was released as certificates write it, the promise, and the mechanism."""
        return self._answer, self.guarantee, self.mechanism

    @property
    def _answer(self) -> Mapping[str, Any]:
        """Return what was released, as certificates write it: lists of candidates, also of one."""
        value: Any = self.value
        if self.tick is not None:
            return {"value": format_exact(value), "tick": format_exact(self.tick)}
        if isinstance(value, dict) and not self.single:
            return {str(group): _as_tuple(each) for group, each in value.items()}
        answer: dict[str, Any] = {"candidates": (value,) if self.single else _as_tuple(value)}
        if self.p_value is not None:
            answer |= {"gaps": self.gaps, "p-value": self.p_value}
        return answer

    @property
    def _protects(self) -> str | None:
        """Return who is protected, in words, where the guarantee alone does not say it."""
        return None if self.rows_per_person is None else protects(self.rows_per_person)

    def _repr_html_(self) -> str:
        promise = dict(self.guarantee.in_words())
        if self._protects is not None:
            promise["protected"] = self._protects
        said = [("accuracy", self.error_bound.describe()), ("mechanism", self.mechanism), *promise.items()]
        return table(type(self).__name__, [*self._answer.items(), *said])


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


named_publicly("dpselect", globals(), ["Release"])
