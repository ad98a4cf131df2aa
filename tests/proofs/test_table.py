"""docs/proofs.md names every theorem, and functions as they were when the theorem was last read."""

from __future__ import annotations

import pytest

from tests.proofs import table

ALLOWED = ("nothing", "reals", "reals, excluded middle", "reals, excluded middle, machine numbers")
PAGE = table.PAGE.read_text(encoding="utf-8")


def test_the_table_is_current() -> None:
    """Every theorem has a row; every row names a theorem, and functions that did not change since."""
    lacking = table.stale(PAGE)
    assert not lacking, "\n".join(lacking)


def test_every_row_is_complete() -> None:
    """What it says, what ties it to the code and what it assumes are all said."""
    found = table.rows(PAGE)
    assert len(found) == len([line for line in PAGE.splitlines() if line.startswith("| `")])
    for row in found:
        assert row.says
        assert row.functions or row.tied == "lemma", row.theorem
        assert row.tied.split(",")[0] in ("vectors", "reading", "lemma"), row.theorem
        assert row.assumes in ALLOWED, row.theorem


@pytest.mark.parametrize(
    "before, after, sentence",
    [
        ("`EndToEnd.local_dampening_private`", "`EndToEnd.gone`", "names EndToEnd.gone, which is not proved"),
        ("`EndToEnd.local_dampening_private`", "`EndToEnd.gone`", "lacks EndToEnd.local_dampening_private"),
        ("`mechanisms.local_dampening.dampen`", "`mechanisms.local_dampening.gone`", "which is not there any more"),
    ],
)
def test_what_is_gone_is_noticed(before: str, after: str, sentence: str) -> None:
    """A theorem or a function of another name."""
    assert before in PAGE
    assert any(sentence in each for each in table.stale(PAGE.replace(before, after)))


def test_a_changed_function_is_noticed() -> None:
    """Its hash is another; writing the hashes of today mends it."""
    current = f"`kernel.units.floor_ticks` {table.hash_of('kernel.units.floor_ticks')}"
    assert current in PAGE
    old = PAGE.replace(current, "`kernel.units.floor_ticks` 00000000")
    assert any("is about an older kernel.units.floor_ticks" in each for each in table.stale(old))
    assert table.written(old) == PAGE


def test_what_coq_prints_is_read() -> None:
    """Nothing, the reals, or an axiom that nobody may use."""
    reals = "Axioms:\n" + "".join(f"{name} : forall P, P\n  more\n" for name in sorted(table.REALS))
    ours = "Axioms:\nMine.wished : False\n"
    machine = f"{reals}PrimInt63.int : Set\n{table.CLASSIC} : forall P, P\n"
    told = [table.assumed(block) for block in ("Closed under the global context\n", reals, machine, ours)]
    assert told == ["nothing", "reals", "reals, excluded middle, machine numbers", "Mine.wished"]


def test_what_coq_prints_is_compared() -> None:
    """In the order of the groups; fewer answers than questions are no answer."""
    found = table.rows(PAGE)
    reals = "Axioms:\n" + "\n".join(table.REALS) + "\n"
    logarithms = f"{reals}{table.CLASSIC}\n"
    blocks = ("Closed under the global context\n", reals, logarithms, f"{logarithms}Uint63.x\n")
    answers = dict(zip(ALLOWED, blocks, strict=True))
    printed = [answers[words] for words in table.groups(found)]

    assert not table.differences(found, "".join(printed))
    (sentence,) = table.differences(found, "".join([printed[0] + "Mine.wished : False\n", *printed[1:]]))
    assert "local_dampening_private" in sentence
    assert "assumes reals, Mine.wished" in sentence
    assert "answered 1 times" in table.differences(found, printed[0])[0]
    asked = table.asking(found)
    assert all(f"@{row.file}.{row.theorem}," in asked for row in found)
