"""The command line on tables that stay where they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main
from tests.warehouse.engines import Server
from tests.warehouse.test_warehouse_safety import frame, people

COLUMNS: dict[str, object] = {"age": {"lower": 0, "upper": 100}, "job": ["nurse", "smith"], "rich": ["no", "yes"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The table as parquet."""
    frame(2000).write_parquet(tmp_path / "people.parquet")
    return tmp_path


def train(folder: Path, **place: object) -> list[str]:
    """The arguments of a training on what is described so."""
    described = dps.Dataset.parse({"columns": COLUMNS} | place)
    (folder / "people.toml").write_text(described.dump(), encoding="utf-8")
    return ["train", str(folder / "people.toml"), "rich", "--epsilon", "20", "--out", str(folder / "m.json")]


def test_train_in_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """DuckDB counts in the file; the model labels frames as any other."""
    assert 0 == main([*train(folder, source="people.parquet", in_place=True), "--max-depth", "2"])
    assert "epsilon = 20 per record" in capsys.readouterr().out
    assert 0 == main(["predict", str(folder / "m.json"), str(folder / "people.parquet")])


def test_train_in_a_database(
    folder: Path, postgres: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a ledger that knows where the table is, and no password."""
    postgres.put("people", people(2000))
    monkeypatch.setenv("PGPASSWORD", "hidden")
    words = train(folder, source=postgres.url.replace(":hidden@", "@"), table="people")
    ledger = str(folder / "b.ledger")
    assert 0 == main(["budget", "create", ledger, "--epsilon", "30", "--dataset", "people"])
    assert 0 == main([*words, "--ledger", ledger])
    assert 2 == main([*words, "--ledger", ledger, "--overwrite"])
    assert 0 == main(["budget", "export", ledger])
    shown = capsys.readouterr()

    assert '"table": "people"' in shown.out
    assert f"127.0.0.1:{postgres.port}/postgres" in shown.out
    assert "left epsilon 10" in shown.err
    assert "hidden" not in shown.out + shown.err + Path(ledger).read_bytes().decode("latin-1")


def test_a_forest_in_a_database_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Said before anything is spent."""
    assert 2 == main([*train(folder, source="people.parquet", in_place=True), "--model", "forest", "--delta", "1e-6"])
    assert "reads its records in memory" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["quantiles", "median"])
def test_columns_in_place(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Values are clipped and moved onto the grid by the engine."""
    which = [] if command == "median" else ["--p", "50"]
    bounds = ["--lower", "10", "--upper", "90", "--step", "2"]
    words = [command, str(folder / "people.parquet"), "--in-place", "age", *which, *bounds]
    assert 0 == main([*words, "--epsilon", "20", "--json"])
    shown = capsys.readouterr()

    assert 44 <= json.loads(shown.out)["candidates"][0] <= 56
    assert "" == shown.err


def test_bad_input_is_one_sentence(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No column, no table, no server, a label of records."""
    table, bounds = str(folder / "people.parquet"), ["--lower", "0", "--upper", "9", "--epsilon", "1"]
    cases = [
        (["median", table, "--in-place", *bounds], "name one after it"),
        (["median", table, "--in-place", "nobody", *bounds], "no column 'nobody'"),
        (["median", table, "--in-place", "age", "--label", "job", *bounds], "option --label does not exist"),
        (["median", table, "--table", "people", "age", *bounds], "leave it out"),
        (["median", "postgres://ann:pw@127.0.0.1:1/shop", "age", *bounds], "This holds a password"),
        (["median", "postgres://ann@127.0.0.1:1/shop", "age", *bounds], "pass --table"),
        (train(folder, source="postgres://ann@127.0.0.1:1/shop", table="people"), "cannot be reached"),
    ]
    for words, expected in cases:
        assert 2 == main(words)
        shown = capsys.readouterr().err
        assert expected in shown
        assert "pw" not in shown
        assert 1 == len(shown.splitlines())
