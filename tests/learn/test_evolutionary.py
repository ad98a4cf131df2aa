"""DP-MOET: trees for several goals."""

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.learn import DPEvolutionaryTreeClassifier, population
from dpselect.learn.domains import attributes
from dpselect.learn.draws import Draws
from dpselect.learn.evolutionary import _Search
from dpselect.learn.population import Node, depth_of, recognised, size
from dpselect.views import Records

KNOWN = attributes(["a", "b"], {"a": (0, 8), "b": ["x", "y", "z"]}, bins=8, missing=False)


def table(n: int = 2000):
    """One in five is ill; the ill are old, and some of the old are well."""
    rng = np.random.default_rng(0)
    age = rng.uniform(0, 100, n)
    return {"age": age, "state": np.where((age > 70) & (rng.uniform(size=n) < 0.7), "ill", "well")}


def deepest(node: Node) -> int:
    """Levels of splits."""
    return 0 if node.attribute < 0 else 1 + max(deepest(node.first), deepest(node.second))


def test_operations_stay_within_the_public_sizes() -> None:
    """Random trees are full, crossover keeps the number of nodes, pruning cuts."""
    search = _Search(KNOWN, 3, Draws())
    for _ in range(50):
        one, two = search.random(3), search.random(2)
        assert (3, 15, 7) == (deepest(one), size(one), size(two))
        first, second = search.crossed(one, two)
        assert size(one) + size(two) == size(first) + size(second)
        assert deepest(search.pruned(search.mutated(first, 4), 4)) <= 4
    assert [0, 1, 2, 2, 1] == [depth_of(search.random(2), place) for place in range(5)]


@pytest.mark.parametrize("words", [2**21, 100])
def test_the_released_tree_is_the_tree_that_was_scored(words: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels of the search and of the released form agree on random records, at once and in pieces."""
    monkeypatch.setattr(population, "_BYTES", words)
    search, rng = _Search(KNOWN, 3, Draws()), np.random.default_rng(1)
    for size_ in (0, 1, 64, 300):
        codes = [rng.integers(0, 8, size_), rng.integers(0, 3, size_)]
        labels = rng.integers(0, 3, size_)
        records = Records(codes, labels, (8, 3), 3)
        nodes = [search.mutated(search.random(depth), 5) for depth in (0, 1, 2, 3, 4) for _ in range(6)]
        expected = []
        for node in nodes:
            tree = search.as_tree(node)
            predicted = tree.counts.argmax(axis=1)[tree.apply(codes)]
            expected.append(np.bincount(labels[predicted == labels], minlength=3))

        assert np.stack(expected, axis=1).tolist() == recognised(nodes, KNOWN, records).tolist()


def test_importance_moves_the_choice() -> None:
    """Where the ill count a hundred times as much, more of them are found."""
    data, found = table(), {}
    for weight in (0.01, 100):
        model = DPEvolutionaryTreeClassifier(
            1000, domains={"age": (0, 100), "state": ["well", "ill"]}, importance={"ill": weight}, population=200
        ).fit(data, "state")
        predicted = model.predict({"age": data["age"]})
        found[weight] = (predicted[data["state"] == "ill"] == "ill").mean()

    assert found[100] > 0.9
    assert found[0.01] < found[100]


@pytest.mark.parametrize("goal", ["weighted", "pareto"])
def test_several_trees_in_private_order(goal: str) -> None:
    """predict uses the first of them; the whole costs epsilon."""
    model = DPEvolutionaryTreeClassifier(
        5, goal=goal, output=3, population=30, selected=3, domains={"age": (0, 100), "state": ["well", "ill"]}
    ).fit(table(), "state")

    assert 3 == len(model.trees_)
    assert Fraction(5) == model.privacy_spent_.epsilon
    assert set(model.predict({"age": [1.0, 99.0]})) <= {"well", "ill"}


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"goal": "both"}, ValueError, "goal is"),
        ({"importance": [3, 2]}, TypeError, "maps classes"),
        ({"importance": {"dead": 1}}, ValueError, "no declared class"),
        ({"importance": {"ill": 0, "well": 0}}, ValueError, "zero for every class"),
        ({"importance": {"ill": np.nan}}, ValueError, "importance of 'ill'"),
        ({"importance": {"ill": 1.7e308}}, ValueError, "importance of 'ill'"),
        ({"importance": {"ill": "3"}}, ValueError, "importance of 'ill'"),
        ({"importance": {"ill": True}}, ValueError, "importance of 'ill'"),
        ({"importance": {"ill": 3}, "goal": "pareto"}, ValueError, 'goal="weighted"'),
        ({"selected": 200}, ValueError, "at most population"),
        ({"depth": 9}, ValueError, "at most max_depth"),
        ({"mechanism": "inverse-sensitivity"}, dps.PrivacyError, "changes"),
    ],
)
def test_bad_settings_spend_nothing(given, error, message: str) -> None:
    """Refused before anything is drawn."""
    with dps.budget(epsilon=9) as book, pytest.raises(error, match=message):
        DPEvolutionaryTreeClassifier(1, domains={"age": (0, 100), "state": ["well", "ill"]}, **given).fit(
            table(), "state"
        )
    assert 0 == book.totals.spends


def test_labels_are_not_dressed_up_as_counts() -> None:
    """Only labels are released, so text and reasons show labels."""
    model = DPEvolutionaryTreeClassifier(5, domains={"age": (0, 100), "state": ["well", "ill"]}).fit(table(), "state")

    assert "(" not in model.export_text()
    assert "(" not in model.why({"age": [50.0]})[0]
