"""The forest pruned by heavy hitters: the law of its search, by enumeration, and its trees."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from dpselect import audit
from dpselect.kernel.numbers import exact_delta
from dpselect.kernel.rho_conversion import rho_within
from dpselect.learn.boosted.noise import ONE_CELL, Gaussian, Moves
from dpselect.learn.forest.shape import Shape
from research.comparisons import pruned_forests
from research.papers.baselines.pruned_forest import HeavyHitterForest, heavy_nodes, pruned

# Below the root: a chain of two nodes and a leaf at depth 1; the chain ends in two leaves at depth 3.
PARENT = np.array([-1, 0, 0, 1, 1, 3, 3])
DEPTH = np.array([0, 1, 1, 2, 2, 3, 3])
LEAVES = (2, 4, 5, 6)
ROUNDS = 2
UNIVERSE = audit.multisets(range(len(LEAVES)), 3)
Search = Callable[[Callable[[np.ndarray], np.ndarray]], np.ndarray]


def _totals(records: Sequence[int]) -> np.ndarray:
    totals = np.zeros(PARENT.size, dtype=int)
    for record in records:
        node = LEAVES[record]
        while node >= 0:
            totals[node] += 1
            node = int(PARENT[node])
    return totals


def _above(total: int, threshold: int, rate: float) -> float:
    """Return the chance that a total with two-sided geometric noise is at least the threshold."""
    gap, ratio = threshold - total, math.exp(-rate)
    return ratio**gap / (1 + ratio) if gap > 0 else 1 - ratio ** (1 - gap) / (1 + ratio)


def _law(search: Search, totals: np.ndarray, threshold: int, rate: float) -> dict[tuple[bool, ...], float]:
    """Return the chance of every transcript of answers."""
    law: dict[tuple[bool, ...], float] = {}

    def follow(given: tuple[bool, ...]) -> None:
        told: list[int] = []

        def ask(nodes: np.ndarray) -> np.ndarray:
            told.extend(nodes.tolist())
            if len(told) > len(given):
                raise StopIteration
            return np.array(given[len(told) - nodes.size : len(told)], dtype=bool)

        try:
            search(ask)
        except StopIteration:
            for more in product((False, True), repeat=len(told) - len(given)):
                follow((*given, *more))
            return
        chances = [_above(totals[node], threshold, rate) for node in told]
        law[given] = math.prod(p if answer else 1 - p for p, answer in zip(chances, given, strict=True))

    follow(())
    assert math.isclose(sum(law.values()), 1.0)
    return law


def _worst(search: Search, threshold: int, rate: float) -> float:
    """Return the largest privacy loss between tables that differ by one record."""
    laws = {tuple(records): _law(search, _totals(records), threshold, rate) for records in UNIVERSE}
    return max(abs(math.log(laws[a][told] / laws[b][told])) for a, b in _neighbours() for told in laws[a])


def _neighbours() -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for records in map(tuple, UNIVERSE):
        for place in range(len(records)):
            yield records, (*records[:place], *records[place + 1 :])


def _every_level(ask: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Ask for each level at the price of a round: what the halving of depths avoids."""
    answers = np.zeros(PARENT.size, dtype=bool)
    for level in (1, 2, 3):
        nodes = np.flatnonzero(level == DEPTH)
        answers[nodes] = ask(nodes)
    return answers


