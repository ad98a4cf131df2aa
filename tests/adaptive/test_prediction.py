"""Synthesis: constants of a programmer's formula, found in traces."""

import functools

import numpy as np
import pytest

from dpselect import adaptive
from tests.adaptive.toy_options import maker

SIZES = (3, 10, 40, 200)


@functools.cache
def exact():
    """Options whose losses follow formulas exactly: a steep one, and one that grows with the database."""
    options = [
        adaptive.Option("steep", lambda _, epsilon: 30 / float(epsilon)),
        adaptive.Option("grows", lambda x, _: 2 * len(x) ** 0.5),
    ]
    rows = adaptive.Metafeature("rows", len, public=True, scale="log")
    own = adaptive.AdaptiveAlgorithm(options, [rows], lambda _, lost: lost, learner="regret-tree")
    return own.train({str(n): [1] * n for n in SIZES}, [1, 2, 4, 8], 1, jobs=1)


def test_constants_are_found_and_choose_without_regret() -> None:
    """Formulas of the right form explain everything, on groups left out too."""
    found = adaptive.fit_prediction({"steep": "a * epsilon ** b", "grows": "a * rows ** b"}, exact())

    assert np.allclose([30, -1], list(found.constants["steep"].values()))
    assert np.allclose([2, 0.5], list(found.constants["grows"].values()))
    assert min(*found.fit.values(), *found.held_out.values()) > 0.999
    assert 1 == pytest.approx(found.regret)
    assert found.learned > 1
    assert "by the formula" in str(found)


def test_wrong_formulas_say_so() -> None:
    """One constant for all databases explains nothing, and its regret shows it."""
    found = adaptive.fit_prediction("exp(a)", exact())

    assert all(fit < 0.01 for fit in found.fit.values())
    assert found.regret > 1.1


def test_predictions_are_handed_back_to_options() -> None:
    """A fitted formula is what Option(predict=...) takes."""
    predict = adaptive.fit_prediction("a * rows ** b * epsilon ** c", exact()).predict("steep")

    assert 15 == pytest.approx(predict({"rows": 5.0}, 2.0), rel=1e-3)
    with pytest.raises(ValueError, match="The option 'other' does not exist"):
        adaptive.fit_prediction("a * rows", exact()).predict("other")


def test_refusals() -> None:
    """Not trained; formulas without constants, or for some options only."""
    with pytest.raises(ValueError, match="trained on at least two groups"):
        adaptive.fit_prediction("a", maker())
    with pytest.raises(ValueError, match="has no constant"):
        adaptive.fit_prediction("rows / epsilon", exact())
    with pytest.raises(ValueError, match="one for each of steep, grows"):
        adaptive.fit_prediction({"steep": "a"}, exact())
