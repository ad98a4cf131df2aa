"""Loops over graphs, compiled."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from dpselect._optional import not_installed

Kernel = Callable[..., Any]


@cache
def compile_loop(kernel: Kernel) -> Kernel:
    """Return the loop, compiled at its first call on a machine: numba keeps the result on disk.

    Raises:
        ImportError: numba is not installed.
    """
    try:
        from numba import njit
    except ImportError:
        raise not_installed("Graph measures need numba", "graph") from None
    try:
        result: Kernel = njit(cache=True, nogil=True)(kernel)
    except RuntimeError:
        # Nowhere to write: compile in every process.
        result = njit(nogil=True)(kernel)
    return result
