"""dpselect check survey.toml: what was understood, for the curator alone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dpselect.cli import main
from dpselect.dataset import Dataset, DatasetCheck, check_dataset
from tests.contracts.hostile_rows import HOSTILE

pytest.importorskip("pyarrow")
MATRIX = "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n"
GRAPHML = (
    '<graphml><key id="k" for="node" attr.name="name"/><graph edgedefault="undirected"><node id="n0"><data key="k">ann'
    '</data></node><node id="n1"><data key="k">bob</data></node><edge source="n0" target="n1"/></graph></graphml>'
)
COLUMNS = {"age": {"lower": 0, "upper": 100}, "job": ["nurse", "smith"]}
AGES = ["31", "44,5", "", "x", "y", "z", "x", "130", "-4", "nan"]
JOBS = ["nurse", "smith", "", "cook", "cook", "nurse", "nurse", "baker", "clerk", "actor"]
PEOPLE = ["a", "a", "a", "b", "b", "c", "", "d", "e", "f"]


def survey(folder: Path, **more: Any) -> Dataset:
    """A table in a text file."""
    lines = ["age;job;who", *(";".join(row) for row in zip(AGES, JOBS, PEOPLE, strict=True))]
    (folder / "a.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    facts: dict[str, Any] = {
        "separator": ";",
        "decimal": ",",
        "columns": COLUMNS,
        "person": "who",
        "rows_per_person": 2,
    }
    return Dataset(source="a.csv", folder=folder, **{**facts, **more})


def test_every_cell_is_accounted_for(tmp_path) -> None:
    """Read, empty, unread, outside; with the first few different examples as they are written."""
    facts = check_dataset(survey(tmp_path)).facts

    assert 10 == facts["rows"]
    assert {
        "numbers": 4,
        "empty": 2,
        "not_a_number": 4,
        "unread": ["x", "y", "z"],
        "outside": 2,
        "beyond": ["130", "-4"],
    } == facts["columns"]["age"]
    assert {
        "listed": 4,
        "empty": 1,
        "outside_the_list": 5,
        "strangers": ["cook", "baker", "clerk"],
        "unused": 0,
        "without_leading_zeros": 0,
        "names": 2,
    } == facts["columns"]["job"]
    assert {
        "persons": 6,
        "nobody": 1,
        "largest": 3,
        "rows_per_person": {"1": 4, "2": 1, "3": 1},
        "above": 1,
        "left_out": 1,
    } == facts["persons"]


def test_the_command_says_it_in_words_and_in_json(tmp_path, capsys) -> None:
    """The first line says that it is private; whatever else is said of the file stands in the description."""
    (tmp_path / "a.toml").write_text(survey(tmp_path).dump(), encoding="utf-8")
    words = ["check", str(tmp_path / "a.toml")]

    assert 0 == main(words)
    assert capsys.readouterr().out.splitlines() == [
        "Private: these counts are for the curator alone; publish none of them, and set no bounds by them.",
        "rows: 10",
        "age: 4 numbers, 2 empty, 4 not a number, such as 'x'; 'y'; 'z'; 2 outside of the bounds, such as '130'; '-4'",
        "job: 4 listed, 1 empty, 5 not in the list, such as 'cook'; 'baker'; 'clerk'",
        "who: 6 persons, at most 3 rows each; with more than 2: 1, of whose rows 1 does not count; rows of nobody: 1",
    ]
    assert 0 == main([*words, "--json"])
    assert 4 == json.loads(capsys.readouterr().out)["columns"]["age"]["numbers"]
    for more in (["--separator", ";"], ["--lower", "3"], ["--where=age = 1"], ["--nodes", "3"]):
        assert 2 == main([*words, *more])
        said = capsys.readouterr()
        assert f"leave {more[0].partition('=')[0]} out, or write it there" in said.err
        assert "" == said.out


def test_nothing_private_is_in_a_repr(tmp_path) -> None:
    """Only whoever prints it sees it."""
    assert "DatasetCheck(private)" == repr(check_dataset(survey(tmp_path)))
    assert isinstance(check_dataset(survey(tmp_path)), DatasetCheck)


@pytest.mark.parametrize(
    "line", ["x" * 70000 + ";;", "é;ß;ü", ";", ";;;;;;", "", "9e999;smith;a", "\0;\0;\0", "1 000;nurse;"]
)
def test_one_hostile_line_moves_no_other(tmp_path, line: str) -> None:
    """Every count changes by one at most, wherever the line stands."""
    before = check_dataset(survey(tmp_path)).facts
    lines = (tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()
    for place in (1, 5, len(lines)):
        dataset = survey(tmp_path)
        (tmp_path / "a.csv").write_text("\n".join([*lines[:place], line, *lines[place:]]) + "\n", encoding="utf-8")
        after = check_dataset(dataset).facts

        assert before["rows"] + 1 == after["rows"]
        for name in ("age", "job"):
            counts = {key: value for key, value in before["columns"][name].items() if isinstance(value, int)}
            assert all(0 <= after["columns"][name][key] - value <= 1 for key, value in counts.items()), (name, place)
        assert all(0 <= after["persons"][key] - before["persons"][key] <= 1 for key in ("persons", "nobody", "above"))


@pytest.mark.parametrize("cell", HOSTILE, ids=lambda cell: repr(cell)[:20])
def test_one_hostile_cell_of_a_frame_moves_no_other(cell: Any) -> None:
    """It is counted once, and shown as a short text."""
    facts: dict[str, Any] = {"columns": COLUMNS, "person": "who"}
    rows: dict[str, list[Any]] = {"age": [31, 44, 130], "job": ["nurse", "cook", "smith"], "who": ["a", "b", "b"]}
    before = check_dataset(Dataset.of(rows, **facts)).facts
    after = check_dataset(Dataset.of({name: [*cells, cell] for name, cells in rows.items()}, **facts)).facts

    assert 4 == after["rows"]
    for name in ("age", "job"):
        counts = {key: value for key, value in before["columns"][name].items() if isinstance(value, int)}
        moved = [after["columns"][name][key] - value for key, value in counts.items()]
        assert set(moved) <= {0, 1}
        assert 1 <= sum(moved) <= 2
        shown = after["columns"][name]["unread" if name == "age" else "strangers"]
        assert all(len(each) <= 40 for each in shown)


def test_a_number_too_long_to_write_out_is_checked() -> None:
    """Python refuses to write an integer of thousands of digits."""
    frame = {"age": [1, 10**5000], "job": ["nurse", 10**5000]}
    facts = check_dataset(Dataset.of(frame, columns=COLUMNS)).facts

    assert (1, ["a int"]) == (facts["columns"]["age"]["outside"], facts["columns"]["age"]["beyond"])
    assert (1, ["a int"]) == (facts["columns"]["job"]["outside_the_list"], facts["columns"]["job"]["strangers"])


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_frames_are_checked(kind: str) -> None:
    """Of every kind alike."""
    library = pytest.importorskip(kind)
    make = library.table if kind == "pyarrow" else library.DataFrame
    frame = make({"age": [31.0, None, 130.0], "job": ["nurse", None, "cook"]})
    facts = check_dataset(Dataset.of(frame, columns=COLUMNS)).facts["columns"]

    assert (2, 1, 0, 1, ["130.0"]) == tuple(
        facts["age"][key] for key in ("numbers", "empty", "not_a_number", "outside", "beyond")
    )
    assert (1, 1, 1, ["cook"]) == tuple(
        facts["job"][key] for key in ("listed", "empty", "outside_the_list", "strangers")
    )


def test_typed_files_sheets_and_databases_are_checked(tmp_path) -> None:
    """As text files are."""
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    openpyxl, duckdb = pytest.importorskip("openpyxl"), pytest.importorskip("duckdb")
    pytest.importorskip("ibis")
    rows: list[tuple[Any, Any]] = [(31, "nurse"), (None, None), (130, "cook")]
    parquet.write_table(arrow.table({"age": [31, None, 130], "job": ["nurse", None, "cook"]}), tmp_path / "a.parquet")
    book = openpyxl.Workbook()
    for row in [("age", "job"), *rows]:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    with duckdb.connect(tmp_path / "a.db") as backend:
        backend.execute("CREATE TABLE t (age INT, job TEXT)")
        backend.executemany("INSERT INTO t VALUES (?, ?)", rows)
    for source, table in ((f"duckdb://{tmp_path}/a.db", "t"), ("a.xlsx", None), ("a.parquet", None)):
        facts = check_dataset(Dataset(source=source, table=table, columns=COLUMNS, folder=tmp_path)).facts
        # An empty row of a sheet is not written, and so is none.
        empty = 0 if source == "a.xlsx" and facts["rows"] == 2 else 1
        assert (2, empty, 0, 1) == tuple(
            facts["columns"]["age"][key] for key in ("numbers", "empty", "not_a_number", "outside")
        )
        assert (1, empty, 1) == tuple(
            facts["columns"]["job"][key] for key in ("listed", "empty", "outside_the_list")
        ), source


def test_edges_between_public_nodes_are_counted(tmp_path, capsys) -> None:
    """As dpselect check counts them with --nodes."""
    (tmp_path / "e.txt").write_text("0 1\n1 0\n1 1\nx y\n9 1\n", encoding="utf-8")
    (tmp_path / "e.toml").write_text('graph = "e.txt"\nnodes = 3\n', encoding="utf-8")

    assert 0 == main(["check", str(tmp_path / "e.txt"), "--nodes", "3"])
    said = capsys.readouterr().out
    assert 0 == main(["check", str(tmp_path / "e.toml")])
    assert said == capsys.readouterr().out
    assert "different edges without direction: 1, of 2 of 3 nodes" in said
    assert (["x y"], ["9 1"]) == tuple(
        check_dataset(Dataset.load(tmp_path / "e.toml")).facts[key] for key in ("unread", "strangers")
    )


def test_edges_count_by_the_direction_that_the_file_says(tmp_path, capsys) -> None:
    """A description says no direction; whoever asks for followers of other files says it after the file."""
    (tmp_path / "e.graphml").write_text(
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed">'
        '<node id="0"/><node id="1"/><edge source="0" target="1"/><edge source="1" target="0"/></graph></graphml>',
        encoding="utf-8",
    )
    (tmp_path / "e.txt").write_text("0 1\n1 0\n", encoding="utf-8")
    for name, edges, most in (("e.graphml", 2, "most_followers"), ("e.txt", 1, "largest_degree")):
        facts = check_dataset(Dataset(graph=name, nodes=2, folder=tmp_path)).facts
        assert (edges, 1, edges == 2) == (facts["edges"], facts[most], facts["directed"])
    assert 0 == main(["check", str(tmp_path / "e.txt"), "followers", "--nodes", "2"])
    assert "different edges with direction: 2, of 2 of 2 nodes\nmost followers: 1\n" in capsys.readouterr().out


EDGES = {
    "e.txt": "1 2 .5\n2 3\n3 4 -1\n9 1 7\nx 1\n",
    "e.edges": "1,2,.5\n2,3\n3,4,-1\n9,1,7\nx,1\n",
    "e.mtx": "%%MatrixMarket matrix coordinate real general\n5 5 9\n1 2 .5\n2 3\n3 4 -1\n9 1 7\nx 1\n",
    "e.net": '*Vertices 5\n1 "a"\n*Edges\n1 2 .5\n2 3 x\n3 4 -1\n9 1 7\nx 1\n',
    "e.gml": "graph [ edge [ source 1 target 2 weight .5 ] edge [ source 2 target 3 ] "
    "edge [ source 3 target 4 weight -1 ] edge [ source 9 target 1 weight 7 ] edge [ source x target 1 ] ]",
    "e.csv": "source,target,weight\n1,2,.5\n2,3,\n3,4,-1\n9,1,7\nx,1,\n",
}


@pytest.mark.parametrize("name", EDGES)
def test_edges_and_weights_of_every_form_are_counted(tmp_path, name: str) -> None:
    """Both ends public, or which are not; and weights that are read, of edges that count."""
    (tmp_path / name).write_text(EDGES[name], encoding="utf-8")
    weight = {"column": "weight", "cap": 0.25}
    check = check_dataset(Dataset(graph=name, nodes=[1, 2, 3, 4], weight=weight, folder=tmp_path))
    facts = check.facts
    assert (5, 1, 1, 3, 3, 4) == tuple(
        facts[key] for key in ("rows", "not_an_edge", "other_nodes", "between", "edges", "nodes_with_an_edge")
    )
    assert (["9 1"], None) == (facts["strangers"], facts["remedy"])
    assert {"numbers": 2, "lacking": 1, "negative_or_zero": 1, "above_the_cap": 1} == facts["weights"]
    assert "both ends are among the 4 nodes: 3" in check.lines
    assert "weights: 2 numbers, 1 lacking; 1 negative or 0, 1 above the cap" in check.lines
    assert "weights" not in check_dataset(Dataset(graph=name, nodes=[1, 2, 3, 4], folder=tmp_path)).facts


@pytest.mark.parametrize(
    ("name", "text", "nodes", "label", "remedy"),
    [
        ("e.txt", "100 2000\n100 30000\n" * 9, 4, None, "ids are not 0 to 3: list them"),
        ("e.txt", "ann bob\nbob eve\n" * 9, 3, None, "ends are not integers: list the names of the nodes"),
        ("e.txt", "1 2\n2 3\n3 4\n" * 9, 4, None, "ids seem to begin with 1: write nodes = 5, or list them"),
        ("e.mtx", f"{MATRIX}0 1\n1 2\n2 3\n" * 1, 4, None, "ids seem to begin with 0: list them"),
        ("e.txt", "1 2\n2 3\n" * 9, ["ann", "bob"], None, "edges join other names than those of the list"),
        ("e.graphml", GRAPHML, ["ann", "bob"], None, 'nodes are listed by name and edges join ids: add label = "name"'),
        ("e.graphml", GRAPHML, ["n0", "n1"], "name", "no node has one of these names as its name"),
        ("e.txt", "1 2\n2 3\n0 1\n" * 9, 4, None, None),
        ("e.txt", "", 4, None, None),
    ],
)
def test_a_probable_remedy_is_named_where_nearly_no_edge_is_understood(
    tmp_path, name: str, text: str, nodes: Any, label: str | None, remedy: str | None
) -> None:
    """For the curator alone."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    check = check_dataset(Dataset(graph=name, nodes=nodes, label=label, folder=tmp_path))
    if remedy is None:
        assert check.facts["remedy"] is None
        assert "probably" not in str(check)
    else:
        assert remedy in check.facts["remedy"]
        assert f"probably: {check.facts['remedy']}" == check.lines[1]


