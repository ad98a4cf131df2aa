"""What the program of Farias et al. 2024 does, as far as it is simulated: pieces by hand, losses, and its fence."""

import itertools

import numpy as np
import pytest

import dpselect as dps
from dpselect import audit
from dpselect.learn import DPEvolutionaryTreeClassifier
from dpselect.mechanisms.local_dampening import dampen
from dpselect.utilities.egos import links_of_egos
from research.engine.experiment import Point, Results
from research.engine.series import PRIVACY
from research.papers import multi_objective_figure_2 as figure_2
from research.papers import multi_objective_table_1 as table_1
from research.papers.released.end_of_floats import end_of_floats, loss_at_the_end
from research.papers.released.evolution import Evolution, Sizes, at, depth_of, node, replaced, size
from research.papers.released.multi_objective_draw import FloatDraw
from research.papers.released.pareto_of_trees import ParetoOfTrees, crossings, dampened, ranks
from research.papers.released.printed_sensitivities import PrintedDensity, PrintedRate
from research.papers.released.recall_masks import Masks
from research.papers.released.small_tables import counted, loss_of_draw, tables
from research.papers.released.tree_search import best, drawn, search
from research.papers.released.weighted_trees import WeightedTrees

PROGRAM = {"unsound": "reproduction"}
# Four records, bit by bit; two attributes with one set each way.
TABLE = Masks(((0b1100, 0b0011), (0b1010, 0b0101)), (None, None), 0b1001, 0b0110, 2, 2)


def test_rates_are_counted_in_bits() -> None:
    """A tree with three labels, on four records."""
    tree = node(0, 0, node(1, 0, 1, 0), 0)

    # It labels the first record positive, and no other.
    assert [[0.5, 1.0], [1.0, 0.0]] == TABLE.rates([tree, 1]).tolist()


def test_operators_keep_to_the_levels_that_are_public() -> None:
    """Full first trees; no child is deeper than allowed, however mutations grow."""
    for regrown, deepest in (("programmed", 4), ("printed", 5)):
        sizes = Sizes(6, 2, 1, rounds=2, depth=3, most=5, regrown=regrown)
        evolution = Evolution(TABLE, sizes, np.random.default_rng(0))
        first = evolution.first()
        assert [(7, 3)] * 6 == [(size(tree), depth_of(tree)) for tree in first]
        grown = [evolution.grown(first[:2]) for _ in range(30)]
        assert all(len(trees) == 8 and trees[:2] == first[:2] for trees in grown)
        assert deepest <= max(depth_of(tree) for trees in grown for tree in trees) <= 5


def test_subtrees_are_found_and_replaced() -> None:
    """By the way that leads there."""
    tree = node(0, 0, node(1, 1, 0, 1), 1)

    assert node(1, 1, 0, 1) == at(tree, (2,))
    assert node(0, 0, node(1, 1, 0, node(1, 0, 0, 0)), 1) == replaced(tree, (2, 3), node(1, 0, 0, 0))


def test_dampening_by_crossing_times_is_local_dampening() -> None:
    """Definition 4.5 with the sensitivity 1 / max(P - t, 1), step by step; level and ahead."""
    rng = np.random.default_rng(5)
    for compared, compare in (("level", np.greater_equal), ("ahead", np.greater)):
        for _ in range(20):
            hits = rng.integers(0, (31, 21), (7, 2))
            rates, records = hits / (30, 20), (30, 20)
            table = []
            for t in range(60):
                far = [sum(1 / max(many - j, 1) for j in range(t + 1)) for many in records]
                low, high = rates - far, rates + far
                possible = compare(high[None] - low[:, None], 1e-12 if compared == "ahead" else -1e-12).all(axis=2)
                certain = compare(low[None] - high[:, None], 1e-12 if compared == "ahead" else -1e-12).all(axis=2)
                table.append((possible & ~certain & ~np.eye(7, dtype=bool)).sum(axis=1))
            by_steps = dps.sensitivity.element(lambda t, table=table: table[min(t, 59)], ceiling=6)
            score = ranks(rates)
            expected = dampen(score, by_steps.over(7), "best")
            times = crossings(rates + 0.0, *records, compared)

            assert np.abs(dampened(score, times) - expected).max() < 1e-5


