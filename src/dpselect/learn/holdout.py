"""Some records held out of training, to score what was trained on the others. Proof: ``holdout.md``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.training import TrainingData
from dpselect.release.session import LARGEST_BOUND
from dpselect.views.records import Records

Integers = NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class HoldOut:
    """Training data in two parts that share nobody; private.

    Attributes:
        train: what models grow from.
        held_out: what scores them.
    """

    train: TrainingData
    held_out: TrainingData

    @classmethod
    def of(cls, data: TrainingData, owners_held_out: NDArray[np.bool_]) -> HoldOut:
        """Return the records of those who are held out, and the others."""
        mask = owners_held_out[data.owners]
        return cls(_part(data, ~mask), _part(data, mask))

    def correct(self, model: Any) -> int:
        """Return how many records that are held out a model labels rightly: one number, private."""
        records = in_memory(self.held_out)
        labels = model._chances(records.codes).argmax(axis=1)
        return int(np.count_nonzero(labels == records.labels))


def held_out(owners: int, share: Fraction, uniform: Callable[[Integers], Integers]) -> NDArray[np.bool_]:
    """Return who is held out: a coin of chance ``share`` for each, of its own, whatever the others' show.

    Digits of a uniform number are drawn until they differ from those of the share: one, unless its denominator is long.
    """
    mask, undecided = np.zeros(owners, dtype=np.bool_), np.arange(owners)
    while undecided.size and share:
        base = min(share.denominator, LARGEST_BOUND)
        digit, share = divmod(share * base, 1)
        drawn = uniform(np.full(undecided.size, base))
        mask[undecided[drawn < digit]] = True
        undecided = undecided[drawn == digit]
    return mask


def at_the_root(data: TrainingData) -> Records:
    """Return the records as they are before any tree has sent them down."""
    return in_memory(data).again()


def in_memory(data: TrainingData) -> Records:
    """Return records that are held in memory: those of a frame are."""
    assert isinstance(data.records, Records)
    return data.records


def _part(data: TrainingData, mask: NDArray[np.bool_]) -> TrainingData:
    records = in_memory(data)
    codes = [np.asarray(column)[mask] for column in records.codes]
    part = Records(codes, records.labels[mask], records.sizes, records.classes)
    return replace(data, records=part, owners=data.owners[mask])