@pytest.mark.parametrize("day", [2**31 - 1, -(2**31)])
def test_a_day_that_python_has_not_is_counted(tmp_path: Path, day: int) -> None:
    """Engines write such days for infinity: they lie outside of the bounds, in a frame and in a file alike."""
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"at": arrow.array([20_089, day], arrow.int32()).cast(arrow.date32())})
    parquet.write_table(table, tmp_path / "a.parquet")
    columns = {"at": {"lower": "2025-01-01", "upper": "2025-12-31"}}

    for dataset in (Dataset.of(table, columns=columns), Dataset(source=str(tmp_path / "a.parquet"), columns=columns)):
        assert 1 == check_dataset(dataset).facts["columns"]["at"]["outside"]


def test_an_endless_day_of_an_engine_is_counted(tmp_path: Path) -> None:
    """One such row refuses nothing."""
    pytest.importorskip("ibis")
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        connection.execute("create table t as select d::date d from (values ('2025-01-02'), ('infinity')) as v(d)")
    columns = {"d": {"lower": "2025-01-01", "upper": "2025-12-31"}}
    dataset = Dataset(source=f"duckdb://{tmp_path / 'a.duckdb'}", table="t", columns=columns)

    held = check_dataset(dataset).facts["columns"]["d"]

    assert (2, 1) == (held["dates"], held["outside"])


