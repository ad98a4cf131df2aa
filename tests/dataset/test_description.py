"""A description: what it says, what it refuses and where, and that it is the same however it is written."""

from __future__ import annotations

import pickle
import re
import tomllib
from dataclasses import FrozenInstanceError
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.dataset import Dataset, DatasetError, NumericDomain
from dpselect.dataset.description import KEYS
from dpselect.dataset.description_parts import BudgetLimits, WeightColumn
from dpselect.dataset.toml_text import key_lines, toml_of

SURVEY = """\
# Everything here is public.
source = "survey.csv"
separator = ";"
decimal = ","
encoding = "cp1252"
where = "year = 2026"
person = "id"
rows_per_person = 3
order = "date"

[columns]
income = {lower = 0, upper = 100000, step = 100}
"job held" = ["a # b", 'c = ?', "d"]
region = [
    "North",  # the first
    "South",
]

[budget]
epsilon = 10
ledger = "survey.ledger"
"""
COLUMNS = {"x": {"lower": 0, "upper": 9}, "y": ["p", "q"]}


def loaded(folder: Path, text: str) -> Dataset:
    """The dataset of a file."""
    (folder / "survey.toml").write_text(text, encoding="utf-8")
    return Dataset.load(folder / "survey.toml")


def test_a_file_says_what_python_says(tmp_path) -> None:
    """Every key, with its exact numbers; relative paths begin at the folder of the file."""
    dataset = loaded(tmp_path, SURVEY)
    said = Dataset(
        source="survey.csv",
        separator=";",
        decimal=",",
        encoding="cp1252",
        where="year = 2026",
        person="id",
        rows_per_person=3,
        order="date",
        columns={
            "region": ["North", "South"],
            "income": NumericDomain(0, 100000, 100),
            "job held": ["a # b", "c = ?", "d"],
        },
        budget=BudgetLimits(10, ledger="survey.ledger"),
        folder=tmp_path,
    )

    assert said == dataset
    assert hash(said) == hash(dataset)
    assert "person" == dataset.neighbours
    assert str(tmp_path / "survey.csv") == dataset.address
    with pytest.raises(FrozenInstanceError):
        dataset.source = "other.csv"
    with pytest.raises(TypeError):
        dataset.columns["x"] = ["a"]


def test_there_are_at_most_30_keys() -> None:
    """A description does not grow into a language."""
    assert len(KEYS) + len({"epsilon", "delta", "rule", "ledger"}) <= 30


def test_numbers_are_exact(tmp_path) -> None:
    """A decimal number is that number, and a quotient is written as text."""
    dataset = loaded(tmp_path, 'source = "a.csv"\n[columns]\nx = {lower = -0.3, upper = 0.7, step = "1/30"}\n')

    assert NumericDomain(Fraction(-3, 10), Fraction(7, 10), Fraction(1, 30)) == dataset.columns["x"]
    assert (31, Fraction(-3, 10)) == (
        dataset.grid("x").size,
        Fraction(dataset.grid("x").value(0)).limit_denominator(99),
    )
    assert (-0.3, 0.7) == dataset.domain("x")


TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1).filter(str.strip)
NUMBERS = st.fractions(-1000, 1000, max_denominator=1000)
DOMAINS = st.lists(TEXTS.filter(lambda each: each.strip() == each), min_size=1, max_size=4, unique=True) | st.tuples(
    NUMBERS, st.integers(1, 50), st.fractions(Fraction(1, 100), 10, max_denominator=100)
).map(lambda made: {"lower": made[0], "upper": made[0] + made[1] * made[2], "step": made[2]})


@settings(deadline=None)
@given(
    source=TEXTS.map(lambda each: each.replace("/", "") + ".csv"),
    columns=st.dictionaries(TEXTS, DOMAINS, min_size=1, max_size=4),
    missing=st.lists(TEXTS, max_size=3),
    epsilon=st.fractions(Fraction(1, 1000), 100, max_denominator=10**6),
)
def test_what_is_dumped_is_read_as_the_same(
    tmp_path_factory, source: str, columns: dict[str, Any], missing: list[str], epsilon: Fraction
) -> None:
    """Whatever signs names hold."""
    folder = tmp_path_factory.getbasetemp()
    try:
        said = Dataset(source=source, columns=columns, missing=missing, budget={"epsilon": epsilon}, folder=folder)
    except DatasetError:
        # Two names that are one to a reader of tables, such as "1" and "1.0", or what reads like an address.
        return
    again = loaded(folder.resolve(), said.dump())

    assert said.facts == again.facts
    assert said.digest == again.digest
    assert said.dump() == again.dump()
    assert list(said.columns) == list(again.columns)