def test_the_law_of_the_draw_is_that_of_one_after_the_other() -> None:
    """By hand, all sets together, and against what it draws."""
    exponents = np.array([0.0, -0.5, -1.0, -3.0])
    draw = FloatDraw(2, **PROGRAM)
    w = np.exp(exponents)
    expected = w[0] / w.sum() * w[1] / (w.sum() - w[0]) + w[1] / w.sum() * w[0] / (w.sum() - w[1])
    rng = np.random.default_rng(1)
    seen = [tuple(sorted(draw.drawn(exponents, rng))) for _ in range(4000)]

    assert pytest.approx(1) == sum(draw.chance(pair, exponents) for pair in itertools.combinations(range(4), 2))
    assert pytest.approx(expected) == draw.chance((0, 1), exponents)
    assert pytest.approx(expected, abs=0.03) == seen.count((0, 1)) / len(seen)


def test_where_floats_end_the_draw_loses_everything() -> None:
    """One record more, and lists of three that were possible are not."""
    assert table_1.loss(table_1.RELEASED_LOCAL, 5.0) == np.inf
    draw = FloatDraw(1, **PROGRAM)
    with pytest.raises(ValueError, match="do not end"):
        end_of_floats(lambda _: np.zeros(3), draw)
    # The best of three is drawn with a chance all the same: nothing ends for one winner.
    assert not FloatDraw(1, **PROGRAM).ends(np.array([0.0, -1e6]))
    assert 0 < loss_at_the_end(lambda many: np.array([0, -many, -many]), FloatDraw(2, **PROGRAM), 1.0) == np.inf


def test_what_is_private_of_the_program_loses_no_more_than_epsilon() -> None:
    """Epsilon divided by the selections: one draw at its share, on all small tables."""
    for units in (ParetoOfTrees(), ParetoOfTrees("trees"), WeightedTrees(), WeightedTrees("global")):
        assert 0.1 < loss_of_draw(units.units, tables(2, 3), 2, 5.0) <= 1
    # More records than trees: too large, so it is private, and a fraction of epsilon is used.
    records = ParetoOfTrees("records", **PROGRAM)
    assert loss_of_draw(records.units, tables(2, 4, more_than=2), 2, 5.0) < 0.2


def test_records_less_one_are_too_few_for_a_sensitivity_where_there_are_few_records() -> None:
    """Thirty trees and three records: see also the errata."""
    units = ParetoOfTrees("records", **PROGRAM).units
    rates = np.array([[1.0, 1.0], *[[0.0, 1.0]] * 29])

    def law(positives: int) -> np.ndarray:
        here = rates if positives else rates * (0, 1)
        weights = np.exp(units(here, positives, 2) / 2)
        return weights / weights.sum()

    pair = audit.metric_space([[0, 1], [1, 0]])
    assert audit.privacy_loss_of_pmf(law, pair, epsilon=1).worst > 3


def test_the_first_sensitivity_twice_is_too_small_where_negatives_are_few() -> None:
    """Fifty positives and the one negative, which one of two trees recognises, gone."""
    for units, least, most in ((WeightedTrees("local", "first twice", **PROGRAM), 5, 6), (WeightedTrees(), 0, 1)):

        def law(gone: int, units: WeightedTrees = units) -> np.ndarray:
            exponents = units.units(np.array([[0.5, 1.0 - gone], [0.5, 0.0]]), 50, 1 - gone) / 2
            weights = np.exp(exponents - exponents.max())
            return weights / weights.sum()

        worst = audit.privacy_loss_of_pmf(law, audit.metric_space([[0, 1], [1, 0]]), epsilon=1).worst
        assert least < worst <= most


def test_epsilon_in_every_round_is_as_much_as_there_are_rounds() -> None:
    """Two trees, the better of which is named in each of four rounds, and one record that decides."""
    units = WeightedTrees("global").units

    def law(positives: int) -> dict[tuple[int, ...], float]:
        rates, _, _ = counted(np.array([[0, 0, 0, 0], [0, positives, 0, 0]]), 2)
        weights = np.exp(units(rates, positives, 0) * 5 / 3)
        chances = weights / weights.sum()
        return {winners: float(np.prod(chances[list(winners)])) for winners in itertools.product(range(2), repeat=4)}

    pair = audit.metric_space([[0, 1], [1, 0]])
    # The exponents are such that one round loses nearly epsilon = 1.
    one = abs(np.log(law(1)[1, 1, 1, 1] / law(0)[1, 1, 1, 1]) / 4)
    assert 0.6 < one <= 1
    assert pytest.approx(4 * one) == audit.privacy_loss_of_pmf(law, pair, epsilon=1).worst > 1


