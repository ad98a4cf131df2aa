"""Fitting to a table that stays in its engine: only counts come home."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpselect.core.errors import PrivacyError
from dpselect.learn.domains import BAD_LABELS, Attribute, attribute
from dpselect.sources.warehouse import Warehouse
from dpselect.views.stored import StoredRecords

if TYPE_CHECKING:
    from dpselect.learn.base import PrivateTrees


def fit_in_place(model: PrivateTrees, source: Any, y: Any, epsilon: Fraction) -> None:
    """Grow the trees of an estimator from a warehouse, or whatever :meth:`Warehouse.open` takes.

    Raises:
        PrivacyError, ValueError, BudgetError: as the estimator's ``fit``; nothing was spent.
        ValueError, ConnectionError: the table changed or the engine failed in training; the spend stays.
    """
    opened = Warehouse.open(source)
    try:
        attributes, classes, label = _declared(model, opened, y)
        model._order = classes
        with opened.reading(), ExitStack() as kept:
            records = _checked(StoredRecords(opened, attributes, label, model.unknown), attributes, model.unknown)
            if opened.temporary:
                records = kept.enter_context(records.coded())
            model._check_size(records.rows)
            model._check_stored(records)
            plan = model._rehearsed(attributes, len(classes), epsilon)
            guarantee = model._spent(epsilon, opened.facts)
            trees = plan(records, model._draws())
            records.confirm()
        model._keep(trees, attributes, classes, guarantee)
        model._name_features([each.name for each in attributes])
    finally:
        if opened is not source:
            opened.close()


def _declared(model: PrivateTrees, source: Warehouse, y: Any) -> tuple[tuple[Attribute, ...], list[Any], Attribute]:
    """Return the attributes, the classes and the target."""
    if not isinstance(y, str):
        raise ValueError("Records in a warehouse bring their labels along: pass fit(table, target), target a name.")
    if isinstance(model.domains, str):
        raise PrivacyError("Domains of a warehouse are declared, not observed: pass domains=.")
    if model.person is not None:
        raise ValueError("person= goes with frames: in a warehouse, build a table with few rows a person.")
    source.require([y])
    attributes, classes = model._declared([name for name in source.columns if name != y], y)
    return attributes, classes, attribute(y, classes, bins=2, missing=False)


def _checked(records: StoredRecords, attributes: Sequence[Attribute], unknown: str) -> StoredRecords:
    """Return the records that are kept, or refuse what is refused of frames."""
    if records.unlabelled():
        raise ValueError(BAD_LABELS)
    for place in records.lacking():
        attributes[place].refuse_missing()
    outside = records.outside()
    if outside and unknown == "error":
        attributes[outside[0]].refuse_outside()
    return records.known()
