"""Training data of a fit: codes and labels to count, whether they came from a frame or stay in a warehouse.

This is the one form of training data. A frame becomes it here, a table that stays in its engine in ``in_place``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.check import Check
from dpselect.learn.domains import attribute
from dpselect.learn.reading import LabelledRows
from dpselect.learn.schema import ReadOptions, Schema
from dpselect.sources.cell_types import LACKING, OUTSIDE
from dpselect.views.records import TrainingTable

Integers = NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class TrainingData:
    """Records that can be counted, and the public facts by which they were read.

    Attributes:
        known: domains and classes.
        records: what a tree counts; private.
        metadata: where they came from, recorded with a spend; nothing private.
        owners: of each record in memory the number of its person, or of its row; private, empty for a warehouse.
    """

    known: Schema
    records: TrainingTable
    metadata: Mapping[str, str] = field(default_factory=dict)
    owners: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))


def of_frame(X: Any, y: Any, reading: ReadOptions) -> TrainingData:
    """Return the rows of a frame that have a code in every column, of each person at most the first few.

    Raises:
        PrivacyError: domains or classes are missing.
        TypeError, ValueError: as :meth:`LabelledRows.of`.
        ValueError: a cell that the curator asked to have refused; a column whose type no domain lists.
    """
    rows = LabelledRows.of(X, y)
    if reading.person is not None:
        rows = rows.bound_rows(reading.person, reading.rows_per_person, reading.missing)
    known = _observed_schema(rows, reading) if reading.is_observed else reading.declared_schema(rows.names, rows.called)
    codes, label, owners = rows.training_codes(known, reading)
    return TrainingData(known, known.table(codes, label), owners=owners)


def check_frame(X: Any, y: Any, reading: ReadOptions) -> Check:
    """Return what a fit would clip or leave out of a frame.

    Raises:
        PrivacyError, ValueError: as :func:`of_frame`, except for what it counts.
    """
    rows, unknown = LabelledRows.of(X, y), reading.unknown
    known = reading.declared_schema(rows.names, rows.called)
    codes, label = rows.codes(known, "ignore")
    trained, target = (codes, label) if unknown != "clip" else rows.codes(known, unknown)
    mask = target >= 0
    for each in trained:
        mask &= each >= 0
    nobody = np.zeros(label.size, dtype=np.bool_)
    if reading.person is not None:
        nobody = rows.people(reading.person) == OUTSIDE
    names = [each.name for each in known.attributes]
    return Check(
        rows=label.size,
        outside={name: int((each == OUTSIDE).sum()) for name, each in zip(names, codes, strict=True)},
        # Where missing cells are a category, they have its code.
        missing={
            each.name: int((code == LACKING).sum() + (each.missing and (code == each.size - 1).sum()))
            for each, code in zip(known.attributes, codes, strict=True)
        },
        labels_outside=int((label == OUTSIDE).sum()),
        labels_missing=int((label == LACKING).sum()),
        nobody=int(nobody.sum()),
        left_out=int((~mask | nobody).sum()),
    )


def _observed_schema(rows: LabelledRows, reading: ReadOptions) -> Schema:
    """Read domains and classes from the data: no privacy, for tests and tutorials."""
    known = []
    for name in rows.names:
        values = np.asarray(rows.columns[name].tolist())
        if values.dtype.kind in "iufb":
            low, high = float(values.min()), float(values.max())
            ends = (low, high if high > low else low + 1)
            known.append(attribute(name, ends, bins=int(reading.bins), missing=False))
        else:
            known.append(attribute(name, sorted(set(values.tolist())), bins=int(reading.bins), missing=False))
    return reading.observed_schema(tuple(known), rows.target)
