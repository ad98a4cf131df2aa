"""What leaks around a private fit is said aloud, and nothing else is."""

import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    learning_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler

import dpselect as dps
from dpselect.learn import DPSearch, DPTreeClassifier
from dpselect.learn.sklearn_leaks import LeakWarning

ROWS, LABELS = np.arange(60.0).reshape(-1, 1), (np.arange(60) >= 30).astype(int)


def tree(**more: Any) -> DPTreeClassifier:
    """A small tree."""
    return DPTreeClassifier(1, max_depth=1, domains={0: (-10, 60)}, classes=[0, 1], **more)


def tune_threshold() -> None:
    """Fit as scikit-learn tunes a threshold, which it refuses where noise has made predictions constant."""
    with suppress(ValueError):
        TunedThresholdClassifierCV(tree(), cv=2).fit(ROWS, LABELS)


def said(call: Any) -> list[warnings.WarningMessage]:
    """The warnings of leaks, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    ours = [each for each in caught if each.category is LeakWarning]
    return list({str(each.message): each for each in ours}.values())


@pytest.mark.parametrize("model", [tree(), DPSearch(tree(), {"max_depth": [1, 2]}, 1)], ids=["tree", "search"])
def test_what_is_fitted_before_the_estimator_is_named(model: Any) -> None:
    """At the line that fits the pipeline."""
    (warning,) = said(lambda: make_pipeline(StandardScaler(), model).fit(ROWS, LABELS))

    assert __file__ == warning.filename
    assert str(warning.message).startswith("StandardScaler is fitted to the private rows without noise before DP")


def fitted_tree() -> Any:
    """A fitted one."""
    return tree().fit(ROWS, LABELS)


@pytest.mark.parametrize(
    "outer",
    [
        lambda model: CalibratedClassifierCV(FrozenEstimator(model)),
        lambda model: StackingClassifier([("tree", model)], LogisticRegression(), cv="prefit"),
        lambda model: StackingClassifier([("tree", FrozenEstimator(model))], LogisticRegression(), cv=2),
        lambda model: TunedThresholdClassifierCV(model, cv="prefit", refit=False),
    ],
    ids=["calibrator", "stack", "frozen stack", "threshold"],
)
def test_what_is_fitted_to_predictions_is_named(outer: Any) -> None:
    """A calibrator over a model that was fitted before learns from labels without noise."""
    model = outer(fitted_tree())

    def fit() -> None:
        with suppress(ValueError):
            model.fit(ROWS, LABELS)

    (warning,) = said(fit)
    assert __file__ == warning.filename
    assert str(warning.message).startswith(f"{type(model).__name__} fits itself to predictions of DPTreeClassifier and")


def test_predictions_alone_are_not_named() -> None:
    """They are post-processing, also within what is frozen; and a fixed threshold learns nothing."""
    model = FrozenEstimator(fitted_tree())

    assert [] == said(lambda: model.predict_proba(ROWS))
    assert [] == said(lambda: FixedThresholdClassifier(model, threshold=0.2).fit(ROWS, LABELS).predict(ROWS))
    assert [] == said(lambda: VotingClassifier([("t", model)], voting="soft").fit(ROWS, LABELS).predict(ROWS))


@pytest.mark.parametrize(
    "step",
    [
        OrdinalEncoder(categories=[list(range(60))]),
        OneHotEncoder(categories=[list(range(60))], sparse_output=False),
        make_column_transformer((OrdinalEncoder(categories=[list(range(60))]), [0]), remainder="passthrough"),
    ],
    ids=["ordinal", "one-hot", "columns"],
)
def test_declared_categories_are_not_learned(step: Any) -> None:
    """They are public, so no row adds to them."""
    columns = {at: [0, 1] for at in range(60)} if isinstance(step, OneHotEncoder) else {0: (-10, 60)}
    model = DPTreeClassifier(1, max_depth=1, domains=columns, classes=[0, 1])

    assert [] == said(lambda: make_pipeline(step, model).fit(ROWS, LABELS))


@pytest.mark.parametrize(
    "step",
    [
        OrdinalEncoder(),
        OrdinalEncoder(categories=[list(range(60))], max_categories=3),
        make_column_transformer((StandardScaler(), [0])),
        make_column_transformer((FunctionTransformer(), [0]), remainder=StandardScaler()),
    ],
    ids=["own categories", "grouped categories", "scaler", "rest"],
)
def test_other_encoders_learn(step: Any) -> None:
    """Their categories, which of them are frequent, or means."""
    assert 1 == len(said(lambda: make_pipeline(step, tree()).fit(ROWS, LABELS)))


def test_every_such_step_is_named() -> None:
    """A column transformer too."""
    steps = make_column_transformer((OrdinalEncoder(), [0])), StandardScaler()

    assert 2 == len(said(lambda: make_pipeline(*steps, tree()).fit(ROWS, LABELS)))


@pytest.mark.parametrize(
    "steps", [[], [FunctionTransformer(np.abs)], ["passthrough"]], ids=["none", "fixed", "nothing"]
)
def test_what_learns_nothing_is_not_named(steps: list[Any]) -> None:
    """Public functions of one row are free."""
    assert [] == said(lambda: make_pipeline(*steps, tree()).fit(ROWS, LABELS))


@pytest.mark.parametrize(
    "call",
    [
        lambda: cross_val_score(tree(), ROWS, LABELS, cv=2),
        lambda: cross_val_predict(tree(), ROWS, LABELS, cv=2),
        lambda: GridSearchCV(tree(), {"max_depth": [1, 2]}, cv=2).fit(ROWS, LABELS),
        lambda: learning_curve(tree(), ROWS, LABELS, cv=2, train_sizes=[0.5]),
        tune_threshold,
    ],
    ids=["scores", "predictions", "search", "curve", "threshold"],
)
def test_scores_on_private_rows_point_to_the_private_search(call: Any) -> None:
    """Once for each place."""
    (warning,) = said(call)

    assert __file__ == warning.filename
    assert "dpselect.learn.DPSearch" in str(warning.message)


def test_a_public_threshold_scores_nothing() -> None:
    """The estimator is fitted once."""
    assert [] == said(lambda: FixedThresholdClassifier(tree(), threshold=0.5).fit(ROWS, LABELS))


@pytest.mark.filterwarnings("ignore:Domains and classes are read from the data")
def test_what_is_not_private_is_not_warned_of() -> None:
    """Domains that are read from the data have said that already."""
    model = DPTreeClassifier(1, domains="observed-not-private")

    assert [] == said(lambda: make_pipeline(StandardScaler(), model).fit(ROWS, LABELS))
    assert [] == said(lambda: tree().fit(ROWS, LABELS))


@pytest.mark.parametrize(
    "outer",
    [lambda model: VotingClassifier([("t", model)]), lambda model: StackingClassifier([("t", model)], cv=2)],
    ids=["vote", "stack"],
)
def test_votes_and_stacks_that_number_labels_are_told_so(outer: Any, tmp_path: Path) -> None:
    """Before anything is spent, whatever the rows are: text classes would leave none of them."""
    ledger = dps.Ledger.open(tmp_path / "b", epsilon=50)
    text = np.where(LABELS, "yes", "no")
    with pytest.raises(ValueError, match=r"numbers the labels in their order.*: pass classes=\[0, 1\], or fit"):
        outer(tree(ledger=ledger).set_params(classes=["no", "yes"])).fit(ROWS, text)
    assert 0 == ledger.totals.spends

    voted = VotingClassifier([("t", tree(ledger=ledger))]).fit(ROWS, text)
    assert {"no", "yes"} >= set(voted.predict(ROWS))
    assert 1 == ledger.totals.spends
    frozen = FrozenEstimator(tree().set_params(classes=["no", "yes"]).fit(ROWS, text))
    voted = VotingClassifier([("t", frozen)], voting="soft").fit(ROWS[[0, -1]], ["no", "yes"])
    assert (frozen.predict(ROWS) == voted.predict(ROWS)).all()
