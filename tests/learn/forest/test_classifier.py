"""The forest as people use it."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss, roc_auc_score

import dpselect as dps
from dpselect.learn import DPRandomForestClassifier, DPSearch, load, preview
from tests.learn.boosted.doors import DOMAINS, USUAL, Quiet, authenticator_of, bumpy

TABLE, LABELS = bumpy()
NEW, TRUTH = bumpy(seed=1)
THREE = bumpy(classes=3)


def fitted(X, y, **given) -> DPRandomForestClassifier:
    """A model."""
    return DPRandomForestClassifier(**{"epsilon": 1} | given).fit(X, y)


@pytest.fixture(scope="module")
def forest() -> DPRandomForestClassifier:
    """The usual one."""
    return fitted(TABLE, LABELS, epsilon=4, **USUAL)


@pytest.mark.parametrize(("delta", "least"), [(1e-6, 0.85), (0, 0.82)])
def test_it_ranks_and_its_chances_are_chances(delta: float, least: float) -> None:
    """On new records; of two classes and of several."""
    model = fitted(TABLE, LABELS, epsilon=2, delta=delta, **USUAL)
    chances = model.predict_proba(NEW)

    assert roc_auc_score(TRUTH, chances[:, 1]) > least
    assert chances.sum(axis=1) == pytest.approx(1)
    assert abs(chances[:, 1].mean() - TRUTH.mean()) < 0.1
    assert np.array_equal(chances[:, 1] > 0.5, model.predict(NEW) == 1)
    several = fitted(*THREE, epsilon=4, delta=delta, domains=DOMAINS, classes=[0, 1, 2]).predict_proba(NEW)
    assert (3000, 3) == several.shape
    assert np.allclose(1, several.sum(axis=1))


def test_the_slope_makes_chances_of_shares() -> None:
    """Where no noise is drawn it is near the best slope for new records, and better than none."""
    model = DPRandomForestClassifier(0.5, n_trees=16, **USUAL)
    model._session_factory = authenticator_of(Quiet(0))
    shares = np.log(model.fit(TABLE, LABELS).predict_proba(NEW)) / model.slope_

    def loss(slope: float) -> float:
        worth = np.exp(slope * shares)
        return float(log_loss(TRUTH, worth / worth.sum(axis=1, keepdims=True)))

    best = min(loss(slope) for slope in np.linspace(0.5, 6, 60))
    assert loss(model.slope_) < best + 0.01
    assert loss(model.slope_) < loss(1) - 0.01


def test_it_states_what_it_spent() -> None:
    """By rho where there is a delta, else purely; a ledger holds it."""
    with dps.budget(epsilon=3, delta=1e-5) as book:
        stated = fitted(TABLE, LABELS, epsilon=1, n_trees=2, **USUAL).privacy_spent_
        pure = fitted(TABLE, LABELS, epsilon=1, delta=0, n_trees=2, **USUAL).privacy_spent_

    assert 2 == book.totals.spends
    assert 1 == stated.epsilon == pure.epsilon
    assert dps.Guarantee(1, "add-remove") == pure
    assert 0.024 < stated.stated_rho < 0.0244


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"delta": -1}, ValueError, "delta"),
        ({"delta": "small"}, TypeError, "delta"),
        ({"n_trees": 0}, ValueError, "n_trees must be"),
        ({"n_trees": 10**6}, ValueError, "n_trees must be at most"),
        ({"max_depth": 0}, ValueError, "max_depth must be"),
        ({"epsilon": 1e-13, "delta": 1e-30}, ValueError, "too small"),
        ({"epsilon": 1e-13, "delta": 0}, ValueError, "too small"),
        ({"bins": 10**6, "n_trees": 10**4}, ValueError, "need more than|time and memory allow"),
        ({"delta": 0, "person": "id", "rows_per_person": 10**14}, ValueError, "too small"),
        ({"person": "id", "rows_per_person": 10**14}, ValueError, "too small"),
    ],
)
def test_what_cannot_work_out_is_refused_before_the_spend(given, error, message: str) -> None:
    """In one sentence, whatever the rows are."""
    table = TABLE | {"id": np.arange(3000)} if "person" in given else TABLE
    with dps.budget(epsilon=100, delta=1e-3) as book, pytest.raises(error, match=message):
        fitted(table, LABELS, **({"epsilon": 1} | USUAL | given))

    assert 0 == book.totals.spends


def test_a_table_in_an_engine_is_refused_before_the_spend(tmp_path) -> None:
    """With the names of those that train there."""
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(TABLE | {"y": LABELS}), tmp_path / "t.parquet")
    with (
        dps.budget(epsilon=100, delta=1e-3) as book,
        dps.data.Warehouse.open(tmp_path / "t.parquet") as source,
        pytest.raises(ValueError, match="reads its records in memory"),
    ):
        fitted(source, "y", **USUAL)
    assert 0 == book.totals.spends


def test_no_row_decides_whether_there_is_a_model() -> None:
    """No rows, one row, one class of three, one column of one category: a fit goes through."""
    for rows in (0, 1, 5):
        few = {name: cells[:rows] for name, cells in TABLE.items()}
        for delta in (0, 1e-6):
            model = fitted(few, LABELS[:rows] * 0, delta=delta, n_trees=3, domains=DOMAINS, classes=[0, 1, 2])
            assert np.isfinite(model.predict_proba(TABLE)).all()
    alone = fitted({"a": ["x"] * 9}, [0, 1, 1] * 3, n_trees=3, domains={"a": ["x"]}, classes=[0, 1])
    assert (1, 2) == alone.predict_proba({"a": ["x"]}).shape


def test_records_without_a_code_get_a_chance(forest: DPRandomForestClassifier) -> None:
    """A value without a code stops where it is asked for; numbers outside are clipped."""
    odd = {"x": [None, 99.0, 10.0], "job": ["e", "a", "a"], "noise": [0.5, 0.5, 0.5]}
    chances = forest.predict_proba(odd)

    assert chances[1].tolist() == chances[2].tolist()
    assert np.isfinite(chances).all()
    by_missing = fitted(odd, [0, 1, 1], n_trees=2, missing="category", **USUAL)
    assert 129 == by_missing.attributes_[0].size
    with pytest.raises(ValueError, match="missing values"):
        clone(forest).set_params(missing="error").fit(odd, [0, 1, 1])
    with pytest.raises(ValueError, match="outside its public domain"):
        clone(forest).set_params(unknown="error").fit(odd, [0, 1, 1])


def test_its_trees_are_shown(forest: DPRandomForestClassifier, tmp_path) -> None:
    """As text, as pictures, in words, and by what their columns save."""
    assert "x" in forest.export_text()
    assert "because" in forest.why({"x": [5.0], "job": ["c"], "noise": [0.1]})[0]
    assert forest.feature_importances_.argmax() == 0
    assert (3000, 32) == forest.apply(TABLE).shape
    assert "leaves a tree" in str(preview(clone(forest), TABLE, LABELS, n_records=3000, tries=1))
    shallow = fitted(TABLE, LABELS, n_trees=2, max_depth=2, **USUAL)
    shallow.plot_tree(tmp_path / "tree.svg", tree=1)
    assert (tmp_path / "tree.svg").stat().st_size > 2000


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_it_survives_a_file(delta: float, tmp_path) -> None:
    """JSON, no pickle; the same chances, the same promise."""
    model = fitted(TABLE, LABELS, epsilon=2, delta=delta, n_trees=4, **USUAL)
    model.save(tmp_path / "m.json")
    again = load(tmp_path / "m.json")

    assert np.array_equal(model.predict_proba(NEW), again.predict_proba(NEW))
    assert model.privacy_spent_ == again.privacy_spent_
    assert again.get_params()["delta"] == model.privacy_spent_.delta
    assert np.array_equal(model.predict_proba(NEW), pickle.loads(pickle.dumps(model)).predict_proba(NEW))
    content = json.loads((tmp_path / "m.json").read_text())
    content["forest"]["slope"] = 10**9
    (tmp_path / "m.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match="was edited"):
        load(tmp_path / "m.json")


def test_a_search_takes_forests_with_a_pure_promise() -> None:
    """The price of a search is an epsilon, which a delta would exceed."""
    pure = DPRandomForestClassifier(delta=0, n_trees=2, **USUAL)
    search = DPSearch(pure, {"max_depth": [1, 2]}, epsilon=20, gamma=0.2).fit(TABLE, LABELS)
    assert search.privacy_spent_.epsilon == 20
    with dps.budget(epsilon=50, delta=1e-3) as book, pytest.raises(ValueError, match="set delta=0"):
        DPSearch(clone(pure).set_params(delta=1e-6), {"max_depth": [1]}, epsilon=20).fit(TABLE, LABELS)
    assert 0 == book.totals.spends


def test_rehearsals_read_nothing() -> None:
    """Names of columns are enough."""
    DPRandomForestClassifier(1, **USUAL).rehearse(["x", "job", "noise"])
    with pytest.raises(dps.PrivacyError, match="lacks 'z'"):
        DPRandomForestClassifier(1, **USUAL).rehearse(["x", "z"])
