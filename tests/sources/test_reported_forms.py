"""Forms of input that people reported, each with the test of it: right, or refused or named before the spend."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.dataset import Dataset, check_dataset
from tests.sources.test_public_reports import REPORTS

pytest.importorskip("pyarrow")
ROOT = Path(__file__).parents[2]
PUBLIC = "tests/sources/test_public_reports.py::test_a_file_of_this_form_is_understood"
HERE = "tests/sources/test_reported_forms.py"
# What was reported, and its test.
FORMS = {
    "signs between thousands": PUBLIC,
    "percent signs and currencies": PUBLIC,
    "percents of a sheet": PUBLIC,
    "a title above the names": PUBLIC,
    "leading zeros that a sheet drops": PUBLIC,
    "dates as bounds and answers": PUBLIC,
    "edges with a third column": PUBLIC,
    "files of network repositories": PUBLIC,
    "ids of nodes with gaps": PUBLIC,
    "a weight of nodes in GraphML": PUBLIC,
    "an edge without a direction in GraphML": PUBLIC,
    "the table of PLINK": PUBLIC,
    "files of SPSS and Stata": PUBLIC,
    "hidden rows": PUBLIC,
    "a sheet that states a wrong size": PUBLIC,
    "a minus and spaces of typesetters": (
        "tests/sources/test_written_numbers.py::test_a_minus_and_spaces_that_do_not_break_are_read_everywhere"
    ),
    "negative numbers in parentheses": f"{HERE}::test_a_number_in_parentheses_is_named_before_the_spend",
    "a date in a sheet, asked with bounds of numbers": (
        f"{HERE}::test_dates_asked_as_numbers_are_named_before_the_spend"
    ),
    "dates in a condition": "tests/sources/test_conditions.py::test_dates_of_text_are_ordered",
    "a sheet that is not the first": (
        "tests/sources/test_skipped_rows.py::test_a_sheet_and_its_rows_before_the_names_are_declared"
    ),
    "weights in [0, 1] that were rounded": f"{HERE}::test_weights_are_not_rounded_unless_that_is_declared",
    "labels of GraphML, and not its ids": f"{HERE}::test_nodes_of_graphml_are_called_by_their_labels",
    "Pajek, GML and GEXF": "tests/sources/test_edge_forms.py::test_every_form_gives_the_same_graph",
    "OpenDocument, feather and lines of JSON": (
        "tests/tables/test_hostile_files.py::test_every_kind_of_file_is_among_them"
    ),
    "a table in a .txt file": f"{HERE}::test_a_table_of_another_ending_is_refused_with_what_is_read",
    "a header of a hundred thousand names": (
        "tests/sources/test_csv_text.py::test_a_header_of_many_columns_is_read_once"
    ),
    "one malformed cell of a sheet": "tests/sources/test_excel.py::test_a_wrong_cell_is_one_missing_cell",
    "lines with separators too many": (
        "tests/sources/test_csv_text.py::test_empty_cells_behind_the_last_column_do_not_count"
    ),
    "names of rows before the first column, as R writes them": (
        "tests/sources/test_csv_text.py::test_check_says_of_what_length_lines_are"
    ),
    "a list of nodes of two columns": f"{HERE}::test_a_list_of_nodes_of_two_columns_is_refused",
    "names of another case, with blanks or in another form": f"{HERE}::test_names_that_are_written_otherwise_are_named",
    "an unclosed quote that takes other rows along": (
        "tests/sources/test_text_lines.py::test_a_hostile_line_is_one_record_and_moves_no_other"
    ),
    "a cell of gigabytes": (
        "tests/sources/test_text_lines.py::test_a_line_beyond_all_measure_is_a_record_without_cells"
    ),
    "text in UTF-16": "tests/sources/test_csv_text.py::test_a_file_of_two_bytes_a_letter_is_named_as_such",
    "a question pasted after check": "tests/cli/test_named_checks.py::test_a_question_is_pasted_as_it_is",
    "groups of persons in a database": "tests/cli/test_by.py::test_an_engine_counts_groups_of_persons_too",
    "a scale with labels at its ends": (
        "tests/sources/test_statistics_files.py::test_a_scale_with_labels_at_its_ends_is_one_of_numbers"
    ),
    "signs between thousands in text cells of a sheet": f"{HERE}::test_text_cells_of_a_sheet_are_read_as_declared",
    "signs between thousands in a list of Python": f"{HERE}::test_a_list_of_unread_numbers_is_named",
    "a condition on numbers with a decimal comma": f"{HERE}::test_a_condition_reads_numbers_as_declared",
    "weights with a decimal comma": f"{HERE}::test_weights_are_read_as_declared",
    "scores with a decimal comma": f"{HERE}::test_scores_are_read_as_declared",
    "a dict behind the ends of an edge, as NetworkX writes it": f"{HERE}::test_what_stands_behind_two_ends_is_no_end",
    "semicolons between the ends of an edge": f"{HERE}::test_what_stands_behind_two_ends_is_no_end",
    "groups that are written otherwise": f"{HERE}::test_groups_and_nodes_that_are_written_otherwise_are_named",
    "nodes that are written otherwise": f"{HERE}::test_groups_and_nodes_that_are_written_otherwise_are_named",
    "dates of a database": ("tests/tables/test_dates_everywhere.py::test_every_question_has_the_same_counts"),
    "cells of SQLite that their column does not declare": (
        "tests/sources/test_sqlite_cells.py::test_one_cell_moves_no_other_in_python"
    ),
    "an open quote in a file that an engine counts": (
        "tests/tables/test_hostile_files.py::test_all_hostile_lines_together_move_nothing_in_place"
    ),
    "spaces that do not break in text of parquet": (
        "tests/sources/test_written_numbers.py::test_a_number_is_read_alike_whatever_holds_its_text"
    ),
    "years of Stata": (
        "tests/sources/test_statistics_files.py::test_years_of_stata_are_numbers_and_check_says_how_to_ask_for_them"
    ),
    "several files of SPSS": "tests/sources/test_file_parts.py::test_a_check_reads_a_pattern",
    "a misspelt or nested key of JSON": "tests/sources/test_json_lines.py::test_check_names_the_keys_of_the_lines",
}


def test_each_form_has_its_test() -> None:
    """The tests of this list are there, and those of public reports have one for each of its lines."""
    for title, place in FORMS.items():
        path, name = place.split("::")
        assert re.search(rf"^def {name}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE), title
    assert len(REPORTS) == sum(place == PUBLIC for place in FORMS.values())


def lines_of(folder: Path, rows: list[str], columns: dict[str, Any], **how: Any) -> list[str]:
    """What check says of a file of these rows."""
    (folder / "a.csv").write_text("\n".join(["v", *rows]), encoding="utf-8")
    return check_dataset(Dataset(source="a.csv", folder=folder, columns=columns, **how)).lines


def test_a_number_in_parentheses_is_named_before_the_spend(tmp_path: Path) -> None:
    """It is read as no number, whatever else accountants mean by it."""
    said = lines_of(tmp_path, ["(1200)"] * 3, {"v": {"lower": -5000, "upper": 0}})

    assert "v: 0 numbers, 0 empty, 3 not a number, such as '(1200)'; 0 outside of the bounds" in said


def test_dates_asked_as_numbers_are_named_before_the_spend(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cells of a sheet are dates: check and a dry run say that none is a number."""
    openpyxl = pytest.importorskip("openpyxl")
    from datetime import date

    monkeypatch.chdir(tmp_path)
    book = openpyxl.Workbook()
    for row in [["v"], [date(2025, 1, 1)], [date(2025, 7, 1)]]:
        book.active.append(row)
    book.save("a.xlsx")

    assert 0 == main(["median", "a.xlsx", "v", "--lower", "0", "--upper", "60000", "--epsilon", "1", "--dry-run"])
    assert "private, for you alone: 2 of 2 cells of v were not read as numbers" in capsys.readouterr().err
    assert 0 == main(
        ["median", "a.xlsx", "v", "--lower", "2025-01-01", "--upper", "2025-12-31", "--epsilon", "1", "--dry-run"]
    )
    assert "0 of 2 cells of v were not read as dates" in capsys.readouterr().err


