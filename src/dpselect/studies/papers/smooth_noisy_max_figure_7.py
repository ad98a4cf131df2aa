"""000, Figure 7: naming a percentile of a histogram's counts, and the budget that Smooth Noisy Max saves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

import dpselect as dps
from dpselect.mechanisms.kinds import Mechanism
from dpselect.studies.engine import data
from dpselect.studies.engine.experiment import Cell, Claim, Effort, Experiment, Judgement, Point, Results, Unmeasured
from dpselect.studies.engine.verdicts import figure

UPPER = {"patent": 20_000, "hepth": 1_000, "income": 3_000_000}
EM, PF, LD, LD2 = "EM", "PF", "LD", "LD2 (median utility)"
SNM_T, SNM_LAP = "SNM-T, as published", "SNM-LAP, as published"
SOUND, RANKS = "smooth-noisy-max, sound", "permute-and-flip on ranks"
SERIES = (EM, PF, LD, LD2, SNM_T, SNM_LAP, SOUND, RANKS)
CLOSE = 5.0
_PUBLISHED = {"calibration": "chaves-2024", "unsound": "reproduction"}


def grid(_: Effort) -> list[Cell]:
    """One cell a histogram, percentile and mechanism; the median utility exists for the median only."""
    return [
        {"dataset": name, "p": p, "series": series}
        for name in UPPER
        for p in (50, 90, 99)
        for series in SERIES
        if series != LD2 or p == 50
    ]


def epsilons(effort: Effort) -> list[float]:
    """Return the budgets: 6 or 20 for each power of ten from 0.1 to 100."""
    steps = 6 if effort.name == "quick" else 20
    return [10 ** (-1 + i / steps) for i in range(3 * steps + 1)]


def measure(cell: Cell, effort: Effort, _: np.random.Generator) -> Sequence[Point]:
    """The thesis's error |x_p - E x| at every epsilon, from the law."""
    name, p, series = str(cell["dataset"]), int(cell["p"]), str(cell["series"])
    values = data.histogram(name)
    right = float(np.sort(values)[values.size * p // 100])
    mechanism, scores, places = prepared(name, p, series)
    found = []
    for epsilon in epsilons(effort):
        law = np.asarray(mechanism.law(scores, epsilon))
        found.append(Point(panel(name, p), series, epsilon, abs(float(law @ places) - right)))
    return found


def prepared(name: str, p: int, series: str) -> tuple[Mechanism, dps.Scores, NDArray[np.int64]]:
    """Return the mechanism of a series, its scores, and the value of every candidate."""
    values = data.histogram(name)
    if series == RANKS:
        grid_ = np.arange(UPPER[name] + 1)
        return dps.mechanism("permute-and-flip"), dps.utilities.percentile(values, p, grid=grid_), grid_
    if series == LD2:
        return dps.mechanism("local-dampening"), dps.published.median(values, upper=int(values.max())), values
    # Only the ends of the grid and the values on it matter for how long the score cannot change.
    cells = dps.published.percentile(values, p, grid=np.unique(np.append(values, (0, UPPER[name]))))
    # The theses choose among records: a record scores 1 when its value is the percentile.
    right = np.sort(values)[values.size * p // 100]
    flat = dps.sensitivity.local(lambda t: cells.sensitivity.at(t)[0], ceiling=1.0)
    among = dps.Scores((values == right).astype(np.int64), flat, zero=cells.zero)
    made = {
        EM: partial(dps.mechanism, "exponential"),
        PF: partial(dps.mechanism, "permute-and-flip"),
        LD: partial(dps.mechanism, "local-dampening"),
        SNM_T: partial(dps.mechanism, "smooth-noisy-max", **_PUBLISHED),
        SNM_LAP: partial(dps.mechanism, "smooth-noisy-max", noise="laplace", **_PUBLISHED),
        SOUND: partial(dps.mechanism, "smooth-noisy-max"),
    }
    return made[series](), among, values


def panel(name: str, p: int) -> str:
    """Return the title of a panel."""
    return f"{name}, p = {p}"


def reached(results: Results, place: str, series: str) -> float:
    """Return the least budget from which the error stays at most 5, between measured budgets by a line in logs.

    Raises:
        Unmeasured: it never does.
    """
    line = results.line(place, series)
    if line[-1].value > CLOSE:
        raise Unmeasured(f"{series} does not come within {CLOSE:g} at any budget up to {line[-1].x:g}")
    for before, after in zip(line[-2::-1], line[:0:-1], strict=True):
        if before.value > CLOSE:
            share = (before.value - CLOSE) / (before.value - after.value)
            return float(before.x * (after.x / before.x) ** share)
    return line[0].x


def saved(place: str, rival: str, least: float, results: Results) -> Judgement:
    """Judge a saving in per cent: the budgets at which the published SNM-T and a rival come within 5 for good."""
    ours, sound, theirs, em = (_or_none(results, place, series) for series in (SNM_T, SOUND, rival, EM))
    last = results.line(place, SNM_T)[-1].x
    told = f"sound calibration: {_needs(sound)}; EM, to which the released LD reduces: {_needs(em)}"
    if ours is None:
        return Judgement(f"SNM-T not within 5 up to epsilon {last:g}, {rival} {_needs(theirs)}", "refuted", told)
    # A rival that never comes within 5 needs more than the largest budget.
    saving = 100 * (1 - ours / (theirs or last))
    more = "" if theirs else "at least "
    return Judgement(
        f"{more}{saving:.0f}% ({figure(ours)} against {_needs(theirs)})",
        "reproduced" if saving >= least - 5 else "refuted",
        told,
    )


def _needs(budget: float | None) -> str:
    return "never" if budget is None else f"epsilon {figure(budget)}"


def _or_none(results: Results, place: str, series: str) -> float | None:
    results.line(place, series)
    try:
        return reached(results, place, series)
    except Unmeasured:
        return None


def _claims() -> tuple[Claim, ...]:
    printed = [
        ("hepth", 50, LD, 69), ("hepth", 50, LD2, 85), ("hepth", 90, LD, 51), ("hepth", 99, LD, 51),
        ("patent", 50, LD, 51), ("patent", 90, LD, 70), ("patent", 99, LD, 70),
    ]  # fmt: skip
    return tuple(
        Claim(
            f"SNM-T needs less budget than {rival} on {name}, p = {p}, for an error within 5",
            f"{least}% less",
            partial(saved, panel(name, p), rival, least),
        )
        for name, p, rival, least in printed
    )


EXPERIMENT = Experiment(
    name="smooth_noisy_max_figure_7",
    paper="000",
    item="Figure 7",
    title="The absolute expected error |x_p - E x| of private percentiles.",
    method=(
        "The 4096 counts of each histogram; p = 50, 90 and 99; exact laws. A record scores 1 when its value is the "
        "percentile, with the corrected window in which the score cannot change. The thesis's error is a bias: a "
        "law that is symmetric about the percentile has none. LD2 is the median utility of 001 and exists for p = 50. "
        "A saving compares the budgets from which the error stays within 5, with 5 points of tolerance."
    ),
    grid=grid,
    measure=measure,
    x_label="epsilon",
    y_label="|x_p - E x|",
    y_scale="symlog",
    task="a percentile",
    better="lower",
    claims=_claims(),
    not_private=frozenset({SNM_T, SNM_LAP}),
    remark=(
        "Use permute-and-flip on ranks, whose global sensitivity is 1: it depends on no repetitions and is behind only "
        "where values are as sparse as the largest of INCOME. The published calibrations are not private for 4096 "
        "candidates."
    ),
)
