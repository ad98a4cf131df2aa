"""Files of the forms that people reported as lost elsewhere: each is read right, or refused with what to do.

Every file is made up; the reports are those that the page about reading tables names.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dpselect as dps
from dpselect.dataset import Dataset, DatasetError, check_dataset
from dpselect.ledger import InMemoryLedger
from dpselect.ledger.composition import Terms
from dpselect.sources.graphs import GraphPartsWarning

pytest.importorskip("pyarrow")
PAGE = Path(__file__).parents[2] / "docs" / "details" / "files.md"
BOUNDS = {"lower": 0, "upper": 10_000, "step": 10}
ROWS = 300


def asked(dataset: Dataset) -> Any:
    """With a budget at which noise is nothing."""
    return dps.open(dataset, ledger=InMemoryLedger(Terms.of(10_000, 0, dataset.neighbours, "", "sum")))


def semicolons(cell: str, folder: Path, **how: Any) -> Dataset:
    """A column that holds a cell in every row."""
    (folder / "a.csv").write_text("\n".join(["v;w", *[f"{cell};x"] * ROWS]), encoding="utf-8")
    return Dataset(source="a.csv", folder=folder, separator=";", columns={"v": BOUNDS}, **how)


def median_of(cell: str, folder: Path, **how: Any) -> Any:
    """The median of such a column."""
    return asked(semicolons(cell, folder, **how)).median("v", epsilon=500).value


def workbook(folder: Path, rows: list[list[Any]]) -> tuple[Any, Any]:
    """A workbook of one sheet, and its sheet."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(folder / "a.xlsx")
    return book, book.active


def edges_of(lines: str, folder: Path, ending: str = "txt", **how: Any) -> Dataset:
    """A graph in a file of these lines."""
    (folder / f"g.{ending}").write_text(lines)
    return Dataset(graph=f"g.{ending}", folder=folder, **how)


def best(dataset: Dataset) -> list[Any]:
    """The node of the largest degree."""
    return [*asked(dataset).top_k("degree", epsilon=500).value]


def thousands(folder: Path) -> None:
    """A German file: read with the mark of fractions, and refused without."""
    assert median_of("2.420,34", folder, decimal=",") == 2420
    assert median_of("1'234.50", folder, decimal=".") == 1230
    assert median_of("1\u202f234,50", folder, decimal=",") == 1230
    with pytest.raises(DatasetError, match='add decimal = ","'):
        semicolons("2.420,34", folder)


def units(folder: Path) -> None:
    """Declared, before or behind the number."""
    assert median_of("12 %", folder, decimal=",", unit="%") == 10
    assert median_of("€ 90", folder, decimal=",", unit="€") == 90
    assert median_of("1.240,00 EUR", folder, decimal=",", unit="EUR") == 1240


def percents(folder: Path) -> None:
    """A cell of Excel that shows 42 % is 42 where that is declared, and the check says so where it is not."""
    book, sheet = workbook(folder, [["v"], *([[0.42]] * ROWS)])
    for row in range(2, ROWS + 2):
        sheet.cell(row, 1).number_format = "0%"
    book.save(folder / "a.xlsx")
    how = {"source": "a.xlsx", "folder": folder, "columns": {"v": {"lower": 0, "upper": 100}}}

    assert asked(Dataset(**how, unit="%")).median("v", epsilon=500).value == 42
    assert any('add unit = "%"' in line for line in check_dataset(Dataset(**how)).lines)


def titles(folder: Path) -> None:
    """Refused with what to do, and read when it is said."""
    workbook(folder, [["Stand: 31.12.2025"], ["v", "w"], *([[40, 1]] * ROWS)])
    how = {"source": "a.xlsx", "folder": folder, "columns": {"v": BOUNDS}}

    assert "no column 'v'" in refused(Dataset(**how))
    assert asked(Dataset(**how, skip_rows=1)).median("v", epsilon=500).value == 40


def leading_zeros(folder: Path) -> None:
    """The key of a town is the same town in a sheet, which drops its zero."""
    (folder / "a.csv").write_text("AGS\n" + "09\n" * 200 + "08\n" * 100)
    workbook(folder, [["AGS"], *([[9]] * 200), *([[8]] * 100)])
    for source in ("a.csv", "a.xlsx"):
        dataset = Dataset(source=source, folder=folder, columns={"AGS": ["09", "08"]})
        assert {"09": 200, "08": 100} == asked(dataset).histogram("AGS", epsilon=500).value


