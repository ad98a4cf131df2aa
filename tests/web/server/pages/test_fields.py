"""The form of a query follows from its fields, so that a new query has one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.datastructures import QueryParams

from dpselect.certificates.answer_table import answer_shown
from dpselect.dataset import Dataset
from dpselect.queries import QUERIES, Query, QueryError, argument
from dpselect.queries.field_kinds import CATEGORICAL_COLUMN, COLUMNS, EDGES, FLAG, NUMERIC_COLUMN, choice, whole
from dpselect.web.server.pages import fields as forms


class Made(Query[int]):
    """A query that nobody asks."""

    name = "made"

    column: str = argument(NUMERIC_COLUMN, "of numbers")
    by: str | None = argument(CATEGORICAL_COLUMN, "in groups", default=None)
    beside: tuple[str, ...] | None = argument(COLUMNS, "columns that go with it", default=None)
    kind_of_it: str = argument(choice("one", "two", labels={"two": "two of it"}), "its kind")
    wide: bool = argument(FLAG, "whether it is", default=True)
    depth: int = argument(whole(1, 9), "how deep", default=3)
    values: tuple[float, ...] | None = argument(EDGES, "a list", default=None, example="1, 2")

    def require(self) -> None:
        """Refuse what is wide and deep."""
        if self.wide and self.depth == 9:
            raise QueryError("This is too wide.", "wide")

    def candidates(self, dataset: Dataset) -> int:  # noqa: ARG002
        """Return one."""
        return 1

    def release(self, data: Any, accountant: Any) -> Any:
        """Answer nothing."""

    def words(self) -> str:
        """Return nothing."""
        return ""


@pytest.fixture
def survey(settings) -> Dataset:
    """The description of a table."""
    return settings.datasets["survey"].description


def test_a_new_query_has_a_form(survey) -> None:
    """With a field of the right kind for each part, the words of its declaration, and the columns that fit."""
    fields = {each.name: each for each in forms.fields_of(Made, survey)}
    controls = {name: each.control for name, each in fields.items()}

    assert {"column": "column", "by": "column", "beside": "columns", "kind_of_it": "choice", "wide": "choice",
            "depth": "number", "values": "list", "epsilon": "number"} == controls  # fmt: skip
    assert (("age", "age (0 to 100)"),) == fields["column"].options
    assert (("", "(none)"), ("job", "job (3 values)")) == fields["by"].options
    assert {"age", "job"} == {name for name, _ in fields["beside"].options}
    assert (("one", "one"), ("two", "two of it")) == fields["kind_of_it"].options
    assert ("Whether it is.", "A list. For example 1, 2.") == (fields["wide"].help, fields["values"].help)
    assert ("true", "3", "") == (fields["wide"].default, fields["depth"].default, fields["values"].default)
    assert (True, False, "Kind of it") == (
        fields["kind_of_it"].required, fields["values"].required, fields["kind_of_it"].label,
    )  # fmt: skip
    assert "epsilon" == [*fields][-1]


def test_a_filled_form_is_the_query() -> None:
    """Text that is sent becomes values of the fields."""
    given = QueryParams(
        "column=age&by=&beside=age&beside=job&kind_of_it=two&wide=false&depth= 7&values=1, 2.5;3&epsilon=0.5&x=y"
    )
    asked = Made(
        column="age", beside=("age", "job"), kind_of_it="two", wide=False, depth=7, values=(1, 2.5, 3), epsilon=0.5
    )
    assert (asked, {}) == forms.fill_query(Made, given)


def test_every_mistake_is_said_at_its_field() -> None:
    """In a sentence, without quoting what was typed."""
    asked, said = forms.fill_query(Made, QueryParams("kind_of_it=<b>&depth=0&values=a&epsilon=secret-9"))

    assert asked is None
    assert {"column", "kind_of_it", "depth", "values", "epsilon"} == said.keys()
    assert "Fill this in." == said["column"]
    assert all(each.endswith(".") and "secret" not in each and "<b>" not in each for each in said.values())
    together = QueryParams("column=age&kind_of_it=one&depth=9&epsilon=1")
    assert (None, {"wide": "This is too wide."}) == forms.fill_query(Made, together)


def test_queries_fit_by_their_columns(settings) -> None:
    """A query of graphs is not asked of tables, and one that needs numbers not where there are none."""
    jobs = Dataset(source="a.csv", columns={"job": ["nurse", "smith"]})
    numbers = Dataset(source="a.csv", columns={"age": {"lower": 0, "upper": 9}})

    assert ["top_k"] == [*forms.queries_about(settings.datasets["friends"].description, QUERIES)]
    known = {"best", "histogram", "most_common", "partitions", "select", "synthesize", "train"}
    assert known == {*forms.queries_about(jobs, QUERIES)}
    assert {"histogram", "median", "quantiles", "synthesize", "train"} == {*forms.queries_about(numbers, QUERIES)}
    # What no column fits and may be left out is not asked for.
    assert "by" not in [each.name for each in forms.fields_of(QUERIES["median"], numbers)]
    assert QUERIES.keys() - {"top_k"} == forms.queries_about(settings.datasets["survey"].description, QUERIES).keys()


def test_every_query_has_a_title_and_a_sentence() -> None:
    """On the page of a dataset."""
    for query in QUERIES.values():
        assert query.title[0].isupper()
        assert query.about().endswith(".")


@pytest.mark.parametrize(
    "answer, query, header, rows",
    [({"candidates": [1, 9]}, {"q": [0.25, 0.75]}, ("share of the rows", "answer"),
      (("0.25", "1"), ("0.75", "9"))),
     ({"candidates": [7]}, {"p": [60]}, ("percentile", "answer"), (("60", "7"),)),
     ({"candidates": ["a", "b"], "gaps": [5, 0], "p": 1}, {}, ("place", "answer", "gaps"),
      (("1", "a", "5"), ("2", "b", "0"))),
     ({"a": [1], "b": [2]}, {"by": "job"}, ("job", "answer"), (("a", "1"), ("b", "2"))),
     ({"a": {"x": 1}, "b": {"x": 2}}, {"by": "job"}, ("job", "x"), (("a", "1"), ("b", "2"))),
     ({"x": -1200, "y": 3}, {"column": "job"}, ("job", "count"), (("x", "-1,200"), ("y", "3")))],
)  # fmt: skip
def test_answers_become_tables(answer, query, header, rows) -> None:
    """Of shares, places, groups and counts."""
    shown = answer_shown(answer, query)

    assert (header, rows, "") == (shown.header, shown.rows, shown.value)


def test_whatever_an_answer_is_it_is_shown() -> None:
    """A single value, something that no page knows, and bars of counts, of which some are below 0."""
    assert "47" == answer_shown({"candidates": [47]}, {}).value
    assert "none" == answer_shown(None, {}).value
    assert (("tree", "depth: 2"), ("is", "x")) == answer_shown({"tree": {"depth": 2}, "is": "x"}, {}).rows
    assert () == answer_shown({}, {}).rows
    picture = str(answer_shown({"a": -5, "<b>": 10}, {}).picture)
    assert 2 == picture.count("<rect")
    assert "&lt;b&gt;" in picture
    assert "-" not in "".join(part.partition('"')[0] for part in picture.split('width="')[1:])
    assert answer_shown(dict.fromkeys(map(str, range(100)), 1), {}).picture is None
    assert json.dumps(answer_shown({"a": 0, "b": 0}, {}).picture) == "null"


def test_labels_of_real_queries_are_words(survey) -> None:
    """No form shows marks of code or names of programs; what is rare is optional."""
    for query in QUERIES.values():
        for field in forms.fields_of(query, survey):
            assert not (field.rare and field.required)
            assert "`" not in field.help
            assert not field.label.startswith("N ")
            assert "_" not in field.label
    notes = {each.name: each.note for each in forms.fields_of(QUERIES["train"], survey)}
    assert "(default: auto)" == notes["model"]
    assert "(default: move to the nearest value)" == notes["unknown"]
    assert ("(optional)", "") == (notes["delta"], notes["target"])


def test_dates_are_offered_where_they_may_be_asked_about() -> None:
    """Medians, counts and groups; neither totals nor models."""
    columns = {
        "since": {"lower": "2025-01-01", "upper": "2025-12-31"},
        "pay": {"lower": 0, "upper": 9},
        "job": ["a", "b"],
    }
    dataset = Dataset(source="a.csv", columns=columns)
    offered = {
        (name, field.name)
        for name, query in QUERIES.items()
        if not query.of_graph
        for field in forms.fields_of(query, dataset)
        if any(value == "since" and shown == "since (2025-01-01 to 2025-12-31)" for value, shown in field.options)
    }

    assert {
        ("median", "column"), ("median", "by"), ("quantiles", "column"), ("quantiles", "by"), ("histogram", "column"),
        ("histogram", "by"), ("most_common", "column"), ("synthesize", "columns"),
    } == offered  # fmt: skip


def test_lists_of_conditions_and_names_are_separated_by_semicolons() -> None:
    """They have spaces and commas themselves."""
    given = QueryParams(
        epsilon="1", delta="0.000001", impossible="age < 16 and job in (a, b); age = 3", quantile_bins="net income;age"
    )
    query, mistakes = forms.fill_query(QUERIES["synthesize"], given)
    numbers = {name: {"lower": 0, "upper": 9} for name in ("age", "net income")}
    fields = {
        each.name: each for each in forms.fields_of(QUERIES["synthesize"], Dataset(source="t.csv", columns=numbers))
    }

    assert {} == mistakes
    assert ("age < 16 and job in (a, b)", "age = 3") == query.impossible
    assert ("net income", "age") == query.quantile_bins
    assert "semicolon" in fields["impossible"].help
