"""The check that a dry run names: it runs, and it takes what was pasted from the question."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from dpselect.cli import command, main
from tests.cli import inputs
from tests.cli.every import every_command

pytest.importorskip("sklearn")
pytest.importorskip("pyarrow")

ROOT = command.root()
QUESTIONS = [
    *(line for line in inputs.COMMANDS if line[0] not in ("compare", "budget", "choose") and "--epsilon" in line),
    [*inputs.CHOOSE, "--out", "new.npy"],
    ["choose", "tree", *inputs.TRAIN[1:], "--out", "new.json"],
    ["keys", "events.csv", "--person", "user", "--key", "product", "--keys-per-person", "2", "--epsilon", "1",
     "--delta", "1e-6"],
    ["most-common", "events.csv", "--item", "product", "--domain", "tea,milk", "--by", "region", "--groups", "n,s",
     "--epsilon", "1"],
    ["counts", "people.csv", "--column", "age", "--bins", "0", "18", "65", "--by", "job", "--groups", "nurse,smith",
     "--epsilon", "1"],
    ["counts", "people.csv", "--column", "age", "--lower", "0", "--upper", "100", "--step", "10", "--epsilon", "1"],
    ["median", "people.csv", "--column", "age", "--lower", "0", "--upper", "100", "--person", "job", "--where",
     "rich = yes and (job = nurse or job = smith) and age >= 18", "--epsilon", "1"],
    ["median", "one.csv", "--lower", "-5", "--upper", "100", "--missing", "refuse", "--epsilon", "1"],
    ["select", "counts.csv", "--candidate", "name", "--score", "count", "--kind", "integer", "--sensitivity", "1",
     "--domain", "rows", "--epsilon", "1"],
    ["top-k", "edges.txt", "--nodes", "4", "--metric", "followers", "--epsilon", "1"],
    ["top-k", "edges.csv", "--nodes", "4", "--metric", "degree", "--metric", "core-number", "--pareto",
     "--epsilon", "1"],
]  # fmt: skip
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
    verbs = {words: ROOT.imported(words[0]) for words, _ in every_command()}
    tasks = {words: found.commands[words[1]] if len(words) > 1 else found for words, found in verbs.items()}
    spending = {words for words, found in tasks.items() if found.verb.spends}
    assert spending == {words for words in spending if any(tuple(line[: len(words)]) == words for line in QUESTIONS)}


@pytest.mark.parametrize(
    "line", [line for line in QUESTIONS if line[0] not in ("snp", "above") and line[:2] != ["choose", "histogram"]],
    ids=" ".join,
)  # fmt: skip
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
    words = ["check", "d.csv", "--domain", "tea,milk,soy", "--by", "where", "--groups", "n,s", "--person", "who"]
    for name in ("--column", "--item"):
        assert 0 == main([*words, name, "what", "--json"])
        facts = json.loads(capsys.readouterr().out)
        assert (6, 1, 2) == tuple(facts[each] for each in ("rows", "empty", "outside_the_list"))
        assert ["Tea", "beer"] == facts["strangers"]
        assert (1, 3) == (facts["unused"], facts["names"])
        assert (1, 1, 1) == tuple(facts[each] for each in ("without_a_group", "other_groups", "without_a_person"))
    assert 0 == main([*words, "--column", "what"])
    assert [
        "empty: 1",
        "not in the list of --domain: 2, such as 'Tea'; 'beer'",
        "names of the list without a row: 1 of 3",
        "without a group: 1",
        "not in the list of --groups: 1, such as 'x'",
        "without a person: 1",
        "rows: 6",
    ] == capsys.readouterr().out.splitlines()[1:]
    assert 0 == main([*words[:2], "--key", "what", "--person", "who"])
    assert ["empty: 1", "without a person: 1", "rows: 6"] == capsys.readouterr().out.splitlines()[1:]


def test_whole_numbers_are_names(tmp_path, monkeypatch, capsys) -> None:
    """Of a typed column too, where an empty cell is none of them."""
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.chdir(tmp_path)
    parquet.write_table(arrow.table({"v": [0, 1, None, 7]}), "d.parquet")
    assert 0 == main(["check", "d.parquet", "--column", "v", "--domain", "3", "--json"])
    facts = json.loads(capsys.readouterr().out)
    assert (4, 1, 1, 1) == tuple(facts[each] for each in ("rows", "empty", "outside_the_list", "unused"))
    assert ["7"] == facts["strangers"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--column", "what", "--item", "what"], "One column is checked at a time: pass --column or --item."),
        (["--column", "none", "--domain", "tea,"], "none of the 3 here is called that"),
        (["--item", "what", "--by", "where"], "--groups"),
        (["--item", "what", "--domain", "tea,", "--in-place"], "leave --in-place and --table out"),
        (["--item", "what", "--lower", "0"], "--lower, --upper and --bins go with numbers"),
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
