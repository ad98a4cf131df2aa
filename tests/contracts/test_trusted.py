"""What one release must trust fits in 900 lines, and the page names all of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.audit import trusted_base
from tests.proofs import table

PAGE = (Path(__file__).parents[2] / "docs" / "trusted.md").read_text(encoding="utf-8")
FUNCTIONS = [name for row in table.rows(table.PAGE.read_text(encoding="utf-8")) for name in row.functions]
MECHANISMS = list(dps.mechanisms.MECHANISMS)
# What any release by any of these runs, seen by watching it.
MOST = 900


@pytest.mark.parametrize("name", MECHANISMS)
def test_one_release_trusts_fewer_than_nine_hundred_lines(name: str) -> None:
    """Door, coins, units, guarantee, budget and one sampler, documentation included."""
    found = trusted_base.trusted_definitions(name)

    assert sum(each.lines for each in found) < MOST, (
        "Move what this release does not need out of kernel or the session."
    )


def test_the_page_prints_the_sums_of_today() -> None:
    """Whoever changes the kernel prints them again."""
    assert trusted_base.table() in PAGE, "Put the output of dpselect.audit.trusted_base.table() into docs/trusted.md."


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_page_names_every_function_and_class(name: str) -> None:
    """With what breaks if it is wrong, and what checks it."""
    for each in trusted_base.trusted_definitions(name):
        top = each.place.partition(":")[2].partition(".")[0]
        if not re.fullmatch(r"_?[A-Z_]+|session", top):
            assert f"`{top}`" in PAGE, f"docs/trusted.md does not say what breaks if {each.place} is wrong: add a row."


def test_the_page_counts_the_files_of_a_total() -> None:
    """Whole files, and the sums for each kind of total."""
    source = Path(dps.__file__).parent
    stated = re.findall(r"^\| `(\w+/\w+\.py)` \| (\d+) \| (.*?) \|", PAGE, re.MULTILINE)
    lines = {name: len((source / name).read_text(encoding="utf-8").splitlines()) for name, _, _ in stated}
    words = "every", "rhos", "optima", "plans", "draws"
    sums = {use: sum(lines[name] for name, _, needed in stated if use in needed) for use in words}
    epsilons, best = sums["every"], sums["every"] + sums["optima"]

    assert lines == {name: int(number) for name, number, _ in stated}
    assert (
        f"epsilons rests on {epsilons} lines, a sum of rhos on {epsilons + sums['rhos']}, an optimum on {best}" in PAGE
    )
    assert f"by one row on {best + sums['plans']}." in PAGE
    assert f"draws by a rho besides, {sums['draws']} lines." in PAGE


def test_the_page_says_how_each_part_is_known() -> None:
    """In four words; machine-checked is exactly what a theorem of docs/proofs.md is about."""
    checked = {part.split(".")[2] for part in FUNCTIONS if part.startswith(("kernel.", "release."))}
    checked |= {part.split(".")[3] for part in FUNCTIONS if part.startswith("kernel.samplers.")}
    rows = re.findall(r"^\| (`.*) \| .* \| (.*) \| .* \|$", PAGE, re.MULTILINE)

    assert rows
    for named, known in rows:
        words = re.sub(r" \(.*?\)", "", known).split(", ")
        assert set(words) <= {"machine-checked", "proved on paper", "enumerated", "tested"}, known
        about = set(re.findall(r"`(\w+)`", named)) & checked
        assert ("machine-checked" in words) == bool(about), f"{named}: docs/proofs.md has theorems about {about}."


def test_the_page_names_every_utility() -> None:
    """A bound is the other thing that must be right."""
    for room in (dps.utilities, dps.papers):
        for utility in room.EVERY_UTILITY:
            assert f".{utility.__name__}` | [proof]" in PAGE, f"docs/trusted.md lacks {utility.__name__}: add a row."


@pytest.mark.parametrize("name", MECHANISMS)
def test_nothing_runs_that_is_not_listed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every function of kernel and release that a selection was seen to call is among those that it must trust."""
    import sys

    monkeypatch.setattr(dps.kernel.bernoulli_exp, "GUARD", 0.3)
    scores = dps.Scores([5.0, 4.5, 1.0, 0.0], sensitivity=1.0, distance=[0, 1, 2, 3])
    called = set()

    def watch(frame, event: str, _) -> None:
        if event == "call":
            called.add(frame.f_code)

    mechanism = dps.mechanism(name)
    with dps.budget(epsilon=100):
        # What is imported when a name is first used is no part of a release.
        dps.select(scores, epsilon=1, mechanism=mechanism)
        sys.setprofile(watch)
        try:
            for _ in range(20):
                dps.select(scores, epsilon=1, mechanism=mechanism)
        finally:
            sys.setprofile(None)
    listed = {each.place for each in trusted_base.trusted_definitions(name)}
    for code in called:
        file = Path(code.co_filename)
        if file.is_relative_to(trusted_base.SOURCE) and file.relative_to(trusted_base.SOURCE).parts[0] in (
            "kernel",
            "release",
        ):
            place = f"{file.relative_to(trusted_base.SOURCE).as_posix()}:{code.co_qualname.replace('.<locals>', '')}"
            place = re.sub(r"\.<\w+>$|^release/open_session.py:session_factory_of\.opened$", "", place)
            known = any(each == place or place.startswith(f"{each}.") for each in listed) or place == ""
            known |= place.startswith(trusted_base.BY_RHO)
            assert known or place.endswith(":select"), place
