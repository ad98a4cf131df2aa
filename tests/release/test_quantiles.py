"""Several percentiles of one column."""

import importlib
import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.audit.replay import Replay, transcripts
from dpselect.release.opened import door_to
from dpselect.utilities.columns import public_grid

# The function of the same name hides the module.
module = importlib.import_module("dpselect.release.quantiles")
FLIP = dps.mechanism("permute-and-flip")


def law(values, p, grid, epsilon, monkeypatch, cuts: int) -> dict[tuple, float]:
    """The exact law of the answers: every path of choices, and how likely it is."""
    monkeypatch.setattr(module, "_CUTS", cuts)
    answers: dict[tuple, float] = {}

    def once(replay: Replay) -> None:
        shares = [Fraction(each, 100) for each in p]
        release = module.release_of(values, shares, np.arange(grid), epsilon, FLIP, None, door=door_to(lambda: replay))
        answers[release.candidates] = answers.get(release.candidates, 0.0) + np.exp(replay.log_chance)

    for _ in transcripts(once):
        pass
    return answers


@pytest.mark.parametrize(("cuts", "p", "grid"), [(1, [25, 50, 75], 3), (2, [30, 60], 2), (1, [0, 100], 3)])
def test_the_exact_loss_is_at_most_epsilon(cuts: int, p, grid: int, monkeypatch) -> None:
    """All multisets of a few records, every answer, the code's own recursion; and two levels cost what they should."""
    worst = 0.0
    for size in range(3):
        for records in itertools.combinations_with_replacement(range(grid), size):
            here = law(list(records), p, grid, 2, monkeypatch, cuts)
            assert abs(sum(here.values()) - 1) < 1e-9
            for more in range(grid):
                there = law(sorted([*records, more]), p, grid, 2, monkeypatch, cuts)
                worst = max(worst, *(abs(np.log(here[a] / there[a])) for a in here))
    assert 0.5 < worst <= 2


@given(st.lists(st.integers(0, 9), max_size=50), st.sets(st.integers(0, 100), min_size=1, max_size=9))
@settings(deadline=None, max_examples=60)
def test_larger_percentages_never_get_smaller_values(values, p) -> None:
    """Monotone by construction, on the grid, in the order asked for."""
    asked = sorted(p, reverse=True)
    found = dps.percentiles(values, asked, grid=range(10), epsilon=1).candidates

    assert list(found) == sorted(found, reverse=True)
    assert set(found) <= set(range(10))


def test_long_runs_of_equal_values_are_cut_anywhere() -> None:
    """Nine in ten records are zero: so are the 10th, 50th and 80th percentile; without cuts the last is not."""
    values = np.concatenate((np.zeros(9000, dtype=np.int64), np.arange(1, 1001)))
    found = dps.percentiles(values, [10, 50, 80, 95], grid=range(1001), epsilon=20).candidates

    assert (0, 0, 0) == found[:3]
    assert abs(found[3] - 500) < 60


def test_many_percentiles_cost_little_more_than_one() -> None:
    """Deciles at a total of 1 on 10^5 records."""
    values = np.arange(10**5)
    asked = list(range(10, 100, 10))
    found = dps.percentiles(values, asked, grid=values, epsilon=1).candidates

    assert np.abs(np.array(found) - np.array(asked) * 1000).max() < 1500


def test_the_spend_is_one_entry_of_all_levels() -> None:
    """Seven percentiles take three levels; recorded before any draw, in shares of a third."""
    spent = []

    class Book:
        def spend(self, guarantee, *, mechanism, count=1, note=""):
            spent.append((guarantee.epsilon, count, mechanism, note))

    release = dps.percentiles([1, 2, 3], range(10, 80, 10), grid=range(5), epsilon=1, ledger=Book())

    assert [(Fraction(1, 3), 3, "permute-and-flip", "quantiles")] == spent
    assert 1 == release.guarantee.epsilon


def test_only_one_draw_claims_a_bounded_range() -> None:
    """Several levels add up; what is spent on each level has one."""
    exponential = dps.mechanism("exponential")

    def promised(p, **given):
        return dps.percentiles([1, 2, 3], p, grid=range(5), epsilon=1, mechanism=exponential, **given).guarantee

    spent = []

    class Book:
        def spend(self, guarantee, *, count=1, **_):
            spent.append((guarantee.bounded_range, count))

    assert not promised([25, 50, 75], ledger=Book()).bounded_range
    assert [(True, 2)] == spent
    assert promised([50]).bounded_range
    assert not promised([25, 75]).bounded_range


