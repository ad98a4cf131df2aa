"""A whole distribution for one price."""

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.histograms.cumulative import curve
from tests.histograms.transcript import losses

VALUES = np.random.default_rng(5).integers(0, 300, 4000)


@pytest.mark.parametrize(("cells", "most"), [(3, 2), (17, 1)])
def test_the_loss_is_exactly_epsilon(cells: int, most: int) -> None:
    """Whichever record changes, over two levels too: post-processing is free, and nothing is wasted."""
    every = 1 if cells < 5 else 2**14 - 1
    assert {Fraction(1)} == {loss for loss, *_ in losses(curve, (cells,), Fraction(1), most, every=every)}


def test_every_answer_agrees_with_the_data_at_a_large_budget() -> None:
    """Quantiles, the minimum and the maximum, shares below, the number of records."""
    release = dps.histograms.cumulative(VALUES, lower=0, upper=299, epsilon=10**5)
    ordered = np.sort(VALUES)

    assert [int(ordered[k]) for k in (0, 1000, 2000, 3999)] == list(release.quantiles([0, 0.25, 0.5, 1]))
    assert release.quantile(Fraction(1, 3)) == ordered[4000 // 3]
    for value in (-5, 0, 17.5, 150, 10**9):
        assert abs(release.share_below(value) - (VALUES < value).mean()) < 1e-3
    assert abs(release.total - 4000) < 1
    assert (np.diff(release.value) >= 0).all()
    assert release.value[0] >= 0
    # Arrays have neither one truth nor a hash, and a release has both.
    assert release == release
    assert 1 == len({release, release})


def test_one_entry_pays_for_all_questions() -> None:
    """The whole epsilon, once, before anything is drawn."""
    spent = []

    class Book:
        def spend(self, guarantee, *, mechanism, count=1, note=""):
            spent.append((guarantee.epsilon, count, mechanism, note))

    release = dps.histograms.cumulative(VALUES, grid=range(300), epsilon=Fraction(1, 2), ledger=Book())
    release.quantiles(np.linspace(0, 1, 101))

    assert [(Fraction(1, 2), 1, "tree of counts", "")] == spent
    assert (Fraction(1, 2), "tree of counts") == (release.guarantee.epsilon, release.mechanism)
    assert "CumulativeHistogram(300 values, Guarantee(epsilon=1/2, neighbours='add-remove'))" == repr(release)


@pytest.mark.parametrize("values", [[], ["x", None], [7] * 3])
def test_any_column_is_an_answer(values) -> None:
    """Whether there are records, and whether any is left of the noise, is private."""
    for _ in range(5):
        release = dps.histograms.cumulative(values, lower=0, upper=99, epsilon=0.1)
        assert 0 <= release.quantile(0.5) <= 99
        assert 0 <= release.share_below(50) <= 1


class Closed:
    """A ledger that must not hear of anything."""

    def spend(self, *_, **__):
        """Fail the test."""
        raise AssertionError


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"epsilon": 1}, dps.PrivacyError, "pass grid="),
        ({"grid": range(2**22 + 1), "epsilon": 1}, ValueError, "at most 4194304 values"),
        ({"lower": 0, "upper": 10**12, "epsilon": 1}, ValueError, "at most 4194304 values"),
        ({"grid": range(5), "epsilon": 1e-9}, ValueError, "at least 1/10000"),
        ({"grid": range(5), "epsilon": -1}, ValueError, "positive"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_spent(arguments, error, message: str) -> None:
    """In one sentence."""
    with pytest.raises(error, match=message):
        dps.histograms.cumulative([1, 2], **arguments, ledger=Closed())


@pytest.mark.parametrize("share", [25, -0.1, np.nan, "0.5"])
def test_only_shares_are_answered(share) -> None:
    """Percentages are named as such."""
    with pytest.raises((TypeError, ValueError), match="shares|percentage|from 0 to 1"):
        dps.histograms.cumulative([1, 2], grid=range(5), epsilon=1).quantile(share)
