"""Choose among candidates: counts that can be changed by hand, and the exact chance of each name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpselect.analysis.charts.law import law_bars, written
from dpselect.kernel.errors import PrivacyError
from dpselect.kernel.numbers import exact_epsilon
from dpselect.mechanisms.named import EVERY_MECHANISM, require_mechanism
from dpselect.scores.scores import Scores
from dpselect.web.explorer.field import Choice, Counts, Field, Number
from dpselect.web.explorer.material import Material
from dpselect.web.explorer.page import Chart, Commands, Page, State, Table, View

VOTES = (("tea", 60), ("coffee", 57), ("water", 31), ("juice", 12), ("milk", 7))


def _fields(_: Material) -> Sequence[Field]:
    mechanisms = tuple((name, name) for name in EVERY_MECHANISM)
    return (
        Number(
            "epsilon",
            "Epsilon",
            0.5,
            0.001,
            100,
            slider=True,
            help="What the choice may reveal; smaller is more private.",
        ),
        Choice("mechanism", "Mechanism", mechanisms, "permute-and-flip"),
        Counts("candidate", "Candidates and their counts", VOTES, help="Change them by hand: these are made up."),
        Choice(
            "neighbour",
            "Neighbour",
            (("more", "one more"), ("less", "one less")),
            "more",
            help="How one person more or less changes the count of the first candidate.",
        ),
    )


def _scores(rows: Sequence[tuple[str, int]]) -> Scores:
    return Scores(dict(rows), sensitivity=1, range_bound=1, kind="integer")


def _view(state: State, _: Material) -> View:
    rows, value = state["candidate"], exact_epsilon(state["epsilon"])
    moved = [
        (name, max(0, count + (1 if state["neighbour"] == "more" else -1)) if number == 0 else count)
        for number, (name, count) in enumerate(rows)
    ]
    scores, other = _scores(rows), _scores(moved)
    mechanism = require_mechanism(state["mechanism"])
    here, there = mechanism.log_law(scores, value), mechanism.log_law(other, value)
    loss = float(np.abs(here - there).max())
    first = int(scores.values.argmax())
    chance = float(np.exp(here)[first])
    headline = (
        f"{scores.candidates[first]}, which has the largest count, is named with probability {written(chance)}. "
        f"One neighbour changes a chance by a factor of {math.exp(loss):.3g} at most here; "
        f"epsilon allows {math.exp(float(value)):.3g}."
    )

    def draw(width: float) -> Any:
        return law_bars(scores, np.exp(here), np.exp(there), mechanism.name, float(value), width)

    table = Table("All mechanisms at this epsilon", ("mechanism", "right", "expected loss"), _compared(scores, value))
    return View(
        headline, (Chart("How likely each candidate is", draw, headline), table), _commands(state), _example(state)
    )


def _compared(scores: Scores, epsilon: Any) -> list[list[str]]:
    short = scores.values.max() - scores.values.astype(np.float64)
    rows = []
    for name in EVERY_MECHANISM:
        try:
            law = require_mechanism(name).law(scores, epsilon)
        except (PrivacyError, ValueError):
            continue
        rows.append([name, written(float(law[short == 0].sum())), f"{float(law @ short):.3g}"])
    return rows


def _commands(state: State) -> Commands:
    epsilon, mechanism = f"{state['epsilon']:g}", state["mechanism"]
    shell = (
        "dpselect most-common people.csv --column choice --domain choices.txt "
        f"--epsilon {epsilon} --mechanism {mechanism} --ledger people.ledger"
    )
    python = (
        'scores = dps.Scores(counts, sensitivity=1, range_bound=1, kind="integer")\n'
        f'dps.select(scores, {epsilon}, mechanism="{mechanism}", ledger=ledger)'
    )
    return Commands(shell, python, "Candidates are public: list all of them, whatever the data.")


def _example(state: State) -> str:
    return (
        "import dpselect as dps\n\n"
        f'scores = dps.Scores({dict(state["candidate"])!r}, sensitivity=1, range_bound=1, kind="integer")\n'
        f'dps.law_chart(scores, {state["epsilon"]:g}, mechanism="{state["mechanism"]}")'
    )


PAGE = Page(
    "candidates",
    "Choose among candidates",
    "How likely is each candidate to be named, and what does one person change?",
    _fields,
    _view,
)
