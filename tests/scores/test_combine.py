"""Several objectives as one score."""

import itertools
from collections import deque
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect import audit
from dpselect.audit.admissibility import exact_sensitivity
from dpselect.audit.margins import row_of, tenths
from dpselect.mechanisms.local_dampening import dampen
from dpselect.multiobjective import aggregate, pareto
from dpselect.scores import combine
from dpselect.scores.pareto_sensitivity import Spread
from tests.utilities.enumeration import admissible, tabulate


def whole(values, sensitivity=1) -> dps.Scores:
    """Scores of listed integers, exact."""
    return dps.Scores(values, sensitivity, kind="integer")


def objectives(seed: int, count: int, whole: bool, candidates: int = 5):
    """Random objectives on a chain of databases, with their exact element sensitivities."""
    rng = np.random.default_rng(seed)
    size = 6
    universe = audit.metric_space(np.abs(np.subtract.outer(np.arange(size), np.arange(size))))
    values = rng.integers(0, 6, (count, size, candidates))
    values = values if whole else values / 7
    exact = [exact_sensitivity(universe, each.astype(float)) for each in values]

    def parts(x: int) -> list[dps.Scores]:
        made = []
        for each, bound in zip(values, exact, strict=True):
            at = dps.sensitivity.element(
                lambda t, bound=bound: bound[min(t, len(bound) - 1), x], ceiling=float(bound.max()) or 1.0
            )
            made.append(dps.Scores(each[x], at))
        return made

    return universe, parts


@given(st.integers(0, 10**6), st.integers(1, 4), st.booleans())
@settings(deadline=None, max_examples=40)
def test_composed_sensitivities_are_admissible(seed: int, count: int, whole: bool) -> None:
    """On random spaces: one to four objectives, integers and decimals, ties everywhere."""
    universe, parts = objectives(seed, count, whole)
    weights = np.random.default_rng(seed).integers(-3, 4, count)
    weights[0] = 2

    assert admissible(tabulate(lambda x: pareto(parts(x)), universe))
    assert admissible(tabulate(lambda x: aggregate(parts(x), weights), universe))


def test_something_less_would_not_be() -> None:
    """Over twenty spaces a half of the Pareto sensitivity is caught."""
    caught = 0
    for seed in range(20):
        universe, parts = objectives(seed, 2, whole=True)
        caught += not admissible(tabulate(lambda x, parts=parts: pareto(parts(x)), universe), 0.5)
    assert caught > 10


@pytest.mark.parametrize("mechanism", ["exponential", "local-dampening", "local-dampening-flip"])
def test_the_exact_loss_is_at_most_epsilon(mechanism: str) -> None:
    """PrivPareto and PrivAgg, local and global."""
    for seed in range(6):
        universe, parts = objectives(seed, 2, whole=True)
        for combined in (
            lambda x, parts=parts: pareto(parts(x)),
            lambda x, parts=parts: pareto(parts(x), sensitivity="global"),
            lambda x, parts=parts: aggregate(parts(x), [1, 3]),
        ):
            assert audit.privacy_loss(dps.mechanism(mechanism), combined, universe, epsilon=1).holds


def test_dominators_are_counted_with_ties() -> None:
    """Equal candidates count each other, nobody counts itself."""
    a, b = dps.Scores([2, 2, 1, 0], 1), dps.Scores([5, 5, 6, 0], 1)

    assert [-1, -1, 0, -3] == pareto([a, b]).values.tolist()
    assert [-2, -2, 0, 0] == pareto([-a, b]).values.tolist()
    assert np.int64 == pareto([a, b]).values.dtype


def test_example_4_4_leaves_a_candidate_out_of_its_own_count() -> None:
    """Scores 0, 0, -1, -1, -4 for a to e."""
    first, second = dps.Scores([3, 5, 4, 2, 1], 1), dps.Scores([5, 3, 2, 4, 1], 1)

    assert [0, 0, -1, -1, -4] == pareto([first, second]).values.tolist()


def test_example_4_6() -> None:
    """At distance 0 the one dominator of b may be lost, and a may not become one."""
    part = dps.Scores([1.0, 3.0, 5.0], dps.sensitivity.element(lambda t: [0.5, 1.0, 1.5], ceiling=5))

    assert 1 == pareto([part, part]).sensitivity.at(0)[1]


