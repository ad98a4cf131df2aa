"""The error bound that a server states: one line, and one figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon
from dpselect.mechanisms.error_bound import NONE, PROBABILITY, ErrorBound, NoBound, exact_chance


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
