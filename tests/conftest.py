"""Shared by all tests: fixed entropy, so that no test of randomness depends on luck, and the data of a few."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import settings

from dpselect import datasets
from dpselect.mechanisms import large_epsilon
from tests import chance

# Examples of a quick run; -m slow has contracts with more.
settings.register_profile("quick", max_examples=40)
settings.load_profile("quick")


def pytest_collection_finish() -> None:
    """Thousands of tests live until the end: the collector of garbage need not look at them again and again."""
    gc.freeze()


def pytest_sessionfinish() -> None:
    """DuckDB complains of connections that outlive Python: Ibis keeps one for tables in memory."""
    gc.unfreeze()
    options = sys.modules["ibis"].options if "ibis" in sys.modules else None
    if options is not None and options.default_backend is not None:
        options.default_backend.disconnect()
        options.default_backend = None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What needs research data that are not here is skipped: those that the mark names, or a folder beside ours."""
    chance.begin(item)
    mark = item.get_closest_marker("data")
    if mark is None:
        return
    if not mark.args and not os.environ.get("DPSELECT_DATA"):
        pytest.skip("set DPSELECT_DATA to a folder with manifest.toml")
    known = datasets.every()
    if missing := [name for name in mark.args if name not in known or not known[name].here]:
        pytest.skip(f"set DPSELECT_DATA to a folder with {', '.join(missing)}")


@pytest.fixture(autouse=True, scope="module")
def _every_epsilon_is_meant() -> Iterator[None]:
    """Tests draw at enormous epsilons to see the best win; what users may do without a word is tested by itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_epsilon, "LARGEST", Fraction(10**301))
        yield


@pytest.fixture(autouse=True, scope="module")
def _what_earlier_files_made_is_no_garbage() -> None:
    """A search through secret runs collects garbage after each; it need not look at modules and caches of others."""
    gc.freeze()


@pytest.fixture
def entropy() -> Callable[[int], bytes]:
    """A fixed stream of bytes, in place of the operating system's."""
    return np.random.Generator(np.random.Philox(20261121)).bytes
