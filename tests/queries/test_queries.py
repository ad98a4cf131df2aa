"""Every query: JSON and schema, prices from public facts alone, and the same answer in every way to ask."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import pickle
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.dataset import Dataset
from dpselect.kernel.errors import BudgetError, PrivacyError
from dpselect.ledger import RecordingAccountant
from dpselect.mechanisms.error_bound import NoBound
from dpselect.queries import (
    QUERIES,
    FieldKind,
    LocalDataset,
    Median,
    MostCommon,
    PrivateRows,
    Query,
    QueryError,
    SyntheticRows,
    argument,
    plan_of,
    query_of,
)  # fmt: skip
from dpselect.queries.field_kinds import DELTA, EPSILON, MECHANISMS, NUMERIC_COLUMN, real

jsonschema = pytest.importorskip("jsonschema", reason="schemas are checked by jsonschema")
AGES, JOBS, IDS = [*range(100)] * 4, ["nurse", "smith", "nurse", "clerk"] * 100, [*range(200)] * 2
COLUMNS = {
    "age": {"lower": 0, "upper": 120},
    "job": ["nurse", "smith", "clerk"],
    "half": {"lower": 0, "upper": 1, "step": 0.5},
    "nick": "unlisted",
    "side": ["left", "right"],
}


def table(**more: Any) -> Dataset:
    """A table in memory."""
    frame = {"age": AGES, "job": JOBS, "half": [0.5] * 400, "nick": JOBS, "side": ["left", "right"] * 200, "id": IDS}
    facts: dict[str, Any] = {"columns": COLUMNS, "budget": {"epsilon": 10**6, "delta": 0.001}}
    return Dataset.of(frame, **{**facts, **more})


def graph(folder: Any) -> Dataset:
    """A graph in a file."""
    (folder / "edges.txt").write_text("0 1\n0 2\n0 3\n1 2\n", encoding="utf-8")
    facts: dict[str, Any] = {"nodes": 5, "max_degree": 3, "budget": {"epsilon": 100, "ledger": "l"}}
    return Dataset(graph="edges.txt", folder=folder, **facts)


ASKED: dict[str, dict[str, Any]] = {
    "best": {"query": "best", "score": "avg(age)", "by": "job", "prior": "5:40", "k": 2, "epsilon": 2},
    "best rate": {
        "query": "best", "score": "(count(age >= 40) + 1) / (count() + 9)", "by": "job", "order": "lowest",
        "epsilon": 2,
    },
    "median": {"query": "median", "column": "age", "epsilon": 2},
    "median by job": {"query": "median", "column": "half", "by": "job", "epsilon": "0.5"},
    "quantiles": {"query": "quantiles", "column": "age", "q": [0.25, 0.75], "epsilon": 2},
    "percentiles": {"query": "quantiles", "column": "age", "p": [25, 75], "by": "job", "epsilon": 2},
    "histogram": {"query": "histogram", "column": "job", "epsilon": 2},
    "bins": {"query": "histogram", "column": "age", "bins": [0, 50, 120], "by": "job", "epsilon": 2},
    "most common": {"query": "most_common", "column": "job", "k": 2, "epsilon": 2},
    "smallest count": {"query": "select", "candidate": "job", "score": "smallest-count", "epsilon": 2},
    "largest total": {"query": "select", "candidate": "job", "score": "largest-total", "of": "half", "epsilon": 2},
    "exponential": {
        "query": "select", "candidate": "job", "score": "largest-count", "k": 2, "mechanism": "exponential",
        "epsilon": 1,
    },
    "train": {"query": "train", "target": "job", "features": ["age"], "epsilon": 1},
    "boosted": {
        "query": "train", "target": "half", "model": "boosted", "delta": "0.000001", "rounds": 3, "interactions": False,
        "epsilon": 1,
    },
    "synthetic": {"query": "synthesize", "delta": "0.000001", "columns": ["age", "job"], "method": "mst", "epsilon": 2},
    "degree": {"query": "top_k", "metric": "degree", "k": 2, "epsilon": 2},
    "triangles": {"query": "top_k", "metric": "triangles", "epsilon": 2},
    "exponential median": {"query": "median", "column": "age", "mechanism": "exponential", "epsilon": 1},
    "one percentile": {"query": "quantiles", "column": "age", "p": [90], "epsilon": 1},
    "tree": {"query": "quantiles", "column": "age", "p": [10, 90], "method": "tree", "epsilon": 1},
    "most common by side": {"query": "most_common", "column": "job", "by": "side", "epsilon": 2},
    "most common by side of persons": {
        "query": "most_common", "column": "job", "by": "side", "groups_per_person": 1, "epsilon": 2,
    },
    "clipped": {"query": "histogram", "column": "job", "negative": "clip", "epsilon": 2},
    "wall": {"query": "most_common", "column": "nick", "kept": 2, "delta": "0.001", "epsilon": 2},
    "coins": {"query": "most_common", "column": "nick", "items_per_person": 1, "delta": "0.001", "epsilon": 2},
    "partitions": {"query": "partitions", "column": "nick", "per_person": 2, "delta": "0.001", "epsilon": 2},
    "evolutionary": {
        "query": "train", "target": "job", "features": ["age"], "model": "evolutionary", "population": 5,
        "generations": 1, "importance": ["nurse=2", "smith=1/2"], "max_depth": 2, "epsilon": 1,
    },
    "by the rule": {"query": "train", "target": "job", "delta": "0.000001", "n_records": 400, "epsilon": 2},
    "id3": {"query": "train", "target": "job", "model": "id3", "mechanism": "exponential", "epsilon": 1},
    "pareto": {"query": "top_k", "metric": ["degree", "core-number"], "pareto": True, "epsilon": 2},
    "weights": {"query": "top_k", "metric": ["degree", "core-number"], "weights": [1, "-1/3"], "epsilon": 2},
    "truncated": {"query": "top_k", "metric": "open-pairs", "truncate": True, "k": 2, "epsilon": 2},
    "margin": {"query": "top_k", "metric": "degree", "margin": True, "method": "peeling", "epsilon": 2},
    "decay": {"query": "top_k", "metric": "linear-decay", "decay": 7, "epsilon": 2},
    "joint": {"query": "top_k", "metric": "degree", "k": 2, "method": "joint", "epsilon": 2},
    **{
        metric: {"query": "top_k", "metric": metric, "epsilon": 1}
        for metric in ("core-number", "ego-betweenness", "ego-density", "log-betweenness", "two-step-reach")
    },
}  # fmt: skip
# Names that no list holds are revealed where persons are told apart alone.
OF_PERSONS = ("wall", "coins", "partitions", "most common by side of persons")
OF_ROWS = ("tree", "most common by side")


def described(name: str, folder: Any, **more: Any) -> Dataset:
    """Return a dataset that a query is about."""
    if ASKED[name]["query"] == "top_k":
        return graph(folder)
    return table(**({"person": "id", "rows_per_person": 2} if name in OF_PERSONS else {}) | more)


def test_every_query_is_asked_below() -> None:
    """A new query joins these tests."""
    assert QUERIES.keys() == {each["query"] for each in ASKED.values()}


@pytest.mark.parametrize("name", ASKED)
def test_its_json_is_its_own(name) -> None:
    """What is written is read as the same query, also from text, and the schema accepts it."""
    query = query_of(ASKED[name])

    assert query == query_of(query.as_json()) == query_of(query.canonical())
    assert query.canonical() == query_of(query.canonical()).canonical()
    jsonschema.validate(query.as_json(), query.schema())
    jsonschema.validate(ASKED[name], query.schema())


@pytest.mark.parametrize("rule", ["sum", "rho"])
@pytest.mark.parametrize("person", [None, "id"])
@pytest.mark.parametrize("name", ASKED)
def test_a_price_follows_from_public_facts(name, person, rule, tmp_path) -> None:
    """The plan spends what a release of the true rows does; rows of any other value cost the same."""
    if person and name in OF_ROWS:
        pytest.skip("persons are refused")
    persons = {"person": "id", "rows_per_person": 2} if person else {}
    dataset, query = described(name, tmp_path, **persons), query_of(ASKED[name])

    def spends(data: Any) -> list[Any]:
        book = RecordingAccountant(rule)
        query.release(data, book)
        return [dataclasses.replace(each, metadata={}, row=0) for each in book.spends]

    planned = [dataclasses.replace(each, metadata={}, row=0) for each in plan_of(query, dataset, rule).spends]
    assert planned == spends(PrivateRows(dataset)) != []
    if ASKED[name]["query"] != "train":
        assert planned == spends(SyntheticRows(dataset))


@pytest.mark.parametrize("name", ASKED)
def test_an_answer_states_what_was_asked(name, tmp_path) -> None:
    """The certificate has the question in words, the digest of the description, and the row that paid."""
    dataset, query = described(name, tmp_path), query_of(ASKED[name])
    data = dps.open(dataset)

    release = data.ask(query)
    content = release.certificate().content

    assert query.words() == content["question"]
    assert dataset.digest == content["public"]["description"]
    assert [1] == [each["row"] for each in content["ledger"]["rows"]]
    assert Fraction(query.epsilon) == release.guarantee.epsilon
    assert data.plan_of(query).guarantee == release.guarantee
    json.dumps(query.attachments(release))


def test_groups_are_a_view() -> None:
    """by() answers in each public group, plan prices it, and what has no groups is refused."""
    data = dps.open(table())

    assert [*data.by("job").median("half", epsilon=1000).value.values()] == [0.5] * 3
    assert data.by("job").plan.median("age", epsilon=1) == data.plan.by("job").median("age", epsilon=1)
    with pytest.raises(QueryError, match="no groups"):
        data.by("job").select("job", score="largest-count", epsilon=1)


def test_answers_are_about_the_rows() -> None:
    """At a large epsilon they are the true ones."""
    data = dps.open(table())

    assert ("nurse",) == data.most_common("job", epsilon=100).value
    assert {"nurse": 200, "smith": 100, "clerk": 100} == data.histogram("job", epsilon=100).value
    assert ("nurse",) == data.select("job", score="largest-count", epsilon=100).value
    # Half a smith weighs as much as half a nurse: the totals are 100, 50 and 50.
    assert ("nurse",) == data.select("job", score="largest-total", of="half", epsilon=100).value
    assert 49 <= data.median("age", epsilon=100).value <= 50


@pytest.mark.parametrize(
    "content, sentence",
    [
        ({"query": "mode"}, "query: one of"),
        ({"column": "age", "epsilon": 1}, "query: one of"),
        ({"query": "median", "column": "age"}, "epsilon: this is missing"),
        ({"query": "median", "epsilon": 1}, "column: this is missing"),
        ({"query": "median", "column": "age", "epsilon": 1, "where": "x"}, "where: median has no such field"),
        ({"query": "median", "column": "", "epsilon": 1}, "column"),
        ({"query": "median", "column": 3, "epsilon": 1}, "column"),
        ({"query": "median", "column": "age", "epsilon": 0}, "epsilon is a positive number"),
        ({"query": "median", "column": "age", "epsilon": True}, "epsilon is a positive number"),
        ({"query": "median", "column": "age", "epsilon": "1e-3"}, "epsilon is a positive number"),
        ({"query": "median", "column": "age", "epsilon": 1001}, "epsilon is a positive number"),
        ({"query": "median", "column": "age", "epsilon": 10**400}, "epsilon is a positive number"),
        ({"query": "median", "column": "age", "epsilon": 1e-7}, "epsilon is a positive number"),
        ({"query": "median", "column": "age", "epsilon": math.nan}, "epsilon is a positive number"),
        ({"query": "median", "column": "age", "epsilon": math.inf}, "epsilon is a positive number"),
        ({"query": "quantiles", "column": "age", "epsilon": 1}, "Which quantiles"),
        ({"query": "quantiles", "column": "age", "q": [0.5], "p": [50], "epsilon": 1}, "Which quantiles"),
        ({"query": "quantiles", "column": "age", "q": [0.5, 0.5], "epsilon": 1}, "given twice"),
        ({"query": "quantiles", "column": "age", "q": [2], "epsilon": 1}, "q: a share"),
        ({"query": "most_common", "column": "job", "k": 0, "epsilon": 1}, "k: a whole number"),
        ({"query": "most_common", "column": "job", "k": 10**400, "epsilon": 1}, "k: a whole number"),
        ({"query": "histogram", "column": "age", "bins": [0, math.inf], "epsilon": 1}, "bins: an edge"),
        ({"query": "histogram", "column": "age", "bins": [0, 10**400], "epsilon": 1}, "bins: an edge"),
        ({"query": "select", "candidate": "job", "score": "largest-total", "epsilon": 1}, "of: A total"),
        ({"query": "select", "candidate": "job", "score": "largest-count", "of": "age", "epsilon": 1}, "of: Counts"),
        ({"query": "train", "target": "job", "features": ["job"], "epsilon": 1}, "features: A column"),
        ({"query": "train", "target": "job", "delta": 1, "epsilon": 1}, "delta"),
        ({"query": "train", "target": "job", "delta": 10**400, "epsilon": 1}, "delta"),
        ([], "A query is an object"),
        ("x", "A query is an object"),
        ("[" * 9000, "A query is an object"),
    ],
)
def test_what_is_no_query_is_refused(content, sentence) -> None:
    """In a sentence that names the field."""
    with pytest.raises(QueryError) as refused:
        query_of(content)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    "content",
    [
        {"query": "median", "column": "job"},
        {"query": "median", "column": "income"},
        {"query": "median", "column": "age", "by": "age"},
        {"query": "histogram", "column": "job", "bins": [0, 1]},
        {"query": "histogram", "column": "id"},
        {"query": "most_common", "column": "job", "k": 4},
        {"query": "most_common", "column": "age"},
        {"query": "select", "candidate": "job", "score": "largest-total", "of": "job"},
        {"query": "select", "candidate": "age", "score": "largest-count"},
        {"query": "train", "target": "income"},
        {"query": "train", "target": "age", "model": "forest"},
        {"query": "train", "target": "job", "rounds": 3},
        {"query": "top_k", "metric": "degree"},
    ],
)
def test_other_questions_are_refused_before_anything_is_spent(content) -> None:
    """What is not about this dataset follows from its description."""
    data = dps.open(table())
    with pytest.raises(ValueError):
        data.ask(query_of(content | {"epsilon": 1}))
    assert 0 == data.ledger.totals.spends  # type: ignore[attr-defined]


NUMBERS = st.integers(-(10**4), 10**16) | st.floats() | st.integers(0, 2000).map(lambda n: n / 1000)
TEXTS = st.sampled_from(
    ["0.5", "0.5\n", "00.5", "0", "1000", "1000.0", "1001", "age", "", "tree", "\n", "a" * 201, "0.0000001"]
)
SINGLE = st.none() | st.booleans() | NUMBERS | TEXTS | st.text(max_size=3)


KINDS = [*(kind for query in QUERIES.values() for kind in query.kinds().values()), real(-2, 3)]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=20, database=None, derandomize=True, deadline=None)
@given(value=SINGLE | st.lists(SINGLE, max_size=4))
def test_a_schema_accepts_what_is_read(kind: FieldKind, value: Any) -> None:
    """And nothing else; which fields go together is told in sentences."""
    try:
        kind.parse(value)
        read = True
    except ValueError:
        read = False
    accepted = jsonschema.Draft202012Validator(kind.schema).is_valid(value)
    listed = value if isinstance(value, list) else [value]
    if any(isinstance(each, float) and not math.isfinite(each) for each in listed):
        # JSON has no such numbers.
        accepted = False
    elif isinstance(value, float) and kind in (EPSILON, DELTA):
        # How many decimals a double has, validators cannot tell.
        places = 6 if kind == EPSILON else 15
        accepted = accepted and not 10**places % Fraction(repr(value)).denominator
    assert accepted == read or any(not str(each).isprintable() for each in listed)


class Wrong(Query[Any]):
    """A query that pays in some wrong way: each test gives it another release."""

    name = "wrong"

    column: str = argument(NUMERIC_COLUMN, "a column", kw_only=False)

    def candidates(self, dataset: Dataset) -> int:  # noqa: ARG002
        """Return two."""
        return 2

    def release(self, data: Any, accountant: Any) -> Any:
        """Return what the test says."""
        return PAID[self.column](self, data, accountant)

    def words(self) -> str:
        """Return no words."""
        return "?"


def chosen(query: Any, accountant: Any, epsilon: Any = None, **more: Any) -> Any:
    """Choose one of two, and pay."""
    scores = dps.Scores([1.0, 2.0], 1, neighbours=more.pop("neighbours", "add-remove"))
    return dps.select(scores, epsilon=epsilon or query.epsilon, ledger=accountant)


def true(data: Any) -> bool:
    """Return whether these are the true rows."""
    return len(data.table(["age"])["age"]) > 1


def swallowed(query: Any, data: Any, accountant: Any) -> Any:
    """Spend twice on true rows, and hide the refusal."""
    release = chosen(query, accountant)
    if true(data):
        with contextlib.suppress(PrivacyError):
            chosen(query, accountant)
    return release


PAID: dict[str, Any] = {}
# A way to pay, the beginning of the refusal, and what was spent.
WRONG = {
    "nothing": (lambda query, _, accountant: chosen(query, None), "Wrong.release spends 0 times", 0),
    "twice": (lambda query, _, book: (chosen(query, book), chosen(query, book))[1], "Wrong.release spends 2 times", 0),
    "half": (
        lambda query, _, book: dataclasses.replace(
            chosen(query, book), guarantee=dps.Guarantee(Fraction(1, 2), "add-remove")
        ),
        "Wrong.release spends another guarantee",
        0,
    ),
    "more": (lambda query, _, book: chosen(query, book, 3), "Wrong.release spends more than its epsilon", 0),
    "persons": (
        lambda query, _, book: chosen(query, book, neighbours="person"), "Wrong.release protects person neighbours", 0,
    ),
    "nothing for true rows": (
        lambda query, data, book: chosen(query, None if true(data) else book), "This query spends another amount", 0,
    ),
    "less for true rows": (
        lambda query, data, book: chosen(query, book, 1 if true(data) else 2), "This query spends another amount", 0,
    ),
    "another promise for true rows": (
        lambda query, data, book: dataclasses.replace(
            chosen(query, book), guarantee=dps.Guarantee(Fraction(1 if true(data) else 2), "add-remove")
        ),
        "This query promises something else",
        2,
    ),
    "twice for true rows": (swallowed, "This query spends another amount", 2),
}  # fmt: skip


@pytest.mark.parametrize("way", WRONG)
def test_an_answer_is_paid_for_as_planned(way) -> None:
    """A query of somebody's own that pays otherwise is refused: its price tells nothing, and nothing is free."""
    release, sentence, spent = WRONG[way]
    PAID["age"] = release
    data = dps.open(table())
    with pytest.raises(PrivacyError, match=sentence):
        data.ask(Wrong("age", epsilon=2))
    assert spent == data.ledger.totals.epsilon  # type: ignore[attr-defined]


