"""The comparison of learners: its measures, verdicts, splits and made-up tables are what they say."""

import math

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss, roc_auc_score

from research.comparisons import learners_measures as measured
from research.comparisons.learners_families import FAMILIES, additive, family
from research.comparisons.learners_privatree import PrivaTree, geometric
from research.comparisons.learners_tables import FITTED, REPORTED, coded, trained
from research.engine.data import Table


@pytest.mark.parametrize("classes", [2, 4])
def test_measures_are_those_of_scikit_learn(classes: int) -> None:
    """Ties among them, and a probability below the least."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, 400)
    found = np.maximum(rng.dirichlet(np.ones(classes), 400).round(1), 0.001) + np.eye(classes)[y] * 0.1
    found /= found.sum(1, keepdims=True)
    found[0] = np.eye(classes)[(y[0] + 1) % classes]
    raised = np.maximum(found, measured.LEAST)
    raised /= raised.sum(1, keepdims=True)
    weighted = roc_auc_score(y, found[:, 1]) if classes == 2 else roc_auc_score(
        y, found, multi_class="ovr", average="weighted"
    )  # fmt: skip

    assert np.allclose(
        measured.measures(y, found),
        [
            accuracy_score(y, found.argmax(1)),
            weighted,
            log_loss(y, raised),
            balanced_accuracy_score(y, found.argmax(1)),
        ],
    )


def test_a_class_that_does_not_occur_counts_for_nothing() -> None:
    """Neither in AUC nor in balanced accuracy."""
    y = np.array([0, 1, 1, 0])
    found = np.array([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.5, 0.4, 0.1], [0.8, 0.1, 0.1]])

    assert measured.measures(y, found)[1] == 1.0
    assert measured.measures(y, found)[3] == 0.75


def figures(**learners: list[float]) -> measured.Figures:
    """Return AUCs of one table, by learner and split."""
    return measured.Figures("auc", {("t", name, 1.0): dict(enumerate(values)) for name, values in learners.items()})


@pytest.mark.parametrize(
    ("ours", "level"),
    [
        ([0.9, 0.9, 0.9], True),
        ([0.797, 0.797, 0.797], True),
        ([0.79, 0.79, 0.79], False),
        # Behind by .02 on average, but the splits disagree by more.
        ([0.9, 0.72, 0.72], True),
    ],
)
def test_level_is_half_a_point_or_two_standard_errors(ours: list[float], level: bool) -> None:
    """The best other is the one with the best mean."""
    standing = measured.standing(figures(ours=ours, good=[0.8, 0.8, 0.8], bad=[0.5, 0.9, 0.5]), "t", "ours",
                                 ["good", "bad"], 1.0)  # fmt: skip

    assert standing.rival == "good"
    assert standing.level is level


def test_the_less_log_loss_the_better() -> None:
    """A rival with a larger loss is behind."""
    losses = {"ours": 0.3, "theirs": 0.4, "worse": 0.5}
    values = {("t", name, 1.0): {0: loss} for name, loss in losses.items()}
    standing = measured.standing(measured.Figures("log_loss", values), "t", "ours", ["theirs", "worse"], 1.0)

    assert standing.rival == "theirs"
    assert math.isclose(standing.ahead, 0.1)


def test_missing_figures_are_refused() -> None:
    """Rather than counted as a win."""
    with pytest.raises(ValueError, match="fit it first"):
        measured.standing(figures(theirs=[0.8]), "t", "ours", ["theirs"], 1.0)


def test_constants_are_fitted_on_other_splits_than_are_reported() -> None:
    """And each split trains with four rows in five."""
    assert not set(FITTED) & set(REPORTED)
    assert all(trained(1001, split).sum() == 800 for split in REPORTED)
    assert (trained(1001, REPORTED[0]) != trained(1001, REPORTED[1])).any()


@pytest.mark.parametrize("name", FAMILIES)
def test_made_up_tables_stay_in_their_domains(name: str) -> None:
    """And are the same each time."""
    table, again = family(name), family(name)
    codes = coded(table)

    assert (codes["X"] >= codes["low"]).all()
    assert (codes["X"] <= codes["high"]).all()
    assert (codes["X"] == coded(again)["X"]).all()
    assert len(set(codes["y"].tolist())) == len(table.classes)


def test_noise_columns_say_nothing() -> None:
    """The other six columns do."""
    table = additive(20_000)
    y = table.columns["y"]
    noise = [abs(float(np.corrcoef(table.columns[f"noise{code}"], y)[0, 1])) for code in range(5)]

    assert max(noise) < 0.03
    assert abs(float(np.corrcoef(table.columns["line"], y)[0, 1])) > 0.15


def small() -> Table:
    """Return a table of two columns of which one decides."""
    rng = np.random.default_rng(3)
    columns = {"x": rng.integers(0, 100, 4000), "c": rng.choice(list("abcd"), 4000)}
    label = ((columns["x"] > 60) ^ (columns["c"] == "b")).astype(int)
    return Table(columns | {"y": label}, "y", {"x": (0, 99), "c": list("abcd")}, [0, 1])


def test_privatree_learns_what_two_columns_decide() -> None:
    """At a large epsilon."""
    codes = coded(small())
    tree = PrivaTree(20.0, codes["low"], codes["high"], codes["categories"]).fit(codes["X"], codes["y"])

    assert (tree.predict_proba(codes["X"]).argmax(1) == codes["y"]).mean() > 0.9


@pytest.mark.parametrize("as_released", [False, True])
def test_what_privatree_spends(as_released: bool) -> None:
    """Epsilon in all, if columns share; as released each of the two columns gets a node's whole epsilon."""
    codes = coded(small())
    tree = PrivaTree(1.0, codes["low"], codes["high"], codes["categories"], as_released)
    tree.fit(codes["X"], codes["y"])
    cuts = (1.0 - tree.leaf) / 5
    spent = tree.leaf + cuts + 4 * 2 * tree.levels

    assert math.isclose(spent, 1.0 + 4 * tree.levels if as_released else 1.0)


def test_labels_are_drawn_by_permute_and_flip() -> None:
    """The one behind by g wins with chance exp(-epsilon g) / 2."""
    tree = PrivaTree(1.0, np.zeros(1), np.ones(1), np.array([2]), rng=np.random.default_rng(0))
    tree.leaf = 0.5
    wrong = np.mean([tree._label(np.array([10, 8])) for _ in range(20_000)])

    assert abs(wrong - math.exp(-1) / 2) < 0.01


def test_noise_of_histograms_is_two_sided_geometric() -> None:
    """Its variance is 2 q / (1 - q)^2 with q = exp(-epsilon)."""
    noise = geometric(0.5, (200_000,), np.random.default_rng(0))
    q = math.exp(-0.5)

    assert abs(noise.mean()) < 0.05
    assert abs(noise.var() / (2 * q / (1 - q) ** 2) - 1) < 0.03