@pytest.mark.parametrize(
    ("cell", "how", "said"),
    [
        ("12 %", {}, """; with unit = "%" '12 %' is a number"""),
        ("€ 90", {}, """; with unit = "€" '€ 90' is a number"""),
        ("90EUR", {"decimal": ","}, """; with unit = "EUR" '90EUR' is a number"""),
        ("12 %", {"unit": "EUR"}, """; with unit = "%" '12 %' is a number"""),
        ("2.420,34", {}, """; is the comma of '2.420,34' the decimal mark, decimal = ","?"""),
        ("1 234,5", {}, """; is the comma of '1 234,5' the decimal mark, decimal = ","?"""),
        ("1,234.50", {}, """; with decimal = "." '1,234.50' is a number"""),
        ("1'234", {}, """; with decimal = "." "1'234" is a number"""),
        ("x", {}, ""),
        ("(1200)", {}, ""),
        ("12:30", {}, ""),
        ("1.2.3", {"decimal": "."}, ""),
        ("n/a", {}, ""),
    ],
)
def test_check_says_how_a_number_may_be_written(cell: str, how: dict[str, str], said: str, tmp_path: Path) -> None:
    """And what it says is right: declared so, the cells are numbers."""
    (tmp_path / "a.csv").write_text(f'v\n"{cell}"\n', encoding="utf-8")
    dataset = Dataset(source="a.csv", folder=tmp_path, columns={"v": {"lower": 0, "upper": 5000}}, **how)
    line = next(each for each in check_dataset(dataset).lines if each.startswith("v: "))

    assert line.endswith(f"0 outside of the bounds{said}")
    if said:
        key, value = (
            ("unit", said.split('"')[1]) if "unit" in said else ("decimal", "," if 'decimal = ","' in said else ".")
        )
        changed = replace(dataset, **{key: value})
        if "," in cell and key == "unit":
            changed = replace(changed, decimal=",")
        assert 1 == check_dataset(changed).facts["columns"]["v"]["numbers"]


