"""Words of a ledger on a query: what was asked beside its cost, and of which rows."""

from __future__ import annotations

from typing import Any

from dpselect.dataset import Dataset
from dpselect.queries.base import Query
from dpselect.sources.urls import without_secrets


def ledger_metadata(query: Query[Any], dataset: Dataset) -> dict[str, str]:
    """Return what a ledger records of a query beside its cost, and of where the rows are."""
    usual = {name: query.default(name) for name in query.fields()}
    asked = {name: value for name, value in query.as_json().items() if name not in ("query", "epsilon", "mechanism")}
    said = {name: value for name, value in asked.items() if value != usual[name]} | query.facts(dataset)
    facts = {"command": query.name.replace("_", "-"), **{name: _field_text(value) for name, value in said.items()}}
    if dataset.person is not None:
        facts["person"] = dataset.person
        if query.form in ("model", "table"):
            facts["rows_per_person"] = str(dataset.rows_per_person)
    facts = {name: without_secrets(value) for name, value in facts.items()} | dataset.metadata
    # Bytes of a name that are not UTF-8 are not text that a ledger keeps.
    return {name: value.encode("utf-8", "backslashreplace").decode("utf-8") for name, value in facts.items()}


def _field_text(value: Any) -> str:
    """Return what was asked as text."""
    if isinstance(value, dict):
        return " + ".join(f"{weight} x {name}" for name, weight in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "yes" if value is True else str(value)