def test_a_stated_error_is_the_planned_one() -> None:
    """One that a release derives from its rows is not stated."""
    PAID["age"] = lambda query, data, book: dataclasses.replace(
        chosen(query, book), error_bound=NoBound(f"{len(data.table(['age'])['age'])} rows")
    )
    assert dps.open(table()).ask(Wrong("age", epsilon=2)).error_bound == NoBound("1 rows")


def test_a_query_of_ones_own_has_no_field_named_as_a_method() -> None:
    """It would hide the method."""
    with pytest.raises(TypeError, match="words"):

        class Hiding(Query[int]):
            words: str = argument(EPSILON, "hides a method")


def test_a_budget_is_described_or_passed() -> None:
    """Nothing is answered without one, and nothing beyond it."""
    with pytest.raises(BudgetError, match="no budget"):
        dps.open(table(budget=None)).median("age", epsilon=1)
    small = dps.open(table(budget={"epsilon": 1}))
    small.median("age", epsilon=1)
    with pytest.raises(BudgetError):
        small.median("age", epsilon=0.1)


def test_a_dataset_is_opened_by_its_file(tmp_path) -> None:
    """The ledger is made beside it; nothing private is in its representation."""
    (tmp_path / "a.csv").write_text("age\n" + "\n".join(map(str, AGES)), encoding="utf-8")
    text = 'source = "a.csv"\n[columns]\nage = {lower = 0, upper = 120}\n[budget]\nepsilon = 3\nledger = "a.ledger"\n'
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")

    data = dps.open(tmp_path / "a.toml")
    assert isinstance(data, LocalDataset)
    assert not (tmp_path / "a.ledger").exists()
    data.plan.median("age", epsilon=2)
    assert not (tmp_path / "a.ledger").exists()
    assert 30 < data.median("age", epsilon=2).value < 70
    assert (tmp_path / "a.ledger").exists()
    with pytest.raises(BudgetError):
        dps.open(tmp_path / "a.toml").ask(Median("age", epsilon=2))
    assert "columns=age" in repr(data)