def test_weights_are_not_rounded_unless_that_is_declared() -> None:
    """Thirty edges of .7, of .4 and of 1.6."""
    networkx = pytest.importorskip("networkx")
    for weight, cap, total in ((0.7, 1, 21), (0.4, 1, 12), (1.6, 2, 48)):
        star = networkx.star_graph(30)
        networkx.set_edge_attributes(star, weight, "weight")
        graph = dps.data.WeightedGraph.from_networkx(star, weight="weight", cap=cap)
        assert total == pytest.approx(dps.utilities.weighted_degree(graph).values[0], abs=1e-3)


def test_nodes_of_graphml_are_called_by_their_labels(tmp_path: Path) -> None:
    """igraph calls them n0, n1, ... and writes their names as data."""
    names = [f"u{each}" for each in range(9)]
    nodes = "".join(f'<node id="n{each}"><data key="k">u{each}</data></node>' for each in range(9))
    edges = "".join(f'<edge source="n4" target="n{each}"/>' for each in range(9) if each != 4)
    (tmp_path / "g.graphml").write_text(
        f'<graphml><key id="k" for="node" attr.name="name" attr.type="string"/><graph edgedefault="undirected">'
        f"{nodes}{edges}</graph></graphml>"
    )
    found = check_dataset(Dataset(graph="g.graphml", folder=tmp_path, nodes=names))
    assert found.facts["between"] == 0
    assert check_dataset(Dataset(graph="g.graphml", folder=tmp_path, nodes=names, label="name")).facts["between"] == 8
    graph = dps.Graph.read(tmp_path / "g.graphml", nodes=names, label="name")
    assert "u4" == graph.labels[int(graph.degrees.argmax())]


