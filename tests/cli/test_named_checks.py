"""The check that a dry run names: it runs, and it takes what was pasted from the question."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from dpselect.cli import click_commands, main
from tests.cli import inputs
from tests.cli.every import every_command

pytest.importorskip("sklearn")
pytest.importorskip("pyarrow")

ROOT = click_commands.root()
QUESTIONS = [
    *(line for line in inputs.COMMANDS if line[0] not in ("compare", "budget", "choose") and "--epsilon" in line),
    [*inputs.CHOOSE, "--out", "new.npy"],
    ["choose", "tree", *inputs.TRAIN[1:], "--out", "new.json"],
    ["partitions", "events.csv", "--person", "user", "product", "--per-person", "2", "--epsilon", "1",
     "--delta", "1e-6"],
    ["most-common", "events.csv", "product", "--domain", "tea,milk", "--by", "region", "--groups", "n,s",
     "--epsilon", "1"],
    ["histogram", "people.csv", "age", "--bins", "0", "18", "65", "--by", "job", "--groups", "nurse,smith",
     "--epsilon", "1"],
    ["histogram", "people.csv", "age", "--lower", "0", "--upper", "100", "--step", "10", "--epsilon", "1"],
    ["median", "people.csv", "age", "--lower", "0", "--upper", "100", "--person", "job", "--where",
     "rich = yes and (job = nurse or job = smith) and age >= 18", "--epsilon", "1"],
    ["best", "people.toml", "avg(age)", "--by", "job", "--prior", "5:40", "--epsilon", "1"],
    ["sql", "people.toml", "SELECT MEDIAN(age) FROM people WHERE age > 3", "--epsilon", "1"],
    ["synthesize", "people.toml", "--epsilon", "1", "--delta", "1e-6", "--out", "synthetic.csv"],
    ["median", "one.csv", "--lower", "-5", "--upper", "100", "--epsilon", "1"],
    ["select", "counts.csv", "--candidate", "name", "--score", "count", "--kind", "integer", "--sensitivity", "1",
     "--domain", "rows", "--epsilon", "1"],
    ["select", "people.csv", "job", "--domain", "nurse,smith", "--score", "largest-total", "--of", "age",
     "--lower", "0", "--upper", "100", "--epsilon", "1"],
    ["median-record", "study.csv", "b", "--label", "snp", "--lower", "0", "--upper", "100", "--epsilon", "1"],
    ["top-k", "edges.txt", "--nodes", "4", "followers", "--epsilon", "1"],
    ["top-k", "edges.csv", "--nodes", "4", "degree", "core-number", "--pareto",
     "--epsilon", "1"],
]  # fmt: skip
# Their files hold scores beside public names.
OF_SCORES = ("snp", "above-threshold", "select")
# No file of rows: there is nothing to be understood.
WITHOUT = ("choose histogram",)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Inputs of every kind."""
    folder = tmp_path_factory.mktemp("inputs")
    inputs.write(folder)
    (folder / "one.csv").write_text("value\n1\n2\n", encoding="utf-8")
    return folder


def named(page: str) -> tuple[list[str], list[str]]:
    """The lines of a dry run that name checks, and these as a shell reads them."""
    _, found, behind = page.partition("\ncheck ")
    said, *rest = behind.splitlines() if found else [""]
    lines = []
    for line in rest:
        if not line.startswith(" "):
            break
        lines.append(line)
    joined = "\n".join(lines).replace(" \\\n", " ")
    return [f"check {said}", *lines], joined.splitlines()


@pytest.mark.parametrize("line", QUESTIONS, ids=" ".join)
def test_the_check_that_a_dry_run_names_works(line, folder, monkeypatch, capsys) -> None:
    """Of every question about a file; and no line is wider than a terminal."""
    monkeypatch.chdir(folder)
    capsys.readouterr()
    assert 0 == main([*line, "--dry-run"])
    lines, checks = named(capsys.readouterr().out)
    assert bool(checks) == (" ".join(line[:2]) not in WITHOUT)
    assert all(len(each) <= 80 for each in lines)
    for check in checks:
        assert 0 == main(shlex.split(check)[1:]), check
        assert capsys.readouterr().out.startswith("Private: these counts are for the curator alone")


