"""The whole tree says the shares, and the drawing shows what is more than noise: both from the same release."""

import json
from pathlib import Path

import numpy as np
import pytest

from dpselect.learn import (
    DPEvolutionaryTreeClassifier,
    DPID3Classifier,
    DPTreeClassifier,
    export,
    prune,
)
from dpselect.learn.domains import attributes
from dpselect.learn.prune import prune_by_evidence
from dpselect.learn.shrunk import deviation, shrunk_shares
from dpselect.learn.tree import Tree
from dpselect.papers import RandomDecisionForestClassifier

KNOWN = attributes(["age", "job"], {"age": (0, 8), "job": ["farmer", "nurse", "smith"]}, bins=8, missing=False)
DOMAINS = {"age": (0, 8), "job": ["farmer", "nurse", "smith"]}


def tree_of(leaves: list[list[float]], noise: float) -> Tree:
    """Four leaves: numbers below 2, below 4, from 4 on and nurses, from 4 on and others."""
    tree = Tree(KNOWN, len(leaves[0]))
    half = (np.arange(8) >= 4).astype(np.int64)
    below = tree.add_level(np.array([0]), np.array([0]), [half])
    jobs, low = np.array([1, 0, 1]), np.minimum((np.arange(8) >= 2).astype(np.int64), 1)
    ends = tree.add_level(below, np.array([0, 1]), [low, jobs])
    tree.counts[ends] = leaves
    tree.sum_up()
    tree.noise = noise
    return tree


def model_of(tree: Tree) -> DPTreeClassifier:
    """A model with this tree."""
    model = DPTreeClassifier(1, domains=DOMAINS, classes=["no", "yes"])
    model.trees_, model.attributes_, model.classes_ = [tree], KNOWN, np.array(["no", "yes"])
    model.n_features_in_, model.privacy_spent_ = 2, None
    return model


def one_by_one(tree: Tree, noise: float) -> np.ndarray:
    """Shares by the formula, node after node."""
    shares = np.zeros(tree.counts.shape)
    leaves = {node: len([leaf for leaf in tree.leaves if is_below(tree, leaf, node)]) for node in range(len(shares))}
    for node in range(len(shares)):
        above = np.full(len(shares[0]), 1 / len(shares[0])) if node == 0 else shares[tree.parents()[node]]
        sd = noise * leaves[node] ** 0.5
        total = max(tree.counts[node].sum(), sd, 1)
        m = 5 + 2 * sd + (2 * sd) ** 2 / total
        mixed = (tree.counts[node] + m * above) / (total + m)
        shares[node] = mixed / mixed.sum()
    return shares


def is_below(tree: Tree, node: int, top: int) -> bool:
    """Whether a path from the top comes by a node."""
    while node > top:
        node = int(tree.parents()[node])
    return node == top


@pytest.mark.parametrize("noise", [0.0, 0.5, 3.0, 1e4])
def test_shares_are_shrunk_toward_the_parents(noise: float) -> None:
    """As the formula says, for empty leaves too."""
    tree = tree_of([[30, 4, 1], [0, 0, 0], [7, 12, 900], [2, 2, 0]], noise)

    assert np.allclose(one_by_one(tree, noise), shrunk_shares(tree, noise), rtol=1e-12)


@pytest.mark.parametrize("noise", [0.0, 1.0, 1e12])
def test_shares_are_probabilities(noise: float) -> None:
    """Above zero, and they sum to 1 at every node."""
    shares = shrunk_shares(tree_of([[0, 0], [1e15, 0], [0, 3], [2, 2]], noise), noise)

    assert (shares > 0).all()
    assert np.allclose(1, shares.sum(axis=1), rtol=1e-12)


def test_much_noise_leaves_even_shares_and_none_leaves_those_of_the_counts() -> None:
    """What the counts say weighs by how exact they are."""
    leaves = [[9000, 1000]] * 4

    assert np.allclose(0.5, shrunk_shares(tree_of(leaves, 1e9), 1e9), atol=1e-3)
    assert np.allclose([0.9, 0.1], shrunk_shares(tree_of(leaves, 0.0), 0.0), atol=1e-3)


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 2.0])
def test_the_deviation_is_that_of_the_law(epsilon: float) -> None:
    """Of chances in proportion to exp(-epsilon |z|)."""
    z = np.arange(-20_000, 20_001)
    law = np.exp(-epsilon * np.abs(z))

    assert np.isclose(deviation(epsilon), np.sqrt((law * z**2).sum() / law.sum()))


