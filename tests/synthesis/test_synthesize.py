"""Synthetic tables as users make them: in Python, on the command line, saved, sampled, and refused."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.cli.paths import UnsavedError, save_release
from dpselect.queries import QUERIES, query_of
from dpselect.synthesis import SyntheticModel
from dpselect.synthesis.synthesize import SynthesisPlan

COLUMNS = {
    "age": {"lower": 0, "upper": 99},
    "married": ["yes", "no"],
    "income": {"lower": 0, "upper": 100_000, "step": 0.5},
    "born": {"lower": "1920-01-01", "upper": "2020-12-31", "step": "year"},
}
IMPOSSIBLE = "age < 15 and married = yes"


def people(rows: int = 3000) -> pd.DataFrame:
    """Rows in which age says nearly all of the rest, and every tenth income is missing."""
    rng = np.random.default_rng(rows)
    age = rng.integers(0, 90, rows)
    married = np.where((age >= 16) & (rng.random(rows) < 0.5), "yes", "no")
    income = np.where(rng.random(rows) < 0.1, np.nan, age * 1000.0 + rng.integers(0, 5000, rows))
    born = pd.to_datetime("2020-01-01") - pd.to_timedelta(age * 365, unit="D")
    return pd.DataFrame({"age": age, "married": married, "income": income, "born": born})


@pytest.fixture(scope="module", params=["aim", "mst"])
def release(request: pytest.FixtureRequest):
    """A synthetic table at a large budget."""
    described = dps.Dataset.of(people(), columns=COLUMNS)
    return dps.synthesize(described, epsilon=8, delta=1e-6, method=request.param, impossible=[IMPOSSIBLE])


def test_rows_look_like_the_table(release) -> None:
    """Types, missing cells and the tie between age and income; no impossible row."""
    table = pd.DataFrame(release.value.sample())

    assert 2900 < len(table) < 3100
    assert table.age.between(0, 99).all()
    assert 0.07 < table.income.isna().mean() < 0.13
    assert 0 == table.age.isna().sum()
    assert (0.7 if release.value.method == "aim" else 0.5) < table.age.astype(float).corr(table.income.astype(float))
    assert not ((table.age < 15) & (table.married == "yes")).any()
    assert (table.income.dropna().astype(float) * 2 % 1 == 0).all()


def test_a_saved_model_is_the_same(release, tmp_path: Path) -> None:
    """Counts, errors and its own file, to the last digit; more rows cost nothing."""
    model = release.value
    model.save(tmp_path / "m.json")
    again = dps.synthesis.load(tmp_path / "m.json")

    assert model.as_json() == again.as_json()
    assert model.counts("married", "age") == pytest.approx(again.counts("married", "age"))
    assert model.error("age", "income") == again.error("income", "age")
    assert 7 == len(again.sample(7)["age"])
    assert release.certificate().content["answer"] == model.answer


def test_tables_are_written_and_nothing_is_overwritten(release, tmp_path: Path) -> None:
    """As text and as parquet."""
    release.value.write(tmp_path / "t.csv", 50)
    release.value.write(tmp_path / "t.parquet", 50)

    assert (50, 4) == pd.read_csv(tmp_path / "t.csv").shape == pd.read_parquet(tmp_path / "t.parquet").shape
    with pytest.raises(FileExistsError):
        release.value.write(tmp_path / "t.csv")
    with pytest.raises(ValueError, match="must end in .csv or .parquet"):
        release.value.write(tmp_path / "t.txt")


def test_the_page_says_what_may_be_trusted(release, tmp_path: Path) -> None:
    """What was measured and every bound; no script."""
    dps.synthesis.save_html(release.value, tmp_path / "p.html")
    page = (tmp_path / "p.html").read_text()

    assert "Fidelity is not truth" in page
    assert all(name in page for name in COLUMNS)
    assert "epsilon = 8" in page
    assert "<script" not in page


def test_the_page_draws_every_column_and_pair_once(release, tmp_path: Path) -> None:
    """By its finest measurement, though some are measured again."""
    dps.synthesis.save_html(release.value, tmp_path / "p.html")
    captions = re.findall("<figcaption>(.*?)</figcaption>", (tmp_path / "p.html").read_text(encoding="utf-8"))
    assert set(release.value.names) <= {*captions}
    assert len({*captions}) == len(captions)


@pytest.mark.parametrize(
    "harm",
    [
        lambda content: content | {"format": 99},
        lambda content: content | {"total": "many"},
        lambda content: content | {"total": float("nan")},
        lambda content: content | {"columns": content["columns"][:2]},
        lambda content: content | {"factors": [{"columns": [0, 0], "logarithms": [0.0]}]},
        lambda content: content | {"factors": [{"columns": [9], "logarithms": [0.0]}]},
        lambda content: content | {"guarantee": content["guarantee"] | {"epsilon": "1/100"}},
        lambda content: content | {"guarantee": content["guarantee"] | {"rho": "1e999999999"}},
        lambda content: content | {"steps": [content["steps"][0] | {"rho": "1e-999999999"}]},
        lambda content: content | {"columns": [content["columns"][0] | {"step": "1e-99"}, *content["columns"][1:]]},
        lambda content: content | {"distances": [{"columns": [0, 1], "rows": -5}]},
        lambda content: content | {"distances": [{"columns": [0, 1], "rows": float("nan")}]},
        lambda content: content | {"steps": [content["steps"][0] | {"variance": [-1.0]}]},
        lambda content: content | {"steps": [content["steps"][0] | {"variance": [float("nan")]}]},
        lambda content: content | {"columns": [each | {"name": "age"} for each in content["columns"]]},
        lambda content: {name: each for name, each in content.items() if name != "steps"},
        lambda _: {"file": "something else"},
        lambda _: [],
    ],
)
def test_a_model_that_was_edited_is_refused(release, harm) -> None:
    """In one sentence."""
    with pytest.raises(ValueError, match=r"synthetic table|damaged or was edited|another format"):
        SyntheticModel.from_dict(harm(release.value.as_dict()))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"delta": 0}, "pass a positive delta"),
        ({"method": "gan"}, "method must be aim or mst"),
        ({"degree": 4}, "degree must be 2 or 3"),
        ({"bins": 1}, "bins must be from 2"),
        ({"columns": ["age", "age"]}, "named twice"),
        ({"columns": ["height"]}, "no such column is described"),
        ({"columns": []}, "at least one column"),
        ({"impossible": "age < 3"}, "is a list of conditions"),
        ({"impossible": ["height < 3"]}, "not a column"),
        ({"impossible": ["age < "]}, "condition"),
        ({"impossible": ["age >= 0"]}, "No row is possible"),
        ({"impossible": ["married = yes", "married = no"]}, "No row is possible"),
        ({"epsilon": 0}, "epsilon"),
    ],
)
def test_what_cannot_be_done_is_refused_before_it_costs(wrong, sentence: str) -> None:
    """By public facts alone."""
    ledger = dps.ledger.RecordingAccountant("sum")
    described = dps.Dataset.of(people(10), columns=COLUMNS)
    with pytest.raises((ValueError, TypeError), match=sentence):
        dps.synthesize(described, **({"epsilon": 1, "delta": 1e-6, "ledger": ledger} | wrong))

    assert [] == [*ledger.spends]


@pytest.mark.parametrize(
    ("columns", "degree", "sentence"),
    [
        (30, 3, "choose the method mst, a degree of 2, or fewer columns"),
        (64, 2, "choose the method mst, or fewer columns"),
        (64, 3, "choose the method mst, or fewer columns"),
        (200, 3, "for 200 columns at degree 3: choose the method mst, or fewer columns"),
    ],
)
def test_more_columns_than_aim_can_score_are_refused_before_they_cost(columns: int, degree: int, sentence: str) -> None:
    """What would take hours is known from the number of columns; a column fewer is no reason to refuse."""
    table = {f"c{place}": [0, 1] for place in range(columns)}
    described = dps.Dataset.of(table, columns={name: [0, 1] for name in table})
    asked = {"epsilon": 1, "delta": 1e-6, "degree": degree}
    with pytest.raises(ValueError, match=sentence):
        SynthesisPlan.of(described, **asked)

    assert SynthesisPlan.of(described, **asked, method="mst")
    assert SynthesisPlan.of(described, **asked | {"degree": 2}, columns=[*table][: min(columns, 63)])


def test_conditions_that_make_too_large_models_are_refused_before_they_cost() -> None:
    """By the tables that they make, which are larger where each is fitted again and again."""
    described = dps.Dataset.of({"a": [0], "b": [0]}, columns={name: [*range(999)] for name in "ab"})
    asked = {"epsilon": 1, "delta": 1e-6, "impossible": ["a = 0 and b = 0"]}
    with pytest.raises(ValueError, match="too many columns together: name fewer impossible rows, or describe coarser"):
        SynthesisPlan.of(described, **asked, method="aim")

    assert SynthesisPlan.of(described, **asked, method="mst")


def test_pairs_of_many_codes_are_drawn_in_few_squares(tmp_path: Path) -> None:
    """Neighbours share a square, so that a page stays one that a browser shows."""
    table = {"a": [*range(500)] * 40, "b": [*range(500)] * 40}
    described = dps.Dataset.of(table, columns={name: [*range(500)] for name in table})
    with dps.budget(epsilon=100, delta=1e-6):
        model = dps.synthesize(described, epsilon=100, delta=1e-6, method="mst").value
    dps.synthesis.save_html(model, tmp_path / "p.html")

    assert 250_000 < model.counts("a", "b").size
    assert 50 < (tmp_path / "p.html").read_text().count("<rect") <= 2 * 60**2


def test_a_table_that_lacks_a_column_costs_nothing() -> None:
    """It is read before it is paid for."""
    ledger = dps.ledger.RecordingAccountant("sum")
    described = dps.Dataset.of(people(10).drop(columns="age"), columns=COLUMNS)
    with pytest.raises(ValueError, match="age"):
        dps.synthesize(described, epsilon=1, delta=1e-6, ledger=ledger)

    assert [] == [*ledger.spends]


def test_a_pair_that_noise_hides_is_not_measured() -> None:
    """Of two columns with many codes the counts are far from independence by chance alone, and noise adds to that."""
    rng = np.random.default_rng(0)
    one, other = rng.integers(0, 60, (2, 6000))
    told = np.where(rng.random(6000) < 0.8, one < 30, rng.random(6000) < 0.5).astype(int)
    numbers = {"lower": 0, "upper": 59}
    described = dps.Dataset.of(
        {"one": one, "other": other, "told": told}, columns={"one": numbers, "other": numbers, "told": [0, 1]}
    )
    release = dps.synthesize(described, epsilon=4, delta=1e-6, method="mst", bins=60)

    assert [(0, 2), (1, 2)] == sorted(step.measurement.clique for step in release.value.steps if step.candidates)


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("columns", [["married"], ["married", "age"], [*COLUMNS]])
@pytest.mark.parametrize("method", ["aim", "mst"])
def test_tables_of_hardly_any_rows_or_columns(rows: int, columns: list[str], method: str) -> None:
    """Noise alone makes a table."""
    described = dps.Dataset.of(people(5).iloc[:rows], columns=COLUMNS)
    release = dps.synthesize(described, epsilon=0.5, delta=1e-6, columns=columns, method=method)

    assert columns == [*release.value.sample(20)]


def test_persons_are_paid_for_by_their_rows() -> None:
    """Two rows of each count, and the guarantee is about persons."""
    table = people(2000).assign(who=np.arange(2000) // 5)
    described = dps.Dataset.of(table, columns=COLUMNS, person="who", rows_per_person=2)
    release = dps.synthesize(described, epsilon=8, delta=1e-6, method="mst")

    assert "person" == release.guarantee.neighbours.value
    assert 700 < release.value.rows < 900
    assert 2 == release.rows_per_person


def test_a_query_is_asked_planned_and_read_back() -> None:
    """As every other query; one row of a ledger."""
    data = dps.open(dps.Dataset.of(people(500), columns=COLUMNS, budget={"epsilon": 3, "delta": 1e-5}))
    query = query_of({"query": "synthesize", "epsilon": 1, "delta": 1e-6, "columns": ["age", "born"], "method": "mst"})
    release = data.ask(query)
    reply = {"answer": release.certificate().content["answer"], "model": query.attachments(release)["model"]}
    read = query.read_reply(json.loads(json.dumps(reply)), data.plan_of(query).example)

    assert Fraction(1) == data.plan.synthesize(epsilon=1, delta=1e-6).guarantee.epsilon
    assert release.value.as_json() == read.value.as_json()
    assert "synthesize" in QUERIES
    with pytest.raises(ValueError, match="not the model of its certificate"):
        query.read_reply(reply | {"answer": {"model": "another"}}, data.plan_of(query).example)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table, and its description with a budget."""
    people(800).to_csv(tmp_path / "people.csv", index=False)
    described = dps.Dataset(
        source="people.csv", columns=COLUMNS, budget={"epsilon": 3, "delta": 1e-5, "ledger": "people.ledger"}
    )
    (tmp_path / "people.toml").write_text(described.dump())
    monkeypatch.chdir(tmp_path)
    return tmp_path


