"""The page on private selection names what is there: functions, commands, and functions of the installed OpenDP."""

import re
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli.command_registry import lines, panels

DOCS = Path(__file__).parents[2] / "docs"
OURS = (DOCS / "explanation" / "private-selection.md").read_text(encoding="utf-8")
_, PEERS = (DOCS / "measured" / "other-tools.md").read_text(encoding="utf-8").split("## What other libraries name")


def test_functions_and_commands_of_the_page_exist() -> None:
    """Every dps.name is public, and every command a verb; every verb that selects is on the page."""
    named = set(re.findall(r"`dps\.(\w+)", OURS))
    # A command after the first of a cell goes without its first word.
    commands = set(re.findall(r"`(?:dpselect|python -m research) ([\w-]+)", OURS)) | (
        set(re.findall(r"`([\w-]+)", OURS)) & {*lines()}
    )

    assert len(named) > 15
    assert not [name for name in named if not hasattr(dps, name)]
    assert commands <= {*lines()}
    selecting = {*panels()["Ask a private table or graph"], "plan", "train", "choose", "compare", "audit"}
    assert selecting <= commands


def test_functions_of_opendp_are_where_the_page_says() -> None:
    """Of the release that it names; and no function for streams, which it says was not found."""
    pytest.importorskip("opendp", reason='OpenDP is not installed: python -m pip install ".[peers]"')
    if not PEERS.count(f"OpenDP {version('opendp')}"):
        pytest.skip("The page is about another release of OpenDP.")
    modules = [import_module(f"opendp.{name}") for name in ("measurements", "combinators", "transformations")]
    names = {name for module in modules for name in dir(module)} | {*dir(import_module("opendp.accuracy"))}

    assert {*re.findall(r"`(make_\w+|laplacian_\w+)`", PEERS)} - {"make_"} <= names
    assert not [name for name in names if "above" in name or "sparse" in name]