@pytest.mark.parametrize(
    "build",
    [
        lambda **fence: FloatDraw(3, **fence),
        lambda **fence: ParetoOfTrees("records", **fence),
        lambda **fence: ParetoOfTrees("local", "ahead", **fence),
        lambda **fence: WeightedTrees("local", "first twice", **fence),
        PrintedRate,
        PrintedDensity,
    ],
)
def test_what_the_program_has_computes_and_never_releases(build) -> None:
    """It asks for its name, and no door of the library takes it."""
    with pytest.raises(dps.PrivacyError, match="unsound"):
        build()
    made = build(**PROGRAM)
    scores = dps.Scores([1, 0, 0], 1, kind="integer")
    with pytest.raises(TypeError, match="mechanism"):
        dps.select(scores, epsilon=1, mechanism=made)
    with pytest.raises(TypeError, match="Scores"):
        dps.top_k(made, 1, epsilon=1, mechanism=dps.mechanism("exponential"))
    with pytest.raises((TypeError, ValueError), match="mechanism"):
        DPEvolutionaryTreeClassifier(1, domains={0: (0, 2)}, classes=[0, 1], mechanism=made).fit([[0], [1]], [0, 1])


def test_a_private_search_finds_more_at_a_larger_epsilon() -> None:
    """And less than one without noise: on a toy table that one split decides."""
    rng = np.random.default_rng(2)
    bits = rng.integers(0, 2, (4, 2000)).astype(bool)
    sets = tuple(
        (int.from_bytes(np.packbits(b).tobytes(), "big"), int.from_bytes(np.packbits(~b).tobytes(), "big"))
        for b in bits
    )
    table = Masks(sets, (None,) * 4, sets[0][0], sets[0][1], int(bits[0].sum()), int((~bits[0]).sum()))
    sizes = Sizes(20, 3, 1, rounds=3, depth=3, most=4)

    def mean(choice) -> float:
        return float(np.mean([search(table, sizes, choice, rng).sum() for _ in range(40)]))

    free = mean(best(ranks))
    small, large = (mean(drawn(ParetoOfTrees(), e, table, sizes, rng)) for e in (0.001, 10.0))
    assert small + 0.2 < large < free <= 2


def test_the_printed_sensitivity_of_a_rate_loses_more_than_epsilon() -> None:
    """Two trees, tables of up to four records; with the corrected one they lose less."""
    printed = PrintedRate(**PROGRAM)

    assert pytest.approx(1.0769, abs=1e-3) == loss_of_draw(printed.units, tables(2, 4), 2, 1.0)
    assert loss_of_draw(printed.units, tables(2, 4), 2, 5.0) > 1.4
    # Two positives, both found: nothing is said to move, and one that is missed moves the rate by a third.
    assert [2.0] == printed.units(np.array([[1.0, 0.0]]), 2, 0).tolist()


def test_the_printed_sensitivity_of_ego_density_costs_nothing_on_small_graphs() -> None:
    """It falls from 2 to 1 and is not admissible, and all graphs of four nodes lose no more than epsilon."""
    printed = PrintedDensity(**PROGRAM)

    def law(graph: dps.Graph) -> np.ndarray:
        links, degrees = links_of_egos(graph), graph.degrees
        units = printed.units(links / np.maximum(degrees * (degrees - 1) // 2, 1), degrees)
        return np.exp(units) / np.exp(units).sum()

    assert 0.4 < audit.privacy_loss_of_pmf(law, audit.graphs(4), epsilon=2).worst / 2 <= 1
    # From three neighbours on a step: a half of a unit, where with two it is a whole one.
    assert [0.5, 1.0] == printed.units(np.array([1.0, 1.0]), np.array([3, 2])).tolist()


@pytest.mark.parametrize(
    ("leads", "verdict"),
    [
        ([0.5, 0.3, 0.1, -0.3, -0.3, -0.3], "reproduced"),
        # One budget below .5 where the rival wins, another that is noisy.
        ([0.5, -0.5, -0.4, -0.3, -0.3, -0.3], "not comparable"),
    ],
)
def test_a_noisy_budget_hides_no_other(leads: list[float], verdict: str) -> None:
    """Where LocalDiffPID3 wins on ACS is judged budget by budget."""
    points, private = [], Point(PRIVACY, figure_2.LOCAL, 1.0, 1.0)
    for epsilon, lead in zip(figure_2.EPSILONS, leads, strict=True):
        points += [Point("ACS", figure_2.LOCAL, epsilon, 4 + lead, 0.02, 100)]
        points += [Point("ACS", figure_2.ID3, epsilon, 4.0, 0.5 if epsilon == 0.01 else 0.02, 10)]
    claim = next(each for each in figure_2.EXPERIMENT.claims if each.text.startswith("ACS"))

    judged = claim.judge(
        Results([private, *points, *(Point("ACS", figure_2.RELEASED, p.x, 3.0, 0.02, 100) for p in points[::2])])
    )
    assert verdict == judged.verdict
