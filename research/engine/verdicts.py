"""Verdicts, computed from the numbers: what comes out, at what price, what does not, and what wins."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from research.engine.allowed import Allowed, allowed
from research.engine.experiment import (
    Experiment,
    Judgement,
    NotReproduced,
    Point,
    Printed,
    Results,
    Unmeasured,
    Verdict,
)
from research.engine.runs import Outcome
from research.engine.series import PRIVACY, price

# The spread of fewer runs is not known, nor that of some more that all give the same.
_FEWEST, _ALIKE = 3, 20
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True)
class Row:
    """One line of the table of all claims."""

    paper: str
    item: str
    claim: str
    printed: str
    ours: str
    verdict: Verdict
    why: str = ""


def figure(value: float) -> str:
    """Return a number as people write it: counts whole, others with four digits, no exponent where none is needed."""
    if 1e4 <= abs(value) < 1e12 and value == round(value):
        return f"{value:,.0f}"
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    if 1e-3 <= abs(value) < 1e5:
        return f"{value:.4g}"
    return f"{value:.3g}"


def rule(experiment: Experiment, results: Results, place: Printed) -> Judgement:
    """Judge one printed number against the line of ours that its whole printed row is compared with."""
    return _ruled(experiment, results, place, line(experiment, results, place))


def _ruled(experiment: Experiment, results: Results, place: Printed, name: str) -> Judgement:
    ours = _at(results, place, name)
    if ours is None:
        why = "; ".join(filter(None, ["not measured in this run", place.not_comparable or place.depends]))
        return Judgement("", "not comparable", why)
    if place.depends or place.not_comparable:
        verdict: Verdict = "depends on unpublished data or choices" if place.depends else "not comparable"
        return Judgement(_shown(ours), verdict, place.depends or place.not_comparable)
    judgement = _judged(experiment, results, place, ours)
    if judgement.verdict != "reproduced" or experiment.private(results, name) or _fact(experiment, name):
        return judgement
    return Judgement(judgement.ours, reproduced(private=False), judgement.why)


def line(experiment: Experiment, results: Results, one: Printed) -> str:
    """Return which line of ours a printed row is compared with, one for all numbers of a series in a panel.

    A private one where none of the row's numbers is refuted; else the one of which fewest are, so that no number is
    taken from one account and the next from another. A refuted number of one panel moves no other panel.
    """
    names = candidates(experiment, one)
    alike = [each for each in experiment.printed if _row(each) == _row(one)] or [one]
    judged = [each for each in alike if not (each.depends or each.not_comparable)]

    def rank(name: str) -> tuple[bool, bool, int]:
        points = [(each, ours) for each in judged if (ours := _at(results, each, name)) is not None]
        wrong = sum(_judged(experiment, results, each, ours).verdict == "refuted" for each, ours in points)
        private = experiment.private(results, name) and not wrong
        return not any(_at(results, each, name) for each in alike), not private, wrong

    return names[0] if len(names) == 1 else min(names, key=rank)


def _row(place: Printed) -> tuple[str, str, tuple[str, ...]]:
    return place.panel, place.series, place.ours


def candidates(experiment: Experiment, place: Printed) -> tuple[str, ...]:
    """Return the lines of ours that a printed number may be compared with."""
    return place.ours or experiment.judged_by.get(place.series, (place.series,))


def reproduced(private: bool) -> Verdict:
    """Return the verdict on what comes out: with privacy, or without."""
    return "reproduced" if private else "reproduced, without privacy"


def _at(results: Results, place: Printed, name: str) -> Point | None:
    try:
        return results.at(place.panel, name, place.x)
    except Unmeasured:
        return None


def _fact(experiment: Experiment, name: str) -> bool:
    """Return whether a series holds facts, such as counts of a dataset, which have no privacy to lose."""
    described = experiment.described(name)
    return described is not None and described.kind == "reference"


def _shown(ours: Point) -> str:
    error = 0.0 if math.isnan(ours.error) else ours.error
    return figure(ours.value) + (f" ± {figure(error)}" if error else "")


def _judged(experiment: Experiment, results: Results, place: Printed, ours: Point) -> Judgement:
    shown = _shown(ours)
    if not math.isfinite(ours.value):
        return Judgement(shown, "not comparable", "ours is not a number")
    if 0 < ours.runs < _FEWEST or (0 < ours.runs < _ALIKE and not ours.error):
        return Judgement(shown, "not comparable", f"too few runs ({ours.runs}) to know how they spread")
    limit = limit_of(experiment, results, place, ours)
    difference = abs(ours.value - place.value)
    apart = f"apart by {figure(difference)}, allowed {figure(limit.total)}"
    if difference > limit.total + 1e-12:
        return Judgement(shown, "refuted", apart)
    if not limit.useful(place.value):
        return Judgement(shown, "not comparable", f"too few runs ({ours.runs}) to decide: {apart}")
    if limit.twice(ours.value, place.value):
        return Judgement(shown, "not comparable", f"too few runs ({ours.runs}) to tell it from twice or half: {apart}")
    return Judgement(shown, "reproduced", apart)


def limit_of(experiment: Experiment, results: Results, place: Printed, ours: Point) -> Allowed:
    """Return how far a point of ours may lie from a printed number."""
    return allowed(experiment, place, ours, released_at(experiment, results, place))


def released_at(experiment: Experiment, results: Results, place: Printed) -> Point | None:
    """Return the drawn point as released beside a printed number, whose spread is that of the paper's runs."""
    released = [
        _at(results, place, name)
        for name in candidates(experiment, place)
        if (described := experiment.described(name)) is not None and described.kind == "as released"
    ]
    return next((each for each in released if each and each.runs), None)