def dates(folder: Path) -> None:
    """Bounds, answers and counts are dates."""
    lines = [f"{1 + row % 28:02}.{1 + row % 12:02}.2025" for row in range(336)]
    (folder / "a.csv").write_text("\n".join(["day", *lines]))
    columns = {"day": {"lower": "2025-01-01", "upper": "2025-12-31", "step": "month"}}
    dataset = Dataset(source="a.csv", folder=folder, date_order="dmy", columns=columns)

    assert {28} == {*asked(dataset).histogram("day", epsilon=500).value.values()}
    # Without the order no such date is read: the check says so.
    unordered = Dataset(source="a.csv", folder=folder, columns=columns)
    assert any("336 not a date" in line and 'date_order = "dmy"' in line for line in check_dataset(unordered).lines)


def third_columns(folder: Path) -> None:
    """Weights and times behind the two ends, in every form that is written."""
    for form in ("{} {} 0.42", "{}\t{}\t3\t1082040961", "{} {} {{'weight': 3}}", "{},{}"):
        lines = "".join(form.format(7, each) + "\n" for each in range(10, 310))
        assert [7] == best(edges_of(lines, folder, nodes=500))


def repositories(folder: Path) -> None:
    """Files of network repositories, with their comments; nodes of a matrix begin at 1."""
    pairs = [f"7 {each}" for each in range(10, 310)]
    matrix = ["%%MatrixMarket matrix coordinate pattern symmetric", "% made up", "500 500 300", *pairs]

    assert [7] == best(edges_of("% bip\n" + "\n".join(pairs) + "\n", folder, "edges", nodes=[*range(1, 501)]))
    assert [7] == best(edges_of("\n".join(matrix) + "\n", folder, "mtx", nodes=[*range(1, 501)]))


def gaps(folder: Path) -> None:
    """Ids that are not 0 to n - 1 are named; the check says so where only their number is."""
    lines = "100 2000\n100 30000\n100 7\n"

    assert [100] == best(edges_of(lines, folder, nodes=[7, 100, 2000, 30000]))
    assert any(line.startswith("probably:") for line in check_dataset(edges_of(lines, folder, nodes=4)).lines)


def weights_of_graphml(folder: Path) -> None:
    """A key of nodes is no weight of edges: the key of edges is taken."""
    keys = '<key id="w" for="node" attr.name="weight" attr.type="double"/>'
    keys += '<key id="e" for="edge" attr.name="weight" attr.type="double"/>'
    rows = "".join(f'<edge source="7" target="{each}"><data key="e">2</data></edge>' for each in range(10, 40))
    (folder / "g.graphml").write_text(f'<graphml>{keys}<graph edgedefault="undirected">{rows}</graph></graphml>')
    graph = dps.data.WeightedGraph.read(folder / "g.graphml", nodes=50, weight="weight", cap=5)

    assert 60 == dps.utilities.weighted_degree(graph).values[7]


def directions_of_graphml(folder: Path) -> None:
    """An edge without a direction counts at both ends, however it says so."""
    rows = "".join(f'<edge source="7" target="{each}" directed="0"/>' for each in range(10, 40))
    (folder / "g.graphml").write_text(f'<graphml><graph edgedefault="directed">{rows}</graph></graphml>')

    with pytest.warns(GraphPartsWarning, match="Directions are dropped"):
        graph = dps.Graph.read(folder / "g.graphml", nodes=50)
    assert 30 == graph.degrees[7]
    directed = dps.data.DirectedGraph.read(folder / "g.graphml", nodes=50)
    # Nobody follows along an edge without a direction.
    assert 0 == directed.followers.sum()


