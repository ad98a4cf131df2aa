"""Which method chooses several quantiles, and that either answers alike."""

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.release import median
from tests.web.server.test_answers_law import law_of_share

MANY = np.arange(1, 61) / 61


@pytest.mark.parametrize(
    ("quantiles", "candidates", "records", "method"),
    [
        (1, 100, None, "halving"),
        (49, 2**14, None, "halving"),
        (50, 2**14, None, "tree"),
        (50, 2**14 + 1, None, "halving"),
        (199, 2**17, None, "halving"),
        (200, 2**17, None, "tree"),
        (10**6, 2**17 + 1, None, "halving"),
        # 4 ln 4096 is 33.27: 26 * 33 is below, 26 * 34 above.
        (25, 4096, 26 * 33, "tree"),
        (25, 4096, 26 * 34, "joint"),
        (26, 4096, 27 * 34, "halving"),
        (4, 2**16, 5 * 45, "joint"),
        (4, 2**16, 5 * 44, "halving"),
        (4, 2**16 + 1, 5 * 99, "halving"),
        (3, 4096, 10**6, "halving"),
        (9, 4096, None, "halving"),
        (24, 4096, 1, "halving"),
        (49, 2**15, 1, "halving"),
    ],
)
def test_the_rule_is_what_its_page_says(quantiles, candidates, records, method: str) -> None:
    """Public facts only, on both sides of every bar."""
    known = {} if records is None else {"epsilon": 1, "records": records}
    assert method == dps.accuracy.quantile_method(quantiles, candidates, **known)


@pytest.mark.parametrize("arguments", [{"epsilon": 1}, {"records": 9}])
def test_epsilon_and_records_go_together(arguments) -> None:
    """One of them says nothing."""
    with pytest.raises(ValueError, match="both, or neither"):
        dps.accuracy.quantile_method(30, 100, **arguments)
    with pytest.raises(ValueError, match="at least 1"):
        dps.accuracy.quantile_method(0, 100)


SKEWED = np.random.default_rng(1).geometric(0.02, 400).clip(0, 255)


@pytest.mark.parametrize("by", [None, ["a"] * SKEWED.size])
def test_a_single_quantile_is_chosen_as_the_median_is(monkeypatch: pytest.MonkeyPatch, by) -> None:
    """The same scores, mechanism and epsilon, so the same law; another method, or a total, keeps its own."""
    asked = []
    for name in ("select", "chosen_by_group"):
        real = getattr(median, name)

        def noting(*given, real=real, **named):
            asked.append((given, named))
            return real(*given, **named)

        monkeypatch.setattr(median, name, noting)
    table = {"values": SKEWED, "lower": 0, "upper": 255, "epsilon": 0.3}
    table |= {} if by is None else {"by": by, "groups": ["a"]}
    one, several = dps.median(**table), dps.quantiles(q=[0.5], **table)

    (first, first_named), (second, second_named) = asked
    if by is None:
        laws = [
            named["mechanism"].pmf(given[0], named["epsilon"])
            for given, named in ((first, first_named), (second, second_named))
        ]
        assert np.array_equal(*laws)
    else:
        assert [str(each) for each in first[1:]] == [str(each) for each in second[1:]]
        assert first_named == second_named
    assert (one.mechanism, one.guarantee, repr(one.error_bound)) == (
        several.mechanism, several.guarantee, repr(several.error_bound)
    )  # fmt: skip
    assert len(several.value if by is None else several.value["a"]) == 1
    assert isinstance(several.value, tuple if by is None else dict)

    dps.quantiles(q=[0.5], method="halving", **table)
    dps.quantiles(q=[0.4, 0.5], **table)
    if by is None:
        dps.quantiles(q=[0.5], total=400, **table)
    assert len(asked) == 2


@pytest.mark.parametrize("share", ["1/2", "9/10", "1/20"])
def test_a_single_quantile_errs_no_more_than_by_halving(share) -> None:
    """By the laws themselves, in the mean distance of records from the rank that is asked for, on a skewed column."""
    exact, epsilon, counts = Fraction(share), 0.1, np.bincount(SKEWED, minlength=256)
    reached = counts.cumsum()
    rank = float(exact) * reached[-1]
    errors = np.maximum(0, np.maximum(reached - counts - rank, rank - reached))
    scores = dps.utilities.percentile(SKEWED, float(100 * exact), lower=0, upper=255)
    chosen = dps.mechanism("permute-and-flip").pmf(scores, epsilon)
    halved = law_of_share(SKEWED.tolist(), 256, exact, epsilon, 64)

    assert chosen @ errors < 1.01 * sum(halved[value,] * error for value, error in enumerate(errors.tolist()))


@pytest.mark.parametrize(
    ("shares", "method", "mechanism"),
    [
        ([0.4, 0.5], "auto", "recursive halving"),
        ([0.5], "halving", "recursive halving"),
        (MANY, "auto", "tree of counts"),
        (MANY, "halving", "recursive halving"),
        ([0.2, 0.9], "tree", "tree of counts"),
    ],
)
def test_the_release_says_which_method_ran(shares, method: str, mechanism: str) -> None:
    """In the release and in the ledger, as one entry; the answers are in the order of the shares."""
    spent = []

    class Book:
        def spend(self, guarantee, *, mechanism, count=1, note=""):
            spent.append((guarantee.epsilon, count, mechanism, note))

    asked = list(shares)[::-1]
    release = dps.quantiles(np.arange(2000), asked, grid=range(2000), epsilon=50, method=method, ledger=Book())

    assert mechanism == release.mechanism
    assert [(50, 1, mechanism)] == [each[:3] for each in spent]
    assert np.abs(np.array(release.value) - 2000 * np.array(asked)).max() < 60


@pytest.mark.parametrize("method", ["halving", "tree"])
def test_percentages_and_shares_are_the_same_by_either_method(method: str) -> None:
    """At a budget that leaves no doubt."""
    values, grid = np.repeat([3, 5, 6, 8], 25), range(10)

    assert (8, 5, 3) == dps.quantiles(values, [1, 0.4, 0], grid=grid, epsilon=10**5, method=method).value
    assert (8, 5, 3) == dps.quantiles(values, p=[100, 40, 0], grid=grid, epsilon=10**5, method=method).value


def test_what_is_too_little_for_a_tree_is_drawn_by_halving() -> None:
    """The method that was asked for refuses; the other answers."""
    release = dps.quantiles([1], MANY, grid=range(100), epsilon=1e-5)

    assert "recursive halving" == release.mechanism
    with pytest.raises(ValueError, match="at least 1/10000"):
        dps.quantiles([1], MANY, grid=range(100), epsilon=1e-5, method="tree")


class Closed:
    """A ledger that must not hear of anything."""

    def spend(self, *_, **__):
        """Fail the test."""
        raise AssertionError


@pytest.mark.parametrize("method", ["Joint", "Auto", "", None])
def test_another_method_is_refused(method) -> None:
    """Before anything is spent."""
    with pytest.raises(ValueError, match="auto, halving, joint or tree"):
        dps.quantiles([1, 2], [0.5], grid=range(5), epsilon=1, method=method, ledger=Closed())
