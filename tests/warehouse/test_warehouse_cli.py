"""The command line on tables that stay where they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dpselect.cli import main
from tests.warehouse.engines import Server
from tests.warehouse.test_warehouse_safety import frame, people


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The table as parquet, and its public domains."""
    frame(2000).write_parquet(tmp_path / "people.parquet")
    (tmp_path / "domains.toml").write_text(
        'age = {low = 0, high = 100}\njob = ["nurse", "smith"]\nrich = ["no", "yes"]\n', encoding="utf-8"
    )
    return tmp_path


def train(folder: Path, *place: str) -> list[str]:
    """The arguments of a training."""
    paths = ["--domains", str(folder / "domains.toml"), "--out", str(folder / "m.json")]
    return ["train", *place, "--target", "rich", "--epsilon", "20", *paths]


def test_train_in_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """DuckDB counts in the file; the model labels frames as any other."""
    table = str(folder / "people.parquet")
    assert 0 == main(train(folder, table, "--in-place", "--max-depth", "2"))
    assert "epsilon = 20 per record" in capsys.readouterr().out
    assert 0 == main(["predict", str(folder / "m.json"), table])


def test_train_in_a_database(folder: Path, postgres: Server, capsys: pytest.CaptureFixture[str]) -> None:
    """With a ledger that knows where the table is, and no password."""
    postgres.put("people", people(2000))
    ledger = str(folder / "b.ledger")
    assert 0 == main(["budget", "create", ledger, "--epsilon", "30", "--dataset", "people"])
    assert 0 == main([*train(folder, postgres.url, "--table", "people"), "--ledger", ledger])
    assert 2 == main([*train(folder, postgres.url, "--table", "people"), "--ledger", ledger, "--overwrite"])
    assert 0 == main(["budget", "export", ledger])
    shown = capsys.readouterr()

    assert '"table": "people"' in shown.out
    assert f"postgres://127.0.0.1:{postgres.port}/postgres" in shown.out
    assert "left epsilon 10" in shown.err
    assert "hidden" not in shown.out + shown.err + Path(ledger).read_bytes().decode("latin-1")


def test_a_forest_in_a_database_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Said before anything is spent."""
    (folder / "domains.toml").write_text('job = ["nurse", "smith"]\nrich = ["no", "yes"]\n', encoding="utf-8")
    command = [*train(folder, str(folder / "people.parquet"), "--in-place"), "--model", "forest"]
    assert 2 == main(command)
    assert "reads its records in memory" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["percentile", "quantiles", "median"])
def test_columns_in_place(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Values are clipped and moved onto the grid by the engine."""
    which = [] if command == "median" else ["--p", "50"]
    bounds = ["--lower", "10", "--upper", "90", "--step", "2"]
    words = [command, str(folder / "people.parquet"), "--in-place", "--column", "age", *which, *bounds]
    assert 0 == main([*words, "--epsilon", "20", "--json"])
    shown = capsys.readouterr()

    assert 44 <= json.loads(shown.out)["candidates"][0] <= 56
    assert "" == shown.err


def test_bad_input_is_one_sentence(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No column, no table, no server, a label of records."""
    table, bounds = str(folder / "people.parquet"), ["--lower", "0", "--upper", "9", "--epsilon", "1"]
    cases = [
        (["median", table, "--in-place", *bounds], "Pass --column"),
        (["median", table, "--in-place", "--column", "nobody", *bounds], "no column 'nobody'"),
        (["median", table, "--in-place", "--column", "age", "--label", "job", *bounds], "leave --label out"),
        (["median", table, "--table", "people", "--column", "age", *bounds], "leave --table out"),
        (["median", "postgres://ann:pw@127.0.0.1:1/d", "--column", "age", *bounds], "Which table?"),
        (train(folder, "postgres://ann:pw@127.0.0.1:1/d", "--table", "people"), "no connection to"),
    ]
    for words, expected in cases:
        assert 2 == main(words)
        shown = capsys.readouterr().err
        assert expected in shown
        assert "pw" not in shown
        assert 1 == len(shown.splitlines())