@pytest.mark.parametrize(
    "facts",
    [
        {"graph": "e.csv", "nodes": 5, "ends": ["a", "b"], "max_degree": 3, "weight": {"column": "w", "cap": 1.5}},
        {"graph": "e.txt", "nodes": ["a", "b", "c"]},
        {"graph": "e.gexf", "nodes": ["Lee, Ann", "b c"], "label": "name", "weight": {"column": "cost", "cap": 2}},
        {"graph": "e.mtx", "nodes": 5, "weight": {"column": "weight", "cap": 2, "kind": "integer"}},
        {"source": "postgres://db/people", "table": "public.survey", "columns": {"x": [True, False, 3, 0.5]}},
        {"source": "a.xlsx", "sheet": "Data", "missing": ["NA"], "columns": COLUMNS, "about": "One row per person."},
        {"source": "a.csv", "columns": COLUMNS, "budget": {"epsilon": 1, "delta": 1e-6, "rule": "rho"}},
    ],
)
def test_every_kind_is_dumped_and_pickled(tmp_path, facts: dict[str, Any]) -> None:
    """Graphs, databases, sheets, weights, budgets of rho."""
    said = Dataset(**facts, folder=tmp_path)

    assert said == loaded(tmp_path, said.dump())
    assert said == pickle.loads(pickle.dumps(said))
    assert tomllib.loads(toml_of(said.facts))


def test_the_digest_is_that_of_what_is_said(tmp_path) -> None:
    """Not of comments, the order of keys, blanks, the folder, the budget; and every other fact changes it."""
    digest = loaded(tmp_path, SURVEY).digest
    head, _, budget = SURVEY.partition("[budget]")
    lines, _, columns = head.partition("[columns]")
    shuffled = (
        "\n".join(reversed(lines.splitlines())) + "\n[budget]" + budget.replace("10", "20") + "\n[columns]" + columns
    )

    assert digest == loaded(tmp_path, re.sub(r"(?m)^(\w+) = ", r"\1   =  ", shuffled)).digest
    for before, after in {
        "survey.csv": "other.csv", '";"': '"|"', '","': '"."', "cp1252": "latin-1", "2026": "2025", '"id"': '"who"',
        "= 3": "= 2", '"date"': '"day"', "100000": "200000", "step = 100": "step = 50", "income": "incomes",
        '"North"': '"north"',
    }.items():  # fmt: skip
        assert before in SURVEY
        assert digest != loaded(tmp_path, SURVEY.replace(before, after, 1)).digest, before
    # The order of a list is the order of answers.
    one, other = (Dataset(source="a.csv", columns={"y": each}) for each in (["p", "q"], ["q", "p"]))
    assert one.digest != other.digest


