"""Margins: what they count, by how much they move, and what they name."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.audit.margins import row_of
from dpselect.scores.envelopes import FARTHEST, Envelopes

_TICK = 2.0**-20


def by_definition(low: np.ndarray, high: np.ndarray, k: int) -> list[Fraction]:
    """The text of the module: the last place where a lead, straight between integers, is at least 0.

    Args:
        low, high: the curves, exact in floats, shape (steps + 1, candidates).
    """
    far, size = len(low) - 1, low.shape[1]
    curves = np.concatenate([high[::-1], low[1:]])
    margins = []
    for r in range(size):
        others = np.sort(np.delete(curves[::-1], r, axis=1), axis=1)[:, -k]
        leads = curves[:, r] - others
        last = int(np.flatnonzero(leads >= 0).max(initial=-1))
        if last in (-1, 2 * far):
            margins.append(Fraction(-far if last < 0 else far))
        else:
            here, there = Fraction(leads[last]), Fraction(leads[last + 1])
            margins.append(last - far + here / (here - there))
    return margins


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 8), st.booleans(), st.booleans())
def test_margins_are_the_definition_rounded_down(seed: int, size: int, capped: bool, whole: bool) -> None:
    """Random tables in quarters, so that quanta lose nothing: ties, zeros, integers, and a most."""
    draw = np.random.default_rng(seed)
    k, far = int(draw.integers(1, size)), 60
    table = np.cumsum(draw.integers(0, 3, (12, size)), axis=0) / 4 + draw.integers(0, 2, size)
    values = draw.integers(-9, 10, size) if whole else draw.integers(-9, 10, size) / 4
    slope = draw.integers(0, 3, size)

    def highest(t, at):
        return values[at] + slope[at] * t + t * (t - 1) // 2

    ceiling = float(table.max() + 1)
    steps = dps.sensitivity.element(lambda t: table[min(t, 11)], ceiling=ceiling, reach=[None, 15][seed % 2])
    scores = dps.Scores(values, steps, upper_envelope=highest if capped else None)
    sums = np.vstack([np.zeros(size), np.cumsum(scores.sensitivity.at(np.arange(far)), axis=0)])
    high = values + sums
    if capped:
        high = np.minimum(high, highest(np.arange(far + 1)[:, None], np.arange(size)))

    for margin, exact in zip(
        dps.utilities.margin(scores, k).values, by_definition(values - sums, high, k), strict=True
    ):
        if abs(exact) < far:
            assert -_TICK / 8 < exact - Fraction(margin) < _TICK * 9 / 8
        else:
            assert abs(margin) >= far - 1


def on_all_graphs(nodes: int, utility) -> np.ndarray:
    """Scores on all graphs, shape (graphs, nodes); bit i of a graph's number is its i-th pair of nodes.

    The utility is asked of one graph of each shape: its scores follow the names of the nodes.
    """
    ends = np.array(list(itertools.combinations(range(nodes), 2)))
    bit = np.zeros((nodes, nodes), dtype=int)
    bit[ends[:, 0], ends[:, 1]] = bit[ends[:, 1], ends[:, 0]] = np.arange(len(ends))
    names = np.array(list(itertools.permutations(range(nodes))))
    values = np.full((2 ** len(ends), nodes), np.nan)
    for x in range(len(values)):
        if np.isnan(values[x, 0]):
            edges = ends[(x >> np.arange(len(ends)) & 1) == 1]
            graph = dps.Graph.from_edges(edges[:, 0], edges[:, 1], nodes=nodes)
            alike = (1 << bit[names[:, edges[:, 0]], names[:, edges[:, 1]]]).sum(axis=1)
            values[alike[:, None], names] = utility(graph).values
    return values


def largest_move(nodes: int, utility) -> float:
    """By how much one edge moves a score at most; margins are multiples of 2^-20, so their differences are exact."""
    values = on_all_graphs(nodes, utility)
    edges = np.arange(nodes * (nodes - 1) // 2)
    return float(np.abs(values[np.arange(len(values))[:, None] ^ (1 << edges)] - values[:, None]).max())


def open_pairs(graph: dps.Graph, k: int, capped: bool) -> dps.Scores:
    """Margins of open pairs, with or without the most that a node can have."""
    plain = dps.utilities.open_pairs(graph, max_degree=len(graph) - 1)
    return dps.utilities.margin(with_most(graph, plain, plain.values) if capped else plain, k)


def betweenness(graph: dps.Graph, k: int, capped: bool) -> dps.Scores:
    """Margins of ego betweenness, with or without the most that a node can have."""
    scores = dps.utilities.ego_betweenness(graph, max_degree=len(graph) - 1)
    if not capped:
        scores = dps.Scores(scores.values, scores.sensitivity, neighbours="edge")
    return dps.utilities.margin(scores, k)


def decaying(graph: dps.Graph, k: int, capped: bool) -> dps.Scores:
    """Margins of linear decay, which knows the most that a node can have."""
    assert capped
    return dps.utilities.margin(dps.utilities.linear_decay(graph, len(graph) - 1, decay=3), k)


def with_most(graph: dps.Graph, scores: dps.Scores, pairs: np.ndarray, fewer: int = 0) -> dps.Scores:
    """The scores, with the most that t edges can make of so many open pairs."""
    degrees = graph.degrees - fewer

    def highest(t, at):
        return pairs[at] + degrees[at] * t + t * (t - 1) // 2

    return dps.Scores(scores.values, scores.sensitivity, neighbours="edge", upper_envelope=highest)


@pytest.mark.parametrize(
    ("utility", "k", "capped"),
    [
        (betweenness, 1, False),
        (betweenness, 2, True),
        (open_pairs, 1, True),
        (open_pairs, 2, False),
        (decaying, 1, True),
    ],
)
def test_one_edge_moves_a_margin_by_at_most_one_on_all_graphs_of_five_nodes(utility, k: int, capped: bool) -> None:
    """And by 1 somewhere."""
    assert 1 == largest_move(5, lambda graph: utility(graph, k, capped))


@pytest.mark.slow
@pytest.mark.parametrize(("k", "capped"), [(1, True), (1, False), (2, True), (2, False), (3, True)])
@pytest.mark.parametrize("utility", [betweenness, open_pairs])
def test_one_edge_moves_a_margin_by_at_most_one_on_all_graphs_of_six_nodes(utility, k: int, capped: bool) -> None:
    """32,768 graphs."""
    assert 1 == largest_move(6, lambda graph: utility(graph, k, capped))


@pytest.mark.slow
@pytest.mark.parametrize("utility", [betweenness, open_pairs])
def test_margins_follow_the_names_of_the_nodes(utility) -> None:
    """Every graph of five nodes by itself gives what one of its shape gives."""
    universe = dps.audit.graphs(5)
    verdict = dps.audit.admissible(lambda graph: utility(graph, 2, True), universe)

    assert verdict.admissible, verdict.counterexample


def test_a_most_that_is_too_little_is_caught() -> None:
    """A new neighbour opens as many pairs as there are neighbours, not one fewer."""

    def wrong(graph: dps.Graph) -> dps.Scores:
        plain = dps.utilities.ego_betweenness(graph, max_degree=4)
        pairs = dps.utilities.open_pairs(graph, max_degree=4).values
        return dps.utilities.margin(with_most(graph, plain, pairs, fewer=1), 1)

    assert largest_move(5, wrong) > 1


@pytest.mark.parametrize("seed", range(6))
def test_one_edge_moves_a_margin_by_at_most_one_on_random_graphs(seed: int) -> None:
    """Hubs and strangers, of 12 to 40 nodes."""
    draw = np.random.default_rng(seed)
    nodes, k = int(draw.integers(12, 40)), int(draw.integers(1, 6))
    linked = draw.random((nodes, nodes)) < draw.uniform(0, 0.5)
    linked[: seed % 3, draw.random(nodes) < 0.8] = True

    def margins() -> np.ndarray:
        graph = dps.Graph.from_edges(*np.nonzero(np.triu(linked | linked.T, 1)), nodes=nodes)
        return betweenness(graph, k, bool(seed % 2)).values

    before = margins()
    for a, b in draw.choice(nodes, (12, 2)):
        earlier = linked[a, b], linked[b, a]
        linked[a, b] = linked[b, a] = not any(earlier)
        assert np.abs(margins() - before).max() <= 1
        linked[a, b], linked[b, a] = earlier


@pytest.mark.parametrize("ceiling", [1e308, 2.0**53, 1e-300, 5e-324, 0.1])
@pytest.mark.parametrize("size", [1e308, 2.0**53, 3.0, 1e-310])
def test_hostile_numbers_move_by_at_most_one(ceiling: float, size: float) -> None:
    """Two databases whose scores are at most their sensitivity apart, whatever their size."""
    draw = np.random.default_rng(7)
    for _ in range(6):
        values = draw.choice([0.0, size, -size, size / 3, 5e-324], 6)
        step = np.minimum(draw.choice([5e-324, 1e-300, 1.0, ceiling / 7, ceiling], 6), ceiling)
        with np.errstate(over="ignore"):
            after = values + draw.choice([-1, 0, 1], 6) * step
        moves = [abs(Fraction(b) - Fraction(a)) if np.isfinite(b) else None for a, b in zip(values, after, strict=True)]
        # Where floats rounded a score further than its step it stays, as A1 asks.
        may = np.array([move is not None and move <= Fraction(most) for move, most in zip(moves, step, strict=True)])
        row = np.minimum(step, ceiling)[None]
        steps = dps.sensitivity.profiles(
            lambda t, row=row: row.repeat(t.size, 0), profile=np.arange(6), ceiling=ceiling, reach=9
        )
        first, second = (
            dps.utilities.margin(dps.Scores(each, steps), 2).values for each in (values, np.where(may, after, values))
        )

        assert np.isfinite(first).all()
        assert np.abs(first - second).max() <= 1


def test_numbers_that_were_rounded_keep_within_their_steps() -> None:
    """0.3 is as near to 0.1 + 0.2 as 0.2 lets it be, in quanta too; and a delta may be rounded below a neighbour's."""
    draw = np.random.default_rng(5)
    values, steps = draw.normal(size=500) * 40, draw.uniform(0, 1, 500)
    everyone, sign = np.arange(500), draw.choice([-1, 1], 500)

    def curves(values: np.ndarray, first: np.ndarray) -> Envelopes:
        delta = dps.sensitivity.element(lambda t: first + [0.0, 0.1, 0.3][min(t, 2)], ceiling=1.5, reach=9)
        made = Envelopes(dps.Scores(values, delta), 0.0)
        next(iter(made.stretches()))
        return made

    here = curves(values, steps)
    # A neighbour's steps at a distance are what ours are at the next, and rounded.
    there = curves(values + sign * steps, steps + 0.1 * (1 + 2.0**-40))

    for t in (0, 1):
        assert (here.low(t + 1, everyone) <= there.low(t, everyone)).all()
        assert (here.high(t + 1, everyone) >= there.high(t, everyone)).all()


