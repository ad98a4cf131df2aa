"""--json prints one object with the promise, --dry-run what a release would cost: for every verb."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import dpselect as dps
from dpselect.cli import command_registry, main
from dpselect.kernel import bernoulli_exp
from dpselect.queries import LocalDataset, PrivateRows, Query, QueryData, argument, field_kinds
from dpselect.release.select import Release
from tests.cli import inputs
from tests.cli.inputs import CHOOSE_TREE, COMMANDS, PERCENTILE, TOP_K, TRAIN

RELEASES = [
    line
    for line in COMMANDS
    if line[0] in ("top-k", "percentile", "median", "quantiles", "select", "snp", "above", "train", "choose")
]
LEDGER = ["--ledger", "people.ledger"]
pytestmark = pytest.mark.usefixtures("folder")


def printed(line: list[str], capsys: pytest.CaptureFixture[str]) -> dict:
    """Return the one object that a command prints."""
    capsys.readouterr()
    assert 0 == main([*line, "--json"])
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("line", COMMANDS, ids=" ".join)
def test_every_answer_is_one_object(line: list[str], capsys) -> None:
    """It says which command answered, and a release says what it promised, exactly."""
    answer = printed(line, capsys)

    assert " ".join(line).startswith(answer["command"])
    if line in RELEASES:
        assert ("1", 1.0, "0", 0.0) == tuple(answer["guarantee"].values())[:4]
        assert answer["guarantee"]["neighbours"] in {each.value for each in dps.mechanisms.Neighbours}
        assert answer["mechanism"]
        assert {"candidates", "answers", "model", "counts"} & {*answer}


@pytest.mark.parametrize("line", RELEASES, ids=" ".join)
def test_a_dry_run_spends_draws_and_writes_nothing(line: list[str], monkeypatch, capsys) -> None:
    """No file changes, no row is read or no coin is thrown, and the plan says what the release will promise."""
    related = {"top-k": "edge", "snp": "family", "most-common": "person"}.get(line[0], "add-remove")
    terms = ["--epsilon", "3", "--dataset", "x", "--neighbours", related]
    assert 0 == main(["budget", "create", "book", *terms])
    before = inputs.state(Path())
    with monkeypatch.context() as patch:
        if line[0] in ("top-k", "quantiles", "median", "train"):
            # A plan of a query is a release of synthetic rows.
            for name in ("table", "column", "engine", "graph"):
                patch.setattr(PrivateRows, name, lambda *_: pytest.fail("a row was read"))
        else:
            # Other libraries may ask the system for names of their own: only our coins must not.
            patch.setattr(bernoulli_exp, "os", SimpleNamespace(urandom=lambda _: pytest.fail("a coin was thrown")))
        plan = printed([*line, "--ledger", "book", "--dry-run"], capsys)
        assert 0 == main([*line, "--ledger", "book", "--dry-run"])
    told = capsys.readouterr().out
    assert before == inputs.state(Path())

    assert plan["dry_run"] is True
    assert {"path": "book", "left": {"epsilon": "3"}, "left_after": {"epsilon": "2"}} == {
        name: plan["ledger"][name] for name in ("path", "left", "left_after")
    }
    for words in ("nothing was spent", "epsilon = 1 per ", plan["mechanism"], "epsilon 3 left, epsilon 2 afterwards"):
        assert words in told
    answer = printed([*line, "--ledger", "book"], capsys)
    assert (answer["guarantee"]["neighbours"], answer["guarantee"]["epsilon"]) == (related, "1")
    assert plan["guarantee"] == answer["guarantee"]
    (event,) = dps.Ledger.read("book").events
    assert plan["ledger"]["record"] == dict(event.metadata)
    assert (plan["mechanism"], plan["draws"]) == (event.mechanism, event.count)


@pytest.mark.parametrize(
    "line, said",
    [
        (["quantiles", *PERCENTILE, "--epsilon", "200", *LEDGER], "left epsilon 100"),
        (["top-k", *TOP_K, "--epsilon", "1", *LEDGER], "make another for those"),
        (["quantiles", *PERCENTILE, "--epsilon", "1", "--mechanism", "expo"], "did you mean exponential"),
        (["quantiles", *PERCENTILE, "--epsilon", "1", "--ledger", "none"], "ledger none does not exist"),
        (["quantiles", "none.csv", *PERCENTILE[1:], "--epsilon", "1"], "The file none.csv does not exist"),
        (["top-k", *TOP_K, "--k", "9", "--epsilon", "1"], "--k: This has 4 nodes"),
        (["top-k", *TOP_K, "--k", "0", "--epsilon", "1"], "--k: a whole number from 1"),
        ([*TRAIN, "--out", "model.json"], "exists already"),
        ([*TRAIN, "--out", "x.json", "--max-depth", "0"], "--max-depth: a whole number"),
        ([*CHOOSE_TREE, "--out", "x.json"], "of the kind 'histogram'"),
        (["budget", "spend", "people.ledger", "--epsilon", "60", "--count", "2"], "left epsilon 100"),
    ],
)
def test_a_dry_run_refuses_what_the_release_would_refuse(line: list[str], said: str, capsys) -> None:
    """With the same sentence and status 2."""
    before = inputs.state(Path())
    told = []
    for more in (["--dry-run"], []):
        assert 2 == main([*line, *more])
        told.append(capsys.readouterr().err)

    assert said in told[0]
    assert told[0] == told[1]
    assert before == inputs.state(Path())


def test_recording_by_hand_can_be_planned(capsys) -> None:
    """The sum of several releases, and nothing is recorded."""
    plan = printed(["budget", "spend", "people.ledger", "--epsilon", "1/3", "--count", "2", "--dry-run"], capsys)

    assert ("2/3", 2) == (plan["guarantee"]["epsilon"], plan["draws"])
    assert str(Fraction(298, 3)) == plan["ledger"]["left_after"]["epsilon"]
    assert 0 == dps.Ledger.read("people.ledger").totals.spends


def test_the_error_of_a_plan_follows_from_public_facts(capsys) -> None:
    """The same for other rows, and never below the exact error."""
    line = ["quantiles", *PERCENTILE, "--epsilon", "1/10", "--dry-run"]
    bound = printed(line, capsys)["error_bound"]
    Path("people.csv").write_text("age,job,rich\n" + "7,nurse,no\n" * 1000)
    assert bound == printed(line, capsys)["error_bound"]

    for ages in ([7] * 1000, list(range(100)), [0, 100] * 50):
        scores = dps.utilities.percentile(dps.data.Column(ages), 50, grid=list(range(101)))
        assert dps.accuracy.expected_error(scores, epsilon=0.1, mechanism=dps.mechanism("permute-and-flip")) <= bound
    assert bound < 1000


def test_a_plan_without_a_public_bound_says_so(capsys) -> None:
    """A mechanism with noise of another kind, and a sensitivity that depends on the data."""
    for line in (
        ["quantiles", *PERCENTILE, "--epsilon", "1", "--mechanism", "noisy-max-laplace", "--dry-run"],
        ["snp", "study.csv", "--families", "100", "--epsilon", "1", "--dry-run"],
        [*TRAIN, "--out", "new.json", "--model", "id3", "--dry-run"],
    ):
        assert printed(line, capsys)["error_bound"] is None
        assert 0 == main(line)
        assert "accuracy   no bound on the error: " in capsys.readouterr().out


def test_an_answer_of_any_type_is_printed(monkeypatch, capsys) -> None:
    """What JSON has no type for is printed as text: it was paid for."""
    promise = dps.Guarantee(1, dps.mechanisms.Neighbours.ADD_REMOVE)
    monkeypatch.setattr(LocalDataset, "ask", lambda *_: Release((Fraction(1, 3),), "x", promise))

    assert ["1/3"] == printed(["quantiles", *PERCENTILE, "--epsilon", "1"], capsys)["candidates"]


def test_releases_and_plans_say_how_wrong_they_may_be(capsys) -> None:
    """In words and for programs, the same before and after the spend; in the unit where it is known."""
    line = ["quantiles", *PERCENTILE, "--epsilon", "1/10"]
    facts = {"probability": 0.95, "error_below": 138, "unit": "records", "candidates": 101}
    for more in (["--dry-run"], []):
        assert facts == printed([*line, *more], capsys)["accuracy"]
        assert 0 == main([*line, *more])
        assert "less than 138 records behind the best with probability 0.95, whatever the data" in (
            capsys.readouterr().out
        )


def test_where_no_worst_case_is_known_nothing_is_said(capsys) -> None:
    """Neither by a release nor by its plan."""
    line = ["quantiles", *PERCENTILE, "--epsilon", "1", "--mechanism", "noisy-max-laplace"]
    for more in (["--dry-run"], []):
        assert printed([*line, *more], capsys)["accuracy"] is None
        assert 0 == main([*line, *more])
        assert "behind the best" not in capsys.readouterr().out


def test_a_p_value_of_one_is_not_printed(monkeypatch, capsys) -> None:
    """It says nothing: a sentence stands in its place, and a smaller one is printed."""
    promise = dps.Guarantee(1, dps.mechanisms.Neighbours.EDGE)
    for p, words in ((1.0, "no p-value: the last name has no lead over the others in this draw"), (0.5, "p = 0.5")):
        release = Release((1, 2), "x", promise, (0, 0), p)
        monkeypatch.setattr(LocalDataset, "ask", lambda *_, answer=release: answer)
        assert 0 == main(["top-k", *TOP_K, "--k", "2", "--epsilon", "1"])
        assert words in capsys.readouterr().out


def test_where_the_data_came_from_is_recorded_once(capsys) -> None:
    """The description names the file."""
    words = ["most-common", *inputs.EVENTS, "--epsilon", "1", "--ledger", "persons.ledger"]
    ledger = dps.Ledger.open("persons.ledger", epsilon=9, neighbours="person")
    assert 0 == main([*words, "--dry-run"])
    assert 1 == capsys.readouterr().out.count("source = events.csv")
    assert 0 == main(words)
    (event,) = ledger.events
    assert "events.csv" == event.metadata["source"]
    assert "file" not in event.metadata


class _Rarest(Query[str]):
    """The value that the fewest rows have."""

    name = "rarest"

    column: str = argument(field_kinds.CATEGORICAL_COLUMN, "a column with a list of values", kw_only=False)

    def candidates(self, dataset: dps.Dataset) -> int:
        return len(dataset.groups(self.column))

    def release(self, data: QueryData, accountant: Any) -> dps.Release[Any]:
        names, cells = data.dataset.groups(self.column), [*map(str, data.table([self.column])[self.column])]
        scores = [-cells.count(str(name)) for name in names]
        return dps.select(dps.Scores(scores, 1, names, range_bound=1), epsilon=self.epsilon, ledger=accountant)

    def words(self) -> str:
        return f"Which {self.column} is rarest?"


@pytest.mark.parametrize("values", ['["north", "south"]', "[0, 1, 2]"])
def test_a_query_of_ones_own_names_one_winner_on_one_line(values: str, capsys, monkeypatch) -> None:
    """The value of its release may be a text, or 0, and no list of names."""
    monkeypatch.setattr(command_registry, "queries", lambda: {"rarest": _Rarest})
    is_text = "north" in values
    Path("who.csv").write_text("place\n" + ("south\n" if is_text else "1\n2\n") * 500, encoding="utf-8")
    Path("who.toml").write_text(f'source = "who.csv"\n[columns]\nplace = {values}\n', encoding="utf-8")

    assert 0 == main(["rarest", "who.toml", "place", "--epsilon", "9"])
    said = capsys.readouterr().out.splitlines()
    assert ("  1  north" if is_text else "  1  0") == said[0]
    assert said[1].startswith("in order of selection; epsilon = 9")
