"""DP-MOET: trees for several goals."""

from contextlib import nullcontext
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import dpselect as dps
from dpselect.learn import DPEvolutionaryTreeClassifier, population
from dpselect.learn.domains import attributes
from dpselect.learn.evolutionary import _Search
from dpselect.learn.population import Node, count_recognised, depth_of, simplify, size
from dpselect.views import Records
from tests.learn.doors import Large, noted

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
    search = _Search(KNOWN, 3, noted(1, Large()))
    for _ in range(50):
        one, two = search.random(3), search.random(2)
        assert (3, 15, 7) == (deepest(one), size(one), size(two))
        first, second = search.crossover(one, two)
        assert size(one) + size(two) == size(first) + size(second)
        assert deepest(search.prune(search.mutate(first, 4), 4)) <= 4
    assert [0, 1, 2, 2, 1] == [depth_of(search.random(2), place) for place in range(5)]


@pytest.mark.parametrize("words", [2**21, 100])
def test_the_released_tree_is_the_tree_that_was_scored(words: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels of the search and of the released form agree on random records, at once and in pieces."""
    monkeypatch.setattr(population, "_BYTES", words)
    search, rng = _Search(KNOWN, 3, noted(1, Large())), np.random.default_rng(1)
    for size_ in (0, 1, 64, 300):
        codes = [rng.integers(0, 8, size_), rng.integers(0, 3, size_)]
        labels = rng.integers(0, 3, size_)
        records = Records(codes, labels, (8, 3), 3)
        nodes = [search.mutate(search.random(depth), 5) for depth in (0, 1, 2, 3, 4) for _ in range(6)]
        expected = []
        for node in nodes:
            tree = search.as_tree(node)
            assert f"Tree({tree.leaves.size} leaves, depth {deepest(simplify(node, KNOWN))})" == repr(tree)
            predicted = tree.counts.argmax(axis=1)[tree.apply(codes)]
            expected.append(np.bincount(labels[predicted == labels], minlength=3))

        assert np.stack(expected, axis=1).tolist() == count_recognised(nodes, KNOWN, records).tolist()


def test_a_released_tree_has_no_branch_that_leads_nowhere() -> None:
    """After a >= 4 nothing is below 2; a split into equal halves is no split."""
    yes, no = Node(label=1), Node(label=0)
    never = Node(0, 0, 1, no, Node(0, 1, 2, yes, yes))
    tree = Node(0, 0, 3, Node(0, 1, 0, yes, Node(0, 1, 0, no, yes)), never)

    assert yes == simplify(tree, KNOWN)
    assert Node(0, 0, 3, no, yes) == simplify(Node(0, 0, 3, no, never), KNOWN)


def test_simplifying_changes_no_label() -> None:
    """Every pair of codes is labelled alike by fifty random trees, and by them simplified; none grows."""
    search = _Search(KNOWN, 3, noted(1, Large()))
    codes = [each.ravel() for each in np.meshgrid(np.arange(8), np.arange(3))]
    shorter = 0
    for _ in range(50):
        node = search.mutate(search.random(4), 6)
        short = simplify(node, KNOWN)
        assert [labelled(node, *each) for each in zip(*codes, strict=True)] == [
            labelled(short, *each) for each in zip(*codes, strict=True)
        ]
        assert size(short) <= size(node)
        assert short == simplify(short, KNOWN)
        shorter += size(short) < size(node)

    assert shorter > 25


def labelled(node: Node, *codes: int) -> int:
    """The label of one pair of codes, by the splits as they are written."""
    while node.attribute >= 0:
        second = (
            codes[node.attribute] > node.cut if KNOWN[node.attribute].is_ordered else codes[node.attribute] != node.cut
        )
        node = node.second if second else node.first
    return node.label


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
    assert {0.0, 1.0} == set(model.predict_proba({"age": [1.0, 99.0]}).ravel())
    assert Fraction(5) == model.privacy_spent_.epsilon
    assert set(model.predict({"age": [1.0, 99.0]})) <= {"well", "ill"}


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"goal": "both"}, ValueError, "goal is"),
        ({"importance": [3, 2]}, TypeError, "maps classes"),
        ({"importance": {"dead": 1}}, ValueError, "'dead', which is not a declared class: name some of 'ill', 'well'"),
        ({"importance": {"ill": 0, "well": 0}}, ValueError, "zero for every class"),
        ({"importance": 3}, TypeError, "maps classes"),
        ({"importance": {"ill": np.nan}}, ValueError, "importance of 'ill' must be a finite number of at least 0"),
        ({"importance": {"ill": Decimal("NaN")}}, ValueError, "importance of 'ill' must be a finite number"),
        ({"importance": {"ill": Decimal("Infinity")}}, ValueError, "importance of 'ill' must be a finite number"),
        ({"importance": {"ill": "3"}}, ValueError, "and it is '3' of type str"),
        ({"importance": {"ill": True}}, ValueError, "and it is True of type bool"),
        ({"importance": {"ill": None}}, ValueError, "importance of 'ill' must be a finite number"),
        ({"importance": {"ill": -1, "well": -1}}, ValueError, "importance of 'ill' must .* of at least 0"),
        ({"importance": {"ill": 1, "well": -0.5}}, ValueError, "importance of 'well' must .* of at least 0"),
        ({"importance": {"ill": 1.7e308}}, ValueError, "importance of 'ill' is 1.7e.308: above 0 it lies between"),
        ({"importance": {"ill": 1e-30}}, ValueError, "importance of 'ill' is 1e-30: above 0 it lies between"),
        ({"importance": {"ill": 3}, "goal": "pareto"}, ValueError, 'goal="weighted"'),
        ({"selected": 200}, ValueError, "selected is at most population, and 200 is more than 100: lower selected or"),
        ({"output": 11, "population": 10}, ValueError, "output is at most population, and 11 is more than 10"),
        ({"importance": pd.Series([1, 2], index=["ill", "ill"])}, ValueError, "importance names a class twice"),
        ({"depth": 45, "max_depth": 45}, ValueError, "at most 10,000,000: lower population or depth"),
        ({"depth": 9}, ValueError, "depth is at most max_depth, and 9 is more than 5: lower depth or raise max_depth"),
        ({"depth": 0}, ValueError, "depth must be an integer of at least 1"),
        ({"selected": True}, ValueError, "selected must be an integer of at least 1"),
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


@pytest.mark.parametrize(
    ("given", "rounds", "levels"),
    [
        ({}, [20, 20, 1], 5),
        ({"population": 10}, [2, 2, 1], 5),
        ({"population": 2}, [1, 1, 1], 5),
        ({"population": 500}, [20, 20, 1], 5),
        ({"population": 10, "selected": 7}, [7, 7, 1], 5),
        ({"max_depth": 2, "population": 10}, [2, 2, 1], 2),
        ({"max_depth": 1, "generations": 0}, [1], 1),
        ({"max_depth": 7, "generations": 0}, [1], 3),
    ],
)
def test_sizes_that_are_left_out_follow_the_others(given, rounds: list[int], levels: int) -> None:
    """A fifth of the population, at most 20; three levels, at most max_depth; parameters stay as they were passed."""
    outcomes = Large()
    model = DPEvolutionaryTreeClassifier(5, domains={"age": (0, 100), "state": ["well", "ill"]}, **given)
    model._session_factory = lambda guarantee, **_: nullcontext(noted(guarantee.epsilon, outcomes))
    model.fit(table(200), "state")

    assert rounds == outcomes.many
    assert model.trees_[0].depth.max() <= levels
    assert (given.get("selected"), None) == (model.get_params()["selected"], model.get_params()["depth"])


@pytest.mark.parametrize(
    "importance",
    [
        {"ill": 3, "well": 0.5},
        {"ill": Decimal(3), "well": Decimal("0.5")},
        {"ill": Fraction(3), "well": np.float32(0.5)},
        pd.Series({"ill": 3.0, "well": 0.5}),
    ],
)
def test_importance_is_any_mapping_to_numbers(importance) -> None:
    """The same exact weights; 1 where a class is not named, and 0 leaves a class out."""
    model = DPEvolutionaryTreeClassifier(
        5, importance=importance, population=4, domains={"age": (0, 100), "state": ["well", "ill"]}
    )

    assert {"ill": Fraction(3), "well": Fraction(1, 2)} == model._weights()
    assert 1 == len(model.fit(table(200), "state").trees_)
    assert 1 == len(clone(model).set_params(importance={"well": 0}).fit(table(200), "state").trees_)


def test_many_classes_are_not_all_listed() -> None:
    """The first ten, and dots."""
    model = DPEvolutionaryTreeClassifier(
        1, importance={"x": 1}, domains={"age": (0, 100), "state": [f"kind {n:02}" for n in range(12)]}
    )
    with pytest.raises(ValueError, match=r"name some of 'kind 00', .*, 'kind 09', \.\.\.\.$"):
        model.fit({"age": [1], "state": ["kind 00"]}, "state")


def test_labels_are_not_dressed_up_as_counts() -> None:
    """Only labels are released, so text and reasons show labels."""
    model = DPEvolutionaryTreeClassifier(5, domains={"age": (0, 100), "state": ["well", "ill"]}).fit(table(), "state")

    assert "(" not in model.export_text()
    assert "(" not in model.why({"age": [50.0]})[0]
