"""Gaps to the best score are taken part by part, and are those of all scores together."""

from fractions import Fraction

import numpy as np
import pytest

from dpselect.kernel.units import TICKS
from dpselect.mechanisms.gaps import GAP_CLIP, gap_ticks


@pytest.mark.parametrize("best", [0, 2**15 - 1, 2**15, 70_000])
def test_every_part_is_measured_from_the_best_of_all(best: int) -> None:
    """Wherever the best stands, and as deep as gaps are clipped."""
    values = np.random.default_rng(best).normal(0, 10, 2**16 + 5_000)
    values[best], values[1], values[-1] = 99.0, -1e12, -1e12
    unit = gap_ticks(values, 1.0, 2)

    exact = np.floor(np.maximum((values - 99.0) * TICKS, -GAP_CLIP * TICKS)).astype(np.int64)
    assert unit.ticks.shape == values.shape
    assert unit.span == Fraction(2 * TICKS + 3)
    assert unit.ticks.max() == unit.ticks[best] == 0
    assert unit.ticks.min() == -int(GAP_CLIP) * TICKS
    # A rounded difference may fall on the other side of a tick.
    assert np.abs(unit.ticks - exact).max() <= 1
