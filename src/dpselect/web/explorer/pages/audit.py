"""Check a claim: the exact worst privacy loss over all pairs of neighbours of a universe of one's own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpselect.analysis.charts.pmf_chart import pmf_bars
from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import exact_epsilon
from dpselect.mechanisms.registry import MECHANISMS, require_mechanism
from dpselect.web.explorer.explorer_page import Chart, Commands, Content, PageTable, State, View
from dpselect.web.explorer.form_fields import ChoiceField, Field, NumberField, TextField, exact_text
from dpselect.web.explorer.material import Material
from dpselect.web.explorer.privacy_claim import (
    CORRECTED,
    COUNTS,
    PRINTED,
    SUBSTITUTION,
    Claim,
    Verdict,
    judge_claim,
    losses,
)

# So many candidates and rows make at most 70 databases, which all mechanisms try in less than a second.
_MOST_NAMES, _MOST_ROWS, _LETTERS = 4, 4, 20
_SENSITIVITIES = (("1/4", "1/4"), ("1/2", "1/2"), ("1", "1"), ("2", "2"))
_SCORES = (
    (COUNTS, "counts"),
    (PRINTED, "winner, steps as printed"),
    (CORRECTED, "winner, steps as corrected"),
)
_RELATIONS = (("add-remove", "one row more or less"), (SUBSTITUTION, "one row replaced"))


def _fields(_: Material) -> Sequence[Field]:
    mechanisms = tuple((name, name) for name in MECHANISMS)
    return (
        NumberField("epsilon", "Epsilon", 1, 0.01, 10, slider=True, help="What the mechanism promises."),
        ChoiceField("mechanism", "Mechanism", mechanisms, "permute-and-flip"),
        TextField(
            "candidates", "Candidates", "tea, coffee, milk", help=f"Up to {_MOST_NAMES} names with commas between."
        ),
        NumberField(
            "rows", "Rows of a database", 4, 1, _MOST_ROWS, whole=True, help="Every database of so many is tried."
        ),
        ChoiceField(
            "score",
            "Score",
            _SCORES,
            COUNTS,
            help="The winner scores 1. As printed (Chaves 2024, Lemma 6.4) it stays for as many steps as it leads by: "
            "see what local-dampening loses then.",
        ),
        ChoiceField(
            "sensitivity",
            "Claimed sensitivity",
            _SENSITIVITIES,
            "1",
            help="How far one row moves a count, as claimed: halve it and see.",
        ),
        ChoiceField(
            "range",
            "Claimed range bound",
            (("1", "1: all move one way"), ("2", "2: in any direction")),
            "1",
            help="So many sensitivities lie at most between the changes of any two scores.",
        ),
        ChoiceField("neighbours", "Neighbours", _RELATIONS, "add-remove"),
    )


def _claim(state: State) -> Claim:
    names = tuple(name.strip() for name in state["candidates"].split(",") if name.strip())
    if not 2 <= len(names) <= _MOST_NAMES or len(set(names)) < len(names):
        raise InputError(f"Candidates are from 2 to {_MOST_NAMES} different names, with commas between.")
    if any(len(name) > _LETTERS for name in names):
        raise InputError(f"A candidate has at most {_LETTERS} letters.")
    if state["score"] != COUNTS and state["neighbours"] == SUBSTITUTION:
        raise InputError("The score of the winner is for one row more or less: choose those neighbours, or counts.")
    stated, bound = Fraction(state["sensitivity"]), int(state["range"])
    return Claim(names, state["rows"], state["score"], stated, bound, state["neighbours"])


def _view(state: State, _: Material) -> View:
    claim, epsilon = _claim(state), exact_epsilon(state["epsilon"])
    mechanism = require_mechanism(state["mechanism"])
    verdict = judge_claim(claim, mechanism.name, epsilon)
    pmfs = [mechanism.pmf(scores, epsilon) for scores in (verdict.first, verdict.second)]

    def draw(width: float) -> Any:
        return pmf_bars(verdict.first, pmfs[0], pmfs[1], mechanism.name, float(epsilon), width)

    parts = (
        Chart("The worst pair of neighbours", draw, _pair(verdict, pmfs, epsilon)),
        _sensitivity(claim, verdict),
        _mechanisms(claim, epsilon, verdict),
    )
    return View(_headline(verdict, mechanism.name, epsilon), parts, _commands(state, claim), _example(state, claim))


def _headline(verdict: Verdict, mechanism: str, epsilon: Fraction) -> str:
    loss = verdict.loss
    tried = f"all {verdict.databases} databases and {loss.pairs:,} pairs of neighbours"
    if not loss.holds:
        return (
            f"BROKEN: {mechanism} promises epsilon {exact_text(float(epsilon))} and loses {_figure(loss.worst)}, "
            f"{loss.attained}. Of {tried} this is the worst."
        )
    if not verdict.stated.admissible:
        return (
            f"BROKEN: the sensitivity claimed does not hold, though on {tried} {mechanism} loses "
            f"{_figure(loss.worst)}, no more than epsilon {exact_text(float(epsilon))}. {verdict.stated.counterexample}"
        )
    if verdict.spread:
        return (
            f"BROKEN: the range bound does not hold, though on {tried} {mechanism} loses {_figure(loss.worst)}, no "
            f"more than epsilon {exact_text(float(epsilon))}. {verdict.spread}"
        )
    whole = exact_text(float(epsilon))
    return f"The claim holds on {tried}: {mechanism} loses {_figure(loss.worst)} at worst, of epsilon {whole}."


def _pair(verdict: Verdict, pmfs: Sequence[Any], epsilon: Fraction) -> str:
    """Return in words what the two laws are, and where they differ most."""
    place = verdict.place
    here, there = (float(probabilities[place]) for probabilities in pmfs)
    factor = max(here, there) / min(here, there) if min(here, there) else math.inf
    return (
        f"Bars: {verdict.words[0]}. Black marks: {verdict.words[1]}. {verdict.first.candidates[place]} is named with "
        f"probability {here:.3g} and {there:.3g}: a factor of {_figure(factor)}, where epsilon allows "
        f"{math.exp(float(epsilon)):.3g}."
    )


def _sensitivity(claim: Claim, verdict: Verdict) -> PageTable:
    stated = verdict.stated
    claimed = f"{float(claim.sensitivity):g}" if claim.score == COUNTS else "at most 1, by the steps that are safe"
    rows = [
        ("claimed", claimed),
        ("largest change of a score here", f"{stated.global_sensitivity:g}"),
        ("holds at every distance", "yes" if stated.admissible else "NO"),
        ("range bound holds", "NO" if verdict.spread else "yes"),
        ("values checked", f"{stated.cells:,}"),
        ("databases", f"{verdict.databases:,}"),
        ("pairs of neighbours", f"{verdict.loss.pairs:,}"),
    ]
    failures = " ".join(each for each in (stated.counterexample, verdict.spread) if each)
    note = failures or "What holds here is not proved for larger databases; what fails here is refuted."
    return PageTable("The sensitivity", ("what", "on every database"), rows, note)


def _mechanisms(claim: Claim, epsilon: Fraction, verdict: Verdict) -> PageTable:
    rows = [
        (name, _figure(loss.worst), f"{loss.worst / float(epsilon):.0%}", "holds" if loss.holds else "BROKEN")
        for name, loss in losses(claim, epsilon)
    ]
    left = len(MECHANISMS) - len(rows)
    notes = [f"{left} other{'s do' if left > 1 else ' does'} not apply to such scores."] if left else []
    if verdict.spread or not verdict.stated.admissible:
        notes.append("The claim itself is broken: that a loss stays within epsilon here proves nothing elsewhere.")
    note = " ".join(notes)
    return PageTable(
        "Every mechanism with this claim", ("mechanism", "worst loss", "of epsilon", "verdict"), rows, note
    )


def _statements(state: State, claim: Claim) -> str:
    return (
        f"{claim.python()}\n"
        f'loss = dps.audit.privacy_loss("{state["mechanism"]}", utility, universe, '
        f"epsilon={exact_text(state['epsilon'])})\n"
        "print(loss)\nprint(dps.audit.admissible(utility, universe))"
    )


def _commands(state: State, claim: Claim) -> Commands:
    note = (
        "An audit reads no private data and spends nothing. The command tries the library's own claims about this "
        "mechanism; the Python is for a score of your own, in the place of this one."
    )
    return Commands(f"dpselect audit {state['mechanism']} --budget 20", _statements(state, claim), note)


def _example(state: State, claim: Claim) -> str:
    return (
        f"{_statements(state, claim)}\n"
        "first, second = (utility(universe[place]) for place in loss.pair)\n"
        f"dps.plot.pmf_chart(first, epsilon={exact_text(state['epsilon'])}, "
        f'mechanism="{state["mechanism"]}", neighbour=second)'
    )


def _figure(value: float) -> str:
    return "without bound" if math.isinf(value) else f"{value:.4g}"


PAGE = Content(_fields, _view)