def _halving(ask: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    return heavy_nodes(PARENT, DEPTH, ROUNDS, ask)


@pytest.mark.parametrize("threshold", [1, 2, 4])
def test_a_search_loses_the_price_of_its_rounds(threshold: int) -> None:
    """By the law of all transcripts, of all tables of up to three records; levels asked one by one lose more."""
    rate = 0.7

    worst = _worst(_halving, threshold, rate)

    assert worst <= ROUNDS * rate + 1e-9
    if threshold == 4:
        assert worst >= 0.9 * ROUNDS * rate
        assert _worst(_every_level, threshold, rate) > 1.2 * ROUNDS * rate


def test_without_noise_the_heavy_nodes_are_found() -> None:
    """Those whose total reaches the threshold, in random trees; no path is asked twice in a round."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        parent, depth = [-1], [0]
        for node in range(40):
            if node < len(parent) and depth[node] < 7 and rng.random() < 0.8:
                parent += [node, node]
                depth += [depth[node] + 1] * 2
        own, above = np.array(depth), np.array(parent)
        totals = rng.integers(0, 4, own.size)
        for node in range(own.size - 1, 0, -1):
            totals[above[node]] += totals[node]

        def ask(nodes: np.ndarray, above: np.ndarray = above, totals: np.ndarray = totals) -> np.ndarray:
            for node in nodes.tolist():
                while (node := int(above[node])) >= 0:
                    assert node not in nodes
            return totals[nodes] >= 5

        found = heavy_nodes(above, own, 3, ask)

        assert found.tolist() == [True, *(totals[1:] >= 5)]


def test_a_split_stays_where_a_child_is_heavy() -> None:
    """The light sibling of a heavy node is a leaf; what lies below it is gone."""
    shape = Shape(
        np.array([0, 0, 0, -1, -1, -1, -1]), np.zeros(7, dtype=int), np.array([1, 3, 5, 0, 0, 0, 0]), *_rest(7)
    )

    small, kept = pruned(shape, np.array([True, True, False, False, False, False, False]))

    assert kept.tolist() == [0, 1, 2]
    assert small.split.tolist() == [0, -1, -1]
    assert small.parent.tolist() == [-1, 0, 0]


def _rest(nodes: int) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    return np.floor(np.log2(np.arange(nodes) + 1)).astype(int), (np.arange(2),)


class _Recorded(Gaussian):
    """The noise of a fit, which keeps what each list of counts cost."""

    prices: ClassVar[list[Fraction]] = []

    def noisy(self, draws: Any, values: np.ndarray, price: Fraction, moves: Moves) -> np.ndarray:
        """Note the price of counts that one record moves by 1."""
        assert moves == ONE_CELL
        self.prices.append(price)
        return super().noisy(draws, values, price, moves)


class _RecordedForest(HeavyHitterForest):
    def _fit_plan(self, attributes_: Any, classes: Any, epsilon: Fraction) -> Any:
        return replace(super()._fit_plan(attributes_, classes, epsilon), noise=_Recorded())


def test_a_fit_costs_its_budget() -> None:
    """What all lists of counts cost comes to the rho of the fit, exactly, where each round has a node to ask."""
    _Recorded.prices.clear()
    X = np.arange(4000)[:, None]

    _RecordedForest(50, domains={0: (0, 4000)}, classes=[0, 1]).fit(X, (X[:, 0] > 2000).astype(int))

    assert sum(_Recorded.prices) == rho_within(Fraction(50), exact_delta(1e-6))


def test_it_learns() -> None:
    """Where the class follows from one number and epsilon is large."""
    X, y = [[age] for age in range(2000)], ["old" if age >= 1000 else "young" for age in range(2000)]
    model = HeavyHitterForest(5, domains={0: (0, 2000)}, classes=["young", "old"]).fit(X, y)

    assert model.predict([[10], [1990]]).tolist() == ["young", "old"]


def test_the_page_shows_the_stored_tables() -> None:
    """Line by line, and in how many cells which forest is ahead."""
    page = (Path(__file__).parents[2] / "docs" / "measured" / "rare-classes.md").read_text(encoding="utf-8")
    text = pruned_forests.STORED.read_text(encoding="utf-8").strip()
    rare, even = (table.splitlines()[2:] for table in text.split("\n\n"))
    auc, precision = pruned_forests.ahead(rare)

    assert text in page
    assert f"in {auc} of 24 cells by AUC and in {precision} of 24 by average precision" in page
    assert pruned_forests.ahead(even)[0] == 0


def test_the_page_says_how_far_other_fits_agree() -> None:
    """The pruned forest beside the stored fits of ours on the same splits: noise decides many cells."""
    page = (Path(__file__).parents[2] / "docs" / "measured" / "rare-classes.md").read_text(encoding="utf-8")
    auc, precision = pruned_forests.ahead(pruned_forests.beside_stored())

    assert f"it is ahead in {auc} and {precision} cells" in page
    assert pruned_forests.ahead(pruned_forests.beside_stored("boosted")) == (4, 4)
    assert "Boosted trees still rank higher in 20 of 24 cells by either measure" in page


def test_the_tables_are_those_that_the_command_makes() -> None:
    """The same header, and a line for each table."""
    rare, even = (
        table.splitlines() for table in pruned_forests.STORED.read_text(encoding="utf-8").strip().split("\n\n")
    )

    assert rare[:2] == pruned_forests.header("AUC", "AP")
    assert [line.split()[1] for line in rare[2:]] == [*pruned_forests.TABLES]
    assert even[:2] == pruned_forests.header("accuracy", "AUC")
    assert [line.split()[1] for line in even[2:]] == [*pruned_forests.EVEN]
