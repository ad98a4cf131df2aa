"""The audit as a command."""

from pathlib import Path

import pytest

import dpselect as dps
from dpselect.audit import claims, report
from dpselect.cli import main


def test_a_table_and_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line a claim; the page holds both pictures and needs nothing else."""
    assert 0 == main(["audit", "median", "inverse-sensitivity", "--html", str(tmp_path / "audit.html")])
    printed = capsys.readouterr().out
    page = (tmp_path / "audit.html").read_text(encoding="utf-8")

    assert 1 + len(report.select_claims(["median", "inverse-sensitivity"])) + 1 == len(printed.splitlines())
    assert "holds" in printed
    assert 2 == page.count("<svg")
    assert "http" not in page


def test_a_broken_claim_ends_with_status_1(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """The counterexample is printed below its line."""
    broken = claims.UtilityClaim("broken", lambda x: dps.Scores([len(x)], 0.5), lambda: dps.audit.multisets("a", 2))
    monkeypatch.setattr(claims, "EVERY_CLAIM", (broken,))

    assert 1 == main(["audit", "broken"])
    assert "A1 fails on {}" in capsys.readouterr().out


def test_a_budget_leaves_claims_unrun() -> None:
    """What was not begun in time is reported as such."""
    rows = list(report.run(claims.UTILITY_CLAIMS, budget=0.0))

    assert {"not run"} <= {row.verdict for row in rows}
    assert "BROKEN" not in {row.verdict for row in rows}
    assert "claims were not run, as the time was up: " in report.text(rows).splitlines()[0]


def test_unknown_names_and_budgets_are_refused(capsys) -> None:
    """Names are listed; a budget is a positive number."""
    assert 2 == main(["audit", "fame"])
    assert "ego_density" in capsys.readouterr().err
    assert 2 == main(["audit", "--budget", "0"])
    assert "seconds > 0" in capsys.readouterr().err