REFUSED = {
    # The text, the line, and what is said.
    'sourc = "a.csv"\n': (1, "sourc: this key does not exist: did you mean source?"),
    '\n\nepsilon = 3\nsource = "a.csv"\n': (3, "epsilon: this is not a key of the dataset itself: write it below [bud"),
    'source = "a.csv"\nshares = {ann = 1}\n': (2, "shares: this is not a key of the dataset itself: it belongs into"),
    'title = "x"\n[[query]]\n': (2, "query: this is not a key of the dataset itself: this file is a plan, which dpsel"),
    '[columns]\nx = ["a"]\n': (None, "name a source, which is a table, or a graph"),
    'source = "a.csv"\n[columns]\nx = {lower = 5, upper = 1}\n': (3, "columns.x.lower: lower must be below upper"),
    'source = "a.csv"\n[columns.x]\nlower = 5\nupper = 1\n': (3, "columns.x.lower: lower must be below upper"),
    'source = "a.csv"\n[columns]\nx = {lower = 0, upper = 1, step = 0.3}\n': (3, "columns.x.step: step must be positi"),
    'source = "a.csv"\n[columns]\nx = {low = 0, upper = 1}\n': (3, "columns.x.low: this key does not exist: did you"),
    'source = "a.csv"\n[columns]\nx = {lower = 0}\n': (3, "columns.x: upper is missing: write {lower = ..., upper = ."),
    'source = "a.csv"\n[columns]\nx = {lower = "a", upper = 1}\n': (3, "columns.x.lower: this must be a finite number"),
    'source = "a.csv"\n[columns]\nx = {lower = nan, upper = 1}\n': (3, "columns.x.lower: this must be a finite number"),
    'source = "a.csv"\n[columns]\nx = {lower = 0, upper = 1e999999999}\n': (3, "columns.x.upper: this must be a finit"),
    'source = "a.csv"\n[columns]\nx = {lower = 0, upper = 1, step = 1e-200}\n': (3, "columns.x.step: step is so fine"),
    'source = "a.csv"\n[columns]\nx = []\n': (3, "columns.x: a list of values lists public names"),
    'source = "a.csv"\n[columns]\nx = [0, 99]\n': (3, "columns.x: a list of two numbers is two values: write {lower ="),
    'source = "a.csv"\n[columns]\nx = ["a", "a"]\n': (3, "columns.x: a list of values lists a name twice"),
    'source = "a.csv"\n[columns]\nx = [2024-01-31]\n': (3, "columns.x: a list holds text, numbers and truth values"),
    'source = "a.csv"\n[columns]\nx = 3\n': (3, "columns.x: a column is {lower = ..., upper = ..., step = ...}, a l"),
    'source = "a.csv"\n[columns]\nx = ["a"]\nperson = "id"\n': (4, "columns.person: this is a key of the dataset itse"),
    'source = "a.csv"\ncolumns = 3\n': (2, "columns: this is a table of columns"),
    'source = "a.csv"\n': (None, "columns: no column may be asked about yet"),
    'source = "a.csv"\ngraph = "b.csv"\n': (None, "name a source, which is a table, or a graph: one of the two"),
    'source = 3\n[columns]\nx = ["a"]\n': (1, "source: this must be text"),
    'source = ""\n[columns]\nx = ["a"]\n': (1, "source: this must be text that is not empty"),
    'source = "a.csv"\nseparator = "#"\n[columns]\nx = ["a"]\n': (2, "separator: '#' separates no columns"),
    'source = "a.csv"\ndecimal = ";"\n[columns]\nx = ["a"]\n': (2, "decimal: ';' marks no fraction"),
    'source = "a.csv"\nencoding = "utf-16"\n[columns]\nx = ["a"]\n': (2, "encoding: 'utf-16' is not read here"),
    'source = "a.csv"\nthousands = "_"\n[columns]\nx = ["a"]\n': (2, "thousands: '_' groups no digits"),
    'source = "a.csv"\nthousands = ","\ndecimal = ","\n[columns]\nx = ["a"]\n': (3, "decimal: a comma cannot both"),
    'source = "a.csv"\nseparator = ";"\n[columns]\nx = {lower = 0, upper = 1}\n': (2, "separator: between semicolons"),
    'source = "a.csv"\nwhere = "year ="\n[columns]\nx = ["a"]\n': (2, "where: "),
    'source = "a.parquet"\nseparator = ";"\n[columns]\nx = ["a"]\n': (2, "separator: this goes with files of text"),
    'source = "a.xlsx"\ndecimal = ","\n[columns]\nx = ["a"]\n': (2, "decimal: this goes with files of text"),
    'source = "a.xlsx"\nencoding = "cp1252"\n[columns]\nx = ["a"]\n': (2, "encoding: this goes with files of text"),
    'source = "a.parquet"\nthousands = ","\n[columns]\nx = ["a"]\n': (2, "thousands: this goes with files of text"),
    'source = "a.csv"\nsheet = "b"\n[columns]\nx = ["a"]\n': (2, "sheet: only files of sheets"),
    'source = "a.csv"\ntable = "b"\n[columns]\nx = ["a"]\n': (2, "table: a file is one table: delete it"),
    'source = "duckdb://a.db"\n[columns]\nx = ["a"]\n': (1, "source: a database holds several tables"),
    'source = "duckdb://a.db"\ntable = "t"\nwhere = "a = 1"\n[columns]\nx = ["a"]\n': (3, "where: this goes with a fi"),
    'source = "a.csv"\nperson = "x"\n[columns]\nx = ["a"]\n': (4, "columns.x: the column that tells persons apart"),
    'source = "a.csv"\nrows_per_person = 2\n[columns]\nx = ["a"]\n': (2, "rows_per_person: this goes with person"),
    'source = "a.csv"\nperson = "p"\nrows_per_person = 0\n[columns]\nx = ["a"]\n': (3, "rows_per_person: rows_per_per"),
    'source = "a.csv"\norder = "day"\n[columns]\nx = ["a"]\n': (2, "order: this goes with person"),
    'source = "a.csv"\nmissing = "NA"\n[columns]\nx = ["a"]\n': (2, 'missing: this is a list of text: write ["a", "b"'),
    'source = "a.csv"\nnodes = 3\n[columns]\nx = ["a"]\n': (2, "nodes: this goes with a graph"),
    'source = "a.csv"\nends = ["a", "b"]\n[columns]\nx = ["a"]\n': (2, "ends: this goes with a graph"),
    'graph = "a.csv"\n': (1, "graph: nodes are public"),
    'graph = "a.csv"\nnodes = 0\n': (2, "nodes: nodes are a positive number"),
    'graph = "a.csv"\nnodes = ["a", 3]\n': (2, "nodes: nodes are a positive number"),
    'graph = "a.csv"\nnodes = 3\nperson = "x"\n': (3, "person: a graph has nodes and edges"),
    'graph = "a.csv"\nnodes = 3\nends = ["a"]\n': (3, "ends: an edge has two ends"),
    'graph = "a.csv"\nnodes = 3\nmax_degree = 0\n': (3, "max_degree: max_degree must be an integer of at least 1"),
    'graph = "a.csv"\nnodes = 3\ndecimal = ","\n': (3, "decimal: numbers of a graph are weights"),
    'graph = "a.csv"\nnodes = 3\nweight = "w"\n': (3, "weight: this must be a table: write {column = ..., cap = ..."),
    'graph = "a.csv"\nnodes = 3\nweight = {column = "w", cap = 0}\n': (3, "weight.cap: cap must be positive"),
    'source = "a.csv"\nlabel = "x"\n[columns]\nx = ["a"]\n': (2, "label: this goes with a graph"),
    'graph = "a.csv"\nnodes = 3\nlabel = "x"\n': (3, "label: only .graphml, .gexf, .gml and .net files name"),
    'graph = "a.mtx"\nnodes = 3\nlabel = "x"\n': (3, "label: only .graphml, .gexf, .gml and .net files name"),
    'graph = "a.net"\nnodes = 3\nlabel = "name"\n': (3, "label: nodes of a .net file have one name"),
    'graph = "a.edges"\nnodes = 3\nends = ["a", "b"]\n': (3, "ends: the ends of edges have names in tables"),
    'graph = "a.gml"\nnodes = 3\nseparator = ","\n': (3, "separator: this goes with a table of edges"),
    'graph = "a.net"\nnodes = 3\nweight = {column = "w", cap = 1}\n': (3, "weight.column: the weights of a .net file"),
    'graph = "a.net"\nnodes = ["a", "b"]\n': (2, "nodes: edges of a .net file join numbers: pass label="),
    'graph = "a.mtx"\nnodes = ["a", "b"]\n': (2, "nodes: edges of a .mtx file join numbers: list numbers"),
    'graph = "a.txt"\nnodes = ["ann lee", "b"]\n': (2, "nodes: the public node 'ann lee' cannot stand in a .txt"),
    'source = "a.csv"\n[columns]\nx = ["a"]\n[budget]\nepsilon = 0\n': (5, "budget.epsilon: epsilon must be positive"),
    'source = "a.csv"\n[columns]\nx = ["a"]\n[budget]\ndelta = 0.1\n': (4, "budget: epsilon is missing"),
    'source = "a.csv"\n[columns]\nx = ["a"]\n[budget]\nepsilon = 1\nrule = "rho"\n': (6, 'budget.rule: rule="rho" n'),
    'source = "a.csv"\n[columns]\nx = ["a"]\n[budget]\nepsilon = 1\nepsilom = 2\n': (6, "budget.epsilom: this key"),
    # What is not TOML, or not filled in.
    'source =\n': (1, "this is not TOML"),
    'source = "a.csv\n[columns]\n': (1, "this is not TOML"),
    'source = a.csv\n': (1, "this is not TOML"),
    'source = "a.csv"\nsource = "b.csv"\n': (2, "this is not TOML"),
    'source = "a.csv"\nx = [' + "[" * 3000: (2, "this is not TOML"),
    'source = "a.csv"\n[columns]\nx = {lower = ?, upper = ?}\n': (3, "this is not filled in"),
    'source = "a.csv"\n[columns]\nx = [\n  "a", # what else?\n  ?,\n]\n': (5, "this is not filled in"),
    'source = "a?.csv" # ?\nwhere = """\na = \'?\' """\n[columns]\n"x?" = ?\n': (5, "this is not filled in"),
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: repr(text)[-40:])
def test_what_cannot_be_used_is_refused_by_line(tmp_path, text: str) -> None:
    """In one sentence, with the file, the line and the key."""
    line, said = REFUSED[text]
    with pytest.raises(DatasetError) as refused:
        loaded(tmp_path, text)

    place = f"{tmp_path / 'survey.toml'}: " if line is None else f"{tmp_path / 'survey.toml'}, line {line}: "
    assert str(refused.value).startswith(place + said)
    assert "\n" not in str(refused.value)
    assert str(refused.value).endswith((".", "?"))
    assert refused.value.__cause__ is None


