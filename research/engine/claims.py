"""Sentences that papers share, judged by one rule each: "up to", and savings of a budget."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from research.engine.budgets import saved, steps, steps_of
from research.engine.experiment import Judgement, Results, Verdict
from research.engine.verdicts import figure, reproduced

# A step either way of the grid on which both budgets are read.
_ONE_STEP = 1.0


@dataclass(frozen=True)
class Gain:
    """How much better one series is than another at one setting, and the standard error of that."""

    setting: str
    value: float
    error: float = 0.0


def up_to(
    least: float, gains: Sequence[Gain], *, private: bool = True, unit: str = "", rounding: float = 0.5
) -> Judgement:
    """Judge "better by up to so much": it comes out where the greatest gain of all settings is at least that.

    A larger gain does not contradict the sentence, since nobody says that the paper tried the same settings; a gain of
    more than twice the printed one is mentioned. The sentence cannot be decided where chance could hide as much as is
    printed, or where only chance could make more than half of it.

    Args:
        least: the printed gain, above 0. gains: all settings measured. rounding: half a unit of its last decimal.

    >>> up_to(29, [Gain("p = 50", 45.5)], unit=" %").verdict
    'reproduced'
    >>> up_to(29, [Gain("p = 50", 12.0)], unit=" %").verdict
    'refuted'
    """
    known = [gain for gain in gains if math.isfinite(gain.value)]
    if not known:
        return Judgement("", "not comparable", "no gain was measured")
    best = max(known, key=lambda gain: gain.value)
    shown = f"{best.value:.1f}{unit} ({best.setting})"
    limit = quantile(len(known))
    settings = f"the greatest of {len(known)} settings"
    if max(gain.value + limit * gain.error for gain in known) < least - rounding:
        return Judgement(shown, "refuted", settings)
    if limit * best.error > least or best.value < least / 2:
        why = f"{settings}; chance alone may make {limit * best.error:.1f}{unit}: more runs decide"
        return Judgement(shown, "not comparable", why)
    more = ", more than twice what is printed" if best.value > 2 * least else ""
    return Judgement(shown, reproduced(private), f"{settings}{more}")


def at_most(
    most: float, gains: Sequence[Gain], *, private: bool = True, unit: str = "", rounding: float = 0.5
) -> Judgement:
    """Judge "better by at most so much": it comes out where no gain of any setting is more, beyond chance.

    >>> at_most(12, [Gain("p = 50", 12.5)], unit=" %").verdict, at_most(12, [Gain("p = 50", 60.0)]).verdict
    ('reproduced', 'refuted')
    """
    known = [gain for gain in gains if math.isfinite(gain.value)]
    if not known:
        return Judgement("", "not comparable", "no gain was measured")
    best = max(known, key=lambda gain: gain.value)
    limit = quantile(len(known))
    beyond = any(gain.value - limit * gain.error > most + rounding for gain in known)
    verdict: Verdict = "refuted" if beyond else reproduced(private)
    return Judgement(f"{best.value:.1f}{unit} ({best.setting})", verdict, f"the greatest of {len(known)} settings")


def budget_within(results: Results, panel: str, series: str, close: float) -> float | None:
    """Return the first measured budget from which the error stays within ``close``; None when it never does.

    Raises:
        Unmeasured: the series was not measured.
    """
    line = results.line(panel, series)
    within = None
    for point in reversed(line):
        # What is not a number is not within anything.
        if not point.value <= close:
            break
        within = point.x
    return within


def saving(
    results: Results, panel: str, series: str, rival: str, *, percent: float, close: float, private: bool
) -> Judgement:
    """Judge "so many per cent less budget" on the grid of the authors, one step either way allowed.

    Both lines must be measured on ``AUTHORS_GRID``. More saved than printed is not against the sentence. A rival that
    never comes within ``close`` needs more than the last budget.

    Raises:
        Unmeasured: a series was not measured.
    """
    least, theirs = (budget_within(results, panel, name, close) for name in (series, rival))
    last = results.line(panel, rival)[-1].x
    wanted = steps_of(percent)
    if least is None:
        verdict: Verdict = "refuted" if theirs is not None else "not comparable"
        return Judgement("never within", verdict, f"{rival}: {_needs(theirs)}")
    number = steps(least, theirs or last)
    shown = f"{'' if theirs else 'at least '}{saved(number):.0f}% ({figure(least)} against {_needs(theirs)})"
    why = f"{number:.0f} steps of the authors' budgets, printed {wanted}"
    if number > wanted - _ONE_STEP - 0.5:
        return Judgement(shown, reproduced(private), why)
    # Against a rival that never arrives this is a lower bound only.
    return Judgement(shown, "refuted" if theirs else "not comparable", why)


def quantile(numbers: int) -> float:
    """Return the two-sided quantile of 5 per cent over so many numbers (Bonferroni)."""
    from scipy.stats import norm

    return float(norm.ppf(1 - 0.05 / (2 * max(1, numbers))))


def _needs(budget: float | None) -> str:
    return "never" if budget is None else f"epsilon {figure(budget)}"
