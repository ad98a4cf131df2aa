"""No secret of any form of address is in a message, a traceback, a log or a pickle."""

from __future__ import annotations

import logging
import pickle
import traceback
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.sources import tables
from dpselect.sources.urls import scrub, without_secrets

# PW is the secret, ANN a name that goes with it.
ADDRESSES = [
    "host=h user=ann password=PW dbname=d",
    "password=PW",
    "PASSWORD = 'P W PW' host=h",
    r"host=h password='it\'s PW' dbname=d",
    r"password=a\ PW host=h",
    "password=x,y);PW host=h",
    "duckdb://ann:PW@x.duckdb",
    "duckdb://ann:PW@x.duckdb?table=t",
    "sqlite://ann:PW@x.db",
    "postgres:/ann:PW@h/x.csv",
    "postgres:/ann:P/W:PW@h/x.csv",
    "postgres%3A//ann:PW@h/x.csv",
    "postgres://ann:PW%40127.0.0.1:1/d",
    "postgres://ann:PW",
    "postgres://ann:my PW@127.0.0.1:1/d",
    "postgres://ann:PW@127.0.0.1:1/d",
    "postgres://127.0.0.1:1/d?password=PW",
    "postgres://127.0.0.1:1/d?user=ann&sslpassword=PW#PW",
    "md:people?motherduck_token=PW",
    "file://ann:PW@h/x.csv",
    "s3://KEY:PW@bucket/x.parquet",
    "nosuch://ann:PW@h/d",
]

LINES = [
    "train ADDRESS y --epsilon 1 --out m.json",
    "median ADDRESS y --lower 0 --upper 9 --epsilon 1",
    "quantiles ADDRESS y --table t --p 5 --lower 0 --upper 9 --epsilon 1",
    "top-k ADDRESS degree --nodes 3 --epsilon 1",
    "select ADDRESS --candidate a --score b --sensitivity 1 --domain rows --epsilon 1",
    "predict m.json ADDRESS",
    "predict m.json t.csv ADDRESS",
    "ADDRESS",
    "train --epsilon ADDRESS",
    "train --ADDRESS",
    "budget show ADDRESS",
    "predict m.json t.csv --out ADDRESS/x",
    "choose tree ADDRESS y --traces c --epsilon 1 --out m",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_nothing_shows_a_secret(address: str, caplog: pytest.LogCaptureFixture) -> None:
    """What Python raises, with its whole traceback but the line that the caller wrote, and what is logged."""
    caplog.set_level(logging.DEBUG)
    seen = [without_secrets(address)]
    for opened in (
        lambda: dps.data.Warehouse.open(address, "t"),
        lambda: dps.data.Warehouse.open(address),
        lambda: dps.data.StoredColumn(address, "age"),
        lambda: tables.column(address),
        lambda: tables.table(address, ["a"]),
        lambda: dps.Graph.read(address, nodes=3),
    ):
        with pytest.raises((ValueError, OSError, ImportError, TypeError)) as caught:
            opened()
        seen.append("".join(traceback.format_exception(caught.value)))

    assert not [each for each in seen if "PW" in each]
    assert "PW" not in caplog.text


@pytest.mark.parametrize(
    ("line", "address"),
    [
        # Every line with every third address and every address with a third of the lines, and -m slow all of them.
        pytest.param(line, address, marks=pytest.mark.slow if (at + turn) % 3 else ())
        for at, line in enumerate(LINES)
        for turn, address in enumerate(ADDRESSES)
    ],
)
def test_no_command_shows_a_secret(address: str, line: str, tmp_path: Path, monkeypatch, capsys) -> None:
    """One sentence, status 2."""
    monkeypatch.chdir(tmp_path)
    Path("d.toml").write_text("a = [1, 2]\ny = [0, 1]\n")
    try:
        status = main([word.replace("ADDRESS", address) for word in line.split()])
    except SystemExit as end:
        status = end.code
    printed = capsys.readouterr()

    assert 2 == status
    assert "PW" not in printed.out + printed.err
    assert 1 == printed.err.count("\n")
    assert ["d.toml"] == [path.name for path in tmp_path.iterdir()]


def test_warehouses_do_not_pickle(tmp_path: Path) -> None:
    """Nor does what holds one: Ibis keeps the password with the connection."""
    parquet.write_table(pa.table({"source": [1], "target": [2], "age": [3]}), tmp_path / "t.parquet")
    path = str(tmp_path / "t.parquet")
    for holder in (
        dps.data.Warehouse.open(path),
        dps.data.StoredColumn(dps.data.Warehouse.open(path), "age"),
        dps.data.StoredGraph(path, nodes=3),
    ):
        with pytest.raises(TypeError, match="stays in its process"):
            pickle.dumps(holder)


@pytest.mark.parametrize(
    "url", ["sqlite://nofile.db", "duckdb://nofile.db", "SQLITE://nofile.db", "sqlite:///{}/nofile.db"]
)
def test_no_engine_makes_an_empty_database(url: str, tmp_path: Path, monkeypatch) -> None:
    """A slip of the pen is refused."""
    monkeypatch.chdir(tmp_path)
    slashes = ", with two slashes before a path from here" if ":///" in url else r"\.$"
    with pytest.raises(FileNotFoundError, match="name a database that exists" + slashes):
        dps.data.Warehouse.open(url.format(tmp_path), "t")
    assert [] == list(tmp_path.iterdir())


def test_a_file_is_one_table(tmp_path: Path) -> None:
    """A table named beside it would be ignored."""
    parquet.write_table(pa.table({"age": [3]}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="A file is one table"):
        dps.data.Warehouse.open(tmp_path / "t.parquet", "people")


def test_messages_are_scrubbed_of_every_form_of_a_word() -> None:
    """As written, as Python quotes it, as a path."""
    word = "postgres://ann:PW@h/d"
    for said in (word, repr(word), str(Path(word)), Path("x", "ann:PW@h").name):
        assert "PW" not in scrub(f"There is no {said}.", [word, "ann:PW@h"]) or said == "ann:PW@h"
    assert "no people.csv" == scrub("no people.csv", ["people.csv"])
