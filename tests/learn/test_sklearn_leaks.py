"""What leaks around a private fit is said aloud, and nothing else is."""

import warnings
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    learning_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder, StandardScaler

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
