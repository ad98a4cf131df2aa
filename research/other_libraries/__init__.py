"""Another library's promises, compared with its own draws and the laws of what it says that it draws.

The installed release is called through its public functions. Where a law is the one its documentation names, the
draws are tested against it first; the loss is then computed from the law that the draws follow, not from samples.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from dpselect._optional import install
from dpselect.kernel.errors import InputError, MissingLibraryError
from research.other_libraries.finding import Check, Finding, Library

LIBRARIES = ("opendp", "diffprivlib", "dp-accounting")

__all__ = ["LIBRARIES", "Check", "Finding", "Library", "installed", "of"]


def of(library: str, names: Sequence[str] = (), *, budget: float = float("inf")) -> Iterator[Finding]:
    """Audit the installed release of another library; nothing private is involved.

    Args:
        library: "opendp", "diffprivlib" or "dp-accounting".
        names: beginnings of the functions to audit, such as "make_noisy"; all when there is none.
        budget: seconds after which no further check begins; the rest is reported as not run.

    Returns:
        One finding per claim, as soon as it is known. A release differs from another, so a finding names its version.

    Raises:
        ImportError: the library is not installed, or cannot be imported with what is.
        ValueError: there is no such library, or no such function among those that are audited.

    >>> next(of("opendp", ["make_laplace_threshold"], budget=0)).verdict
    'not run'
    """
    peer = installed(library)
    for name in names:
        if not any(check.function.startswith(name) for check in peer.checks):
            known = ", ".join(dict.fromkeys(check.function for check in peer.checks))
            raise InputError(f"Nothing of {library} that is audited begins with {name!r}: pass one of {known}.")
    chosen = [check for check in peer.checks if not names or check.function.startswith(tuple(names))]
    return _findings(peer, chosen, budget)


def installed(library: str) -> Library:
    """Return what is audited of a library, with the version of the installed release.

    Raises:
        ImportError, ValueError: as :func:`of`.
    """
    if library not in LIBRARIES:
        raise InputError(f"There are audits of {', '.join(LIBRARIES)}, not of {library!r}.")
    try:
        release = version(library)
    except PackageNotFoundError:
        raise MissingLibraryError(
            f"{library} is not installed, so there is nothing to audit: {install('peers')}, into an environment of its "
            "own, for it brings an older scikit-learn."
        ) from None
    try:
        import_module(_module(library))
    except ImportError:
        raise MissingLibraryError(
            f"{library} {release} does not import with the packages beside it: {install('peers')}, into an environment "
            "of its own."
        ) from None
    peer = import_module(f"research.other_libraries.{_module(library)}_claims")
    return Library(library, release, peer.checks(), peer.NOT_TESTED)


def _module(library: str) -> str:
    return library.replace("-", "_")


def _findings(peer: Library, checks: Sequence[Check], budget: float) -> Iterator[Finding]:
    start = time.monotonic()
    for check in checks:
        if time.monotonic() - start >= budget:
            yield Finding(peer.name, peer.version, check.function, check.setting, "", "", "not run")
            continue
        outcome = check.run()
        verdict = "kept" if outcome.kept else "BROKEN"
        yield Finding(peer.name, peer.version, check.function, check.setting, outcome.claim, outcome.computed, verdict)
