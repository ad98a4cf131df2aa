"""Releases by their answers in JSON, where groups and values are text and tuples are lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any, TypeVar

from dpselect.certificates.canonical_json import number_of, text
from dpselect.release.release import Release

ReleaseT = TypeVar("ReleaseT", bound=Release[Any])


def with_answer(example: ReleaseT, answer: Mapping[str, Any]) -> ReleaseT:
    """Return the release that a certificate has the answer of.

    Args:
        example: a release of the same query about rows of the same public facts.
        answer: as the certificate has it.

    Raises:
        LookupError, TypeError, ValueError: it is not the answer to such a query.

    >>> from dpselect import counts
    >>> example = counts({"code": [1, 2]}, epsilon=1, column="code", domain=[1, 2.5])
    >>> with_answer(example, {"1": 40, "2.5": 2}).value
    {1: 40, 2.5: 2}
    """
    if isinstance(example.value, Mapping) and not example.single:
        return replace(example, value=_with_types(answer, example.value))
    if example.tick is not None:
        return replace(example, value=number_of(answer["value"]), tick=number_of(answer["tick"]))
    winners = answer["candidates"]
    (value,) = winners if example.single else (winners,)
    gaps = tuple(answer.get("gaps", ()))
    return replace(example, value=_with_types(value, example.value), gaps=gaps, p_value=answer.get("p-value"))


def _with_types(value: Any, example: Any) -> Any:
    """Return a value of JSON in the types of an example."""
    if isinstance(example, Mapping) and isinstance(value, Mapping):
        names, form = {text(name): name for name in example}, next(iter(example.values()), None)
        return {names.get(name, name): _with_types(each, form) for name, each in value.items()}
    if isinstance(value, str) and isinstance(example, date):
        return date.fromisoformat(value)
    if not isinstance(value, list):
        return value
    if isinstance(example, tuple):
        form = next(iter(example), None)
        return tuple(_with_types(each, form) for each in value)
    (winner,) = value
    return _with_types(winner, example) if isinstance(example, date) else winner