WORDS = ["synthesize", "people.toml", "--epsilon", "1", "--delta", "1e-6"]


def test_the_command_writes_a_table_a_model_a_page_and_a_certificate(folder: Path, capsys) -> None:
    """In one go; from the model more rows are drawn."""
    more = ["--model", "m.json", "--html", "p.html", "--certificate", "c.json", "--rows", "300"]
    assert 0 == main([*WORDS, "--out", "s.csv", *more])
    said = capsys.readouterr().out
    assert "300 synthetic rows written to s.csv" in said
    together = re.search("measured together: (.*)", said)[1].partition(" and ")[0].split("; ")
    assert len({*together}) == len(together)
    assert all(" x " in each for each in together)
    assert 0 == main(["sample", "m.json", "--rows", "20", "--out", "more.parquet"])

    with (folder / "s.csv").open() as file:
        assert [*COLUMNS] == next(csv.reader(file))
    assert 20 == len(pd.read_parquet("more.parquet"))
    answer = json.loads((folder / "c.json").read_text())["certificate"]["answer"]
    assert {"file": "s.csv", "SHA-256": hashlib.sha256((folder / "s.csv").read_bytes()).hexdigest()} == answer
    assert 4 == len(dps.synthesis.load("m.json").names)
    assert 1 == len(dps.Ledger.read("people.ledger").events)


