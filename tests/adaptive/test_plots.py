"""Pictures are files of their kind; what they show is checked by eye."""

import numpy as np
import pytest

from dpselect.adaptive.learner import RegretTree
from tests.adaptive.toy_options import adaptive, trained


def test_regret_is_drawn(tmp_path) -> None:
    """Predicted against true losses, and regret against epsilon."""
    adaptive.draw_regret(trained().trained.regret, tmp_path / "regret.svg")

    text = (tmp_path / "regret.svg").read_text()
    assert text.startswith("<?xml")
    assert len(text) > 10_000


def test_histograms_are_drawn_on_one_scale(tmp_path) -> None:
    """Original and estimates have one shape, and there is something to draw."""
    counts = np.arange(16).reshape(4, 4)
    adaptive.draw_histograms(counts, {"noisy": counts + 0.5}, tmp_path / "h.png")
    assert (tmp_path / "h.png").stat().st_size > 2000
    for noisy in ({}, {"other": np.zeros(4)}):
        with pytest.raises(ValueError, match="one estimate of its shape"):
            adaptive.draw_histograms(counts, noisy, tmp_path / "h.png")
    with pytest.raises(ValueError, match="is not a picture"):
        adaptive.draw_histograms(counts, {"noisy": counts}, tmp_path / "h.doc")


def test_the_regret_tree_splits_where_the_best_option_changes() -> None:
    """One cut, at the place where one option becomes better than the other."""
    x = np.arange(20.0)[:, None]
    regrets = np.where(x < 7, [[0.0, 1.0]], [[1.0, 0.0]])
    tree = RegretTree().fit(x, regrets, np.ones(20))

    assert (0, 6.5) == tree.tree[:2]
    assert [0, 1] == tree.predict(np.array([[6.0], [7.0]])).argmin(axis=1).tolist()
