"""Power: what the verdicts of an experiment could not tell apart, number by number and line by line.

A number that would be reproduced though it were a third off says little, however many there are. A whole printed line
says more: its distances from one line of ours, in standard errors, make a chi-square.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from research.engine import verdicts
from research.engine.allowed import half_a_unit, joint_error
from research.engine.experiment import Experiment, Printed, Results, Unmeasured
from research.engine.runs import Outcome

# Fewer numbers make no line.
_FEWEST = 5
HEAD = ("printed line", "numbers", "ours", "chi-square", "chance of more", "nearest other line", "its chi-square")


@dataclass(frozen=True)
class LineTest:
    """A printed line held against one of ours as a whole, and against the nearest line of another method.

    Attributes:
        numbers: the printed numbers that both are measured at. chance: of a larger chi-square if ours is the law.
        other: the line of another method with the least chi-square; empty when none is measured.
    """

    printed: str
    numbers: int
    ours: str
    chi_square: float
    chance: float
    other: str = ""
    other_chi_square: float = math.nan

    def cells(self) -> tuple[str, ...]:
        """Return the row of a table."""
        return (
            self.printed,
            str(self.numbers),
            self.ours,
            f"{self.chi_square:.0f}",
            f"{self.chance:.2g}" if self.chance >= 1e-4 else "below 0.0001",
            self.other,
            f"{self.other_chi_square:.0f}" if self.other else "",
        )


def line_tests(experiment: Experiment, results: Results) -> list[LineTest]:
    """Return a test of every printed line whose numbers have standard errors, over all its panels."""
    if not (experiment.paper_runs or any(place.error for place in experiment.printed)):
        return []
    lines: dict[tuple[str, tuple[str, ...]], list[Printed]] = {}
    for place in experiment.printed:
        if not (place.depends or place.not_comparable):
            lines.setdefault((place.series, verdicts.candidates(experiment, place)), []).append(place)
    every = {name for _, names in lines for name in names}
    found = []
    for (series, own), places in lines.items():
        tests = {name: _chi_square(experiment, results, places, name) for name in every}
        measured = {name: each for name, each in tests.items() if each is not None and each[1] >= _FEWEST}
        ours = min((name for name in own if name in measured), key=lambda name: measured[name][0], default=None)
        if ours is None:
            continue
        value, numbers = measured[ours]
        rivals = {name: each[0] for name, each in measured.items() if name not in own and each[1] == numbers}
        other = min(rivals, key=lambda name: rivals[name], default="")
        chance = _chance(value, numbers)
        found.append(LineTest(series, numbers, ours, value, chance, other, rivals.get(other, math.nan)))
    return found


def sentence(outcome: Outcome) -> str:
    """Return what single numbers of an experiment could not tell apart; empty when only rounding is allowed."""
    experiment, results = outcome.experiment, outcome.results
    shares = [each for each in _powers(experiment, results) if each is not None]
    if len(shares) < _FEWEST:
        return ""
    passing = sum(bool(others) for _, others in shares)
    text = f"Of the {len(shares)} numbers reproduced, half would be so if they were {_percent(shares)} % off"
    return f"{text}, and {passing} by another method's line too." if passing else f"{text}."


def in_all(outcomes: Iterable[Outcome]) -> tuple[int, int, int]:
    """Return how many printed numbers are reproduced to chance, to which median error, and how many by other lines."""
    shares = [each for outcome in outcomes for each in _powers(outcome.experiment, outcome.results) if each is not None]
    return len(shares), _percent(shares) if shares else 0, sum(bool(others) for _, others in shares)


def _percent(shares: list[tuple[float, list[str]]]) -> int:
    return round(100 * median(share for share, _ in shares))


def _powers(experiment: Experiment, results: Results) -> list[tuple[float, list[str]] | None]:
    found = []
    for place in experiment.printed:
        if verdicts.rule(experiment, results, place).verdict.startswith("reproduced"):
            name = verdicts.line(experiment, results, place)
            found.append(verdicts.power(experiment, results, place, name))
    return found


def _chi_square(experiment: Experiment, results: Results, places: list[Printed], name: str) -> tuple[float, int] | None:
    total, numbers = 0.0, 0
    for place in places:
        try:
            ours = results.at(place.panel, name, place.x)
        except Unmeasured:
            continue
        released = verdicts.released_at(experiment, results, place)
        rounding = half_a_unit(experiment, place) / math.sqrt(3)
        error = math.hypot(joint_error(experiment, place, ours, released), rounding)
        if not error or not math.isfinite(ours.value):
            continue
        total, numbers = total + ((ours.value - place.value) / error) ** 2, numbers + 1
    return (total, numbers) if numbers else None


def _chance(value: float, numbers: int) -> float:
    from scipy.stats import chi2

    return float(chi2.sf(value, numbers))
