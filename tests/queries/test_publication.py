"""Plans of publications: division of a total, refusals by line, prices, and answers in files."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.cli import main
from dpselect.dataset import DatasetError
from dpselect.queries import Publication, PublicationError
from dpselect.queries.publication.publication import divide_total
from tests.queries.publications import QUERIES, ledger, plan, published, spends, survey

WEIGHTS = st.one_of(st.integers(1, 10**6), st.fractions(Fraction(1, 10**6), 10**6, max_denominator=10**6))


@given(
    total=st.integers(1, 10**9),
    amounts=st.lists(st.integers(1, 10**6), max_size=5),
    weights=st.lists(WEIGHTS, max_size=8),
)
@settings(max_examples=200, deadline=None)
def test_a_division_never_exceeds_its_total(total: int, amounts: list[int], weights: list[Any]) -> None:
    """Amounts stay, parts have six decimals and are less than one unit below their exact share, or all is refused."""
    whole = Fraction(total, 10**6)
    given_amounts = {f"a{place}": Fraction(amount, 10**6) for place, amount in enumerate(amounts)}
    given_weights = {f"w{place}": Fraction(weight) for place, weight in enumerate(weights)}
    rest = whole - sum(given_amounts.values(), Fraction(0))
    exact = {name: rest * weight / sum(given_weights.values()) for name, weight in given_weights.items()}
    if rest < 0 or any(share < Fraction(1, 10**6) for share in exact.values()):
        with pytest.raises(ValueError, match="raise"):
            divide_total(whole, given_amounts, given_weights)
        return
    parts = divide_total(whole, given_amounts, given_weights)

    assert sum(parts.values(), Fraction(0)) <= whole
    assert given_amounts.items() <= parts.items()
    assert all(0 <= exact[name] - parts[name] < Fraction(1, 10**6) for name in exact)
    assert all(10**6 % part.denominator == 0 for part in parts.values())
    assert parts.keys() == {*given_amounts, *given_weights}


def test_a_publication_divides_its_total() -> None:
    """Amounts first, the rest by weight; what rounding leaves is stated."""
    asked = [{"key": key, **each} for key, each in QUERIES.items()]
    made = Publication.of(total={"epsilon": "0.7"}, query=asked)

    assert [Fraction("0.2"), Fraction("0.166666"), Fraction("0.333333")] == [
        each.epsilon for each in made.queries.values()
    ]
    assert (Fraction(1, 10**6), made.total.delta) == (made.unspent, 0)


REFUSED: dict[str, tuple[str, str]] = {
    "an unknown key": ("totl = 1\n" + plan(), "line 1: totl: this key does not exist: did you mean total?"),
    "a description": ('source = "a.csv"\n', "line 1: source: this file is a description of data, which a plan names: "),
    "no dataset": (plan().replace("dataset", "# dataset"), "report.toml: dataset is missing: write dataset = "),
    "no total": (plan().replace("total =", "# total ="), "report.toml: total is missing: write total = "),
    "no query": (plan({}), "report.toml: query is missing: write [[query]]"),
    "another file": (plan().replace("survey.toml", "none.toml"), "line 1: dataset: the file "),
    "a table": (plan({}) + "[query]\nkey = 'a'\n", "line 3: query: this must be a list of queries: write [[query]]"),
    "a number": (plan({}) + "query = 3\n", "line 3: query: this must be a list of queries"),
    "a list of numbers": (plan({}) + "query = [3]\n", "line 3: query: this must be a list of queries"),
    "a total that is none": (plan(total="'x'"), "line 2: total.epsilon: epsilon is a positive number of at most 1000"),
    "an infinite total": (plan(total="inf"), "line 2: total.epsilon: epsilon is a positive number"),
    "a tiny total": (plan(total="1e-999999999"), "line 2: total.epsilon: epsilon is a positive number"),
    "a huge total": (plan(total="9" * 4000), "line 2: total.epsilon: epsilon is a positive number"),
    "an unknown part of the total": (
        plan(total="1, delt = 1"), "line 2: total.delt: this key does not exist: did you mean delta?"
    ),
    "a total that is too small": (plan(total="0.1"), "line 2: total: the amounts of epsilon add up to more than"),
    "nothing left for a weight": (plan(total="0.2"), "line 2: total: less than 0.000001 is left for jobs: raise"),
    "a key twice": (plan().replace('"jobs"', '"Ages"'), "line 11: query.2.key: another query has the key Ages"),
    "a key with a path": (plan().replace('"jobs"', '"../x"'), "line 11: query.2.key: each query has a key of its own"),
    "a formula": (plan().replace('"jobs"', '"=1+1"'), "line 11: query.2.key: each query has a key of its own"),
    "a key that is no text": (plan().replace('"jobs"', "3"), "line 11: query.2.key: each query has a key of its own"),
    "no key": (plan().replace('key = "jobs"', ""), "line 10: query.2: each query has a key of its own"),
    "no such query": (plan().replace('"histogram"', '"histogrm"', 1), "line 6: query.1.query: this query does not "
                      "exist: did you mean histogram?"),
    "a field that nobody knows": (plan().replace("by =", "bye ="), "line 14: query.2.bye: histogram has no such field"),
    "no field": (plan({"a": {"query": "median", "weight": 1}}), "line 4: query.1.column: this is missing: "),
    "a column that nobody describes": (
        plan().replace('column = "age"', 'column = "agee"', 1),
        "line 7: query.1.column: no such column is described: ask about one of age, job.",
    ),
    "a field of another kind": (plan().replace('by = "job"', "by = 3"), "line 14: query.2.by: a column is a name"),
    "neither weight nor epsilon": (plan().replace("weight = 1", ""), "line 10: query.2: a query has a weight or an"),
    "both": (plan().replace("weight = 1", "weight = 1\nepsilon = 1"), "line 10: query.2: a query has a weight or an"),
    "a weight of zero": (plan().replace("weight = 1", "weight = 0"), "line 15: query.2.weight: a weight is positive"),
    "a weight that is none": (plan().replace("weight = 1", "weight = nan"), "query.2.weight: this must be a finite"),
    "a huge weight": (plan().replace("weight = 1", "weight = 1e999999999"), "query.2.weight: this must be a finite"),
    "an epsilon with many digits": (
        plan().replace("epsilon = 0.2", "epsilon = 0.1234567"), "line 8: query.1.epsilon: epsilon is a positive number"
    ),
    "a tiny epsilon": (plan().replace("epsilon = 0.2", "epsilon = 1e-999999999"), "line 8: query.1.epsilon: epsilon"),
    "a whole number of many digits": (
        plan({"a": {"query": "most_common", "column": "job", "k": 10**400, "weight": 1}}), "query.1.k: a whole number"
    ),
    "a bracket that stays open": (plan() + "[[query\n", "line 22: this is not TOML"),
    "brackets in brackets": ("x = " + "[" * 10**5, "this is not TOML"),
    "a question about a graph": (
        plan({"a": {"query": "top_k", "metric": "degree", "weight": 1}}), "line 4: query.1: This dataset is a table"
    ),
    "a title that is none": (plan().replace("dataset", "title = 3\ndataset", 1), "line 1: title: this must be text"),
    "a delta that the total has not": (
        plan({"a": {"query": "train", "target": "job", "features": ["age"], "model": "forest", "delta": "0.000001",
                    "weight": 1}}),
        "line 2: total: the queries cost epsilon 1 and delta 0.000001 in all: raise it.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_used_is_refused_by_line(name: str, tmp_path: Path) -> None:
    """In one sentence; neither a ledger nor a folder of answers is made."""
    text, sentence = REFUSED[name]
    folder = survey(tmp_path / "survey", text)
    with pytest.raises(PublicationError) as refused:
        published(folder)
    said = str(refused.value)

    assert sentence in said, said
    assert said.startswith(str(folder / "report.toml"))
    assert "\n" not in said
    assert len(said) < 500 + len(str(folder))
    assert {"survey.csv", "survey.toml", "report.toml"} == {each.name for each in folder.iterdir()}


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    """The advice is about plans, not about descriptions."""
    with pytest.raises(FileNotFoundError, match="The file .*none.toml does not exist: write a plan of queries"):
        Publication.load(tmp_path / "none.toml")
    (tmp_path / "report.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(PublicationError, match="not text in UTF-8"):
        Publication.load(tmp_path / "report.toml")


def test_a_description_that_cannot_be_used_has_lines_of_its_own(tmp_path: Path) -> None:
    """They are not those of the plan."""
    folder = survey(tmp_path / "survey")
    (folder / "survey.toml").write_text("source = 'survey.csv'\ncolumns = 3\n", encoding="utf-8")
    with pytest.raises(DatasetError, match=r"survey\.toml, line 2: columns"):
        Publication.load(folder / "report.toml")


def refusal(path: Path) -> str:
    """Read a plan; return what refuses it, if anything does."""
    try:
        Publication.load(path)
    except DatasetError as refused:
        return str(refused)
    return ""


@given(st.text(max_size=300) | st.binary(max_size=100).map(lambda raw: raw.decode("latin-1")))
@settings(max_examples=100, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    """Random text, and random text in the place of a value."""
    with tempfile.TemporaryDirectory() as place:
        folder = survey(Path(place) / "survey")
        for content in (text, plan().replace("0.2", text), plan().replace("histogram", text)):
            (folder / "report.toml").write_text(content, encoding="utf-8", errors="replace", newline="")
            said = refusal(folder / "report.toml")
            assert not said or str(folder / "report.toml") in said


def test_a_thousand_queries_are_read_soon_and_more_are_refused(tmp_path: Path) -> None:
    """With their lines."""
    many = {f"q{number}": {"query": "median", "column": "age", "weight": 1} for number in range(1000)}
    folder = survey(tmp_path / "survey", plan(many))
    assert "line 5998: " in Publication.load(folder / "report.toml").places["q999"]

    (folder / "report.toml").write_text(plan({**many, "more": many["q1"]}), encoding="utf-8")
    with pytest.raises(PublicationError, match="more than 1000 queries: write several plans"):
        Publication.load(folder / "report.toml")


def test_a_plan_of_another_dataset_is_refused(tmp_path: Path) -> None:
    """The one that was opened is not the one that it names."""
    folder = survey(tmp_path / "survey")
    other = dps.Dataset.of({"age": [1]}, columns={"age": {"lower": 0, "upper": 9}}, budget={"epsilon": 1})
    with pytest.raises(PublicationError, match="about another dataset: open that one"):
        dps.open(other).publish(folder / "report.toml")


def test_a_dry_run_reads_no_row_and_writes_nothing(tmp_path: Path, monkeypatch, capsys) -> None:
    """Key, epsilon, mechanism, state, error and the sum; afterwards it says what was answered."""
    monkeypatch.chdir(tmp_path)
    folder = survey(tmp_path / "survey", plan(total="0.7"))
    rows = (folder / "survey.csv").read_bytes()
    (folder / "survey.csv").unlink()
    assert 0 == main(["publish", "survey/report.toml", "--dry-run"])
    lines = capsys.readouterr().out.splitlines()

    assert "Dry run: nothing was spent, drawn or written." == lines[0]
    assert ["ages", "0.2", "two-sided", "geometric", "noise", "new", "with", "95", "%"] == lines[1].split()[:9]
    assert "sum: epsilon 0.699999 of 0.7; epsilon 0.000001 stays unspent" == lines[-2]
    assert "ledger: epsilon 100 left, before what is new is paid" == lines[-1]
    assert {"survey.toml", "report.toml"} == {each.name for each in folder.iterdir()}

    dps.Dataset.load(folder / "survey.toml").open_ledger()
    assert 0 == main(["publish", "survey/report.toml", "--dry-run"])
    last = capsys.readouterr().out.splitlines()[-1]
    assert "ledger: epsilon 100 left, before what is new is paid" == last

    (folder / "survey.csv").write_bytes(rows)
    published(folder)
    (folder / "report.toml").write_text(plan({**QUERIES, "new": QUERIES["ages"]}, total="0.9"), encoding="utf-8")
    planned = dps.open(folder / "survey.toml").plan_publication(folder / "report.toml")
    assert {"ages": "answered", "jobs": "answered", "more": "answered", "new": "new"} == planned.states
    assert planned.remaining.epsilon == 100 - Fraction("0.699999")
    assert "answered" in planned._repr_html_()


def test_a_state_that_was_paid_for_is_said(tmp_path: Path) -> None:
    """What is paid for and not answered costs nothing again."""
    folder = survey(tmp_path / "survey")
    (folder / "survey.csv").rename(folder / "away.csv")
    with pytest.raises(OSError):
        published(folder)

    assert {"paid"} == {*dps.open(folder / "survey.toml").plan_publication(folder / "report.toml").states.values()}


def test_the_command_publishes(tmp_path: Path, monkeypatch, capsys) -> None:
    """Answers on standard output and in four files, which a further run leaves as they are."""
    monkeypatch.chdir(tmp_path)
    folder = survey(tmp_path / "survey", plan({
        "oldest": {"query": "quantiles", "column": "age", "p": [25, 75], "weight": 1},
        "jobs": {"query": "histogram", "column": "job", "weight": 1},
        "by-job": {"query": "median", "column": "age", "by": "job", "weight": 1},
        "grid": {"query": "histogram", "column": "age", "bins": [0, 50, 99], "by": "job", "weight": 1},
    }, title="Jobs & ages"))  # fmt: skip
    assert 0 == main(["publish", "survey/report.toml"])
    first = capsys.readouterr().out
    files = {each.name: each.read_bytes() for each in (folder / "report.answers").iterdir()}
    assert 0 == main(["publish", "survey/report.toml"])

    assert first == capsys.readouterr().out
    assert files == {each.name: each.read_bytes() for each in (folder / "report.answers").iterdir()}
    assert {"answers.csv", "answers.json", "report.html", "certificate.json", "state.db"} == files.keys()
    assert re.search(r"^oldest  25 %: \d+$", first, re.MULTILINE)
    assert first.endswith("epsilon 1 of 1 was spent in all\nanswers: survey/report.answers\n")

    rows = [*csv.DictReader(files["answers.csv"].decode().splitlines())]
    assert [("oldest", "", "25 %"), ("oldest", "", "75 %"), ("jobs", "", "nurse")] == [
        (row["key"], row["group"], row["part"]) for row in rows[:3]
    ]
    assert ("by-job", "clerk", "", "0.25") == tuple(rows[7][name] for name in ("key", "group", "part", "epsilon"))
    assert ("grid", "nurse", "[0, 50)") == tuple(rows[8][name] for name in ("key", "group", "part"))
    content = json.loads(files["answers.json"])
    assert ("dpselect answers 1", "Jobs & ages", "1") == (
        content["format"], content["title"], content["guarantee"]["epsilon"]
    )  # fmt: skip
    assert content["answers"]["oldest"]["answer"]["candidates"] == [int(row["value"]) for row in rows[:2]]
    page = files["report.html"].decode()
    assert "<h1>Jobs &amp; ages</h1>" in page
    assert not re.search(r"<(script|link|img)|src=|http", page)

    assert 0 == main(["verify", "survey/report.answers/certificate.json", "--ledger", "survey/survey.ledger"])
    assert "has row 1, 2, 3, 4, with the same hash and cost" in capsys.readouterr().out
    assert 0 == main(["budget", "show", "survey/survey.ledger"])
    assert "publish by-job: median age, by job" in capsys.readouterr().out


def test_a_p_value_is_shown_with_two_digits_rounded_up() -> None:
    """As a command of its own shows it; the figure for programs is whole."""
    rows = {"job": ["nurse"] * 90 + ["smith"]}
    data = dps.open(dps.Dataset.of(rows, columns={"job": ["nurse", "smith"]}, budget={"epsilon": 9}))
    asked = [{"key": "x", "query": "most_common", "column": "job", "weight": 1}]
    answers = data.publish(Publication.of(total={"epsilon": Fraction(1, 10)}, query=asked))
    ((shown, exact),) = [
        (Fraction(value), answers.answers["x"]["answer"]["p-value"])
        for _, name, value in answers.lines
        if name == "p-value"
    ]
    assert exact <= shown <= exact * 1.1
    assert len(f"{float(shown):e}".partition("e")[0].rstrip("0")) <= 3


@pytest.mark.parametrize("asked", [{"query": "median", "column": "age"}, {"query": "most_common", "column": "job"}])
def test_a_row_of_a_plan_says_what_a_release_of_its_own_does(asked) -> None:
    """Column, groups, person, the rows of one that count, and the description; beside them, its plan and its key."""
    rows = {"age": [*range(100)], "job": ["nurse", "smith"] * 50, "who": [*map(str, range(100))]}
    facts = {"person": "who", "rows_per_person": 3, "budget": {"epsilon": 3}}
    columns = {"age": {"lower": 0, "upper": 99}, "job": ["nurse", "smith"]}
    data = dps.open(dps.Dataset.of(rows, columns=columns, **facts))
    by = {"by": "job"} if asked["query"] == "median" else {}
    arguments = {name: value for name, value in asked.items() if name != "query"} | by
    getattr(data, asked["query"])(epsilon=1, **arguments)
    data.publish(Publication.of(total={"epsilon": 1}, query=[{"key": "x", **asked, **by, "weight": 1}]))
    alone, planned = (dict(each.metadata) for each in data.ledger.events)
    assert planned.pop("publication")
    assert planned.pop("command") == f"publish x: {alone.pop('command')}"
    for name in ("column", "person", "description", *by):
        assert planned[name] == alone[name]
    assert planned.get("rows_per_person") == alone.get("rows_per_person")


def test_a_model_is_a_file_of_its_own(tmp_path: Path, monkeypatch) -> None:
    """Which dpselect predict reads, and whose hash is in the certificate."""
    pytest.importorskip("sklearn")
    monkeypatch.chdir(tmp_path)
    asked = {"query": "train", "target": "job", "features": ["age"], "weight": 1}
    folder = survey(tmp_path / "survey", plan({"tree": asked}))
    answers = published(folder)
    model = (folder / "report.answers" / "tree.model.json").read_bytes()
    assert hashlib.sha256(model).hexdigest() == answers.answers["tree"]["answer"]["SHA-256 of its file"]
    assert 0 == main(["predict", "survey/report.answers/tree.model.json", "survey/survey.csv"])


@pytest.mark.parametrize(
    ("break_it", "status", "said"),
    [
        (lambda folder: (folder / "survey.csv").unlink(), 1, "What was spent before this stays spent."),
        (lambda folder: (folder / "report.toml").unlink(), 2, "The file report.toml does not exist: write a plan"),
        (lambda folder: (folder / "report.answers").write_text("x"), 2, "cannot be written: check its name"),
    ],
)
def test_the_command_says_whether_anything_was_paid(
    break_it, status, said, tmp_path: Path, monkeypatch, capsys
) -> None:
    """By its status and in its sentence."""
    folder = survey(tmp_path / "survey")
    monkeypatch.chdir(folder)
    break_it(folder)
    assert status == main(["publish", "report.toml"])
    words = capsys.readouterr().err

    assert said in words
    assert (3 if status == 1 else 0) == spends(folder)


@pytest.mark.parametrize("rule", ["sum", "rho"])
def test_deltas_and_rhos_add_up_in_the_certificate(rule: str, tmp_path: Path) -> None:
    """A sum of small tables has a delta; the certificate is that of all rows together, by either rule."""
    pytest.importorskip("sklearn")
    asked = {
        "model": {"query": "train", "target": "age", "features": ["job"], "model": "boosted", "delta": "0.000001",
                  "rounds": 3, "weight": 1},
        "jobs": {"query": "most_common", "column": "job", "k": 2, "weight": 1},
    }  # fmt: skip
    folder = survey(tmp_path / "survey", plan(asked, total="1, delta = 0.000001"))
    text = (folder / "survey.toml").read_text(encoding="utf-8")
    (folder / "survey.toml").write_text(f'{text}delta = 0.001\nrule = "{rule}"\n', encoding="utf-8")
    answers = published(folder)

    promise = answers.certificate.content["guarantee"]
    assert ("1", "0.000001", None) == (promise["epsilon"], promise["delta"], promise["rho"])
    answers.certificate.require_row(ledger(folder))


def test_a_graph_is_published_too(tmp_path: Path) -> None:
    """Edges are protected, in the words of the page as well."""
    (tmp_path / "edges.txt").write_text("0 1\n0 2\n0 3\n1 2\n", encoding="utf-8")
    text = 'graph = "edges.txt"\nnodes = 5\n[budget]\nepsilon = 3\nledger = "edges.ledger"\n'
    (tmp_path / "survey.toml").write_text(text, encoding="utf-8")
    asked = {"top": {"query": "top_k", "metric": "degree", "k": 2, "weight": 1}}
    (tmp_path / "report.toml").write_text(plan(asked), encoding="utf-8")
    answers = published(tmp_path)

    assert 2 == len(answers.answers["top"]["answer"]["candidates"])
    assert "one edge of the graph" in answers.as_html()
