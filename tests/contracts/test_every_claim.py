"""The library's own claims, as `dpselect audit` checks them."""

from functools import partial

import pytest

import dpselect as dps
from dpselect.audit import report
from dpselect.audit.claims import EVERY_CLAIM, MECHANISM_CLAIMS, UTILITY_CLAIMS


def label(claim) -> str:
    """A readable name for a test."""
    return f"{claim.name} on {report.subject(claim)}"


# Draws of permute-and-flip need no other scores, and these laws take long: `dpselect audit` and -m slow check them.
# So do larger siblings of laws that stay: more nodes, more objectives, the numeric integrals of Laplace noise, the
# graphs of a second metric, and heavy tails on graphs, whose laws are checked on counts and on jumps.
LONG = {
    "local-dampening-flip on pareto", "local-dampening on pareto", "local-dampening-flip on aggregate",
    "on aggregate, 3 TPR + 2 TNR", "exponential on pareto, both rates", "noisy-max-laplace on ego",
    "noisy-max-laplace on degree", "smooth-noisy-max on ego", "local-dampening-t on ego",
    "smooth-private-selection on ego", "ego_betweenness, max_degree=3", "ego_betweenness, max_degree=4",
    "ego_betweenness, overlap", "ego_betweenness, degree", "papers.ego_betweenness",
    "ego_density on ego_density", "dampening on ego_betweenness", "dampening-flip on ego_betweenness",
    "exponential on ego_betweenness", "permute-and-flip on ego_betweenness", "exponential on ego_density",
    "shifted-local-dampening on ego_density", "shifted-local-dampening-flip on ego_density",
    "smooth-noisy-max on degree", "smooth-private-selection on degree", "local-dampening-t on degree",
    "shifted-local-dampening on degree", "laplace on counts", "laplace, delta on counts",
    "degree on degree", "permute-and-flip on ego_density", "local-dampening on ego_density", "laplace, delta on jumps",
    "law of three percentiles", "exponential on aggregate", "exponential on pareto, degree",
    "on open_pairs", "on log_betweenness", "on core_number", "on two_step_reach", "on triangles",
    "linear_decay, decay=3", "linear_decay, decay=20",
    "margins, ", "margin of ego_betweenness",
    "margin of triangles, k=2", "margin of triangles, k=3", "on pareto_margin, both rates",
    "pareto, both rates on pareto", "papers.median, 4 records", "local-dampening on aggregate",
}  # fmt: skip


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(claim, id=label(claim), marks=pytest.mark.slow if any(x in label(claim) for x in LONG) else ())
        for claim in EVERY_CLAIM
    ],
)
def test_each_claim_holds(claim) -> None:
    """Admissible, or loss at most epsilon, by enumeration."""
    row = next(iter(report.run([claim])))

    assert "holds" == row.verdict, row.detail


@pytest.mark.slow
@pytest.mark.parametrize("bound", [3, 5])
@pytest.mark.parametrize("sensitivity", ["refined", "overlap", "degree"])
def test_ego_betweenness_on_all_graphs_of_six_nodes(bound: int, sensitivity: str) -> None:
    """32,768 graphs, or those of maximum degree 3."""
    universe = dps.audit.graphs(6, None if bound == 5 else bound)
    utility = partial(dps.utilities.ego_betweenness, max_degree=bound, sensitivity=sensitivity)
    verdict = dps.audit.admissible(utility, universe)

    assert verdict.admissible, verdict.counterexample


@pytest.mark.slow
def test_ego_density_on_all_graphs_of_six_nodes() -> None:
    """32,768 graphs."""
    assert dps.audit.admissible(dps.utilities.ego_density, dps.audit.graphs(6)).admissible


def test_every_utility_and_every_mechanism_is_claimed() -> None:
    """Mechanisms by themselves, utilities by a line; and no claim is about something that is gone."""
    claimed = {claim.name.split(",")[0] for claim in UTILITY_CLAIMS}
    utilities = {utility.__name__ for utility in dps.utilities.EVERY_UTILITY}
    utilities |= {f"papers.{utility.__name__}" for utility in dps.papers.EVERY_UTILITY}

    assert not utilities - claimed, f"add a UtilityClaim to audit/claims.py for {utilities - claimed}"
    assert not claimed - utilities, f"audit/claims.py claims what is not in the list: {claimed - utilities}"
    assert set(dps.mechanisms.MECHANISMS) == {claim.name for claim in MECHANISM_CLAIMS}