def test_a_table_of_another_ending_is_refused_with_what_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No answer is drawn."""
    (tmp_path / "a.txt").write_text("v\n1\n")
    assert 2 == main(["median", str(tmp_path / "a.txt"), "v", "--lower", "0", "--upper", "5", "--epsilon", "1"])
    assert "pass a file that ends in .csv, .tsv, " in capsys.readouterr().err


def test_a_list_of_nodes_of_two_columns_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No line of edges can spell such a node."""
    monkeypatch.chdir(tmp_path)
    Path("nodes.csv").write_text("x,alpha\ny,beta\n")
    Path("g.txt").write_text("x y\n")
    assert 2 == main(["top-k", "g.txt", "degree", "--nodes", "nodes.csv", "--epsilon", "1"])
    assert "the public node 'x,alpha' cannot stand in a .txt file of edges" in capsys.readouterr().err


def test_names_that_are_written_otherwise_are_named(tmp_path: Path) -> None:
    """Case and forms of Unicode tell names apart, and check shows which of them no name of the list is."""
    said = lines_of(tmp_path, ["Nurse", "nurse ", "cafe\u0301", "nurse", "café"], {"v": ["nurse", "café"]})
    line = next(each for each in said if each.startswith("v: "))

    assert "'Nurse'" in line
    assert "'cafe\u0301'" in line


WRITTEN = ["2.420,34", "1.980", "900,5", "12.000,00"]


