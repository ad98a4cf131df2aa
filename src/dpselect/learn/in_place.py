"""Fitting to a table that stays in its engine: only counts come home."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpselect.kernel.errors import PrivacyError
from dpselect.learn.check import Check
from dpselect.learn.domains import Attribute, attribute
from dpselect.learn.reading import require_labels
from dpselect.sources.warehouse import Warehouse
from dpselect.views.stored import StoredRecords
from dpselect.views.stored_text import text_read_once

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
            read = kept.enter_context(text_read_once(opened, attributes, label, model.unknown))
            records = _required(read, attributes, model)
            if opened.temporary:
                records = kept.enter_context(records.coded())
            model._check_size(records.rows)
            model._check_stored(records)
            plan = model._rehearsed(attributes, len(classes), epsilon)
            guarantee = model._promised(epsilon)
            with model._paid(guarantee, opened.facts) as draws:
                trees = plan(records, draws)
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
        raise ValueError("person= goes with frames: in a warehouse, build a table with few rows per person.")
    source.require([y])
    attributes, classes = model._declared([name for name in source.columns if name != y], y)
    return attributes, classes, attribute(y, classes, bins=2, missing=False)


def _required(records: StoredRecords, attributes: Sequence[Attribute], model: PrivateTrees) -> StoredRecords:
    """Return the records that have a code in every column; refuse what the curator asked to have refused."""
    if model.missing == "error":
        for place in records.lacking():
            attributes[place].refuse_missing()
    outside = records.outside()
    if outside and model.unknown == "error":
        attributes[outside[0]].refuse_outside()
    beyond, lacking = records.unlabelled()
    require_labels(beyond, lacking, model.unknown, model.missing)
    return records.known()


def check_in_place(model: PrivateTrees, source: Any, y: Any) -> Check:
    """Return what a fit from a warehouse would clip or leave out.

    Raises:
        PrivacyError, ValueError, ConnectionError: as :func:`fit_in_place`.
    """
    opened = Warehouse.open(source)
    try:
        attributes, _, label = _declared(model, opened, y)
        with opened.reading(), ExitStack() as kept:
            strict, trained = (
                kept.enter_context(text_read_once(opened, attributes, label, unknown))
                for unknown in ("ignore", model.unknown)
            )
            outside, lacking, (beyond, unlabelled) = strict.strays([each.missing for each in attributes])
            rows, left = strict.rows, trained.known().rows
    finally:
        if opened is not source:
            opened.close()
    names = [each.name for each in attributes]
    return Check(
        rows=rows,
        outside=dict(zip(names, outside, strict=True)),
        missing=dict(zip(names, lacking, strict=True)),
        labels_outside=beyond,
        labels_missing=unlabelled,
        nobody=0,
        left_out=rows - left,
    )
