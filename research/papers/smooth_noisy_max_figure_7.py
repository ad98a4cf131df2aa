"""Chaves 2024, Figure 7: naming a percentile of a histogram's counts, and the budget that Smooth Noisy Max saves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

import dpselect as dps
from dpselect.mechanisms.base import Mechanism
from research.engine import data
from research.engine.budgets import AUTHORS_GRID, steps, steps_of
from research.engine.claims import budget_within, saving
from research.engine.experiment import Cell, Claim, Effort, Experiment, Judgement, Point, Results
from research.engine.series import PRIVACY, Series
from research.engine.verdicts import figure
from research.papers import percentile_losses
from research.papers.released.figure_7_logs import LOGS
from research.papers.released.percentile import released_percentile

UPPER = {"patent": 20_000, "hepth": 1_000, "income": 3_000_000}
EM, LD, LD2 = "EM", "LD", "LD2 (median utility)"
SNM_T, SNM_LAP = "SNM-T, as released", "SNM-LAP, as released"
DESCRIBED, SOUND, RANKS = "SNM-T, as described", "smooth-noisy-max, sound", "permute-and-flip on ranks"
SERIES = (
    Series(EM, "as described", "exponential"),
    Series(LD, "sound", "local dampening"),
    Series(LD2, "as described", "local dampening"),
    Series(SNM_T, "as released", "smooth noisy max, t"),
    Series(SNM_LAP, "as released", "smooth noisy max, Laplace"),
    Series(DESCRIBED, "as described", "smooth noisy max, t"),
    Series(SOUND, "sound", "smooth noisy max, t"),
    Series(RANKS, "sound", "permute-and-flip"),
)
LOGGED = "the authors' logs of SNM-T"
CLOSE = 5.0


def grid(_: Effort) -> list[Cell]:
    """One cell per histogram, percentile and mechanism, one for each log and each loss; LD2 is for the median only."""
    cells: list[Cell] = [
        {"dataset": name, "p": p, "series": each.name}
        for name in UPPER
        for p in (50, 90, 99)
        for each in SERIES
        if each.name != LD2 or p == 50
    ]
    cells += [{"dataset": name, "p": p, "log": SNM_T} for name, p in LOGS]
    return cells + [{"loss": each.name} for each in SERIES]


def epsilons(effort: Effort) -> tuple[float, ...]:
    """Return the authors' thirty budgets from .1 to 100; every third of them in a quick run."""
    return AUTHORS_GRID[:: 3 if effort.name == "quick" else 1]


