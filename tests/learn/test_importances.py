"""Importances: variances of partial dependence less what noise alone would give, by one definition in all learners."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from dpselect.learn import (
    DPBoostedTreesClassifier,
    DPBoostedTreesRegressor,
    DPRandomForestClassifier,
    DPTreeClassifier,
    DPTreeRegressor,
    importances,
)
from dpselect.learn.boosted.additive_model import AdditiveModel, TileNoise
from dpselect.learn.importances import PartialDependence, dependence_on_columns
from tests.chance import believe, reject
from tests.learn.boosted.test_additive_model import ADDITIVE, JOINT
from tests.learn.test_whole_and_drawn import tree_of
from tests.learn.unbalanced import NOISE, old_graduates, six_columns

CLASSIFIERS = {
    "tree": DPTreeClassifier,
    "forest": DPRandomForestClassifier,
    "boosted": DPBoostedTreesClassifier,
}
REGRESSORS = {"tree": DPTreeRegressor, "boosted": DPBoostedTreesRegressor}
FITS = 8
# Forests take longest, and then sums of tables at the larger epsilon.
EACH = [
    pytest.param(name, epsilon, marks=[pytest.mark.slow] * (name == "forest" or (name, epsilon) == ("boosted", 2)))
    for name in CLASSIFIERS
    for epsilon in (1, 2)
]


def p_value(misses: int, fits: int, allowed: float) -> float:
    """The chance of so many misses or more where each fit misses with the allowed chance."""
    return float(binom.sf(misses - 1, fits, allowed))


def fitted(kind: Any, table: Any, epsilon: float, **more: Any) -> Any:
    """A model of such a table, and the names of its columns."""
    X, y, domains = table(np.random.default_rng())
    return kind(epsilon, domains=domains, classes=["no", "yes"], **more).fit(X, y)


def parts(model: Any) -> dict[str, float]:
    """The importance of every column."""
    return dict(zip(model.feature_names_in_.tolist(), model.feature_importances_.tolist(), strict=True))


@pytest.mark.chance(1e-6)
@pytest.mark.parametrize(("name", "epsilon"), EACH)
def test_columns_that_say_nothing_have_nothing_and_others_their_order(name: str, epsilon: float) -> None:
    """At most .02 each, and two columns before them in their order; one of ten fits may be wrong."""
    wrong = 0
    for _ in range(FITS):
        found = parts(fitted(CLASSIFIERS[name], old_graduates, epsilon))
        assert np.isclose(1, sum(found.values())) or not any(found.values())
        said = max(found[each] for each in NOISE)
        wrong += said > 0.02 or not found["age"] > found["degree"] > said
    believe(p_value(wrong, FITS, 0.1), 1e-6)


@pytest.mark.chance(1e-6)
@pytest.mark.parametrize(("name", "epsilon"), EACH)
def test_noise_beside_four_columns_has_nothing(name: str, epsilon: float) -> None:
    """At most .02 each in nine of ten fits at least."""
    found = [parts(fitted(CLASSIFIERS[name], six_columns, epsilon)) for _ in range(FITS)]
    wrong = sum(max(each[column] for column in NOISE) > 0.02 for each in found)
    believe(p_value(wrong, FITS, 0.1), 1e-6)


@pytest.mark.chance(1e-6)
@pytest.mark.parametrize("epsilon", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors_say_the_same_of_noise(name: str, epsilon: float) -> None:
    """And the order of the two columns that matter most."""
    wrong = 0
    for _ in range(FITS):
        rng = np.random.default_rng()
        X, _, domains = six_columns(rng)
        y = 5 * (X["sex"] == "m") + 0.06 * X["age"] + rng.normal(0, 5, len(X["age"]))
        found = parts(REGRESSORS[name](epsilon, target=(-50, 100), domains=domains).fit(X, y))
        said = max(found[each] for each in NOISE)
        wrong += said > 0.02 or not found["sex"] > found["age"] > said
    believe(p_value(wrong, FITS, 0.1), 1e-6)


def of_noise(many: int) -> list[Any]:
    """Trees of a target that no column says anything of."""
    rng = np.random.default_rng()
    domains = {"n": (0, 1), "c": list("abcd")}
    models = []
    for _ in range(many):
        X = {"n": rng.random(2000), "c": rng.choice(list("abcd"), 2000)}
        model = DPTreeClassifier(1, domains=domains, classes=[0, 1])
        models.append(model.fit(X, rng.choice(2, 2000, p=[0.9, 0.1])))
    return models


@pytest.mark.chance(2e-6)
def test_all_columns_are_within_noise_where_the_target_is_noise(monkeypatch) -> None:
    """Planted: without the bar of noise one always has a share."""
    models = of_noise(20)
    believe(p_value(sum(bool(each.feature_importances_.any()) for each in models), 20, 0.25), 1e-6)
    monkeypatch.setattr(importances, "_TIMES", 0.0)
    monkeypatch.setattr(importances, "_TIMES_OF_MANY", 0.0)
    reject(p_value(sum(bool(each.feature_importances_.any()) for each in models), 20, 0.25), 1e-6, power=1 - 1e-6)


def grid_of(sizes: tuple[int, ...]) -> list[np.ndarray]:
    """All combinations of codes."""
    return [each.ravel() for each in np.meshgrid(*map(np.arange, sizes), indexing="ij")]


def one_by_one(scores: np.ndarray, weights: list[np.ndarray]) -> list[np.ndarray]:
    """Partial dependence from the predictions of every combination of codes, shape (n, outputs)."""
    shares = [each / each.sum() for each in weights]
    codes = grid_of(tuple(each.size for each in weights))
    curves = []
    for column, own in enumerate(shares):
        others = np.prod([share[code] for place, (share, code) in enumerate(zip(shares, codes, strict=True))
                          if place != column], axis=0)  # fmt: skip
        curve = np.array([(others[:, None] * scores)[codes[column] == code].sum(axis=0) for code in range(own.size)])
        curves.append(curve - own @ curve)
    return curves


@pytest.mark.parametrize("model", [ADDITIVE, JOINT])
def test_sums_of_tables_depend_on_columns_as_their_scores_do(model: AdditiveModel) -> None:
    """By the scores of every combination of codes."""
    expected = one_by_one(model.scores(grid_of(model.sizes)).T.astype(float), list(model.weights))

    for curve, other in zip(model.dependence.curves, expected, strict=True):
        assert np.allclose(other, curve)
    assert [0, 0] == model.dependence.noise.tolist()


def test_trees_depend_on_columns_as_their_predictions_do() -> None:
    """One tree, and the mean of two; weights are those of the leaves, spread over their codes."""
    tree, other = tree_of([[10, 60], [12, 40], [45, 55], [70, 30]], 3.0), tree_of([[5, 9]] * 3 + [[70, 30]], 3.0)
    shares = [each.counts / each.records[:, None] for each in (tree, other)]
    nothing = [np.zeros(7)] * 2
    for trees in ([tree], [tree, other]):
        many = len(trees)
        found = dependence_on_columns(trees, shares[:many], nothing[:many], nothing[:many])
        scores = np.mean([s[t.apply(grid_of((8, 3)))] for t, s in zip(trees, shares, strict=False)], axis=0)
        for curve, expected in zip(found.curves, one_by_one(scores, list(found.weights)), strict=True):
            assert np.allclose(expected, curve)
    age, job = dependence_on_columns([tree], shares[:1], nothing[:1], nothing[:1]).weights
    assert np.allclose([35 / 322, 26 / 322, 50 / 322], age[[0, 2, 5]], rtol=1e-6)
    assert np.allclose((122 / 3 + 100) / 322, job[1], rtol=1e-6)


def test_noise_of_one_tree_is_what_its_leaves_spread() -> None:
    """By drawing it."""
    rng = np.random.default_rng(3)
    tree = tree_of([[10, 60], [12, 40], [45, 55], [70, 30]], 3.0)
    noises = np.array([0.0, 0, 0, 0.1, 0.2, 0.3, 0.4])
    even, nothing = np.zeros((7, 1)), np.zeros(7)
    said = dependence_on_columns([tree], [even], [noises], [nothing]).noise
    drawn = [
        dependence_on_columns([tree], [rng.normal(0, np.sqrt(noises))[:, None]], [nothing], [nothing]).variances
        for _ in range(3000)
    ]

    assert np.allclose(said, np.mean(drawn, axis=0), rtol=0.12)
    assert np.allclose(said, dependence_on_columns([tree], [even], [nothing], [noises]).noise)


def test_what_trees_disagree_about_is_noise() -> None:
    """Where each has noise alone, the mean has half of the variance that trees have apart, and nothing is found."""
    rng = np.random.default_rng(5)
    trees = [tree_of([[10, 60], [12, 40], [45, 55], [70, 30]], 3.0)] * 4
    nothing = [np.zeros(7)] * 4
    found = [
        dependence_on_columns(trees, [rng.normal(size=(7, 1)) for _ in trees], nothing, nothing) for _ in range(800)
    ]

    noise, variance = (np.mean([getattr(each, name) for each in found], axis=0) for name in ("noise", "variances"))
    assert np.allclose(noise, variance, rtol=0.15)


def test_what_is_beyond_noise_is_shared() -> None:
    """A variance of less than five times that of noise counts nothing; of many values, three times."""
    weights, steps = np.ones(2) / 2, (np.array([[-1.0], [1.0]]), np.array([[-2.0], [2.0]]), np.array([[-1.0], [1.0]]))

    found = PartialDependence((weights,) * 3, steps, np.array([0.1, 0.5, 0.3]))
    assert [1, 4, 1] == found.variances.tolist()
    assert np.allclose([0.9 / 4.4, 3.5 / 4.4, 0], found.importances)
    assert [0, 0, 0] == PartialDependence((weights,) * 3, steps, np.ones(3)).importances.tolist()
    many, wave = np.ones(20) / 20, np.tile([[-2.0], [2.0]], (10, 1))
    assert [0, 1] == PartialDependence((weights, many), (steps[1], wave), np.ones(2)).importances.tolist()


def test_noise_of_tables_that_later_ones_take_back_counts_less() -> None:
    """Of two tables of one column, the second takes back half of an error of the first; sampling errs alike in both."""
    tile = ADDITIVE.tiles[0]
    flat = tuple(np.zeros((2, 1), int) for _ in range(2))

    def noise(*each: TileNoise) -> float:
        model = AdditiveModel((3, 2), np.array([0]), (tile, tile), flat, ADDITIVE.weights, each)
        return float(model.dependence.noise[0])

    first, last = noise(TileNoise(8, 0, 0), TileNoise(0, 0, 0)), noise(TileNoise(8, 0, 0), TileNoise(0, 0, 2**15))
    # Shares of its groups are 3/4 and 1/4.
    assert np.isclose(8 * 2 * 3 / 16, first)
    assert np.isclose(first / 4, last)
    assert np.isclose(2 * first, noise(TileNoise(8, 0, 0), TileNoise(8, 0, 0)))
    assert np.isclose(4 * first, noise(TileNoise(0, 8, 0), TileNoise(0, 8, 0)))


def test_files_keep_what_noise_did() -> None:
    """And those without it subtract nothing; others are refused."""
    content = ADDITIVE.as_dict() | {"noise": [[1, 2, 9], [0, 0, 0]]}
    again = AdditiveModel.from_dict((3, 2), content)
    assert again.dependence.noise[0] > 0
    assert content == again.as_dict()
    old = ADDITIVE.as_dict()
    assert "noise" not in old
    assert [1, 0] == AdditiveModel.from_dict((3, 2), old).dependence.importances.tolist()
    for wrong in (
        [[1, 2, 9]],
        [[1, -2, 9]] * 2,
        [[1, 2, 2**17]] * 2,
        [[1]] * 2,
        "ab",
        [["a", 1, 0]] * 2,
        [[0.5, 1, 0]] * 2,
    ):
        with pytest.raises(ValueError, match="damaged or was edited"):
            AdditiveModel.from_dict((3, 2), content | {"noise": wrong})