@pytest.mark.parametrize("ceiling", [1.0, 2.0**61, 1e-300])
def test_hostile_integers_move_by_at_most_one(ceiling: float) -> None:
    """At the ends of 64 bits, and beside bounds that are far larger or smaller than they are."""
    values = np.array([2**61 - 1, 2**61 - 2, -(2**61), 0, 2**53 + 1])
    moved = values + (np.array([1, -1, 1, 1, 0]) if ceiling >= 1 else 0)
    steps = dps.sensitivity.element(lambda t: np.full(5, min(t + 1.0, ceiling)), ceiling=ceiling, reach=9)
    first, second = (dps.utilities.margin(dps.Scores(each, steps), 2).values for each in (values, moved))

    assert np.abs(first - second).max() <= 1
    assert np.abs(first).max() <= FARTHEST


@pytest.mark.parametrize("most", [np.iinfo(np.int64).max, 2**63, np.inf, 2**70])
def test_a_most_that_says_nothing_changes_nothing(most) -> None:
    """Integers at the end of 64 bits, unsigned or of Python, and no number at all; scores far below zero."""
    steps = dps.sensitivity.element(lambda t: [1.0 + t] * 3, ceiling=9.0)
    values = np.array([-5, -9, -7])

    def highest(t, at):
        return np.full(np.broadcast(t, at).shape, most)

    plain, capped = (
        dps.utilities.margin(dps.Scores(values, steps, upper_envelope=each), 1).values for each in (None, highest)
    )
    assert plain.tolist() == capped.tolist()