def test_a_file_that_is_not_there_is_refused(tmp_path) -> None:
    """And one in another encoding."""
    with pytest.raises(FileNotFoundError, match="write one with dpselect describe"):
        Dataset.load(tmp_path / "no.toml")
    (tmp_path / "latin.toml").write_bytes('source = "é"'.encode("latin-1"))
    with pytest.raises(DatasetError, match="this is not text in UTF-8: save it as such"):
        Dataset.load(tmp_path / "latin.toml")


SECRETS = [
    "postgres://ann:hunter2@db/people",
    "postgres://ann:hun/ter2@db/people",
    "postgres%3a//ann:hunter2@db/people",
    "postgres://db/people?password=hunter2",
    "postgres://db/people?sslpassword=hunter2&user=ann",
    "snowflake://ann:hunter2@account/people",
    "host=db user=ann password=hunter2",
    "https://ann:hunter2@example.org/a.csv",
]


def test_the_ledger_holds_no_password_either() -> None:
    """Its address is as public as that of the rows."""
    with pytest.raises(DatasetError, match=r"^budget.ledger: this holds a password") as refused:
        Dataset(
            source="a.csv", columns=COLUMNS, budget={"epsilon": 1, "ledger": "postgresql://a:hunter2@db/d?ledger=x"}
        )

    assert "hunter" not in str(refused.value)


