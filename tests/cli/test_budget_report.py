"""The report of a ledger: what all releases cost together, with every number rounded up."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.kernel.format_exact import format_rounded
from dpselect.ledger.events import Event

pytestmark = pytest.mark.usefixtures("folder")


def _spent(epsilon: str, count: str = "1") -> None:
    assert 0 == main(["budget", "create", "book.ledger", "--epsilon", "1000000", "--dataset", "people"])
    assert 0 == main(["budget", "spend", "book.ledger", "--epsilon", epsilon, "--count", count])


def test_no_number_of_a_report_is_below_the_truth(capsys) -> None:
    """A third is 0.3334, in words; for programs it is a float that is not below a third either."""
    _spent("1/3")
    capsys.readouterr()
    assert 0 == main(["budget", "report", "book.ledger", "--delta", "1e-6"])
    said = capsys.readouterr().out
    assert "sum (always valid)                    0.3334" in said
    assert said.endswith("An optimum holds only for a plan fixed in advance.\n")

    assert 0 == main(["budget", "report", "book.ledger", "--delta", "1e-6", "--json"])
    facts = json.loads(capsys.readouterr().out)
    assert Fraction(repr(facts["basic"])) >= Fraction(1, 3)
    assert facts["fixed_questions"] is None


@pytest.mark.parametrize("value", [Fraction(1, 3), Fraction(2, 3), Fraction(10), Fraction(10**400, 3), Fraction(1, 7)])
def test_what_is_spent_is_rounded_up_and_what_is_left_down(value: Fraction) -> None:
    """By less than a thousandth, and a short number stays itself."""
    up, down = (Fraction(format_rounded(value, rounding=each)) for each in ("ROUND_CEILING", "ROUND_FLOOR"))
    assert down <= value <= up
    assert up - down <= value / 999
    assert (up == down) == (value == 10)


def test_the_bar_of_a_budget_promises_no_more_than_is_left(capsys) -> None:
    """Spent 0.6667 of 1, left 0.3333."""
    assert 0 == main(["budget", "create", "book.ledger", "--epsilon", "1", "--dataset", "people"])
    assert 0 == main(["budget", "spend", "book.ledger", "--epsilon", "2/3"])
    capsys.readouterr()
    assert 0 == main(["budget", "show", "book.ledger"])
    assert "epsilon: 0.6667 spent, 0.3333 left" in capsys.readouterr().out


def test_a_report_of_hopeless_epsilons_is_one_sentence(capsys) -> None:
    """Which a float may not even hold."""
    events = [Event("", "add-remove", "exponential", Fraction(10) ** 299, count=10**10, bounded_range=True)]
    with pytest.raises(dps.DPSelectError, match="leave such releases out"):
        dps.ledger.report(events, 1e-6)
    with pytest.raises(dps.DPSelectError, match="between 0 and 1"):
        dps.ledger.report([], 0)
    _spent("1")
    capsys.readouterr()
    assert 2 == main(["budget", "report", "book.ledger", "--delta", "2"])
    assert "delta must lie between 0 and 1" in capsys.readouterr().err
