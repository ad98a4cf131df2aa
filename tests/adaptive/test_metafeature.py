"""Metafeatures: public or paid for, and the law of their noise."""

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.adaptive import histogram_options
from dpselect.adaptive.metafeature import expected_releases, release_facts
from dpselect.audit import loss_of_transcript
from dpselect.kernel.neighbours import Neighbours
from dpselect.mechanisms.pmf import discrete_laplace as log_law
from tests.adaptive.toy_options import adaptive

Metafeature = adaptive.Metafeature


def test_no_third_case() -> None:
    """Neither public nor paid for is a false claim, both at once a contradiction."""
    with pytest.raises(dps.PrivacyError, match="neither public nor paid for: pass sensitivity="):
        Metafeature("rows", len)
    with pytest.raises(ValueError, match="public or has a sensitivity, not both"):
        Metafeature("rows", len, sensitivity=1, public=True)


@pytest.mark.parametrize("sensitivity", [0, -1, float("nan"), float("inf"), "1", True])
def test_sensitivities_that_are_none(sensitivity) -> None:
    """A sensitivity is a positive finite number."""
    with pytest.raises(ValueError, match="must be positive and finite"):
        Metafeature("rows", len, sensitivity=sensitivity)


def test_queries_keep_what_they_declare() -> None:
    """An integer sensitivity wants integers, any other finite numbers."""
    with pytest.raises(ValueError, match="must return integers"):
        Metafeature("mean", lambda x: 0.5, sensitivity=1).value([])
    with pytest.raises(ValueError, match="did not give a number"):
        Metafeature("mean", lambda x: float("nan"), sensitivity=0.5).value([])

    assert 0.5 == Metafeature("mean", lambda x: np.float64(0.5), sensitivity=0.5).value([])
    assert 3 == Metafeature("rows", len, sensitivity=1).value([1, 2, 3])


def test_names_and_scales() -> None:
    """Names stand in formulas; scales are two."""
    with pytest.raises(ValueError, match="letters, digits and underscores"):
        Metafeature("number of rows", len, sensitivity=1)
    with pytest.raises(ValueError, match='scale is "linear" or "log"'):
        Metafeature("rows", len, sensitivity=1, scale="square")


@pytest.mark.parametrize("rate", [Fraction(1, 7), Fraction(1), Fraction(3)])
def test_quantiles_are_those_of_the_exact_law(rate: Fraction) -> None:
    """Training meets the noise of the release: the quantile function inverts the law's distribution."""
    noise = np.arange(-2000, 2001)
    below = np.cumsum(np.exp(log_law(noise, rate)))
    chances = np.linspace(0.001, 0.999, 997)
    found = Metafeature("rows", len, sensitivity=1).quantile(0, rate, chances)

    assert noise[np.searchsorted(below, chances)].tolist() == found.tolist()


def test_expected_releases_have_the_deviation_of_the_noise() -> None:
    """Mean and standard deviation of the lattice agree with the law, for integers and for real numbers."""
    metafeatures = [Metafeature("rows", len, sensitivity=1), Metafeature("spread", sum, sensitivity=0.25)]
    known = expected_releases(metafeatures, {"rows": 100, "spread": 5.0}, Fraction(1), 4000)
    columns = {name: np.array([each[name] for each in known]) for name in known[0]}

    for each, true in zip(metafeatures, (100, 5.0), strict=True):
        deviation = each.deviation(Fraction(1, 2))
        assert abs(columns[each.name].mean() - true) < 0.05 * deviation
        assert abs(columns[each.name].std() / deviation - 1) < 0.05
    assert abs(np.corrcoef(columns["rows"], columns["spread"])[0, 1]) < 0.05


def test_real_values_follow_their_law() -> None:
    """The noise of a real metafeature is exact: at large epsilon it is small."""
    each = Metafeature("spread", sum, sensitivity=Fraction(1, 2))

    with dps.open_session(dps.Guarantee(2000, "add-remove")) as draws:
        assert 1e-2 > abs(each.noisy(3.25, Fraction(2000), draws) - 3.25)
    assert 1e-9 > abs(each.deviation(Fraction(1)) / (np.sqrt(2) * 0.5) - 1 - 2**-19)