def test_opposite_weights_need_the_sum() -> None:
    """One objective rises by 1 where the other falls by 1: under weights 1 and -1 the sum moves by 2."""
    universe = audit.metric_space([[0, 1], [1, 0]])

    def both(x: int) -> dps.Scores:
        return aggregate([dps.Scores([x, 0], 1), dps.Scores([-x, 0], 1)], [1, -1])

    assert admissible(tabulate(both, universe))
    assert not admissible(tabulate(both, universe), 0.9)


def test_the_definition_of_the_sensitivity() -> None:
    """max(lost(t-1) + won(t), lost(t) + won(t-1)), by brute force."""
    rng = np.random.default_rng(3)
    values, steps = rng.integers(0, 30, (2, 40)), rng.integers(1, 4, (2, 40))
    parts = [
        dps.Scores(v, dps.sensitivity.element(lambda t, s=s: s * (1 + t % 2), ceiling=8))
        for v, s in zip(values, steps, strict=True)
    ]
    found = pareto(parts).sensitivity.at(np.arange(5))

    def certain_and_possible(t: int) -> tuple[np.ndarray, np.ndarray]:
        spread = (
            np.array([np.sum([s * (1 + j % 2) for j in range(t + 1)], axis=0) for s in steps]) if t >= 0 else 0 * steps
        )
        possible = ((values + spread)[:, None, :] >= (values - spread)[:, :, None]).all(axis=0)
        certain = ((values - spread)[:, None, :] >= (values + spread)[:, :, None]).all(axis=0)
        np.fill_diagonal(possible, False)
        np.fill_diagonal(certain, False)
        return certain.sum(axis=1), possible.sum(axis=1)

    dom = certain_and_possible(-1)[0]
    for t in range(5):
        (c0, p0), (c1, p1) = certain_and_possible(t - 1), certain_and_possible(t)
        assert np.array_equal(np.minimum(39, np.maximum(dom - c0 + p1 - dom, dom - c1 + p0 - dom)), found[t])


def test_weights_and_ceilings() -> None:
    """Sums of ceilings; the largest where one record touches one objective only: 3 TPR + 2 TNR is 3, not 5."""
    a, b = dps.Scores([1.0, 0.0], 1), dps.Scores([0.0, 1.0], 1)

    assert 5 == aggregate([a, b], [3, 2]).sensitivity.ceiling
    assert 3 == aggregate([a, b], [3, 2], max_changed="one").sensitivity.ceiling
    assert [3.0, 2.0] == aggregate([a, b], [3, 2]).values.tolist()
    assert aggregate([a, b], sensitivity="global").sensitivity.fixed


def test_nodes_that_are_central_and_dense() -> None:
    """Two metrics of a graph; top-k excludes winners."""
    graph = dps.Graph.from_name("lesmis")
    both = pareto([dps.utilities.degree(graph), dps.utilities.ego_density(graph)])
    release = dps.top_k(both, 3, epsilon=5, mechanism=dps.mechanism("local-dampening-flip"))

    assert 3 == len(set(release.value))


def unbounded() -> dps.Scores:
    """Scores without a public ceiling."""
    return dps.Scores([1, 2], dps.sensitivity.local(lambda t: 1 + t))


def replaced() -> dps.Scores:
    """Scores under substitution."""
    return dps.Scores([1, 2], 1, neighbours="substitution")


@pytest.mark.parametrize("edge", [2**53, 2**61, 2**63, 2**64, -(2**63)])
@pytest.mark.parametrize("mechanism", ["exponential", "permute-and-flip", "local-dampening-flip"])
def test_the_size_of_listed_integers_decides_nothing(edge: int, mechanism: str) -> None:
    """Lists that move by one around the ends of NumPy's types: one kind of number, and no loss above epsilon."""

    def laws(x: int) -> list[np.ndarray]:
        first, other = whole([edge - 1 + x, edge - 1 + x]), whole([edge - 1, edge - 1001])
        assert first.values.dtype == other.values.dtype == np.int64
        made = dps.mechanism(mechanism)
        sums = aggregate([first, other], [1, -1])
        return [np.log(made.pmf(each, 1)) for each in (sums, whole([edge - 1 + x, edge - 2**42], 2**40))]

    assert all(np.abs(one - two).max() <= 1 + 1e-9 for one, two in zip(laws(0), laws(1), strict=True))


def test_large_scores_are_clipped_and_do_not_wrap() -> None:
    """100 times 2^60 leaves 64 bits: the better candidate stays the better one."""
    large = whole([2**60, 1, -(2**63)])

    first, second, third = aggregate([large, large], [100, 1]).values.tolist()
    assert first > second == 101 > third
    assert (-large).values[2] > 0
    assert [0, -1, -2] == pareto([large, large]).values.tolist()


