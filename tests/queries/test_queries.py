"""Every query: JSON and schema, prices from public facts alone, and the same answer in every way to ask."""

from __future__ import annotations

import dataclasses
import json
import math
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
from dpselect.queries import (
    QUERIES,
    FieldKind,
    LocalDataset,
    Median,
    PrivateRows,
    Query,
    QueryError,
    SyntheticRows,
    argument,
    plan_of,
    query_of,
)  # fmt: skip
from dpselect.queries.kinds import EPSILON, NUMERIC_COLUMN, whole

jsonschema = pytest.importorskip("jsonschema", reason="schemas are checked by jsonschema")
AGES, JOBS, IDS = [*range(100)] * 4, ["nurse", "smith", "nurse", "clerk"] * 100, [*range(200)] * 2
COLUMNS = {
    "age": {"lower": 0, "upper": 120},
    "job": ["nurse", "smith", "clerk"],
    "half": {"lower": 0, "upper": 1, "step": 0.5},
}


def table(**more: Any) -> Dataset:
    """A table in memory."""
    frame = {"age": AGES, "job": JOBS, "half": [0.5] * 400, "id": IDS}
    facts: dict[str, Any] = {"columns": COLUMNS, "budget": {"epsilon": 10**6, "delta": 0.001}}
    return Dataset.of(frame, **{**facts, **more})


def graph(folder: Any) -> Dataset:
    """A graph in a file."""
    (folder / "edges.txt").write_text("0 1\n0 2\n0 3\n1 2\n", encoding="utf-8")
    return Dataset(graph="edges.txt", nodes=5, max_degree=3, folder=folder, budget={"epsilon": 100, "ledger": "l"})


ASKED: dict[str, dict[str, Any]] = {
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
    "degree": {"query": "top_k", "metric": "degree", "k": 2, "epsilon": 2},
    "triangles": {"query": "top_k", "metric": "triangles", "epsilon": 2},
}  # fmt: skip


def described(name: str, folder: Any, **more: Any) -> Dataset:
    """Return a dataset that a query is about."""
    return graph(folder) if ASKED[name]["query"] == "top_k" else table(**more)


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
    persons = {"person": "id", "rows_per_person": 2} if person else {}
    dataset, query = described(name, tmp_path, **persons), query_of(ASKED[name])

    def spends(data: Any) -> list[Any]:
        book = RecordingAccountant(rule)
        query.release(data, book)
        return [dataclasses.replace(each, metadata={}, row=0) for each in book.spends]

    planned = [dataclasses.replace(each, metadata={}, row=0) for each in plan_of(query, dataset, rule).spends]
    assert planned == spends(PrivateRows(dataset)) != []
    if name not in ("train", "boosted"):
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
    json.dumps(query.attached(release))


def test_groups_are_a_view() -> None:
    """by() answers in each public group, plan prices it, and what has no groups is refused."""
    data = dps.open(table())

    assert [*data.by("job").median("half", epsilon=1000).value.values()] == [0.5] * 3
    assert data.by("job").plan.median("age", epsilon=1) == data.plan.by("job").median("age", epsilon=1)
    with pytest.raises(QueryError, match="no groups"):
        data.by("job").most_common("job", epsilon=1)


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
        ([], "A query is an object"),
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
TEXTS = st.sampled_from(["0.5", "0", "1000", "1000.0", "1001", "age", "", "tree", "\n", "a" * 201, "0.0000001"])
SINGLE = st.none() | st.booleans() | NUMBERS | TEXTS | st.text(max_size=3)


@pytest.mark.parametrize("kind", [kind for query in QUERIES.values() for kind in query.kinds().values()])
@settings(max_examples=40, database=None, derandomize=True, deadline=None)
@given(value=SINGLE | st.lists(SINGLE, max_size=4))
def test_a_schema_accepts_what_is_read(kind: FieldKind, value: Any) -> None:
    """And nothing else; which fields go together is told in sentences."""
    try:
        kind.parse(value)
        read = True
    except ValueError:
        read = False
    form = {**kind.schema}
    # Multiples of a decimal are told apart in doubles by few validators.
    multiple = form.pop("multipleOf", None)
    accepted = jsonschema.Draft202012Validator(form).is_valid(value)
    listed = value if isinstance(value, list) else [value]
    if any(isinstance(each, float) and not math.isfinite(each) for each in listed):
        # JSON has no such numbers.
        accepted = False
    elif multiple is not None and accepted and not isinstance(value, str):
        accepted = (Fraction(repr(value)) / Fraction(repr(multiple))).denominator == 1
    assert accepted == read or any(not str(each).isprintable() for each in listed)


class Answering(Query[int]):
    """A query whose price follows from its rows."""

    name = "answering"

    column: str = argument(NUMERIC_COLUMN, "a column", kw_only=False)
    k: int = argument(whole(1, 5), "a number", default=1)

    def candidates(self, dataset: Dataset) -> int:  # noqa: ARG002
        """Return two."""
        return 2

    def release(self, data: Any, accountant: Any) -> Any:
        """Return one of two, at a price that tells how old somebody is."""
        ages = np.asarray(data.table([self.column])[self.column])
        return dps.select(dps.Scores([1.0, 2.0], 1), epsilon=1 if ages.max() < 50 else 2, ledger=accountant)

    def words(self) -> str:
        """Return no words."""
        return "?"


def test_a_price_that_follows_from_rows_pays_for_nothing() -> None:
    """A query of somebody's own cannot tell by its price what the rows are."""
    data = dps.open(table())
    with pytest.raises(PrivacyError, match="another amount than its plan"):
        data.ask(Answering("age", epsilon=2))
    assert 0 == data.ledger.totals.spends  # type: ignore[attr-defined]


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
