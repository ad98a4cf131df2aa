"""The form of a question, from its model: a question that is new has a form by itself."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args, get_type_hints

from pydantic import ValidationError
from starlette.datastructures import QueryParams

from dpselect.web.server.facts import DatasetFacts, Numbers, plain
from dpselect.web.server.pages import labels
from dpselect.web.server.questions import AnyQuestion, Question
from dpselect.web.server.questions.question import NO_COLUMN, ColumnName
from dpselect.web.server.refusal import Wrong

MODELS: dict[str, type[Question]] = {
    get_args(model.model_fields["question"].annotation)[0]: model for model in get_args(get_args(AnyQuestion)[0])
}
_EXAMPLES = {"shares": "0.25, 0.5, 0.75", "epsilon": "0.5"}
_LISTED = re.compile(r"[,;\s]+")
# Whatever a number is above, so long as no question has so many candidates.
_ANY = 10**9


@dataclass(frozen=True)
class Field:
    """One field of a form.

    Attributes:
        name: of the field, as in the model.
        label, help: in words.
        kind: how it is filled in: "choice", "several", "number", "list" or "words".
        options: of choices: what is sent, and what is shown.
        required: whether it must be filled in.
        default: what it holds at first.
        rare: whether few people fill it in.
    """

    name: str
    label: str
    help: str
    kind: str
    options: tuple[tuple[str, str], ...] = ()
    required: bool = True
    default: str = ""
    rare: bool = False

    @property
    def note(self) -> str:
        """Return what is said of a field that may be left as it is."""
        shown = dict(self.options).get(self.default, self.default)
        return "" if self.required else f"(default: {shown})" if shown and self.default else "(optional)"

    def is_changed(self, values: Sequence[str]) -> bool:
        """Return whether somebody has filled it in."""
        return any(each not in ("", self.default) for each in values)


def about(model: type[Question]) -> str:
    """Return what a question asks for, in a sentence."""
    return (model.__doc__ or "").partition("\n")[0]


def asked_of(facts: DatasetFacts) -> list[str]:
    """Return the questions that can be asked about a dataset, by its public facts."""
    return [name for name, model in MODELS.items() if _fits(model, facts)]


def fields_of(model: type[Question], facts: DatasetFacts) -> list[Field]:
    """Return the fields of a question about a dataset, the price last."""
    schema, helps = _schema(model), _helps(model)
    names = [name for name in model.model_fields if name not in ("question", "epsilon")]
    return [_field(model, name, schema, helps, facts) for name in [*names, "epsilon"]]


def read(fields: Sequence[Field], given: QueryParams) -> dict[str, Any]:
    """Return what a filled form says, for the model to check; what is left empty is left out."""
    result: dict[str, Any] = {}
    for field in fields:
        filled = [each.strip() for each in given.getlist(field.name) if each.strip()]
        if not filled:
            continue
        if field.kind == "several":
            result[field.name] = filled
        elif field.kind == "list":
            result[field.name] = [each for each in _LISTED.split(filled[-1]) if each]
        elif field.kind == "words" and filled[-1][0] in "[{":
            result[field.name] = _parsed(filled[-1])
        else:
            result[field.name] = filled[-1]
    return result


def mistakes(error: ValidationError) -> dict[str, str]:
    """Return what is wrong in a form, a sentence for each field; an empty name stands for the whole form."""
    result: dict[str, str] = {}
    for each in error.errors(include_url=False):
        # The first part of a place is the kind of question.
        name = next((str(part) for part in each["loc"] if part not in MODELS), "")
        if each["type"] == "missing":
            sentence = "Fill this in."
        else:
            words = str(each["msg"]).removeprefix("Value error, ").rstrip(".")
            sentence = f"{words[:1].upper()}{words[1:]}."
        result.setdefault(name, sentence)
    return result


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _field(
    model: type[Question], name: str, schema: dict[str, Any], helps: dict[str, str], facts: DatasetFacts
) -> Field:
    info = model.model_fields[name]
    form = _form(schema["properties"][name], schema)
    default = "" if info.is_required() or info.default is None else str(info.default)
    default = default.lower() if form.get("type") == "boolean" else default
    said = helps.get(name, "")
    asked = get_args(model.model_fields["question"].annotation)[0]
    if name in _EXAMPLES:
        said = f"{said} For example {_EXAMPLES[name]}.".strip()
    kind, options = "words", tuple[tuple[str, str], ...]()
    if _is_column(model, name):
        kind = "several" if form.get("type") == "array" else "choice"
        # The options say what kind of column it is.
        said = "" if info.is_required() else said
        options = tuple((column, _described(column, facts)) for column in _columns(model, name, facts))
    elif "enum" in form:
        kind, options = "choice", tuple((str(each), labels.choice(name, str(each))) for each in form["enum"])
    elif form.get("type") == "boolean":
        kind, options = "choice", (("true", "yes"), ("false", "no"))
    elif form.get("type") == "array":
        kind = "list"
    elif form.get("type") in ("integer", "number"):
        kind = "number"
    if kind == "choice" and not info.is_required() and not default:
        options = (("", "(none)" if _is_column(model, name) else "(the model chooses)"), *options)
    rare = name in labels.RARE.get(asked, ())
    return Field(name, labels.label(asked, name), said, kind, options, info.is_required(), default, rare)


def _form(part: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return the form of a value that is there."""
    if "$ref" in part:
        return _form(schema["$defs"][part["$ref"].rpartition("/")[2]], schema)
    choices = [each for each in part.get("anyOf", []) if each.get("type") != "null"]
    if choices:
        return _form(choices[0], schema)
    return part | {"enum": [part["const"]]} if "const" in part else part


