"""Every algorithm's loss on all small histograms and neighbours, draw by draw."""

import importlib
from fractions import Fraction
from functools import partial

import pytest

import dpselect as dps
from tests.histograms.transcript import losses

SHAPES = [(1,), (2,), (5,), (2, 2), (3, 2)]
EPSILON = Fraction(7, 10)
LARGE = pytest.param((3, 2), marks=pytest.mark.slow)


def estimate(name: str, **parameters):
    """The inside of an algorithm: counts, epsilon and draws to an estimate."""
    return partial(importlib.import_module(f"dpselect.histograms.{name}").estimate, **parameters)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        # Only there has a hierarchy several levels; wavelets have them on smaller shapes.
        pytest.param(name, shape, marks=pytest.mark.slow if shape == (3, 2) and name != "hb" else ())
        for name in ("identity", "uniform", "hb", "privelet")
        for shape in SHAPES
    ],
    ids=str,
)
def test_linear_measurements_lose_exactly_epsilon(name: str, shape: tuple[int, ...]) -> None:
    """Neither more (private) nor less (nothing wasted), whichever record changes; on a line of 3 privelet pads to 4."""
    most = 1 if len(shape) == 2 or shape[0] > 3 else 3

    assert {EPSILON} == {loss for loss, *_ in losses(estimate(name), shape, EPSILON, most)}


@pytest.mark.parametrize("price", [0, 2])
@pytest.mark.parametrize(
    "shape", [(1,), (2,), pytest.param((4,), marks=pytest.mark.slow), (5,), (2, 2), LARGE], ids=str
)
def test_dawa_loses_at_most_epsilon(shape: tuple[int, ...], price: int) -> None:
    """The buckets lose their whole share, the partition at most its quarter."""
    most = 1 if len(shape) == 2 or shape[0] > 4 else 2
    found = [loss for loss, *_ in losses(estimate("dawa", price=price), shape, EPSILON, most)]

    assert EPSILON >= max(found)
    assert EPSILON * 3 / 4 <= min(found)


@pytest.mark.parametrize(
    ("shape", "chosen"),
    [
        ((1,), "permute-and-flip"),
        ((1,), "exponential"),
        ((3,), "permute-and-flip"),
        ((3,), "exponential"),
        *(pytest.param((2, 2), chosen, marks=pytest.mark.slow) for chosen in ("permute-and-flip", "exponential")),
    ],
    ids=str,
)
def test_mwem_loses_at_most_epsilon(shape: tuple[int, ...], chosen: str) -> None:
    """The exact law of every selection, and the noise of every measurement and of the total, over two rounds."""
    parameters = {"queries": dps.histograms.Workload.prefixes(shape), "rounds": 2}
    run = estimate("mwem", **parameters, mechanism=dps.mechanism(chosen))
    found = [loss for loss, *_ in losses(run, shape, EPSILON, most=1)]

    assert EPSILON >= max(found)
    assert EPSILON / 20 < max(found)


def test_a_public_number_of_rounds() -> None:
    """Without ``rounds`` their number follows the noisy total, so neighbours with the same total run alike."""
    queries = dps.histograms.Workload.cells((3,))
    run = estimate("mwem", queries=queries, mechanism=dps.mechanism("permute-and-flip"))

    assert EPSILON >= max(loss for loss, *_ in losses(run, (3,), EPSILON, most=1))
