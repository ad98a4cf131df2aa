"""Files of a curator: every command about a table takes the same options for how it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpselect.cli import click_commands, command_registry, main, reading
from tests.cli.inputs import description

pytest.importorskip("pyarrow")

EPSILON = ["--epsilon", "1000"]
GERMAN = ["--separator", ";", "--decimal", ",", "--encoding", "latin-1"]
INCOME = ["einkommen", "--lower", "0", "--upper", "100", "--step", "1/2"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """People: incomes around 10,5 in the North and 90,5 in the South; some cells are not numbers."""
    monkeypatch.chdir(tmp_path)
    rows = ["person;straße;region;einkommen;reich"]
    rows += [f"{row};Höhe;{'North' if row % 2 else 'South'};{'10,5' if row % 2 else '90,5'};x" for row in range(40)]
    rows += ["40;Höhe;North;;x", "41;Höhe;North;1.000,5;x"]
    Path("people.csv").write_bytes("\n".join(rows).replace(";x", ";ja").encode("latin-1"))
    return tmp_path


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    status = main([*words])
    printed = capsys.readouterr()
    assert 0 == status, printed.err
    return printed.out


def refusal(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    status = main([*words])
    printed = capsys.readouterr()
    assert 2 == status, printed.out
    return printed.err


@pytest.mark.parametrize("command", [["quantiles", "--p", "50"], ["median"]], ids=lambda words: words[0])
def test_a_column_of_semicolons_and_decimal_commas(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Read as declared, the condition included; one that is declared wrongly is advised from the first line."""
    verb, *more = command
    words = [verb, "people.csv", *INCOME, *EPSILON, *more]

    assert "10.5" in answer(capsys, *words, *GERMAN, "--where", "region = North")
    assert "90.5" in answer(capsys, *words, *GERMAN, "--where", "region = South and einkommen > 90,4".replace(",", "."))
    assert "looks like semicolons: --separator ';'" in refusal(capsys, *words)
    assert "pass --decimal , or, where they have a point, --decimal ." in refusal(
        capsys, *words, "--separator", ";", "--encoding", "latin-1"
    )
    assert "is not a condition" in refusal(capsys, *words, *GERMAN, "--where", "region")


def test_the_most_common_value_of_a_survey(capsys: pytest.CaptureFixture[str]) -> None:
    """Persons and items of a file as it is declared, also of some rows only."""
    words = ["most-common", "people.csv", "--person", "person", "region", "--domain", "North,South"]

    assert answer(capsys, *words, *EPSILON, *GERMAN).startswith("  1  North")
    assert answer(capsys, *words, *EPSILON, *GERMAN, "--where", "einkommen > 50").startswith("  1  South")
    assert answer(capsys, *words, *EPSILON, *GERMAN, "--where", "'straße' = Höhe and reich = ja").startswith(
        "  1  North"
    )


def test_a_tree_learns_from_declared_text(capsys: pytest.CaptureFixture[str]) -> None:
    """Train, check and predict read decimal commas of columns of numbers, and leave text as it is."""
    pytest.importorskip("sklearn")
    columns = 'region = ["North", "South"]\neinkommen = {lower = 0, upper = 100}\n'
    how = 'separator = ";"\ndecimal = ","\nencoding = "latin-1"\n'
    Path("people.toml").write_text(description(columns, how), "utf-8")

    assert "einkommen: 41 numbers, 1 empty, 0 not a number; 1 outside" in answer(capsys, "check", "people.toml")
    Path("people.toml").write_text(description(columns, f'{how}where = "einkommen > 0"\n'), "utf-8")
    answer(capsys, "train", "people.toml", "region", *EPSILON, "--out", "m.json")
    labels = answer(capsys, "predict", "m.json", "people.csv", *GERMAN).split()

    assert ["label", "South", "North", "South", "North"] == labels[:5]


@pytest.fixture
def votes() -> str:
    """Ready scores, two columns."""
    Path("votes.csv").write_text("name;score;year\ntea;1,5;2024\nmilk;90,5;2024\ngin;;2023\nrum;95;2020\n", "utf-8")
    return "votes.csv"


