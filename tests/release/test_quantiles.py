"""Several percentiles of one column."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.audit.scripted_noise import ScriptedNoise, transcripts
from dpselect.release.open_session import session_factory_of
from dpselect.release.quantiles import release_of
from dpselect.utilities.grid_counts import public_grid
from dpselect.views.grid import EvenGrid


def law(values, shares, grid, epsilon, cuts: int) -> dict[tuple, float]:
    """The exact law of the answers: every path of choices, and how likely it is."""
    answers: dict[tuple, float] = {}

    def once(replay: ScriptedNoise) -> None:
        answer = release_of(
            values, shares, EvenGrid(0, 1, grid), epsilon, None, cuts, session_factory_of(lambda: replay)
        )
        answers[answer.value] = answers.get(answer.value, 0.0) + np.exp(replay.log_chance)

    for _ in transcripts(once, 10**6):
        pass
    return answers


def worst(shares, grid: int, epsilon, cuts: int, most: int) -> float:
    """The largest loss over all neighbours of up to so many records, of the answers."""
    laws = {
        records: law(list(records), shares, grid, epsilon, cuts)
        for size in range(most + 1)
        for records in itertools.combinations_with_replacement(range(grid), size)
    }
    assert all(abs(sum(each.values()) - 1) < 1e-9 for each in laws.values())
    return max(
        abs(np.log(here[answer] / laws[there][answer]))
        for records, here in laws.items()
        for more in range(grid)
        if (there := tuple(sorted([*records, more]))) in laws
        for answer in here
    )


SHARES = [["1/2"], ["1/4", "1/2", "3/4"], ["1/10", "9/10"], ["1/2", "3/5", "99/100"], ["0", "1"]]


@pytest.mark.parametrize("asked", [SHARES[2], SHARES[4]])
def test_the_exact_loss_is_at_most_epsilon(asked) -> None:
    """All multisets of two records on three values of two sub-cells, every answer, the code's own recursion."""
    assert 0.15 < worst([Fraction(each) for each in asked], 3, Fraction(2), 2, 2) / 2 <= 1


def loss(here: list[int], more: int, shares, grid: int, epsilon) -> float:
    """The loss of one record more, as a share of epsilon."""
    first, second = (law(values, shares, grid, epsilon, 1) for values in (here, [*here, more]))
    return max(abs(np.log(first[answer] / second[answer])) for answer in first) / float(epsilon)


def test_nothing_is_given_away() -> None:
    """A share near the end moves by its larger part: the whole epsilon is used, and no more."""
    assert 0.95 < loss([1] * 16, 59, [Fraction(9, 10)], 60, Fraction(1)) <= 1


def test_budgets_add_up_along_a_path() -> None:
    """Two draws that both meet the whole record, at their worst."""
    assert 0.9 < loss([10] * 9, 0, [Fraction(1, 10), Fraction(1, 5)], 12, Fraction(4)) <= 1


@pytest.mark.slow
def test_the_bound_is_attained_in_the_limit() -> None:
    """On a grid of many values."""
    assert 0.998 < loss([1] * 30, 299, [Fraction(9, 10)], 300, Fraction(1)) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["1/2", "2", "6"])
@pytest.mark.parametrize("asked", [*SHARES, ["1/5", "2/5", "3/5", "4/5"]])
def test_the_exact_loss_is_at_most_epsilon_at_length(asked, epsilon) -> None:
    """Three records on three values, and more shares."""
    cuts, most = (2, 3) if len(asked) < 3 else (1, 3)
    found = worst([Fraction(each) for each in asked], 3, Fraction(epsilon), cuts, most) / float(Fraction(epsilon))
    assert 0.1 < found <= 1


@given(st.lists(st.integers(0, 9), max_size=50), st.sets(st.integers(0, 100), min_size=1, max_size=9))
@settings(deadline=None, max_examples=60)
def test_larger_percentages_never_get_smaller_values(values, p) -> None:
    """Monotone by construction, on the grid, in the order asked for."""
    asked = sorted(p, reverse=True)
    found = dps.quantiles(values, p=asked, grid=range(10), epsilon=1).value

    assert list(found) == sorted(found, reverse=True)
    assert set(found) <= set(range(10))


def test_long_runs_of_equal_values_are_cut_anywhere() -> None:
    """Nine in ten records are zero: so are the 10th, 50th and 80th percentile; without cuts the last is not."""
    values = np.concatenate((np.zeros(9000, dtype=np.int64), np.arange(1, 1001)))
    found = dps.quantiles(values, p=[10, 50, 80, 95], grid=range(1001), epsilon=20).value

    assert (0, 0, 0) == found[:3]
    assert abs(found[3] - 500) < 60


