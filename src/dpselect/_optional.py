"""How a library that is missing is installed: with an extra of dpselect, from a clone.

The name dpselect is not registered on the package index, so no message may say ``pip install dpselect``.
"""

from __future__ import annotations


def install(extra: str) -> str:
    """Return the command that installs an extra, as messages print it.

    >>> print(f"Pictures need matplotlib: {install('plot')}.")
    Pictures need matplotlib: python -m pip install ".[plot]" in a clone of dpselect.
    """
    return f'python -m pip install ".[{extra}]" in a clone of dpselect'


def not_installed(what: str, extra: str) -> ImportError:
    """Return the error of something that needs a library of an extra.

    >>> not_installed("Edge files need pyarrow", "graph")
    ImportError('Edge files need pyarrow: python -m pip install ".[graph]" in a clone of dpselect.')
    """
    return ImportError(f"{what}: {install(extra)}.")