def test_a_most_that_is_no_number_is_refused() -> None:
    """As a sensitivity is."""
    steps = dps.sensitivity.element(lambda t: [1.0 + t] * 2, ceiling=9.0)
    for kind in ("integer", "real"):
        scores = dps.Scores([1, 2], steps, kind=kind, upper_envelope=lambda t, at: np.where(t + at > 2, np.nan, 99.0))
        with pytest.raises(ValueError, match="is a number at every distance"):
            dps.utilities.margin(scores, 1)


@pytest.mark.parametrize("power", [10, 20, 30])
def test_large_sums_that_were_rounded_move_by_at_most_one(power: int) -> None:
    """Two parts move by 2^-40 each, and their sum in floats by far more, where it is rounded up instead of down."""
    tiny = dps.sensitivity.element(lambda _: [2.0**-40] * 2, ceiling=1.0)
    large = dps.Scores(np.array([2.0**power] * 2), tiny)
    half = 2.0 ** (power - 53)

    def margins(low: float) -> np.ndarray:
        return dps.utilities.margin(
            dps.multiobjective.aggregate([large, dps.Scores(np.array([low, 0.0]), tiny)]), 1
        ).values

    before, after = margins(half + half * 2.0**-11), margins(half + half * 2.0**-11 + 2.0**-40)
    assert np.abs(before - after).max() <= 1


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_scores_that_are_right_to_a_share_of_their_size_keep_within_their_steps(seed: int) -> None:
    """Curves of a neighbour, a step nearer, lie within ours, whatever 2^-44 of the scores did to them."""
    draw = np.random.default_rng(seed)
    size = 2.0 ** draw.integers(-20, 32, 50)
    values, everyone = draw.normal(size=50) * size, np.arange(50)
    steps = np.where(draw.random(50) < 0.2, 0.0, 2.0 ** draw.integers(-50, 0, 50))
    after = np.where(steps > 0, values + (steps + np.abs(values) * 2.0**-44) * draw.choice([-1, 1], 50), values)
    flat = dps.sensitivity.element(lambda _: steps, ceiling=1.0, reach=9)
    here, there = (Envelopes(dps.Scores(each, flat), 0.0) for each in (values, after))
    assert next(iter(here.stretches())) == next(iter(there.stretches())) == (0, 4)

    for t in (0, 1, 3):
        assert (here.low(t + 1, everyone) <= there.low(t, everyone)).all()
        assert (here.high(t + 1, everyone) >= there.high(t, everyone)).all()