@pytest.mark.parametrize("where", [None, "region = Nord", "region = Süd"])
def test_cells_in_another_encoding_are_counted(tmp_path, where) -> None:
    """Each alone: the others are read as they were, and those are said to be in another encoding than declared."""
    rows = [
        "region,who,age",
        *(f"{'Süd' if row % 2 else 'Nord'},{'Jörg' if row == 4 else row},{row}" for row in range(40)),
    ]
    (tmp_path / "people.csv").write_bytes("\n".join(rows).encode("cp1252"))
    facts = {"source": "people.csv", "folder": tmp_path, "person": "who", "where": where}
    columns = {"region": ["Süd", "Nord"], "age": {"lower": 0, "upper": 99}}
    found = check_dataset(Dataset(columns=columns, **facts))
    region, age, persons = str(found).splitlines()[2:]

    hint = 'not in utf-8, and read as empty: is encoding = "cp1252" right?'
    if where is None:
        assert region == f"region: 20 listed, 20 empty, 0 not in the list; 20 cells are {hint}"
        assert "20 of 40 cells of region were not in its list, 20 of them because of the encoding" in found.first_line
    assert persons.endswith(f"; 1 cell is {hint}") == (where != "region = Süd")
    assert "encoding" not in age
    declared = str(check_dataset(Dataset(columns=columns, encoding="cp1252", **facts)))
    assert "right?" not in declared
    if where is None:
        assert "region: 40 listed, 0 empty" in declared


def test_the_other_way_round_utf_8_is_proposed(tmp_path) -> None:
    """Where a byte is not one of the declared encoding."""
    (tmp_path / "a.csv").write_bytes("name\nÁ\nb\n".encode())
    found = check_dataset(Dataset(source="a.csv", folder=tmp_path, encoding="cp1252", columns={"name": ["Á", "b"]}))
    assert '1 cell is not in cp1252, and read as empty: is encoding = "utf-8" right?' in str(found)
