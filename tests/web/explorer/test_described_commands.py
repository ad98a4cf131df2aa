"""A page of a description shows the numbers of its command: of the persons, rows, bounds and ledger that it names.

Pages of figures by hand say nothing about a description: objectives and audit, and distance but for scores of a graph.
The planner takes its budget and whom it protects.
"""

from __future__ import annotations

import csv
import math
import shlex
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the explorer needs the extra web")

import dpselect as dps
from dpselect.cli import main
from dpselect.kernel.errors import DPSelectError
from dpselect.learn import first_split
from dpselect.queries import QUERIES
from dpselect.release.best import GroupRanking
from dpselect.utilities.popularity import popularity
from dpselect.web.explorer import example_dataset
from dpselect.web.explorer.explorer_page import Commands
from dpselect.web.explorer.figures import factor
from dpselect.web.explorer.form_fields import ChoiceField
from dpselect.web.explorer.material import Material
from dpselect.web.explorer.pages import PAGES
from dpselect.web.explorer.text_column import TextColumn
from tests.web.explorer.test_python import view_of

ROWS = 4
DESCRIBED = """
source = "people.csv"
where = "year = 2026"
{person}
[columns]
income = {{lower = 0, upper = 100000, step = 2000, edges = [0, 20000, 50000, 100000]}}
grade = [1, 2, 3]
status = ["employed", "student", "retired", "nobody has this"]
since = {{lower = "2025-01-01", upper = "2025-12-31", step = "month"}}
team = "unlisted"
[budget]
epsilon = 5
delta = 0.0001
ledger = "own.ledger"
"""
PERSONS = f'person = "person"\nrows_per_person = {ROWS}'
GRAPH = 'graph = "friends.txt"\nnodes = 40\nmax_degree = 7\n[budget]\nepsilon = 5\nledger = "own.ledger"\n'
TABLES = ("candidates", "most-common", "percentile", "best-groups", "tree", "mechanisms")
GRAPHS = ("top-k", "distance")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch) -> None:
    """A folder for descriptions."""
    monkeypatch.chdir(tmp_path)


