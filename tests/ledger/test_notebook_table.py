"""What the command line shows of promises of every kind."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main

KINDS = [
    dps.Guarantee(Fraction(1, 100), "add-remove"),
    dps.Guarantee.from_rho(Fraction(1, 1000), 1e-7, "add-remove"),
]


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A ledger by rho with a pure and a concentrated release."""
    ledger = dps.Ledger.open(tmp_path / "survey.ledger", epsilon=1, delta=1e-6, rule="rho")
    for kind in KINDS:
        ledger.spend(kind, mechanism="x")
    return str(ledger.path)


def test_a_list_of_releases_names_their_rho(path: str, capsys) -> None:
    """Beside the epsilon and delta that it gives; a pure release has only its epsilon."""
    assert 0 == main(["budget", "show", path])
    first, second = capsys.readouterr().out.splitlines()[-2:]

    assert first.endswith("0.01 x 1    delta 0         x")
    assert second.endswith("0.2056 x 1    delta 1e-07     x (rho 0.001)")


def test_programs_read_all_kinds(path: str, capsys) -> None:
    """Every line is an event that is read again as it was."""
    assert 0 == main(["budget", "export", path])
    lines = capsys.readouterr().out.splitlines()

    assert KINDS == [dps.ledger.Event.from_text(line).guarantee for line in lines]
    assert [None, "1/1000"] == [json.loads(line).get("rho") for line in lines]


def test_what_has_no_rho_is_refused_in_one_sentence(path: str, capsys) -> None:
    """With the status of a refusal, and nothing is spent."""
    assert 2 == main(["budget", "spend", path, "--epsilon", "0.01", "--delta", "1e-9"])

    assert "promise has none: state the rho" in capsys.readouterr().err
    assert 2 == dps.Ledger.read(path).totals.spends
