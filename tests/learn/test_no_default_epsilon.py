"""Nobody trains a model at a price that nobody named."""

from typing import Any

import pytest
from sklearn.base import clone

import dpselect as dps
from dpselect import learn
from dpselect.papers import RandomDecisionForestClassifier

ROWS, LABELS = [[age] for age in range(40)], [int(age >= 20) for age in range(40)]
CLASSIFIERS = (*learn.EVERY_CLASSIFIER, RandomDecisionForestClassifier)
REGRESSORS = (learn.DPTreeRegressor, learn.DPBoostedTreesRegressor)


class Unread:
    """A table that no one may look at."""

    def __getattr__(self, name: str) -> Any:
        pytest.fail(f"read {name}")

    def __len__(self) -> int:
        pytest.fail("counted")


def made(kind: Any, **more: Any) -> Any:
    """Return an estimator that lacks an epsilon at most."""
    target = {"target": (0, 1)} if kind in REGRESSORS else {"classes": [0, 1]}
    return kind(domains={0: (0, 40)}, **target, **more)


@pytest.mark.parametrize("kind", [*CLASSIFIERS, *REGRESSORS], ids=lambda kind: kind.__name__)
def test_fit_asks_for_an_epsilon_before_it_reads(kind: Any) -> None:
    """In one sentence with a call that works, and nothing is spent."""
    model = made(kind)
    with dps.budget(epsilon=1) as book, pytest.raises(dps.PrivacyError, match=rf"as in {kind.__name__}\(epsilon=1\)"):
        model.fit(Unread(), LABELS)

    assert (None, 0) == (clone(model).epsilon, len(book.events))
    with pytest.raises(dps.PrivacyError, match="epsilon=1"):
        model.rehearse([0])


def test_a_preview_and_a_search_ask_too() -> None:
    """A search has an epsilon of its own, and its estimator needs none."""
    tree = made(learn.DPTreeClassifier)
    with pytest.raises(dps.PrivacyError, match="epsilon=1"):
        learn.preview(tree, ROWS, LABELS, n_records=1000)
    with pytest.raises(dps.PrivacyError, match=r"DPSearch\(epsilon=1\)"):
        learn.DPSearch(tree, {"max_depth": [1, 2]}).fit(Unread(), LABELS)

    assert learn.DPSearch(tree, {"max_depth": [1, 2]}, 5).fit(ROWS, LABELS).privacy_spent_.epsilon == 5


def test_a_check_of_a_table_costs_nothing_and_needs_none() -> None:
    """It counts cells for the curator."""
    assert 40 == made(learn.DPTreeClassifier).check(ROWS, LABELS).rows