@pytest.mark.parametrize("place", SECRETS)
@pytest.mark.parametrize("key", ["source", "graph"])
def test_no_password_is_kept_or_repeated(place: str, key: str) -> None:
    """A description is public."""
    facts: dict[str, Any] = {"columns": COLUMNS} if key == "source" else {"nodes": 3}
    with pytest.raises(DatasetError) as refused:
        Dataset(**{key: place}, table="t", **facts)

    assert str(refused.value).startswith(f"{key}: this holds a password")
    assert "hunter" not in str(refused.value)
    assert "ter2" not in str(refused.value)


def test_a_repr_shows_no_user_and_no_option() -> None:
    """They may be secrets where somebody called them otherwise."""
    dataset = Dataset(source="postgres://ann@db/people?sslkey=mine", table="t", columns=COLUMNS)

    assert "Dataset(source='postgres://db/people', columns=x, y, neighbours=add-remove)" == repr(dataset)
    assert "postgres://db/people" == dataset.metadata["source"]


def test_a_frame_is_referred_to_and_never_written() -> None:
    """Neither into a file nor into a pickle nor into a repr."""
    frame = {"x": [1, 2, 7654321], "y": ["p", "q", "p"]}
    dataset = Dataset.of(frame, columns=COLUMNS)

    assert dataset.rows()["x"] is frame["x"]
    assert "7654321" not in repr(dataset)
    with pytest.raises(ValueError, match="save it, and name the file"):
        dataset.dump()
    with pytest.raises(TypeError, match="stay in their process"):
        pickle.dumps(dataset)
    with pytest.raises(DatasetError, match=r"^where: this goes with a file"):
        Dataset.of(frame, columns=COLUMNS, where="x = 1")
    assert dataset == Dataset.of(frame, columns=COLUMNS)
    assert dataset != Dataset.of({**frame}, columns=COLUMNS)