def _helps(model: type[Question]) -> dict[str, str]:
    """Return what the description of a model says of each field."""
    result, name = dict[str, str](), ""
    listed = (
        (model.__doc__ or "").partition("Attributes:")[2] + "\n" + (Question.__doc__ or "").partition("Attributes:")[2]
    )
    for line in map(str.strip, listed.splitlines()):
        begun = re.match(r"([a-z_, ]+): (.*)", line)
        if begun and all(each.strip() in model.model_fields for each in begun[1].split(",")):
            name = begun[1]
            result |= {each.strip(): begun[2] for each in name.split(",")}
        elif line and name:
            result |= {each.strip(): f"{result[each.strip()]} {line}" for each in name.split(",")}
    # Descriptions mark code, which forms do not.
    return {name: f"{words[:1].upper()}{words[1:]}".replace("``", "") for name, words in result.items()}


def _described(column: str, facts: DatasetFacts) -> str:
    domain = facts.columns[column]
    if isinstance(domain, Numbers):
        return f"{column} ({plain(domain.lower)} to {plain(domain.upper)})"
    return f"{column} ({len(domain)} value{'' if len(domain) == 1 else 's'})"


def _is_column(model: type[Question], name: str) -> bool:
    """Return whether a field names a column, or several."""

    def within(hint: Any) -> bool:
        return hint == ColumnName or any(within(each) for each in get_args(hint) if each is not Ellipsis)

    return within(_hints(model)[name])


@cache
def _hints(model: type[Question]) -> dict[str, Any]:
    return get_type_hints(model, include_extras=True)


@cache
def _schema(model: type[Question]) -> dict[str, Any]:
    return model.model_json_schema()


def _columns(model: type[Question], name: str, facts: DatasetFacts) -> list[str]:
    """Return the columns that a field may name: those of a kind that some question takes there."""
    by_kind = {isinstance(domain, Numbers): column for column, domain in reversed(facts.columns.items())}
    kinds = {kind for kind, column in by_kind.items() if _some(model, facts, {name: column}, by_kind)}
    return [column for column, domain in facts.columns.items() if isinstance(domain, Numbers) in (kinds or by_kind)]


def _fits(model: type[Question], facts: DatasetFacts) -> bool:
    by_kind = {isinstance(domain, Numbers): column for column, domain in reversed(facts.columns.items())}
    return _some(model, facts, {}, by_kind, wholly=True)


def _some(
    model: type[Question], facts: DatasetFacts, fixed: dict[str, str], by_kind: dict[bool, str], wholly: bool = False
) -> bool:
    """Return whether some question is about this dataset, with these columns in these fields; or about its columns."""
    for content in _tried(model, fixed, by_kind):
        try:
            model.model_validate(content).require(facts, _ANY)
        except ValidationError:
            continue
        except Wrong as error:
            if wholly or str(error) == NO_COLUMN:
                continue
        return True
    return False


def _tried(model: type[Question], fixed: dict[str, str], by_kind: dict[bool, str]) -> Iterator[dict[str, Any]]:
    """Yield questions with one column of each kind in each field, and every choice."""
    schema = _schema(model)
    names, values = list[str](), list[Sequence[Any]]()
    for name, info in model.model_fields.items():
        form = _form(schema["properties"][name], schema)
        listed = form.get("type") == "array"
        if name == "question":
            tried: list[Any] = form["enum"]
        elif _is_column(model, name):
            columns = [fixed[name]] if name in fixed else [*by_kind.values()]
            tried = [[each] if listed else each for each in columns]
        elif "enum" in form:
            tried = form["enum"] if info.is_required() else []
        else:
            tried = [[0.5] if listed else 1]
        if not info.is_required() and name not in fixed:
            tried = [None, *tried] if _is_column(model, name) else [None]
        names.append(name)
        values.append(tried)
    for chosen in itertools.islice(itertools.product(*values), 1000):
        yield {name: value for name, value in zip(names, chosen, strict=True) if value is not None}