def test_text_cells_of_a_sheet_are_read_as_declared(tmp_path: Path) -> None:
    """Its numbers have a point, and so has its text; a comma is named before the spend, with what to do."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [("v", "w"), *zip(WRITTEN, ["2,420.34", "1'980", 900.5, "12 000"], strict=True)]:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    bounds = {"lower": 0, "upper": 20_000}
    given = Dataset(source="a.xlsx", folder=tmp_path, decimal=".", columns={"v": bounds, "w": bounds})
    lines = check_dataset(given).lines

    assert "w: 4 numbers, 0 empty, 0 not a number; 0 outside of the bounds" in lines
    assert any(
        "is text with a decimal comma, which is read in .csv and .tsv files: save it as one" in each for each in lines
    )


def test_a_list_of_unread_numbers_is_named() -> None:
    """A frame has no dialect: its owner reads the numbers."""
    frame = Dataset.of({"v": WRITTEN}, columns={"v": {"lower": 0, "upper": 20_000}})

    line = next(each for each in check_dataset(frame).lines if each.startswith("v: "))
    assert "3 not a number" in line
    assert line.endswith("is text with a decimal comma, which is read in .csv and .tsv files: save it as one")
    euros = Dataset.of({"v": ["5 EUR", "1'200"]}, columns={"v": {"lower": 0, "upper": 20_000}})
    assert any(each.endswith("0 outside of the bounds") for each in check_dataset(euros).lines)


def test_a_condition_reads_numbers_as_declared(tmp_path: Path) -> None:
    """Groups of digits and the comma, in the cells; the condition itself has a point."""
    (tmp_path / "a.csv").write_text("v;w\n" + "".join(f"{each};x\n" for each in WRITTEN), encoding="utf-8")
    table = dps.data.TableFile.of(tmp_path / "a.csv", separator=";", decimal=",", where="v > 1000.5")

    assert {"x": 3} == dict(dps.counts(table, epsilon=500, column="w", domain=["x"]).value)


def test_weights_are_read_as_declared(tmp_path: Path) -> None:
    """Where nothing is declared they are refused: with the wrong mark none would be a number."""
    (tmp_path / "a.csv").write_text("source;target;weight\n0;1;0,5\n0;2;1,25\n", encoding="utf-8")
    given: dict[str, Any] = {"nodes": 3, "cap": 2, "separator": ";"}
    graph = dps.data.WeightedGraph.read(tmp_path / "a.csv", **given, decimal=",")

    assert [1.75, 0.5, 1.25] == dps.utilities.weighted_degree(graph).values.tolist()
    with pytest.raises(ValueError, match="decimal"):
        dps.data.WeightedGraph.read(tmp_path / "a.csv", **given)


def test_scores_are_read_as_declared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of candidates, one line each."""
    (tmp_path / "a.csv").write_text("name;score\nann;0,5\nbob;99,5\neve;1,5\n", encoding="utf-8")
    asked = ["select", str(tmp_path / "a.csv"), "--candidate", "name", "--score", "score", "--domain", "rows"]
    how = ["--kind", "real", "--separator", ";", "--decimal", ",", "--sensitivity", "1", "--epsilon", "10"]

    assert 0 == main([*asked, *how])
    assert "bob" in capsys.readouterr().out.splitlines()[0]


@pytest.mark.parametrize("form", ["{} {} {{'weight': 3}}", "{}\t{}\t3\t1082040961", "{};{}", "{},{}", "{} {} 0.42"])
def test_what_stands_behind_two_ends_is_no_end(form: str, tmp_path: Path) -> None:
    """Each line has an edge."""
    (tmp_path / "a.txt").write_text("".join(form.format(7, at) + "\n" for at in range(10, 40)), encoding="utf-8")

    assert 30 == dps.Graph.read(tmp_path / "a.txt", nodes=40).degrees[7]


def test_groups_and_nodes_that_are_written_otherwise_are_named(tmp_path: Path) -> None:
    """Before the spend, by check."""
    said = lines_of(tmp_path, ["north", "North ", "South"], {"v": ["North", "South"]})
    assert any("'north'" in line for line in said)
    (tmp_path / "e.csv").write_text("source,target\nann,bob\nANN,bob\n", encoding="utf-8")
    found = check_dataset(Dataset(graph="e.csv", folder=tmp_path, nodes=["ann", "bob"]))
    assert (1, 1) == (found.facts["between"], len(found.facts["strangers"]))
