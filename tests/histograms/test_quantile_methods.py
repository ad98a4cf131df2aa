"""Which method chooses several quantiles, and that either answers alike."""

import numpy as np
import pytest

import dpselect as dps

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


@pytest.mark.parametrize(
    ("shares", "method", "mechanism"),
    [
        ([0.5], "auto", "recursive halving"),
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