def test_the_command_overwrites_nothing_and_prints_objects(folder: Path, capsys) -> None:
    """A file that is there is refused before anything is spent; a dry run spends nothing."""
    (folder / "s.csv").write_text("mine")
    assert 2 == main([*WORDS, "--out", "s.csv"])
    assert "exists already" in capsys.readouterr().err
    assert 0 == main([*WORDS, "--out", "t.csv", "--dry-run"])
    assert not (folder / "people.ledger").exists()
    capsys.readouterr()
    assert 0 == main([*WORDS, "--out", "t.csv", "--method", "mst", "--json"])

    printed = json.loads(capsys.readouterr().out)
    assert "t.csv" == printed["written_to"]
    assert 3 == len(printed["measured"])


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ({"lower": 0, "upper": 10**12}, [1, 2, 3]),
        ({"lower": -(10**6), "upper": 10**6, "step": 1e-9}, [0.5, 0.25, 0.125]),
        ([10**20, 10**19], [10**19, 10**20, 10**20]),
    ],
)
def test_columns_of_many_or_large_values_come_back(column, cells, tmp_path: Path) -> None:
    """Bins of more values than 32 bits hold, grids finer than 64 bits hold, and integers beyond them."""
    described = dps.Dataset.of({"a": cells * 100}, columns={"a": column})
    model = dps.synthesize(described, epsilon=8, delta=1e-6, method="mst").value
    drawn = model.sample(500)["a"]
    model.write(tmp_path / "t.csv", 9)
    model.write(tmp_path / "t.parquet", 9)
    known = [cell for cell in drawn if cell is not None]
    lowest, highest = (column["lower"], column["upper"]) if isinstance(column, dict) else column[::-1]

    assert known
    assert all(lowest <= cell <= highest for cell in known)
    assert isinstance(column, list) or len({*known}) > 100
    assert SyntheticModel.from_dict(json.loads(model.as_json())).sample(1)