def test_sums_are_exact_wherever_the_sum_fits() -> None:
    """The limit of 2^61 is that of the sum: neither a large part nor two that cancel are cut on the way."""
    large, small = whole([5 * 10**12, 6 * 10**12, -(2**63)]), whole([1, 2, 2**61])

    assert [5 * 10**12 + 10**6, 6 * 10**12 + 2 * 10**6, 2**61] == aggregate([large, small], [1, 10**6]).values.tolist()
    assert [1, 2] == aggregate([small, large, -large], [1, 10**6, 10**6]).values.tolist()[:2]
    assert [2**61, 2**61, -(2**61)] == aggregate([large, small], [10**6, 1]).values.tolist()


@pytest.mark.parametrize("mechanism", ["permute-and-flip", "local-dampening"])
def test_clipped_sums_lose_at_most_epsilon(mechanism: str) -> None:
    """Neighbours on both sides of 2^63, where 64 bits end, and of 2^61, where sums are clipped."""

    def both(x: int) -> dps.Scores:
        first = whole([2**61 - 1 + x, 2**59 - 1 + x, 0])
        return aggregate([first, whole([x, x, 2**61 - 3])], [4, 1])

    line = audit.metric_space(np.abs(np.subtract.outer(np.arange(4), np.arange(4))))

    assert [2**61, 2**61 - 4, 2**61 - 3] == both(0).values.tolist()
    assert [2**61] * 2 == both(1).values.tolist()[:2]
    assert admissible(tabulate(both, line))
    assert audit.privacy_loss(dps.mechanism(mechanism), both, line, epsilon=1).holds


@pytest.mark.parametrize("combine_", [aggregate, pareto])
@pytest.mark.parametrize("kind", [tuple, iter, lambda parts: (part for part in parts), lambda parts: deque(parts)])
def test_any_ordered_iterable_of_scores_will_do(combine_, kind) -> None:
    """A generator is read once."""
    parts = [dps.Scores([3, 1], 1), dps.Scores([0, 5], 1)]

    assert combine_(parts).values.tolist() == combine_(kind(parts)).values.tolist()


def test_weights_are_refused_with_advice_that_works() -> None:
    """Each is named; the factor that is proposed makes weights that are taken."""
    part = dps.Scores([1.0, 2.0], 1)
    with pytest.raises(ValueError, match=r"weights\[0\] is about 1e-300, too small .* such as 1e150\."):
        aggregate([part, part], [1e-300, 1])
    assert [1e150, 2e150] == aggregate([part, part], [1e-300 * 1e150, 1e150]).values.tolist()
    with pytest.raises(ValueError, match=r"next to weights\[0\], weights\[1\] counts for nothing, so pass 0"):
        aggregate([part, part], [Fraction(10) ** 300, Fraction(1, 10**300)])
    with pytest.raises(ValueError, match=r"weights\[0\] is about 1e300, too large .* such as 1e-300\."):
        aggregate([part, part], [Fraction(10) ** 300, 0])
    assert [1.0, 2.0] == aggregate([part, part], [1, 0]).values.tolist()


def test_range_bound_one_is_declared_and_kept() -> None:
    """Two counts of the same records under weights 2 and 3: the plain mechanisms lose at most epsilon."""

    def both(records: np.ndarray) -> dps.Scores:
        counts = dps.utilities.counts([int((records == kind).sum()) for kind in range(3)])
        return aggregate([counts, counts], [2, 3], range_bound=1)

    found = audit.privacy_loss(dps.mechanism("permute-and-flip"), both, audit.multisets(range(3), 4), epsilon=1)

    assert found.holds
    assert found.worst > 0.99


@pytest.mark.parametrize("weights", [(1, -1), (-2, -3), (3, -1), (1, 1)])
@pytest.mark.parametrize("name", ["permute-and-flip", "exponential"])
def test_constants_have_range_bound_one_under_weights_of_any_sign(weights: tuple[int, int], name: str) -> None:
    """One record moves the sums within an interval as long as the sensitivity; two counts, and one of them alone."""

    def scores(records: np.ndarray) -> dps.Scores:
        first, second = ([int((records == kind + shift).sum()) for kind in range(2)] for shift in (0, 2))
        both = [a + b for a, b in zip(first, second, strict=True)]
        parts = [dps.Scores(each, 1, kind="integer", range_bound=1) for each in (both, first)]
        return aggregate(parts, weights, range_bound=1)

    assert sum(map(abs, weights)) == scores(np.array([])).sensitivity.ceiling
    found = audit.privacy_loss(dps.mechanism(name), scores, audit.multisets(range(4), 4), epsilon=1)
    assert found.holds
    assert found.worst > 0.4


