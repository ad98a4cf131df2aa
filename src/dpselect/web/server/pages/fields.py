"""The form of a query, from its fields: a query that is new has a form by itself."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import QueryParams

from dpselect.dataset import Dataset, DateDomain, NumericDomain
from dpselect.queries import FieldKind, Query, QueryError
from dpselect.queries.columns import plain
from dpselect.web.server.queries import Queries

_SEPARATORS = re.compile(r"[,;\s]+")
# Between names and conditions, which may have spaces and commas.
_BETWEEN_TEXTS = re.compile(r"\s*;\s*")


@dataclass(frozen=True)
class FormField:
    """One field of a form.

    Attributes:
        name: of the field, as in the query.
        label, help: in words.
        control: how it is filled in, as of :class:`dpselect.queries.FieldKind`.
        options: of choices and columns: what is sent, and what is shown.
        required: whether it must be filled in.
        default: what it holds at first.
        rare: whether few people fill it in.
    """

    name: str
    label: str
    help: str
    control: str
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


def queries_about(dataset: Dataset, queries: Queries) -> Queries:
    """Return the queries that can be asked about a dataset, by its public facts."""
    return {name: query for name, query in queries.items() if _fits(query, dataset)}


def fields_of(query: type[Query[Any]], dataset: Dataset) -> list[FormField]:
    """Return the fields of a query about a dataset, the price last; what no column fits and may be left out, is."""
    fields = [_field(name, each, dataset) for name, each in query.fields().items()]
    return [each for each in fields if each.required or each.options or not each.control.startswith("column")]


def fill_query(query: type[Query[Any]], given: QueryParams) -> tuple[Query[Any] | None, dict[str, str]]:
    """Return the query that a form says, if it says one, or the mistakes: a sentence for each field.

    What is left empty is left out. An empty name stands for the whole form.
    """
    values, mistakes = dict[str, Any](), dict[str, str]()
    for name, kind in query.kinds().items():
        texts = [each.strip() for each in given.getlist(name) if each.strip()]
        if kind.control == "list":
            apart = _BETWEEN_TEXTS if _holds_texts(kind) else _SEPARATORS
            texts = [each for each in apart.split(" ".join(texts)) if each]
        try:
            if texts:
                values[name] = kind.of_text(texts if kind.several else texts[-1])
            elif query.default(name) is dataclasses.MISSING:
                mistakes[name] = "Fill this in."
        except ValueError as error:
            mistakes[name] = sentence(str(error))
    if mistakes:
        return None, mistakes
    try:
        return query(**values), {}
    except QueryError as error:
        return None, {error.field: sentence(error.sentence)}


def sentence(words: str) -> str:
    """Return words with a capital letter."""
    return f"{words[:1].upper()}{words[1:]}"


def _holds_texts(kind: FieldKind) -> bool:
    """Return whether a list is one of names or conditions, of any signs."""
    items = kind.schema.get("items", {})
    return kind.control == "list" and items.get("type") == "string" and "pattern" not in items


def _field(name: str, field: dataclasses.Field[Any], dataset: Dataset) -> FormField:
    facts, kind = field.metadata, field.metadata["kind"]
    required = field.default is dataclasses.MISSING
    default = "" if required or field.default is None else str(field.default)
    default = default.lower() if isinstance(field.default, bool) else default
    options = tuple((each, kind.labels.get(each, each)) for each in kind.choices)
    is_column = kind.control.startswith("column")
    if is_column:
        options = tuple((each, _column_text(each, dataset)) for each in _columns(kind, dataset))
    if options and not required and not default and kind.control != "columns":
        options = (("", "(none)" if is_column else "(automatic)"), *options)
    # Options of columns say what they are.
    said = "" if is_column and required else f"{sentence(facts['about'])}."
    if _holds_texts(kind):
        said += " Put a semicolon between several."
    if facts["example"]:
        said += f" For example {facts['example']}."
    label = facts["label"] or sentence(name.replace("_", " "))
    return FormField(name, label, said, kind.control, options, required, default, facts["rare"])


def _columns(kind: FieldKind, dataset: Dataset) -> list[str]:
    return [name for name, domain in dataset.columns.items() if kind.takes(domain)]


def _column_text(column: str, dataset: Dataset) -> str:
    domain = dataset.columns[column]
    if isinstance(domain, DateDomain):
        return f"{column} ({domain.lower} to {domain.upper})"
    if isinstance(domain, NumericDomain):
        return f"{column} ({plain(domain.lower)} to {plain(domain.upper)})"
    return f"{column} ({len(domain)} value{'' if len(domain) == 1 else 's'})"


def _fits(query: type[Query[Any]], dataset: Dataset) -> bool:
    """Return whether a query is about such data, with a column for each field that needs one."""
    needed = [
        kind
        for name, kind in query.kinds().items()
        if kind.control.startswith("column") and query.default(name) is dataclasses.MISSING
    ]
    return query.of_graph == (dataset.graph is not None) and all(_columns(kind, dataset) for kind in needed)
