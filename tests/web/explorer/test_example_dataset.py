"""A described dataset in the explorer: made-up data of its shape, and the command that asks the true data."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the explorer needs the extra web")

import dpselect as dps
from dpselect.cli import click_commands
from dpselect.cli.request import Request
from dpselect.dataset import DatasetError
from dpselect.queries import QUERIES
from dpselect.web.explorer import public_data
from dpselect.web.explorer.example_dataset import graph_of, table_of
from dpselect.web.explorer.material import Material
from tests.web.explorer.test_python import view_of

TABLE = """
source = "nowhere.csv"
person = "id"
rows_per_person = 2
[columns]
income = {lower = 0, upper = 100000, step = 500}
share = {lower = -1, upper = 1, step = 0.25}
region = ["North", "South", "East", "West"]
[budget]
epsilon = 5
ledger = "nowhere.ledger"
"""
GRAPH = 'graph = "nowhere.txt"\nnodes = 30\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch) -> None:
    """The descriptions; the data that they name are not there."""
    monkeypatch.chdir(tmp_path)
    Path("survey.toml").write_text(TABLE, encoding="utf-8")
    Path("friends.toml").write_text(GRAPH, encoding="utf-8")


def given(line: str) -> Material:
    """Return what a command line gives the pages."""
    request = Request(["explore", *shlex.split(line)])
    click_commands.parse_options(request.words, request)
    return public_data.material_of(request)


def test_a_table_has_the_described_shape() -> None:
    """Columns, grids, lists and persons as they are described; the source is never opened."""
    material = given("survey.toml")

    assert ["income", "share", "region", "id"] == [*material.columns]
    assert {*np.arange(0, 100_001, 500)} >= {*material.numbers_of("income")}
    assert {*np.arange(-1, 1.1, 0.25)} >= {*material.numbers_of("share")} > {-0.5, 0, 0.5}
    assert ["North", "South", "East", "West"] == [name for name, _ in material.counts_of("region")]
    assert {2} == {count for _, count in material.counts_of("id")}
    assert {"survey.toml", "friends.toml"} == {each.name for each in Path().iterdir()}


def test_a_graph_has_the_described_nodes() -> None:
    """Made-up edges between them; one of too many nodes is refused."""
    material = given("friends.toml")

    assert "graph" == material.given
    assert range(30) == material.graph.candidates
    assert material.graph.degrees.max() > 5
    Path("large.toml").write_text('graph = "nowhere.txt"\nnodes = 10000\n', encoding="utf-8")
    with pytest.raises(ValueError, match="describe a smaller one"):
        given("large.toml")


def test_what_is_wrong_with_a_description_is_told_by_line() -> None:
    """As everywhere else."""
    Path("wrong.toml").write_text('source = "a.csv"\n[columns]\nage = 3\n', encoding="utf-8")
    with pytest.raises(DatasetError, match=r"wrong.toml, line 3"):
        given("wrong.toml")


@pytest.mark.parametrize(
    "page, line, words, changed",
    [
        ("percentile", "survey.toml", "quantiles survey.toml income --p 50 --epsilon 0.05", {"column": "income"}),
        ("most-common", "survey.toml", "most-common survey.toml region --epsilon 0.2", {}),
        ("tree", "survey.toml", "train survey.toml region --n-records 1000 --epsilon 0.5", {}),
        ("top-k", "friends.toml", "top-k friends.toml degree --epsilon 1", {}),
    ],
)
def test_a_page_names_the_query_of_the_data(page, line, words, changed) -> None:
    """Its command and its Python ask the same query."""
    view = view_of(page, given(line), **changed)

    assert view.headline
    assert words.split()[:3] == view.commands.shell.split()[1:4]
    name = view.commands.shell.split()[1].replace("-", "_")
    assert name in QUERIES
    asked = view.commands.python.splitlines()[-1].replace(f"data.{name}(", "query(")
    query = eval(asked, {"query": QUERIES[name]})
    data = dps.open(line)
    assert query.candidates(data.description) >= 1
    assert data.plan_of(query).spends


def test_bounds_are_the_described_ones() -> None:
    """Not those of the made-up rows."""
    view = view_of("percentile", given("survey.toml"), column="income")

    assert "lower=0, upper=100000, step=500" in view.example


def test_the_python_of_a_notebook_makes_the_same_data() -> None:
    """By the names of functions here, from the description beside it."""
    for line, name, made in (("survey.toml", "table", table_of), ("friends.toml", "graph", graph_of)):
        material, names = given(line), {"dps": dps}
        exec(getattr(material, f"{name}_python"), names)
        expected = made(dps.Dataset.load(line))
        if name == "table":
            assert [[*each] for each in expected.values()] == [[*each] for each in names[name].values()]
        else:
            assert expected.degrees.tolist() == names[name].degrees.tolist()


def test_made_up_dates_lie_within_their_bounds() -> None:
    """First days of the periods that a description says."""
    columns = {"since": {"lower": "2025-01-01", "upper": "2025-12-31", "step": "quarter"}, "job": ["a", "b"]}
    made = table_of(dps.Dataset(source="a.csv", columns=columns))

    assert {f"2025-{month:02}-01" for month in (1, 4, 7, 10)} == {name for name, _ in made["since"].counts}