def test_a_large_epsilon_names_the_k_best() -> None:
    """Where dampening does not: it divides the best by its own sensitivity."""
    spread = dps.sensitivity.element(lambda t: [900.0 + t, 5.0 + t, 1.0 + t, 1.0 + t], ceiling=1000.0, reach=2000)
    scores = dps.Scores([900.0, 500.0, 300.0, 10.0], spread, candidates=list("abcd"))
    flip, dampening = dps.mechanism("permute-and-flip"), dps.mechanism("local-dampening-flip")

    assert "a" == dps.select(dps.utilities.margin(scores, 1), epsilon=1000, mechanism=flip).value
    assert {"a", "b"} == {*dps.top_k(dps.utilities.margin(scores, 2), 2, epsilon=2000, mechanism=flip).value}
    assert "a" != scores.candidates[int(np.argmax(dampening.pmf(scores, 1000)))]


@pytest.mark.parametrize("k", [1, 3])
def test_the_k_best_alone_are_above_zero(k: int) -> None:
    """Also where every score is far from zero."""
    draw = np.random.default_rng(k)
    values = 2.0**40 + draw.permutation(20)
    spread = dps.sensitivity.element(lambda t: 1 + np.arange(20) * 0.5 + t, ceiling=100.0)
    margins = dps.utilities.margin(dps.Scores(values, spread), k).values

    assert {*np.argsort(-values)[:k].tolist()} == {*np.flatnonzero(margins > 0).tolist()}
    assert (margins != 0).all()


