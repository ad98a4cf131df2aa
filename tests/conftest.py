"""Shared by all tests: fixed entropy, so that no test of randomness depends on luck."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest


@pytest.fixture
def entropy() -> Callable[[int], bytes]:
    """A fixed stream of bytes, in place of the operating system's."""
    return np.random.Generator(np.random.Philox(20261121)).bytes
