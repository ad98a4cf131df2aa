"""The form of a question follows from its model, so that a new question has one."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from dpselect.web.server.questions.question import ColumnName, Question, numbers
from pydantic import Field as Bound
from pydantic import ValidationError
from starlette.datastructures import QueryParams

from dpselect.web.server.pages import fields as forms
from dpselect.web.server.pages import labels
from dpselect.web.server.pages.answers import answer_shown


class Made(Question):
    """What nobody asks.

    Attributes:
        column: of numbers.
        beside: columns that go with it.
        kind: of it.
        wide: whether it is,
            in two lines.
    """

    question: Literal["made"]
    column: ColumnName
    beside: tuple[ColumnName, ...] = ()
    kind: Literal["one", "two"]
    wide: bool = True
    depth: int = Bound(3, ge=1)
    values: tuple[float, ...] | None = None

    def require(self, facts: Any, most: int) -> None:  # noqa: ARG002
        """Refuse other columns than numbers."""
        numbers(facts, self.column)

    def ask(self, data: Any, facts: Any, ledger: Any) -> Any:
        """Answer nothing."""

    def words(self) -> str:
        """Return nothing."""
        return ""

    def public(self, facts: Any) -> dict[str, Any]:  # noqa: ARG002
        """Return nothing."""
        return {}


def test_a_new_question_has_a_form(settings) -> None:
    """With a field of the right kind for each part, what its description says, and the columns that fit."""
    fields = {each.name: each for each in forms.fields_of(Made, settings.datasets["survey"])}
    kinds = {name: each.kind for name, each in fields.items()}

    assert {"column": "choice", "beside": "several", "kind": "choice", "wide": "choice", "depth": "number",
            "values": "list", "epsilon": "number"} == kinds  # fmt: skip
    assert [("age", "age (0 to 100)")] == [*fields["column"].options]
    assert {"age", "job"} == {name for name, _ in fields["beside"].options}
    assert "Whether it is, in two lines." == fields["wide"].help
    assert ("true", "3", "") == (fields["wide"].default, fields["depth"].default, fields["values"].default)
    assert (True, False) == (fields["kind"].required, fields["values"].required)


def test_a_filled_form_is_the_question(settings) -> None:
    """What is sent as text becomes what the model takes."""
    fields = forms.fields_of(Made, settings.datasets["survey"])
    given = QueryParams("column=age&beside=age&beside=job&kind=two&wide=false&depth= 7&values=1, 2.5;3&epsilon=0.5&x=y")
    read = Made.model_validate({"query": "made", **forms.read(fields, given)})

    assert ("age", ("age", "job"), "two", False, 7) == (read.column, read.beside, read.kind, read.wide, read.depth)
    assert ((1.0, 2.5, 3.0), "0.5") == (read.values, str(float(read.epsilon)))


def test_every_mistake_is_said_at_its_field(settings) -> None:
    """In a sentence, without quoting what was typed."""
    fields = forms.fields_of(Made, settings.datasets["survey"])
    given = QueryParams("kind=<b>&depth=0&values=a&epsilon=secret-9")
    with pytest.raises(ValidationError) as caught:
        Made.model_validate({"query": "made", **forms.read(fields, given)})
    said = forms.mistakes(caught.value)

    assert {"column", "kind", "depth", "values", "epsilon"} == said.keys()
    assert "Fill this in." == said["column"]
    assert all(each.endswith(".") and "secret" not in each and "<b>" not in each for each in said.values())


def test_every_question_has_a_title_and_a_sentence() -> None:
    """On the page of a dataset."""
    for name, model in forms.MODELS.items():
        assert labels.title(name)[0].isupper()
        assert forms.about(model).endswith(".")


@pytest.mark.parametrize(
    "answer, question, header, rows",
    [({"candidates": [1, 9]}, {"shares": [0.25, 0.75]}, ("share of the rows", "answer"),
      (("0.25", "1"), ("0.75", "9"))),
     ({"candidates": ["a", "b"], "gaps": [5, 0], "p": 1}, {}, ("place", "answer", "gaps"),
      (("1", "a", "5"), ("2", "b", "0"))),
     ({"a": [1], "b": [2]}, {"by": "job"}, ("job", "answer"), (("a", "1"), ("b", "2"))),
     ({"a": {"x": 1}, "b": {"x": 2}}, {"by": "job"}, ("job", "x"), (("a", "1"), ("b", "2"))),
     ({"x": -1200, "y": 3}, {"column": "job"}, ("job", "count"), (("x", "-1,200"), ("y", "3")))],
)  # fmt: skip
def test_answers_become_tables(answer, question, header, rows) -> None:
    """Of shares, places, groups and counts."""
    shown = answer_shown(answer, question)

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


def test_labels_of_real_questions_are_words(settings) -> None:
    """No form shows marks of code or names of programs; what is rare is optional, and is a field of its question."""
    facts = settings.datasets["survey"]
    for kind, model in forms.MODELS.items():
        fields = forms.fields_of(model, facts)
        assert {*labels.RARE.get(kind, ())} == {each.name for each in fields if each.rare}
        for field in fields:
            assert not (field.rare and field.required)
            assert "`" not in field.help
            assert not field.label.startswith("N ")
            assert "_" not in field.label
    notes = {each.name: each.note for each in forms.fields_of(forms.MODELS["train"], facts)}
    assert "(default: tree)" == notes["model"]
    assert "(default: move to the nearest value)" == notes["unknown"]
    assert ("(optional)", "") == (notes["delta"], notes["target"])