def test_negative_weights_of_other_sensitivities_have_range_bound_two() -> None:
    """A sum may rise by all of one candidate's sensitivity and fall by all of another's."""
    fixed = dps.Scores([3, 1], 1, range_bound=1)
    each = dps.Scores([3, 1], dps.sensitivity.constant([1, 2]), range_bound=1)

    assert 1 == aggregate([fixed, each], [1, 1], range_bound=1).range_bound
    for weights in ([1, -1], [-1, 1]):
        with pytest.raises(dps.PrivacyError, match="Range bound 1 needs"):
            aggregate([fixed, each], weights, range_bound=1)


def test_a_minus_does_not_walk_around_the_refusal_of_negative_weights() -> None:
    """-q is a negative weight too: accepted, the exponential mechanism would lose 1.80 epsilon (planted)."""

    def scores(x: int, range_bound: int) -> dps.Scores:
        p = dps.Scores([(100, 0), (100, 9)][x], dps.sensitivity.constant([1, 9]), range_bound=1, kind="real")
        q = dps.Scores([(0, 0), (9, 0)][x], dps.sensitivity.constant([9, 1]), range_bound=1, kind="real")
        if range_bound == 1:
            # As it was: what -q forgot.
            q = dps.Scores(-q.values, q.sensitivity, range_bound=1, kind="real")
            return aggregate([p, q], range_bound=1)
        return aggregate([p, -q])

    pair = audit.metric_space([[0, 1], [1, 0]])
    assert audit.privacy_loss(dps.mechanism("exponential"), lambda x: scores(x, 1), pair, epsilon=1).worst > 1.79
    assert audit.privacy_loss(dps.mechanism("exponential"), lambda x: scores(x, 2), pair, epsilon=1).holds
    p, q = (dps.Scores([100, 0], dps.sensitivity.constant(each), range_bound=1) for each in ([1, 9], [9, 1]))
    for parts in ([p, -q], [-p, q], [p, aggregate([-q])]):
        with pytest.raises(dps.PrivacyError, match="on scores of one sign"):
            aggregate(parts, range_bound=1)
    turned = -q
    assert 1 == aggregate([-p, turned], range_bound=1).range_bound == aggregate([p, -turned], range_bound=1).range_bound


def test_a_sum_of_both_directions_has_none() -> None:
    """With constants it keeps range bound 1, and may not stand beside a sensitivity that differs by candidate."""
    a = dps.Scores([3, 1], 1, range_bound=1, kind="integer")
    each = dps.Scores([3, 1], dps.sensitivity.constant([9, 1]), range_bound=1)
    mixed = aggregate([a, a], [1, -1], range_bound=1)

    assert (1, 0) == (mixed.range_bound, mixed.direction)
    assert -1 == aggregate([-a, -a]).direction == aggregate([a], [-2]).direction
    with pytest.raises(dps.PrivacyError, match="on scores of one sign"):
        aggregate([mixed, each], range_bound=1)


def test_exact_weights_keep_integers_exact() -> None:
    """Whole numbers written as floats or fractions too; half a point is a float."""
    scores = whole([3, 1])

    for weights in ([2, 1], [2.0, 1.0], np.array([2, 1]), [Fraction(2), Fraction(1)]):
        assert ([9, 3], "i", True) == (
            (both := aggregate([scores, scores], weights)).values.tolist(),
            both.values.dtype.kind,
            both.sensitivity.fixed,
        )
    assert "f" == aggregate([scores, scores], [0.5, 1]).values.dtype.kind


def test_ceilings_are_rounded_upwards() -> None:
    """0.1 + 0.2 in exact numbers, the least float not below."""
    part = dps.Scores([1.0, 0.0], 1)

    assert Fraction(aggregate([part, part], [0.1, 0.2]).sensitivity.ceiling) >= Fraction(0.1) + Fraction(0.2)


def test_an_aggregate_keeps_sums_bounds_and_reaches() -> None:
    """What shifted dampening and the generalised exponential mechanism ask for."""
    graph = dps.Graph.from_name("lesmis")
    both = aggregate([dps.utilities.degree(graph), dps.utilities.ego_density(graph)], [1, 100]).sensitivity
    closed = both.total(np.array([0, 1, 20, 90]))[:, both.profile]
    summed = np.array([both.at(np.arange(t)).sum(axis=0) for t in (0, 1, 20, 90)])
    own = aggregate([dps.Scores([1, 2], dps.sensitivity.constant([1, 2])), dps.Scores([5, 6], 3)], [10, 1])

    assert np.allclose(summed, closed, rtol=1e-12)
    assert (101.0, 74) == (both.ceiling, both.reach)
    assert np.allclose([13, 23], own.sensitivity.bounds)


