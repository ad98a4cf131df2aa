"""One record more, of whatever kind, changes the reading of no other record, in any container.

Columns of numbers and lists of edges: the counts on a public grid with a hostile record are those without it, and at
most one more in one place; every container gives the same; nothing is refused.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import dpselect as dps
from dpselect.utilities.grid_counts import count_on_grid, public_grid, records

GRIDS = {"integers": [-4, 0, 1, 7, 20], "even": list(range(-5, 21, 5)), "reals": [-4.0, 0.5, 1.0, 7.25, 20.0]}
# Texts and values that have turned whole columns into something else.
SPELLED = ["x", "", "nan", "NaN", "inf", "-inf", "true", "1e999", "12abc", "0x10", "1_0", "٣", "7,5", '"', "9" * 400]
VALUES = [None, math.nan, math.inf, -math.inf, 1e300, -5e-324, 2.5, 10**400, 2**63, True]
Reader = Callable[[list[Any]], Any]


def objects(values: list[Any]) -> np.ndarray:
    """An array of objects."""
    return np.fromiter(values, dtype=object, count=len(values))


def written(folder: Path, suffix: str) -> Reader:
    """Write the column to a file; a place to read it from."""

    def write(values: list[Any]) -> Path:
        path = folder / f"column.{suffix}"
        if suffix == "parquet":
            pyarrow.parquet.write_table(pyarrow.table({"x": pyarrow.array(values, pyarrow.string())}), path)
        else:
            with path.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([["x", "y"], *([value, "1"] for value in values)])
        return path

    return write


def in_place(folder: Path) -> Reader:
    """The same csv file, read by an engine where it is."""
    write = written(folder, "csv")
    return lambda values: dps.data.StoredColumn(write(values), "x")


def texts(folder: Path) -> dict[str, Reader]:
    """Containers that hold text."""
    return {
        "list": list,
        "tuple": tuple,
        "objects": objects,
        "pandas": lambda values: pandas.Series(objects(values)),
        "pandas string": lambda values: pandas.Series(values, dtype="string[pyarrow]"),
        "polars": lambda values: polars.Series(values, dtype=polars.String),
        "arrow": lambda values: pyarrow.array(values, pyarrow.string()),
        "csv": written(folder, "csv"),
        "parquet": written(folder, "parquet"),
        "csv in place": in_place(folder),
    }


def numbers() -> dict[str, Reader]:
    """Containers of doubles, and a table in an engine."""
    return {
        "list": list,
        "array": lambda values: np.array(values, dtype=np.float64),
        "pandas": lambda values: pandas.Series(values, dtype=np.float64),
        "pandas nullable": lambda values: pandas.Series(values, dtype="Float64"),
        "pandas arrow": lambda values: pandas.Series(pandas.array(values, dtype="double[pyarrow]")),
        "polars": lambda values: polars.Series(values, dtype=polars.Float64),
        "arrow": lambda values: pyarrow.array(values, pyarrow.float64()),
        "duckdb": lambda values: ibis.memtable(pyarrow.table({"x": pyarrow.array(values, pyarrow.float64())})).x,
    }


def counts(column: Any, grid: list[Any]) -> np.ndarray:
    """The counts that every percentile is made of."""
    points = public_grid(grid)
    if isinstance(column, Path):
        column = dps.data.Column.read(column, "x", kind="integer" if points.dtype.kind == "i" else "real")
    return count_on_grid(column, points)[0]


def require_alike(makers: dict[str, Reader], values: list[Any], hostile: Any, grid: list[Any], count=counts) -> None:
    """The contract, for any way to count."""
    plain = {name: count(make(values), grid) for name, make in makers.items()}
    more = {name: count(make([*values, hostile]), grid) for name, make in makers.items()}
    first = next(iter(makers))
    for name in makers:
        moved = more[name] - plain[name]
        assert (moved >= 0).all(), f"{name}: other records were read otherwise"
        assert moved.sum() <= 1, f"{name}: one record counts more than once"
        assert plain[name].tolist() == plain[first].tolist(), f"{name} and {first} differ"
        assert more[name].tolist() == more[first].tolist(), f"{name} and {first} differ with {hostile!r}"


SETTINGS = settings(
    deadline=None,
    max_examples=6,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
PLAIN = st.integers(-30, 30) | st.floats(-30, 30).map(lambda value: round(value, 2))


TEXTS = given(st.lists(PLAIN, min_size=1, max_size=8), st.sampled_from(SPELLED), st.sampled_from(sorted(GRIDS)))


@SETTINGS
@TEXTS
def test_text_columns_are_read_alike(tmp_path: Path, values: list[Any], hostile: str, grid: str) -> None:
    """In memory and in files, one cell that is not a number moves alone."""
    require_alike(texts(tmp_path), [str(value) for value in values], hostile, GRIDS[grid])


@pytest.mark.slow
@settings(SETTINGS, max_examples=100)
@TEXTS
def test_text_columns_are_read_alike_at_length(tmp_path: Path, values: list[Any], hostile: str, grid: str) -> None:
    """The same with many more examples."""
    require_alike(texts(tmp_path), [str(value) for value in values], hostile, GRIDS[grid])


@SETTINGS
@given(
    st.lists(PLAIN, min_size=1, max_size=8),
    st.sampled_from([None, math.nan, math.inf, -math.inf, 1e300, -5e-324, 2.5, 2.0**63]),
    st.sampled_from(sorted(GRIDS)),
)
def test_number_columns_are_read_alike(values: list[Any], hostile: Any, grid: str) -> None:
    """Missing, infinite, huge: in lists, typed containers and an engine."""
    require_alike(numbers(), [float(value) for value in values], hostile, GRIDS[grid])


@SETTINGS
@given(
    st.lists(PLAIN | st.sampled_from(SPELLED), min_size=1, max_size=8),
    st.sampled_from([*SPELLED, *VALUES, [], {}, object(), b"7", 1j]),
    st.sampled_from(sorted(GRIDS)),
)
def test_lists_of_anything_are_read_alike(values: list[Any], hostile: Any, grid: str) -> None:
    """Lists, tuples and arrays of objects hold whatever there is; the median reads each record by itself too."""
    makers = {"list": list, "tuple": tuple, "objects": objects}
    require_alike(makers, values, hostile, GRIDS[grid])
    low, high = GRIDS[grid][0], GRIDS[grid][-1]
    for make in makers.values():
        alone, more = records(make(values), low, high), records(make([*values, hostile]), low, high)
        assert (alone.tolist(), alone.dtype) == (more.tolist()[:-1], more.dtype)
        assert low <= more[-1] <= high


@pytest.mark.parametrize(
    "nodes",
    [9, ["0", "1", "2", "3"], pytest.param([5, 0, 1, 2], marks=pytest.mark.slow)],
    ids=["number", "text", "integers"],
)
@SETTINGS
@given(
    edges=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=6),
    hostile=st.sampled_from([*SPELLED[:-1], "1.5", "-1", "99", "9" * 25]),
    at=st.booleans(),
)
def test_edges_are_read_alike(tmp_path: Path, nodes: Any, edges: list[Any], hostile: str, at: bool) -> None:
    """An edge of a stranger changes no degree, in lists, typed columns and files."""
    plain = dps.Graph.from_edges([a for a, _ in edges], [b for _, b in edges], nodes=nodes).degrees.tolist()
    extra = ("1", hostile) if at else (hostile, "1")
    source, target = (list(end) for end in zip(*[(str(a), str(b)) for a, b in edges], extra, strict=True))
    for name, make in texts(tmp_path).items():
        if name not in ("csv", "parquet", "csv in place"):
            assert plain == dps.Graph.from_edges(make(source), make(target), nodes=nodes).degrees.tolist(), name
    table = pyarrow.table({"source": source, "target": target})
    pyarrow.parquet.write_table(table, tmp_path / "edges.parquet")
    with (tmp_path / "edges.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["source", "target"], *zip(source, target, strict=True)])
    (tmp_path / "edges.txt").write_text(
        "".join(f"{a} {b}\n" for a, b in zip(source, target, strict=True)), encoding="utf-8"
    )
    # A line of text cannot hold a label with a separator: it is another edge.
    for suffix in ("parquet", "csv", *(["txt"] if not {*hostile} & {*" \t,;"} else [])):
        assert plain == dps.Graph.read(tmp_path / f"edges.{suffix}", nodes=nodes).degrees.tolist(), suffix
    assert plain == dps.data.StoredGraph(tmp_path / "edges.csv", nodes).degrees.tolist()
    stored = dps.data.StoredGraph(ibis.memtable(table), nodes) if isinstance(nodes, list) and nodes[0] == "0" else None
    assert stored is None or plain == stored.degrees.tolist()


def test_the_contract_can_fail() -> None:
    """A reader that lets NumPy find one type for all loses every record to one text; one that refuses is found too."""

    def inferred(column: Any, grid: list[Any]) -> np.ndarray:
        array = np.asarray(column)
        return counts(array if array.dtype.kind in "if" else [None] * array.size, grid)

    def strict(column: Any, grid: list[Any]) -> np.ndarray:
        return counts(np.asarray(column, dtype=np.float64), grid)

    require_alike({"list": list}, [1, 2], 7, GRIDS["even"], inferred)
    with pytest.raises(AssertionError, match="other records were read otherwise"):
        require_alike({"list": list}, [1, 2], "x", GRIDS["even"], inferred)
    with pytest.raises(ValueError, match="could not convert"):
        require_alike({"list": list}, [1, 2], "x", GRIDS["even"], strict)
