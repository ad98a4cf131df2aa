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
    graph = dps.Graph.from_name("lesmis")
    return [dps.utilities.degree(graph), dps.utilities.ego_density(graph)]


@pytest.mark.parametrize(("form", "mechanism"), [("local", "local-dampening"), ("global", "exponential")])
@pytest.mark.parametrize("choose", [dps.multiobjective.priv_pareto, dps.multiobjective.priv_agg])
def test_each_form_has_its_published_mechanism(parts, choose, form: str, mechanism: str) -> None:
    """Local dampening or the exponential mechanism, k selections at epsilon / k."""
    ledger = Noted()
    method = {"method": "published"} if choose is dps.multiobjective.priv_pareto else {}
    release = choose(parts, epsilon=3, k=2, sensitivity=form, ledger=ledger, **method)

    assert (mechanism, 2, 3) == (release.mechanism, len(set(release.value)), release.guarantee.epsilon)
    assert [(Fraction(3, 2), mechanism, 2)] == ledger.spent


def test_with_much_epsilon_they_name_the_best(parts) -> None:
    """The winner by weights; a node on the front."""
    weighted = dps.multiobjective.aggregate(parts, [1, 100])
    winner = dps.multiobjective.priv_agg(parts, epsilon=10**6, weights=[1, 100], sensitivity="global").value[0]
    front = {weighted.candidates[i] for i in np.flatnonzero(dps.multiobjective.pareto(parts).values == 0)}

    assert weighted.candidates[int(weighted.values.argmax())] == winner
    assert dps.multiobjective.priv_pareto(parts, epsilon=10**6).value[0] in front


def test_the_front_is_named_by_margins(parts) -> None:
    """By permute-and-flip, in one pass, unless another mechanism is named."""
    ledger = Noted()
    release = dps.multiobjective.priv_pareto(parts, epsilon=3, k=2, ledger=ledger)

    assert "permute-and-flip, one-shot" == release.mechanism
    assert [(3, "permute-and-flip, one-shot", 1)] == ledger.spent


def test_rates_may_say_that_a_record_touches_one() -> None:
    """3 TPR + 2 TNR."""
    rates = [dps.utilities.true_positive_rate([90, 10], 100), dps.utilities.true_negative_rate([90, 10], 100)]

    assert 0 == dps.multiobjective.priv_agg(rates, epsilon=10**4, weights=[3, 2], touched="one").value[0]


def test_nothing_is_spent_on_a_refusal(parts) -> None:
    """Bad input is refused before the ledger hears of it."""
    ledger = Noted()
    for act in (
        lambda: dps.multiobjective.priv_pareto([], epsilon=1, ledger=ledger),
        lambda: dps.multiobjective.priv_pareto(parts, epsilon=1, method="published", sensitivity="none", ledger=ledger),
        lambda: dps.multiobjective.priv_pareto(parts, epsilon=1, method="local", ledger=ledger),
        lambda: dps.multiobjective.priv_pareto(parts, epsilon=1, sensitivity="local dampening", ledger=ledger),
        lambda: dps.multiobjective.priv_agg(parts, epsilon=1, weights=[0, 0], ledger=ledger),
        lambda: dps.multiobjective.priv_agg(parts, epsilon=1, k=1000, ledger=ledger),
    ):
        with pytest.raises(ValueError, match=r"objective|local|zero|candidates|method"):
            act()

    assert [] == ledger.spent


def test_objectives_come_as_one_list(parts) -> None:
    """Any iterable; passed one by one they are refused with one sentence, and nothing is spent."""
    ledger = Noted()
    for choose in (dps.multiobjective.priv_pareto, dps.multiobjective.priv_agg):
        for given in ((*parts,), (parts[0],), ({"a": parts[0]},)):
            with pytest.raises(TypeError, match="Pass the objectives as one list of Scores"):
                choose(*given, epsilon=1, ledger=ledger)
    assert [] == ledger.spent
    assert 1 == len(dps.multiobjective.priv_pareto((part for part in parts), epsilon=1).value)


def test_weights_may_be_passed_by_position_as_in_aggregate() -> None:
    """The third argument; the second candidate wins by the second objective."""
    parts = [dps.Scores([1000, 0], 1), dps.Scores([0, 1000], 1)]

    assert 1 == dps.multiobjective.priv_agg(parts, epsilon=10**4, weights=[1, 10]).value[0]


@pytest.mark.parametrize("choose", [dps.multiobjective.priv_pareto, dps.multiobjective.priv_agg])
def test_another_mechanism_may_draw(parts, choose) -> None:
    """It is named in the release."""
    release = choose(parts, epsilon=1, mechanism=dps.mechanism("local-dampening-flip"))

    assert "local-dampening-flip" == release.mechanism
