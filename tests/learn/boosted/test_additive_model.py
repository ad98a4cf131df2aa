"""The fitted model: scores, contributions, curves, and files of it."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from dpselect.learn.boosted.additive_model import AdditiveModel
from dpselect.views import Interaction

ONE = Interaction((0,), (np.array([0, 0, 1]),), 2)
BOTH = Interaction((1, 0), (np.array([0, 1]), np.array([0, 2, 2])), 4)
WEIGHTS = (np.array([2, 1, 1]), np.array([3, 1]))
ADDITIVE = AdditiveModel((3, 2), np.array([7]), (ONE, ONE), (np.array([[10], [-30]]), np.array([[1], [2]])), WEIGHTS)
JOINT = AdditiveModel(
    (3, 2), np.array([5, -5]), (ONE, BOTH), (np.array([[8, -8], [0, 4]]), np.arange(8).reshape(4, 2) * 10), WEIGHTS
)
CODES = [np.array([0, 1, 2, 2, -1, 0]), np.array([0, 1, 0, 1, 1, -2])]


def test_scores_are_the_start_and_one_value_of_every_tile() -> None:
    """A tile adds nothing where one of its columns has no code."""
    assert [[18, 18, -21, -21, 7, 18]] == ADDITIVE.scores(CODES).tolist()
    # Parts of the joint tile: 0, 3, 2, 3; the last two records lack a column.
    assert [[13, 73, 45, 65, 5, 13], [-3, 57, 49, 69, -5, -13]] == JOINT.scores(CODES).tolist()


@pytest.mark.parametrize("model", [ADDITIVE, JOINT])
def test_contributions_add_up_and_are_nothing_on_average(model: AdditiveModel) -> None:
    """Also where a value has no code; the average is over the released weights."""
    intercept, shares = model.contributions(CODES)

    assert np.allclose(intercept + shares.sum(axis=1), model.scores(CODES).T)
    grid = [each.ravel() for each in np.meshgrid(np.arange(3), np.arange(2), indexing="ij")]
    weights = np.outer(*WEIGHTS).ravel()
    assert np.allclose(0, weights @ model.contributions(grid)[1].reshape(6, -1))


def test_only_sums_of_single_columns_are_additive() -> None:
    """Their curves are the sums of their tiles."""
    assert ADDITIVE.additive
    assert not JOINT.additive
    assert [[11], [11], [-28]] == ADDITIVE.curves[0].tolist()
    assert [[0], [0]] == ADDITIVE.curves[1].tolist()
    assert "additive" in repr(ADDITIVE)


def test_importances_sum_to_one_or_to_nothing() -> None:
    """The only column that does anything has all of it."""
    assert [1, 0] == ADDITIVE.dependence.importances.tolist()
    assert 1 == pytest.approx(JOINT.dependence.importances.sum())
    flat = AdditiveModel((3, 2), np.array([7]), (ONE,), (np.zeros((2, 1), int),), WEIGHTS)
    assert [0, 0] == flat.dependence.importances.tolist()


@pytest.mark.parametrize("model", [ADDITIVE, JOINT])
def test_files_hold_the_model(model: AdditiveModel) -> None:
    """What comes back is the same."""
    assert model.as_dict() == AdditiveModel.from_dict((3, 2), model.as_dict()).as_dict()


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.pop("start"),
        lambda c: c["start"].append(1),
        lambda c: c["weights"].pop(),
        lambda c: c["weights"][0].append(1),
        lambda c: c["weights"].__setitem__(0, [0, 0, 0]),
        lambda c: c["weights"].__setitem__(0, [-1, 1, 1]),
        lambda c: c["tiles"][0]["parts_of"].__setitem__(0, [0, 0, 2]),
        lambda c: c["tiles"][0]["parts_of"].__setitem__(0, [0, 1]),
        lambda c: c["tiles"][0]["columns"].__setitem__(0, 2),
        lambda c: c["tiles"][0]["columns"].__setitem__(0, -1),
        lambda c: c["tiles"][0]["columns"].__setitem__(0, 0.0),
        lambda c: c["tiles"][0]["columns"].__setitem__(0, "a"),
        lambda c: c["tiles"][0].__setitem__("values", [[0.5], [1]]),
        lambda c: c["tiles"][0].__setitem__("values", [[1, 1], [1, 1]]),
        lambda c: c["tiles"][0].__setitem__("values", []),
        lambda c: c["tiles"].append(None),
        lambda c: c["tiles"][0].__setitem__("values", [[2**70], [1]]),
    ],
)
def test_files_that_hold_something_else_are_refused(change) -> None:
    """In one sentence."""
    content = copy.deepcopy(ADDITIVE.as_dict())
    change(content)

    with pytest.raises(ValueError, match="damaged or was edited"):
        AdditiveModel.from_dict((3, 2), content)
