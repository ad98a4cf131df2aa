"""The table of docs/proofs.md: theorems, the functions they are about, and what they assume.

python -m tests.proofs.table                    prints what is gone or older than its function
python -m tests.proofs.table --write            gives every function the hash of today: the rows were read again
python -m tests.proofs.table --assumptions      prints a Coq file that prints what theorems assume
python -m tests.proofs.table --compare PRINTED  compares what that file printed with the table
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.contracts.proof_hashes import SOURCE, hashes

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "proofs.md"
PROOFS = ROOT / "proofs"
_ROW = re.compile(r"^\| `(\w+)\.(\w+)` \| (.*) \| (.*) \| (.*) \| (.*) \|$", re.MULTILINE)
_FUNCTION = re.compile(r"`([\w.]+)` ([0-9a-f]{8}|\?)")
_THEOREM = re.compile(r"^\s*Theorem (\w+)", re.MULTILINE)
_AXIOM = re.compile(r"^([A-Z]\w*\.[\w.]+)", re.MULTILINE)
# What the axioms of Coq's own library are called in the table.
REALS = {
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
}
CLASSIC = "Classical_Prop.classic"
# Integers and floats of the machine, with which interval arithmetic computes.
MACHINE = ("PrimInt63.", "Uint63.", "PrimFloat.", "FloatAxioms.")


@dataclass(frozen=True)
class Row:
    """A theorem: its file, what it says, functions with their hashes, what ties it to them, and what it assumes."""

    file: str
    theorem: str
    says: str
    functions: dict[str, str]
    tied: str
    assumes: str


def rows(page: str) -> list[Row]:
    """Return the rows of the table."""
    return [
        Row(file, theorem, says, dict(_FUNCTION.findall(functions)), tied, assumes)
        for file, theorem, says, functions, tied, assumes in _ROW.findall(page)
    ]


def theorems() -> set[tuple[str, str]]:
    """Return file and name of every theorem that is proved."""
    return {(path.stem, name) for path in PROOFS.glob("*.v") for name in _THEOREM.findall(path.read_text("utf-8"))}


def stale(page: str) -> list[str]:
    """Return one sentence for whatever the table names and is gone or another, and for every theorem it lacks."""
    table, proved = rows(page), theorems()
    named = {(row.file, row.theorem) for row in table}
    lacking = [f"docs/proofs.md names {a}.{b}, which is not proved any more." for a, b in sorted(named - proved)]
    lacking += [f"docs/proofs.md lacks {a}.{b}: add a row." for a, b in sorted(proved - named)]
    for row in table:
        for name, then in row.functions.items():
            now = hash_of(name)
            if now is None:
                lacking.append(f"{row.file}.{row.theorem} is about {name}, which is not there any more.")
            elif now != then:
                lacking.append(
                    f"{row.file}.{row.theorem} is about an older {name}: read the theorem again, "
                    "then run python -m tests.proofs.table --write."
                )
    return lacking


def hash_of(name: str) -> str | None:
    """Return the hash of a function by its name below the package, or ``None`` where there is none."""
    parts = name.split(".")
    for at in range(len(parts) - 1, 0, -1):
        file = SOURCE.joinpath(*parts[:at]).with_suffix(".py")
        if file.exists():
            return _hashes(file).get(".".join(parts[at:]))
    return None


@cache
def _hashes(file: Path) -> dict[str, str]:
    return hashes(file.read_text(encoding="utf-8"))


def written(page: str) -> str:
    """Return the page with the hashes of today."""

    def today(match: re.Match[str]) -> str:
        return f"`{match[1]}` {hash_of(match[1]) or match[2]}"

    return _ROW.sub(lambda row: _FUNCTION.sub(today, row[0]), page)


def groups(table: list[Row]) -> dict[str, list[Row]]:
    """Return the rows by what they assume."""
    return {assumes: [row for row in table if row.assumes == assumes] for assumes in {row.assumes: 0 for row in table}}


def asking(table: list[Row]) -> str:
    """Return a Coq file that prints what the theorems of each group assume together: one by one takes a minute."""
    lines = [f"Require {' '.join(sorted({row.file for row in table}))}."]
    for at, group in enumerate(groups(table).values()):
        together = ", ".join(f"@{row.file}.{row.theorem}" for row in group)
        lines += [f"Definition group_{at} := ({together}, tt).", f"Print Assumptions group_{at}."]
    return "\n".join(lines) + "\n"


def differences(table: list[Row], printed: str) -> list[str]:
    """Return one sentence for every group of theorems that assumes something else than its rows say."""
    blocks = re.split(r"^(?=Axioms:|Closed under)", printed, flags=re.MULTILINE)[1:]
    said = groups(table)
    if len(blocks) != len(said):
        return [f"Coq was asked {len(said)} times what theorems assume and answered {len(blocks)} times."]
    return [
        f"docs/proofs.md says that theorems assume {words}, and one of {', '.join(row.theorem for row in group)} "
        f"assumes {assumed(block)}."
        for (words, group), block in zip(said.items(), blocks, strict=True)
        if assumed(block) != words
    ]


def assumed(block: str) -> str:
    """Return in the words of the table what Coq printed for one theorem."""
    if block.startswith("Closed under the global context"):
        return "nothing"
    axioms = set(_AXIOM.findall(block))
    machine = {axiom for axiom in axioms if axiom.startswith(MACHINE)}
    beyond = sorted(axioms - REALS - {CLASSIC} - machine)
    words = ["reals"] * bool(axioms & REALS) + ["excluded middle"] * (CLASSIC in axioms)
    words += ["machine numbers"] * bool(machine)
    return ", ".join(words + beyond)


def main() -> int:
    """Print what is old, write hashes, or ask and compare assumptions."""
    parser = argparse.ArgumentParser(description="Prints where docs/proofs.md is older than the proofs or the code.")
    parser.add_argument("--write", action="store_true", help="the rows were read again and hold")
    parser.add_argument("--assumptions", action="store_true", help="print a Coq file that asks for assumptions")
    parser.add_argument("--compare", type=Path, metavar="PRINTED", help="what that file printed")
    asked = parser.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    if asked.assumptions:
        print(asking(rows(page)), end="")
        return 0
    if asked.write:
        PAGE.write_text(written(page), encoding="utf-8")
        page = PAGE.read_text(encoding="utf-8")
    if asked.compare:
        printed = asked.compare.read_text(encoding="utf-8")
        lacking = differences(rows(page), printed)
        for words, group in groups(rows(page)).items():
            print(f"Assume {words}: {', '.join(f'{row.file}.{row.theorem}' for row in group)}.")
    else:
        lacking = stale(page)
    print("\n".join(lacking) or "The table is as old as the proofs and the code.")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
