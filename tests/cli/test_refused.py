"""What a command refuses, in one sentence that names what is meant: odd files, slips of the pen, incomplete labels."""

from __future__ import annotations

import json
from pathlib import Path

import pandas
import pytest

import dpselect as dps
from dpselect.cli import main
from tests.cli import inputs
from tests.cli.inputs import PERCENTILE, PREDICT, TRAIN

LEDGER = ["--ledger", "people.ledger"]
pytestmark = pytest.mark.usefixtures("folder")


def spends() -> int:
    """Return how often the ledger was spent from."""
    return dps.Ledger.read("people.ledger").totals.spends


NESTED = "[" * 3000


@pytest.mark.parametrize(
    "name, content, words",
    [
        ("people.toml", f"x = {NESTED}", "people.toml, line 1: this is not TOML"),
        ("people.toml", "columns = 3", "line 1: columns: this is a table of columns"),
        (
            "people.toml",
            inputs.description("age = {lower = 0, upper = 9, edges = ['a']}\n"),
            "line 3: columns.age.edges",
        ),
        ("people.toml", inputs.description("age = [2020-01-01]\n"), "line 3: columns.age: a list holds text"),
        ("people.toml", inputs.description("age = [[1], [2]]\n"), "line 3: columns.age: a list holds text, numbers"),
        ("people.toml", b"\xff\xfe", "people.toml: this is not text in UTF-8"),
        ("people.toml", "", "name a source, which is a table, or a graph"),
        ("model.json", "[" * 200_000, "not a model file"),
        ("model.json", '{"format": 1, "a": ' + "[" * 200_000, "not a model file"),
        ("model.json", "3", "not a model file"),
        ("model.json", "null", "not a model file"),
        ("model.json", "", "not a model file"),
        ("model.json", b"\xff\xfe", "not a model file"),
    ],
)
def test_odd_files_are_one_sentence(name: str, content: str | bytes, words: str, capsys) -> None:
    """Status 2, and nothing spent."""
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    command = PREDICT if name == "model.json" else [*TRAIN, *LEDGER, "--out", "new.json"]
    assert 2 == main(command)
    said = capsys.readouterr().err

    assert words in said
    assert 1 == said.count("\n")
    assert 0 == spends()


@pytest.mark.parametrize(
    "command, name",
    [
        (["quantiles", *PERCENTILE, "--total", "9", *LEDGER, "--epsilon", "1", "--total", "8"], "--total"),
        (["quantiles", *PERCENTILE, *LEDGER, "--epsilon", "1", "--epsilon=2"], "--epsilon"),
        (["quantiles", *PERCENTILE, "--ledger", "other.ledger", *LEDGER, "--epsilon", "1"], "--ledger"),
        ([*TRAIN, *LEDGER, "--out", "a.json", "--out", "b.json"], "--out"),
        (["compare", "--out", "a.svg", "top-k", "lesmis", "degree", "--out", "b.svg"], "--out"),
    ],
)
def test_an_option_that_is_given_twice_is_refused(command: list[str], name: str, capsys) -> None:
    """Which of the two was meant is not guessed, and nothing is spent."""
    assert 2 == main(command)
    said = capsys.readouterr().err

    assert f": {name} is given twice: give it once" in said
    assert 0 == spends()


def test_options_that_repeat_and_flags_may_be_given_twice(capsys) -> None:
    """Every value of the first counts, and a flag says the same twice."""
    command = ["quantiles", *PERCENTILE, "--p", "90", *LEDGER, "--epsilon", "1", "--json", "--json"]
    assert 0 == main(command)
    assert ["50", "90"] == json.loads(capsys.readouterr().out)["p"]


