"""The library does not grow: every size has a limit in size.toml, and limits only fall."""

from __future__ import annotations

import ast

import pytest

from tests.contracts import size

# How far a number may lie below its limit before the limit must be lowered.
SLACK = 0.03


@pytest.fixture(scope="module")
def sizes() -> dict[str, int]:
    """What the library has now."""
    return size.sizes()


def test_nothing_grows(sizes) -> None:
    """Make something else smaller, or say in the commit why a limit rises."""
    limits = size.limits()
    above = {name: (number, limits.get(name, 0)) for name, number in sizes.items() if number > limits.get(name, 0)}

    assert above == {}, "More than the limit: now, limit."


def test_a_limit_follows_what_falls(sizes) -> None:
    """Run ``python -m tests.contracts.size --write`` where something became smaller; a room that is gone has none."""
    loose = {name: limit for name, limit in size.limits().items() if sizes.get(name, -1) < limit * (1 - SLACK) - 20}

    assert loose == {}
    assert sizes.keys() == size.limits().keys()


def test_lines_of_code_are_those_that_run() -> None:
    """Neither comments nor docstrings nor blank lines."""
    source = '# One.\ndef f():\n    """Two.\n\n    Three.\n    """\n\n    return (1,\n            2)\n'

    assert size.code_lines(ast.walk(ast.parse(source))) == 3


def test_exceptions_are_told_by_their_bases() -> None:
    """Also those that derive from others of the library."""
    raised = size.exceptions()

    assert {"PrivacyError", "BudgetError", "ValueError"} <= raised
    assert not {"Guarantee", "Scores"} & raised


def test_a_written_limit_is_read_again(tmp_path, monkeypatch) -> None:
    """Names with blanks among them."""
    monkeypatch.setattr(size, "LIMITS", tmp_path / "size.toml")
    size.LIMITS.write_text(size.written({"lines of kernel": 3, "bytes": 5}), encoding="utf-8")

    assert size.limits() == {"lines of kernel": 3, "bytes": 5}
