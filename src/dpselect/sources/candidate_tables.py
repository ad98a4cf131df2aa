"""What candidates need of an engine: an opened table, columns of known kinds, a domain, literals, a bitmap."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np

from dpselect.core.errors import PrivacyError
from dpselect.core.scores import TICK_CLIP
from dpselect.sources.ordinals import Ask


def opened(table: Any) -> tuple[Any, bool]:
    """Return an Ibis table, and whether a transaction of its engine holds its state (never that of a file).

    Raises:
        FileNotFoundError, TypeError, ImportError.
    """
    ibis = _ibis()
    if isinstance(table, ibis.expr.types.Table):
        return table, True
    if isinstance(table, (str, Path)):
        name = str(table).lower()
        if not name.endswith((".parquet", ".csv", ".csv.gz")):
            raise ValueError(
                "A file of candidates ends in .parquet, .csv or .csv.gz; for a database pass an Ibis table."
            )
        if not Path(table).is_file():
            raise FileNotFoundError(f"There is no file {table}.")
        engine = ibis.duckdb.connect()
        return engine.read_parquet(table) if name.endswith(".parquet") else engine.read_csv(table), False
    try:
        return ibis.memtable(table), True
    except Exception:
        raise TypeError("table must be an Ibis table, a .parquet or .csv file, or a data frame.") from None


def columns(table: Any, candidate: str, score: str, profile: tuple[str, ...]) -> Any:
    """Return candidate, score, profile0, .. of known kinds: exact scores as int64, others as float64.

    Raises:
        ValueError, TypeError: a column is missing, or of a type that is no name, no number.
    """
    ibis, schema = _ibis(), table.schema()
    for name in (candidate, score, *profile):
        if name not in schema:
            there = ", ".join(map(repr, list(schema)[:20]))
            raise ValueError(f"The table has no column {name!r}: it has {there}.")
    kind = schema[candidate]
    if not (kind.is_string() or kind.is_integer()) or kind.is_uint64():
        raise TypeError("Candidates must be text or integers of at most 64 bits with a sign: cast the column.")
    name = table[candidate].cast("int64" if kind.is_integer() else "string")
    return table.select(
        candidate=name,
        score=_number(table[score], schema[score], ibis),
        **{f"profile{i}": table[column] for i, column in enumerate(profile)},
    )


def _number(score: Any, kind: Any, ibis: Any) -> Any:
    whole = kind.is_decimal() and kind.scale == 0
    if kind.is_uint64() or whole:
        # Beyond 64 bits only after the public clip of exact scores.
        clipped = score.clip(upper=TICK_CLIP) if kind.is_uint64() else score.clip(lower=-TICK_CLIP, upper=TICK_CLIP)
        return clipped.cast("int64")
    if kind.is_integer() or kind.is_boolean():
        return score.cast("int64")
    if kind.is_floating() or kind.is_decimal():
        real = score.cast("float64")
        # One zero, so that groups and literals agree on it.
        return ibis.ifelse(real == 0, ibis.literal(0.0, "float64"), real)
    raise TypeError("Scores must be real numbers: cast the column to integers or floats.")


def domain(given: Any, integers: bool) -> Any:
    """Return the public candidates: a range, a table with one column ``candidate``, or ``None`` for the rows.

    Raises:
        PrivacyError: none was given.
        ValueError, TypeError: it is empty, a range with a step, or of another type than the column.
    """
    ibis = _ibis()
    if given is None:
        raise PrivacyError(
            "Which candidates there are must not depend on the data: pass domain= as a range, a list or a table, or "
            'domain="rows" if the table always has a row for every public candidate.'
        )
    if isinstance(given, str):
        if given != "rows":
            raise ValueError('domain is a range, a list, an Ibis column or table, or "rows".')
        return None
    if isinstance(given, range):
        if not given or given.step != 1 or given.start < -(2**63) or given.stop > 2**63:
            raise ValueError("A range of candidates has at least one, step 1, and fits 64 bits.")
        kind = True
    else:
        if isinstance(given, ibis.expr.types.Column):
            given = given.as_table()
        if not isinstance(given, ibis.expr.types.Table):
            given = _listed(given)
        if len(given.columns) != 1:
            raise ValueError("A table of public candidates has one column: select it.")
        given = given.rename(candidate=given.columns[0])
        kind = bool(given.schema()["candidate"].is_integer())
        given = given.mutate(candidate=given.candidate.cast("int64" if kind else "string"))
    if kind != integers:
        raise TypeError("The domain and the candidates of the table must both be integers, or both text.")
    return given


def _listed(given: Any) -> Any:
    names = given.tolist() if isinstance(given, np.ndarray) else list(given)
    whole = all(isinstance(name, (int, np.integer)) and not isinstance(name, bool) for name in names)
    if not names or not (whole or all(isinstance(name, str) for name in names)):
        raise TypeError("A list of public candidates holds integers, or text, and at least one.")
    return _ibis().memtable({"candidate": names}, schema={"candidate": "int64" if whole else "string"})


def literal(value: Any) -> Any:
    """Return a value as the engine's own; floats travel as text, which every engine rounds rightly."""
    ibis, plain = _ibis(), value.item() if isinstance(value, np.generic) else value
    return ibis.literal(repr(plain)).cast("float64") if isinstance(plain, float) else ibis.literal(plain)


def different(rows: Any, low: int, high: int, ask: Ask) -> int:
    """Return how many different integers of [low, high] the rows name, by one bitmap (DuckDB)."""
    ibis = _ibis()

    @ibis.udf.agg.builtin
    def bitstring_agg(x: int, low: int, high: int) -> str: ...  # type: ignore[empty-body]

    @ibis.udf.scalar.builtin
    def bit_count(x: str) -> int: ...  # type: ignore[empty-body]

    inside = rows.filter((rows.candidate >= low) & (rows.candidate <= high))
    ones = ask(inside.aggregate(n=bit_count(bitstring_agg(inside.candidate, low, high))))["n"][0]
    return int(ones or 0)


def _ibis() -> Any:
    try:
        return importlib.import_module("ibis")
    except ImportError:
        raise ImportError('Tables of a database need Ibis: python -m pip install "dpselect[warehouse]".') from None