@pytest.mark.parametrize(
    "fields, error, sentence",
    [
        ({"name": "Not a name!"}, TypeError, "write a name"),
        ({"name": "fine", "query": 1, "__annotations__": {"query": Any}}, TypeError, "this name already"),
        (
            {"name": "fine", "epsilon": argument(EPSILON, "twice"), "__annotations__": {"epsilon": Any}},
            TypeError,
            "leave",
        ),
        ({"name": "fine", "k": 3, "__annotations__": {"k": int}}, TypeError, "declare a field with argument"),
    ],
)
def test_a_class_of_queries_is_written_as_one(fields, error, sentence) -> None:
    """Slips are refused where the class is made."""
    with pytest.raises(error, match=sentence):
        type("Slip", (Query,), fields)


def test_numbers_of_numpy_are_numbers() -> None:
    """Also in lists; and a model forgets what paid for it."""
    assert Median("age", epsilon=np.float64(0.5)) == Median("age", epsilon=0.5)
    assert Fraction(3) == Median("age", epsilon=np.int64(3)).epsilon
    quantiles = QUERIES["quantiles"]
    assert quantiles("age", q=np.array([0.25, 0.5]), epsilon=1) == quantiles("age", q=[0.25, 0.5], epsilon=1)
    model = dps.open(table()).train("job", epsilon=1).value
    assert "Accountant" not in repr(model)
    pickle.dumps(model)


