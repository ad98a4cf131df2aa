"""Training data that stay in their engine: only counts leave it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from dpselect.kernel.errors import InputError, PrivacyError
from dpselect.learn.check import Check
from dpselect.learn.domains import Attribute
from dpselect.learn.schema import ReadOptions, Schema, require_labels
from dpselect.learn.training import TrainingData
from dpselect.sources.temporary import Temporary
from dpselect.sources.warehouse import Warehouse
from dpselect.views.stored_records import StoredRecords
from dpselect.views.stored_text import text_read_once


@contextmanager
def in_place(source: Any, y: Any, reading: ReadOptions) -> Iterator[TrainingData]:
    """Yield the records of a warehouse, or of whatever :meth:`Warehouse.open` takes, while it is being read.

    Raises:
        PrivacyError, ValueError: domains or classes are missing; a cell that the curator asked to have refused.
        ValueError, ConnectionError: the table changed or the engine failed, also later, while it is counted.
    """
    with ExitStack() as stack:
        engine, known, label = _open_warehouse(source, y, reading, stack)
        temporary = stack.enter_context(Temporary(engine))
        read = stack.enter_context(text_read_once(engine, known.attributes, label, reading.unknown, temporary))
        records = _require_codes(read, known.attributes, reading)
        if engine.temporary:
            records = records.code_records()
        yield TrainingData(known, records, engine.metadata)
        records.confirm()


def check_in_place(source: Any, y: Any, reading: ReadOptions) -> Check:
    """Return what a fit from a warehouse would clip or leave out.

    Raises:
        PrivacyError, ValueError, ConnectionError: as :func:`in_place`, except for what it counts.
    """
    with ExitStack() as stack:
        engine, known, label = _open_warehouse(source, y, reading, stack)
        strict, trained = (
            stack.enter_context(text_read_once(engine, known.attributes, label, unknown))
            for unknown in ("ignore", reading.unknown)
        )
        outside, lacking, (beyond, unlabelled) = strict.strays([each.missing for each in known.attributes])
        rows, left = strict.rows, trained.known_records().rows
    names = [each.name for each in known.attributes]
    return Check(
        rows=rows,
        outside=dict(zip(names, outside, strict=True)),
        missing=dict(zip(names, lacking, strict=True)),
        labels_outside=beyond,
        labels_missing=unlabelled,
        nobody=0,
        left_out=rows - left,
    )


def _open_warehouse(source: Any, y: Any, reading: ReadOptions, stack: ExitStack) -> tuple[Warehouse, Schema, Attribute]:
    """Return a warehouse that is being read until ``kept`` closes, the public facts, and the target."""
    engine = Warehouse.open(source)
    if engine is not source:
        stack.callback(engine.close)
    if not isinstance(y, str):
        raise InputError("Records in a warehouse bring their labels along: pass fit(table, target), target a name.")
    if isinstance(reading.domains, str):
        raise PrivacyError("Domains of a warehouse are declared, not observed: pass domains=.")
    if reading.person is not None:
        raise InputError("person= goes with frames: in a warehouse, build a table with few rows per person.")
    engine.require([y])
    columns = [name for name in engine.columns if name != y]
    if engine.is_csv:
        _require_domains(columns, reading.domains)
    known = reading.declared_schema(columns, y)
    stack.enter_context(engine.reading())
    return engine, known, known.label(y)


def _require_domains(columns: Sequence[str], domains: Any) -> None:
    """Refuse csv files with columns that have no domain, and quote no name: perhaps it is a cell of a record."""
    lacking = sum(name not in domains for name in columns) if isinstance(domains, Mapping) else 0
    if lacking:
        raise PrivacyError(
            f"domains lacks {lacking} of the {len(columns)} columns that the first line of the csv file names: pass "
            "the public domain of every column."
        )


def _require_codes(records: StoredRecords, attributes: Sequence[Attribute], reading: ReadOptions) -> StoredRecords:
    """Return the records that have a code in every column; refuse what the curator asked to have refused."""
    if reading.missing == "error":
        for place in records.lacking():
            attributes[place].refuse_missing()
    outside = records.outside()
    if outside and reading.unknown == "error":
        attributes[outside[0]].refuse_outside()
    beyond, lacking = records.unlabelled_counts()
    require_labels(beyond, lacking, reading.unknown, reading.missing)
    return records.known_records()