def test_questions_learn_what_is_public() -> None:
    """Grids, lists, and a sentence for a column that has none, or that is not described."""
    dataset = Dataset(source="a.csv", columns={"x": {"lower": 0, "upper": 10**12, "step": 0.5}, "y": ["p", "q"]})

    assert 2 * 10**12 + 1 == dataset.grid("x").size
    assert (("p", "q"), ["p", "q"], (0, 10**12)) == (dataset.groups("y"), dataset.domain("y"), dataset.domain("x"))
    for ask, column, said in (
        (dataset.grid, "y", "columns.y: this has a list of values"),
        (dataset.groups, "x", "columns.x: this has bounds"),
        (dataset.domain, "z", "columns.z: no such column is described: ask about one of x, y"),
    ):
        with pytest.raises(DatasetError, match=said):
            ask(column)


def test_estimators_take_the_domains_as_they_are() -> None:
    """A pair is a range of numbers to them, and a list of two values is not one."""
    pytest.importorskip("sklearn")
    columns = {"x": {"lower": 0, "upper": 9}, "y": ["p", "q"], "code": [3, 1]}
    dataset = Dataset(source="a.csv", columns=columns)
    domains = {name: dataset.domain(name) for name in columns}
    model = dps.learn.DPTreeClassifier(epsilon=1, domains=domains, classes=["p", "q"])
    table = {"x": [1, 2, 99], "code": [3, 1, 2]}

    found = model.check(table | {"y": ["p", "q", "r"]}, "y")
    assert ({"x": 1, "code": 1}, 1) == (dict(found.outside), found.labels_outside)


def test_the_library_has_it() -> None:
    """By the name that people import."""
    assert dps.Dataset is Dataset
    assert WeightColumn("w", 3).cap == 3


PIECES = st.sampled_from(
    [
        "source", "graph", "columns", "x", "=", '"', "'", '"""', "[", "]", "{", "}", "#", "?", "\n", "\r\n", ",", ".",
        " ", "\\", "lower", "upper", "1", "-", "1e5", "nan", "a.csv", "[columns]\n", 'source = "a.csv"\n', "true",
        "2024-01-31", "\0", "é",
    ]
)  # fmt: skip


@settings(deadline=None)
@given(pieces=st.lists(PIECES, max_size=40))
def test_whatever_a_file_says_is_used_or_refused(tmp_path_factory, pieces: list[str]) -> None:
    """By a sentence, and never by an error of ours; what is in place of a value is found wherever the file is TOML."""
    written = "".join(pieces)
    path = tmp_path_factory.getbasetemp() / "pieces.toml"
    path.write_bytes(written.encode())
    said = ""
    try:
        said = f"{path}: {Dataset.load(path)!r}"
    except DatasetError as refused:
        said = str(refused)

    assert said.startswith(str(path))
    assert "\n" not in said


@given(pieces=st.lists(PIECES, max_size=40))
def test_the_lines_of_keys_are_those_of_the_parser(pieces: list[str]) -> None:
    """Where a text is TOML, no key is overlooked."""
    text = "".join(pieces).replace("\r\n", "\n")
    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError):
        return
    found = key_lines(text)

    assert {*content} == {key[0] for key in found}
    assert all(key[0] in text.split("\n")[line - 1] for key, line in found.items() if key[0].isalnum())


@pytest.mark.parametrize("data", [b"age,income\n3,5\n", b"PAR1\xff\xfe"])
def test_a_file_of_data_is_to_be_described_first(data: bytes, tmp_path: Path) -> None:
    """The command is named, and no cell."""
    (tmp_path / "people.csv").write_bytes(data)

    with pytest.raises(DatasetError, match=r"dpselect describe people\.csv > people\.toml\.") as refused:
        dps.open(tmp_path / "people.csv")
    assert "income" not in str(refused.value)