def noise_fits(n: int, epsilon: float, chances: list[float], many: int) -> list[DPTreeClassifier]:
    """Trees of a target that no column knows anything about."""
    rng = np.random.default_rng(4)
    domains = {**{f"n{i}": (0, 1) for i in range(4)}, **{f"c{i}": ["a", "b", "c", "d"] for i in range(3)}}
    models = []
    for _ in range(many):
        table = {name: rng.random(n) if name[0] == "n" else rng.choice(list("abcd"), n) for name in domains}
        labels = rng.choice(len(chances), n, p=chances)
        model = DPTreeClassifier(epsilon, domains=domains, classes=list(range(len(chances))))
        models.append(model.fit(table, labels))
    return models


CELLS = [(1000, 1, [0.5, 0.5]), (2000, 8, [0.4, 0.3, 0.2, 0.1]), (3000, 0.5, [0.8, 0.2]), (1000, 2, [0.1] * 10)]
MORE = [
    (n, epsilon, chances)
    for n in (200, 1000, 10_000)
    for epsilon in (0.1, 1, 10)
    for chances in ([0.5, 0.5], [0.9, 0.1], [0.4, 0.3, 0.1, 0.1, 0.1], [0.1] * 10)
]


def test_a_target_of_noise_is_drawn_as_one_leaf() -> None:
    """In nine of ten fits at least; the whole trees have many leaves."""
    models = [model for cell in CELLS for model in noise_fits(*cell, 10)]

    assert np.mean([model.get_n_leaves() == 1 for model in models]) >= 0.9
    assert np.mean([model.trees_[0].whole_tree.leaves.size for model in models]) > 16
    assert all("\n" not in model.export_text() for model in models if model.get_n_leaves() == 1)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "epsilon", "chances"), MORE)
def test_targets_of_noise_of_every_kind_are_drawn_as_one_leaf(n: int, epsilon: float, chances: list[float]) -> None:
    """Few and many rows and classes, much and little noise; 36 of 40, as each has a chance of .95 and more."""
    assert sum(model.get_n_leaves() == 1 for model in noise_fits(n, epsilon, chances, 40)) >= 34


def test_a_drawing_that_believes_any_evidence_is_found(monkeypatch) -> None:
    """Planted: without the bar for a subtree, noise is drawn."""
    monkeypatch.setattr(prune, "_LEAST", -1.0)
    monkeypatch.setattr(prune, "_DEVIATIONS", -9.0)
    models = [model for cell in CELLS[:2] for model in noise_fits(*cell, 5)]

    assert np.mean([model.get_n_leaves() == 1 for model in models]) < 0.5


def test_structure_beside_noise_is_drawn_and_the_noise_is_not() -> None:
    """One column decides among seven that do not."""
    rng = np.random.default_rng(2)
    domains = {f"n{i}": (0, 1) for i in range(8)}
    leaves = []
    for _ in range(8):
        table = {name: rng.random(4000) for name in domains}
        labels = (rng.random(4000) < np.where(table["n3"] < 0.5, 0.5, 0.9)).astype(int)
        model = DPTreeClassifier(2, domains=domains, classes=[0, 1]).fit(table, labels)
        exact = (rng.random(4000) < np.where(table["n3"] < 0.5, 0.1, 0.9)).astype(int)
        clear = DPTreeClassifier(2, domains=domains, classes=[0, 1]).fit(table, exact)
        assert 3 == clear.feature_importances_.argmax()
        leaves.append((model.get_n_leaves(), clear.get_n_leaves(), clear.trees_[0].whole_tree.leaves.size))

    noisy, clear, whole = np.mean(leaves, axis=0)
    assert noisy <= 8
    assert 2 <= clear <= 5
    assert whole > 30


def test_probabilities_come_from_the_whole_tree() -> None:
    """Leaves that the drawing joins keep shares of their own, and labels follow the shares."""
    whole = tree_of([[10, 60], [12, 40], [45, 55], [70, 30]], 3.0)
    model = model_of(whole.prune(np.arange(7) == 0))
    X = {"age": [1, 3, 5, 5], "job": ["smith", "smith", "nurse", "smith"]}
    shares = model.predict_proba(X)

    assert "yes (yes: 57 %, 55 to 60; records: 322)" == model.export_text()
    assert 4 == len(set(shares[:, 1].tolist()))
    assert np.allclose(one_by_one(whole, 3.0)[[3, 4, 5, 6]], shares)
    assert ["yes", "yes", "yes", "no"] == model.predict(X).tolist()
    assert [0, 0, 0, 0] == model.apply(X).tolist()