def test_many_percentiles_cost_little_more_than_one() -> None:
    """Deciles at a total of 1 on 10^5 records."""
    values = np.arange(10**5)
    asked = list(range(10, 100, 10))
    found = dps.quantiles(values, p=asked, grid=values, epsilon=1).value

    assert np.abs(np.array(found) - np.array(asked) * 1000).max() < 1500


@pytest.mark.parametrize(("p", "ranged"), [([50], True), ([25, 75], False), (range(10, 80, 10), False)])
def test_the_spend_is_one_entry_for_all(p, ranged) -> None:
    """Budgets differ by path, so there are no equal levels; only one draw claims a bounded range."""
    spent = []

    class Book:
        def spend(self, guarantee, *, mechanism, count=1, note=""):
            spent.append((guarantee.epsilon, guarantee.bounded_range, count, mechanism, note))

    release = dps.quantiles([1, 2, 3], p=p, grid=range(5), epsilon=1, method="halving", ledger=Book())

    assert [(1, ranged, 1, "recursive halving", "quantiles")] == spent
    assert (1, ranged) == (release.guarantee.epsilon, release.guarantee.bounded_range)


def test_an_empty_column_is_an_answer_too() -> None:
    """Whether there are records is private."""
    assert 2 == len(dps.quantiles([], p=[50, 90], grid=range(5), epsilon=1).value)


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
        (
            [0.25, 0.5, 0.75],
            range(5),
            ValueError,
            r"^0.25, 0.5 and 0.75 are shares: pass 25, 50 and 75, or q instead of p",
        ),
        ([0, 0.5, 1], range(5), ValueError, "are shares"),
        (
            [0.5],
            range(5),
            ValueError,
            r"share \(the median\)\? For the share pass 50; for 0.5 per cent pass the share 0.005",
        ),
        ([Fraction(1, 4)], range(5), ValueError, "0.25 meant in per cent, or as a share\\? For the share pass 25;"),
    ],
)
def test_bad_percentages_are_refused_before_anything_is_spent(p, grid, error, message: str) -> None:
    """The ledger hears nothing of them."""
    with pytest.raises(error, match=message):
        dps.quantiles([1, 3], p=p, grid=grid, epsilon=1, ledger=Closed())


@pytest.mark.parametrize(
    ("shares", "error", "message"),
    [
        ([], ValueError, "q is empty"),
        ([0.5, Fraction(1, 2)], ValueError, "given twice"),
        ([25, 50, 75], ValueError, "^25, 50 and 75 are percentages: pass p instead of q, or 0.25, 0.5 and 0.75.$"),
        (range(1, 100), ValueError, "^2, 3, ..., 99 are percentages: pass p instead of q, or 0.02, 0.03, ..., 0.99.$"),
        ([0.5, 99.9], ValueError, "^99.9 is a percentage: pass p instead of q, or 0.999.$"),
        ([100], ValueError, "100 is a percentage: pass p instead of q, or 1.$"),
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
        ({"lower": 0, "upper": 9, "step": 10}, ValueError, "2 values or more"),
        ({"lower": 0, "upper": 1, "step": 1e-17}, ValueError, "so fine that floating point"),
        ({"grid": range(9, 0, -1)}, ValueError, "strictly increasing"),
        ({"grid": range(10**18, 10**19, 10**17)}, ValueError, "within 2.61"),
        ({"lower": 1.0, "upper": 1 + 2**-50, "step": 2**-60}, ValueError, "strictly increasing"),
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
    percentages = dps.quantiles(values, p=[100, 50, 0], grid=range(10), epsilon=10**4)

    assert (8, 5, 3) == shares.value == percentages.value


def test_a_share_may_have_any_digits() -> None:
    """A float that is nearly a third, and evenly spaced ones."""
    assert 2 == len(dps.quantiles([1, 3], [1 / 3, 2 / 3], grid=range(5), epsilon=1).value)
    assert 9 == len(dps.quantiles([1, 3], np.linspace(0, 1, 11)[1:-1], grid=range(5), epsilon=1).value)


@pytest.mark.parametrize("p", [[0.1, 99.9], [0, 1], [1, 2]])
def test_small_percentages_that_may_be_meant_are_taken(p) -> None:
    """Beside a larger one, or whole."""
    assert len(p) == len(dps.quantiles([1, 3], p=p, grid=range(5), epsilon=1).value)


HOSTILE = [
    ({"lower": -(2**60), "upper": 2**60}, [-(2**60), -5, 3, 2**60]),
    ({"grid": range(-(2**61), 2**61, 2**40)}, [-(2**61), 0, 2**40, 2**60]),
    ({"lower": -7, "upper": -1}, [-7, -6, -2, -1]),
    ({"grid": [0.0, 5e-324, 1e-323, 1e-320]}, [0.0, 5e-324, 1e-323, 1e-320]),
    ({"lower": 0, "upper": 1e300, "step": 1e299}, [0.0, 1e299, 5e299, 1e300]),
    ({"lower": 0, "upper": 10**6, "step": 1e-9}, [0.0, 1e-9, 0.5, 10**6]),
]


@pytest.mark.parametrize(("bounds", "values"), HOSTILE)
def test_hostile_grids_are_answered_by_their_values(bounds, values) -> None:
    """Beyond 2^53, negative, subnormal, huge, and of 10^15 values: at a large budget the records themselves."""
    chosen = dps.quantiles(np.repeat(values, 5), [0, 0.3, 0.6, 1], **bounds, epsilon=10**4).value

    assert values == list(chosen)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**299), 10**299])
