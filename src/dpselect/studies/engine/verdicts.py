"""Verdicts, computed from the numbers: what held, what is refuted, what cannot be compared, and what wins."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dpselect.studies.engine.experiment import (
    Experiment,
    Judgement,
    NotReproduced,
    Printed,
    Results,
    Unmeasured,
    Verdict,
)
from dpselect.studies.engine.runs import Outcome

# The spread of fewer runs is not known.
_FEWEST = 5
VERDICTS: tuple[Verdict, ...] = ("held", "refuted", "not comparable")


@dataclass(frozen=True)
class Row:
    """One line of the table of all claims."""

    paper: str
    item: str
    claim: str
    printed: str
    ours: str
    verdict: Verdict | str
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
    """Judge one printed number: held within the tolerance and what chance allows, unless that says nothing."""
    try:
        ours = results.at(place.panel, place.series, place.x)
    except Unmeasured:
        return Judgement(
            "", "not comparable", "; ".join(filter(None, ["not measured in this run", place.not_comparable]))
        )
    error = 0.0 if math.isnan(ours.error) else ours.error
    shown = figure(ours.value) + (f" ± {figure(error)}" if error else "")
    if place.not_comparable:
        return Judgement(shown, "not comparable", place.not_comparable)
    tolerance = experiment.tolerance if place.tolerance is None else place.tolerance
    by_chance = _margin(ours.runs) * error
    allowed, difference = tolerance + by_chance, abs(ours.value - place.value)
    few = 0 < ours.runs < _FEWEST or 0 < 2 * tolerance < by_chance
    if few and (difference <= allowed or ours.runs < _FEWEST):
        return Judgement(
            shown, "not comparable", f"too few runs ({ours.runs}) for the tolerance of {figure(tolerance)}"
        )
    verdict: Verdict = "held" if difference <= allowed else "refuted"
    return Judgement(shown, verdict, f"apart by {figure(difference)}, allowed {figure(allowed)}")


def _margin(runs: int) -> float:
    """Return how many standard errors chance moves a mean of that many runs, at 95 per cent: Student's, not below 2."""
    from scipy.stats import t

    return max(2.0, float(t.ppf(0.975, runs - 1))) if runs > 1 else 2.0


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
    for place in experiment.printed:
        # Facts of a dataset stand at x = 0, which means nothing.
        text = f"{place.panel}: {place.series}" + (f" at {figure(place.x)}" if place.x else "")
        judged.append((text, figure(place.value), rule(experiment, results, place)))
    return [
        Row(experiment.paper, experiment.item, text, number, judgement.ours, judgement.verdict, judgement.why)
        for text, number, judgement in judged
    ]


def not_reproduced(claims: Iterable[NotReproduced]) -> list[Row]:
    """Return claims that no experiment repeats."""
    return [
        Row(each.paper, each.item, each.text, each.printed, "", "not reproduced", f"because {each.because}")
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
    counts = ", ".join(f"{counted[verdict]} {verdict}" for verdict in VERDICTS if counted[verdict])
    drawn = [each for each in outcome.results.points if each.runs and not math.isnan(each.error)]
    exact = sum(not each.runs for each in outcome.results.points)
    how = "exact laws, no sampling error"
    if drawn:
        worst = max(drawn, key=lambda each: each.error)
        how = f"standard error at most {figure(worst.error)} in “{experiment.label(worst.panel)}”"
    if drawn and exact:
        how += f"; {exact} points exact"
    tolerance = f"; tolerance {figure(experiment.tolerance)}" if experiment.printed else ""
    return f"Of {total} printed claims {counts} ({how}{tolerance})."


def best(experiment: Experiment, results: Results) -> list[tuple[str, float]]:
    """Return the private series with their mean rank over all panels and x, the best first; 1 is best.

    Only places where every private series of the panel was measured are ranked; ties share their ranks.
    """
    ranks: dict[str, list[float]] = {}
    for panel in results.panels():
        series = [name for name in results.series(panel) if name not in experiment.not_private]
        lines = {name: {p.x: p.value for p in results.line(panel, name)} for name in series}
        if len(series) < 2:
            continue
        for x in sorted(set.intersection(*(set(line) for line in lines.values()))):
            values = np.array([lines[name][x] for name in series])
            signed = -values if experiment.better == "higher" else values
            for name, rank in zip(series, _ranks(signed), strict=True):
                ranks.setdefault(name, []).append(rank)
    return sorted(((name, float(np.mean(places))) for name, places in ranks.items()), key=lambda pair: pair[1])


def _ranks(values: Sequence[float] | np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[float]:
    array = np.asarray(values, dtype=float)
    return [float(np.sum(array < each) + (np.sum(array == each) + 1) / 2) for each in array]
