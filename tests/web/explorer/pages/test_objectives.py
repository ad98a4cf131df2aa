"""The page of several objectives: its figures are the library's, and its commands exist."""

from __future__ import annotations

import math
import re
import shlex

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra web")

import pyarrow as pa
import pyarrow.parquet as parquet

import dpselect as dps
from dpselect.cli import main
from dpselect.web.explorer.explorer_page import PageTable, View
from dpselect.web.explorer.material import EXAMPLES
from dpselect.web.explorer.pages.objectives import MECHANISMS, NEIGHBOURS, PAGE, RULES

NAMES = [name for name, _ in RULES]


def state(**changed):
    """What stands on the page at first, with changes."""
    first = {field.name: field.read({}) for field in PAGE.fields(EXAMPLES)}
    return first | {name.replace("_", "-"): value for name, value in changed.items()}


def shown(**changed) -> View:
    """The view of such a state."""
    return PAGE.view(state(**changed), EXAMPLES)


def scores(rows=RULES) -> list[dps.Scores]:
    """Both objectives, made without the page."""
    return [
        dps.Scores(
            [cells[place] for _, cells in rows], 1, candidates=[n for n, _ in rows], range_bound=1, kind="integer"
        )
        for place in (0, 1)
    ]


def column(table: PageTable, place: int) -> dict[str, str]:
    """One column of a table by the first."""
    return {row[0]: row[place] for row in table.rows}


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_table_is_the_law(mechanism) -> None:
    """Both columns of chances are the exact laws of PrivPareto and PrivAgg."""
    table = shown(mechanism=mechanism, epsilon=0.3).parts[2]
    laws = [
        dps.mechanism(mechanism).pmf(each, 0.3)
        for each in (
            dps.multiobjective.pareto(scores()),
            dps.multiobjective.aggregate(scores(), [5, 1], max_changed="one", range_bound=1),
        )
    ]

    for place, law in zip((4, 5), laws, strict=True):
        for name, chance in zip(NAMES, law, strict=True):
            cell = column(table, place)[name]
            assert chance < 0.0005 if cell == "<0.001" else abs(float(cell) - chance) <= 0.0005


def test_the_front_is_the_librarys() -> None:
    """The column says of each candidate whether it is on the front, and how many are as good in both."""
    said = column(shown().parts[2], 3)

    assert dps.accuracy.metrics.front(scores()) == [name for name in NAMES if said[name] == "yes"]
    assert {"either": "no, behind 1", "age": "no, behind 4"} == {n: s for n, s in said.items() if s != "yes"}


@pytest.mark.parametrize("rule", ["pareto", "weights"])
@pytest.mark.parametrize("neighbour", NEIGHBOURS)
def test_the_neighbour_keeps_the_promise(rule, neighbour) -> None:
    """The factor of the headline is that of the library's laws on both databases, and at most e^epsilon."""
    view = shown(rule=rule, neighbour=neighbour, mechanism="exponential", epsilon=0.4)
    place, step = NEIGHBOURS[neighbour]

    def law(rows):
        both = scores(rows)
        combined = (
            dps.multiobjective.pareto(both)
            if rule == "pareto"
            else dps.multiobjective.aggregate(both, [5, 1], max_changed="one", range_bound=1)
        )
        return dps.mechanism("exponential").pmf(combined, 0.4)

    here = law(RULES)
    rows = [(name, [*cells]) for name, cells in RULES]
    rows[int(here.argmax())][1][place] += step
    factor = math.exp(np.abs(np.log(law(rows)) - np.log(here)).max())
    said = re.search(r"factor of ([\d.e+]+) at most here", view.headline)

    assert said is not None
    assert float(said[1]) == pytest.approx(factor, rel=0.006)
    assert factor <= math.exp(0.4) * (1 + 1e-9)


def test_weights_decide_and_the_front_does_not_ask_for_them() -> None:
    """Another weight names another candidate by weights, and changes nothing by Pareto."""
    one, other = (shown(weight_1=weight).parts[2] for weight in (1, 10))

    assert column(one, 4) == column(other, 4)
    assert column(one, 5) != column(other, 5)


@pytest.mark.parametrize(
    "changed",
    [{"weight-1": "0", "weight-2": "0", "rule": "weights"}, {"candidate": ["a"], "candidate-1": ["1"]}],
)
def test_a_wrong_question_is_a_sentence(user, changed) -> None:
    """Weights that are all zero, or names without their numbers, are refused without a trace of the program."""
    answer = user.get("/objectives", params=changed)

    assert 400 == answer.status_code
    assert 'role="alert"' in answer.text
    assert "Traceback" not in answer.text


def test_numbers_out_of_bounds_are_named(user) -> None:
    """The sentence says which number of which candidate is wrong, and the others stand."""
    rows = {"candidate": ["a", "b"], "candidate-1": ["1", "x"], "candidate-2": ["3", "4"]}

    assert "first of b is a whole number" in user.get("/objectives", params=rows).text


def test_hostile_names_are_text(user) -> None:
    """In the page, the pictures, the table and the notebook's Python."""
    hostile = "<img src=x onerror=alert(1)>\"'# %% \\n{{7*7}}"
    rows = {"candidate": [hostile, "b"], "candidate-1": ["3", "2"], "candidate-2": ["3", "4"], "name-1": hostile}
    answer = user.get("/objectives", params=rows)
    content = user.get("/objectives/notebook.ipynb", params=rows).json()
    names: dict[str, object] = {}
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), "notebook", "exec"), names)

    assert 200 == answer.status_code
    assert "<img" not in answer.text
    assert 2 == sum(cell["cell_type"] == "code" for cell in content["cells"])


@pytest.mark.parametrize("rule", ["pareto", "weights"])
@pytest.mark.parametrize("mechanism", ["default", *MECHANISMS])
def test_the_command_runs(rule, mechanism, tmp_path, monkeypatch, capsys) -> None:
    """The command for a private graph is accepted with --dry-run, and spends nothing."""
    monkeypatch.chdir(tmp_path)
    parquet.write_table(pa.table({"source": [0, 0, 1, 2], "target": [1, 2, 2, 3]}), "edges.parquet")
    made = "budget create graph.ledger --epsilon 5 --dataset graph --neighbours edge"
    assert 0 == main(shlex.split(made))
    words = shlex.split(shown(rule=rule, mechanism=mechanism).commands.shell)
    code = main([*words[1:], "--dry-run"])

    assert (0, "dpselect") == (code, words[0]), capsys.readouterr().err


@pytest.mark.parametrize("rule", ["pareto", "weights"])
def test_the_python_runs(rule, tmp_path, monkeypatch) -> None:
    """The statements for private counts spend what they say, once."""
    monkeypatch.chdir(tmp_path)
    ledger = dps.Ledger.open("people.ledger", epsilon=1, dataset="people")
    exec(compile(shown(rule=rule).commands.python, "private", "exec"), {})

    assert 0.2 == pytest.approx(float(ledger.totals.epsilon))
