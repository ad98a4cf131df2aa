"""The page about the most common items: its figures are those of the library, whatever the table."""

from __future__ import annotations

import csv
import re
import shlex
from collections import Counter
from contextvars import Context
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.web.explorer.material import EXAMPLES, Material
from dpselect.web.explorer.pages import most_common
from dpselect.web.explorer.pages.most_common import PAGE
from dpselect.web.explorer.text_column import TextColumn
from tests.chance import accept

HOSTILE = ["--x", "a,b", "<img src=x>", "'; rm *", '"q"', " spaced ", "7"]


def viewed(material=EXAMPLES, **changed):
    """The view of the first state with some values changed."""
    state = {field.name: field.read({}) for field in PAGE.fields(material)}
    return PAGE.view(state | changed, material)


def bars(view) -> dict[str, tuple[float, float]]:
    """Chance and neighbour's chance of each item."""
    return {
        bar["candidate"]: (bar["chance"], bar["neighbour"])
        for bar in view.parts[0].draw(640).to_dict()["data"]["values"]
    }


def facts(view, title: str) -> dict[str, list[str]]:
    """The rows of a table by their first cells."""
    (table,) = [part for part in view.parts if part.kind == "table" and part.title.startswith(title)]
    return {row[0]: row[1:] for row in table.rows}


def persons(rows=EXAMPLES.visits) -> Counter[str]:
    """How many different visitors each place has, counted by hand."""
    return Counter(place for _, place in {*zip(rows["visitor"], rows["place"], strict=True)})


@pytest.mark.parametrize("epsilon", [0.001, 0.2, 3])
@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("neighbour", ["rest", "first", "all"])
def test_the_bars_are_the_law_of_the_first_place(epsilon, k, neighbour) -> None:
    """Of different persons, with one person more beside it, at the share of epsilon that one place has."""
    counted = persons()
    best = max(counted, key=counted.get)
    added = {name: {"rest": name != best, "first": name == best, "all": True}[neighbour] for name in counted}
    more = {name: count + added[name] for name, count in counted.items()}
    laws = [
        dps.mechanism("permute-and-flip").pmf(dps.Scores(each, 1, range_bound=1, kind="integer"), epsilon / k)
        for each in (counted, more)
    ]
    shown = bars(viewed(epsilon=epsilon, k=k, neighbour=neighbour))

    assert np.allclose(np.transpose(laws), [shown[name] for name in counted], rtol=1e-9)


@pytest.mark.chance(2.1e-6)
def test_the_first_place_of_a_list_is_that_of_its_draws() -> None:
    """A list of three begins with each item as often as the page says, and not as it says of 0.7 or 1.3 epsilon."""
    law, *wrong = (
        {name: bar[0] for name, bar in bars(viewed(epsilon=each, k=3)).items()} for each in (0.6, 0.42, 0.78)
    )
    rows = {name: [*cells] for name, cells in EXAMPLES.visits.items()}
    scores = dps.utilities.popularity(rows, person="visitor", item="place", domain=[*persons()])
    verdict = dps.audit.sampler(
        lambda: dps.top_k(scores, 3, epsilon=0.6, mechanism="permute-and-flip").value[0],
        law,
        against=dict(zip(("0.7", "1.3"), wrong, strict=True)),
    )
    accept(verdict)


def test_one_person_with_many_rows_changes_no_more_than_epsilon_allows() -> None:
    """Nearly all of it in the worst case, with four digits, and nothing where all counts rise together."""
    assert "factor of 1.216 at most here; epsilon allows 1.221" in viewed().headline
    assert "factor of 1 at most" in viewed(neighbour="all").headline
    assert "its share of epsilon allows" in viewed(k=2).headline


def test_rows_may_be_persons() -> None:
    """Then rows are counted, repeats too, and a neighbour has one row more, of the second item."""
    counted = Counter(EXAMPLES.visits["place"])
    (best, _), (second, _) = counted.most_common(2)
    view = viewed(person="")
    here, there = bars(view)[second]

    assert f"{best}, which most rows have ({counted[best]:,})" in view.headline
    assert f"One row more, of {second}," in view.headline
    assert there >= here


def test_errors_are_those_of_the_law_and_of_the_worst_case() -> None:
    """The least error that 95 of 100 draws keep, the mean, and what dpselect states."""
    counted = np.array(sorted(persons().values()))
    scores = dps.Scores(counted, 1, range_bound=1, kind="integer")
    law = dps.mechanism("permute-and-flip").pmf(scores, 0.2)
    behind = counted.max() - counted
    most = min(t for t in behind if law[behind <= t].sum() >= 0.95)
    table = facts(viewed(), "How far")

    assert [f"at most {most} persons behind the best"] == table["first name, here, in 95 of 100 draws"]
    assert [
        f"{dps.accuracy.expected_error(scores, epsilon=0.2, mechanism='permute-and-flip'):.3g} persons behind the best"
    ] == table["first name, here, on average"]
    worst = dps.error_bound(epsilon=0.2, candidates=10, range_bound=1, kind="integer").at(0.95)
    assert f"less than {worst} persons behind the best" in table["each name, in general"][0]


