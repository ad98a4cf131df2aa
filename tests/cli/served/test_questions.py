"""Every question of the command line, asked of a running server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dpselect.cli import command_registry, main, schemas
from tests.cli.schema import faults, unnamed

SURVEY, FRIENDS = "{url}/survey", "{url}/friends"
HALF = ["--epsilon", "0.05"]
QUESTIONS = {
    "median": ["median", SURVEY, "age"],
    "median by": ["median", SURVEY, "age", "--by", "job"],
    "quantiles": ["quantiles", SURVEY, "age", "--p", "25", "50", "75"],
    "quantiles shares": ["quantiles", SURVEY, "age", "--q", "1/4", "0.5", "--by", "job"],
    "histogram": ["histogram", SURVEY, "job"],
    "histogram bins": ["histogram", SURVEY, "age", "--bins", "0", "50", "100", "--by", "job"],
    "best": ["best", SURVEY, "avg(age)", "--by", "job", "--prior", "5:40"],
    "most-common": ["most-common", SURVEY, "job", "--k", "2"],
    "select": ["select", SURVEY, "job", "--score", "largest-total", "--of", "age"],
    "sql": ["sql", SURVEY, "SELECT job FROM survey GROUP BY job ORDER BY AVG(age) DESC LIMIT 1", "--prior", "5:40"],
    "sql counts": ["sql", SURVEY, "SELECT job, COUNT(*) FROM survey GROUP BY job"],
    "train": ["train", SURVEY, "job", "--features", "age", "--max-depth", "2", "--out", "model.json"],
    "boosted": [
        "train", SURVEY, "age", "--model", "boosted", "--interactions", "false", "--out", "model.json"
    ],
    "top-k": ["top-k", FRIENDS, "degree", "--k", "2"],
}  # fmt: skip


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_planned_paid_for_and_certified(name: str, url: str, capsys) -> None:
    """The plan is free and says what the release says; the certificate is the server's, and verify finds it whole."""
    words = [word.format(url=url) for word in (*QUESTIONS[name], *HALF)]
    before = left(url, capsys)
    assert 0 == main([*words, "--dry-run", "--json"])
    planned = json.loads(capsys.readouterr().out)
    assert before == left(url, capsys)
    assert 0 == main([*words, "--dry-run"])
    assert "nothing was spent" in capsys.readouterr().out

    assert 0 == main([*words, "--json", "--certificate", "answer.json"]), capsys.readouterr().err
    released = json.loads(capsys.readouterr().out)
    for part in ("mechanism", "guarantee", "accuracy_line"):
        assert planned[part] == released[part]
    certificate = json.loads(Path("answer.json").read_text(encoding="utf-8"))["certificate"]
    assert certificate["accuracy"]["in words"] == released["accuracy_line"]
    assert certificate["ledger"]["rows"][0]["row"] == released["ledger_row"]
    for printed, schema in ((planned, schemas.served_dry_run()), (released, schemas.served_schema(words[0]))):
        assert not faults(printed, schema)
        assert not unnamed(printed, schema)
    assert 0 == main(["verify", "answer.json"])
    assert "answer.json: whole" in capsys.readouterr().out

    if "--out" in words:
        written = Path(words[words.index("--out") + 1])
        if words[0] == "train":
            assert released["model"] == json.loads(written.read_text(encoding="utf-8"))
        assert 2 == main([*words, "--key", released["key"]])
        assert f"{written} exists already" in capsys.readouterr().err
        written.unlink()
    assert 0 == main([*words, "--key", released["key"]])
    said = capsys.readouterr().out
    assert released["accuracy_line"] in said
    assert f"request {released['request']}, row {released['ledger_row']}" in said


def left(url: str, capsys) -> object:
    """Return what is left, as the command says."""
    assert 0 == main(["datasets", url, "--json"])
    printed = json.loads(capsys.readouterr().out)
    assert not faults(printed, schemas.served_schema("datasets"))
    return [each["left"] for each in printed["datasets"]]


def test_every_query_is_asked_here() -> None:
    """A new one needs a line above; this server describes no names without a list, and has no delta to spend."""
    assert {"sql", *command_registry.queries()} - {"partitions", "synthesize"} == {
        words[0] for words in QUESTIONS.values()
    }


def test_an_answer_is_shown_once_more(url: str, capsys) -> None:
    """By its number in the history, with its certificate, and nothing is paid again."""
    words = ["histogram", f"{url}/survey", "job", "--by", "job", *HALF, "--json"]
    assert 0 == main(words)
    released = json.loads(capsys.readouterr().out)
    before = left(url, capsys)
    assert 0 == main(["history", url])
    latest = capsys.readouterr().out.splitlines()[0]
    assert latest.endswith(f"answered  {released['ledger_row']}  {released['request']}".rstrip())

    again = ["history", url, "--request", released["request"], "--certificate", "again.json"]
    assert 0 == main([*again, "--json"])
    printed = json.loads(capsys.readouterr().out)
    assert not faults(printed, schemas.answer("history"))
    assert not unnamed(printed, schemas.answer("history"))
    for name in ("counts", "guarantee", "accuracy_line", "ledger_row", "request", "dataset"):
        assert released[name] == printed["answer"][name]
    assert 0 == main(["verify", "again.json"])
    assert "again.json: whole" in capsys.readouterr().out
    assert before == left(url, capsys)


def test_history_of_what_was_never_asked_is_refused(url: str, capsys) -> None:
    """As is a certificate of no request."""
    assert 2 == main(["history", url, "--request", "nothing"])
    assert 2 == main(["history", url, "--certificate", "a.json"])
    said = capsys.readouterr().err
    assert "This request does not exist, or is not yours" in said
    assert "name its request by --request" in said
    assert not Path("a.json").exists()


def test_sql_at_a_server_has_no_condition_and_explains_itself(url: str, capsys) -> None:
    """Rows are those that its curator describes; EXPLAIN asks for the plan."""
    asked = "SELECT MEDIAN(age) FROM survey"
    assert 2 == main(["sql", f"{url}/survey", f"{asked} WHERE age > 40", *HALF])
    assert "its curator describes: leave WHERE out." in capsys.readouterr().err
    before = left(url, capsys)
    assert 0 == main(["sql", f"{url}/survey", f"EXPLAIN {asked}", *HALF, "--json"])
    printed = json.loads(capsys.readouterr().out)
    assert not faults(printed, schemas.served_dry_run())
    assert (printed["query"]["query"], printed["dry_run"]) == ("median", True)
    assert before == left(url, capsys)
