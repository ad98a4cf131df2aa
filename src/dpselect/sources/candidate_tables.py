"""Parts of an engine that candidates need: columns of known kinds, a public domain, literals, a bitmap."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError, InputTypeError, PrivacyError
from dpselect.kernel.units import TICK_CLIP
from dpselect.sources import encoding
from dpselect.sources.engines import engine, engine_of
from dpselect.sources.ordinals import Ask
from dpselect.sources.warehouse import Warehouse, is_expression

# A longer list of names is joined by engines that hold tables in memory, and not written into every query.
_MOST_LISTED = 10_000


def columns(place: Warehouse, candidate: str, score: str, profile: tuple[str, ...]) -> Any:
    """Return candidate, score, profile0, .. of known kinds: exact scores as int64, others as float64.

    Raises:
        ValueError, TypeError: a column is missing, or of a type that is not a name, no number.
    """
    place.require([candidate, score, *profile])
    table, kind = place.table, place.table.schema()[candidate]
    if not (kind.is_string() or kind.is_integer()) or kind.is_uint64():
        raise InputTypeError(
            "Candidates must be text, or integers of at most 64 bits with their sign: cast the column."
        )
    return table.select(
        candidate=table[candidate].cast("int64" if kind.is_integer() else "string"),
        score=_number(table[score], table.schema()[score]),
        **{f"profile{i}": table[column] for i, column in enumerate(profile)},
    )


def _number(score: Any, kind: Any) -> Any:
    import ibis

    if kind.is_uint64() or (kind.is_decimal() and kind.scale == 0):
        # Beyond 64 bits only after the public clip of exact scores.
        clipped = score.clip(upper=TICK_CLIP) if kind.is_uint64() else score.clip(lower=-TICK_CLIP, upper=TICK_CLIP)
        return clipped.cast("int64")
    if kind.is_integer() or kind.is_boolean():
        return score.cast("int64")
    if kind.is_floating() or kind.is_decimal():
        real = score.cast("float64")
        # One zero, so that groups and literals agree on it.
        return ibis.ifelse(real == 0, ibis.literal(0.0, "float64"), real)
    raise InputTypeError("Scores must be real numbers: cast the column to integers or floats.")


def usable(rows: Any, known: Any) -> Any:
    """Return the rows of public candidates, each with a finite score; every row is read by itself.

    A row without a name, or with one outside the domain, is left out. A score that is missing counts as 0, which is
    what a candidate without a row has, and an infinite one as the largest double.
    """
    import ibis

    score = rows.score
    if score.type().is_floating():
        end = float(np.finfo(np.float64).max)
        ends = [(score > literal(end), literal(end)), (score < literal(-end), literal(-end))]
        finite = ibis.cases((encoding.is_missing(score), literal(0.0)), *ends, else_=score)
    else:
        finite = score.fill_null(0)
    named = rows.filter(rows.candidate.notnull()).mutate(score=finite)
    if known is None:
        return named
    if isinstance(known, range):
        return named.filter((named.candidate >= known[0]) & (named.candidate <= known[-1]))
    if isinstance(known, np.ndarray):
        if known.size <= _MOST_LISTED or not engine_of(rows).joins_arrays:
            return named.filter(named.candidate.isin(known.tolist()))
        import pyarrow

        known = ibis.memtable(pyarrow.table({"candidate": pyarrow.array(known.tolist())}))
    return named.semi_join(known, "candidate")


def unusable(rows: Any, known: Any, ask: Ask) -> str | None:
    """Return what is wrong with some row, for the curator, or ``None``."""
    score, least = rows.score, np.finfo(np.float64).max
    real = score.type().is_floating()
    endless = (score.abs() > literal(float(least))).fill_null(False) if real else rows.candidate.isnull() & False
    gone = encoding.is_missing(score)
    good = usable(rows, known)
    result = ask(
        rows.aggregate(n=rows.count(), named=rows.candidate.count(), gone=gone.sum(), endless=(endless & ~gone).sum())
    )
    total = int(result["n"][0])
    if int(result["named"][0]) < total:
        return "Some candidates are NULL: a selection leaves those rows out."
    if int(result["gone"][0] or 0):
        return "Some scores are NULL or NaN: a selection counts them as 0."
    if int(result["endless"][0] or 0):
        return "Some scores are infinite: a selection counts them as the largest double."
    if int(ask(good.aggregate(n=good.count()))["n"][0]) < total:
        return "A candidate of the table is not in the public domain: a selection leaves its row out."
    return None


def domain(candidates: Any, integers: bool) -> Any:
    """Return the public candidates: a range, a sorted array, an Ibis table of one column, or ``None`` for the rows.

    Raises:
        PrivacyError: none was given.
        ValueError, TypeError: it is empty, a range with a step, or of another type than the column.
    """
    if candidates is None:
        raise PrivacyError(
            "Which candidates there are must not depend on the data: pass domain= as a range, a list or a table, or "
            'domain="rows" if the table always has a row for every public candidate.'
        )
    if isinstance(candidates, str):
        if candidates != "rows":
            raise InputError('domain is a range, a list, an Ibis column or table, or "rows".')
        return None
    if isinstance(candidates, range):
        if not candidates or candidates.step != 1 or candidates.start < -(2**63) or candidates.stop > 2**63:
            raise InputError("A range of candidates has at least one, step 1, and fits 64 bits.")
        kind = True
    elif is_expression(candidates):
        candidates = candidates if hasattr(candidates, "columns") else candidates.as_table()
        if len(candidates.columns) != 1:
            raise InputError("A table of public candidates has one column: select it.")
        candidates = candidates.rename(candidate=candidates.columns[0])
        kind = bool(candidates.schema()["candidate"].is_integer())
        candidates = candidates.mutate(candidate=candidates.candidate.cast("int64" if kind else "string"))
    else:
        candidates = _sorted_list(candidates)
        kind = candidates.dtype.kind == "i"
    if kind != integers:
        raise InputTypeError("The domain and the candidates of the table must both be integers, or both text.")
    return candidates


def _sorted_list(values: Any) -> NDArray[Any]:
    """Return a list of public candidates, sorted: int64, or objects for text."""
    if not isinstance(values, (list, tuple, np.ndarray)) or not len(values):
        raise InputTypeError("domain lists public candidates: a list of integers, or of text, with at least one.")
    names = values.tolist() if isinstance(values, np.ndarray) else list(values)
    whole = all(isinstance(name, (int, np.integer)) and not isinstance(name, bool) for name in names)
    if not whole and not all(isinstance(name, str) for name in names):
        raise InputTypeError("A list of public candidates holds integers only, or text only.")
    if len(set(names)) != len(names):
        raise InputError("Some candidates are listed twice: pass each public candidate once.")
    return np.array(sorted(names), dtype=np.int64 if whole else object)


def literal(value: Any) -> Any:
    """Return a value as the engine's own; floats travel as text, which every engine rounds rightly."""
    import ibis

    plain = value.item() if isinstance(value, np.generic) else value
    return ibis.literal(repr(plain)).cast("float64") if isinstance(plain, float) else ibis.literal(plain)