def measure(cell: Cell, effort: Effort, _: np.random.Generator) -> Sequence[Point]:
    """The thesis's error |x_p - E x| at every budget, from the law; the logs' differences; the losses."""
    if "loss" in cell:
        return _losses(str(cell["loss"]), effort)
    name, p = str(cell["dataset"]), int(cell["p"])
    if "log" in cell:
        return [Point(LOGGED, name, p, _from_the_log(name, p))]
    series = str(cell["series"])
    values = data.histogram(name)
    right = float(np.sort(values)[values.size * p // 100])
    mechanism, scores, places = prepared(name, p, series)
    return [
        Point(panel(name, p), series, epsilon, abs(float(np.asarray(mechanism.pmf(scores, epsilon)) @ places) - right))
        for epsilon in epsilons(effort)
    ]


def _from_the_log(name: str, p: int) -> float:
    """Return the greatest relative difference between the logged expected values and those of the law."""
    mechanism, scores, places = prepared(name, p, SNM_T)
    logged = np.array(LOGS[name, p])
    ours = [float(np.asarray(mechanism.pmf(scores, epsilon)) @ places) for epsilon in AUTHORS_GRID[: logged.size]]
    return float(np.max(np.abs(ours - logged) / np.maximum(np.abs(logged), 1e-6)))


def prepared(name: str, p: int, series: str) -> tuple[Mechanism, dps.Scores, NDArray[np.int64]]:
    """Return the mechanism of a series, its scores, and the value of every candidate."""
    values = data.histogram(name)
    if series == RANKS:
        places = np.arange(UPPER[name] + 1)
        return mechanism(series), dps.utilities.percentile(values, p, grid=places), places
    if series == LD2:
        return mechanism(series), dps.papers.median(values, upper=int(values.max())), values
    if series in (SNM_T, SNM_LAP):
        return mechanism(series), released_percentile(values, p, unsound="reproduction"), values
    # Only the ends of the grid and the values on it matter for how long the score cannot change.
    cells = dps.papers.percentile(values, p, grid=np.unique(np.append(values, (0, UPPER[name]))))
    # The theses choose among records: a record scores 1 when its value is the percentile.
    right = np.sort(values)[values.size * p // 100]
    flat = dps.sensitivity.local(lambda t: cells.sensitivity.at(t)[0], ceiling=1.0)
    among = dps.Scores((values == right).astype(np.int64), flat, zero=cells.zero)
    return mechanism(series), among, values


def mechanism(series: str) -> Mechanism:
    """Return the mechanism of a series."""
    published = partial(dps.mechanism, "smooth-noisy-max", calibration="chaves-2024", unsound="reproduction")
    released = partial(published, exponent="printed", floor=0.01)
    made = {
        EM: partial(dps.mechanism, "exponential"),
        LD: partial(dps.mechanism, "local-dampening"),
        LD2: partial(dps.mechanism, "local-dampening"),
        SNM_T: released,
        SNM_LAP: partial(released, noise="laplace", alpha="released"),
        DESCRIBED: published,
        SOUND: partial(dps.mechanism, "smooth-noisy-max"),
        RANKS: partial(dps.mechanism, "permute-and-flip"),
    }
    return made[series]()


def _losses(series: str, effort: Effort) -> list[Point]:
    """The exact loss on small universes of records, and for 0/1 scores on a path of databases of 4096 values."""
    released = partial(released_percentile, unsound="reproduction")
    utilities: dict[str, Callable[..., dps.Scores]] = {
        RANKS: percentile_losses.ranks,
        SNM_T: released,
        SNM_LAP: released,
    }
    points = []
    for epsilon in epsilons(effort)[::4]:
        if series == LD2:
            loss = percentile_losses.of_median(mechanism(series), epsilon)
        else:
            utility = utilities.get(series, percentile_losses.winner)
            loss = percentile_losses.of_percentile(mechanism(series), utility, epsilon)
            if series != RANKS:
                stride = 2 if utility is released else 1
                loss = max(loss, percentile_losses.of_path(mechanism(series), epsilon, stride=stride))
        points.append(Point(PRIVACY, series, epsilon, loss / epsilon))
    return points


def panel(name: str, p: int) -> str:
    """Return the title of a panel."""
    return f"{name}, p = {p}"


def saved(place: str, rival: str, percent: float, results: Results) -> Judgement:
    """Judge a saving in per cent: by the sound calibration first, then as released; and against dampening done right.

    What the program calls LD draws as the exponential mechanism.
    """
    theirs = EM if rival == LD else rival
    judge = partial(saving, results, place, percent=percent, close=CLOSE)
    sound = judge(SOUND, theirs, private=True)
    series, chosen = (SOUND, sound) if sound.verdict == "reproduced" else (SNM_T, judge(SNM_T, theirs, private=False))
    sentences = [_counted(results, place, series, theirs, percent)]
    if rival == LD:
        right = judge(SNM_T, LD, private=False).ours
        sentences.append(f"What the program calls LD draws as EM; dampening done right against SNM-T: {right}.")
    sentences.append(f"As described SNM-T is {_needs(results, place, DESCRIBED)}.")
    sentences.append(f"The sound calibration is {_needs(results, place, SOUND)}.")
    return Judgement(chosen.ours, chosen.verdict, " ".join(sentences))


def _counted(results: Results, place: str, series: str, rival: str, percent: float) -> str:
    """Return a sentence on how many steps of the grid a saving is."""
    least, theirs = (budget_within(results, place, name, CLOSE) for name in (series, rival))
    if least is None:
        return f"{rival} is {_needs(results, place, rival)}."
    number, wanted = steps(least, theirs or AUTHORS_GRID[-1]), steps_of(percent)
    more = "" if theirs else "at least "
    return f"On the authors' grid of budgets that is {more}{number:.0f} steps, and {percent:g}% are {wanted:.0f}."


def _needs(results: Results, place: str, series: str) -> str:
    budget = budget_within(results, place, series, CLOSE)
    return "never within 5" if budget is None else f"within 5 from epsilon {figure(budget)} on"


def _as_logged(results: Results) -> Judgement:
    worst = max(results.at(LOGGED, name, p).value for name, p in LOGS)
    total = sum(map(len, LOGS.values()))
    return Judgement(
        f"all {total} to a relative {worst:.1g}" if worst < 1e-6 else f"apart by up to {worst:.2g}",
        "reproduced, without privacy" if worst < 1e-6 else "refuted",
        "Student t with the printed exponent exp(-(2j + 1) epsilon), j around the median, never below .01",
    )


def _claims() -> tuple[Claim, ...]:
    printed = [
        ("hepth", 50, LD, 69), ("hepth", 50, LD2, 85), ("hepth", 90, LD, 51), ("hepth", 99, LD, 51),
        ("patent", 50, LD, 51), ("patent", 90, LD, 70), ("patent", 99, LD, 70),
    ]  # fmt: skip
    logged = Claim("The logged expected values of SNM-T, nine panels", "260 numbers of six decimals", _as_logged)
    return logged, *(
        Claim(
            f"SNM-T needs less budget than {rival} on {name}, p = {p}, for an error within 5",
            f"{percent}% less",
            partial(saved, panel(name, p), rival, percent),
        )
        for name, p, rival, percent in printed
    )


EXPERIMENT = Experiment(
    name="smooth_noisy_max_figure_7",
    paper="000",
    item="Figure 7",
    title="The absolute expected error |x_p - E x| of private percentiles.",
    method=(
        "The 4096 counts of each histogram; p = 50, 90 and 99; exact laws at the authors' thirty budgets. A record "
        "scores 1 when its value is the percentile. As released: S = exp(-(2j + 1) epsilon), as Lemma 5.4 prints, j "
        "around the median for every p, and no S below .01. As described: beta = epsilon / 8 and the corrected window "
        "in which the score cannot change. LD is dampening done right; what the program calls LD draws as EM. LD2 is "
        "the median utility of Farias 2021 and exists for p = 50. The thesis's error is a bias: a law that is "
        "symmetric about the percentile has none. Savings are judged in steps of the authors' budgets, one "
        "either way; more steps are another size."
    ),
    grid=grid,
    measure=measure,
    x_label="epsilon",
    y_label="|x_p - E x|",
    y_scale="symlog",
    y_labels={LOGGED: "greatest relative difference"},
    x_labels={LOGGED: "p"},
    task="a percentile",
    better="lower",
    claims=_claims(),
    series=SERIES,
    drawn=(SNM_T, DESCRIBED, EM, LD, LD2, RANKS),
    losses_on=(
        "The losses are exact on all tables of at most eight records of three values, p = 50, and for 0/1 scores on a "
        "path of databases of 4096 values whose winner is safe for more and more steps. They are at least that much "
        "elsewhere."
    ),
    remark=(
        "Use permute-and-flip on ranks, whose global sensitivity is 1: it depends on no repetitions and is behind only "
        "where values are as sparse as the largest of INCOME."
    ),
)
