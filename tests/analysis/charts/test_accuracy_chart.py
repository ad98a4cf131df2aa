"""The lines of accuracy are expectations over exact laws, added up here by hand."""

from __future__ import annotations

import pytest

pytest.importorskip("altair", reason="charts need the extra web")

import dpselect as dps
from dpselect.analysis.charts.accuracy_chart import BEST, NONE, ONE, accuracies, one_split
from dpselect.analysis.label_pmf import label_pmf
from dpselect.learn import DPTreeClassifier, first_split

TABLE = {"age": [(7 * row) % 100 for row in range(300)], "job": ["nurse" if row % 3 else "smith" for row in range(300)]}
RICH = ["yes" if (7 * row) % 100 >= 40 and row % 3 else "no" for row in range(300)]
DOMAINS = {"age": (0, 100), "job": ["nurse", "smith"]}


def model(epsilon=1.0, **more) -> DPTreeClassifier:
    """The default tree, which knows how many rows there are."""
    return DPTreeClassifier(epsilon, bins=5, domains=DOMAINS, classes=["no", "yes"], n_records=300, **more)


@pytest.mark.parametrize("epsilon", [0.2, 0.8])
def test_one_split_is_the_mean_over_all_splits(epsilon) -> None:
    """Split by split and side by side, each weighed with its exact chance."""
    tree = model(epsilon, max_depth=1)
    asked = first_split(tree, TABLE, RICH)
    law = asked.mechanism.pmf(asked.scores, asked.epsilon)
    by_hand = 0.0
    for chance, sides in zip(law, asked.sides, strict=True):
        for side in sides:
            by_hand += chance * (label_pmf([side], epsilon=float(asked.leaf))[0] @ side) / 300

    assert by_hand == pytest.approx(one_split(tree, TABLE, RICH), abs=1e-6)


def test_one_split_is_what_fits_get() -> None:
    """The mean of many fits of one level, labelled by their own noisy counts, is near the line."""
    tree, right = model(0.8, max_depth=1), 0.0
    for _ in range(60):
        fitted = tree.fit(TABLE, RICH)
        grown = fitted.trees_[0].whole_tree
        labels = fitted.classes_[grown.counts.argmax(axis=1)][grown.apply(fitted._read_again(TABLE))]
        right += float((labels == RICH).mean()) / 60

    assert one_split(tree, TABLE, RICH) == pytest.approx(right, abs=0.06)


def test_the_other_lines() -> None:
    """Everybody gets the most frequent class; with epsilon enough the best splits are right on all rows."""
    lines = accuracies(model(max_depth=2), TABLE, RICH, [0.05, 9])

    assert [RICH.count("no") / 300] * 2 == lines[NONE]
    assert 1.0 == pytest.approx(lines[BEST][1])
    assert lines[ONE][0] < lines[ONE][1] < lines[BEST][1]


def test_an_epsilon_is_marked_where_it_is_on_the_axis() -> None:
    """One outside of the lines has no mark, and the chart can be drawn both ways."""
    inside = dps.plot.accuracy_chart(model(), TABLE, RICH, epsilons=[0.1, 1], epsilon=0.5)
    outside = dps.plot.accuracy_chart(model(), TABLE, RICH, epsilons=[0.1, 1], epsilon=5)

    assert "Upright line" in str(inside.to_dict()["title"])
    assert "Upright line" not in str(outside.to_dict()["title"])
    assert all("<svg" in chart.svg() for chart in (inside, outside))


def test_other_models_are_refused() -> None:
    """Forests and sums of tables have no splits with an exact law."""
    with pytest.raises(TypeError, match="Pass a DPTreeClassifier"):
        dps.plot.accuracy_chart(dps.learn.DPBoostedTreesClassifier(1), TABLE, RICH)
