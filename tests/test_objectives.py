"""PrivPareto and PrivAgg by their published names."""

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps


class Noted:
    """A ledger that only writes down what it is asked to spend."""

    def __init__(self) -> None:
        self.spent: list[tuple] = []

    def spend(self, guarantee, *, mechanism: str, count: int = 1) -> None:
        """Write down."""
        self.spent.append((guarantee.epsilon, mechanism, count))


@pytest.fixture
def parts() -> list[dps.Scores]:
    """Degree and density of a real graph."""
    graph = dps.Graph.named("lesmis")
    return [dps.utilities.degree(graph), dps.utilities.ego_density(graph)]


@pytest.mark.parametrize(("form", "mechanism"), [("local", "local-dampening"), ("global", "exponential")])
@pytest.mark.parametrize("choose", [dps.priv_pareto, dps.priv_agg])
def test_each_form_has_its_published_mechanism(parts, choose, form: str, mechanism: str) -> None:
    """Local dampening or the exponential mechanism, k selections at epsilon / k."""
    ledger = Noted()
    release = choose(parts, 3, k=2, sensitivity=form, ledger=ledger)

    assert (mechanism, 2, 3) == (release.mechanism, len(set(release.candidates)), release.guarantee.epsilon)
    assert [(Fraction(3, 2), mechanism, 2)] == ledger.spent


def test_with_much_epsilon_they_name_the_best(parts) -> None:
    """The winner by weights; a node on the front."""
    weighted = dps.aggregate(parts, [1, 100])
    winner = dps.priv_agg(parts, 10**6, weights=[1, 100], sensitivity="global").candidate
    front = {weighted.candidates[i] for i in np.flatnonzero(dps.pareto(parts).values == 0)}

    assert weighted.candidates[int(weighted.values.argmax())] == winner
    assert dps.priv_pareto(parts, 10**6).candidate in front


def test_rates_may_say_that_a_record_touches_one() -> None:
    """3 TPR + 2 TNR."""
    rates = [dps.utilities.true_positive_rate([90, 10], 100), dps.utilities.true_negative_rate([90, 10], 100)]

    assert 0 == dps.priv_agg(rates, 10**4, weights=[3, 2], touched="one").candidate


def test_nothing_is_spent_on_a_refusal(parts) -> None:
    """Bad input is refused before the ledger hears of it."""
    ledger = Noted()
    for act in (
        lambda: dps.priv_pareto([], 1, ledger=ledger),
        lambda: dps.priv_pareto(parts, 1, sensitivity="none", ledger=ledger),
        lambda: dps.priv_agg(parts, 1, weights=[0, 0], ledger=ledger),
        lambda: dps.priv_agg(parts, 1, k=1000, ledger=ledger),
    ):
        with pytest.raises(ValueError, match=r"objective|local|zero|candidates"):
            act()

    assert [] == ledger.spent
