"""Chances of a false alarm: a test of fresh randomness declares its own, and may not use more.

    @pytest.mark.chance(5e-6)
    def test_draws_follow_their_law() -> None:
        believe(p_value(1), 1e-6)
        reject(p_value(0.7), 1e-6, power=1 - 1e-6)

The mark is what the test may fail by, though nothing is wrong; of a test with parameters, each case. The marks of the
quick tests add up to at most ``MOST`` (tests/contracts/test_chances.py). A test with fixed bytes, such as those of the
fixture ``entropy``, has no such chance and no mark.
"""

from __future__ import annotations

import pytest

from dpselect.audit.sampler import FALSE_ALARM, SamplerVerdict

MOST = 1e-4
# What is left of the mark of the test that runs; None where it has none.
left: list[float | None] = [None]


def begin(item: pytest.Item) -> None:
    """Give a test what its mark says."""
    mark = item.get_closest_marker("chance")
    left[0] = None if mark is None else float(mark.args[0])


def accept(verdict: SamplerVerdict) -> None:
    """Assert that draws follow their law and no wrong one."""
    _use(FALSE_ALARM + sum(1 - each.power for each in verdict.rejections))
    assert verdict.is_accepted, str(verdict)


def believe(p_value: float, level: float) -> None:
    """Assert that a law is believed, which fails with probability ``level`` where it is true."""
    _use(level)
    assert p_value > level, p_value


def reject(p_value: float, level: float, *, power: float) -> None:
    """Assert that a wrong law is rejected, which succeeds with probability ``power`` where the right one is true."""
    _use(1 - power)
    assert p_value < level, p_value


def _use(chance: float) -> None:
    if left[0] is None:
        raise RuntimeError("Declare how often this test may fail by chance: @pytest.mark.chance(1e-6).")
    left[0] -= chance
    if left[0] < -1e-12:
        raise RuntimeError(f"This test may fail by chance more often than its mark says, by {-left[0]:.2g}.")