def test_shares_on_the_command_line_are_answered_with_percentages(capsys) -> None:
    """In words of the command line, where there is no function to use instead; nothing is spent."""
    command = ["quantiles", *PERCENTILE[:-1], "0.25", "0.5", *LEDGER, "--epsilon", "1"]
    assert 2 == main(command)

    assert (
        "0.25 and 0.5 are shares, and --p takes percentages: pass 25 and 50, or --q instead of --p.\n"
        in capsys.readouterr().err
    )
    assert 0 == spends()


def test_a_model_that_lacks_a_part_is_refused_though_its_checksum_fits(capsys) -> None:
    """The parts are checked too."""
    from dpselect.learn.export import _checksum

    whole = json.loads(Path("model.json").read_text())
    for part in ("classes", "attributes", "trees", "epsilon", "model"):
        for value in (None, 3, "x", [3], {}):
            content = {**whole, part: value}
            content["checksum"] = _checksum({name: each for name, each in content.items() if name != "checksum"})
            Path("model.json").write_text(json.dumps(content))
            status = main(PREDICT)
            assert (status, 1) in ((2, capsys.readouterr().err.count("\n")), (0, 1)), (part, value)


@pytest.mark.parametrize(
    "words, said",
    [
        (["quantiles", "people.csv", "--p", "x", "--epsilon", "1"], "--p: 'x' is not a number: write one"),
        (["quantiles", "people.csv", "--p", "5", "--lower", "x", "--epsilon", "1"], "--lower: 'x' is not"),
        (["snp", "study.csv", "--families", "x", "--epsilon", "1"], "--families: 'x' is not a whole number"),
        (["snp", "study.csv", "--families", "0", "--epsilon", "1"], "--families must be at least 1"),
        (["quantiles", *PERCENTILE, "--epsilon", "0"], "'0' is too small: epsilon must be positive"),
        (["quantiles", *PERCENTILE, "--epsilon", "1", "--mechanism", ""], "--mechanism: '' is not one of them"),
        ([*TRAIN, "--model", "id3", "--mechanism", "", "--out", "x.json"], "mechanism"),
        ([*TRAIN, "--table", "people", "--out", "x.json"], "the option --table does not exist: see"),
        (["quantiles", *PERCENTILE, "--table", "people", "--epsilon", "1"], "--table: a file is one table: leave"),
        (["top-k", "edges.csv", "--table", "x", "degree", "--nodes", "4", "--epsilon", "1"], "one table"),
        (["select", "votes.parquet", *inputs.VOTES, "--table", "x", "--domain", "rows", "--epsilon", "1"], "one table"),
        (["train", "people.csv", *TRAIN[2:], "--out", "x.json"], "write that by dpselect describe FILE > FILE.toml"),
        (["train", "people.toml", "--epsilon", "1", "--out", "x.json"], "the target is required: the column to be"),
        (["train", "people.toml", "rich", "--out", "x.json"], "--epsilon is required: the privacy budget, such as"),
        (["train", "people.csv", "--frobnicate"], "option --frobnicate does not exist: see"),
        ([*TRAIN, "--out", "x.json", "--max-dept", "3"], "option --max-dept does not exist, did you mean --max-depth"),
        ([*TRAIN, "--out", "x.json", "--eps", "3"], "the option --eps does not exist, did you mean --epsilon: see"),
        ([*TRAIN, "--out", "--overwrite"], "--out needs a value: see dpselect train --help."),
        ([*TRAIN, "--out", "x.json", "--epsilom", "3"], "option --epsilom does not exist, did you mean --epsilon"),
        (["budget", "show", "people.ledger", "people.csv"], "'people.csv' is one word too many: see"),
    ],
)  # fmt: skip
def test_a_message_names_the_option_that_is_meant(words: list[str], said: str, capsys) -> None:
    """And no other; nothing is ignored."""
    try:
        status = main(words)
    except SystemExit as end:
        status = end.code
    printed = capsys.readouterr().err

    assert 2 == status
    assert said in printed
    assert ("epsilon" in said) or "epsilon must" not in printed


PEOPLE = 'job = ["nurse", "smith"]\nrich = ["no", "yes"]\n'


