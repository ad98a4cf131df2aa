"""What matters most in a run, in sentences made from its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from research.engine import power, verdicts
from research.engine.authors import PAPERS
from research.engine.runs import Outcome
from research.engine.series import price
from research.engine.verdicts import Row


def findings(rows: Sequence[Row], outcomes: Sequence[Outcome]) -> list[str]:
    """Return the price of the printed numbers, what wins at the stated privacy, and what does not come out."""
    return [line for line in (_price(rows, outcomes), _power(outcomes), _winners(outcomes), _wrong(rows)) if line]


def _price(rows: Sequence[Row], outcomes: Sequence[Outcome]) -> str:
    counted = Counter(row.verdict for row in rows)
    private, losing = counted["reproduced"], counted["reproduced, without privacy"]
    other = counted["same direction, other size"]
    apart = f" {other} more have the printed direction and another size." if other else ""
    text = f"{private + losing} of {len(rows)} printed claims are reproduced: {private} at the stated privacy"
    if not losing:
        return f"{text}.{apart}"
    priced = {(row.paper, row.item) for row in rows if row.verdict == "reproduced, without privacy"}
    losses = [
        (loss, series.name, outcome)
        for outcome in outcomes
        if (outcome.experiment.paper, outcome.experiment.item) in priced
        for series in outcome.experiment.series
        if series.kind == "as released" and (loss := outcome.results.loss(series.name)) is not None and loss > 1
    ]
    text += f", and {losing} by a set-up that loses more than it says, where no private line of ours fits the whole row"
    if losses:
        loss, name, outcome = max(losses, key=lambda each: each[0])
        each = outcome.experiment
        where = f"{PAPERS[each.paper].authors}, {each.item}"
        text += f" (the largest loss is that of {name} in {where}: {price(loss)})"
    return f"{text}.{apart}"


def _power(outcomes: Sequence[Outcome]) -> str:
    numbers, percent, passing = power.in_all(outcomes)
    if not numbers:
        return ""
    return (
        f"Single numbers say little with the runs there are: of {numbers} reproduced within chance, half would be so "
        f"if they were {percent} % off, and {passing} by another method's line too. "
        "Whole lines are tested on each page."
    )


def _winners(outcomes: Sequence[Outcome]) -> str:
    kinds: Counter[str] = Counter()
    for outcome in outcomes:
        each = outcome.experiment
        ranked = verdicts.best(each, outcome.results) if each.task else []
        described = each.described(ranked[0][0]) if ranked else None
        if described is not None:
            kinds[described.kind] += 1
    if not kinds:
        return ""
    others = "".join(f", a line {kind} in {number}" for kind, number in kinds.most_common() if kind != "sound")
    return (
        f"Of the lines that keep their promise, a sound one of this library is the best in {kinds['sound']} of "
        f"{sum(kinds.values())} tasks{others}."
    )


def _wrong(rows: Sequence[Row]) -> str:
    refuted = [row for row in rows if row.verdict == "refuted"]
    if not refuted:
        return "No printed claim is refuted where its set-up is known."
    papers = Counter(PAPERS[row.paper].authors for row in refuted)
    where = ", ".join(f"{number} of {authors}" for authors, number in papers.most_common())
    return f"{len(refuted)} are not reproduced though their set-up is printed or known: {where}."