def test_public_facts_carry_no_noise() -> None:
    """They are read as they are, at any epsilon."""
    each = Metafeature("columns", len, public=True)

    with dps.open_session(dps.Guarantee(1, "add-remove")) as draws:
        assert {"columns": 3.0} == release_facts([each], {"columns": 3}, Fraction(0), draws)
        assert 1 == draws.remaining
    assert 0.0 == each.deviation(Fraction(1))


def test_epsilons_whose_noise_does_not_fit() -> None:
    """They are refused before anything is spent; public facts never are."""
    with pytest.raises(ValueError, match="too small to pay for metafeature 'spread'"):
        Metafeature("spread", sum, sensitivity=0.5).require(Fraction(1, 2**21))
    Metafeature("spread", sum, sensitivity=0.5).require(Fraction(1, 2**19))
    Metafeature("columns", len, public=True).require(Fraction(0))


def test_no_size_of_a_fact_is_refused() -> None:
    """Integers and floats are clipped, which moves nothing further apart."""
    assert 2**61 == Metafeature("n", lambda x: x, sensitivity=1).value(2**70)
    assert 1e300 == Metafeature("n", lambda x: x, sensitivity=1.0).value(10**400)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32, np.uint64, np.int8, np.int32, np.int64])
def test_counts_of_every_width_have_the_same_facts(kind: type) -> None:
    """Differences of narrow or unsigned integers would wrap."""
    counts = np.ones(16, dtype=np.int64)
    fewer = counts.copy()
    fewer[[5, 15]] = 0, 0
    for each in histogram_options.metafeatures():
        assert each.value(fewer) == each.value(fewer.astype(kind))
        if not each.public:
            assert abs(each.value(fewer) - each.value(counts)) <= 2 * each.sensitivity


def test_the_spread_of_huge_counts_moves_by_its_sensitivity() -> None:
    """Counts beyond what floats tell apart."""
    spread = next(each for each in histogram_options.metafeatures() if each.name == "spread")
    for level in (2**23, 2**30, 2**56):
        more = np.full(16, level)
        more[0] += 9
        less = more.copy()
        less[0] -= 1
        assert abs(spread.value(more) - spread.value(less)) <= float(spread.sensitivity) * (1 + 2**-20)


def test_a_metafeature_pays_for_the_neighbours_it_is_declared_for() -> None:
    """Its noise is taken from a payment for the same ones, and for no more than is left."""
    rows = Metafeature("rows", len, sensitivity=1)
    with dps.open_session(dps.Guarantee(1, "edge")) as draws:
        with pytest.raises(dps.PrivacyError, match="add-remove"):
            rows.noisy(5, Fraction(1), draws)
        with pytest.raises(dps.PrivacyError, match="is left of what was paid"):
            rows.noisy(5, Fraction(2), draws, Neighbours.EDGE)
        rows.noisy(5, Fraction(1), draws, Neighbours.EDGE)
        assert 0 == draws.remaining


@pytest.mark.parametrize("sensitivity", [2, Fraction(1, 3), 0.7])
def test_the_noise_of_a_metafeature_hides_its_sensitivity(sensitivity) -> None:
    """Two values as far apart as declared lose epsilon at most, and nearly all of it: the margin is for rounding."""
    each, low = Metafeature("spread", sum, sensitivity=sensitivity), 4
    loss = loss_of_transcript(
        lambda value, draws: each.noisy(value, Fraction(3), draws),
        low,
        low + each.sensitivity if isinstance(sensitivity, int) else low + float(each.sensitivity),
        dps.Guarantee(3, "add-remove"),
        np.random.default_rng(0).integers,
    )

    assert 3 * (1 - 2**-18) < loss <= 3