def test_why_says_the_label_that_is_predicted_and_where_the_drawing_differs() -> None:
    """Both, with the released counts of both."""
    whole = tree_of([[10, 60], [12, 40], [45, 55], [70, 30]], 3.0)
    model = model_of(whole.prune(np.isin(np.arange(7), [2])))
    X = {"age": [1, 5, 5], "job": ["smith", "nurse", "smith"]}
    words = model.why(X)

    assert ["yes", "yes", "no"] == model.predict(X).tolist()
    assert "yes, because age < 2 (+28.3) takes yes from 57 % to 86 %, 78 to 93 (records: 70)" == words[0]
    assert words[1].startswith(
        "yes, although the drawing says no: age >= 4 (-15.0) takes yes from 57 % to 42 %, 40 to 45 (records: 200). The "
    )
    assert (
        "whole tree goes on to age >= 4 and job is nurse (yes: 55 %, 51 to 59; records: 100) and weighs in" in words[1]
    )
    # Of one class all along, in per cent: no share seems to be outside of the interval of another one.
    estimate = f"{100 * model.predict_proba(X)[1, 1]:.0f} %"
    assert words[1].endswith(f" the counts of the nodes above, which those intervals leave out: yes {estimate}")
    # What predict_proba says is not within the interval of the drawing, and is told.
    estimate = f"{100 * model.predict_proba(X)[2, 1]:.0f} %"
    assert words[2] == (
        "no, because age >= 4 (-15.0) takes yes from 57 % to 42 %, 40 to 45 (records: 200). With the splits "
        f"that are not drawn: yes {estimate}"
    )

    model = model_of(whole.prune(np.arange(7) == 0))
    assert model.why(X)[2].startswith("no, although the drawing says yes: there is one leaf (yes: 57 ")


def test_why_says_when_few_records_are_outweighed() -> None:
    """A leaf that is drawn, and whose parents weigh more than its counts."""
    model = model_of(tree_of([[1, 60], [3, 2], [0, 500], [0, 500]], 6.0))
    words = model.why({"age": [3], "job": ["nurse"]})[0]

    assert words.startswith("yes, although the drawing says no: age in [2, 4) (")
    assert " (records: 5). The whole tree weighs in the counts of the nodes above, which those intervals" in words


def test_the_words_of_every_fit_agree_with_its_labels() -> None:
    """Of trees and forests alike, at an epsilon of much noise."""
    rng = np.random.default_rng(3)
    table = {"age": rng.random(800) * 8, "job": rng.choice(DOMAINS["job"], 800)}
    labels = np.where(rng.random(800) < 0.3 + 0.05 * table["age"], "yes", "no")
    some = {name: values[:200] for name, values in table.items()}
    for kind in (DPTreeClassifier, RandomDecisionForestClassifier, DPID3Classifier, DPEvolutionaryTreeClassifier):
        model = kind(0.5, domains=DOMAINS, classes=["no", "yes"]).fit(table, labels)
        predicted, words = model.predict(some), model.why(some)
        assert all(said.startswith((f"{label},", f"{label} by")) for label, said in zip(predicted, words, strict=True))
        assert (model.classes_[model.predict_proba(some).argmax(axis=1)] == predicted).all()


MODELS = {
    "tree": DPTreeClassifier(20, domains=DOMAINS, classes=["no", "yes"]),
    "id3": DPID3Classifier(20, domains=DOMAINS, classes=["no", "yes"], max_depth=2, bins=4),
    "evolutionary": DPEvolutionaryTreeClassifier(20, domains=DOMAINS, classes=["no", "yes"], output=2),
    "forest": RandomDecisionForestClassifier(20, 2, domains=DOMAINS, classes=["no", "yes"], max_depth=3),
}


