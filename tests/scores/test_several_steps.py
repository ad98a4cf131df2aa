"""Scores of what was made from another database, of which one step is several."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.scores import sensitivity
from dpselect.scores.several_steps import of_several_steps

LENGTH = 12


def on_a_row(values: np.ndarray, place: int, *, closed: bool = False) -> dps.Scores:
    """Scores of one database in a row, with the exact element local sensitivity: the largest move within t steps."""
    moves = np.abs(np.diff(values, axis=0))
    most = float(max(moves.max(), 1))

    def rows(t: np.ndarray) -> np.ndarray:
        return np.array([moves[max(0, place - 1 - s) : place + 1 + s].max(axis=0) for s in t.tolist()], dtype=float)

    def total(t: np.ndarray) -> np.ndarray:
        return np.array([rows(np.arange(s)).sum(axis=0) if s else 0 * rows(np.array([0]))[0] for s in t.tolist()])

    own = sensitivity.profiles(
        rows, profile=np.arange(2), ceiling=most, reach=LENGTH if closed else None, total=total if closed else None
    )
    return dps.Scores(values[place], own, kind="integer")


values = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=LENGTH, max_size=LENGTH).map(np.array)
skips = st.lists(st.integers(-3, 3), min_size=5, max_size=5)


@settings(max_examples=40, deadline=None)
@given(values, skips)
def test_sums_of_three_values_are_admissible_where_one_step_is_up_to_three(table, leaps) -> None:
    """By enumeration: a row of six databases, each made into one of twelve, up to three places from its neighbours'."""
    places = np.clip(np.cumsum([6, *leaps]), 0, LENGTH - 1)
    row = dps.audit.metric_space(np.abs(np.subtract.outer(range(6), range(6))))
    verdict = dps.audit.admissible(lambda x: of_several_steps(on_a_row(table, places[x]), 3), row)

    assert verdict.admissible, verdict.counterexample


def test_a_jump_of_three_steps_needs_all_three_values() -> None:
    """Two of them, or the first value three times, are not enough."""
    table = np.array([[0, 0], [1, 0], [3, 0], [6, 0]] + [[6, 0]] * 8)
    row = dps.audit.metric_space([[0, 1], [1, 0]])
    for steps, expected in ((3, True), (2, False)):
        verdict = dps.audit.admissible(lambda x, m=steps: of_several_steps(on_a_row(table, 3 * x), m), row)
        assert expected == verdict.admissible
    assert [6, 0] == of_several_steps(on_a_row(table, 0), 3).sensitivity.at(0).tolist()


@settings(max_examples=40, deadline=None)
@given(values, st.integers(0, LENGTH - 1), st.integers(2, 4))
def test_sums_in_closed_form_are_the_sums(table, place, steps) -> None:
    """Below the reach and beyond it."""
    built = of_several_steps(on_a_row(table, place, closed=True), steps).sensitivity
    walked = built.at(np.arange(2 * LENGTH))

    assert -(-LENGTH // steps) == built.reach
    for t in (0, 1, 2, 5, LENGTH, 2 * LENGTH):
        assert walked[:t].sum(axis=0).tolist() == built.total(np.array([t]))[0].tolist()


@pytest.mark.parametrize("name", ["exponential", "permute-and-flip"])
def test_two_steps_of_range_bound_one_keep_it(name: str) -> None:
    """Enumerated: up to two steps, each all up or all down by at most one; the sensitivity of one step is too small."""
    one_step = [np.array(each) for each in np.ndindex(2, 2, 2)]
    moves = {tuple(s * a + t * b) for a in one_step for b in one_step for s in (1, -1) for t in (1, -1)}
    mechanism, start, worst = dps.mechanism(name), np.array([4, 4, 3]), {}
    for steps in (1, 2):

        def law(values, m=steps):
            made = of_several_steps(dps.Scores(values, 1, range_bound=1, kind="integer"), m)
            assert 1 == made.range_bound
            return np.log(mechanism.pmf(made, 1))

        own = law(start)
        worst[steps] = max(float(np.abs(law(start + np.array(move)) - own).max()) for move in moves)
    assert worst[2] <= 1 + 1e-9 < 1.5 < worst[1]
    assert worst[2] > 0.8


def test_constants_are_multiplied_upwards_and_directions_are_lost() -> None:
    """One public number, and one for each candidate; floats are never below the product."""
    one = of_several_steps(dps.Scores([3, 1], 2, range_bound=1, kind="integer", neighbours="edge", zero="worst"), 3)
    assert (6.0, True, 1, "worst", "edge") == (
        one.sensitivity.ceiling,
        one.sensitivity.fixed,
        one.range_bound,
        one.zero,
        one.neighbours,
    )
    assert 0 == one.direction
    assert 2 == of_several_steps(dps.Scores([3.5, 1], 2, range_bound=1), 3).range_bound
    each = of_several_steps(dps.Scores([3.0, 1.0], sensitivity.constant([0.1, 2])), 3).sensitivity
    assert 3 * 0.1 <= each.bounds[0] <= np.nextafter(3 * 0.1, 1)
    assert 6 == each.bounds[1]
    same = dps.Scores([3, 1], 2, range_bound=1, kind="integer")
    assert same.sensitivity.ceiling == of_several_steps(same, 1).sensitivity.ceiling
    assert 1 == of_several_steps(same, 1).range_bound


def test_what_does_not_say_how_it_moves_is_refused() -> None:
    """Distances, smooth bounds, and steps that are not counted."""
    with pytest.raises(ValueError, match="after several steps"):
        of_several_steps(dps.Scores([1.0, 2.0], 1, distance=[0, 1]), 3)
    with pytest.raises(ValueError, match="after several steps"):
        of_several_steps(dps.Scores([1.0, 2.0], sensitivity.smooth_bound(lambda _: 1.0, ceiling=2)), 3)
    for steps in (0, True, 1.5):
        with pytest.raises(ValueError, match="steps counts steps"):
            of_several_steps(dps.Scores([1.0, 2.0], 1), steps)
