"""The greedy tree of Chaves 2024 as released: its codes, its splits, and what one of them costs."""

import math

import numpy as np
import pytest

import dpselect as dps
from research.engine.data import Table
from research.papers.released import greedy_tree
from research.papers.released.noise import KINDS, of_node

RNG = np.random.default_rng


def table(rows: int = 600) -> Table:
    """A category that is the class in nine of ten rows, one that is noise, and a number."""
    rng = RNG(5)
    label = rng.choice(["no", "yes"], rows)
    tells = np.where(rng.random(rows) < 0.9, label, "other")
    columns = {"tells": tells, "noise": rng.choice(["x", "y", "z"], rows), "age": rng.integers(0, 90, rows)}
    domains = {"tells": ["no", "yes", "other"], "noise": ["x", "y", "z"], "age": (0, 100)}
    return Table({**columns, "class": label}, "class", domains, ["no", "yes"])


def test_a_table_in_codes_is_the_table() -> None:
    """Every row has its record; a number falls into twenty bins of the data, its least value apart."""
    whole, coded = table(), greedy_tree.coded(table())

    assert coded.codes[coded.place].shape == (600, 3)
    assert (coded.codes < coded.tally(np.arange(len(coded.codes)), np.ones(len(coded.codes))).shape[0]).all()
    assert (coded.labels[coded.place] == (whole.columns["class"] == "yes")).all()
    ages = coded.codes[coded.place, 2] - coded.first[2]
    assert ages.max() == greedy_tree.BINS
    assert (np.diff(ages[np.argsort(whole.columns["age"])]) >= 0).all()
    counts = coded.tally(np.arange(len(coded.codes)), np.bincount(coded.place).astype(float))
    assert counts.sum() == 3 * 600


def test_a_tree_without_noise_finds_the_attribute_that_tells() -> None:
    """With a large epsilon a split is the best one, and the accuracy that of its leaves."""
    coded, rows = greedy_tree.coded(table()), np.arange(600)
    choice = greedy_tree.by_winner(of_node("student-t", 500.0, 2), coded.lead())

    assert greedy_tree.accuracy(coded, (rows[:500], rows[500:]), 500.0, 2, choice, RNG(1)) > 0.9
    poor = greedy_tree.by_winner(of_node("student-t", 1e-6, 2), coded.lead())
    assert greedy_tree.accuracy(coded, (rows[:500], rows[500:]), 1e-6, 2, poor, RNG(1)) < 0.8


def test_an_attribute_is_struck_off_for_all_branches() -> None:
    """There are no more splits than attributes, however many branches there are."""
    coded, rows, asked = greedy_tree.coded(table()), np.arange(600), []

    def choose(_: object, __: object, attributes: list[int], ___: object) -> int:
        asked.append(list(attributes))
        return attributes[0]

    greedy_tree.accuracy(coded, (rows, rows), 500.0, 3, choose, RNG(1))
    assert asked == [[0, 1, 2], [1, 2], [2]]


@pytest.mark.parametrize("kind", KINDS)
def test_a_split_costs_more_than_the_whole_epsilon(kind: str) -> None:
    """Two tables, one record apart, whose best attribute leads by a thousand; a branch of them is even."""
    before, after = greedy_tree.neighbours(1000)

    assert (before.place.size, after.place.size) == (2001, 2002)
    assert (before.lead(), after.lead()) == (999, 998)
    assert greedy_tree.loss_of_a_split(of_node(kind, 1.0, 2)) > 10


def test_information_gain_keeps_its_share() -> None:
    """The exponential mechanism and permute-and-flip, with the program's sensitivity for 50 000 records."""
    assert greedy_tree.GAIN_SENSITIVITY == pytest.approx(math.log2(50_001) + 1 / math.log(2))
    for name in ("exponential", "permute-and-flip"):
        assert 0 < greedy_tree.loss_by_gain(dps.mechanism(name), 1.0) < 0.2


@pytest.mark.parametrize("share", [0.01 / 6, 0.1, 1 / 3])
def test_a_stop_costs_much_whatever_its_share(share: float) -> None:
    """The true number of values moves the least size by .4 sqrt 2 / share, a record the size by one."""
    assert greedy_tree.loss_of_a_stop(share) == pytest.approx(0.4 * math.sqrt(2) - share)


def test_a_node_ends_as_often_as_the_law_says() -> None:
    """Three records of three values and two classes, two thousand trees of one level."""
    coded, share, asked = greedy_tree._of_one_attribute((0, 1, 2)), 1 / 3, []

    def choose(*_: object) -> int:
        asked.append(1)
        return 0

    rng = RNG(7)
    for _ in range(2000):
        greedy_tree._predicted(coded, np.ones(3), share, 1, choose, rng)
    chance = math.exp(greedy_tree._of_going_on(coded, share)[0])
    assert 0.1 < chance < 0.4
    assert len(asked) / 2000 == pytest.approx(chance, abs=0.04)
