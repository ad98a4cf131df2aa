"""Three questions as the page tells them: from rows to a release and a certificate, and what the first try is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpselect as dps
from dpselect.formulas.derived_sensitivity import FormulaError
from dpselect.release.best import GroupRanking

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "best-groups.md"
RNG = np.random.default_rng(41)


def page_score(question: str) -> str:
    """The formula of a line of the page's table."""
    (line,) = [each for each in PAGE.read_text(encoding="utf-8").splitlines() if each.startswith(f"| {question} ")]
    return line.split("|")[3].split("`")[1]


def drugs() -> tuple[dict[str, Any], dict[str, Any]]:
    risk = {"A": 0.16, "B": 0.08, "C": 0.2}
    rows = [(drug, arm, event) for drug in risk for arm in ("treated", "placebo") for event in RNG.random(2000)]
    outcome = [
        f"{arm} {'yes' if event < (risk[drug] if arm == 'treated' else 0.2) else 'no'}" for drug, arm, event in rows
    ]
    values = [f"{arm} {event}" for arm in ("treated", "placebo") for event in ("yes", "no")]
    return {"drug": [row[0] for row in rows], "outcome": outcome}, {"drug": [*risk], "outcome": values}


def teams() -> tuple[dict[str, Any], dict[str, Any]]:
    right = {"red": 0.7, "blue": 0.95, "green": 0.8}
    rows = [(team, truth < 0.3, hit < share) for team, share in right.items() for truth, hit in RNG.random((1500, 2))]
    result = [("tp" if hit else "fn") if truth else ("tn" if hit else "fp") for _, truth, hit in rows]
    return {"team": [row[0] for row in rows], "result": result}, {"team": [*right], "result": ["tp", "fp", "fn", "tn"]}


def shops() -> tuple[dict[str, Any], dict[str, Any]]:
    spread = {"Alpha": 1, "Beta": 6, "Gamma": 3}
    prices = [np.clip(RNG.normal(20, each, 2000), 0, 40).round(1) for each in spread.values()]
    rows = {"shop": np.repeat([*spread], 2000), "price": np.concatenate(prices)}
    domain = {"price": {"lower": 0, "upper": 40, "step": 0.1}, "squared": {"lower": 0, "upper": 1600, "step": 0.01}}
    return {**rows, "squared": (rows["price"] ** 2).round(2)}, {"shop": [*spread], **domain}


ASKED = {
    "which drug has the least relative risk": (drugs, "drug", "lowest", "B"),
    "which team has the best F1": (teams, "team", "highest", "blue"),
    "which shop has the most various prices": (shops, "shop", "highest", "Beta"),
}


@pytest.mark.parametrize("question", ASKED)
def test_the_formulas_of_the_page_are_released_with_a_certificate(question: str) -> None:
    """At an epsilon that leaves nothing to chance; the accuracy counts rows, and its plan spends nothing."""
    make, by, order, best = ASKED[question]
    rows, columns = make()
    data = dps.open(dps.Dataset.of(rows, columns=columns, budget={"epsilon": 100}))
    release = data.best(page_score(question), by=by, order=order, epsilon=50)

    assert release.value == (best,)
    assert "rows behind the best" in release.error_bound.describe()
    assert page_score(question) in release.certificate().content["question"]
    assert data.ledger.totals.spends == 1


@pytest.mark.parametrize(
    ("score", "words"),
    [
        ("rate(arm = 'treated' and event = 'yes')", "compares one column once: for two at once, add a column"),
        ("count(price > 3 or price < 2)", "compares one column once: for two at once, add a column"),
        ("count(said = yes said = no)", "compares one column once: for two at once, add a column"),
        ("avg(price * price)", "avg takes the name of one column: for what is computed of each row"),
        ("avg(square(price))", "avg takes the name of one column: for what is computed of each row"),
    ],
)
def test_a_first_try_is_told_to_add_a_column(score: str, words: str) -> None:
    """In one sentence, before a row is read."""
    with pytest.raises(FormulaError, match=words):
        GroupRanking.of(score, {"price": {"lower": 0, "upper": 40}}, "20:0")
