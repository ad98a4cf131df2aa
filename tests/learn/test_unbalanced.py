"""Where one class is rare, drawings, words and importances tell what predictions know."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from dpselect.learn import DPTreeClassifier
from tests.chance import believe
from tests.learn.unbalanced import old_graduates, six_columns

CLASSES = ["no", "yes"]


@pytest.mark.parametrize("epsilon", [1, 4])
def test_a_drawing_keeps_shares_that_differ_though_no_label_does(epsilon: float) -> None:
    """Leaves of about 30 per cent and of about 2, and every path to the first asks for the age and the degree."""
    X, y, domains = old_graduates(np.random.default_rng())
    model = DPTreeClassifier(epsilon, domains=domains, classes=CLASSES).fit(X, y)
    tree = model.trees_[0]
    leaves = tree.leaves[tree.counts[tree.leaves].sum(axis=1) > 300]
    shares = tree.counts[leaves, 1] / tree.counts[leaves].sum(axis=1)

    assert np.mean(model.predict(X) == "no") > 0.99
    assert 3 <= model.get_n_leaves() <= 40
    assert shares.max() > 0.2
    assert shares.min() < 0.04
    line = next(line for line in model.export_text().splitlines() if "yes: 3" in line or "yes: 2" in line)
    assert "records: " in line
    asked = {tree.attributes[place].name for place in tree.split[tree.split >= 0].tolist()}
    assert {"age", "degree"} <= asked
    assert model.get_depth() >= 2
    assert len(set(model.apply(X).tolist())) > 2
    assert model.decision_path(X).sum() > 2 * len(y)


def test_a_second_table_is_drawn_too() -> None:
    """One of four columns that matter, at the least."""
    X, y, domains = six_columns(np.random.default_rng())
    drawn = [DPTreeClassifier(2, domains=domains, classes=CLASSES).fit(X, y).get_n_leaves() for _ in range(3)]

    assert max(drawn) > 1


@pytest.mark.chance(1e-6)
@pytest.mark.parametrize("chances", [[0.94, 0.06], [0.98, 0.02]])
def test_a_rare_class_of_noise_is_drawn_as_one_leaf(chances: list[float]) -> None:
    """In 92 of 100 fits at least."""
    rng = np.random.default_rng(5)
    many = []
    for n, epsilon in ((1000, 1), (3000, 0.5), (3000, 4), (20_000, 1)):
        for _ in range(6):
            X: Any = {"n": rng.random(n), "m": rng.random(n), "c": rng.choice(list("abcd"), n)}
            domains = {"n": (0, 1), "m": (0, 1), "c": list("abcd")}
            y = rng.choice(2, n, p=chances)
            many.append(DPTreeClassifier(epsilon, domains=domains, classes=[0, 1]).fit(X, y).get_n_leaves() == 1)

    believe(float(binom.sf(many.count(False) - 1, len(many), 0.08)), 1e-6)


def test_why_gives_the_share_the_base_rate_and_what_moved_it() -> None:
    """For somebody whose share is far above that of all, and whose label is the common one."""
    X, y, domains = old_graduates(np.random.default_rng())
    model = DPTreeClassifier(4, domains=domains, classes=CLASSES).fit(X, y)
    (words,) = model.why({"age": [85], "degree": ["yes"], "region": ["a"], "member": ["no"]})

    assert words.startswith("no, because ")
    assert "age" in words
    assert "degree is yes (+" in words
    end = r"(\. With the splits that are not drawn: yes \d\d %)?$"
    assert re.search(r" takes? yes from [4-8](\.\d)? % to (2|3)\d %(, \d\d to \d\d)? \(records: \d+\)" + end, words)