def test_an_empty_column_is_an_answer_too() -> None:
    """Whether there are records is private."""
    assert 2 == len(dps.percentiles([], [50, 90], grid=range(5), epsilon=1).candidates)


class Closed:
    """A ledger that must not hear of anything."""

    def spend(self, *_, **__):
        """Fail the test."""
        raise AssertionError


@pytest.mark.parametrize(
    ("p", "grid", "error", "message"),
    [
        ([], range(5), ValueError, "p is empty"),
        ([50, 50.0], range(5), ValueError, "given twice"),
        ([100.5], range(5), ValueError, "0 <= p <= 100"),
        ([-1, 50], range(5), ValueError, "0 <= p <= 100"),
        ([np.nan], range(5), ValueError, "0 <= p <= 100"),
        (50, range(5), TypeError, "list of percentages"),
        ("50", range(5), TypeError, "list of percentages"),
        (["50"], range(5), TypeError, "list of percentages"),
        ([50], None, dps.PrivacyError, "pass grid="),
        ([50], [0], ValueError, "at least 2"),
        ([0.25, 0.5, 0.75], range(5), ValueError, r"^0.25, 0.5 and 0.75 are shares: pass 25, 50 and 75, or use quant"),
        ([0, 0.5, 1], range(5), ValueError, "are shares"),
    ],
)
def test_bad_percentages_are_refused_before_anything_is_spent(p, grid, error, message: str) -> None:
    """The ledger hears nothing of them."""
    with pytest.raises(error, match=message):
        dps.percentiles([1, 3], p, grid=grid, epsilon=1, ledger=Closed())


@pytest.mark.parametrize(
    ("shares", "error", "message"),
    [
        ([], ValueError, "shares is empty"),
        ([0.5, Fraction(1, 2)], ValueError, "given twice"),
        ([25, 50, 75], ValueError, "^25, 50 and 75 are percentages: use percentiles, or pass 0.25, 0.5 and 0.75.$"),
        (range(1, 100), ValueError, "^2, 3, ..., 99 are percentages: use percentiles, or pass 0.02, 0.03, ..., 0.99.$"),
        ([0.5, 99.9], ValueError, "^99.9 is a percentage: use percentiles, or pass 0.999.$"),
        ([100], ValueError, "100 is a percentage: use percentiles, or pass 1.$"),
        ([101], ValueError, "from 0 to 1"),
        ([-0.1, 0.5], ValueError, "from 0 to 1"),
        ([-0.1, 50], ValueError, "from 0 to 1"),
        ([np.inf], ValueError, "from 0 to 1"),
        (0.5, TypeError, "list of shares"),
        ([True], TypeError, "list of shares"),
        (["0.5"], TypeError, "list of shares"),
    ],
)
def test_bad_shares_are_refused_before_anything_is_spent(shares, error, message: str) -> None:
    """The ledger hears nothing of them."""
    with pytest.raises(error, match=message):
        dps.quantiles([1, 3], shares, grid=range(5), epsilon=1, ledger=Closed())


@pytest.mark.parametrize(
    ("bounds", "error", "message"),
    [
        ({"lower": 0}, dps.PrivacyError, "pass grid="),
        ({"lower": 0, "upper": 9, "grid": range(10)}, ValueError, "named twice"),
        ({"lower": 9, "upper": 0}, ValueError, "below upper"),
        ({"lower": 0, "upper": 0.5}, ValueError, "pass step="),
        ({"lower": 0, "upper": 9, "step": 0}, ValueError, "must be positive"),
        ({"lower": 0, "upper": 9, "step": 10}, ValueError, "2 to 10000000"),
        ({"lower": 0, "upper": 10**9}, ValueError, "2 to 10000000"),
        ({"lower": 0, "upper": np.inf}, ValueError, "finite"),
        ({"lower": "0", "upper": 9}, TypeError, "real number"),
    ],
)
def test_bad_bounds_are_refused_before_anything_is_spent(bounds, error, message: str) -> None:
    """The ledger hears nothing of them."""
    with pytest.raises(error, match=message):
        dps.quantiles([1, 3], [0.5], **bounds, epsilon=1, ledger=Closed())


