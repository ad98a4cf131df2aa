"""Records in an engine with scores: each sum over a tile is one grouped query, and only its groups leave the engine.

Codes and scores are in a temporary table. What is added waits, as public numbers in the next query, until it pays to
write the scores anew. All is in integers: chances come from a public table that the engine joins, and a quotient is
taken of a multiple of its divisor, which is exact in whatever arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.sources.encoding import Domain
from dpselect.sources.temporary import Temporary
from dpselect.sources.warehouse import Warehouse
from dpselect.views.gradient_sums import (
    BINARY,
    CLASSES,
    SCORE_UNIT,
    SQUARED,
    UNIT,
    WIDEST,
    Interaction,
    Loss,
    exp_table,
    sigmoid_table,
)

Integers = NDArray[np.int64]
# So many tiles wait where rewriting means a copy of the table: each costs every query a look at its columns.
_WAITING = 4
# So many values are written as an array, and more of them as comparisons, at most so many.
_SHORT = 128
# What one query can hold in reasonable time: each class is a join, each category a number.
MOST_CLASSES, MOST_CATEGORIES = 20, 2000
# More rows than any table has: a query with a limit stays as it is written.
_ALL = 2**62


def require_short_rounds(classes: int, attributes: Sequence[Domain]) -> None:
    """Refuse domains of which the query of a round would grow too long.

    Raises:
        ValueError: too many classes, or categories of one column.
    """
    if classes > MOST_CLASSES:
        raise InputError(
            f"Boosting in an engine takes at most {MOST_CLASSES} classes, and {classes} are declared: read the table "
            "into a frame, or train a tree."
        )
    for each in attributes:
        if each.edges is None and each.size > MOST_CATEGORIES:
            raise InputError(
                f"Boosting in an engine takes at most {MOST_CATEGORIES:,} categories per column, and {each.name!r} has "
                f"{each.size:,}: read the table into a frame, or declare fewer."
            )


class StoredScores:
    """Records in an engine with scores.

    Args:
        temporary: where temporary tables are.
        warehouse: a temporary table with the codes of attributes in columns a0, a1, ..., class codes in label, and
            scores in s0, s1, ...
        loss: what is summed.
    """

    def __init__(self, temporary: Temporary, warehouse: Warehouse, loss: Loss) -> None:
        self._temporary, self._warehouse, self._loss = temporary, warehouse, loss
        self._table = warehouse.table
        self._waiting: list[tuple[Interaction, Integers]] = []
        self._most = 0 if temporary.updates or loss.outputs > 1 else _WAITING
        self._public = _table(temporary, loss)

    def sums(self, tile: Interaction) -> tuple[Integers, Integers]:
        """Return the sums of gradients and of Hessians at the current scores, each of shape (parts, outputs).

        Raises:
            ConnectionError: the engine failed.
        """
        if len(self._waiting) > self._most:
            self._table = self._temporary.rewritten(self._table, self._scores())
            self._waiting = []
        table = self._table
        rows = table.select(part=_part(table, tile), label=table.label.cast("int64"), **self._scores())
        derived = self._derivatives(rows)
        outputs = range(self._loss.outputs)
        names = [f"{kind}{output}" for kind in "gh" for output in outputs]
        totals = {name: derived[name].sum().cast("int64") for name in names}
        # An engine that gave more rows than the tile has parts would not be asked for all of them.
        answer = self._warehouse.ask(derived.group_by("part").aggregate(**totals).limit(tile.parts + 1))
        both = np.zeros((2, tile.parts, len(outputs)), dtype=np.int64)
        for which, kind in enumerate("gh"):
            for output in outputs:
                both[which, answer["part"], output] = answer[f"{kind}{output}"]
        return both[0], both[1]

    def add(self, tile: Interaction, values: Integers) -> None:
        """Add ``values[part, output]``, in units of scores, to the scores of the records of each part: later."""
        self._waiting.append((tile, values))

    def _scores(self) -> dict[str, Any]:
        """Return the current scores, what waits included."""
        result = {}
        for output in range(self._loss.outputs):
            score = self._table[f"s{output}"]
            for tile, values in self._waiting:
                score = score + _at(values[:, output], _part(self._table, tile))
            result[f"s{output}"] = score.cast("int32")
        return result

    def _derivatives(self, rows: Any) -> Any:
        """Return part, gradients g0, g1, ... and Hessians h0, h1, ... of every record."""
        import ibis

        if self._loss.kind == SQUARED:
            target = self._loss.first + self._loss.step * rows.label
            residual = (rows.s0.cast("int64") - target) * (UNIT // SCORE_UNIT)
            return rows.select("part", g0=_clip(residual, self._loss.clip), h0=ibis.literal(UNIT, "int64"))
        if self._loss.kind == BINARY:
            place = _clip(rows.s0, WIDEST) + (rows.label * (2 * WIDEST + 1) + WIDEST)
            public = self._public
            return rows.mutate(place=place.cast("int32")).join(public, "place").select("part", "g0", "h0")
        return self._softmax(rows)

    def _softmax(self, rows: Any) -> Any:
        """Return clipped gradients and Hessians of several classes, rounded toward zero."""
        outputs, loss = range(self._loss.outputs), self._loss
        chances = self._chances(rows)
        derived = chances.select(
            "part",
            **{f"h{each}": _over(chances[f"p{each}"] * (UNIT - chances[f"p{each}"]), UNIT) for each in outputs},
            **{f"g{each}": chances[f"p{each}"] - (chances.label == each).ifelse(UNIT, 0) for each in outputs},
        )
        derived = self._fence(derived)
        gradients = [derived[f"g{each}"] for each in outputs]
        if loss.norm == 1:
            sized = self._fence(derived.mutate(size=_sum([each.abs() for each in gradients])))
            sized = self._fence(sized.mutate(norm=(sized.size > loss.clip).ifelse(sized.size, loss.clip)))
        else:
            sized = self._fence(derived.mutate(squares=_sum([each * each for each in gradients])))
            sized = sized.mutate(near=19 * UNIT // 32 + _over(sized.squares * 13, 32 * UNIT))
            sized = self._fence(sized)
            above = _over(sized.near + _over(sized.squares, sized.near), 2) + 1
            sized = self._fence(sized.mutate(norm=(sized.squares > loss.clip**2).ifelse(above, loss.clip)))
        clipped = {f"g{each}": _shrunk(sized[f"g{each}"], loss.clip, sized.norm) for each in outputs}
        return sized.select("part", *[f"h{each}" for each in outputs], **clipped)

    def _chances(self, rows: Any) -> Any:
        """Return part, label and the chances p0, p1, ... of every record, rounded down."""
        outputs, public = range(self._loss.outputs), self._public
        places = {f"place{each}": (_clip(rows[f"s{each}"], WIDEST) + WIDEST).cast("int32") for each in outputs}
        rows = joined = self._fence(rows.select("part", "label", **places))
        for each in outputs:
            # One chain of joins, none inside another: a query of many classes is as deep as one of few.
            one = public.select(**{f"row{each}": public.place, f"w{each}": public.weight.cast("int64")})
            joined = joined.join(one, rows[f"place{each}"] == one[f"row{each}"])
        rows = joined.select("part", "label", *[f"w{each}" for each in outputs])
        rows = self._fence(rows.mutate(total=_sum([rows[f"w{each}"] for each in outputs])))
        chances = {f"p{each}": _over(rows[f"w{each}"] * UNIT, rows.total) for each in outputs}
        return self._fence(rows.select("part", "label", **chances))

    def _fence(self, rows: Any) -> Any:
        """Return the same rows; an engine that would write expressions out again and again computes them once."""
        return rows.limit(_ALL) if self._temporary.inlines else rows

    def __repr__(self) -> str:
        return f"StoredScores(outputs={self._loss.outputs})"


def _table(temporary: Temporary, loss: Loss) -> Any:
    """Return the public table that rounds join: of gradients and Hessians of two classes, or of weights of several."""
    if loss.kind == BINARY:
        chance = sigmoid_table()
        gradients = np.clip(np.concatenate((chance, chance - UNIT)), -loss.clip, loss.clip)
        hessians = np.tile(chance * (UNIT - chance) // UNIT, 2)
        return temporary.lists(place=_narrow(np.arange(gradients.size)), g0=_narrow(gradients), h0=_narrow(hessians))
    if loss.kind == CLASSES:
        weights = exp_table()
        return temporary.lists(place=_narrow(np.arange(weights.size)), weight=_narrow(weights))
    return None


def _narrow(values: Integers) -> NDArray[np.int32]:
    return values.astype(np.int32)


def _part(table: Any, tile: Interaction) -> Any:
    """Return the part of every record."""
    return _sum([_at(offsets, table[f"a{place}"]) for place, offsets in zip(tile.columns, tile.parts_of, strict=True)])


def _at(values: Integers, place: Any) -> Any:
    """Return ``values[place]``: by where values change, if they seldom do, as for numbers; else written out."""
    import ibis

    starts = np.flatnonzero(np.diff(values)) + 1
    if values.size <= _SHORT or starts.size > _SHORT:
        return ibis.literal(values.tolist(), "array<int32>")[place]
    steps = [(place >= int(start)).ifelse(int(values[start] - values[start - 1]), 0).cast("int32") for start in starts]
    return _sum([ibis.literal(int(values[0]), "int32"), *steps])


def _sum(terms: Sequence[Any]) -> Any:
    """Return the sum of terms, in pairs of pairs: a compiler goes as deep as an expression is."""
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    return _sum(terms[:half]) + _sum(terms[half:])


def _clip(value: Any, most: int) -> Any:
    import ibis

    return ibis.least(ibis.greatest(value, -most), most)


def _over(dividend: Any, divisor: Any) -> Any:
    """Return the quotient of integers below 2^53, none negative, rounded down.

    What is divided is a multiple of the divisor, so that an engine may do it in floating point.
    """
    return ((dividend - dividend % divisor) / divisor).cast("int64")


def _shrunk(value: Any, most: int, norm: Any) -> Any:
    """Return ``value * most / norm``, rounded toward zero."""
    size = _over(value.abs() * most, norm)
    return (value < 0).ifelse(-size, size)
