"""Without noise a fit is a function of its structure: integers leave nothing for rounding to decide."""

from __future__ import annotations

import numpy as np
import pytest

from dpselect.learn.boosted.additive_model import AdditiveModel
from tests.learn.boosted.doors import USUAL, Quiet, Structured, bumpy, fitted

# So much that even sums in units of 2^-16, in 200 rounds, get the noise 0.
INFINITE = 10**30


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("delta", [0, 1e-6])
def test_twins_are_equal_bit_for_bit(delta, classes: int) -> None:
    """Drawn with exact noise at an infinite epsilon, and without any: the same model, ties and all."""
    table, labels = bumpy(400, classes=classes)
    # Two columns alike tie in every order and weight.
    table["noise"] = table["x"] / 10
    given = USUAL | {"classes": list(range(classes)), "delta": delta, "epsilon": INFINITE, "rounds": 25}
    twins = [fitted(table, labels, session_factory(3), **given) for session_factory in (Structured, Quiet)]
    other = fitted(table, labels, Structured(4), **given)

    assert twins[0].model_.as_dict() == twins[1].model_.as_dict() != other.model_.as_dict()
    assert np.array_equal(twins[0].predict_proba(table), twins[1].predict_proba(table))


@pytest.mark.parametrize("interactions", [False, True])
def test_a_saved_model_predicts_the_same(interactions: bool) -> None:
    """A model is its integers."""
    table, labels = bumpy(500)
    model = fitted(table, labels, epsilon=3, rounds=20, interactions=interactions, **USUAL)
    before = model.predict_proba(table)
    model.model_ = AdditiveModel.from_dict(model.model_.sizes, model.model_.as_dict())

    assert np.array_equal(before, model.predict_proba(table))


def test_what_a_fit_learned_from_is_what_it_predicts() -> None:
    """The scores that records had after the last round are those of the model."""
    table, labels = bumpy(300)
    model = fitted(table, labels, epsilon=3, rounds=30, interactions=True, **USUAL)
    codes = model._read_again(table)
    total = np.tile(model.model_.start, (300, 1))
    for tile, values in zip(model.model_.tiles, model.model_.values, strict=True):
        part = sum(offsets[codes[column]] for column, offsets in zip(tile.columns, tile.parts_of, strict=True))
        total += values[part]

    assert total.T.tolist() == model.model_.scores(codes).tolist()
