"""The exact loss of whole transcripts of regressors, on small tables, and faults that it finds."""

import importlib
import itertools
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit.scripted_noise import ScriptedNoise, transcripts
from dpselect.learn import DPTreeRegressor
from dpselect.learn.builder import TreePlan
from dpselect.utilities.wrong_side import moves_by
from dpselect.views.targets import STEPS, SidedRecords, Targets
from tests.learn.regression.doors import KINDS, fit, losses, peaked

TABLES = tuple(records for size in range(3) for records in itertools.combinations_with_replacement(range(4), size))
# In the second table the better cut is by b, and one more record of the last kind costs it all that a record can.
FEW, MORE = ((), (0, 0, 1, 1)), (5,)


@pytest.mark.parametrize(("depth", "tables"), [(1, FEW), (2, ((0, 0, 1, 1),))])
def test_no_transcript_loses_more_than_epsilon(depth: int, tables) -> None:
    """Whatever was released before, with the whole range and with a narrow one; and the budget is used."""
    worst = max(losses(DPTreeRegressor(max_depth=depth), Fraction(1, 2), tables, MORE))

    assert worst <= 0.5 * (1 + 1e-9)
    assert worst >= 0.45


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3)])
def test_no_transcript_of_any_table_loses_more_than_epsilon(epsilon: Fraction) -> None:
    """All tables of up to two records of four kinds, and one more of six."""
    worst = max(losses(DPTreeRegressor(max_depth=1), epsilon, TABLES, range(len(KINDS))))

    assert 0.8 * epsilon <= worst <= epsilon * (1 + 1e-9)


def halved(most: int) -> dps.mechanisms.Bound:
    """Half of what is true."""
    return moves_by(most) if most < 4 else dps.mechanisms.Bound(most // 2)


FAULTS = {
    "selections and means believe in half the weight": ("splitting", "moves_by", halved),
    "leaves believe in half the range": ("regression_plan", "moves_by", halved),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_tree_that_believes_in_half_a_bound_is_found(fault: str, monkeypatch) -> None:
    """Planted where the bound is used."""
    module, name, wrong = FAULTS[fault]
    monkeypatch.setattr(importlib.import_module(f"dpselect.learn.regression.{module}"), name, wrong)

    assert any(loss > 0.5 * (1 + 1e-6) for loss in losses(DPTreeRegressor(max_depth=1), Fraction(1, 2), FEW, MORE))


def unclipped(records: Targets, low: int, high: int) -> SidedRecords:
    """A range whose ends cut nothing."""
    return SidedRecords(records.codes, records.steps - low, records.sizes, high - low)


def far_reaching(records: SidedRecords, nodes: int, centres, _: int):
    """Weights without the limit."""
    return AROUND(records, nodes, centres, STEPS)


AROUND = SidedRecords.around


@pytest.mark.parametrize(
    ("owner", "method", "wrong"), [(Targets, "within", unclipped), (SidedRecords, "around", far_reaching)]
)
def test_a_target_that_is_not_clipped_is_found(owner, method: str, wrong, monkeypatch) -> None:
    """To the range that was released, or to the most that a record weighs."""
    monkeypatch.setattr(owner, method, wrong)

    assert any(loss > 0.5 * (1 + 1e-6) for loss in losses(DPTreeRegressor(max_depth=1), Fraction(1, 2), FEW, MORE))


def test_the_path_that_pays_most_leaves_nothing() -> None:
    """Whatever was released: what was paid for is used."""
    for depth, records in ((1, ()), (1, (0, 3)), (2, ())):
        run = peaked(fit(DPTreeRegressor(max_depth=depth), records, Fraction(1)))
        assert {Fraction(0)} == {run(ScriptedNoise(script)) for script, _ in transcripts(run)}


def test_empty_tables_are_asked_like_any_other() -> None:
    """No record decides what is asked."""
    asked = [
        {script for script, _ in transcripts(peaked(fit(DPTreeRegressor(max_depth=1), records, Fraction(1))))}
        for records in ((), (0, 1, 2, 3))
    ]

    assert asked[0] == asked[1]


def test_a_tree_that_overdraws_is_refused(monkeypatch) -> None:
    """By the session, when it draws; and by the dry run, before it pays."""
    model = DPTreeRegressor(1, max_depth=2, target=(0, 1), domains={"a": [0, 1], "b": (0, 2)})
    program = importlib.import_module("dpselect.learn.regression.regression_plan")
    monkeypatch.setattr(program, "TreePlan", lambda *given: TreePlan(*given[:2], 2 * given[2], *given[3:]))

    with pytest.raises(dps.PrivacyError, match="asks for epsilon"):
        fit(model, (0, 1), Fraction(1))(ScriptedNoise())
    with dps.budget(epsilon=1) as book, pytest.raises(dps.PrivacyError, match="asks for epsilon"):
        model.fit({"a": [0, 1], "b": [0.5, 1.5]}, [0.0, 1.0])
    assert 0 == book.totals.spends


def test_the_spend_is_recorded_before_anything_is_drawn(tmp_path) -> None:
    """Once, as a whole; what the ledger refuses is not fitted."""
    ledger = dps.Ledger.open(tmp_path / "b", epsilon=1)
    X, y = [[0], [1]] * 50, np.arange(100) / 100
    model = DPTreeRegressor(0.75, target=(0, 1), domains={0: [0, 1]}, ledger=ledger).fit(X, y)

    assert Fraction(3, 4) == model.privacy_spent_.epsilon == ledger.totals.epsilon
    refused = DPTreeRegressor(0.5, target=(0, 1), domains={0: [0, 1]}, ledger=ledger)
    with pytest.raises(dps.BudgetError, match="left epsilon 0.25"):
        refused.fit(X, y)
    assert not hasattr(refused, "tree_")