@pytest.mark.parametrize("name", MODELS)
def test_paths_depths_and_leaves_are_those_of_the_drawing(name: str) -> None:
    """As scikit-learn's: an indicator of nodes, from the root to the one of ``apply``."""
    rng = np.random.default_rng(6)
    table = {"age": rng.random(3000) * 8, "job": rng.choice(DOMAINS["job"], 3000)}
    labels = np.where((table["age"] > 4) & (table["job"] == "nurse"), "yes", "no")
    model = MODELS[name].fit(table, labels)
    last = len(model.trees_) - 1
    tree, odd = model.trees_[last], {"age": [2.0, None], "job": ["spy", "smith"]}
    for X in (table, odd):
        path, ends = model.decision_path(X, last), np.reshape(model.apply(X), (len(X["age"]), -1))[:, last]
        assert (len(X["age"]), tree.split.size) == path.shape
        assert path.has_sorted_indices
        for row, end in zip(path, ends.tolist(), strict=True):
            nodes = row.indices
            assert [0, end] == [nodes[0], nodes[-1]]
            assert [int(tree.parents()[node]) for node in nodes[1:]] == nodes[:-1].tolist()
    assert model.get_depth(last) == int(tree.depth.max())
    assert model.get_n_leaves(last) == tree.leaves.size
    assert (model.apply(table) < max(each.split.size for each in model.trees_)).all()
    assert (0, 2) == (model.decision_path({"age": [], "job": []}).nnz, model.decision_path({"age": [], "job": []}).ndim)
    with pytest.raises(ValueError, match="pass its place"):
        model.get_depth(last + 1)


def test_both_trees_survive_a_file(tmp_path: Path) -> None:
    """Shares, drawing and words are those of before; the file says where the drawing ends."""
    model = model_of(tree_of([[10, 60], [12, 40], [45, 55], [70, 30]], 3.0).prune(np.isin(np.arange(7), [2])))
    X = {"age": [1, 3, 5, 5], "job": ["smith", "smith", "nurse", "smith"]}
    model.save(tmp_path / "m.json")
    again = export.load(tmp_path / "m.json")

    assert (model.predict_proba(X) == again.predict_proba(X)).all()
    assert model.export_text() == again.export_text()
    assert model.why(X) == again.why(X)
    assert (model.apply(X) == again.apply(X)).all()
    assert (model.feature_importances_ == again.feature_importances_).all()
    content = json.loads((tmp_path / "m.json").read_text())
    assert [2, 3, 4] == sorted(content["trees"][0]["drawing_ends"])
    assert 3 == content["trees"][0]["noise"]


def test_a_file_of_the_first_format_keeps_its_shares(tmp_path: Path) -> None:
    """It holds a drawing alone, which said the shares as well."""
    tree = tree_of([[10, 60], [12, 40], [45, 55], [70, 30]], 3.0)
    tree.noise = None
    content = json.loads(export.as_json(model_of(tree))) | {"format": 1}
    content.pop("checksum")
    content["checksum"] = export._checksum(content)
    (tmp_path / "m.json").write_text(json.dumps(content))
    model = export.load(tmp_path / "m.json")

    assert {"split", "route", "depth", "counts"} == set(content["trees"][0])
    shares = model.predict_proba({"age": [1], "job": ["smith"]})
    assert np.allclose([10.001 / 70.002, 60.001 / 70.002], shares[0])
    assert 4 == model.get_n_leaves()


@pytest.mark.parametrize(
    "wrong", [{"noise": -1}, {"noise": "x"}, {"drawing_ends": [99]}, {"drawing_ends": ["a"]}, {"noise": None}]
)
def test_files_with_other_trees_are_refused(tmp_path: Path, wrong: dict) -> None:
    """Whatever the checksum says."""
    content = json.loads(export.as_json(model_of(tree_of([[1, 2]] * 4, 3.0))))
    content.pop("checksum")
    content["trees"][0] |= wrong
    content["checksum"] = export._checksum(content)
    (tmp_path / "m.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match="damaged or was edited"):
        export.load(tmp_path / "m.json")


def test_pruning_forgets_nothing() -> None:
    """The whole tree is as it was."""
    whole = tree_of([[100, 0], [90, 10], [0, 90], [2, 80]], 0.1)
    drawn = prune_by_evidence(whole, 0.1)

    assert 2 == drawn.leaves.size
    assert drawn.whole_tree is whole
    assert 4 == whole.leaves.size
    assert (whole.counts[drawn.origin] == drawn.counts).all()
    assert whole.prune(np.zeros(7, dtype=bool)).leaves.size == 4


@pytest.mark.parametrize("noise", [0.0, 1e-200, 1.0, 1e150])
def test_trees_of_one_class_and_of_extreme_counts_are_drawn(noise: float) -> None:
    """Without a warning, which would be an error."""
    for leaves in ([[5], [0], [3], [2]], [[0, 0]] * 4, [[1e17, 0], [0, 1e17], [1e17, 0], [1e17, 0]]):
        whole = tree_of(leaves, noise)
        drawn = prune_by_evidence(whole, noise)
        assert (len(leaves[0]) == 1) <= (drawn.leaves.size == 1)
        assert np.allclose(1, shrunk_shares(whole, noise).sum(axis=1))