@pytest.mark.parametrize("bins", [["--bins", "0", "50", "100"], ["--lower", "0", "--upper", "100", "--step", "50"]])
def test_counts_of_numbers_between_semicolons_ask_for_the_decimal_mark(
    bins: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """As the other commands about numbers do, before anything is spent; of names nothing is asked."""
    words = ["histogram", "people.csv", "--separator", ";", "--encoding", "latin-1", *EPSILON, "--yes"]
    asks = "pass --decimal , or, where they have a point, --decimal ."

    assert asks in refusal(capsys, *words, "einkommen", *bins)
    assert asks in refusal(capsys, *words, "einkommen", *bins, "--dry-run")
    assert "20" in answer(capsys, *words, "einkommen", *bins, "--decimal", ",")
    assert "North" in answer(capsys, *words, "region", "--domain", "North,South")


def test_a_first_line_of_another_encoding_is_refused_for_any_column(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where the wanted column has a name in ASCII."""
    words = ["people.csv", "--separator", ";", "--decimal", ",", *EPSILON, "--yes"]
    said = "The first line of people.csv is not in this encoding: --encoding, such as --encoding cp1252."

    assert said in refusal(capsys, "median", *words, "einkommen", "--lower", "0", "--upper", "100")
    assert said in refusal(capsys, "histogram", *words, "region", "--domain", "North,South")
    assert said in refusal(capsys, "most-common", *words, "--person", "person", "region", "--domain", "North,South")


def test_ready_scores_are_selected_from(votes: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A public condition on other columns may leave names out; one on the scores would tell of them."""
    words = ["select", votes, "--candidate", "name", "--score", "score", "--sensitivity", "1", "--domain", "rows"]
    words += ["--kind", "real", "--separator", ";", "--decimal", ",", *EPSILON]

    assert answer(capsys, *words).startswith("  1  rum")
    assert answer(capsys, *words, "--where", "year >= 2023").startswith("  1  milk")
    assert "private column 'score'" in refusal(capsys, *words, "--where", "score > 3")


def test_counts_above_a_threshold(votes: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Names, counts and thresholds of a declared file."""
    words = ["above-threshold", votes, "--label", "name", "--value", "score", "--threshold", "50", "--separator", ";"]

    assert "milk" in answer(capsys, *words, "--decimal", ",", *EPSILON)
    assert "private column 'score'" in refusal(capsys, *words, *EPSILON, "--where", "score > 3")


def test_an_excel_file_is_as_good_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    """Columns, events and ready scores."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [("name", "score"), *((f"n{row}", row) for row in range(30))]:
        book.active.append(row)
    book.save("votes.xlsx")

    bounds = ["--lower", "0", "--upper", "100"]
    assert answer(capsys, "median", "votes.xlsx", "score", *bounds, *EPSILON).startswith("median: 1")
    words = ["--candidate", "name", "--score", "score", "--kind", "integer", "--sensitivity", "1", "--domain", "rows"]
    assert answer(capsys, "select", "votes.xlsx", *words, *EPSILON).startswith("  1  n29")
    words = ["--person", "name", "score", "--domain", "3,4", "--where", "score = 4"]
    assert answer(capsys, "most-common", "votes.xlsx", *words, *EPSILON).startswith("  1  4")
    assert "--separator: this goes with files of text" in refusal(
        capsys, "median", "votes.xlsx", "score", *bounds, *EPSILON, "--separator", ";"
    )


def test_what_stays_in_its_engine_is_not_declared(votes: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nor does a histogram have text, nor may records be left out where their number is public."""
    import numpy as np

    np.save("counts.npy", np.arange(5))
    column = ["--lower", "0", "--upper", "9", *EPSILON]
    assert "--where: this goes with a file" in refusal(
        capsys, "median", votes, "score", *column, "--in-place", "--where", "year > 1"
    )
    assert "histogram" in refusal(capsys, "median", "counts.npy", *EPSILON, "--separator", ";")
    label = ["--label", "name", "--where", "year > 1"]
    assert "option --where does not exist" in refusal(capsys, "median-record", votes, "score", *column, *label)


def test_a_ledger_keeps_the_condition(capsys: pytest.CaptureFixture[str]) -> None:
    """Which rows were asked is part of the question."""
    answer(capsys, "budget", "create", "l.db", "--dataset", "d", "--epsilon", "3000", "--neighbours", "person")
    words = ["most-common", "people.csv", "--person", "person", "region", "--domain", "North,South"]
    answer(capsys, *words, *EPSILON, *GERMAN, "--where", "einkommen > 50", "--ledger", "l.db")

    assert "einkommen > 50" in answer(capsys, "budget", "show", "l.db", "--json")


def test_rows_without_a_name_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """Of events and edges too."""
    Path("events.csv").write_text("who,what,where\nann,tea,n\nbob,tea,n\n,tea,n\ncem,milk,\n", "utf-8")
    Path("edges.csv").write_text("source,target\n0,1\n0,2\n0,\n", "utf-8")
    events = ["--person", "who", *EPSILON, "--yes"]

    assert answer(capsys, "most-common", "events.csv", "what", "--domain", "tea,milk", *events).startswith("  1  tea")
    keys = ["partitions", "events.csv", "what", "--per-person", "1", "--delta", "0.5", *events]
    assert "tea" in answer(capsys, *keys)
    edges = ["top-k", "edges.csv", "degree", "--nodes", "3", *EPSILON, "--yes"]
    assert answer(capsys, *edges).startswith("  1  0")


@pytest.mark.parametrize("option", [["--separator", ";"], ["--decimal", ","], ["--encoding", "latin-1"]])
@pytest.mark.parametrize("verb", ["median", "most-common", "check", "top-k"])
def test_no_dialect_is_declared_of_a_table_in_place(
    verb: str, option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """One sentence that names the option, before the table is looked at."""
    words = {
        "median": ["einkommen", "--lower", "0", "--upper", "100"],
        "most-common": ["region", "--person", "person", "--domain", "North,South"],
        "check": ["region", "--domain", "North,South"],
        "top-k": ["degree", "--nodes", "3"],
    }[verb]
    price = [] if verb == "check" else ["--epsilon", "1"]

    assert f"{option[0]}: this goes with a file that is read into memory" in refusal(
        capsys, verb, "people.csv", *words, *price, *option, "--in-place"
    )


def test_the_median_of_numbers_that_are_grouped(capsys: pytest.CaptureFixture[str]) -> None:
    """Most of a German survey: without its groups the median would be that of the small incomes, 900."""
    rows = ["einkommen", *["900,00"] * 40, *["2.420,34"] * 900, *["1.234.567,8"] * 40]
    Path("groups.csv").write_text("\n".join(rows), encoding="utf-8")
    words = ["median", "groups.csv", "einkommen", "--lower", "0", "--upper", "10000", "--step", "100"]

    assert "median: 2400" in answer(capsys, *words, "--separator", ";", "--decimal", ",", *EPSILON, "--yes")
    assert "median: 2400" in answer(
        capsys, *words, "--separator", ";", "--decimal", ",", "--thousands", ".", *EPSILON, "--yes"
    )
    assert "pass --decimal ," in refusal(capsys, *words, "--thousands", ".", *EPSILON, "--yes")
    assert "groups no digits" in refusal(capsys, *words, "--thousands", "_", *EPSILON, "--yes")


def test_every_command_that_reads_a_file_takes_the_same_options() -> None:
    """Those of the keys of a description, of questions that can be asked without one, and of commands that ask none."""
    needs_description = {"best", "sql", "synthesize", "train", "sample", "publish", "plan"}
    options = {each.opts[0] for each in reading.FILE}
    assert {"--separator", "--decimal", "--encoding", "--sheet", "--skip-rows", "--missing-text", "--unit"} < options
    readers = [
        "describe", "check", "median", "quantiles", "histogram", "most-common", "partitions", "select",
        "above-threshold", "predict", "explore", "snp", "median-record",
    ]  # fmt: skip
    for verb in readers:
        assert options <= {each.opts[0] for each in click_commands.options_of(command_registry.verb(verb))}, verb
    for verb in needs_description:
        assert not options & {each.opts[0] for each in click_commands.options_of(command_registry.verb(verb))}, verb


def test_a_description_is_begun_with_all_that_is_said_of_its_file(capsys: pytest.CaptureFixture[str]) -> None:
    """What check needs to read it the same way."""
    said = ["--missing-text", "NA", "-99", "--unit", "EUR", "--date-order", "dmy", "--line-breaks"]
    begun = answer(capsys, "describe", "people.csv", *GERMAN, *said)
    for line in ('missing = ["NA", "-99"]', 'unit = ["EUR"]', 'date_order = "dmy"', "line_breaks = true"):
        assert line in begun


def test_labels_of_a_file_that_is_written_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    """Predict reads it as train reads the table of its description."""
    rows = ["einkommen,reich", *(f"{row},{'ja' if row > 20 else 'nein'}" for row in range(40))]
    Path("train.csv").write_text("\n".join(rows), encoding="utf-8")
    columns = 'einkommen = {lower = 0, upper = 40}\nreich = ["ja", "nein"]\n'
    more = '[budget]\nepsilon = 1000\nledger = "own.ledger"\n'
    Path("train.toml").write_text(description(columns, source="train.csv") + more, encoding="utf-8")
    answer(capsys, "train", "train.toml", "reich", "--epsilon", "1000", "--out", "model.json", "--yes")
    new = "a heading\neinkommen;name\n30,5 EUR;ä\n3,5 EUR;ö\n-99;ü\n"
    Path("new.csv").write_bytes(new.encode("cp1252"))
    said = ["--skip-rows", "1", "--separator", ";", "--decimal", ",", "--encoding", "cp1252"]
    labels = answer(capsys, "predict", "model.json", "new.csv", *said, "--unit", "EUR", "--missing-text", "-99")
    assert ["label", "ja", "nein"] == labels.split()[:3]


def test_markers_of_a_file_that_is_written_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    """As every other table."""
    Path("study.csv").write_text("of 2026\nsnp;b;c\nrs1;90;10\nrs2;20;20\n", encoding="utf-8")
    said = ["--families", "100", "--separator", ";", "--skip-rows", "1", "--decimal", "."]
    assert "rs1" in answer(capsys, "snp", "study.csv", *said, *EPSILON, "--yes")
