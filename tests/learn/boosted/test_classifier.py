"""The boosted classifier as people use it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

import dpselect as dps
from dpselect.learn import DPBoostedTreesClassifier
from tests.learn.boosted.doors import DOMAINS, USUAL, Wild, bumpy, fitted

TABLE, LABELS = bumpy()
THREE = bumpy(classes=3)


@pytest.fixture(scope="module")
def additive() -> DPBoostedTreesClassifier:
    """A sum of curves."""
    return fitted(TABLE, LABELS, epsilon=4, interactions=False, **USUAL)


@pytest.mark.parametrize(("delta", "least"), [(1e-6, 0.82), (0, 0.75)])
def test_it_ranks_and_its_chances_are_chances(delta: float, least: float) -> None:
    """On new records; of two classes and of several."""
    new, truth = bumpy(seed=1)
    model = fitted(TABLE, LABELS, epsilon=2, delta=delta, **USUAL)
    chances = model.predict_proba(new)

    assert roc_auc_score(truth, chances[:, 1]) > least
    assert np.array_equal(np.ones(3000), chances.sum(axis=1))
    assert abs(chances[:, 1].mean() - truth.mean()) < 0.1
    assert np.array_equal(chances[:, 1] > 0.5, model.predict(new) == 1)
    assert np.array_equal(chances[:, 1] > 0.5, model.decision_function(new) > 0)
    several = fitted(*THREE, epsilon=4, delta=delta, domains=DOMAINS, classes=[0, 1, 2]).predict_proba(new)
    assert (3000, 3) == several.shape
    assert np.allclose(1, several.sum(axis=1))


def test_it_states_what_it_spent() -> None:
    """By rho where there is a delta, else purely; a ledger holds it."""
    with dps.budget(epsilon=3, delta=1e-5) as book:
        stated = fitted(TABLE, LABELS, epsilon=1, rounds=2, **USUAL).privacy_spent_
        pure = fitted(TABLE, LABELS, epsilon=1, delta=0, rounds=2, **USUAL).privacy_spent_

    assert 2 == book.totals.spends
    assert 1 == stated.epsilon == pure.epsilon
    assert dps.Guarantee(1, "add-remove") == pure
    assert 0.024 < stated.stated_rho < 0.0244


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"delta": -1}, ValueError, "delta"),
        ({"delta": 1}, ValueError, "delta"),
        ({"delta": "small"}, TypeError, "delta"),
        ({"rounds": 0}, ValueError, "rounds must be"),
        ({"rounds": 10**6}, ValueError, "rounds must be at most"),
        ({"interactions": "some"}, ValueError, "interactions is True, False"),
        ({"interactions": 1}, ValueError, "interactions is True, False"),
        ({"epsilon": 1e-13, "delta": 1e-30}, ValueError, "too small"),
        ({"epsilon": 1e-13, "delta": 0}, ValueError, "too small"),
        ({"bins": 10**6, "rounds": 10**4}, ValueError, "need more than"),
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


def test_no_row_decides_whether_there_is_a_model() -> None:
    """No rows, one row, one class of three, one column of one category: a fit goes through."""
    for rows in (0, 1, 5):
        few = {name: cells[:rows] for name, cells in TABLE.items()}
        model = fitted(few, LABELS[:rows] * 0, epsilon=1, rounds=3, domains=DOMAINS, classes=[0, 1, 2])
        assert (3000, 3) == model.predict_proba(TABLE).shape
    alone = fitted({"a": ["x"] * 9}, [0, 1, 1] * 3, epsilon=1, rounds=3, domains={"a": ["x"]}, classes=[0, 1])
    assert (1, 2) == alone.predict_proba({"a": ["x"]}).shape


@pytest.mark.parametrize("size", [0, 1, 2**20, 2**61])
@pytest.mark.parametrize(("delta", "epsilon"), [(1e-6, 1), (0, 1), (1e-6, 1e-3), (1e-6, 1e300), (0, 10**50)])
def test_whatever_noise_comes_there_is_a_model(delta: float, epsilon, size: int) -> None:
    """An error would tell of it: releases of any size make finite chances, of two classes and of three."""
    for classes in (2, 3):
        table, labels = bumpy(50, classes=classes)
        given = {"epsilon": epsilon, "delta": delta, "rounds": 4, "missing": "category", "domains": DOMAINS}
        model = fitted(table, labels, Wild(size % 7, size), interactions=True, classes=list(range(classes)), **given)

        assert np.isfinite(model.predict_proba(table)).all()
        assert np.isfinite(model.contributions(table)).all()
        assert np.isfinite(model.feature_importances_).all()


def test_records_without_a_code_get_a_chance(additive: DPBoostedTreesClassifier) -> None:
    """A category that is not listed or a missing number adds nothing; numbers outside are clipped."""
    odd = {"x": [None, 99.0, 10.0], "job": ["e", "a", "a"], "noise": [0.5, 0.5, 0.5]}
    scores, shares = additive.decision_function(odd), additive.contributions(odd)

    assert scores[1] == scores[2]
    assert scores == pytest.approx(additive.intercept_[0] + shares.sum(axis=1))
    by_missing = fitted(odd, [0, 1, 1], epsilon=1, rounds=2, missing="category", **USUAL)
    assert 129 == by_missing.model_.sizes[0]
    with pytest.raises(ValueError, match="missing values"):
        clone(additive).set_params(missing="error").fit(odd, [0, 1, 1])
    with pytest.raises(ValueError, match="outside its public domain"):
        clone(additive).set_params(unknown="error").fit(odd, [0, 1, 1])


def test_its_curves_tell_what_it_learned(additive: DPBoostedTreesClassifier) -> None:
    """The bump, the category, and next to nothing in what has no say; measured from the mean record."""
    x, job, noise = additive.curves_

    assert x[57:71].min() > x[:32].max()
    assert 2 == job.argmax()
    assert np.abs(noise).max() < 1.6 < np.abs(x).max()
    assert additive.feature_importances_.argmin() == 2
    at = {"x": [5.0], "job": ["c"], "noise": [0.0]}
    assert [x[64], job[2], noise[0]] == pytest.approx(additive.contributions(at)[0].tolist())


def test_only_sums_of_curves_have_curves() -> None:
    """A model with interactions says so; of several classes there is a curve for each."""
    joint = fitted(TABLE, LABELS, epsilon=50, interactions=True, rounds=20, **USUAL)
    assert not joint.model_.additive
    with pytest.raises(ValueError, match="interactions=False"):
        _ = joint.curves_
    with pytest.raises(ValueError, match="interactions=False"):
        joint.plot_curves()
    assert np.allclose(joint.decision_function(TABLE), joint.intercept_ + joint.contributions(TABLE).sum(axis=1))
    several = fitted(*THREE, epsilon=2, interactions=False, rounds=4, domains=DOMAINS, classes=[0, 1, 2])
    assert [(128, 3), (4, 3), (128, 3)] == [curve.shape for curve in several.curves_]
    assert (3000, 3, 3) == several.contributions(TABLE).shape


def test_curves_are_drawn(additive: DPBoostedTreesClassifier, tmp_path) -> None:
    """All, some, or one on axes that are there."""
    figure = additive.plot_curves(tmp_path / "curves.svg")

    assert ["x", "job", "noise"] == sorted((axes.get_title() for axes in figure.axes), key=["x", "job", "noise"].index)
    assert (tmp_path / "curves.svg").stat().st_size > 5000
    assert "log-odds of 1" in figure.get_supylabel()
    (one,) = additive.plot_curves(columns=["job"]).axes
    assert ["a", "b", "c", "d"] == [label.get_text() for label in one.get_xticklabels()]
    assert one.figure is additive.plot_curves(columns=["x"], ax=one)
    for wrong, message in (({"columns": ["age"]}, "columns must name"), ({"columns": []}, "columns must name")):
        with pytest.raises(ValueError, match=message):
            additive.plot_curves(**wrong)
    with pytest.raises(ValueError, match="one curve"):
        additive.plot_curves(ax=one)
    several = fitted(
        *THREE, epsilon=2, rounds=2, interactions=False, missing="category", domains=DOMAINS, classes=[0, 1, 2]
    )
    assert several.plot_curves().axes[0].get_legend() is not None


def test_it_is_copied_and_pickled(additive: DPBoostedTreesClassifier) -> None:
    """With what it learned."""
    again = pickle.loads(pickle.dumps(additive))

    assert np.array_equal(additive.predict_proba(TABLE), again.predict_proba(TABLE))
    assert "DPBoostedTreesClassifier" in repr(clone(additive))


def test_rehearsals_read_nothing() -> None:
    """Names of columns are enough."""
    DPBoostedTreesClassifier(1, **USUAL).rehearse(["x", "job", "noise"])
    with pytest.raises(dps.PrivacyError, match="lacks 'z'"):
        DPBoostedTreesClassifier(1, **USUAL).rehearse(["x", "z"])