def tdt(folder: Path) -> None:
    """What PLINK writes, as it is."""
    from dpselect.sources import tables

    lines = " CHR SNP BP A1 A2 T U OR CHISQ P\n 1 rs1 10 A C 90 10 9 64 1e-15\n 1 rs2 20 G T NA NA NA NA NA\n"
    (folder / "a.tdt").write_text(lines)
    read = tables.arrows(folder / "a.tdt", ["snp", "b"])

    assert [("rs1", "90"), ("rs2", None)] == [*zip(*(read[name].to_pylist() for name in ("snp", "b")), strict=True)]


def statistics_files(folder: Path) -> None:
    """Files of SPSS and Stata, by their labels."""
    pyreadstat = pytest.importorskip("pyreadstat")
    pandas = pytest.importorskip("pandas")
    frame, labels = pandas.DataFrame({"job": [1.0] * 200 + [2.0] * 100}), {"job": {1: "nurse", 2: "smith"}}
    pyreadstat.write_sav(frame, str(folder / "a.sav"), variable_value_labels=labels)
    pyreadstat.write_dta(frame, str(folder / "a.dta"), variable_value_labels=labels)
    for source in ("a.sav", "a.dta"):
        dataset = Dataset(source=source, folder=folder, columns={"job": ["nurse", "smith"]})
        assert {"nurse": 200, "smith": 100} == asked(dataset).histogram("job", epsilon=500).value


def hidden_rows(folder: Path) -> None:
    """Read as all others, and counted by the check."""
    book, sheet = workbook(folder, [["v"], *([[40]] * ROWS)])
    for row in range(2, 102):
        sheet.row_dimensions[row].hidden = True
    book.save(folder / "a.xlsx")
    lines = check_dataset(Dataset(source="a.xlsx", folder=folder, columns={"v": BOUNDS})).lines

    assert f"rows: {ROWS}" in lines
    assert "hidden rows: 100, which are read as all others" in lines


def wrong_dimensions(folder: Path) -> None:
    """What a sheet says of its own size is not believed."""
    workbook(folder, [["v"], *([[40]] * ROWS)])
    with zipfile.ZipFile(folder / "a.xlsx") as held:
        parts = {name: held.read(name) for name in held.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1"', parts[sheet])
    with zipfile.ZipFile(folder / "b.xlsx", "w") as written:
        for name, content in parts.items():
            written.writestr(name, content)

    assert f"rows: {ROWS}" in check_dataset(Dataset(source="b.xlsx", folder=folder, columns={"v": BOUNDS})).lines


def refused(dataset: Dataset) -> str:
    """The sentence that refuses a median, for which nothing was paid."""
    ledger = InMemoryLedger(Terms.of(10, 0, dataset.neighbours, "", "sum"))
    with pytest.raises(ValueError) as raised:
        dps.open(dataset, ledger=ledger).median("v", epsilon=1)
    assert () == ledger.events
    return str(raised.value)


# By the reports of each kind, as the page names them.
REPORTS: dict[str, Callable[[Path], None]] = {
    "polars#18797, polars#24207": thousands,
    "CSV.jl#1147, readr#449": units,
    "ExcelDataReader#223, fastexcel#84": percents,
    "Sylvan.Data.Excel#192, readxl#194": titles,
    "pystatis#56, dataretrieval-python#420": leading_zeros,
    "smartnoise-sdk#449": dates,
    "networkit#794, networkit#1080, igraph#412": third_columns,
    "MatrixMarket.jl#37, gunrock#632": repositories,
    "snap#54": gaps,
    "GRNsight#312": weights_of_graphml,
    "networkx#8705, gephi#147": directions_of_graphml,
    "plink-ng#368": tdt,
    "pyreadstat (files of SPSS and Stata)": statistics_files,
    "pandas#42562": hidden_rows,
    "pandas#39001, agate-excel#22, dify#1039": wrong_dimensions,
}


@pytest.mark.parametrize("report", REPORTS)
def test_a_file_of_this_form_is_understood(report: str, tmp_path: Path) -> None:
    """Right, or refused before the spend."""
    REPORTS[report](tmp_path)


def test_the_page_names_the_same_reports() -> None:
    """Its table has a row for each."""
    lines = PAGE.read_text().splitlines()
    start = lines.index("## Forms that others have reported") + 5
    rows = [line.split(" | ")[-1].removesuffix(" |") for line in lines[start:] if line.startswith("| ")]

    assert [*REPORTS] == rows
