"""The page that compares mechanisms: its figures are those of the library, in the user's unit."""

from __future__ import annotations

import shlex
from contextlib import chdir

import numpy as np
import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.mechanisms.registry import MECHANISMS
from dpselect.web.explorer.material import EXAMPLES, Material
from dpselect.web.explorer.pages.mechanisms import PAGE
from dpselect.web.explorer.text_column import TextColumn

AGES = EXAMPLES.numbers_of("age")


def viewed(material=EXAMPLES, **changed):
    """The view of the first state with some values changed."""
    state = {field.name: field.read({}) for field in PAGE.fields(material)}
    return PAGE.view(state | changed, material)


def points(chart) -> list[dict]:
    """What its lines go through: data of the chart, or of its first layer where another layer has its own."""
    content = chart.to_dict()
    return content.get("data", content["layer"][0].get("data"))["values"]


def drawn(view, part: int) -> dict[str, dict[float, float]]:
    """The figures of a chart by mechanism and epsilon."""
    found: dict[str, dict[float, float]] = {}
    for point in points(view.parts[part].draw(640)):
        found.setdefault(point["mechanism"], {})[point["epsilon"]] = point["figure"]
    return found


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_figures_of_a_median_are_in_its_unit(mechanism) -> None:
    """Error and chance of every point are sums over the law, and so are those of the table."""
    view = viewed(column="age", mechanism=(mechanism,), unit="years", epsilon=0.2, low=0.01, high=1)
    scores = dps.utilities.median(AGES, lower=18, upper=85)
    best = scores.values == scores.values.max()
    away = np.abs(scores.candidates[:, None] - scores.candidates[best]).min(axis=1)
    error, chance = drawn(view, 0)[mechanism], drawn(view, 1)[mechanism]

    assert 7 == len(error) == len(chance)
    assert (0.01, 1) == (min(error), max(error))
    for epsilon, figure in error.items():
        law = dps.mechanism(mechanism).pmf(scores, epsilon)
        assert np.isclose(law @ away, figure, rtol=1e-9)
        assert np.isclose(law[best].sum(), chance[epsilon], rtol=1e-9)
    law = dps.mechanism(mechanism).pmf(scores, 0.2)
    assert [[mechanism, f"{law @ away:.3g}", f"{law[best].sum():.3f}"]] == view.parts[2].rows
    assert f": {law @ away:.3g} years on average" in view.headline


def test_the_headline_names_the_smallest_error() -> None:
    """Of those that are chosen."""
    assert viewed().headline.startswith("At epsilon 0.5 permute-and-flip has the smallest error")
    assert "exponential has the smallest error" in viewed(mechanism=("exponential", "generalised-exponential")).headline


@pytest.mark.parametrize(
    ("cells", "ends"),
    [
        (["5"], "--lower 5 --upper 6 --step 1"),
        (["0.25", "0.75"], "--lower 0.25 --upper 0.75 --step 0.005"),
        (["-70000", "30000"], "--lower -70000 --upper 30000 --step 1000"),
        (["0", "1"], "--lower 0 --upper 1 --step 1"),
    ],
)
def test_a_grid_is_what_people_would_write(cells, ends) -> None:
    """About a hundred values at most, around all numbers of the column."""
    assert ends in viewed(Material(columns={"x": TextColumn.of(cells)}, given="table")).commands.shell


def test_what_cannot_be_shown_is_a_sentence(user) -> None:
    """No mechanism, one that does not exist, ends the wrong way round, numbers beyond all bounds."""
    for query, words in (
        ({"mechanism": ""}, "one or more of"),
        ({"mechanism": "gauss"}, "one or more of"),
        ({"low": "5", "high": "1"}, "a smaller epsilon up to a larger one"),
        ({"column": "job"}, "is one of"),
    ):
        answer = user.get("/mechanisms/view", params=query)
        assert 400 == answer.status_code
        assert words in answer.text
    with pytest.raises(ValueError, match="beyond 10"):
        viewed(Material(columns={"x": TextColumn.of(["1e300", "0"])}, given="table"))


def test_several_stand_in_the_address(user) -> None:
    """In the order of the list, whatever the order in the address."""
    answer = user.get("/mechanisms/view?mechanism=&mechanism=exponential&mechanism=permute-and-flip")

    assert "mechanism=permute-and-flip&amp;mechanism=exponential&amp;" in answer.text


@pytest.mark.parametrize("column", ["", "age", "income"])
def test_commands_exist(column, tmp_path) -> None:
    """The shell says what it would cost, the Python spends it, on made-up data of those names."""
    view = viewed(column=column)
    rows = "\n".join(f"tea,{age},{1000 * age}" for age in range(20, 80))
    (tmp_path / "people.csv").write_text(f"choice,age,income\n{rows}\n", encoding="utf-8")
    (tmp_path / "choices.txt").write_text("tea\nmilk\n", encoding="utf-8")
    with chdir(tmp_path):
        ledger = dps.Ledger.open("people.ledger", epsilon=1, dataset="people")
        assert 0 == main([*shlex.split(view.commands.shell)[1:], "--dry-run"])
        exec(view.commands.python, {})

    assert 0.5 == ledger.remaining.epsilon


@pytest.mark.parametrize("column", ["", "age"])
def test_the_example_draws_the_same(column) -> None:
    """A notebook of this view has its figures."""
    view, names = viewed(column=column), {}
    exec(view.example, names)

    for part, chart in enumerate((dps.plot.error_chart, dps.plot.chance_chart)):
        mine, theirs = points(view.parts[part].draw(640)), points(chart(names["rows"]))
        assert np.allclose([each["figure"] for each in mine], [each["figure"] for each in theirs], rtol=1e-9)
        assert [each["mechanism"] for each in mine] == [each["mechanism"] for each in theirs]