@pytest.mark.parametrize("place", ["", "in_place = true\n"])
@pytest.mark.parametrize("source", ["people.csv", "people.parquet"])
@pytest.mark.parametrize(
    "command",
    [
        [*TRAIN, *LEDGER, "--out", "new.json"],
        ["check", "people.toml"],
        ["choose", "tree", *TRAIN[1:], *LEDGER, "--out", "new.json"],
    ],
    ids=" ".join,
)
def test_a_description_of_no_column_is_refused_before_the_spend(command, source: str, place: str, capsys) -> None:
    """A slip of the pen; the columns of a parquet file are listed, for its schema is public."""
    columns = f"agee = {{lower = 0, upper = 100}}\n{PEOPLE}"
    Path("people.toml").write_text(inputs.description(columns, place, source))
    pandas.read_csv("people.csv").to_parquet("people.parquet")
    assert 2 == main(command)
    said = capsys.readouterr().err

    assert "The table has no column 'agee': " in said
    assert ("it has 'age', 'job', 'rich'." in said) == (source == "people.parquet")
    assert 1 == said.count("\n")
    assert 0 == spends()


def test_a_column_that_is_not_described_is_left_out(capsys) -> None:
    """As the command says afterwards."""
    Path("people.toml").write_text(inputs.description('age = {lower = 0, upper = 100}\nrich = ["no", "yes"]\n'))
    assert 0 == main([*TRAIN, "--out", "new.json"])
    assert "learned from age;" in capsys.readouterr().out


@pytest.mark.parametrize("place", ["", "in_place = true\n"])
def test_a_target_alone_teaches_nothing(place: str, capsys) -> None:
    """The description needs a column to learn from."""
    Path("people.toml").write_text(inputs.description('rich = ["no", "yes"]\n', place))
    assert 2 == main([*TRAIN, *LEDGER, "--out", "new.json"])
    assert "A model needs at least one feature: describe other columns than the target." in capsys.readouterr().err
    assert 0 == spends()


@pytest.mark.parametrize(
    "lines, said",
    [
        (["1000,5", ",6"], "The label column 'zip' has empty cells: --label names a public column that is complete."),
        (["north,5", ",6"], "The label column 'zip' has empty cells: --label"),
        (["1000,5", "1000,6"], "--label needs a column with a different name in every row."),
    ],
)
@pytest.mark.parametrize("command", ["median-record", "snp"])
def test_labels_that_do_not_name_every_row_are_refused(command: str, lines: list[str], said: str, capsys) -> None:
    """By the option that names them; labels are public."""
    Path("zips.csv").write_text("\n".join(["zip,b,c", *(f"{line},1" for line in lines)]) + "\n")
    more = ["--families", "9"] if command == "snp" else ["b", "--lower", "0", "--upper", "9"]
    assert 2 == main([command, "zips.csv", *more, "--label", "zip", "--epsilon", "1", *LEDGER])
    assert said in capsys.readouterr().err
    assert 0 == spends()


@pytest.mark.parametrize("content, what", [("", "is empty"), ("\n1\n2\n", "begins with an empty line")])
@pytest.mark.parametrize(
    "command",
    [
        ["median", "empty.csv", "--lower", "0", "--upper", "9", "--epsilon", "1"],
        ["train", "empty.toml", *TRAIN[2:], "--out", "new.json"],
        ["check", "empty.toml"],
        ["predict", "model.json", "empty.csv"],
    ],
    ids=lambda words: words[0],
)
def test_an_empty_file_is_called_empty(command: list[str], content: str, what: str, capsys) -> None:
    """Not a file of 0 columns."""
    Path("empty.csv").write_text(content)
    Path("empty.toml").write_text(inputs.description(source="empty.csv"))
    assert 2 == main(command)
    assert f"empty.csv {what}: its first line must name the columns." in capsys.readouterr().err
