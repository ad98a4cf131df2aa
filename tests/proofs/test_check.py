"""proofs/check refuses what is not proved before Coq is asked: no Coq is needed to see that."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.proofs.table import PROOFS

UNPROVED = [
    "Lemma wished : False. Admitted.",
    "Lemma wished : False. Proof. admit. Qed.",
    "Axiom wished : False.",
    "Parameter wished : False.",
    "Conjecture wished : False.",
    "Lemma wished : False. Proof. Abort.",
    "Unset Guard Checking.",
    "#[bypass_check(guard)] Fixpoint wished (n : nat) : False := wished n.",
]


@pytest.mark.parametrize("line", UNPROVED)
def test_what_is_not_proved_is_refused(line: str, tmp_path: Path) -> None:
    """The file and the line are named."""
    folder = tmp_path / "proofs"
    folder.mkdir()
    for name in ("check", "reference.ml"):
        shutil.copy(PROOFS / name, folder / name)
    (folder / "Wished.v").write_text(f"Require Import List.\n{line}\n", encoding="utf-8")
    checked = subprocess.run(["bash", folder / "check"], capture_output=True, text=True, check=False)

    assert checked.returncode == 1
    assert f"Wished.v:2:{line}" in checked.stdout
    assert checked.stdout.endswith("Unproved.\n")


def test_the_proofs_themselves_have_nothing_of_it() -> None:
    """So that the refusal above is not of everything."""
    for path in PROOFS.glob("*.v"):
        text = path.read_text(encoding="utf-8")
        assert not any(word in text for word in ("Admitted", "admit.", "Axiom", "Abort", "Conjecture", "Unset Guard"))