@pytest.mark.parametrize(
    "ask, error, sentence",
    [
        (lambda data: data.ask("median"), TypeError, "Pass a query"),
        (lambda data: data.by(None), QueryError, "pass its name"),
        (lambda data: data.by("job").median("age", by="job", epsilon=1), QueryError, "leave out by"),
        (lambda data: data.plan_of(Median("job", epsilon=1)), ValueError, "a list of values"),
        (lambda data: Median.parse({"query": "mode", "column": "age", "epsilon": 1}), QueryError, "another query"),
        (lambda data: Median.parse([1]), QueryError, "A query is an object"),
        (lambda data: PrivateRows(data.description).table("age"), QueryError, "takes a list"),
        (lambda data: PrivateRows(data.description).table(["AGE"]), QueryError, "no column 'AGE'"),
        (lambda data: SyntheticRows(data.description).table(["AGE"]), QueryError, "no column 'AGE'"),
        (lambda data: SyntheticRows(data.description).graph(), QueryError, "no edges"),
        (lambda data: dps.open(data.description, ledger="a.ledger"), TypeError, "ledger is an accountant"),
    ],
)
def test_slips_are_refused_in_a_sentence(ask, error, sentence) -> None:
    """By name, before anything is spent."""
    with pytest.raises(error, match=sentence):
        ask(dps.open(table()))


