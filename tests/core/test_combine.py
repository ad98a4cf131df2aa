"""Several objectives as one score."""

import numpy as np
import pytest
from enumeration import admissible, tabulate
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect import aggregate, audit, pareto
from dpselect.audit.admissibility import exact_sensitivity


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
            assert audit.privacy_loss(dps.mechanism(mechanism), combined, universe, 1).holds


def test_dominators_are_counted_with_ties() -> None:
    """Equal candidates count each other, nobody counts itself."""
    a, b = dps.Scores([2, 2, 1, 0], 1), dps.Scores([5, 5, 6, 0], 1)

    assert [-1, -1, 0, -3] == pareto([a, b]).values.tolist()
    assert [-2, -2, 0, 0] == pareto([-a, b]).values.tolist()
    assert np.int64 == pareto([a, b]).values.dtype


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
    assert 3 == aggregate([a, b], [3, 2], touched="one").sensitivity.ceiling
    assert [3.0, 2.0] == aggregate([a, b], [3, 2]).values.tolist()
    assert aggregate([a, b], sensitivity="global").sensitivity.fixed


def test_nodes_that_are_central_and_dense() -> None:
    """Two metrics of a graph; top-k excludes winners."""
    graph = dps.Graph.named("lesmis")
    both = pareto([dps.utilities.degree(graph), dps.utilities.ego_density(graph)])
    release = dps.top_k(both, 3, 5, mechanism=dps.mechanism("local-dampening-flip"))

    assert 3 == len(set(release.candidates))


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda s: pareto([]), ValueError, "no objective"),
        (lambda s: pareto(s), ValueError, "no objective"),
        (lambda s: pareto([s, [1, 2]]), TypeError, "must be Scores"),
        (lambda s: pareto([s, dps.Scores([1], 1)]), ValueError, "different candidates"),
        (lambda s: pareto([s, dps.Scores([1, 2], 1, candidates=["a", "b"])]), ValueError, "different candidates"),
        (lambda s: aggregate([s, dps.Scores([1, 2], 1, neighbours="edge")]), ValueError, "different neighbours"),
        (lambda s: pareto([dps.Scores([1], 1)]), ValueError, "at least two candidates"),
        (lambda s: aggregate([s], [1, 2]), ValueError, "one finite number an objective"),
        (lambda s: aggregate([s], [np.nan]), ValueError, "one finite number an objective"),
        (lambda s: aggregate([s], ["1"]), ValueError, "one finite number an objective"),
        (lambda s: aggregate([s, s], [0, 0]), ValueError, "all zero"),
        (lambda s: aggregate([s], touched="some"), ValueError, "touched is"),
        (lambda s: pareto([s], sensitivity="none"), ValueError, "sensitivity is"),
    ],
)
def test_bad_objectives_are_refused(act, error, message: str) -> None:
    """One sentence."""
    with pytest.raises(error, match=message):
        act(dps.Scores([1, 2], 1))
