"""An epsilon above 10 is spent only where somebody says that it is meant."""

from collections.abc import Callable
from contextvars import Context
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.kernel.privacy_filter import use_accountant
from dpselect.learn import DPTreeClassifier, preview
from dpselect.mechanisms import large_epsilon

VOTES = dps.Scores([60, 40, 5], 1, range_bound=1, kind="integer")
ROWS, LABELS = [[age] for age in range(40)], [int(age >= 20) for age in range(40)]
TREE = {"domains": {0: (0, 40)}, "classes": [0, 1]}


@pytest.fixture(autouse=True)
def _as_users_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_epsilon, "LARGEST", Fraction(10))


def unsaid(call: Callable[[], Any]) -> Any:
    """Call where nobody has said anything of budgets: studies, which tests import, say that theirs are free."""
    return Context().run(call)


@pytest.mark.parametrize(
    "call",
    [
        lambda: dps.select(VOTES, epsilon=11),
        lambda: dps.top_k(VOTES, 2, epsilon=Fraction(101, 10), method="peeling", mechanism="exponential"),
        lambda: dps.quantiles(np.arange(50), [0.5], lower=0, upper=50, step=1, epsilon=50),
        lambda: dps.histograms.identity([3, 1, 4], epsilon=100),
        lambda: DPTreeClassifier(20, **TREE).fit(ROWS, LABELS),
        lambda: dps.open_session(dps.Guarantee(6, "add-remove"), count=2).__enter__(),
        lambda: dps.open_session(dps.Guarantee(6, "add-remove"), count=np.int64(2)).__enter__(),
    ],
    ids=["select", "peeling", "quantiles", "histogram", "tree", "door", "numpy-count"],
)
def test_a_large_epsilon_is_asked_about_and_a_budget_is_the_answer(call: Callable[[], Any]) -> None:
    """One sentence says what it allows; a budget of that size says that it is meant."""
    with pytest.raises(dps.PrivacyError, match=r"e\^[0-9.]+, about 10\^[0-9]+, times as likely.*dpselect\.budget\("):
        unsaid(call)
    with dps.budget(epsilon=200) as book:
        call()

    assert book.events


def test_ten_passes() -> None:
    """The limit itself is not above it, and neither are public data."""
    assert unsaid(lambda: dps.select(VOTES, epsilon=10)).value in VOTES.candidates
    with use_accountant(None):
        assert 0 == dps.select(VOTES, epsilon=1000).value
    tree = DPTreeClassifier(5, **TREE)
    assert unsaid(lambda: preview(tree, ROWS, LABELS, n_records=4000, tries=1)).score > 0.5


def test_a_ledger_that_is_named_says_that_it_is_meant(tmp_path: Any) -> None:
    """As a budget around does."""
    ledger = dps.Ledger.open(tmp_path / "l", epsilon=100)

    assert 0 == unsaid(lambda: dps.select(VOTES, epsilon=50, ledger=ledger)).value


@pytest.mark.parametrize("epsilon", [11, 10**6, 10**300])
def test_every_size_has_a_meaning(epsilon: int) -> None:
    """No float overflows on the way to the sentence."""
    assert "protects next to nothing" in large_epsilon.meaning(Fraction(epsilon))
    with pytest.raises(dps.PrivacyError, match="protects next to nothing"):
        unsaid(lambda: dps.select(VOTES, epsilon=epsilon))


def test_the_command_line_asks_for_yes(capsys: pytest.CaptureFixture[str]) -> None:
    """Before it reads anything; a dry run spends nothing, so it need not ask."""
    line = ["top-k", "lesmis", "degree", "--k", "1", "--epsilon", "50"]

    assert 2 == main(line)
    assert "epsilon 50 lets one record make an outcome e^50, about 10^21, times as likely" in (
        said := capsys.readouterr().err
    )
    assert "pass --yes if it is meant" in said
    assert (0, 0) == (main([*line, "--yes"]), main([*line, "--dry-run"]))


def test_the_budget_that_is_proposed_is_one_that_takes_the_release() -> None:
    """Its relation and its delta are those of the release."""
    edges = dps.Scores([60, 40], 1, neighbours="edge")
    with pytest.raises(dps.PrivacyError, match=r"dpselect\.budget\(epsilon=20, neighbours='edge'\)"):
        unsaid(lambda: dps.select(edges, epsilon=20))
    with dps.budget(epsilon=20, neighbours="edge"):
        assert 0 == dps.select(edges, epsilon=20).value
    with pytest.raises(dps.PrivacyError, match=r"budget\(epsilon=20, delta=1e-06\)"):
        unsaid(lambda: dps.open_session(dps.Guarantee(20, "add-remove", delta=1e-6)))