def test_fields_are_read_without_numpy() -> None:
    """A page of help needs neither an engine nor what answers."""
    code = (
        "import sys; from dpselect.queries.registry import QUERIES; from dpselect.dataset.fields import KEYS;"
        "print([each.kinds() for each in QUERIES.values()] != [], 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "True False\n" == done.stdout


def test_every_mechanism_may_be_named() -> None:
    """Fields name them without importing them."""
    assert {*MECHANISMS} == {*dps.mechanisms.MECHANISMS}


def test_a_file_of_counts_is_a_source(tmp_path) -> None:
    """Of one column with bounds, and nothing else; groups have no rows there."""
    np.save(tmp_path / "a.npy", np.array([0, 500, 0, 500]))
    facts: dict[str, Any] = {"source": "a.npy", "folder": tmp_path, "budget": {"epsilon": 900, "ledger": "l"}}
    bounds = {"lower": 10, "upper": 25, "step": 5}
    data = dps.open(Dataset(columns={"x": bounds}, **facts))

    assert (15, 25) == data.quantiles("x", p=[25, 75], epsilon=100).value
    assert (25,) == data.quantiles("x", p=[75], mechanism="exponential", epsilon=100).value
    with pytest.raises(ValueError, match="4 counts"):
        dps.open(Dataset(columns={"x": {"lower": 0, "upper": 5}}, **facts)).median("x", epsilon=1)
    for wrong, key in (({"columns": {"x": ["a", "b"]}}, "columns"), ({"separator": ";"}, "separator")):
        with pytest.raises(ValueError, match=key):
            Dataset(**{**facts, "columns": {"x": bounds}, **wrong})
    with pytest.raises(ValueError, match="no rows"):
        dps.open(Dataset(columns={"x": bounds}, **facts)).histogram("x", epsilon=1)


def test_a_file_may_be_counted_where_it_is(tmp_path) -> None:
    """By group and person too; what needs rows is refused, and nothing is spent."""
    pytest.importorskip("ibis")
    rows = [f"{age},{('nurse', 'smith')[age > 49]},{who // 2},north" for who, age in enumerate(AGES)]
    (tmp_path / "a.csv").write_text("\n".join(["age,job,who,part", *rows]), encoding="utf-8")
    facts: dict[str, Any] = {
        "source": "a.csv",
        "folder": tmp_path,
        "in_place": True,
        "budget": {"epsilon": 900, "ledger": "l"},
    }
    columns = {"age": {"lower": 0, "upper": 120}, "job": ["nurse", "smith"], "part": ["north"]}
    data = dps.open(Dataset(columns=columns, **facts))

    assert 45 < data.median("age", epsilon=10).value < 55
    by_job = data.by("job").median("age", epsilon=10).value
    assert (20 < by_job["nurse"] < 30, 69 < by_job["smith"] < 79) == (True, True)
    assert {("nurse",), ("smith",)} > {data.most_common("job", epsilon=10).value}

    facts |= {"person": "who", "budget": {"epsilon": 900, "ledger": "persons"}}
    persons = dps.open(Dataset(columns=columns, **facts))
    assert 45 < persons.median("age", epsilon=10).value < 55
    assert abs(persons.histogram("job", epsilon=10).value["nurse"] - 100) < 8
    with pytest.raises(ValueError, match="in place"):
        persons.ask(MostCommon("job", by="part", groups_per_person=1, epsilon=1))
    assert 2 == len(persons.ledger.events)  # type: ignore[attr-defined]
