"""Every exception of dpselect has one base, and only exceptions are called errors."""

from __future__ import annotations

import ast
import builtins
from pathlib import Path

import pytest

import dpselect as dps

SOURCE = Path(dps.__file__).parent
BASE = "DPSelectError"
# Exceptions that tell dpselect's own code how to go on, and reach no caller.
SIGNALS = {
    "ledger/recording.py:StopAtSpend": "a dry run has come to its spend",
    "sources/ordinals.py:Moved": "rows are counted and drawn again",
}


def classes() -> dict[str, list[str]]:
    """Return the names of the bases of every class, by its file and its name."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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


KNOWN = classes()
EXCEPTIONS = {place: names for place, bases in KNOWN.items() if has(names := ancestors(bases, KNOWN), BaseException)}


@pytest.mark.parametrize("place", EXCEPTIONS)
def test_every_exception_has_our_base(place: str) -> None:
    """But warnings, private ones, and signals to our own code."""
    name = place.partition(":")[2]
    if name != BASE and not name.startswith("_") and place not in SIGNALS and not has(EXCEPTIONS[place], Warning):
        assert BASE in EXCEPTIONS[place], f"{place}: make it a DPSelectError, with its built-in base after that."


def test_signals_are_there_and_no_errors() -> None:
    """A signal that became an error, or that went, leaves the list."""
    assert all(BASE not in EXCEPTIONS[place] for place in SIGNALS)


def test_only_exceptions_are_called_errors() -> None:
    """A bound on an error is no error."""
    wrong = [place for place in KNOWN if place.endswith("Error") and place not in EXCEPTIONS]

    assert not wrong, f"{', '.join(wrong)}: a class that is no exception has another name."


def test_what_users_caught_they_still_catch() -> None:
    """Our base, and the built-in one where there is one."""
    from dpselect.certificates.certificate import Changed
    from dpselect.client.problem import NoAnswer
    from dpselect.ledger import UncertainSpend

    with dps.budget(epsilon=1), pytest.raises(dps.DPSelectError):
        dps.select(dps.Scores([1], 1), epsilon=2)
    for ours, builtin in ((Changed, ValueError), (NoAnswer, ConnectionError), (UncertainSpend, ConnectionError)):
        assert issubclass(ours, dps.DPSelectError)
        assert issubclass(ours, builtin)
