"""Shares of what a fit may spend: exact fractions that add up to all of it. Proof: ``boosting_plan.md``."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Shares:
    """The prices of the releases, in rho or in epsilon.

    Attributes:
        total: of the whole fit.
        counts: of the class counts.
        survey: of the histograms of all columns together.
        hessians: the share of Hessians in what a round costs.
    """

    total: Fraction
    counts: Fraction
    survey: Fraction
    hessians: Fraction

    @property
    def rounds(self) -> Fraction:
        """Return what all rounds cost together: the rest."""
        return self.total - self.counts - self.survey

    def of_round(self, rounds: int) -> tuple[Fraction, Fraction]:
        """Return the prices of gradients and of Hessians in each of so many rounds."""
        each = self.rounds / rounds
        return each * (1 - self.hessians), each * self.hessians
