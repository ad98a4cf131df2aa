"""What every mechanism must keep, found by existing in the public list."""

import numpy as np
import pytest

import dpselect as dps
from dpselect.core.scores import UnitScores
from universes import chain, random_universe, worst_loss

NAMES = list(dps.mechanisms.EVERY_MECHANISM)
UNIVERSES = {
    **{f"integers {seed}": random_universe(seed) for seed in range(12)},
    **{f"decimals {seed}": random_universe(seed, whole=False) for seed in range(8)},
    "large scores": random_universe(3, databases=5, candidates=2),
    "monotone": chain([(0, 0, 0), (1, 0, 1), (2, 1, 1), (3, 1, 2), (3, 2, 2)], range_bound=1),
    "monotone, uneven": chain([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.2, 0.0)], range_bound=1),
    "monotone, growing": chain([(3, 0), (4, 2), (4, 2), (6, 2), (8, 2)], range_bound=1),
    "ties": chain([(0, 0), (1, 1), (1, 1), (0, 0)]),
    "one candidate": chain([(0,), (5,), (9,)]),
}


@pytest.mark.parametrize("universe", UNIVERSES.values(), ids=UNIVERSES.keys())
@pytest.mark.parametrize("name", NAMES)
def test_no_gap_moves_by_more_than_the_span(name: str, universe) -> None:
    """Between neighbours the moves of all ticks lie in an interval as long as the span."""
    mechanism = dps.mechanism(name)
    units = [mechanism.effective(universe.scores(x)) for x in range(len(universe.values))]

    for x, y in universe.pairs:
        assert units[x].span == units[y].span
        assert np.ptp(units[x].ticks - units[y].ticks) <= units[x].span


@pytest.mark.parametrize("epsilon", [0.1, 1, 5])
@pytest.mark.parametrize("universe", UNIVERSES.values(), ids=UNIVERSES.keys())
@pytest.mark.parametrize("name", NAMES)
def test_the_exact_loss_is_at_most_epsilon(name: str, universe, epsilon: float) -> None:
    """The worst log-ratio over all neighbours and outcomes, from exact laws."""
    assert worst_loss(universe, dps.mechanism(name), epsilon) <= epsilon * (1 + 1e-9) + 4e-12


@pytest.mark.parametrize("direction", ["growing", "shrinking"])
@pytest.mark.parametrize("seed", range(6))
def test_both_shifts_are_private(direction: str, seed: int) -> None:
    """The direction is public and either choice keeps the promise."""
    mechanism = dps.mechanism("shifted-local-dampening", direction=direction)

    assert worst_loss(random_universe(seed), mechanism, 1) <= 1 + 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_a_public_margin_is_private(seed: int) -> None:
    """Any margin fixed before the data is seen keeps the promise, with a bound for every candidate."""
    universe = random_universe(seed)
    bounds = np.maximum(universe.element_sensitivity().max(axis=(0, 1)), 1)

    def scores(x: int) -> dps.Scores:
        return dps.Scores(universe.values[x], dps.sensitivity.constant(bounds))

    for margin in (0, 2.5):
        mechanism = dps.mechanism("generalised-exponential", margin=margin)
        assert worst_loss(universe, mechanism, 1, scores) <= 1 + 1e-9


@pytest.mark.parametrize("name", ["local-dampening", "shifted-local-dampening", "local-dampening-flip"])
@pytest.mark.parametrize("seed", range(6))
def test_flat_sensitivity_is_private(name: str, seed: int) -> None:
    """The local sensitivity, shared by all candidates, is admissible too."""
    universe = random_universe(seed)

    assert (
        worst_loss(universe, dps.mechanism(name), 1, lambda x: universe.scores(x, element=False)) <= 1 + 1e-9
    )


@pytest.mark.parametrize("name", NAMES)
def test_laws_sum_to_one_on_every_database(name: str) -> None:
    """A law is a distribution."""
    for universe in UNIVERSES.values():
        for x in range(len(universe.values)):
            assert abs(dps.mechanism(name).law(universe.scores(x), 1).sum() - 1) < 1e-12


def breaks(universe, name: str, epsilon: float = 1.0, scores=None) -> bool:
    """Whether the exact loss exceeds epsilon."""
    return worst_loss(universe, dps.mechanism(name), epsilon, scores) > epsilon * 1.001


@pytest.mark.parametrize("name", [name for name in NAMES if name != "generalised-exponential"])
def test_the_check_can_fail(name: str) -> None:
    """Halving the sensitivity is caught for every mechanism on some universe."""
    assert any(breaks(u, name, scores=lambda x, u=u: u.scores(x, scale=0.5)) for u in UNIVERSES.values())


def test_range_bound_one_through_dampening_is_caught() -> None:
    """Shifted scores of a monotone utility at range bound 1 lose up to twice epsilon."""
    universe = UNIVERSES["monotone, growing"]
    honest = dps.mechanism("shifted-local-dampening")

    def wrong(scores: dps.Scores) -> UnitScores:
        unit = honest.effective(scores)
        return UnitScores(unit.ticks, unit.per_unit, unit.per_unit + 2, 1)

    faulty = dps.Mechanism("faulty", "", wrong, honest.sampler)
    assert worst_loss(universe, faulty, 1) > 1.9
    assert worst_loss(universe, honest, 1) <= 1 + 1e-9


def test_a_span_without_its_margin_is_caught() -> None:
    """Half a tick of rounding and the floor can move a gap by 2 ticks more: the span bT + 2 is tight."""
    ticks = 4
    truth = np.array([(0.0, 1.0), (1.0, 0.0)])  # both candidates move by one unit, in opposite directions
    rounded = ticks * truth + [(-0.5, 0.5), (0.5, -0.5)]  # each computed within half a tick
    floored = np.floor(rounded).astype(np.int64)

    assert 2 * ticks + 2 == np.ptp(floored[0] - floored[1])


@pytest.mark.parametrize("name", NAMES)
def test_a_repr_names_the_mechanism_and_its_public_parameters(name: str) -> None:
    """The repr is the call that makes it."""
    assert repr(dps.mechanism(name)).startswith(f"mechanism({name!r}")
