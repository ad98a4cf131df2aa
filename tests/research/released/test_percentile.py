"""The percentile of Chaves 2024 as released: its score, its losses, and that it releases nothing."""

from functools import partial

import numpy as np
import pytest

import dpselect as dps
from research.papers import percentile_losses
from research.papers import smooth_noisy_max_figure_7 as study
from research.papers.released.figure_7_logs import LOGS
from research.papers.released.percentile import released_percentile

released = partial(released_percentile, unsound="reproduction")


@pytest.mark.parametrize("unsound", [None, "yes", ""])
def test_the_score_is_refused_unless_it_is_asked_for_as_unsound(unsound: str | None) -> None:
    """Its scores are ordinary ones, which any mechanism would release with a guarantee that they do not have."""
    with pytest.raises(dps.PrivacyError, match='pass unsound="reproduction".*dpselect.utilities.percentile'):
        released_percentile([1, 2, 2], unsound=unsound)


def test_the_window_is_counted_around_the_median_whatever_the_percentile() -> None:
    """Two equal values on either side of the middle are five steps at p = 50; three far from it are one at p = 90."""
    records = [1, 1, 1, 2, 2, 2, 2, 2, 9, 9, 9]
    at = {p: released(records, p).sensitivity for p in (50, 90)}

    # Five values of 2, two of them before the middle one and two after it.
    assert at[50].at([4, 5])[:, 0].tolist() == [0, 1]
    assert at[90].at([0, 1])[:, 0].tolist() == [0, 1]
    assert released(records, 90).values.tolist() == [0] * 8 + [1] * 3
    assert released([], 50, grid=[0, 1]).values.tolist() == [0, 0]


@pytest.mark.parametrize("series", [study.SNM_T, pytest.param(study.SNM_LAP, marks=pytest.mark.slow)])
def test_as_released_it_loses_more_than_epsilon_and_releases_nothing(series: str) -> None:
    """On tables of eight records, at a budget of the figure; the sound calibration keeps epsilon there."""
    epsilon = study.AUTHORS_GRID[12]
    fenced = study.mechanism(series)

    assert percentile_losses.of_percentile(fenced, released, epsilon) > 2 * epsilon
    with pytest.raises(dps.PrivacyError, match="releases nothing"):
        dps.select(released([1, 2, 2], grid=[1, 2]), epsilon=1, mechanism=fenced)
    sound = percentile_losses.of_percentile(study.mechanism(study.SOUND), percentile_losses.winner, epsilon)
    assert sound <= epsilon * (1 + 1e-9)


def test_the_logged_values_end_near_the_percentile() -> None:
    """Nine lines, thirty budgets at most: from a mean of all counts to the percentile itself."""
    assert len(LOGS) == 9
    assert sum(map(len, LOGS.values())) == 260
    assert LOGS["hepth", 50][-1] == pytest.approx(41, abs=1e-4)
    assert all(np.ptp(line) > 0 for line in LOGS.values())
