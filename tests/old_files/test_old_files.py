"""Ledgers, models and certificates that versions 0.1 and 0.2 wrote are read as those versions read them."""

from __future__ import annotations

import html
import json
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.learn import export

HERE = Path(__file__).parent
FOLDERS = sorted(path.parent for path in HERE.glob("*/expected.json"))
MODELS = sorted(HERE.glob("*/models/*.json"))
CERTIFICATES = sorted(HERE.glob("*/*.certificate.json"))
ROWS = {"age": [5.0, 45.0, 55.0, 95.0], "job": ["nurse", "smith", "nurse", "smith"]}


def said(path: Path) -> Any:
    """What the version that wrote a file said of it."""
    folder = path.parent.parent if path.parent.name == "models" else path.parent
    return json.loads((folder / "expected.json").read_text(encoding="utf-8"))[path.name]


def name(path: Path) -> str:
    """A file by its folder and its name."""
    return path.relative_to(HERE).as_posix()


def test_every_file_is_read_by_a_test() -> None:
    """Of both versions, and of all three kinds."""
    files = {path for folder in FOLDERS for path in folder.rglob("*") if path.is_file()}
    ledgers = {folder / "survey.ledger" for folder in FOLDERS}

    assert files == ledgers | {*MODELS, *CERTIFICATES} | {folder / "expected.json" for folder in FOLDERS}
    assert {"0.1", "0.2"} == {folder.name.partition("_")[0] for folder in FOLDERS}
    assert {path.parent.name.partition("_")[0] for path in CERTIFICATES} == {"0.2"}
    assert {path.stem for path in MODELS} == {model.__name__ for model in export._MODELS} - {"SulqID3Classifier"}


@pytest.mark.parametrize("folder", FOLDERS, ids=name)
def test_a_ledger_is_verified_and_spent_from(folder: Path, tmp_path: Path) -> None:
    """Its chain and its sums are as they were, and it takes another spend."""
    path = Path(shutil.copyfile(folder / "survey.ledger", tmp_path / "survey.ledger"))
    known, ledger = said(folder / "survey.ledger"), dps.Ledger.read(path)
    totals = ledger.verify()

    assert (known["spends"], Fraction(known["epsilon"])) == (totals.spends, totals.epsilon)
    assert Fraction(known["delta"]) == totals.delta
    assert len(ledger.events) == totals.spends
    dps.select(dps.Scores([1, 0], 1, kind="integer"), epsilon=1, ledger=ledger)
    assert dps.Ledger.read(path).verify().spends == totals.spends + 1


@pytest.mark.parametrize("path", MODELS, ids=name)
def test_a_model_predicts_what_it_predicted(path: Path) -> None:
    """And promises what it promised; what is saved again is the same file, where the format is that of today."""
    known, model = said(path), dps.learn.load(path)

    assert known["predict"] == pytest.approx(model.predict(ROWS).tolist())
    assert known["guarantee"] == str(model.privacy_spent_)
    if "predict_proba" in known:
        assert known["predict_proba"] == [pytest.approx(row) for row in model.predict_proba(ROWS).tolist()]
    text = path.read_text(encoding="utf-8")
    if json.loads(text)["format"] == export.FORMAT:
        assert text == export.as_json(model)


@pytest.mark.parametrize("path", CERTIFICATES, ids=name)
def test_a_certificate_is_whole_and_its_row_is_in_the_ledger(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As the command says that verifies it."""
    known, made = said(path), dps.Certificate.read(path)

    assert (known["sha256"], known["mechanism"]) == (made.sha256, made.content["mechanism"])
    assert 0 == main(["verify", str(path), "--ledger", str(path.parent / "survey.ledger")])
    assert made.sha256[:8] in capsys.readouterr().out
    if accuracy := made.content["accuracy"]:
        below = f"the error is below {accuracy['error_below']} with probability 0.95"
        assert accuracy.get("in words", below) in html.unescape(made.as_html())
