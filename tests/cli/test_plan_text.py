"""dpselect plan: the library's exact worst cases, in a small table; it reads no data."""

import json
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.cli import main

THOUSAND = ["plan", "--candidates", "1000", "--range-bound", "1"]
SALARIES = ["plan", "--lower", "0", "--upper", "200000", "--step", "1000"]


def facts(line: list[str], capsys) -> dict:
    """Return what --json prints."""
    assert 0 == main([*line, "--json"])
    return json.loads(capsys.readouterr().out)


def test_each_mechanism_has_the_epsilon_that_it_needs(capsys) -> None:
    """The same figures as in Python, and as printed for people."""
    plans = facts([*THOUSAND, "--error", "10"], capsys)["plans"]
    assert 0 == main([*THOUSAND, "--error", "10"])
    text = capsys.readouterr().out

    assert ["permute-and-flip", "exponential"] == [plan["mechanism"] for plan in plans]
    for plan in plans:
        needed = dps.epsilon_for(error=10, candidates=1000, range_bound=1, mechanism=plan["mechanism"])
        assert needed == plan["epsilon"]
        assert f"{needed:g}" in text
    assert "less than 10 behind the best of 1000 with probability 0.95, whatever the data" in text


def test_lists_have_a_row_for_every_method(capsys) -> None:
    """Joint ones of integers only; and what they promise more."""
    line = [*THOUSAND, "--error", "10", "--k", "5"]
    methods = [plan["method"] for plan in facts([*line, "--kind", "integer"], capsys)["plans"]]

    assert ["one-shot", "peeling", "joint"] == methods
    assert ["one-shot", "peeling"] == [plan["method"] for plan in facts(line, capsys)["plans"]]
    assert 0 == main([*line, "--kind", "integer", "--mechanism", "exponential"])
    text = capsys.readouterr().out
    assert "each of 5 names to lie less than 10 behind the 5th best of 1000" in text
    assert "permute-and-flip" not in text
    assert "in every place, measured by the candidate that belongs there" in text


def test_an_epsilon_tells_what_it_gives(capsys) -> None:
    """An error at a probability with the worst mean, or the probability of an error."""
    worst = dps.error_bound(epsilon=Fraction(1, 2), candidates=1000, range_bound=1)
    gives = facts([*THOUSAND, "--epsilon", "1/2", "--mechanism", "permute-and-flip"], capsys)["plans"]
    chance = facts([*THOUSAND, "--epsilon", "1/2", "--error", "20"], capsys)["plans"][0]

    assert [worst.at(0.95), worst.expected_error()] == [gives[0]["error_below"], gives[0]["expected_error"]]
    assert worst.tail(20) == chance["probability_of_error"]
    assert 0 == main([*THOUSAND, "--epsilon", "1/2"])
    flip, exponential = capsys.readouterr().out.splitlines()[-2:]
    assert flip.endswith(f"at most {worst.expected_error():g}")
    assert not exponential.endswith(f"at most {worst.expected_error():g}")
    assert 0 == main([*THOUSAND, "--epsilon", "1e-12"])
    assert "unknown" in capsys.readouterr().out


def test_what_is_assumed_of_the_scores_is_said(capsys) -> None:
    """Unless it is named, or follows from a grid: for counts the other one takes half the epsilon."""
    line, note = ["plan", "--candidates", "1000", "--error", "10"], "For counts add --range-bound 1: half the epsilon."
    assert 0 == main(line)
    assert note in capsys.readouterr().out
    for known in ([*line, "--range-bound", "2"], [*SALARIES, "--error", "10"]):
        assert 0 == main(known)
        assert "Assumed" not in capsys.readouterr().out


def test_a_joint_list_that_cannot_be_drawn_has_no_row(capsys) -> None:
    """It says why, by public facts; one that can be is drawn by the words of its row."""
    line = [*THOUSAND, "--kind", "integer", "--k", "200"]

    assert ["one-shot", "peeling"] == [plan["method"] for plan in facts([*line, "--epsilon", "0.001"], capsys)["plans"]]
    assert 0 == main([*line, "--epsilon", "0.001"])
    assert "joint: A joint list of 200 at this epsilon looks at" in capsys.readouterr().out
    assert "joint" == facts([*line, "--epsilon", "100"], capsys)["plans"][-1]["method"]
    scores = dps.Scores(np.arange(1000), 1, range_bound=1)
    assert 200 == len(dps.top_k(scores, 200, epsilon=100, mechanism=dps.mechanism("exponential"), method="joint").value)


def test_a_percentile_is_planned_by_its_grid_in_records(capsys) -> None:
    """Its score is an integer of range bound 2, and each value of the grid is a candidate."""
    plan = facts([*SALARIES, "--error", "50", "--probability", "0.9"], capsys)

    assert (201, 2, "integer") == (plan["candidates"], plan["range_bound"], plan["kind"])
    needed = dps.epsilon_for(error=50, probability=0.9, candidates=201, kind="integer")
    assert needed == plan["plans"][0]["epsilon"]
    assert 0 == main([*SALARIES, "--error", "50"])
    assert "less than 50 records behind the best of 201" in capsys.readouterr().out


def test_what_chance_grants_takes_any_epsilon(capsys) -> None:
    """In words; a program reads 0."""
    line = ["plan", "--candidates", "3", "--error", "1", "--probability", "1/3"]

    assert 0 == facts(line, capsys)["plans"][0]["epsilon"]
    assert 0 == main(line)
    assert "permute-and-flip  any" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--error", "10"], "pass --candidates, or --lower, --upper and --step"),
        (["--candidates", "3"], "--error for the epsilon that it takes"),
        (["--candidates", "3", "--error", "1", "--epsilon", "1", "--probability", "0.5"], "one too many"),
        (["--candidates", "3", "--lower", "0", "--upper", "3", "--error", "1"], "leave out what describes other"),
        (["--lower", "0", "--upper", "3", "--error", "1", "--k", "2"], "leave out what describes other"),
        (["--lower", "0", "--error", "1"], "needs --lower below --upper"),
        (["--lower", "0", "--upper", "3", "--step", "0", "--error", "1"], "--step must be positive"),
        (["--candidates", "3", "--error", "0"], "error must be positive"),
        (["--candidates", "3", "--error", "1", "--probability", "95"], "probability must be below 1"),
        (["--candidates", "0", "--error", "1"], "candidates must be an integer of at least 1"),
        (["--candidates", "3", "--error", "1", "--k", "4"], "k is 4 and there are 3"),
        (["--candidates", "3", "--error", "1", "--mechanism", "flip"], "The mechanism 'flip' does not exist"),
        (["--candidates", "3", "--error", "1", "--mechanism", "local-dampening"], "No exact worst error is known"),
    ],
)
def test_refusals_say_what_to_pass(words: list[str], message: str, capsys) -> None:
    """With status 2."""
    assert 2 == main(["plan", *words])
    assert message in capsys.readouterr().err
