"""How far a number of ours may lie from a printed one: by chance on both sides, by rounding, and by what is known."""

from __future__ import annotations

import math
from dataclasses import dataclass

from research.engine.experiment import Experiment, Point, Printed

# The chance that any of an experiment's numbers is called wrong that is right.
_WRONGLY = 0.05
# What is allowed by chance says nothing where it is more than this part of the printed value.
_USEFUL = 0.5


@dataclass(frozen=True)
class Allowed:
    """The parts of the allowed distance: by chance, by rounding, and by a difference of set-up that is named."""

    chance: float
    rounding: float
    tolerance: float

    @property
    def total(self) -> float:
        """All of it."""
        return self.chance + self.rounding + self.tolerance

    def useful(self, value: float) -> bool:
        """Return whether chance leaves anything to decide about a printed value."""
        return self.chance <= _USEFUL * max(abs(value), 10 * self.rounding) + self.tolerance

    def twice(self, ours: float, value: float) -> bool:
        """Return whether ours is twice the printed value or half of it, whatever that was before rounding."""
        if self.tolerance and abs(ours - value) <= self.tolerance + self.rounding:
            return False
        low, high = abs(value) - self.rounding, abs(value) + self.rounding
        opposite = ours * value < 0 and abs(ours) > self.rounding
        return opposite or abs(ours) > 2 * high or 2 * abs(ours) < low


def allowed(experiment: Experiment, place: Printed, ours: Point, released: Point | None = None) -> Allowed:
    """Return what is allowed between a printed number and ours.

    Chance is what both standard errors make together, at 5 per cent over all printed numbers of the experiment
    (Bonferroni), by Student's distribution where our runs are few. The printed number's standard error is its own where
    the paper gives it; otherwise it is the spread of one run over the root of the paper's runs. That spread is taken
    from ``released``, our line as released, where there is one: a noisier line must not widen its own tolerance.
    """
    error = joint_error(experiment, place, ours, released)
    chance = _quantile(ours.runs, max(1, len(experiment.printed))) * error
    rounding = half_a_unit(experiment, place)
    tolerance = experiment.tolerance if place.tolerance is None else place.tolerance
    return Allowed(chance, rounding, tolerance)


def joint_error(experiment: Experiment, place: Printed, ours: Point, released: Point | None = None) -> float:
    """Return the standard error of ours less the printed number, rounding left out."""
    return math.hypot(0.0 if math.isnan(ours.error) else ours.error, _theirs(experiment, place, released or ours))


def half_a_unit(experiment: Experiment, place: Printed) -> float:
    """Return half a unit of a printed number's last decimal; 0 where the decimals are not known."""
    decimals = experiment.decimals if place.decimals is None else place.decimals
    return 0.0 if decimals is None else 0.5 * 10.0**-decimals


def _theirs(experiment: Experiment, place: Printed, ours: Point) -> float:
    if place.error is not None:
        return place.error
    if not experiment.paper_runs:
        return 0.0
    if experiment.spread is not None:
        spread = experiment.spread(ours)
    else:
        spread = 0.0 if math.isnan(ours.error) else ours.error * math.sqrt(ours.runs)
    return spread / math.sqrt(experiment.paper_runs)


def _quantile(runs: int, numbers: int) -> float:
    from scipy.stats import norm, t

    share = 1 - _WRONGLY / (2 * numbers)
    return float(t.ppf(share, runs - 1) if runs > 1 else norm.ppf(share))
