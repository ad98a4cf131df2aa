"""A forest says which columns move a record's chances, and its page begins with them."""

import numpy as np
import pytest

from dpselect.learn import DPRandomForestClassifier
from dpselect.learn.forest.vote_reasons import shifts_of
from dpselect.learn.pages.model_page import page_of
from dpselect.release.open_session import session_factory_of
from dpselect.release.system_noise import SystemNoise

RNG = np.random.default_rng(5)
TABLE = {"x": RNG.uniform(0, 10, 2000), "job": RNG.choice(["a", "b", "c"], 2000), "noise": RNG.uniform(0, 1, 2000)}
LABELS = np.where(TABLE["x"] > 5, "high", "low")


@pytest.fixture(scope="module")
def forest() -> DPRandomForestClassifier:
    """Of eight trees, where x alone decides; with fixed bytes, since its trees split at random."""
    domains = {"x": (0, 10), "job": ["a", "b", "c"], "noise": (0, 1)}
    model = DPRandomForestClassifier(epsilon=5, n_trees=8, domains=domains, classes=["high", "low"])
    generator = np.random.Generator(np.random.Philox(20261121))
    model._session_factory = session_factory_of(lambda: SystemNoise(lambda: generator.bytes))
    return model.fit(TABLE, LABELS)


def test_what_columns_move_adds_up_to_the_mean_share(forest: DPRandomForestClassifier) -> None:
    """The share at the roots and every column's part are the share of the leaves, for each class."""
    odd = {"x": [9.0, 0.1, None, 5.0], "job": ["a", "c", "b", "unknown"], "noise": [0.5, 0.1, 0.9, None]}
    codes = forest._read_again(odd)
    leaves = np.mean([forest._shares(tree)[tree.apply(codes)] for tree in forest.trees_], axis=0)

    for label in range(2):
        start, shifts = shifts_of(forest, codes, np.full(4, label))
        assert (start + shifts.sum(axis=1)).tolist() == pytest.approx(leaves[:, label].tolist(), abs=1e-12)
        assert shifts.shape == (4, 3)


def test_the_column_that_decides_is_named_first(forest: DPRandomForestClassifier) -> None:
    """With the predicted label, its chance, and a value that the column has."""
    records = {"x": [9.5, 0.5], "job": ["a", "b"], "noise": [0.5, 0.5]}
    for words, label, chances in zip(
        forest.why(records), forest.predict(records), forest.predict_proba(records), strict=True
    ):
        assert words.startswith(f"{label} (chance {chances.max():.2f}, 0.")
        assert " among all), because x " in words
    # Half of the records are of each class: what x adds is most of the other half.
    _, shifts = shifts_of(forest, forest._read_again(records), np.array([0, 1]))
    assert (shifts[:, 0] > 0.3).all()


def test_the_page_of_a_forest_begins_with_its_columns(forest: DPRandomForestClassifier) -> None:
    """It is called a forest, and one tree of many is shown only to who asks."""
    page = page_of(forest)

    assert "<h1>A private forest of 8 trees</h1>" in page
    assert page.index("Which columns matter") < page.index("The first of 8 trees")
    assert "<details><summary>Show it</summary>" in page
