"""A choice, and why: what was measured, what it cost, what each option was predicted to lose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.adaptive.option import Option
from dpselect.adaptive.regret import readable
from dpselect.kernel.guarantee import Guarantee


@dataclass(frozen=True, eq=False)
class MeasuredFact:
    """One metafeature as it was released.

    Attributes:
        name: of the metafeature.
        value: public, or with noise.
        epsilon: what it cost, 0 for a public fact.
        deviation: standard deviation of its noise.
        low, high: the range of training, in the metafeature's own units.
    """

    name: str
    value: float
    epsilon: Fraction
    deviation: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class PredictedLoss:
    """The predicted loss of one option.

    Attributes:
        loss: predicted.
        regret: over the least predicted.
        low, high: where its regret lies in four cases of five, by errors on databases left out.
    """

    loss: float
    regret: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Results of choosing on databases left out of training, beside the best fixed option; means over these.

    Attributes:
        learned, learned_added: loss of the learned choice over the least, and what it lost beyond the least.
        fixed: the best fixed option, known only afterwards.
        fixed_regret, fixed_added: the same of that option, with all of epsilon.
        added_loss: added to both losses of a ratio; 0 where no least loss is all but 0.
    """

    learned: float
    learned_added: float
    fixed: str
    fixed_regret: float
    fixed_added: float
    added_loss: float

    @property
    def pays(self) -> bool:
        """Return whether choosing did at least as well as the best fixed option, by the ratio."""
        return self.learned <= self.fixed_regret * (1 + 1e-9)

    @property
    def summary(self) -> str:
        """Return one line: whether to choose, or what to use always."""
        if not self.pays:
            return f"Choosing is not worth its price here: always use {self.fixed}."
        times = f"{self.fixed_regret / self.learned:.3g}"
        return f"Choosing is worth its price here: always using {self.fixed} loses {times} times as much."

    def __str__(self) -> str:
        text = (
            f"On databases left out of training, choosing lost {readable(self.learned)} times the least loss and "
            f"{readable(self.learned_added)} more than it, always {self.fixed} {readable(self.fixed_regret)} times and "
            f"{readable(self.fixed_added)} more."
        )
        if self.added_loss:
            added = readable(self.added_loss)
            text += f" Some least loss is all but 0: ratios, which decide, are of losses plus {added}."
        return f"{text} {self.summary}"


@dataclass(frozen=True, eq=False, repr=False)
class Choice:
    """A choice, all of which may be published.

    Attributes:
        option: the one chosen.
        measured: the metafeatures; empty when epsilon alone decided.
        predicted: by option; empty when it was not predicted.
        total, spent: epsilon of the whole answer, and of metafeatures.
        reason: why another option than the predicted one was taken; empty otherwise.
        held_out: how choosing did on databases left out of training; ``None`` if that was not measured.
        guarantee: of the metafeatures; ``None`` when all are public.
    """

    option: Option
    measured: tuple[MeasuredFact, ...]
    predicted: Mapping[str, PredictedLoss]
    total: Fraction
    spent: Fraction
    reason: str
    held_out: HeldOut | None
    guarantee: Guarantee | None

    @property
    def remaining(self) -> Fraction:
        """Return the epsilon that the option receives."""
        return self.total - self.spent

    def explain(self) -> str:
        """Return a paragraph and a table; nothing in it is private."""
        lines = [self._paragraph(), ""]
        if self.measured:
            lines.append(f"{'measured':<16} {'value':>12} {'epsilon':>9} {'noise':>9}   trained between")
            for each in self.measured:
                cost = f"{float(each.epsilon):.4g}" if each.epsilon else "public"
                noise = f"{each.deviation:.3g}" if each.epsilon else "none"
                lines.append(
                    f"{each.name:<16} {each.value:>12.6g} {cost:>9} {noise:>9}   {each.low:.4g} and {each.high:.4g}"
                )
            lines.append("")
        if self.predicted:
            lines.append(f"{'option':<20} {'loss':>10} {'regret':>8}   four times in five")
            for name, guess in sorted(self.predicted.items(), key=lambda item: item[1].regret):
                mark = "  <- chosen" if name == self.option.name else ""
                lines.append(
                    f"{name:<20} {guess.loss:>10.4g} {guess.regret:>8.3f}   {guess.low:.2f} to {guess.high:.2f}{mark}"
                )
        return "\n".join(lines).rstrip()

    def _paragraph(self) -> str:
        paid = sum(bool(each.epsilon) for each in self.measured)
        facts = f"{len(self.measured)} metafeatures were read" if self.measured else "No metafeature was read"
        if self.spent:
            facts += f", {paid} of them paid for with epsilon {float(self.spent):.4g}"
        elif self.measured:
            facts += ", all of them public, at no cost"
        text = (
            f"{facts}; {self.option.name} answers with epsilon {float(self.remaining):.4g} of {float(self.total):.4g}."
        )
        if self.reason:
            return f"{text} {self.reason}{self._held_out()}"
        prediction = self.predicted[self.option.name]
        rivals = sorted((each.regret, name) for name, each in self.predicted.items() if name != self.option.name)
        regret, rival = rivals[0] if rivals else (np.inf, "")
        if rival:
            times = regret / prediction.regret
            text += f" It is predicted to lose {prediction.loss:.4g}; the next, {rival}, {times:.2f} times that."
            overlap = self.predicted[rival].low < prediction.high
            text += " The two are too close to be sure." if overlap else " The two are well apart."
        return text + self._held_out()

    def _held_out(self) -> str:
        return "" if self.held_out is None else f" {self.held_out}"

    def __repr__(self) -> str:
        return f"Choice(option={self.option.name!r}, epsilon={self.total}, spent={self.spent})"


@dataclass(frozen=True, eq=False, repr=False)
class Answer:
    """An answer and how it came about.

    Attributes:
        value: what the chosen option returned.
        choice: which, and why.
        guarantee: of the whole, metafeatures and option together.
    """

    value: Any
    choice: Choice
    guarantee: Guarantee

    def __repr__(self) -> str:
        return f"Answer(option={self.choice.option.name!r}, guarantee={self.guarantee!r})"
