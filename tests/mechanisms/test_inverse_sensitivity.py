"""The inverse sensitivity mechanism."""

import pytest

import dpselect as dps
from dpselect.audit import privacy_loss
from tests.universes import random_problem


def test_the_score_is_minus_the_distance_exactly() -> None:
    """Integers, range bound 2, no margin, whatever the utility's bound was."""
    unit = dps.mechanism("inverse-sensitivity").effective(dps.Scores([5.0, 1.0], 1, range_bound=1, distance=[0, 4]))

    assert ([0, -4], 2, 1) == (unit.ticks.tolist(), unit.span, unit.per_unit)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("epsilon", [0.1, 1, 5])
def test_distances_to_being_best_are_private(seed: int, epsilon: float) -> None:
    """On random spaces, with the distances found by search, the exact loss is at most epsilon."""
    problem = random_problem(seed, databases=9)
    found = privacy_loss(dps.mechanism("inverse-sensitivity"), problem.utility(), problem.universe, epsilon=epsilon)

    assert found.holds, str(found)


def test_without_distances_it_is_refused() -> None:
    """The message names what to pass and what to use instead."""
    with pytest.raises(dps.PrivacyError, match="pass distance=.*or use local-dampening"):
        dps.select(dps.Scores([1, 2], 1), epsilon=1, mechanism=dps.mechanism("inverse-sensitivity"))
