"""A process that is killed at any step of a synthesis: paid at most once, and no file is half there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.synthesis import load

PROGRAM = Path(__file__).parent / "programs" / "synthesize_and_die.txt"
FILES = ("m.json", "s.csv", "p.html")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_a_kill_at_any_step_pays_at_most_once_and_leaves_whole_files(tmp_path: Path, monkeypatch, capsys) -> None:
    """The second run pays by itself, and only where it may write; the ledger names both."""
    folder = tmp_path / "people"
    folder.mkdir()
    rows = {"age": [*range(90)] * 3, "job": ["nurse", "smith"] * 135}
    (folder / "people.csv").write_text(
        "\n".join(["age,job", *(f"{a},{b}" for a, b in zip(*rows.values(), strict=True))])
    )
    described = dps.Dataset(
        source="people.csv",
        columns={"age": {"lower": 0, "upper": 99}, "job": ["nurse", "smith"]},
        budget={"epsilon": 9, "delta": 1e-4, "ledger": "people.ledger"},
    )
    (folder / "people.toml").write_text(described.dump())
    found = subprocess.run([sys.executable, PROGRAM, folder], capture_output=True, text=True, timeout=300, check=True)
    lines = [line.split(" ", 2) for line in found.stdout.splitlines()]

    assert len(lines) > 12, found.stderr
    for number, (first, second, point) in enumerate(lines):
        killed, again = tmp_path / f"point-{number}-killed", tmp_path / f"point-{number}"
        written = [(killed / name).exists() for name in FILES]
        paid = "not paid" not in point and point != "half paid"

        assert first == "-9", point
        assert int(paid) == _spends(killed), point
        assert written == sorted(written, reverse=True), point
        assert sum(written) == _expected(point), point
        _require_whole(killed)
        # Where a file of the first is there, the second pays nothing and writes over nothing.
        assert (second == "0") == (not any(written)), point
        assert int(paid) + (not any(written)) == _spends(again), point
        for name in FILES:
            if (killed / name).exists():
                assert (killed / name).read_bytes() == (again / name).read_bytes(), point
        if any(written):
            assert "exists already" in (again / "said").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path / "point-2-killed")
    assert 0 == main(["budget", "show", "people.ledger"])
    assert "bins of age by recursive halving" in capsys.readouterr().out


def _spends(folder: Path) -> int:
    ledger = folder / "people.ledger"
    return len(dps.Ledger.read(ledger).events) if ledger.exists() else 0


def _expected(point: str) -> int:
    """Return how many files are there after a kill at a point."""
    return {"model written": 1, "rows half written": 1, "rows written": 2, "all written": 3}.get(point, 0)


def _require_whole(folder: Path) -> None:
    """Every file that has its name is all of it."""
    if (folder / "m.json").exists():
        assert load(folder / "m.json").names == ("age", "job")
    if (folder / "s.csv").exists():
        assert (folder / "s.csv").read_text().endswith("\n")
    if (folder / "p.html").exists():
        assert (folder / "p.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
