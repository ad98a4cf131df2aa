"""Files of a curator: every command about a table takes the same options for how it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpselect.cli import main

pytest.importorskip("pyarrow")

EPSILON = ["--epsilon", "1000"]
GERMAN = ["--separator", ";", "--decimal", ",", "--encoding", "latin-1"]
INCOME = ["--column", "einkommen", "--lower", "0", "--upper", "100", "--step", "1/2"]


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


@pytest.mark.parametrize(
    "command", [["percentile", "--p", "50"], ["median"], ["quantiles", "--p", "50"]], ids=lambda words: words[0]
)
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
    assert "missing or not a number" in refusal(capsys, *words, *GERMAN, "--missing", "refuse")
    assert "is not a condition" in refusal(capsys, *words, *GERMAN, "--where", "region")


def test_the_most_common_value_of_a_survey(capsys: pytest.CaptureFixture[str]) -> None:
    """Persons and items of a file as it is declared, also of some rows only."""
    words = ["most-common", "people.csv", "--person", "person", "--item", "region", "--domain", "North,South"]

    assert answer(capsys, *words, *EPSILON, *GERMAN).startswith("  1  North")
    assert answer(capsys, *words, *EPSILON, *GERMAN, "--where", "einkommen > 50").startswith("  1  South")
    assert answer(capsys, *words, *EPSILON, *GERMAN, "--where", "'straße' = Höhe and reich = ja").startswith(
        "  1  North"
    )


def test_a_tree_learns_from_declared_text(capsys: pytest.CaptureFixture[str]) -> None:
    """Train, check and predict read decimal commas of columns of numbers, and leave text as it is."""
    pytest.importorskip("sklearn")
    Path("domains.toml").write_text('region = ["North", "South"]\neinkommen = {low = 0, high = 100}\n', "utf-8")
    words = ["people.csv", "--target", "region", "--domains", "domains.toml", *GERMAN]

    assert "einkommen: 0 outside of the domain, 1 missing" not in answer(capsys, "check", *words, "--where", "reich=x")
    assert "rows: 42, of which training leaves out" in answer(capsys, "check", *words)
    assert "pass --missing category, or --missing drop" in refusal(
        capsys, "train", *words, *EPSILON, "--out", "m.json", "--missing", "refuse"
    )
    answer(capsys, "train", *words, *EPSILON, "--out", "m.json", "--where", "einkommen > 0")
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
    words = ["counts", "people.csv", "--separator", ";", "--encoding", "latin-1", *EPSILON, "--yes"]
    asks = "pass --decimal , or, where they have a point, --decimal ."

    assert asks in refusal(capsys, *words, "--column", "einkommen", *bins)
    assert asks in refusal(capsys, *words, "--column", "einkommen", *bins, "--dry-run")
    assert "20" in answer(capsys, *words, "--column", "einkommen", *bins, "--decimal", ",")
    assert "North" in answer(capsys, *words, "--column", "region", "--domain", "North,South")


def test_counts_are_refused_where_cells_are_missing_and_the_curator_asks(capsys: pytest.CaptureFixture[str]) -> None:
    """An empty cell of a list; of bins, one that is not a number too. Nothing is refused unless it is asked for."""
    Path("v.csv").write_text("name,age,full\na,1,1\n,x,2\n", "utf-8")
    words, refuse = ["counts", "v.csv", *EPSILON, "--yes"], ["--missing", "refuse"]
    names, ages = ["--column", "name", "--domain", "a,b"], ["--column", "age", "--bins", "0", "9"]

    assert "Some cells of name are missing" in refusal(capsys, *words, *names, *refuse)
    assert "missing or not a number" in refusal(capsys, *words, *ages, *refuse)
    for more in (names, ages, ["--column", "full", "--bins", "0", "9", *refuse]):
        assert answer(capsys, *words, *more)


def test_a_first_line_of_another_encoding_is_refused_for_any_column(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where the wanted column has a name in ASCII."""
    words = ["people.csv", "--separator", ";", "--decimal", ",", *EPSILON, "--yes"]
    said = "The first line of people.csv is not in this encoding: --encoding, such as --encoding cp1252."

    assert said in refusal(capsys, "median", *words, "--column", "einkommen", "--lower", "0", "--upper", "100")
    assert said in refusal(capsys, "counts", *words, "--column", "region", "--domain", "North,South")
    assert said in refusal(
        capsys, "most-common", *words, "--person", "person", "--item", "region", "--domain", "North,South"
    )