def power(experiment: Experiment, results: Results, place: Printed, name: str) -> tuple[float, list[str]] | None:
    """Return what a verdict on a printed number could not tell from it: so large an error, and other methods' lines.

    The error is a share of the printed number; None where only rounding is allowed, or nothing was measured.
    """
    ours = _at(results, place, name)
    limit = None if ours is None else limit_of(experiment, results, place, ours)
    if limit is None or not limit.chance + limit.tolerance or not place.value:
        return None
    own, others = candidates(experiment, place), list[str]()
    for other in experiment.printed:
        if (other.panel, other.x) == (place.panel, place.x) and other.series != place.series:
            others += [each for each in candidates(experiment, other) if each not in (*own, *others)]
    passing = [
        each
        for each in others
        if (point := _at(results, place, each)) is not None and abs(point.value - place.value) <= limit.total
    ]
    return limit.total / abs(place.value), passing


def _with_power(found: tuple[float, list[str]] | None) -> str:
    if found is None:
        return ""
    share, passing = found
    return f"; {100 * share:.0f} % off would pass" + (f", and so would {' and '.join(passing)}" if passing else "")


def rows(outcome: Outcome) -> list[Row]:
    """Return every claim of an experiment with its verdict: sentences first, then printed numbers."""
    experiment, results = outcome.experiment, outcome.results
    judged: list[tuple[str, str, Judgement]] = []
    for claim in experiment.claims:
        try:
            judgement = claim.judge(results)
        except Unmeasured as missing:
            judgement = Judgement("", "not comparable", f"not measured here: {missing.args[0]}")
        judged.append((claim.text, claim.printed, judgement))
    # All numbers of a printed row are compared with one line of ours.
    held: dict[tuple[str, str, tuple[str, ...]], str] = {}
    for place in experiment.printed:
        if _row(place) not in held:
            held[_row(place)] = line(experiment, results, place)
        # Facts of a dataset stand at x = 0, which means nothing.
        text = f"{place.panel}: {place.series}" + (f" at {figure(place.x)}" if place.x else "")
        judgement = _ruled(experiment, results, place, held[_row(place)])
        if judgement.verdict.startswith("reproduced"):
            told = _with_power(power(experiment, results, place, held[_row(place)]))
            judgement = Judgement(judgement.ours, judgement.verdict, judgement.why + told)
        judged.append((text, figure(place.value), judgement))
    return [
        Row(experiment.paper, experiment.item, text, number, judgement.ours, judgement.verdict, judgement.why)
        for text, number, judgement in judged
    ]


def not_reproduced(claims: Iterable[NotReproduced]) -> list[Row]:
    """Return claims that no experiment repeats."""
    return [
        Row(each.paper, each.item, each.text, each.printed, "", "not comparable", f"not repeated: {each.because}")
        for each in claims
    ]


