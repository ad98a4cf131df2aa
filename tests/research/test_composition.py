"""The table of what many releases cost together is that of today."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import pytest

from research.comparisons import composition

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "composition.md").read_text(encoding="utf-8")
PRINTED = (ROOT / "research" / "comparisons" / "results" / "composition.txt").read_text(encoding="utf-8")
PLANS = composition.plans()


@cache
def row(name: str) -> list[float]:
    """Return the totals of a plan, computed once."""
    return composition.row(PLANS[name])


@pytest.mark.parametrize("name", PLANS)
def test_the_page_and_the_result_say_what_the_script_says(name: str) -> None:
    """To three decimals."""
    numbers = [f"{number:.3f}" for number in row(name)]
    (printed,) = [line for line in PRINTED.splitlines() if line.startswith(f"{name}  ")]
    (shown,) = [line for line in PAGE.splitlines() if line.startswith(f"| {name} |")]

    assert numbers == printed[len(name) :].split()
    assert [float(number) for number in numbers] == [float(cell) for cell in shown.split("|")[2:-1]]


@pytest.mark.parametrize("name", PLANS)
def test_no_total_is_below_a_truer_one(name: str) -> None:
    """The optimum is the least, and a row of a ledger is never cheaper than the optimum with fixed questions."""
    _, before, rhos, best, fixed, paid = row(name)

    assert fixed <= best <= rhos * (1 + 1e-9) <= before * (1 + 1e-6)
    assert not math.isnan(paid)
    assert fixed <= paid <= rhos + 2e-6


@pytest.mark.parametrize(("plan", "published"), composition.CHOICES.items(), ids=str)
def test_choices_are_within_a_percent_of_the_published_optimum(plan, published: float) -> None:
    """Those of Dong, Durfee and Rogers, and never below it."""
    (count, epsilon) = plan
    choice = composition.event(composition.Fraction(epsilon), bounded_range=True)
    found = composition.optimum(count * [composition.part(choice)], composition.DELTA, adaptive=False)

    assert published - 0.005 < found < 1.01 * published