def test_ties_at_the_end_of_the_list_are_at_zero() -> None:
    """Three share the second place of two: nobody is safe there, and none is out."""
    spread = dps.sensitivity.element(lambda t: np.full(5, 1.0 + t), ceiling=9.0)
    margins = dps.utilities.margin(dps.Scores([5.0, 3.0, 3.0, 3.0, 1.0], spread), 2).values

    assert [1, 0, 0, 0, -1] == np.sign(margins).tolist()


def test_safe_ties_count_their_zeros() -> None:
    """Two scores that nothing moves for three steps stay tied for as long."""
    spread = dps.sensitivity.element(lambda t: [max(t - 2.0, 0.0)] * 2 + [1.0], ceiling=5.0)

    assert [3, 3] == dps.utilities.margin(dps.Scores([4.0, 4.0, -90.0], spread), 1).values[:2].tolist()


def test_many_candidates_are_searched_as_few_are() -> None:
    """Beyond what is compared in one array; and public bounds of each candidate need no table."""
    draw = np.random.default_rng(3)
    values, bounds = draw.normal(size=1600) * 100, draw.uniform(0.5, 2, 1600)
    table = dps.sensitivity.element(lambda _: bounds, ceiling=float(bounds.max()))
    margins = dps.utilities.margin(dps.Scores(values, table), 200).values

    lines = dps.utilities.margin(dps.Scores(values, dps.sensitivity.constant(bounds)), 200).values

    assert np.abs(margins - lines).max() < 1e-5
    assert {*np.argsort(-values)[:200].tolist()} == {*np.flatnonzero(margins >= 0).tolist()}


def test_one_constant_comes_back_as_it_is() -> None:
    """Half of what tells scores apart would be lost, and the order is right already."""
    scores = dps.Scores([9, 4, 1], 3, candidates=list("xyz"), kind="integer", range_bound=1)
    same = dps.utilities.margin(scores, 1)

    assert scores.values.tolist() == same.values.tolist()
    assert "i" == same.values.dtype.kind
    assert (1, 3.0, list("xyz"), 1) == (same.range_bound, same.sensitivity.ceiling, same.candidates, same.k)


def test_margins_are_scores_like_any_others() -> None:
    """Candidates, neighbours and origins stay; the sensitivity is one constant, so gaps and accuracy are known."""
    spread = dps.sensitivity.element(lambda t: [2.0 + t, 1.0 + t, 1.0 + t], ceiling=4.0)
    scores = dps.Scores([9.0, 5.0, 3.0], spread, list("abc"), "edge", metadata={"graph": "g"}, zero="worst")
    margins = dps.utilities.margin(scores, 1)
    release = dps.select(margins, epsilon=50, mechanism=dps.mechanism("permute-and-flip"), gaps=True)

    assert (list("abc"), "edge", {"graph": "g"}) == (margins.candidates, margins.neighbours.value, margins.metadata)
    assert (1.0, True) == (margins.sensitivity.ceiling, margins.sensitivity.fixed)
    assert (2, "neutral") == (margins.range_bound, margins.zero)
    assert 1 == len(release.gaps)
    assert 0 < release.error_bound.at(0.95) < 1