def test_a_column_of_more_values_than_doubles_hold_is_refused() -> None:
    """Before it costs."""
    described = dps.Dataset.of({"a": [1.0]}, columns={"a": {"lower": 0, "upper": 2**53}})
    with pytest.raises(ValueError, match="coarser step"):
        dps.synthesize(described, epsilon=1, delta=1e-6)


def test_noise_alone_does_not_ask_for_billions_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only whoever asks for many rows gets them."""
    model = dps.synthesize(dps.Dataset.of(people(), columns=COLUMNS), epsilon=8, delta=1e-6, method="mst").value
    model = dataclasses.replace(model, model=dataclasses.replace(model.model, total=2e10))
    monkeypatch.setattr("dpselect.synthesis.synthetic_model._MOST_UNASKED", 100)

    assert 2 * 10**10 == model.rows
    assert 100 == len(model.sample()["age"])
    assert 200 == len(model.sample(200)["age"])


@pytest.mark.parametrize("rows", ["0", "-1", "3000000000", "x"])
def test_rows_that_cannot_be_drawn_cost_nothing(rows: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are refused before anything is paid."""
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("a\n1\n")
    Path("t.toml").write_text(
        "source = 't.csv'\n[columns]\na = {lower = 0, upper = 3}\n[budget]\nepsilon = 9\n"
        "delta = 1e-5\nledger = 'l.ledger'\n"
    )
    asked = ["synthesize", "t.toml", "--epsilon", "1", "--delta", "1e-6", "--out", "s.csv", "--rows", rows]

    assert 0 != main(asked)
    assert not Path("l.ledger").exists()


def test_a_release_whose_rows_do_not_fit_the_memory_is_not_lost() -> None:
    """It is printed, like one that no disk holds."""

    def fail() -> None:
        raise MemoryError

    with pytest.raises(UnsavedError, match="memory"):
        save_release(fail, "the release")