@pytest.mark.parametrize("k", [1, 3])
def test_the_epsilon_that_is_enough_is_enough(k) -> None:
    """At it the law names the best first in 95 of 100 draws; the other figure is that of dpselect plan."""
    table = facts(viewed(k=k), "Right with 95 %")
    enough = float(table["park is named first, on this table"][0])
    planned = dps.epsilon_for(error=10, candidates=10, k=k, range_bound=1, kind="integer")
    each = "it" if k == 1 else "each name"

    assert bars(viewed(k=k, epsilon=round(enough * 1.00001 + 1e-6, 6)))["park"][0] >= 0.95
    assert bars(viewed(k=k, epsilon=round(enough * 0.999, 6)))["park"][0] < 0.95
    assert [f"{planned:.6g}"] == table[f"{each} is fewer than 10 persons behind, whatever the data"]


def test_public_items_may_be_written() -> None:
    """Those that nobody has are candidates too, others are left out."""
    shown = bars(viewed(domain="park, moon,zoo,park"))

    assert {"park", "moon", "zoo"} == {*shown}
    assert np.isclose(1, sum(here for here, _ in shown.values()))


def hostile_table() -> Material:
    """A table with names that mean something to shells, pages and Python."""
    columns = {
        "--person": TextColumn.of(f"p{number % 9}" for number in range(70)),
        "it's <b>": TextColumn.of(HOSTILE[number % 7] for number in range(70)),
    }
    return Material(columns=columns, visits=columns, given="table", visits_python=f"visits = {as_lists(columns)!r}")


def as_lists(columns) -> dict[str, list[str]]:
    """Columns as a notebook may have them."""
    return {name: [*cells] for name, cells in columns.items()}


def private(folder: Path, material: Material, person: str) -> None:
    """Write what the commands name."""
    with (folder / "visits.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(material.visits)
        writer.writerows(zip(*material.visits.values(), strict=True))
    names = sorted({*next(reversed(material.visits.values()))})
    (folder / "items.txt").write_text("\n".join(names) + "\n", encoding="utf-8")
    relation = "person" if person else "add-remove"
    dps.Ledger.open(folder / "visits.ledger", dataset="visits", epsilon=100, delta=0.001, neighbours=relation)


@pytest.mark.parametrize("epsilon", [0.2, 20])
@pytest.mark.parametrize(
    "material, changed",
    [
        (EXAMPLES, {}),
        (EXAMPLES, {"person": "", "k": 2}),
        (EXAMPLES, {"domain": "park"}),
        (hostile_table(), {"person": "--person", "item": "it's <b>"}),
    ],
)
def test_the_commands_exist(material, changed, epsilon, tmp_path, monkeypatch, capsys) -> None:
    """They say what they would cost on files of these names, and the Python spends it."""
    monkeypatch.chdir(tmp_path)
    view = viewed(material, epsilon=epsilon, **changed)
    private(tmp_path, material, changed.get("person", "visitor"))
    unlisted = [words for part in view.parts if part.kind == "note" for words in part.words if "dpselect most" in words]
    assert bool(unlisted) == (changed.get("person", "visitor") != "")
    for line in (view.commands.shell, *unlisted):
        assert 0 == main([*shlex.split(line)[1:], "--dry-run"]), capsys.readouterr().err
    if epsilon < 10:
        Context().run(exec, view.commands.python, {"dps": dps})
        spent = 100 - dps.Ledger.read("visits.ledger").remaining.epsilon
        assert epsilon == pytest.approx(float(spent))


@pytest.mark.parametrize("changed", [{}, {"k": 3, "epsilon": 0.7}, {"person": ""}, {"domain": "park,moon"}])
def test_the_notebook_draws_the_same_bars(changed) -> None:
    """From the data by public functions of the library."""
    view = viewed(**changed)
    *statements, last = view.example.splitlines()
    names: dict[str, object] = {}
    exec("\n".join([*statements, f"chart = {last}"]), names)

    assert view.parts[0].draw(640).to_dict()["data"] == names["chart"].to_dict()["data"]


def test_hostile_names_are_text() -> None:
    """In the headline and in the notebook; the item column is found without an option."""
    material = hostile_table()
    view = viewed(material)

    assert "which most rows have (10) (7 items share that place)" in view.headline
    exec(view.example, {})


def test_what_cannot_be_shown_is_a_sentence(user, monkeypatch) -> None:
    """And the page stands."""
    monkeypatch.setattr(most_common, "ITEMS", 9)
    for query, words in (
        ("person=place", "the same column"),
        ("k=11&domain=park,zoo", "There are 2 items"),
        ("", "has 10 different values"),
    ):
        answer = user.get(f"/most-common?{query}")
        assert 400 == answer.status_code
        assert words in unescape(re.sub(r"\s+", " ", answer.text))
    empty = {"a": TextColumn.of(["", ""])}
    with pytest.raises(ValueError, match="is empty"):
        viewed(Material(columns=empty, visits=empty, given="table"))


@pytest.mark.parametrize("changed", [{}, {"neighbour": "first"}, {"person": ""}], ids=["rest", "first", "rows"])
@pytest.mark.parametrize("end", ["\n", "\r", "\u2028", "\x0c"], ids=["LF", "CR", "LS", "FF"])
def test_a_cell_that_ends_a_line_is_no_code(changed, end) -> None:
    """No line of the notebook begins with what a cell of the table has after a new line."""
    item = f"a{end}ran.append(1)#"
    columns = {"who": TextColumn.of("pqrst"), "item": TextColumn.of([item, item, item, item, "b"])}
    made = f"visits = {as_lists(columns)!r}"
    material = Material(columns=columns, visits=columns, given="table", visits_python=made)
    state = {"person": "who", "item": "item"} | changed
    code = viewed(material, **state).example
    ran: list[int] = []
    exec(code, {"ran": ran})

    assert not ran
    assert not [line for line in code.splitlines() if line.startswith("ran")]