@pytest.mark.parametrize(
    ("zeros", "weights", "zero"),
    [
        (("best", "best"), (1, 2), "best"),
        (("best", "worst"), (1, -2), "best"),
        (("best", "worst"), (-1, 2), "worst"),
        (("best", "worst"), (1, 2), "neutral"),
        (("best", "neutral"), (1, 1), "neutral"),
        (("best", "worst"), (1, 0), "best"),
    ],
)
def test_a_weighted_sum_means_by_zero_what_its_parts_do(zeros, weights, zero: str) -> None:
    """Where they agree, turned round by negative weights; by public facts only."""
    parts = [dps.Scores([1.0, 2.0], 1, zero=each) for each in zeros]

    assert zero == aggregate(parts, weights).zero
    assert "best" == pareto(parts).zero == pareto(parts, sensitivity="global").zero


def test_zero_weights_leave_no_trace() -> None:
    """An objective of weight 0 adds no sensitivity."""
    scores = dps.Scores([3, 1], 1)

    assert 2 == aggregate([scores, unbounded()], [2, 0]).sensitivity.ceiling


@given(st.integers(0, 10**6), st.integers(2, 60), st.integers(1, 4), st.booleans())
@settings(deadline=None, max_examples=60)
def test_the_pareto_sensitivity_is_that_of_all_comparisons(seed: int, size: int, count: int, whole: bool) -> None:
    """max(possible(t) - certain(t-1), possible(t-1) - certain(t)), profiles shared, up to 60 candidates."""
    draw = np.random.default_rng(seed)
    values = draw.integers(0, 25, (count, size)) / (1 if whole else 8)
    steps = draw.integers(0, 3, (count, 4)) / (1 if whole else 8)
    own = draw.integers(0, 4, (count, size))
    parts = [
        dps.Scores(
            v.astype(int) if whole else v,
            dps.sensitivity.profiles(lambda t, s=s: s * (1 + t[:, None] // 2), profile=o, ceiling=50),
        )
        for v, s, o in zip(values, steps, own, strict=True)
    ]
    found = pareto(parts).sensitivity

    def within(t: int) -> tuple[np.ndarray, np.ndarray]:
        far = np.array([s[o] for s, o in zip(steps, own, strict=True)]) * sum(1 + j // 2 for j in range(t + 1))
        certain = ((values - far)[:, None, :] >= (values + far)[:, :, None]).all(axis=0)
        possible = ((values + far)[:, None, :] >= (values - far)[:, :, None]).all(axis=0)
        np.fill_diagonal(certain, False)
        np.fill_diagonal(possible, False)
        return certain.sum(axis=1), possible.sum(axis=1)

    for t in range(4):
        (certain, possible), (sure, thinkable) = within(t - 1), within(t)
        expected = np.maximum(thinkable - certain, possible - sure)
        # Eighths are exact floats, but the margin may take a tie for certain no longer.
        assert np.array_equal(expected, found.at(t)) if whole else (found.at(t) >= expected).all()


def test_sensitivities_do_not_depend_on_how_they_are_asked_for() -> None:
    """Forwards, backwards, all at once, or for some rows only: the same numbers."""
    graph = dps.Graph.from_name("lesmis")
    scores = pareto([dps.utilities.ego_betweenness(graph, max_degree=40), dps.utilities.ego_density(graph)])
    bound = scores.sensitivity
    together = bound.by_profile(np.arange(12))
    some = np.array([3, 0, 7])

    assert np.array_equal(together, np.array([bound.by_profile(np.array([t]))[0] for t in range(12)]))
    assert np.array_equal(together[::-1], np.array([bound.by_profile(np.array([t]))[0] for t in range(11, -1, -1)]))
    assert np.array_equal(together[5:9, some], bound.by_profile(np.arange(5, 9), some))
    assert np.array_equal(together[:2, some], bound.by_profile(np.arange(2), some))


def test_sums_that_were_kept_are_those_of_a_walk() -> None:
    """To the last bit, in whatever order distances are asked for, and however many were asked before."""
    draw = np.random.default_rng(0)
    share = draw.uniform(0, 1, 5)
    bound = dps.sensitivity.profiles(lambda t: share * (0.1 + t[:, None] % 7), profile=np.arange(5), ceiling=1e6)
    part = Spread([dps.Scores(draw.normal(size=5), bound)] * 2)._parts[0]
    rows = bound.by_profile(np.arange(300))
    walked = list(itertools.accumulate(rows, initial=np.zeros(1)))[1:]

    for t in [0, 1, 2, 7, 3, 299, 40, 41, 127, 128, 150, 64, *draw.integers(0, 300, 40).tolist()]:
        assert walked[t].tolist() == part._far(t).tolist()
    assert len(part._sums) < 30


def test_what_cannot_move_cannot_move_the_pareto_score() -> None:
    """Ties between floats that stay put for three steps: the sensitivity is 0 until they may move."""
    late = dps.sensitivity.local(lambda t: float(t >= 3), ceiling=1.0)
    tied = dps.Scores([0.1, 0.1, 0.3], late)

    assert [0, 0, 0, 2] == [pareto([tied, tied]).sensitivity.at(t).max() for t in range(4)]


def test_a_public_reach_lets_the_pareto_score_be_shifted() -> None:
    """Without one, shifted dampening is refused."""
    a, b = dps.Scores([3, 1, 2], 1), dps.Scores([0, 5, -1], 1)
    shifted = dps.mechanism("shifted-local-dampening")

    assert abs(shifted.pmf(pareto([a, b], reach=4), 1).sum() - 1) < 1e-12
    with pytest.raises(dps.PrivacyError, match="reach is unknown"):
        shifted.pmf(pareto([a, b]), 1)


def test_dampening_looks_at_unsettled_candidates_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later distances are asked for fewer and fewer rows."""
    asked = []
    honest = Spread.some
    monkeypatch.setattr(Spread, "some", lambda self, t, only: asked.append(only) or honest(self, t, only))
    a, b = (dps.Scores(40 * v, 1) for v in np.random.default_rng(2).permuted(np.tile(np.arange(50), (2, 1)), axis=1))
    scores = pareto([a, b])
    dampen(scores.values.astype(float), scores.sensitivity)
    counts = [len(only) for only in asked if only is not None]

    assert counts
    assert counts == sorted(counts, reverse=True)
    assert max(counts) <= 25
    whole = replace(scores.sensitivity, some=None)
    plain = dps.Scores(scores.values, whole, zero="best")
    ticks = [dps.mechanism("local-dampening").effective(each).ticks for each in (scores, plain)]
    assert np.array_equal(*ticks)


def test_a_graph_without_edges_has_nobody_in_front() -> None:
    """All nodes are alike, so each is as good as any other."""
    graph = dps.Graph.from_edges([], [], nodes=5)
    parts = [dps.utilities.degree(graph), dps.utilities.ego_density(graph)]

    assert [-4] * 5 == pareto(parts).values.tolist()
    assert np.allclose(1 / 5, dps.mechanism("local-dampening").pmf(pareto(parts), 1))
    assert np.allclose(1 / 5, dps.mechanism("local-dampening").pmf(aggregate(parts, [1, 100]), 1))


def test_long_work_is_announced(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds a distance and the number of distances, before it begins; short work says nothing."""
    parts = [dps.Scores([1, 2], 1)] * 3
    pareto(parts)
    assert "" == caplog.text
    monkeypatch.setattr(combine, "seconds", lambda size, objectives: 30.0)
    pareto(parts, reach=16)

    assert "2 candidates by 3 objectives: at most 16 distances of about 60 s." in caplog.text


two = audit.metric_space([[0, 1], [1, 0]])
# Sums that cancel: in plain floats the first moves by 64, and the last seems to move where nothing can.
CANCELLING = {
    "halves": lambda x: aggregate([whole([2**60 + 128 + x, 2**60]), whole([2**60] * 2)], [0.5, -0.5]),
    "mixed kinds": lambda x: aggregate([whole([2**52 + 128 + x, 2**52]), dps.Scores([-(2.0**52)] * 2, 1)]),
    "tenths": lambda x: aggregate([whole([10**16 + x, 10**16]), whole([10**16] * 2)], [0.1, -0.1]),
}


@pytest.mark.parametrize("name", sorted(CANCELLING))
def test_parts_that_cancel_lose_nothing(name: str) -> None:
    """The sum is rounded once, from its exact value."""
    score = CANCELLING[name]
    bound = score(0).sensitivity.at(0)[0]

    assert np.abs(score(0).values - score(1).values).max() <= bound
    assert audit.privacy_loss(dps.mechanism("permute-and-flip"), score, two, epsilon=1).holds


@pytest.mark.parametrize("mechanism", ["exponential", "permute-and-flip", "noisy-max-laplace"])
@pytest.mark.parametrize("step", [213, pytest.param(71, marks=pytest.mark.slow)])
def test_rounding_a_large_sum_costs_nothing(mechanism: str, step: int) -> None:
    """However large the parts are: what a float cannot tell apart is not told apart."""
    for size, weight in itertools.product([2**28, 2**40, 2**50, 2**53 - 1000, 2**60], [Fraction(1, 3), 0.1, 0.7]):
        made = dps.mechanism(mechanism)
        for apart in range(0, 500, step):
            here, there = (
                made.log_pmf(aggregate([dps.Scores(np.array([size + apart + x, size - x]), 1)], [weight]), 1)
                for x in (0, 1)
            )
            assert np.abs(here - there).max() <= 1 + 1e-12


def test_a_pareto_score_of_aggregates_is_admissible() -> None:
    """0.3 of 1817 - 1816 and 0.3 of 1813 - 1814 + 2 are the same, or not, exactly."""
    given = [([1817, 1298], [1813, 1298]), ([1816, 1299], [1814, 1297])]

    def score(x: int) -> dps.Scores:
        return pareto([aggregate([dps.Scores(part, 1) for part in given[x]], [0.3, -0.3])])

    assert audit.admissible(score, two).admissible


@given(st.lists(st.tuples(st.integers(-(2**53), 2**53), st.floats(-1e9, 1e9)), min_size=1, max_size=8))
@settings(deadline=None)
def test_sums_are_the_nearest_floats(rows: list[tuple[int, float]]) -> None:
    """Against fractions, with weights that are no floats."""
    weights = [Fraction(1, 3), Fraction(-1, 3), 0.1]
    listed, real = zip(*rows, strict=True)
    parts = [
        dps.Scores(listed, 1, kind="integer"),
        dps.Scores([float(each) for each in listed], 1),
        dps.Scores(real, 1),
    ]
    found = aggregate(parts, weights).values
    for place, value in enumerate(found.tolist()):
        exact = sum(Fraction(w) * Fraction(part.values[place].item()) for w, part in zip(weights, parts, strict=True))

        assert abs(Fraction(value) - exact) <= Fraction(np.spacing(abs(value)))


def test_the_far_ends_of_the_clip_stay_apart() -> None:
    """A candidate at one end, free to move, is no certain dominator from any distance on."""
    values = [[0, 2**61], [0, 2**61], [-(2**61), 2**61]]
    moves = [[[0, 0], [2**61, 0]], [[2**61, 0]] * 2, [[2**61, 0]] * 2]
    line = audit.metric_space([[0, 1, 2], [1, 0, 1], [2, 1, 0]])

    def score(x: int) -> dps.Scores:
        at = dps.sensitivity.element(lambda t: moves[x][min(t, 1)], ceiling=2**61)
        return pareto([dps.Scores(values[x], at, kind="integer")])

    assert audit.admissible(score, line).admissible
    assert [1.0] * 2 == score(2).sensitivity.at([2, 3])[:, 0].tolist()


def test_nothing_overflows_or_vanishes() -> None:
    """The largest floats are clipped, the smallest weights keep a sensitivity above zero."""
    large, small = (
        dps.Scores([1e308, 0.0], 1e300),
        dps.Scores([0.4, 0.5], dps.sensitivity.local(lambda t: 1e-200, ceiling=1)),
    )

    assert [np.finfo(float).max, 0.0] == aggregate([large, large]).values.tolist()
    assert 0 < aggregate([small], [1e-200]).sensitivity.at(0)[0]


def test_candidates_are_compared_as_they_are() -> None:
    """Lists of tuples are candidates; 1 and "1" are two."""
    ragged = [dps.Scores([1, 2], 1, candidates=[(1, 2), (3,)])] * 2

    assert [2, 4] == aggregate(ragged).values.tolist()
    with pytest.raises(ValueError, match=r"objectives\[1\] scores other candidates"):
        aggregate([dps.Scores([1, 2], 1, candidates=[1, "a"]), dps.Scores([1, 2], 1, candidates=["1", "a"])])


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda s: aggregate([s, s], {1: 2, 3: 4}), TypeError, "in the order of the objectives"),
        (lambda s: aggregate([s], [10**400]), ValueError, "too large for floats"),
        (lambda s: aggregate([dps.Scores([0.5, 2], 1e200)], [1e200]), ValueError, "too large for these"),
        (lambda s: pareto([]), ValueError, "is empty"),
        (lambda s: pareto(()), ValueError, "is empty"),
        (lambda s: pareto(s), TypeError, r"^Pass the objectives as one list of Scores: pareto\(\[a, b\]\)\.$"),
        (lambda s: pareto(s, s), TypeError, r"one list of Scores: pareto"),
        (lambda s: pareto(objectives=s), TypeError, r"one list of Scores: pareto"),
        (lambda s: aggregate(s, s), TypeError, r"one list of Scores: aggregate"),
        (lambda s: pareto({"a": s, "b": s}), TypeError, "one list of Scores"),
        (lambda s: aggregate({s}, [2]), TypeError, "one list of Scores"),
        (lambda s: pareto(7), TypeError, "one list of Scores"),
        (lambda s: pareto([s, [1, 2]]), TypeError, "must be Scores"),
        (lambda s: pareto([s, dps.Scores([1], 1)]), ValueError, "than objectives.0., 1 of them and not 2: pass"),
        (
            lambda s: pareto([s, dps.Scores([1, 2], 1, candidates=["a", "b"])]),
            ValueError,
            "'a' in the place of 0: pass",
        ),
        (
            lambda s: pareto([dps.Scores({"x": 1, "y": 2}, 1), dps.Scores({"y": 2, "x": 1}, 1)]),
            ValueError,
            "the same ones in another order: pass",
        ),
        (lambda s: aggregate([s, dps.Scores([1, 2], 1, neighbours="edge")]), ValueError, "different neighbours"),
        (lambda s: pareto([dps.Scores([1], 1)]), ValueError, "of at least two"),
        (lambda s: aggregate([s], [1, 2]), ValueError, "one finite number per objective"),
        (lambda s: aggregate([s, s], [1, 2, 3]), ValueError, "3 were passed: pass 2 of them"),
        (lambda s: aggregate([s, s], [1, np.nan]), ValueError, r"weights\[1\] is nan, of type float"),
        (lambda s: aggregate([s], ["1"]), ValueError, r"weights\[0\] is '1', of type str"),
        (lambda s: aggregate([s], [None]), ValueError, r"weights\[0\] is None, of type NoneType"),
        (lambda s: aggregate([s], "1"), ValueError, "'1' is not a list: pass a list of 1"),
        (lambda s: aggregate([s, s], [0, 0]), ValueError, "all zero"),
        (lambda s: aggregate([s], max_changed="some"), ValueError, "touched is"),
        (lambda s: pareto([s], sensitivity="none"), ValueError, "sensitivity is"),
        (lambda s: aggregate([s], [np.inf]), ValueError, "one finite number per objective"),
        (lambda s: aggregate([s], [True]), ValueError, r"weights\[0\] is True, of type bool"),
        (lambda s: aggregate([s], [np.True_]), ValueError, r"weights\[0\] is "),
        (lambda s: aggregate([s], 3), ValueError, "3 is not a list: pass a list of 1"),
        (lambda s: aggregate([s, s], [2**61, 2**61]), ValueError, "too large to add up"),
        (lambda s: aggregate([s, s], [10**30, 1]), ValueError, "divide all of them"),
        (lambda s: aggregate([s], range_bound=1), dps.PrivacyError, "Range bound 1 needs"),
        (lambda s: aggregate([s], range_bound=3), ValueError, "range_bound is 1"),
        (lambda s: pareto([s], reach=-1), ValueError, "reach counts steps"),
        (lambda s: pareto([s], reach=True), ValueError, "reach counts steps"),
        (lambda s: pareto([s, s], reach=2**20 + 1), ValueError, "reach is at most 1,048,576"),
        (lambda s: pareto([s], reach=True, sensitivity="global"), ValueError, "reach counts steps"),
        (lambda s: aggregate([unbounded()], sensitivity="global"), dps.PrivacyError, "no public ceiling"),
        (lambda s: aggregate([replaced(), replaced()], max_changed="one"), dps.PrivacyError, "touches two records"),
    ],
)
def test_bad_objectives_are_refused(act, error, message: str) -> None:
    """One sentence."""
    with pytest.raises(error, match=message):
        act(whole([1, 2]))


def test_the_spread_of_scores_has_room_for_floats() -> None:
    """0.7 + 0.1 is less than 0.8 in floats, and one more record moves a score from 0.7 to 0.8."""
    assert audit.admissible(tenths, row_of(2)).admissible