def sentence(outcome: Outcome) -> str:
    """Return the verdict of one experiment in one sentence."""
    experiment = outcome.experiment
    counted = Counter(row.verdict for row in rows(outcome))
    total = sum(counted.values())
    if not outcome.results.points:
        return "Nothing was measured: " + (
            f"{', '.join(outcome.skipped)} not in the data folder." if outcome.skipped else "see the notes."
        )
    if not total:
        return "The paper prints no number here; the picture is ours alone."
    counts = "; ".join(f"{counted[verdict]} {verdict}" for verdict in VERDICTS if counted[verdict])
    points = [each for each in outcome.results.points if each.panel != PRIVACY]
    drawn = [each for each in points if each.runs and not math.isnan(each.error)]
    exact = sum(not each.runs for each in points)
    how = "exact laws, no sampling error"
    if drawn:
        worst = max(drawn, key=lambda each: each.error)
        how = f"standard error at most {figure(worst.error)} in “{experiment.label(worst.panel)}”"
    if drawn and exact:
        how += f"; {exact} points exact"
    tolerance = f"; tolerance {figure(experiment.tolerance)}" if experiment.tolerance else ""
    return f"Of {total} printed claims: {counts} ({how}{tolerance})."


def allowance(experiment: Experiment) -> str:
    """Return how far the printed numbers may lie from ours, in a sentence."""
    number = len(experiment.printed)
    runs = f", of which the paper has {experiment.paper_runs} behind each" if experiment.paper_runs else ""
    return (
        f"A printed number may differ from ours as far as both standard errors allow at 5 per cent over all {number} "
        f"numbers{runs}, and by rounding; a number that is twice the printed one is never reproduced. A printed row "
        "is compared with one line of ours: a private one if none of its numbers is refuted, otherwise the closest."
    )


def message(outcome: Outcome) -> str:
    """Return what a picture shows, in a sentence: what is best at the stated privacy, and what the rest costs."""
    experiment, results = outcome.experiment, outcome.results
    ranked = best(experiment, results) if experiment.task else []
    parts = []
    if len(ranked) > 1:
        parts.append(f"Best at the stated privacy: {ranked[0][0]} (mean rank {ranked[0][1]:.1f} of {len(ranked)}).")
    losing = [(loss, each.name) for each in experiment.series if (loss := results.loss(each.name)) and loss > 1 + 1e-9]
    if losing:
        loss, name = max(losing)
        parts.append(f"Not private: {name} loses {price(loss)}.")
    return " ".join(parts)


def best(experiment: Experiment, results: Results) -> list[tuple[str, float]]:
    """Return the private series with their mean rank over all panels and x, the best first; 1 is best.

    Only lines of one measure are ranked, that of which there are most, and of two that with a sound line. Only places
    where every such series of the panel was measured are ranked; ties share their ranks.
    """
    ranks: dict[str, list[float]] = {}
    for panel in results.panels():
        private = [name for name in results.series(panel) if experiment.private(results, name)]
        series = _of_one_measure(experiment, private)
        lines = {name: {p.x: p.value for p in results.line(panel, name)} for name in series}
        if len(series) < 2:
            continue
        for x in sorted(set.intersection(*(set(line) for line in lines.values()))):
            values = np.array([lines[name][x] for name in series])
            signed = -values if experiment.better == "higher" else values
            for name, rank in zip(series, _ranks(signed), strict=True):
                ranks.setdefault(name, []).append(rank)
    return sorted(((name, float(np.mean(places))) for name, places in ranks.items()), key=lambda pair: pair[1])


def _of_one_measure(experiment: Experiment, names: Sequence[str]) -> list[str]:
    """Return the lines of the measure that most of them share."""
    groups: dict[str, list[str]] = {}
    sound: Counter[str] = Counter()
    for name in names:
        described = experiment.described(name)
        measure = described.measure if described else ""
        groups.setdefault(measure, []).append(name)
        sound[measure] += described is not None and described.kind == "sound"
    return max(groups.items(), key=lambda item: (len(item[1]), sound[item[0]]), default=("", []))[1]


def _ranks(values: Sequence[float] | np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[float]:
    array = np.asarray(values, dtype=float)
    return [float(np.sum(array < each) + (np.sum(array == each) + 1) / 2) for each in array]
