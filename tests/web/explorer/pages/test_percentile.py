"""The page about percentiles: its figures are those of the library, whatever the column."""

from __future__ import annotations

import csv
import math
import re
import shlex
from contextvars import Context
from html import unescape

import numpy as np
import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.mechanisms.registry import MECHANISMS
from dpselect.web.explorer.material import EXAMPLES, Material
from dpselect.web.explorer.pages.percentile import PAGE
from dpselect.web.explorer.text_column import TextColumn

INCOMES = np.array([float(cell) for cell in EXAMPLES.columns["income"]])
GRID = {"lower": "0", "upper": "120000", "step": "1000"}


def viewed(material=EXAMPLES, **changed):
    """The view of the first state with some values changed."""
    state = {field.name: field.read({}) for field in PAGE.fields(material)}
    return PAGE.view(state | changed, material)


def facts(view, title: str) -> dict[str, list[str]]:
    """The rows of a table by their first cells."""
    (table,) = [part for part in view.parts if part.kind == "table" and part.title.startswith(title)]
    return {row[0]: row[1:] for row in table.rows}


def ranked(p=50, more=()) -> dps.Scores:
    """The scores of the incomes on the grid above."""
    return dps.utilities.percentile([*INCOMES, *more], p, lower=0, upper=120_000, step=1000)


@pytest.mark.parametrize(
    ("mechanism", "epsilon", "p", "neighbour"),
    [
        *((mechanism, 0.1, 90, "high") for mechanism in MECHANISMS),
        *(("permute-and-flip", epsilon, p, "low") for epsilon, p in ((0.001, 50), (2, 99.9))),
        ("smooth-noisy-max", 2, 50, "low"),
    ],
)
def test_the_bars_are_the_law(mechanism, epsilon, p, neighbour) -> None:
    """Three values a bar; the neighbour is the same table with one row more."""
    view = viewed(mechanism=mechanism, epsilon=epsilon, p=p, neighbour=neighbour, shown="all", **GRID)
    bars = view.parts[0].draw(640).to_dict()["layer"][0]["data"]["values"]
    for which, scores in (("chance", ranked(p)), ("neighbour", ranked(p, [0 if neighbour == "low" else 10**6]))):
        law = dps.mechanism(mechanism).pmf(scores, epsilon)
        sums = np.add.reduceat(law, np.arange(0, 121, 3))
        assert np.allclose(sums, [bar[which] for bar in bars], rtol=1e-9)


@pytest.mark.parametrize("epsilon", [0.01, 0.05, 1])
def test_errors_are_those_of_the_law_and_of_the_worst_case(epsilon) -> None:
    """The least distance that 95 of 100 draws keep, the means, and what dpselect states."""
    scores = ranked()
    law, values = dps.mechanism("permute-and-flip").pmf(scores, epsilon), np.arange(0, 121_000, 1000)
    true = values[int(scores.values.argmax())]
    off = np.abs(values - true)
    within = min(distance for distance in off if law[off <= distance].sum() >= 0.95)
    view = viewed(epsilon=epsilon, **GRID)
    table = facts(view, "How far")
    worst = dps.error_bound(epsilon=epsilon, candidates=121, kind="integer").at(0.95)

    # The grid value nearest to half of the people: no more than a step from the median itself.
    assert abs(true - np.median(INCOMES)) <= 1000
    assert f"at most {within:,} away from {true:,}" in view.headline
    assert [f"at most {within:,}"] == table["here, in 95 of 100 draws"]
    assert float(law @ off) == pytest.approx(float(table["here, on average"][0].replace(",", "")), rel=0.006)
    lost = dps.accuracy.expected_error(scores, epsilon=epsilon, mechanism="permute-and-flip")
    assert lost == pytest.approx(float(table["here, in persons, on average"][0]), rel=0.006)
    assert f"less than {worst} persons" in table["in general, in persons"][0]


def test_the_largest_ratio_is_over_all_values() -> None:
    """And stays below e^epsilon."""
    laws = [dps.mechanism("exponential").log_pmf(ranked(90, more), 0.3) for more in ([], [0])]
    most = math.exp(np.abs(laws[0] - laws[1]).max())

    assert (
        f"factor of {most:.4g} at most here; epsilon allows 1.35"
        in viewed(mechanism="exponential", epsilon=0.3, p=90, **GRID).headline
    )
    assert 1 < most <= math.exp(0.3)


@pytest.mark.parametrize("mechanism", ["permute-and-flip", "exponential"])
def test_the_epsilon_that_is_enough_is_enough(mechanism) -> None:
    """By the law, and one in a thousand less is not; the other figure is that of dpselect plan."""
    table = facts(viewed(error="2000", mechanism=mechanism, **GRID), "Right with 95 %")
    enough = float(table["the answer is at most 2,000 away, on this table"][0])
    true = int(ranked().values.argmax())

    def near(epsilon: float) -> float:
        return float(dps.mechanism(mechanism).pmf(ranked(), epsilon)[true - 2 : true + 3].sum())

    planned = dps.epsilon_for(error=10, candidates=121, mechanism=mechanism, kind="integer")
    assert near(enough * 0.999) < 0.95 <= near(enough * 1.00001)
    assert [f"{planned:.6g}"] == table["it is fewer than 10 persons away, whatever the data"]