def test_every_verb_that_releases_from_a_file_is_asked() -> None:
    """A new verb needs a line above."""
    verbs = {words: ROOT.import_command(words[0]) for words, _ in every_command()}
    tasks = {words: found.commands[words[1]] if len(words) > 1 else found for words, found in verbs.items()}
    spending = {words for words, found in tasks.items() if found.verb.spends}
    assert spending == {words for words in spending if any(tuple(line[: len(words)]) == words for line in QUESTIONS)}


@pytest.mark.parametrize(
    "line",
    [line for line in QUESTIONS if line[0] not in OF_SCORES and line[:2] != ["choose", "histogram"]],
    ids=" ".join,
)
def test_a_question_is_pasted_as_it_is(line, folder, monkeypatch, capsys) -> None:
    """Whatever says nothing of how the file is understood stays, a ledger that is not there too."""
    monkeypatch.chdir(folder)
    words = line[2:] if line[0] == "choose" else line[1:]
    assert 0 == main(["check", *words, "--ledger", "none.ledger", "--yes", "--certificate", "c.json", "--dry-run"])
    assert capsys.readouterr().out.startswith("Private")
    assert not (folder / "c.json").exists()


def test_names_are_counted_against_their_list(tmp_path, monkeypatch, capsys) -> None:
    """By hand: empty cells, names outside of the list, names without a row; groups and persons beside them."""
    monkeypatch.chdir(tmp_path)
    rows = ["who,what,where", "ann,tea,n", "ann,Tea,s", "bob,,n", ",milk,x", "eve,beer,", "eve,tea,n"]
    Path("d.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    words = [
        "check",
        "d.csv",
        "what",
        "--domain",
        "tea,milk,soy",
        "--by",
        "where",
        "--groups",
        "n,s",
        "--person",
        "who",
    ]
    assert 0 == main([*words, "--json"])
    facts = json.loads(capsys.readouterr().out)
    what = facts["columns"]["what"]
    assert (6, 1, 2) == (facts["rows"], what["empty"], what["outside_the_list"])
    assert ["Tea", "beer"] == what["strangers"]
    assert (1, 3) == (what["unused"], what["names"])
    assert (1, 1, 1) == (
        facts["columns"]["where"]["empty"],
        facts["columns"]["where"]["outside_the_list"],
        facts["persons"]["nobody"],
    )
    assert 0 == main(words)
    assert "what: 3 listed, 1 empty, 2 not in the list, such as 'Tea'; 'beer'" in capsys.readouterr().out.splitlines()


def test_whole_numbers_are_names(tmp_path, monkeypatch, capsys) -> None:
    """Of a typed column too, where an empty cell is none of them."""
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.chdir(tmp_path)
    parquet.write_table(arrow.table({"v": [0, 1, None, 7]}), "d.parquet")
    assert 0 == main(["check", "d.parquet", "v", "--domain", "3", "--json"])
    facts = json.loads(capsys.readouterr().out)["columns"]["v"]
    assert (1, 1, 1) == tuple(facts[each] for each in ("empty", "outside_the_list", "unused"))
    assert ["7"] == facts["strangers"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["none", "--domain", "tea,"], "none of the 3 here is called that"),
        (["what", "--by", "where"], "pass --groups, their public list"),
        (["what", "--lower", "0"], "pass --lower and --upper, the public bounds"),
    ],
)
def test_what_no_column_of_names_has_is_refused(words, said, tmp_path, monkeypatch, capsys) -> None:
    """In one sentence."""
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text("who,what,where\nann,tea,n\n", encoding="utf-8")
    assert 2 == main(["check", "d.csv", *words])
    printed = capsys.readouterr()
    assert said in printed.err
    assert ("", 1) == (printed.out, printed.err.count("\n"))
