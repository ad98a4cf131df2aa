"""A joint list as it is released: one spend of bounded range, refusals before it, and the command line."""

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.kernel.prices import bounded_range_price

EXPONENTIAL = dps.mechanism("exponential")
COUNTS = dps.Scores(np.array([900, 700, 500, 3, 2]), 1, ["a", "b", "c", "d", "e"], range_bound=1)


def test_a_clear_list_is_named_in_order():
    """At gaps of 200 and epsilon 2 nothing else happens."""
    release = dps.top_k(COUNTS, 3, epsilon=2, mechanism=EXPONENTIAL, method="joint")

    assert release.value == ("a", "b", "c")
    assert release.mechanism == "exponential, joint"
    assert release.guarantee == dps.Guarantee(2, "add-remove", bounded_range=True)
    assert release.error_bound.describe().startswith("every place")


def test_a_ledger_of_rhos_pays_for_bounded_range(tmp_path):
    """One draw of bounded range, whatever k."""
    ledger = dps.Ledger.open(tmp_path / "rho.ledger", epsilon=9, delta=1e-6, rule="rho")
    dps.top_k(COUNTS, 3, epsilon=2, mechanism=EXPONENTIAL, method="joint", ledger=ledger)

    assert ledger.totals.rho == bounded_range_price(Fraction(2))


@pytest.mark.parametrize(
    "scores, k, more, words",
    [
        (dps.Scores([1.5, 0.5, 0.0], 1), 2, {}, "integer scores"),
        (dps.Scores(np.arange(3), dps.sensitivity.constant([1, 2, 3])), 2, {}, "integer scores"),
        (COUNTS, 6, {}, "there are 5 candidates"),
        (COUNTS, 0, {}, "at least 1"),
        (COUNTS, 2, {"gaps": True}, "A joint list has no gaps"),
        (COUNTS, 2, {"mechanism": dps.mechanism("permute-and-flip")}, "drawn by the exponential mechanism"),
        (COUNTS, 2, {"method": "jointly"}, '"one-shot", "peeling" or "joint"'),
        (COUNTS, 2, {"epsilon": Fraction(1, 10**9)}, "shortfalls, and 5000000 are allowed"),
    ],
    ids=["real", "bounds", "many", "none", "gaps", "mechanism", "method", "size"],
)
def test_what_cannot_be_drawn_is_refused_before_the_spend(scores, k, more, words, tmp_path):
    """In one sentence that follows from public facts."""
    ledger = dps.Ledger.open(tmp_path / "a.ledger", epsilon=10)
    asked = {"epsilon": 1, "mechanism": EXPONENTIAL, "method": "joint", "ledger": ledger} | more

    with pytest.raises(ValueError, match=words):
        dps.top_k(scores, k, **asked)
    assert ledger.totals.epsilon == 0


def test_candidates_in_an_engine_are_refused():
    """Whatever the source."""

    class Source:
        neighbours = dps.Guarantee(1, "add-remove").neighbours

        def answer(self, _):
            raise AssertionError("it was asked")

        def example(self):
            return None

    with pytest.raises(ValueError, match="scores in memory"):
        dps.top_k(Source(), 2, epsilon=1, mechanism=EXPONENTIAL, method="joint")


def test_one_candidate_is_the_plain_mechanism():
    """Its law needs no clip."""
    release = dps.top_k(COUNTS, 1, epsilon=2, mechanism=EXPONENTIAL, method="joint")

    assert release.mechanism == "exponential"
    assert release.value == ("a",)


def test_draws_of_one_s_own_may_be_joint():
    """At the epsilon that is named, and only by the mechanism that draws it."""
    with dps.open_session(dps.Guarantee(3, "add-remove")) as draws:
        assert draws.top_k(COUNTS, 2, 2, mechanism=EXPONENTIAL, method="joint") == [0, 1]
        assert draws.remaining == 1
        assert draws.top_k(COUNTS, 1, Fraction(1, 2), mechanism=EXPONENTIAL, method="joint")
        with pytest.raises(ValueError, match="drawn by the exponential mechanism"):
            draws.top_k(COUNTS, 2, Fraction(1, 2), method="joint")
        assert draws.remaining == Fraction(1, 2)


@pytest.mark.parametrize("values", [[2**60, 0, -(2**61)], [2**53, 2**53 + 1, 0], [0, 0, 0]])
def test_hostile_numbers_are_named(values):
    """Ends of the integers, and ties."""
    scores = dps.Scores(np.array(values, dtype=np.int64), 1)
    release = dps.top_k(scores, 2, epsilon=Fraction(1, 3), mechanism=EXPONENTIAL, method="joint")

    assert len(set(release.value)) == 2


def test_the_command_draws_a_joint_list(capsys):
    """By the exponential mechanism unless another is asked for, which is refused."""
    asked = ["top-k", "lesmis", "degree", "--k", "3", "--epsilon", "2", "--method", "joint"]

    assert main(asked) == 0
    printed = capsys.readouterr().out
    assert "by exponential, joint" in printed
    assert "every place less than" in printed
    assert main([*asked, "--dry-run"]) == 0
    assert "exponential, joint" in capsys.readouterr().out
    assert main([*asked, "--mechanism", "permute-and-flip"]) == 2
    assert main([*asked, "ego-density", "--weights", "1", "100"]) == 2
    # Steps to a front are integers of one constant sensitivity.
    assert main([*asked, "ego-density", "--pareto"]) == 0


def test_the_command_peels_where_it_is_told():
    """Methods reach the release."""
    asked = ["top-k", "lesmis", "degree", "--k", "3", "--epsilon", "2", "--method"]

    assert main([*asked, "peeling"]) == 0
    assert main([*asked, "one-shot"]) == 0
    assert main([*asked, "one-shot", "--mechanism", "exponential"]) == 2


def test_one_node_has_its_p_value_unless_it_is_peeled(capsys):
    """What is asked for decides, not the name of how one candidate is drawn."""
    asked = ["top-k", "lesmis", "degree", "--epsilon", "2"]

    assert main(asked) == 0
    assert "whatever the data, a wrong choice" in capsys.readouterr().out
    assert main([*asked, "--method", "peeling"]) == 0
    assert "a wrong choice" not in capsys.readouterr().out
