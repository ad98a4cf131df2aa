"""The forest of Chaves 2024 as released: its trees, its labels, and what a label costs."""

import math

import numpy as np
import pytest

from research.engine.data import Table
from research.papers import leaf_labels
from research.papers.released import forest
from research.papers.released.noise import KINDS, of_leaf

RNG = np.random.default_rng


def table(rows: int = 640) -> Table:
    """Two numbers, two categories and a class that follows the first category."""
    rng = RNG(3)
    letter, digit = rng.choice(["x", "y", "z"], rows), rng.choice(["0", "1"], rows)
    columns = {"size": rng.uniform(0, 9, rows), "age": rng.integers(0, 90, rows), "letter": letter, "digit": digit}
    label = np.where(rng.random(rows) < 0.8, np.where(letter == "x", "no", "yes"), "maybe")
    domains = {"size": (0, 10), "age": (0, 100), "letter": ["x", "y", "z"], "digit": ["0", "1"]}
    return Table({**columns, "class": label}, "class", domains, ["maybe", "no", "yes"])


def test_codes_are_numbered_by_first_appearance_and_the_row_index_is_a_number() -> None:
    """As the program reads a file: bounds and sizes come from the data."""
    read = forest.records(table(), row_index=True)

    assert read.continuous.shape == (640, 3)
    assert read.continuous[:, 2].tolist() == list(range(640))
    assert read.sizes == (3, 2)
    for codes in (read.labels, *read.discrete.T):
        _, first = np.unique(codes, return_index=True)
        assert (np.diff(first) > 0).all()
    assert read.lead() == int(np.diff(np.sort(np.bincount(read.labels))[-2:])[0])


@pytest.mark.parametrize("size", [512, 500])
def test_a_tree_has_a_run_of_consecutive_rows(size: int) -> None:
    """A thirty-second each, or a thirty-first and a rest; every test row has one leaf in every tree."""
    read, rows = forest.records(table()), np.arange(640)
    train, test = rows[:size], rows[size:]
    grown = forest.grown(read, train, test, 3, RNG(1))

    assert len(grown) == 32
    assert all((tree.place >= 0).all() and tree.place.size == test.size for tree in grown)
    # Leaves without test rows are left out, so that no tree holds more than its run.
    assert all(tree.counts.sum() <= (16 if size % 32 == 0 else size // 31) for tree in grown)


def test_a_category_is_used_once_in_a_tree() -> None:
    """With categories alone a tree splits as often as there are some, whatever the depth."""
    whole = table()
    only = Table(whole.columns, "class", {name: whole.domains[name] for name in ("letter", "digit")}, whole.classes)
    grown = forest.grown(forest.records(only), np.arange(600), np.arange(600, 640), 9, RNG(1))

    # Three values of one, one of which is split by the other two; or two of one, one of which by the other three.
    assert all(len(tree.counts) <= 4 for tree in grown)


def test_votes_fall_to_the_class_named_first() -> None:
    """Of a tie that the earlier tree named, and of most votes before that."""
    leaf = forest.Tree(np.array([[1, 0, 0]]), np.zeros(1, dtype=np.int64))

    def vote(*labels: int) -> int:
        return int(forest.voted([leaf] * len(labels), [np.array([each]) for each in labels], 3)[0])

    assert vote(2, 1) == 2
    assert vote(2, 1, 1) == 1


def test_an_outlier_makes_a_cut_possible_and_no_epsilon_covers_that() -> None:
    """Zeros and ones never part; with a ten more they do in some trees. Between two tables of the same bounds: 0."""
    before, after = forest.outlier()

    assert len(after) == len(before) + 1
    assert forest.loss_of_a_cut(before, after) == math.inf
    assert forest.loss_of_a_cut(after, after) == 0
    test = np.array([0, 1])
    parted = [
        {bool(np.ptp(tree.place)) for tree in forest.grown(each, np.arange(64), test, 1, RNG(4))}
        for each in (before, after)
    ]
    assert parted == [{False}, {False, True}]


def test_the_law_of_a_cut_is_that_of_drawn_cuts() -> None:
    """Whole numbers between .5 and 3.25, the first and the last less often."""
    law, rng = forest._law_of_a_cut(0.5, 3.25), RNG(6)
    drawn = np.bincount([int(forest.whole(0.5, 3.25, rng)) for _ in range(20_000)]) / 20_000

    assert sum(law.values()) == pytest.approx(1)
    assert [law[at] for at in range(4)] == pytest.approx(drawn.tolist(), abs=0.015)


def test_as_described_nothing_of_a_tree_is_learned_from_rows() -> None:
    """Bounds, categories and classes are the domains', with and without an outlier; every record has one tree."""
    whole = table()
    columns = {name: np.append(values, values[:1]) for name, values in whole.columns.items()}
    columns["size"][-1] = 10
    more = Table(columns, "class", whole.domains, whole.classes)
    reads = [forest.described(each) for each in (whole, more)]

    assert [read.high.tolist() for read in reads] == [[10, 100]] * 2
    assert [(read.low.tolist(), read.sizes, read.classes) for read in reads] == [([0, 0], (3, 2), 3)] * 2
    assert (reads[0].labels == np.searchsorted(whole.classes, whole.columns["class"])).all()
    parts = forest.lots(np.arange(640), RNG(1))
    assert len(parts) == forest.TREES
    assert sorted(np.concatenate(parts).tolist()) == list(range(640))


@pytest.mark.parametrize("kind", KINDS)
def test_a_label_costs_more_than_epsilon(kind: str) -> None:
    """The lead of the whole table scales the noise of a leaf; the sound label keeps epsilon. Drawn as its law says."""
    noise = of_leaf(kind, 1.0)

    assert forest.loss_of_a_leaf(noise, 8) > 2
    assert leaf_labels.loss(leaf_labels.SOUND, 1.0) <= 1 + 1e-9
    tree = forest.Tree(np.tile([[3, 1]], (4000, 1)), np.zeros(1, dtype=np.int64))
    share = float(np.mean(forest.labels(tree, noise=noise, lead=1, rng=RNG(2)) == 1))
    chance = float(np.exp(noise.log_law(0, 2, 1)[1]))
    assert abs(share - chance) < 4 * np.sqrt(chance * (1 - chance) / 4000)
