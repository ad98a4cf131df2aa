"""Sentences that papers share, judged by one rule each: "up to", and savings of a budget."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
    printed: float, gains: Sequence[Gain], *, private: bool = True, unit: str = "", rounding: float = 0.5
) -> Judgement:
    """Judge "better by up to so much": it is reproduced where the greatest gain of all settings is that one.

    A gain of another size, smaller or larger beyond chance, is in the same direction only. Where no gain is left and
    the printed one is beyond chance, the sentence is refuted. Where chance alone makes half of what is printed, nothing
    is decided.

    Args:
        printed: the printed gain, above 0. gains: all settings measured. rounding: half a unit of its last decimal.

    >>> up_to(29, [Gain("p = 50", 45.5)], unit=" %").verdict
    'same direction, other size'
    >>> up_to(29, [Gain("p = 50", 29.4)], unit=" %").verdict, up_to(29, [Gain("p = 50", -2.0)]).verdict
    ('reproduced', 'refuted')
    """
    return _greatest(printed, gains, private, unit, rounding, bound=False)


def at_most(
    most: float, gains: Sequence[Gain], *, private: bool = True, unit: str = "", rounding: float = 0.5
) -> Judgement:
    """Judge "better by at most so much", as ``up_to``; a gain that is larger beyond chance refutes it.

    >>> at_most(12, [Gain("p = 50", 12.5)], unit=" %").verdict, at_most(12, [Gain("p = 50", 60.0)]).verdict
    ('reproduced', 'refuted')
    >>> at_most(12, [Gain("p = 50", 4.0)]).verdict
    'same direction, other size'
    """
    return _greatest(most, gains, private, unit, rounding, bound=True)


def _greatest(
    printed: float, gains: Sequence[Gain], private: bool, unit: str, rounding: float, *, bound: bool
) -> Judgement:
    known = [gain for gain in gains if math.isfinite(gain.value)]
    if not known:
        return Judgement("", "not comparable", "no gain was measured")
    best, limit = max(known, key=lambda gain: gain.value), quantile(len(known))
    shown = f"{best.value:.1f}{unit} ({best.setting})"
    # The greatest of all true gains lies between these.
    low, high = (max(gain.value + side * limit * gain.error for gain in known) for side in (-1, 1))
    why = f"the greatest of {len(known)} settings"
    if high > low:
        why += f", within chance from {low:.1f} to {high:.1f}{unit}"
    why += f"; {accepted(printed, rounding, unit)}"
    if bound and low > printed + rounding:
        return Judgement(shown, "refuted", why)
    if low > printed + rounding or high < printed - rounding:
        return Judgement(shown, "same direction, other size" if low > 0 else "refuted", why)
    twice = best.value > 2 * (printed + rounding) or 2 * best.value < printed - rounding
    if high - low > printed or twice:
        return Judgement(shown, "not comparable", f"{why}: more runs decide")
    return Judgement(shown, reproduced(private), why)


def accepted(printed: float, apart: float, unit: str = "") -> str:
    """Return which values of ours would be called reproduced, in words: the power of a verdict."""
    return f"from {figure(printed - apart)} to {figure(printed + apart)}{unit} would be reproduced"


def between(least: float, most: float, found: Mapping[str, float], *, private: bool, shown: str) -> Judgement:
    """Judge "between so many and so many": every place lies inside, to the tenth that is shown.

    >>> between(3, 4, {"a": 3.2, "b": 4.04}, private=True, shown="orders").verdict
    'reproduced'
    >>> between(3, 4, {"a": 2.6, "b": 3.5}, private=True, shown="orders").verdict
    'same direction, other size'
    """
    inside = sum(least <= round(value, 1) <= most for value in found.values())
    ours = f"{shown}: " + ", ".join(f"{where} {value:.1f}" for where, value in found.items())
    why = f"{inside} of {len(found)} places lie from {least:g} to {most:g}; reproduced only if all do"
    if inside == len(found):
        return Judgement(ours, reproduced(private), why)
    return Judgement(ours, "same direction, other size" if min(found.values()) > 0 else "refuted", why)


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

    Both lines must be measured on ``AUTHORS_GRID``. Fewer steps or more are another size; none saved is a refutation. A
    rival that never comes within ``close`` needs more than the last budget.

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
    # Both budgets stand on the grid, so that half a step is rounding.
    more = number - wanted
    if more > _ONE_STEP + 0.5:
        return Judgement(shown, "same direction, other size", why)
    if not theirs:
        # Against a rival that never arrives this is a lower bound only.
        return Judgement(shown, "not comparable", why)
    if more > -_ONE_STEP - 0.5:
        return Judgement(shown, reproduced(private), why)
    return Judgement(shown, "same direction, other size" if number > 0.5 else "refuted", why)


def quantile(numbers: int) -> float:
    """Return the two-sided quantile of 5 per cent over so many numbers (Bonferroni)."""
    from scipy.stats import norm

    return float(norm.ppf(1 - 0.05 / (2 * max(1, numbers))))


def _needs(budget: float | None) -> str:
    return "never" if budget is None else f"epsilon {figure(budget)}"