def test_all_mechanisms_are_compared() -> None:
    """Those of which a worst case is not known say so."""
    assert {*facts(viewed(**GRID), "All mechanisms")} == {*MECHANISMS}
    general = facts(viewed(mechanism="smooth-noisy-max"), "How far")["in general, in persons"]
    assert ["not known of this mechanism"] == general


@pytest.mark.parametrize(
    ("cells", "grid"),
    [
        (["1", "2", "3"], "lower=0, upper=3, step=1"),
        (["5"], "lower=5, upper=6, step=1"),
        (["-0.5", "0.25", ""] * 20 + ["0.1", "x"], "lower=-0.5, upper=0.25, step=0.01"),
        (["1e9", "1000000001"], "lower=1000000000, upper=1000000001, step=1"),
        (["nan", "inf", "-7"] + ["-7"] * 40, "lower=-7, upper=-6, step=1"),
    ],
)
def test_empty_bounds_are_round_numbers_around_the_values(cells, grid) -> None:
    """The law sums to one over them, whatever cells are missing, endless or no number."""
    columns = {"n": TextColumn.of(cells)}
    material = Material(columns=columns, given="table", table_python=f"table = {{'n': {cells!r}}}")
    view = viewed(material, shown="all")
    bars = view.parts[0].draw(640).to_dict()["layer"][0]["data"]["values"]

    assert np.isclose(1, sum(bar["chance"] for bar in bars))
    assert grid in view.commands.python
    exec(view.example, {})


def test_a_table_without_numbers_leaves_the_made_up_people() -> None:
    """And the field says whose column it is."""
    columns = {"word": TextColumn.of(["a", "b"])}
    material = Material(columns=columns, given="table")

    assert "of income" in viewed(material).headline
    assert "1,000 made-up people" in PAGE.fields(material)[1].help


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("lower=x", "Lower is a number"),
        ("upper=nan", "Upper is a number"),
        ("upper=1e400", "Upper is a number"),
        ("step=0", "write a number above 0"),
        ("lower=5&upper=5", "Lower is below Upper"),
        ("lower=0&upper=9&step=10", "The grid has one value"),
        ("step=0.001", "write a larger step"),
        ("error=-1", "at least 0"),
        ("error=x", "Small enough error is a number"),
        ("column=job", "Column is one of"),
    ],
)
def test_what_cannot_be_shown_is_a_sentence(user, query, words) -> None:
    """And the page stands."""
    answer = user.get(f"/percentile?{query}")

    assert 400 == answer.status_code
    assert words in unescape(re.sub(r"\s+", " ", answer.text))


@pytest.mark.parametrize("epsilon", [0.05, 20])
@pytest.mark.parametrize("column", ["income", "--p", "it's <b>\"{{7}}"])
@pytest.mark.parametrize("changed", [{}, {"p": 99.9, "lower": "-5.5", "upper": "1e5", "step": "0.5e3"}])
def test_the_commands_exist(column, changed, epsilon, tmp_path, monkeypatch, capsys) -> None:
    """The shell says what it would cost on a file of that name, and the Python spends it."""
    monkeypatch.chdir(tmp_path)
    material = Material(columns={column: EXAMPLES.columns["income"]}, given="table")
    view = viewed(material, epsilon=epsilon, **changed)
    with (tmp_path / "people.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([[column], ["30"], [""], ["70000"]])
    dps.Ledger.open(tmp_path / "people.ledger", dataset="people", epsilon=100)

    verb, *words = shlex.split(view.commands.shell)[1:]
    assert 0 == main([verb, "--dry-run", *words]), capsys.readouterr().err
    if epsilon < 10:
        Context().run(exec, view.commands.python, {"dps": dps})
        assert epsilon == pytest.approx(100 - float(dps.Ledger.read("people.ledger").remaining.epsilon))


@pytest.mark.parametrize("changed", [{}, {"neighbour": "high", "shown": "all", "p": 10}, {"column": "age"}])
def test_the_notebook_draws_the_same_bars(changed) -> None:
    """From the data by public functions of the library."""
    view = viewed(**changed)
    *statements, last = view.example.splitlines()
    names: dict[str, object] = {}
    exec("\n".join([*statements, f"chart = {last}"]), names)
    ours, theirs = (each.to_dict()["layer"] for each in (view.parts[0].draw(640), names["chart"]))

    for one, other in zip(ours[0]["data"]["values"], theirs[0]["data"]["values"], strict=True):
        assert one == pytest.approx(other, rel=1e-9)


def test_a_column_beyond_all_bounds_is_a_sentence() -> None:
    """Not an overflow: bounds that are written make it a question again."""
    columns = {"v": TextColumn.of(["-1e308", "1e308", "3"])}
    material = Material(columns=columns, given="table")
    with pytest.raises(ValueError, match="reaches beyond 10"):
        viewed(material)

    assert "median of v" in viewed(material, lower="0", upper="10").headline