def test_any_epsilon_is_an_answer(epsilon) -> None:
    """Rates far beyond floating point, either way."""
    chosen = dps.quantiles([5, 5, 7], [0.5, 0.9], lower=0, upper=2**40, epsilon=epsilon).value

    assert chosen == (5, 7) or epsilon < 1


def test_shares_may_have_any_denominators() -> None:
    """Thirds as they are, floats digit by digit, and a thousand of them."""
    thirds = dps.quantiles(range(300), [Fraction(1, 3), Fraction(2, 3)], lower=0, upper=299, epsilon=10**4)
    many = np.linspace(0, 1, 101)[1:-1]

    assert (100, 200) == thirds.value
    assert (
        np.abs(np.array(dps.quantiles(range(1000), many, lower=0, upper=999, epsilon=10**4).value) - 1000 * many).max()
        <= 1.5
    )


def test_a_histogram_of_any_number_of_records_is_an_answer() -> None:
    """3 * 10^11 records in each of a thousand cells: the work follows the cells."""
    column = dps.data.Column.from_counts(np.full(1000, 3 * 10**11))
    found = dps.quantiles(column, p=[25, 50, 99.9999], grid=range(1000), epsilon=1).value

    assert np.abs(np.array(found) - [250, 500, 999]).max() <= 1


def test_the_maximum_may_be_one_record_among_very_many() -> None:
    """Share 1 is the last record, not one of the last in 10^8."""
    column = dps.data.Column.from_counts([10**12, 0, 0, 1])

    assert (3,) == dps.quantiles(column, [1], grid=range(4), epsilon=10**4).value
    assert (0, 3) == dps.quantiles(column, p=[50, 100], grid=range(4), epsilon=10**4).value


@pytest.mark.parametrize("hostile", ["x", None, float("nan"), 1e300, -5, 2.5, 10**400, [1]])
def test_a_record_of_any_kind_is_an_answer(hostile) -> None:
    """Outside, between the grid values, or not a number: nothing is refused."""
    assert 2 == len(dps.quantiles([1, 3, hostile], p=[50, 90], grid=range(5), epsilon=1).value)


@pytest.mark.parametrize("total", [1, 20, 10**18])
def test_a_total_of_any_size_is_an_answer(total) -> None:
    """Right or wrong; a right one names the record."""
    chosen = dps.quantiles(range(20), [0.9, 0.95], grid=range(20), epsilon=10**4, total=total).value

    assert chosen == (18, 19) or total != 20


def test_a_right_total_is_more_accurate_far_from_the_middle() -> None:
    """The 90th percentile, at nearly twice the rate."""
    values = range(2000)

    def error(total: int | None) -> float:
        drawn = [dps.quantiles(values, [0.9], grid=values, epsilon=0.1, total=total).value[0] for _ in range(400)]
        return float(np.abs(np.array(drawn) - 1800).mean())

    assert error(2000) < 0.75 * error(None)


@pytest.mark.parametrize(
    ("total", "method", "message"),
    [
        (0, "auto", "total must be an integer of at least 1"),
        (2.5, "auto", "total must be an integer"),
        (True, "halving", "total must be an integer"),
        (2**62 + 1, "auto", "at most 2.62"),
        (9, "tree", "^A tree of counts has no use for total=: leave it out, or name no method=.$"),
    ],
)
def test_a_bad_total_is_refused_before_anything_is_spent(total, method, message: str) -> None:
    """The ledger hears nothing of it."""
    with pytest.raises(ValueError, match=message):
        dps.quantiles([1, 3], [0.5], grid=range(5), epsilon=1, method=method, total=total, ledger=Closed())