def test_margins_for_another_k_are_refused() -> None:
    """Before anything is spent; which k they are for is public."""
    scores = dps.Scores(range(9), dps.sensitivity.element(lambda t: np.full(9, 1.0 + t), ceiling=9.0))
    margins, flip = dps.utilities.margin(scores, 3), dps.mechanism("permute-and-flip")
    fixed = dps.utilities.margin(dps.Scores(range(9), 1), 3)

    for made, method in ((margins, None), (margins, "peeling"), (fixed, "one-shot")):
        with pytest.raises(ValueError, match="margins for k = 3, and 2 are asked for"):
            dps.top_k(made, 2, epsilon=1, mechanism=flip, method=method)
    with pytest.raises(ValueError, match="margins for k = 3"):
        dps.select(margins, epsilon=1, mechanism=flip)
    with pytest.raises(ValueError, match="margins for k = 3"):
        dps.top_k(fixed, 2, epsilon=1, mechanism=dps.mechanism("exponential"), method="joint")
    with pytest.raises(ValueError, match="margins already"):
        dps.utilities.margin(margins, 3)
    assert 3 == len(dps.top_k(margins, 3, epsilon=1, mechanism=flip).value)


@pytest.mark.parametrize(
    ("scores", "k", "error", "message"),
    [
        ([1, 2], 1, TypeError, "scores must be Scores"),
        (dps.Scores([1, 2], 1), 2, ValueError, "there are 2, so ask for fewer"),
        (dps.Scores([1, 2], 1), 0, ValueError, "k"),
        (dps.Scores([1, 2], 1), True, ValueError, "k"),
        (dps.Scores([1, 2], dps.sensitivity.local(lambda t: 1 + t)), 1, dps.PrivacyError, "no ceiling"),
        (dps.Scores([1, 2], dps.sensitivity.smooth_bound(lambda _: 1, ceiling=1)), 1, dps.PrivacyError, "smooth"),
    ],
)
def test_what_has_no_margins_is_refused(scores, k, error, message: str) -> None:
    """In one sentence."""
    with pytest.raises(error, match=message):
        dps.utilities.margin(scores, k)


@pytest.mark.parametrize("name", ["permute-and-flip", "exponential"])
def test_whole_laws_lose_at_most_epsilon(name: str) -> None:
    """All graphs of four nodes, and two scores that change places along a row, where all of the span is used."""
    mechanism = dps.mechanism(name)

    def places(x: int) -> dps.Scores:
        steps = dps.sensitivity.element(lambda _: [1.0, 1.0, 1.0], ceiling=2.0)
        return dps.utilities.margin(dps.Scores([x - 2.5, 2.5 - x, -9.0], steps), 1)

    graphs = dps.audit.privacy_loss(
        mechanism, lambda graph: betweenness(graph, 1, True), dps.audit.graphs(4), epsilon=1
    )
    row = dps.audit.privacy_loss(mechanism, places, row_of(6), epsilon=1)

    assert graphs.holds
    assert row.holds
    assert graphs.worst > 0.3
    assert row.worst > 0.5
    assert 0.99 < row.stretch <= 1


# The loss is a claim of the library, too, for every k: tests/contracts/test_every_claim.py.
@pytest.mark.parametrize(
    ("k", "least"), [(3, 0.97), *(pytest.param(*more, marks=pytest.mark.slow) for more in ((1, 0.47), (2, 0.56)))]
)
def test_margins_of_scores_that_move_one_way_move_both_ways(k: int, least: float) -> None:
    """One more edge lowers no number of triangles, and yet it lowers margins: all graphs of five nodes."""
    pairs = [*itertools.combinations(range(5), 2)]
    margins = []
    for mask in range(2 ** len(pairs)):
        edges = [pair for place, pair in enumerate(pairs) if mask >> place & 1]
        graph = dps.Graph.from_edges([a for a, _ in edges], [b for _, b in edges], nodes=5)
        triangles = dps.utilities.triangles(graph, max_degree=4)
        assert triangles.range_bound == 1
        margins.append(dps.utilities.margin(triangles, k))
    flip = dps.mechanism("permute-and-flip")

    for epsilon in (0.5, 8):
        laws = np.array([flip.log_pmf(each, epsilon) for each in margins])
        worst = max(
            float(np.abs(laws - laws[np.arange(len(laws)) ^ (1 << place)]).max()) / epsilon
            for place in range(len(pairs))
        )
        assert worst <= 1 + 1e-9
    assert worst > least
