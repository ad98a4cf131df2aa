"""Pareto margins: the definition, by how much they move, which laws they give, and how much work they take."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.kernel.errors import PrivacyError
from dpselect.scores import pareto_margin as room
from dpselect.scores.dominance import count_above
from dpselect.scores.pareto_sensitivity import Spread
from tests.scores.test_margin import largest_move

pareto_margin = dps.multiobjective.pareto_margin


def by_definition(parts: list[dps.Scores], cut: int) -> list[int]:
    """The text of the proof, in fractions."""
    size, constant = len(parts[0]), all(part.sensitivity.fixed for part in parts)
    values = [[Fraction(value) for value in part.values.tolist()] for part in parts]

    def beats(other: int, own: int, steps: int) -> bool:
        more = []
        for part, value in zip(parts, values, strict=True):
            rows = part.sensitivity.over(size).at(np.arange(abs(steps)))
            moved = sum((Fraction(each) for row in rows for each in (row[other], row[own])), Fraction(0))
            moved = moved / 2 if constant and part.range_bound == 1 else moved
            more.append(value[other] - value[own] + (moved if steps >= 0 else -moved))
        return min(more) >= 0 < max(more)

    return [
        next(
            z for z in range(cut, -cut - 1, -1)
            if z == -cut or not any(beats(other, own, z) for other in range(size) if other != own)
        )
        for own in range(size)
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(25))
def test_constants_give_the_definition(seed) -> None:
    """One to four objectives, integers and quarters, sensitivities of any size, both range bounds, ties."""
    draw = np.random.default_rng(seed)
    size, parts = int(draw.integers(2, 7)), []
    for _ in range(int(draw.integers(1, 5))):
        whole = bool(draw.integers(2))
        values = draw.integers(-4, 5, size) if whole else draw.integers(-8, 9, size) / 4
        bound = Fraction(int(draw.integers(1, 9)), int(2 ** draw.integers(0, 3)))
        kind = "integer" if whole else "real"
        parts.append(dps.Scores(values, bound, kind=kind, range_bound=int(draw.integers(1, 3))))

    assert by_definition(parts, 24) == pareto_margin(parts, reach=24).values.tolist()


@pytest.mark.parametrize("seed", range(25))
def test_any_sensitivities_give_the_definition(seed) -> None:
    """Growing ones and level ones, zeros among them, candidates that are alike."""
    draw = np.random.default_rng(seed)
    size, parts = int(draw.integers(2, 6)), []
    for _ in range(int(draw.integers(1, 4))):
        base, slope = draw.integers(0, 3, size), int(draw.integers(0, 2))
        steps = dps.sensitivity.element(
            lambda t, base=base, slope=slope: (base + slope * t).astype(float), ceiling=4, reach=10
        )
        parts.append(dps.Scores(draw.integers(-4, 5, size), steps, kind="integer"))

    assert by_definition(parts, 24) == pareto_margin(parts, reach=24).values.tolist()


@pytest.mark.parametrize(
    "metrics",
    [
        lambda graph: [dps.utilities.degree(graph), dps.utilities.ego_density(graph)],
        lambda graph: [dps.utilities.degree(graph), -dps.utilities.ego_density(graph)],
        lambda graph: [dps.utilities.degree(graph), dps.utilities.ego_betweenness(graph, max_degree=3)],
        lambda graph: [
            dps.utilities.degree(graph),
            dps.utilities.ego_density(graph),
            -dps.utilities.ego_betweenness(graph, max_degree=3),
        ],
    ],
)
def test_one_edge_moves_a_margin_by_one(metrics) -> None:
    """On all graphs of four nodes: at most 1, and 1 somewhere."""
    assert 1 == largest_move(4, lambda graph: pareto_margin(metrics(graph)))


HOSTILE = [5e-324, 2.0**-1022, 0.1, 1 / 3, 1.0, 2.0**53, 2.0**60, 1e300]


@pytest.mark.parametrize("seed", range(80))
def test_hostile_numbers_move_by_one(seed) -> None:
    """Databases along a line, whose scores are prefix sums of floats of any size: neighbours differ by at most 1."""
    draw = np.random.default_rng(seed)
    size, length, parts = int(draw.integers(2, 5)), 6, []
    for _ in range(int(draw.integers(1, 4))):
        unit = HOSTILE[int(draw.integers(len(HOSTILE)))]
        moves = unit * draw.integers(0, 3, (length, size)) * draw.choice([-1.0, 1.0], (length, size))
        values = np.concatenate([np.zeros((1, size)), np.cumsum(moves, axis=0)]) + unit * draw.integers(-2, 3, size)
        parts.append(values)
    margins = [pareto_margin([_along(values, x) for values in parts], reach=64).values for x in range(length + 1)]

    assert np.abs(np.diff(margins, axis=0)).max() <= 1


def _along(values: np.ndarray, x: int) -> dps.Scores:
    """The scores of one database of a line, with the largest move within so many steps of it, exactly."""
    moved = np.abs(np.diff(values, axis=0))
    # A float difference may be rounded: the next one bounds it.
    moved = np.where(moved > 0, np.nextafter(moved, np.inf), 0)
    reached = [moved[max(0, x - t - 1) : x + t + 1].max(axis=0) for t in range(len(values))]
    ceiling = float(moved.max())
    if not ceiling:
        return dps.Scores(values[x], 1, kind="real")
    steps = dps.sensitivity.element(lambda t: reached[min(t, len(reached) - 1)], ceiling=ceiling, reach=len(values))
    return dps.Scores(values[x], steps, kind="real")


def test_equals_stay_on_the_front() -> None:
    """Two that are best alike have 0, and whoever has one of them above is behind by what the gap takes."""
    apart, together = (dps.Scores([9, 9, 4], 1, kind="integer", range_bound=bound) for bound in (2, 1))

    assert [0, 0, -3] == pareto_margin([apart] * 2).values.tolist()
    assert [0, 0, -5] == pareto_margin([together] * 2).values.tolist()


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_loss_is_at_most_epsilon(epsilon) -> None:
    """Exact laws on all counts of two objectives up to 3: largest log-ratio between neighbours, above .45 of it."""
    worst = 0.0
    for mechanism in ("permute-and-flip", "exponential"):
        law = dps.mechanism(mechanism)
        known = {}
        for counts in itertools.product(range(4), repeat=4):
            parts = [dps.Scores([*half], 1, kind="integer", range_bound=1) for half in (counts[:2], counts[2:])]
            known[counts] = np.log(law.pmf(pareto_margin(parts), epsilon))
        for counts, here in known.items():
            for place in itertools.product((0, 1), repeat=4):
                other = tuple(a + b for a, b in zip(counts, place, strict=True))
                if other in known:
                    worst = max(worst, float(np.abs(here - known[other]).max()))
    assert 0.45 * epsilon < worst <= epsilon * (1 + 1e-12)


@pytest.mark.parametrize(
    "fault",
    [
        # Range bound 1 for differences that may move apart; weak dominance; a count that forgets the candidate itself.
        lambda parts: [dps.Scores(part.values, part.sensitivity, kind="integer", range_bound=1) for part in parts],
    ],
)
def test_a_false_range_bound_is_noticed(fault) -> None:
    """Scores of which one rises while another falls, said to move the same way, move margins by 2."""
    largest = 0
    for values in itertools.product(range(-2, 3), repeat=2):
        for moved in itertools.product((-1, 0, 1), repeat=2):
            pair = [
                [dps.Scores(each, 1, kind="integer", range_bound=2)] * 2
                for each in ([*values], [a + b for a, b in zip(values, moved, strict=True)])
            ]
            right = [pareto_margin(parts).values for parts in pair]
            wrong = [pareto_margin(fault(parts)).values for parts in pair]
            assert np.abs(right[0] - right[1]).max() <= 1
            largest = max(largest, int(np.abs(wrong[0] - wrong[1]).max()))
    assert 2 == largest


def test_the_weak_form_and_a_mixture_move_by_two() -> None:
    """Dominance at 0 must be strict on both sides of 0, or on neither: the tempting mixture is refuted."""
    equal, apart = [dps.Scores(each, 1, kind="integer") for each in ([5, 5], [6, 4])]

    assert [0, 0] == pareto_margin([equal] * 2).values.tolist()
    assert [1, -1] == pareto_margin([apart] * 2).values.tolist()
    # By the weak form 4 has -2, as 6 - 4 covers two moves of 1 each; with 0 for equals that would be a move of 2.
    weak = Spread([apart] * 2)
    low, high = zip(*(part.edges(0) for part in weak._parts), strict=True)
    rows = weak.profile[[1]]
    assert 1 == count_above([*low], [each[rows] for each in high])[0]


def test_work_does_not_follow_private_gaps(monkeypatch) -> None:
    """Objectives with constants: as many counts of dominators for gaps of 10^9 as for none; two take none at all."""
    counted = []

    def counting(*given):
        counted.append(1)
        return count_above(*given)

    monkeypatch.setattr(room, "count_above", counting)
    draw = np.random.default_rng(1)
    for largest in (1, 10, 10**9):
        for objectives in (2, 3):
            counted.append(0)
            parts = [dps.Scores(draw.integers(0, largest, 100), 1, kind="integer") for _ in range(objectives)]
            pareto_margin(parts)
    together = [sum(group) for key, group in itertools.groupby(counted, key=bool) if key]
    assert 1 == len({*together})


def test_an_unknown_reach_is_cut_with_a_notice(caplog) -> None:
    """A function that is called distance by distance ends at a public limit; another is asked for by reach=."""
    called = []

    def steps(t):
        called.append(t)
        return [1.0, 1.0]

    scores = dps.Scores([10**6, 0], dps.sensitivity.element(steps, ceiling=1), kind="integer")
    with caplog.at_level("WARNING"):
        assert [4096, -4096] == pareto_margin([scores] * 2).values.tolist()
    assert "cut at 4,096 steps" in caplog.text
    assert max(called) < 4096
    assert [9, -9] == pareto_margin([scores] * 2, reach=9).values.tolist()


@pytest.mark.parametrize(
    "objectives, more, error, sentence",
    [
        ([dps.Scores([1], 1)], {}, ValueError, "at least two"),
        ([dps.Scores([1, 2], 1)], {"reach": 0}, ValueError, "reach is from 1"),
        ([dps.Scores([1, 2], 1)], {"reach": 2**21}, ValueError, "reach is from 1"),
        ([], {}, ValueError, "is empty"),
        (
            [dps.Scores([1, 2], dps.sensitivity.smooth_bound(lambda beta: 1, ceiling=1))], {}, PrivacyError,
            "smooth bound",
        ),
    ],
)  # fmt: skip
def test_what_has_no_margin_is_refused(objectives, more, error, sentence) -> None:
    """In a sentence, before anything is computed."""
    with pytest.raises(error, match=sentence):
        pareto_margin(objectives, **more)
