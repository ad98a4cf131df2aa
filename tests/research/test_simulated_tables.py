"""Tables as sets of records, and many fits of one model: the same rates as by labels, one by one."""

import numpy as np
import pytest

from dpselect.learn import DPEvolutionaryTreeClassifier
from research.engine import data
from research.papers import fitted_trees
from research.papers.released import recall_masks
from research.papers.released.evolution import node

AGES, SEXES, ILL = [10, 20, 30, 40, 50], ["m", "f", "f", "m", "f"], ["no", "no", "yes", "no", "yes"]


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> data.Table:
    """Five records with a number and a category, in place of the data folder's."""
    columns = {"age": np.array(AGES), "sex": np.array(SEXES), "ill": np.array(ILL)}
    result = data.Table(columns, "ill", {"age": (0, 100), "sex": ["f", "m"]}, ["no", "yes"])
    monkeypatch.setattr(data, "table", lambda name, target: result)
    return result


@pytest.mark.usefixtures("table")
def test_numbers_are_cut_between_their_values() -> None:
    """The last class is the positive one; up to a cut goes first."""
    masks = recall_masks.masks.__wrapped__("toy", None)

    assert (2, 3) == (masks.positives, masks.negatives)
    assert [0.1, 0.2, 0.3, 0.4, 0.5] == masks.places[0].tolist()
    # Nobody is below the first cut; two are up to 20, of whom none is ill.
    rates = masks.rates([node(0, 0, 0, 1), node(0, 2, 0, 1)])
    assert [1.0, 0.0, 1.0, 2 / 3] == pytest.approx(rates.ravel().tolist())
    # Three women, of whom two are ill.
    assert [1.0, 2 / 3] == pytest.approx(masks.rates([node(1, 0, 1, 0)])[0].tolist())


def test_recalls_of_many_fits_are_those_of_labels(table: data.Table) -> None:
    """Each tree of a fit labels the five records as predict does."""
    settings = {"population": 4, "generations": 1, "depth": 2, "max_depth": 2}
    result = fitted_trees.several_recalls("toy", None, settings, "local-dampening-flip", 5.0, 6)
    assert (6, 1, 2) == result.shape
    assert set(np.round(result[..., 0].ravel() * 3, 9)) <= {0, 1, 2, 3}
    assert set(np.round(result[..., 1].ravel() * 2, 9)) <= {0, 1, 2}

    model = DPEvolutionaryTreeClassifier(5, domains=table.domains, classes=table.classes, **settings)
    model.fit(table.columns, "ill")
    weights = np.array([[each == label for each in ILL] for label in table.classes], dtype=float)
    weights /= weights.sum(axis=1, keepdims=True)
    predicted = model.predict(table.columns)
    expected = [np.mean([p == t for p, t in zip(predicted, ILL, strict=True) if t == label]) for label in table.classes]
    codes = model._read_again(table.columns)
    assert expected == pytest.approx(fitted_trees.recalls(model.trees_, codes, weights)[0].tolist())
