"""dpselect sql: the answer of the command that the SQL means, its plan, its ledger and its certificate."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dpselect.cli import main, schemas
from dpselect.ledger import Ledger
from tests.cli.schema import faults, unnamed

pytest.importorskip("sqlglot")
pytest.importorskip("pyarrow")

BEST = "SELECT place FROM ratings GROUP BY place ORDER BY AVG(stars) DESC LIMIT 1"
COUNTS = "SELECT place, COUNT(*) FROM ratings GROUP BY place"
MEDIAN = "SELECT MEDIAN(stars) FROM ratings"
# Each with the command that it means.
ASKED = {
    "best": ([BEST, "--prior", "20:3"], ["best", "avg(stars)", "--by", "place", "--prior", "20:3"]),
    "histogram": ([COUNTS, "--negative", "clip"], ["histogram", "place", "--negative", "clip"]),
    "median": ([MEDIAN], ["median", "stars"]),
    "by": (["SELECT place, MEDIAN(stars) FROM ratings GROUP BY place"], ["median", "stars", "--by", "place"]),
    "quantiles": (
        ["SELECT PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY stars), PERCENTILE_CONT(0.75) WITHIN GROUP "
         "(ORDER BY stars) FROM ratings", "--method", "joint", "--total", "900"],
        ["quantiles", "stars", "--q", "0.25", "0.75", "--method", "joint", "--total", "900"],
    ),
    "most-common": (
        ["SELECT place FROM ratings GROUP BY place ORDER BY COUNT(*) DESC LIMIT 2"],
        ["most-common", "place", "--k", "2"],
    ),
    "bins": (["SELECT stars, COUNT(*) FROM ratings GROUP BY stars", "--bins", "1", "3", "5"],
             ["histogram", "stars", "--bins", "1", "3", "5"]),
}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ratings of three places, and their description."""
    monkeypatch.chdir(tmp_path)
    rows = ["place,stars", *["North,1", "North,2"] * 200, *["South,4", "South,5"] * 250]
    Path("rows.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    described = 'source = "rows.csv"\n[columns]\nplace = ["North", "South", "West"]\nstars = {lower = 1, upper = 5}\n'
    budget = '[budget]\nepsilon = 100\nledger = "ratings.ledger"\n'
    Path("ratings.toml").write_text(f"{described}{budget}", encoding="utf-8")
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert 0 == main([*words, "--json"]), capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", ASKED)
def test_sql_is_planned_and_answered_as_the_command_that_it_means(name: str, capsys) -> None:
    """The same price, mechanism and accuracy, and JSON of its schema; a plan says what is counted."""
    sql, (verb, *words) = ASKED[name]
    for more in ([], ["--dry-run"]):
        printed = said(capsys, "sql", "ratings.toml", *sql, "--epsilon", "5", *more)
        direct = said(capsys, verb, "ratings.toml", *words, "--epsilon", "5", *more)
        schema = schemas.dry_run() if more else schemas.answer("sql")
        assert not faults(printed, schema)
        assert not unnamed(printed, schema)
        for part in ("mechanism", "guarantee", "accuracy_line"):
            assert printed[part] == direct[part]
        if not more:
            assert {*printed} == {*direct}
    assert printed["query"] | {"epsilon": "5"} == printed["query"]
    assert printed["ledger"]["record"] == direct["ledger"]["record"]


def test_explain_is_a_dry_run_with_statistics_sensitivity_and_price(capsys) -> None:
    """Nothing is spent or made, and it asks for the epsilon of an error, too."""
    assert 0 == main(["sql", "ratings.toml", f"EXPLAIN {BEST}", "--prior", "20:3", "--epsilon", "2"])
    page = capsys.readouterr().out
    assert "cost       epsilon = 2 per record added or removed" in page
    assert "statistics count() and sum(stars) in each of 3 values of place" in page
    assert "sensitivity one row moves the score by at most 0.09" in page
    assert re.search(r"\nerror      on average at most 0\.\d+ rows, whatever the data\naccuracy", page)
    assert "question   Which value of place has the highest avg(stars), with 20:3" in page
    assert not Path("ratings.ledger").exists()
    assert 0 == main(["sql", "ratings.toml", f"explain {MEDIAN}", "--error", "50", "--json"])
    assert json.loads(capsys.readouterr().out)["guarantee"]["epsilon_float"] < 1
    assert 0 == main(["sql", "ratings.toml", BEST, "--prior", "20:3", "--epsilon", "2", "--dry-run"])
    assert capsys.readouterr().out == page


def test_where_is_recorded_and_certified(capsys) -> None:
    """In the ledger, the question and the words of the command."""
    words = ["sql", "ratings.toml", f"{MEDIAN} WHERE place = 'North' AND stars < 2", "--epsilon", "20", "--yes"]
    assert said(capsys, *words, "--certificate", "c.json")["candidates"] == [1]
    content = json.loads(Path("c.json").read_text(encoding="utf-8"))["certificate"]
    assert content["question"] == "What is the median of stars? (of rows with place = 'North' and stars < 2)"
    assert content["public"]["statement"] == words[2]
    assert Ledger.read("ratings.ledger").entry(1).event.metadata["where"] == "place = 'North' and stars < 2"


REFUSED = {
    "join": (["ratings.toml", f"{MEDIAN} JOIN x ON 1 = 1"], "JOIN is not allowed here: write one SELECT"),
    "other table": (["ratings.toml", "SELECT MEDIAN(stars) FROM salaries"], "this dataset, which is ratings"),
    "no prior": (["ratings.toml", BEST], "give a prior, such as 20:3"),
    "no minimum": (["ratings.toml", BEST], "or a minimum size, --min-rows 20; about"),
    "prior of counts": (["ratings.toml", COUNTS, "--prior", "20:3"], "--prior: This SQL is answered by histogram"),
    "many words": (["ratings.toml", "SELECT", "place"], "as SQL is one text: write it in quotes"),
    "file": (["rows.csv", MEDIAN], "SQL needs what is public of every column"),
    "no SQL": (["ratings.toml"], "is required: one SELECT in quotes"),
    "by": (["ratings.toml", MEDIAN, "--by", "place"], "the option --by does not exist: write GROUP BY"),
    "key": (["ratings.toml", MEDIAN, "--key", "x"], "--key goes with a dataset of a server"),
    "two columns": (["ratings.toml", BEST.replace("AVG(stars)", "SUM(place)")], "which do not add up"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_spends_nothing(name: str, capsys) -> None:
    """One sentence, status 2, and no ledger is made."""
    words, sentence = REFUSED[name]
    assert 2 == main(["sql", *words, "--epsilon", "1"])
    shown = capsys.readouterr()
    assert sentence in shown.err
    assert not shown.out
    assert not Path("ratings.ledger").exists()
    assert 2 == main(["sql", "ratings.toml", MEDIAN])
    assert "--epsilon is required" in capsys.readouterr().err


def test_what_orders_is_said_not_to_be_published(capsys) -> None:
    """Beside the answer, on standard error."""
    listed = "SELECT place, COUNT(*) FROM ratings GROUP BY place ORDER BY COUNT(*) DESC LIMIT 1"
    assert 0 == main(["sql", "ratings.toml", listed, "--epsilon", "5"])
    shown = capsys.readouterr()
    assert "South" in shown.out
    assert "COUNT(*) decides which values are named and is not published" in shown.err