@pytest.mark.parametrize(
    ("bounds", "grid"),
    [
        ({"lower": -2, "upper": 3}, [-2, -1, 0, 1, 2, 3]),
        ({"lower": 0, "upper": 10, "step": 4}, [0, 4, 8]),
        ({"lower": 0, "upper": 0.3, "step": 0.1}, [0.0, 0.1, 0.2, 0.3]),
        ({"lower": 0.0, "upper": 2, "step": 1}, [0.0, 1.0, 2.0]),
        ({"lower": 2**60, "upper": 2**60 + 2}, [2**60, 2**60 + 1, 2**60 + 2]),
        ({"lower": 0, "upper": 1e300, "step": 5e299}, [0.0, 5e299, 1e300]),
    ],
)
def test_bounds_and_a_step_are_an_even_grid(bounds, grid) -> None:
    """Decimals are what they say, and integers never pass through floats."""
    points = public_grid(None, **bounds)

    assert grid == points.tolist()
    assert {type(value) for value in grid} == {type(value) for value in points.tolist()}


def test_shares_and_percentages_are_the_same_release() -> None:
    """At a budget that leaves no doubt; the ends are the minimum and the maximum."""
    values = [3, 5, 5, 6, 8]
    shares = dps.quantiles(values, [1, 0.5, 0], lower=0, upper=9, epsilon=10**4)
    percentages = dps.percentiles(values, [100, 50, 0], grid=range(10), epsilon=10**4)

    assert (8, 5, 3) == shares.candidates == percentages.candidates


def test_a_share_may_have_any_digits() -> None:
    """A float that is nearly a third, and evenly spaced ones."""
    assert 2 == len(dps.quantiles([1, 3], [1 / 3, 2 / 3], grid=range(5), epsilon=1).candidates)
    assert 9 == len(dps.quantiles([1, 3], np.linspace(0, 1, 11)[1:-1], grid=range(5), epsilon=1).candidates)


@pytest.mark.parametrize("p", [[0.5], [0.1, 99.9], [0, 1], [1, 2]])
def test_small_percentages_that_may_be_meant_are_taken(p) -> None:
    """One alone, beside a larger one, or whole."""
    assert len(p) == len(dps.percentiles([1, 3], p, grid=range(5), epsilon=1).candidates)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=5), st.integers(0, 4), st.sampled_from([1, 2, 8, 64]))
def test_one_record_more_is_one_more_in_one_cell(counts, where: int, cuts: int) -> None:
    """Spread evenly, whatever the count; so neighbours stay neighbours without any coin."""
    here = np.array(counts)
    there = here + (np.arange(here.size) == where % here.size)
    few, more = module._cut(here, cuts), module._cut(there, cuts)

    assert here.tolist() == few.reshape(-1, cuts).sum(axis=1).tolist()
    assert np.ptp(few.reshape(-1, cuts), axis=1).max() <= 1
    assert (1, 1) == (np.abs(more - few).sum(), (more - few).max())


def test_a_histogram_of_any_number_of_records_is_an_answer() -> None:
    """3 * 10^11 records in each of a thousand cells: the work follows the cells."""
    column = dps.Column.from_counts(np.full(1000, 3 * 10**11))
    found = dps.percentiles(column, [25, 50, 99.9999], grid=range(1000), epsilon=1).candidates

    assert np.abs(np.array(found) - [250, 500, 999]).max() <= 1


def test_the_maximum_may_be_one_record_among_very_many() -> None:
    """Share 1 is the last record, not one of the last in 10^8."""
    column = dps.Column.from_counts([10**12, 0, 0, 1])

    assert (3,) == dps.quantiles(column, [1], grid=range(4), epsilon=10**4).candidates
    assert (0, 3) == dps.percentiles(column, [50, 100], grid=range(4), epsilon=10**4).candidates


@pytest.mark.parametrize("hostile", ["x", None, float("nan"), 1e300, -5, 2.5, 10**400, [1]])
def test_a_record_of_any_kind_is_an_answer(hostile) -> None:
    """Outside, between the grid values, or no number: nothing is refused."""
    assert 2 == len(dps.percentiles([1, 3, hostile], [50, 90], grid=range(5), epsilon=1).candidates)
