"""The study of regressors measures what it says it does."""

import numpy as np
import pytest

from research.comparisons import regression as study


def test_families_are_within_their_public_bounds() -> None:
    """Tables as large as they say, and the same every time."""
    for name, rows in study.FAMILIES:
        task = study.made_up(name, min(rows, 500))
        again = study.made_up(name, min(rows, 500))

        assert task.target.tolist() == again.target.tolist()
        assert 0 <= task.target.min() < task.target.max() <= 1
        assert task.domains.keys() == task.columns.keys()


def test_figures_are_those_of_the_test_records() -> None:
    """A model that knows the target is right, and one that says the middle is off by what the range says."""
    task = study.made_up("steps", 400)

    def told(task, _, train, test):
        assert not np.intersect1d(train, test).size
        return task.target[test]

    assert (1.0, 0.0) == study.measured(task, told, 1.0, 2)[:2]
    r2, error, _ = study.measured(task, lambda task, _, __, test: np.full(test.size, 0.5), 1.0, 2)
    assert r2 <= 0
    assert error == pytest.approx(np.abs(task.target - 0.5).mean(), rel=0.1)


def test_without_privacy_there_is_more_to_learn() -> None:
    """At a huge epsilon a private tree comes near, and at a tiny one it says little."""
    task = study.made_up("steps", 2000)
    tree = study.MODELS["tree"]

    assert study.measured(task, tree, 1e6, 1)[0] > 0.5 > study.measured(task, tree, 0.01, 1)[0]