def like(values: NDArray[Any], value: Any) -> NDArray[Any]:
    """Return a public value as an array of the kind of a column, shape (1,).

    Raises:
        TypeError: it is of another kind.
    """
    try:
        result = np.array([value]).astype(values.dtype)
    except (TypeError, ValueError, OverflowError):
        result = None
    if result is None or result[0] != value:
        raise InputTypeError("absent_profile= gives each profile column a value of the column's own type.")
    return result


def different(rows: Any, low: int, high: int, ask: Ask) -> int:
    """Return how many different integers of [low, high] the rows name, by one bitmap (DuckDB)."""
    import ibis

    def bitstring_agg(x: int, low: int, high: int) -> str: ...  # type: ignore[empty-body]

    def bit_count(x: str) -> int: ...  # type: ignore[empty-body]

    bitmap, ones = ibis.udf.agg.builtin(bitstring_agg), ibis.udf.scalar.builtin(bit_count)
    inside = rows.filter((rows.candidate >= low) & (rows.candidate <= high))
    count = ask(inside.aggregate(n=ones(bitmap(inside.candidate, low, high))))["n"][0]
    return int(count or 0)


def threads(rows: Any) -> int:
    """Return how many threads DuckDB uses; each keeps a bitmap of its own."""
    return int(rows.get_backend().con.execute("SELECT current_setting('threads')").fetchall()[0][0])


def steady(table: Any) -> bool:
    """Tell whether a transaction of the engine holds the state of this table.

    So it is for tables of DuckDB and PostgreSQL; a view may read files, and a caller's own transaction may hold
    nothing.
    """
    from ibis.expr import operations

    backend, names = table.get_backend(), []
    for leaf in table.op().find((operations.PhysicalTable, operations.SQLQueryResult, operations.SQLStringView)):
        if isinstance(leaf, operations.DatabaseTable):
            names.append(leaf.name)
        elif not isinstance(leaf, operations.InMemoryTable):
            return False
    return engine(backend.name).holds(getattr(backend, "con", None), set(names))