def described(person: str = PERSONS) -> Material:
    """Return the material of a described table, whose rows are the made-up ones."""
    Path("survey.toml").write_text(DESCRIBED.format(person=person), encoding="utf-8")
    material = example_dataset.material_of("survey.toml")
    with Path("people.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([*material.columns, "year"])
        rows.writerows((*row, 2026) for row in zip(*material.columns.values(), strict=True))
    return material


def described_graph(text: str = GRAPH) -> Material:
    """Return the material of a described graph."""
    Path("friends.toml").write_text(text, encoding="utf-8")
    return example_dataset.material_of("friends.toml")


def choices(path: str, material: Material) -> list[dict[str, str]]:
    """Return a state for every option of every choice of a page."""
    (page,) = [page for page in PAGES if page.path == path]
    fields = [field for field in page.content.fields(material) if isinstance(field, ChoiceField)]
    return [{field.name: value} for field in fields for value, _ in field.options]


def accept(commands: Commands) -> None:
    """Plan the query of the Python, which spends nothing; the command names the same."""
    name = commands.shell.split()[1].replace("-", "_")
    called = commands.python.splitlines()[-1].replace(f"data.{name}(", "query(")
    assert dps.open(commands.shell.split()[2]).plan_of(eval(called, {"query": QUERIES[name]})).spends


@pytest.mark.parametrize("person", [PERSONS, 'person = "person"', ""])
@pytest.mark.parametrize("path", TABLES)
def test_every_command_asks_the_description(path: str, person: str, capsys) -> None:
    """Whatever is chosen: no other file, ledger, person or bound is named, and the query is accepted."""
    material = described(person)
    accepted = set()
    for changed in choices(path, material):
        try:
            commands = view_of(path, material, **changed).commands
        except (DPSelectError, ValueError):
            continue
        if "by hand" in commands.note:
            continue
        assert " survey.toml " in commands.shell, changed
        assert "dps.open('survey.toml')" in commands.python
        for text in (commands.shell, commands.python):
            assert not any(word in text for word in ("people.", "visits", ".ledger", "--person", "person="))
        if commands.shell not in accepted:
            accept(commands)
        accepted.add(commands.shell)
    assert 0 == main([*shlex.split(min(accepted))[1:], "--dry-run", "--json"]), capsys.readouterr().err
    assert not Path("own.ledger").exists()


@pytest.mark.parametrize("path", GRAPHS)
def test_every_command_asks_the_graph(path: str) -> None:
    """With its nodes and its bound on degrees, on which the scores of the page rest too."""
    material = described_graph()
    assert 7 == material.graph.degrees.max()
    commands = []
    for changed in choices(path, material):
        with suppress(DPSelectError):
            commands.append(view_of(path, material, **changed).commands)
    asked = {each.shell: each for each in commands if " friends.toml " in each.shell}
    assert len(asked) >= 3
    for each in asked.values():
        accept(each)
    assert not any("friends.csv" in each.shell for each in commands)


def test_a_metric_without_its_bound_says_so() -> None:
    """The command would refuse it."""
    material = described_graph(GRAPH.replace("max_degree = 7\n", ""))
    assert "write max_degree = " in view_of("top-k", material, metric="open-pairs").commands.note
    assert "write max_degree = " not in view_of("top-k", material, metric="degree").commands.note
    assert "max_degree = " in view_of("distance", material, score="open-pairs").commands.note


def table_of(view, title: str) -> dict[str, list[str]]:
    """Return the rows of a table of a page, by their first cells."""
    (table,) = [part for part in view.parts if part.kind == "table" and part.title == title]
    return {name: cells for name, *cells in table.rows}


def rows_of(material: Material) -> dict[str, list[str]]:
    """Return the made-up rows."""
    return {name: [*cells] for name, cells in material.columns.items()}


def test_best_groups_are_of_persons() -> None:
    """Scores, sensitivity, margins and chances are those of the release of four rows of each person."""
    material = described()
    view = view_of("best-groups", material, score="avg(income)", by="status", epsilon=0.4)
    known = dps.Dataset.load("survey.toml").columns
    ranking = GroupRanking.of("avg(income)", known, "20:50000", "highest", "person", ROWS)
    groups, rows = [*known["status"]], rows_of(material)
    margins, scores = ranking.margins(rows, 1, "status", groups), ranking.scores(rows, "status", groups)
    moved = scores.sensitivity.at([0])[0]
    by_rows = GroupRanking.of("avg(income)", known, "20:50000").scores(rows, "status", groups).sensitivity.at([0])[0]
    assert (moved > 2 * by_rows).all()

    for name, cells in table_of(view, "Every group").items():
        place = groups.index(name)
        assert [f"{moved[place]:,.3g}", f"{margins.values[place]:,.3g}"] == cells[1:3]
    assert "--prior 20:50000" in view.commands.shell
    notes = [sentence for part in view.parts for sentence in getattr(part, "words", ())]
    words = " ".join([view.headline, *(part.title for part in view.parts), *notes])
    assert "one row" not in words.lower()
    assert f"One person moves these scores by {moved.max():,.3g} at most" in view.headline
    assert "One row moves" in view_of("best-groups", described("")).headline


@pytest.mark.parametrize("rows", [1, ROWS])
def test_a_percentile_is_drawn_for_each_row_at_its_share(rows: int) -> None:
    """A person more has all rows that count."""
    material = described(f'person = "person"\nrows_per_person = {rows}')
    view = view_of("percentile", material, epsilon=0.4, neighbour="high")
    scores = dps.utilities.percentile(material.numbers_of("income"), 50, lower=0, upper=100000, step=2000)
    more = [*material.numbers_of("income"), *[100000] * rows]
    other = dps.utilities.percentile(more, 50, lower=0, upper=100000, step=2000)
    mechanism = dps.mechanism("permute-and-flip")
    here, there = (mechanism.log_pmf(each, Fraction(2, 5) / rows) for each in (scores, other))
    loss = np.abs(here - there).max()

    assert f"changes a chance by a factor of {factor(loss)} at most here; epsilon allows 1.492" in view.headline
    expected = np.exp(here) @ -scores.values.astype(float)
    unit = "rows" if rows > 1 else "persons"
    errors = next(part for part in view.parts if part.title.startswith("How far"))
    assert f"{float(f'{expected:.3g}'):,.12g}" == dict(errors.rows)[f"here, in {unit}, on average"]
    release = dps.open("survey.toml").plan_of(QUERIES["quantiles"]("income", p=[50], epsilon=Fraction(2, 5)))
    bound = dict(errors.rows)[f"in general, in {unit}"]
    assert bound.split(" behind")[0].replace(unit, "records") in release.error_bound.describe()


def test_mechanisms_are_compared_on_the_described_grid() -> None:
    """At the share of each row."""
    material = described()
    view = view_of("mechanisms", material, column="income", epsilon=0.4, unit="euros")
    scores = dps.utilities.median(material.numbers_of("income"), lower=0, upper=100000, step=2000)
    chance = dps.mechanism("exponential").pmf(scores, Fraction(1, 10))[scores.values == scores.values.max()].sum()
    assert f"{chance:.3f}" == table_of(view, "At epsilon 0.4")["exponential"][1]


@pytest.mark.parametrize("person", [PERSONS, ""])
def test_names_are_counted_by_persons(person: str) -> None:
    """Of two pages; every listed value is a candidate, also one that no row has."""
    material = described(person)
    heard = TextColumn.of("" if cell == "nobody has this" else cell for cell in material.columns["status"])
    columns = {**material.columns, "status": heard}
    material = replace(material, columns=columns, visits=columns)
    who = {"person": "person"} if person else {}
    known = popularity(rows_of(material), item="status", domain=[*material.lists["status"]], **who)
    assert 0 == known.values[-1]
    law = dps.mechanism("permute-and-flip").pmf(known, 0.01)
    best = int(known.values.argmax())
    count = f"({int(known.values[best]):,})"

    common = view_of("most-common", material, item="status", epsilon=0.01)
    assert f"which most {'persons' if person else 'rows'} have {count}" in common.headline
    assert f"probability {law[best]:.3f}" in common.headline
    chosen = view_of("candidates", material, column="status", epsilon=0.01)
    assert f"probability {law[best]:.3f}" in chosen.headline
    assert f"What one {'person' if person else 'row'} changes" in [part.title for part in chosen.parts]


def test_the_note_on_unlisted_names_asks_the_description() -> None:
    """Where a column of it has such names; else it says how to describe one."""
    note = view_of("most-common", described()).parts[-1]
    assert "most-common survey.toml team" in note.words[-1]
    accepted = shlex.split(note.words[-1])
    assert 0 == main([*accepted[1:], "--dry-run"])
    text = Path("survey.toml").read_text(encoding="utf-8").replace('team = "unlisted"\n', "")
    Path("survey.toml").write_text(text, encoding="utf-8")
    (words,) = view_of("most-common", example_dataset.material_of("survey.toml")).parts[-1].words
    assert 'survey.toml as "unlisted"' in words
    assert "visits.csv" not in words


def test_a_tree_is_of_persons() -> None:
    """Its first question costs all rows of a person, and the neighbour lacks them."""
    material = described()
    view = view_of("tree", material, **{"class": "status", "epsilon": 0.5, "row": 9})
    model = dps.learn.DPTreeClassifier(
        Fraction(1, 2),
        domains={
            "income": np.array([0.0, 20000, 50000, 100000]),
            "grade": ["1", "2", "3"],
            "status": [*material.lists["status"]],
        },
        n_records=len(material.columns["income"]),
        person="person",
        rows_per_person=ROWS,
    )
    rows = rows_of(material)
    table = {name: np.array(rows[name]) for name in ("income", "grade", "status", "person")}
    kept = table["person"] != "person 3"
    assert ROWS == (~kept).sum()
    here, there = (first_split(model, each, "status") for each in (table, {n: c[kept] for n, c in table.items()}))
    laws = [each.mechanism.log_pmf(each.scores, here.epsilon) for each in (here, there)]
    loss = np.abs(laws[0] - laws[1])
    cost = float(here.epsilon * ROWS)
    assert f"This costs {cost:.3g} of epsilon 0.5; without the person of row 9 a chance changes by" in view.headline
    assert f"and {math.exp(cost):.4g} is allowed" in view.headline
    assert f"a factor of {factor(loss.max())} at most" in view.headline


def test_the_planner_begins_with_the_described_budget() -> None:
    """Its epsilon and whom it protects."""
    view = view_of("planner", described())
    assert " of 5, " in view.headline
    assert "--neighbours person" in view.commands.shell
    assert "neighbours edge" in view_of("planner", described_graph()).commands.shell


@pytest.mark.parametrize("path", TABLES)
def test_the_notebook_of_a_description_runs(path: str) -> None:
    """From the description alone."""
    view = view_of(path, described())
    exec(compile(view.example, path, "exec"), {})