def test_ready_scores_are_selected_from(votes: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A public condition on other columns may leave names out; one on the scores would tell of them."""
    words = ["select", votes, "--candidate", "name", "--score", "score", "--sensitivity", "1", "--domain", "rows"]
    words += ["--kind", "real", "--separator", ";", "--decimal", ",", *EPSILON]

    assert answer(capsys, *words).startswith("  1  rum")
    assert answer(capsys, *words, "--where", "year >= 2023").startswith("  1  milk")
    assert "private column 'score'" in refusal(capsys, *words, "--where", "score > 3")
    assert "--missing refuse was asked for" in refusal(capsys, *words, "--missing", "refuse")


def test_counts_above_a_threshold(votes: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Names, counts and thresholds of a declared file."""
    words = ["above", votes, "--label", "name", "--value", "score", "--threshold", "50", "--separator", ";"]

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
    assert answer(capsys, "median", "votes.xlsx", "--column", "score", *bounds, *EPSILON).startswith("median: 1")
    words = ["--candidate", "name", "--score", "score", "--kind", "integer", "--sensitivity", "1", "--domain", "rows"]
    assert answer(capsys, "select", "votes.xlsx", *words, *EPSILON).startswith("  1  n29")
    words = ["--person", "name", "--item", "score", "--domain", "3,4", "--where", "score = 4"]
    assert answer(capsys, "most-common", "votes.xlsx", *words, *EPSILON).startswith("  1  4")
    assert "leave them out" in refusal(capsys, "median", "votes.xlsx", *bounds, *EPSILON, "--separator", ";")


def test_what_stays_in_its_engine_is_not_declared(votes: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nor does a histogram have text, nor may records be left out where their number is public."""
    import numpy as np

    np.save("counts.npy", np.arange(5))
    column = ["--lower", "0", "--upper", "9", *EPSILON]
    assert "--where goes with a file" in refusal(
        capsys, "median", votes, "--column", "score", *column, "--in-place", "--where", "year > 1"
    )
    assert "histogram" in refusal(capsys, "median", "counts.npy", *EPSILON, "--separator", ";")
    label = ["--column", "score", "--label", "name", "--where", "year > 1", "--separator", ";"]
    assert "leave one of the two out" in refusal(capsys, "median", votes, *column, *label)


def test_a_ledger_keeps_the_condition(capsys: pytest.CaptureFixture[str]) -> None:
    """Which rows were asked is part of the question."""
    answer(capsys, "budget", "create", "l.db", "--dataset", "d", "--epsilon", "3000", "--neighbours", "person")
    words = ["most-common", "people.csv", "--person", "person", "--item", "region", "--domain", "North,South"]
    answer(capsys, *words, *EPSILON, *GERMAN, "--where", "einkommen > 50", "--ledger", "l.db")

    assert "einkommen > 50" in answer(capsys, "budget", "show", "l.db", "--json")


def test_rows_without_a_name_are_left_out_or_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Of events and edges too, where the curator asks for that; never in an engine, nor as a rule."""
    Path("events.csv").write_text("who,what,where\nann,tea,n\nbob,tea,n\n,tea,n\ncem,milk,\n", "utf-8")
    Path("edges.csv").write_text("source,target\n0,1\n0,2\n0,\n", "utf-8")
    events = ["--person", "who", *EPSILON, "--yes", "--missing"]
    common = ["most-common", "events.csv", "--item", "what", "--domain", "tea,milk", *events]
    keys = ["keys", "events.csv", "--key", "what", "--keys-per-person", "1", "--delta", "0.5", *events]
    edges = ["top-k", "edges.csv", "--metric", "degree", "--nodes", "3", *EPSILON, "--yes", "--missing"]

    assert answer(capsys, *common, "drop").startswith("  1  tea")
    assert "Some cells of who, what are missing" in refusal(capsys, *common, "refuse")
    assert "Some cells of who, what are missing" in refusal(capsys, *keys, "refuse")
    assert "tea" in answer(capsys, *keys, "drop")
    assert answer(capsys, *edges, "drop").startswith("  1  0")
    assert "Some cells of source, target are missing" in refusal(capsys, *edges, "refuse")
    Path("edges.csv").write_text("source,target\n0,1\n0,2\n0,9\n", "utf-8")
    assert "not a public node" in refusal(capsys, *edges, "refuse")
    assert "--missing refuse goes with" in refusal(capsys, *common, "refuse", "--in-place")
    assert "--missing refuse goes with" in refusal(capsys, *edges, "refuse", "--in-place")
    assert "--missing refuse goes with" in refusal(
        capsys, "top-k", "lesmis", "--metric", "degree", *EPSILON, "--yes", "--missing", "refuse"
    )
    Path("events.csv").write_text("who,what,where\nann,tea,n\nbob,tea,n\ncem,milk,\n", "utf-8")
    assert answer(capsys, *common, "refuse").startswith("  1  tea")
    assert "where are missing" in refusal(capsys, *common, "refuse", "--by", "where", "--groups", "n,s")


@pytest.mark.parametrize("option", [["--separator", ";"], ["--decimal", ","], ["--encoding", "latin-1"]])
@pytest.mark.parametrize("verb", ["median", "most-common", "train", "check", "top-k"])
def test_no_dialect_is_declared_of_a_table_in_place(
    verb: str, option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """One sentence that names the option, before the table is looked at."""
    Path("domains.toml").write_text('region = ["North", "South"]\neinkommen = {low = 0, high = 100}\n', "utf-8")
    words = {
        "median": ["--column", "einkommen", "--lower", "0", "--upper", "100"],
        "most-common": ["--person", "person", "--item", "region", "--domain", "North,South"],
        "train": ["--target", "region", "--domains", "domains.toml", "--out", "m.json"],
        "check": ["--target", "region", "--domains", "domains.toml"],
        "top-k": ["--metric", "degree", "--nodes", "3"],
    }[verb]
    price = [] if verb == "check" else ["--epsilon", "1"]

    assert f"{option[0]} goes with a file that is read into memory" in refusal(
        capsys, verb, "people.csv", *words, *price, *option, "--in-place"
    )


def test_the_median_of_numbers_that_are_grouped(capsys: pytest.CaptureFixture[str]) -> None:
    """Most of a German survey: without its groups the median would be that of the small incomes, 900."""
    rows = ["einkommen", *["900,00"] * 40, *["2.420,34"] * 900, *["1.234.567,8"] * 40]
    Path("groups.csv").write_text("\n".join(rows), encoding="utf-8")
    words = ["median", "groups.csv", "--column", "einkommen", "--lower", "0", "--upper", "10000", "--step", "100"]

    assert "median: 2400" in answer(capsys, *words, "--separator", ";", "--decimal", ",", *EPSILON, "--yes")
    assert "median: 2400" in answer(
        capsys, *words, "--separator", ";", "--decimal", ",", "--thousands", ".", *EPSILON, "--yes"
    )
    assert "pass --decimal ," in refusal(capsys, *words, "--thousands", ".", *EPSILON, "--yes")
    assert "groups no digits" in refusal(capsys, *words, "--thousands", "_", *EPSILON, "--yes")
