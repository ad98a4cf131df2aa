"""Shared by all tests: fixed entropy, so that no test of randomness depends on luck, and the data of a few."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import settings

# Examples of a quick run; -m slow has contracts with more.
settings.register_profile("quick", max_examples=40)
settings.load_profile("quick")


def pytest_collection_finish() -> None:
    """Thousands of tests live until the end: the collector of garbage need not look at them again and again."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """DuckDB complains of connections that outlive Python: Ibis keeps one for tables in memory."""
    gc.unfreeze()
    options = sys.modules["ibis"].options if "ibis" in sys.modules else None
    if options is not None and options.default_backend is not None:
        options.default_backend.disconnect()
        options.default_backend = None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What needs research data says so, where there are none."""
    if item.get_closest_marker("data") and "DPSELECT_DATA" not in os.environ:
        pytest.skip("set DPSELECT_DATA to the folder with manifest.toml")


@pytest.fixture
def entropy() -> Callable[[int], bytes]:
    """A fixed stream of bytes, in place of the operating system's."""
    return np.random.Generator(np.random.Philox(20261121)).bytes
