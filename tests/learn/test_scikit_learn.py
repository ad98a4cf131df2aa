"""The estimators among scikit-learn's."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.fixes import parse_version

import dpselect as dps
from dpselect.learn import (
    EVERY_CLASSIFIER,
    DPBoostedTreesClassifier,
    DPID3Classifier,
    DPRandomForestClassifier,
    DPTreeClassifier,
)
from dpselect.papers import RandomDecisionForestClassifier
from tests.learn.two_fits import asked

# Before 1.9 this one subtracts a float from integers in place, where an estimator takes categories.
BROKEN = () if parse_version(sklearn.__version__) >= parse_version("1.9") else ("check_positive_only_tag_during_fit",)
OBSERVED = {"domains": "observed-not-private", "epsilon": 10}


def checks_of(*estimators):
    """Every check of theirs, of these."""
    return parametrize_with_checks(
        list(estimators),
        expected_failed_checks=lambda _: {
            **dict.fromkeys(BROKEN, "the check itself fails"),
        },
    )


@pytest.mark.filterwarnings("ignore:Domains and classes are read from the data")
@checks_of(DPTreeClassifier(**OBSERVED), DPBoostedTreesClassifier(**OBSERVED, rounds=10))
def test_scikit_learn_finds_nothing(estimator, check) -> None:
    """With domains read from the data."""
    asked(check, estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Domains and classes are read from the data")
@checks_of(
    DPID3Classifier(**OBSERVED, max_depth=2, bins=4),
    DPRandomForestClassifier(**OBSERVED, n_trees=8),
    RandomDecisionForestClassifier(**OBSERVED, n_trees=3, max_depth=3),
)
def test_scikit_learn_finds_nothing_in_the_others(estimator, check) -> None:
    """They read data and labels by the same code as the default tree."""
    asked(check, estimator)


@pytest.mark.filterwarnings("ignore::dpselect.learn.sklearn_leaks.LeakWarning")
@pytest.mark.parametrize("kind", EVERY_CLASSIFIER)
def test_they_clone_and_search(kind, tmp_path) -> None:
    """Every fit of a search spends from the ledger named by its path."""
    ledger = dps.Ledger.open(tmp_path / "b", epsilon=100, delta=1e-4)
    rng = np.random.default_rng(0)
    X, y = rng.uniform(0, 1, (300, 2)), rng.integers(0, 2, 300)
    model = kind(domains={0: (0, 1), 1: (0, 1)}, classes=[0, 1], ledger=str(tmp_path / "b"))
    search = GridSearchCV(clone(model), {"epsilon": [1, 2]}, cv=3).fit(X, y)

    assert search.predict(X).shape == (300,)
    assert 7 == ledger.totals.spends
    assert 9 + search.best_params_["epsilon"] == ledger.totals.epsilon
