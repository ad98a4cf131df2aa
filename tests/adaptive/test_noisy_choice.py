"""Conditionals inside a tree, learned on public tables."""

import numpy as np
import pytest

import dpselect as dps
from dpselect.adaptive import NoisyChoice
from dpselect.adaptive.noisy_choice import ALTERNATIVES
from dpselect.adaptive.tree_options import LabelledTable
from dpselect.learn import DPID3Classifier
from dpselect.learn.conditional import FACTS


def table(rows: int) -> LabelledTable:
    """The label follows one of three columns."""
    columns = {"x": np.arange(rows) % 2, "y": np.arange(rows) // 2 % 3, "z": np.arange(rows) // 6 % 4}
    domains = {"x": [0, 1], "y": [0, 1, 2], "z": [0, 1, 2, 3]}
    return LabelledTable(columns, columns["x"], domains, [0, 1], (columns, columns["x"]))


@pytest.fixture(scope="module")
def choice() -> NoisyChoice:
    """Learned on a few sizes of that table, often enough that a random query loses somewhere."""
    tables = {str(rows): table(rows) for rows in (24, 240, 2400)}
    return NoisyChoice.learn(tables, [1, 4], repetitions=16, rounds=1, max_depth=2, max_records=3000)


def facts(size: float, left: int = 2) -> dict[str, np.ndarray]:
    """What is known of one node."""
    known = {"size": size, "level": 0, "left": left, "branching": 4, "attributes": 3, "classes": 2, "epsilon": 0.3}
    return {name: np.array([float(known[name])]) for name in FACTS}


def test_large_nodes_are_split_and_by_looking_at_the_data(choice) -> None:
    """A node of thousands of rows is split, and not at random; the least expected excess decides."""
    expected = choice.expected_errors(facts(2400.0))[0]

    assert expected.argmin() not in (ALTERNATIVES.index("end"), ALTERNATIVES.index("random"))
    assert expected.argmin() - 1 == choice.decide(facts(2400.0))[0]


def test_conditional_trees_are_fitted(choice) -> None:
    """The tree asks the conditional, and finds the column."""
    big = table(3000)
    model = DPID3Classifier(8, 2, criterion=choice, max_records=3000, domains=big.domains, classes=[0, 1])

    assert (model.fit(big.columns, big.labels).predict(big.columns) == big.labels).mean() > 0.95


def test_a_group_can_be_left_out(choice) -> None:
    """Nothing of it remains in the traces."""
    less = choice.without("2400")

    assert {"24", "240"} == set(less.traces["group"].tolist())
    assert repr(less).startswith("NoisyChoice(nodes=")


def test_refusals(choice) -> None:
    """Tables without test rows; conditionals need noisy sizes, a public bound, and answers of their kind."""
    own = table(24)
    with pytest.raises(ValueError, match="public tables that have test rows"):
        NoisyChoice.learn({"a": LabelledTable(own.columns, own.labels, own.domains, own.classes)}, [1])
    given = {"domains": own.domains, "classes": [0, 1], "criterion": choice}
    with pytest.raises(ValueError, match="reads noisy sizes"):
        DPID3Classifier(1, stop="depth", max_records=30, **given).fit(own.columns, own.labels)
    with pytest.raises(dps.PrivacyError, match="or max_records= in Python"):
        DPID3Classifier(1, **given).fit(own.columns, own.labels)

    class Wrong:
        def decide(self, known):
            return np.full(known["size"].shape, 9)

    with pytest.raises(ValueError, match="one integer for each node, from -1 to 3"):
        DPID3Classifier(1, max_records=30, **(given | {"criterion": Wrong()})).fit(own.columns, own.labels)
