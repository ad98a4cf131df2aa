"""Every exception of dpselect has one base, and only exceptions are called errors."""

from __future__ import annotations

import ast
import builtins

import pytest

import dpselect as dps
from dpselect.kernel.errors import (
    ExistingFileError,
    FileError,
    ForbiddenFileError,
    InputError,
    InputTypeError,
    LostConnectionError,
    MissingFileError,
    MissingLibraryError,
)
from tests.contracts.syntax import SOURCE, modules, nodes, parsed, statements

BASE = "DPSelectError"
# Exceptions that tell dpselect's own code how to go on, and reach no caller.
SIGNALS = {
    "ledger/recording.py:StopAtSpend": "a dry run has come to its spend",
    "sources/ordinals.py:RowsMoved": "rows are counted and drawn again",
}


def classes() -> dict[str, list[str]]:
    """Return the names of the bases of every class, by its file and its name."""
    found = {}
    for path in modules():
        for node in statements(parsed(path)):
            if isinstance(node, ast.ClassDef):
                bases = [ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases]
                found[f"{path.relative_to(SOURCE).as_posix()}:{node.name}"] = bases
    return found


def ancestors(bases: list[str], known: dict[str, list[str]]) -> set[str]:
    """Return all bases, those of bases too, by their names alone."""
    result, waiting = set[str](), [*bases]
    while waiting:
        name = waiting.pop()
        if name not in result:
            result.add(name)
            waiting += [base for place, more in known.items() if place.endswith(f":{name}") for base in more]
    return result


def has(names: set[str], kind: type) -> bool:
    """Return whether one of the names is a built-in class of this kind."""
    found = (getattr(builtins, name, None) for name in names)
    return any(isinstance(each, type) and issubclass(each, kind) for each in found)


@pytest.fixture(scope="module")
def exceptions() -> dict[str, set[str]]:
    """The exceptions of the library, and all bases of each."""
    known = classes()
    every = {place: ancestors(bases, known) for place, bases in known.items()}
    return {place: names for place, names in every.items() if has(names, BaseException)}


def test_every_exception_has_our_base(exceptions) -> None:
    """But warnings, private ones, and signals to our own code."""
    assert len(exceptions) > 20
    for place, bases in exceptions.items():
        name = place.partition(":")[2]
        if name != BASE and not name.startswith("_") and place not in SIGNALS and not has(bases, Warning):
            assert BASE in bases, f"{place}: make it a DPSelectError, with its built-in base after that."


def test_signals_are_there_and_no_errors(exceptions) -> None:
    """A signal that became an error, or that went, leaves the list."""
    assert all(BASE not in exceptions[place] for place in SIGNALS)


def test_only_exceptions_are_called_errors(exceptions) -> None:
    """A bound on an error is no error."""
    wrong = [place for place in classes() if place.endswith("Error") and place not in exceptions]

    assert not wrong, f"{', '.join(wrong)}: a class that is no exception has another name."


def test_what_dpselect_says_has_its_own_type() -> None:
    """A command line prints the words of these alone: those of a built-in exception may be another library's."""
    plain = {"ValueError", "TypeError", "ImportError", *(e for e in dir(builtins) if has({e}, OSError))}
    for path in (*modules(), *modules(SOURCE.parents[1] / "research")):
        for node in nodes(path):
            # Built, whether it is raised here or by who called; an error number of the system is no words.
            if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.func, ast.Name):
                where = f"{path.name}, line {node.lineno}"
                assert node.func.id not in plain, f"{where}: raise an error of dpselect.kernel.errors."


def test_what_users_caught_they_still_catch() -> None:
    """Our base, and the built-in one where there is one."""
    from dpselect.certificates.certificate import CertificateError
    from dpselect.client.problem import AnswerLostError
    from dpselect.ledger import UncertainSpendError

    with dps.budget(epsilon=1), pytest.raises(dps.DPSelectError):
        dps.select(dps.Scores([1], 1), epsilon=2)
    for ours, builtin in (
        (CertificateError, ValueError),
        (AnswerLostError, ConnectionError),
        (UncertainSpendError, ConnectionError),
        (InputError, ValueError),
        (InputTypeError, TypeError),
        (FileError, OSError),
        (MissingFileError, FileNotFoundError),
        (ExistingFileError, FileExistsError),
        (ForbiddenFileError, PermissionError),
        (LostConnectionError, ConnectionError),
        (MissingLibraryError, ImportError),
    ):
        assert issubclass(ours, dps.DPSelectError)
        assert issubclass(ours, builtin)
