"""Advice on a library that is missing: with an extra of dpselect, from a clone.

The name dpselect is not registered on the package index, so no message may say ``pip install dpselect``.
"""

from __future__ import annotations

from dpselect.kernel.errors import MissingLibraryError

# The modules that the extra of learners brings, and what people call their libraries.
LEARNERS = {"sklearn": "scikit-learn", "narwhals": "narwhals", "joblib": "joblib"}


def install(extra: str) -> str:
    """Return the command that installs an extra, as messages print it.

    >>> print(f"Pictures need matplotlib: {install('plot')}.")
    Pictures need matplotlib: python -m pip install ".[plot]" in a clone of dpselect.
    """
    return f'python -m pip install ".[{extra}]" in a clone of dpselect'


def not_installed(what: str, extra: str) -> ImportError:
    """Return the error of something that needs a library of an extra.

    >>> not_installed("Edge files need pyarrow", "graph")
    MissingLibraryError('Edge files need pyarrow: python -m pip install ".[graph]" in a clone of dpselect.')
    """
    return MissingLibraryError(f"{what}: {install(extra)}.")


def missing(error: ImportError, extra: str | None = None) -> ImportError:
    """Return the error of a module that is not there: which library has it, and an extra that brings the library.

    Args:
        error: what the import raised.
        extra: that one, instead of the smallest that is known.

    >>> missing(ModuleNotFoundError(name="sklearn.tree"))
    MissingLibraryError('scikit-learn is not installed: python -m pip install ".[learn]" in a clone of dpselect.')
    """
    module = (error.name or "A library").partition(".")[0]
    library = LEARNERS.get(module, module)
    return not_installed(f"{library} is not installed", extra or ("learn" if module in LEARNERS else "all"))
