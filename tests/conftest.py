"""Shared by all tests: fixed entropy, so that no test of randomness depends on luck, and the data of a few."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import pytest


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What needs research data says so, where there are none."""
    if item.get_closest_marker("data") and "DPSELECT_DATA" not in os.environ:
        pytest.skip("set DPSELECT_DATA to the folder with manifest.toml")


@pytest.fixture
def entropy() -> Callable[[int], bytes]:
    """A fixed stream of bytes, in place of the operating system's."""
    return np.random.Generator(np.random.Philox(20261121)).bytes
