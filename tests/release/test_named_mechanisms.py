"""A mechanism may be named by text everywhere, and a public rule names one where nobody does."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dpselect as dps
from dpselect.mechanisms import default_mechanism
from dpselect.queries.metrics import METRICS

VOTES = dps.Scores([60, 40, 5], 1, candidates=["ann", "bob", "eve"], range_bound=1, kind="integer")


def drawn_by_default(scores: dps.Scores) -> str:
    """Return what draws these scores where no mechanism is named."""
    return dps.select(scores, epsilon=1).mechanism.partition(",")[0]


@pytest.mark.parametrize(
    ("sensitivity", "expected"),
    [
        (1, "permute-and-flip"),
        (np.array([1.0, 2.0, 3.0]), "permute-and-flip"),
        (dps.sensitivity.local(lambda t: 1 + t, ceiling=9), "local-dampening-flip"),
        (dps.sensitivity.element(lambda t: [1, 2, 3], ceiling=9), "local-dampening-flip"),
        (dps.sensitivity.smooth_bound(lambda beta: 0.5, ceiling=1), "smooth-noisy-max"),
    ],
    ids=["constant", "constants", "local", "element", "smooth bound"],
)
def test_the_kind_of_sensitivity_decides_where_no_mechanism_is_named(sensitivity: Any, expected: str) -> None:
    """Constants are drawn by permute-and-flip, growing sensitivities dampened, smooth bounds with their noise."""
    known = sensitivity if isinstance(sensitivity, dps.Sensitivity) else dps.sensitivity.constant(sensitivity)

    assert expected == drawn_by_default(dps.Scores([6, 4, 5], known, kind="integer"))


def test_the_rule_never_looks_at_the_scores() -> None:
    """Two databases that declare the same are drawn alike."""
    known = dps.sensitivity.local(lambda t: 1 + t, ceiling=9)

    assert 1 == len({drawn_by_default(dps.Scores(values, known)) for values in ([0, 0, 0], [9, 1, -4])})


@pytest.mark.parametrize(
    "metric", ["degree", "ego-betweenness", "ego-density", "open-pairs", "triangles", "linear-decay"]
)
def test_a_metric_is_drawn_in_python_as_on_the_command_line(metric: str) -> None:
    """One rule for both."""
    graph = dps.Graph.from_name("lesmis")
    utility = getattr(dps.utilities, metric.replace("-", "_"))
    scores = utility(graph) if metric in ("degree", "ego-density") else utility(graph, max_degree=76)

    assert METRICS[metric].mechanism == default_mechanism(scores).name == default_mechanism(-scores).name


def test_a_list_has_the_same_rule_and_a_joint_one_is_exponential() -> None:
    """The obvious call works for lists too."""
    assert dps.top_k(VOTES, 2, epsilon=1).mechanism.startswith("permute-and-flip")
    assert dps.top_k(VOTES, 2, epsilon=1, method="joint").mechanism.startswith("exponential")


@pytest.mark.parametrize(
    "call",
    [
        lambda named: dps.accuracy.expected_error(VOTES, epsilon=1, mechanism=named),
        lambda named: dps.accuracy.error_tail(VOTES, epsilon=1, theta=3, mechanism=named),
        lambda named: dps.accuracy.error_tail_bound(VOTES, epsilon=1, theta=3, mechanism=named),
        lambda named: dps.accuracy.expected_error_bound(VOTES, epsilon=1, mechanism=named),
        lambda named: dps.accuracy.compare.row(VOTES, named, [1]),
        lambda named: dps.error_bound(epsilon=1, candidates=9, mechanism=named).at(0.9),
        lambda named: dps.epsilon_for(error=3, candidates=9, mechanism=named),
        lambda named: (
            dps.audit.privacy_loss(named, lambda rows: dps.Scores([sum(rows), 0], 1), coins(), epsilon=1).worst
        ),
        lambda named: dps.select(VOTES, epsilon=1, mechanism=named).mechanism,
        lambda named: dps.top_k(VOTES, 2, epsilon=1, mechanism=named).mechanism,
    ],
)
def test_a_name_is_as_good_as_the_mechanism(call: Callable[[Any], Any]) -> None:
    """Text and mechanism give the same."""
    assert call("exponential") == call(dps.mechanism("exponential"))


@pytest.mark.parametrize("name", ["permute-and-flop", ""])
def test_a_name_that_is_none_is_refused_before_anything_is_spent(name: str) -> None:
    """The nearest names are offered."""
    with dps.budget(epsilon=1) as book, pytest.raises(ValueError, match="did you mean .*permute-and-flip"):
        dps.select(VOTES, epsilon=1, mechanism=name)

    assert () == book.events


def test_what_suits_scores_is_checked_before_anything_is_spent() -> None:
    """A slip in ``suits`` is found like any other name."""
    with dps.budget(epsilon=1) as book, pytest.raises(ValueError, match="did you mean"):
        dps.select(dps.Scores([1, 2], 1, default_mechanism="permute"), epsilon=1)

    assert () == book.events


def coins() -> Any:
    """Return a small universe."""
    return dps.audit.multisets([0, 1], 3)


@pytest.mark.parametrize("utility", ["ego_betweenness", "linear_decay"])
def test_margins_rank_what_suits_them(utility: str) -> None:
    """As on the command line: a hub is named by its margin where a sensitivity of thousands drowns it otherwise."""
    star = dps.Graph.from_edges([0] * 299, range(1, 300), nodes=400)
    scores = getattr(dps.utilities, utility)(star, max_degree=399)

    named = [dps.select(scores, epsilon=3).value for _ in range(20)]
    assert 19 <= named.count(0)
    assert (0,) == dps.top_k(scores, 2, epsilon=20).value[:1]
    assert len(scores) == len(dps.top_k(scores, len(scores), epsilon=1).value)
    # Planted: what was drawn before, permute-and-flip on the scores themselves.
    assert (
        dps.mechanism("permute-and-flip").pmf(scores, 0.1)[0]
        < 0.5
        < dps.mechanism("permute-and-flip").pmf(dps.utilities.margin(scores, 1), 0.1)[0]
    )
