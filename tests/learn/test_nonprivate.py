"""What a tree would do without noise is what its fit asks, with the best answers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.privacy_filter import PrivacyFilter
from dpselect.learn import (
    DPBoostedTreesClassifier,
    DPID3Classifier,
    DPTreeClassifier,
    first_split,
    without_noise,
)
from dpselect.learn.nonprivate import BestOutcomes, leaf_epsilons
from dpselect.learn.training import of_frame
from dpselect.mechanisms.registry import require_mechanism
from dpselect.release.session import Session

JOBS = ["farmer", "nurse", "smith"]
TABLE = {
    "age": [(7 * row) % 100 for row in range(600)],
    "job": [JOBS[row % 3] for row in range(600)],
    "region": ["north" if row % 5 else "south" for row in range(600)],
}
RICH = ["yes" if (7 * row) % 100 >= 40 and row % 3 else "no" for row in range(600)]
DOMAINS = {"age": (0, 100), "job": JOBS, "region": ["north", "south"]}
COMMON = {"domains": DOMAINS, "classes": ["no", "yes"]}


class Recorder(BestOutcomes):
    """Outcomes that remember the exact law of the first question."""

    def __init__(self) -> None:
        self.laws: list[np.ndarray] = []
        self.leaves: list[tuple[list[int], float]] = []

    def noisy(self, counts, rate):
        """Remember what leaves pay: sizes of nodes have no classes."""
        self.leaves += [(row, float(rate)) for row in counts.tolist()] if counts.ndim == 2 else []
        return counts

    def winners(self, sampler, ticks, rate, k):
        """Remember what would be drawn."""
        self.laws.append(np.exp(sampler.tick_log_pmf(ticks, rate)))
        return super().winners(sampler, ticks, rate, k)

    def rows(self, ticks, valid, rate):
        """Remember what would be drawn for the first row, by permute-and-flip."""
        law = require_mechanism("permute-and-flip").sampler.tick_log_pmf(ticks[0][valid[0]], rate)
        self.laws.append(np.exp(law))
        return super().rows(ticks, valid, rate)


def recorded(model) -> Recorder:
    """What a fit asks of its session."""
    data = of_frame(TABLE, RICH, model._reading())
    program = model._fit_plan(data.known.attributes, data.known.classes, Fraction(model.epsilon))
    heard = Recorder()
    program(data.records, Session(PrivacyFilter(Fraction(model.epsilon), Neighbours.ADD_REMOVE), heard))
    return heard


@pytest.mark.parametrize(
    "model",
    [
        DPTreeClassifier(Fraction(1, 4), n_records=600, **COMMON),
        DPTreeClassifier(2, n_records=600, max_depth=1, **COMMON),
        DPTreeClassifier(Fraction(1, 2), max_depth=3, bins=7, **COMMON),
        DPID3Classifier(Fraction(1, 2), **COMMON),
        DPID3Classifier(1, 2, criterion="gini", mechanism="exponential", **COMMON),
        DPID3Classifier(1, 2, criterion="information-gain", mechanism="local-dampening", **COMMON),
        DPID3Classifier(1, 2, criterion="information-gain", max_records=700, **COMMON),
        DPID3Classifier(1, stop="depth", **COMMON),
    ],
    ids=repr,
)
def test_the_law_is_that_of_the_fit(model) -> None:
    """What the first question's scores, epsilon and mechanism give is what the session of the fit is asked."""
    asked = first_split(model, TABLE, RICH)

    assert recorded(model).laws[0].tolist() == pytest.approx(
        asked.mechanism.pmf(asked.scores, asked.epsilon).tolist(), abs=1e-6
    )


def test_sides_are_the_counts_below() -> None:
    """Every split sends every record to one side."""
    asked = first_split(DPTreeClassifier(1, **COMMON), TABLE, RICH)
    place = asked.scores.candidates.index("job is farmer")

    assert [[200, 0], [160, 240]] == asked.sides[place].tolist()
    assert all([360, 240] == side.sum(axis=0).tolist() for side in asked.sides)


def test_the_tree_is_what_a_lavish_fit_grows() -> None:
    """At an epsilon that leaves no noise the fit draws the same tree."""
    model = DPTreeClassifier(9, max_depth=2, bins=10, n_records=600, **COMMON)
    table = {name: values * 50 for name, values in TABLE.items()}
    exact, drawn = without_noise(model, table, RICH * 50), model.fit(table, RICH * 50)

    assert exact.trees_[0].split.tolist() == drawn.trees_[0].split.tolist()
    assert 30_000 == exact.trees_[0].counts[0].sum()
    assert exact.privacy_spent_ is None


def test_nothing_is_drawn_or_spent(tmp_path) -> None:
    """Two calls agree, whatever ledger the model has, and that ledger is not even made."""
    model = DPTreeClassifier(Fraction(1, 10), ledger=str(tmp_path / "people.ledger"), **COMMON)
    trees = {without_noise(model, TABLE, RICH).export_text() for _ in range(3)}

    assert 1 == len(trees)
    assert [] == [*tmp_path.iterdir()]
    assert not hasattr(model, "trees_")


def test_leaves_have_what_the_path_left() -> None:
    """Counts of a tree of one level have what the question left, and add up to the table's."""
    model = DPTreeClassifier(1, max_depth=1, n_records=600, **COMMON)
    counts, epsilons = leaf_epsilons(model, TABLE, RICH)

    assert [0.3, 0.3] == pytest.approx(epsilons.tolist())
    assert float(first_split(model, TABLE, RICH).leaf) == pytest.approx(epsilons[0])
    assert [360, 240] == counts.sum(axis=0).tolist()


def test_a_leaf_asks_nothing() -> None:
    """Where rows times epsilon are too few for a split there is no question."""
    assert first_split(DPTreeClassifier(Fraction(1, 100), n_records=600, **COMMON), TABLE, RICH) is None
    assert first_split(DPID3Classifier(Fraction(1, 4), **COMMON), TABLE, RICH) is None


@pytest.mark.parametrize(
    "model",
    [
        DPTreeClassifier(1, n_records=600, **COMMON),
        DPTreeClassifier(3, max_depth=2, **COMMON),
        DPID3Classifier(1, **COMMON),
        DPID3Classifier(3, 2, shares=(1, 2, 3), **COMMON),
        DPID3Classifier(3, 2, stop="depth", prune="none", **COMMON),
    ],
    ids=repr,
)
def test_leaves_pay_what_the_door_is_asked(model) -> None:
    """Counts and epsilon of every leaf before pruning are those of the fit."""
    counts, epsilons = leaf_epsilons(model, TABLE, RICH)
    heard = sorted(recorded(model).leaves)
    said = sorted(zip(counts.tolist(), epsilons.tolist(), strict=True))

    assert [row for row, _ in heard] == [row for row, _ in said]
    assert [rate for _, rate in heard] == pytest.approx([epsilon for _, epsilon in said])
    assert 600 == counts.sum()


@pytest.mark.parametrize("model", [DPBoostedTreesClassifier(1), DPID3Classifier(1, n_trees=2, **COMMON), "tree"])
def test_other_models_are_refused(model) -> None:
    """A sum of tables and a forest have no root."""
    with pytest.raises(TypeError, match="Pass"):
        first_split(model, TABLE, RICH)
