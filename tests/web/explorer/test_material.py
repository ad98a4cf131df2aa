"""What the pages are about: columns of text with counts and numbers, and made-up data that are the same each time."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import numpy as np
import pyarrow
import pytest

import dpselect as dps
from dpselect.web.explorer import example_data
from dpselect.web.explorer.material import EXAMPLES, Material
from dpselect.web.explorer.text_column import TextColumn


def test_a_column_is_a_sequence_of_text() -> None:
    """As long as the table, in the order of the rows."""
    cells = ["b", "", "a", "b"]
    column = TextColumn.of(cells)

    assert cells == [*column] == column[:]
    assert (4, "b", ["a", "b"]) == (len(column), column[-1], column[2:])
    with pytest.raises(IndexError):
        column[4]


def test_counts_and_numbers_leave_missing_cells_out() -> None:
    """The most frequent first, of equal ones in order of their text; numbers as files spell them."""
    column = TextColumn.of(["2", "x", "", "2", "1e1", " ", "inf", "nan", "-3"])

    assert (("2", 2), ("-3", 1), ("1e1", 1), ("inf", 1), ("nan", 1), ("x", 1)) == column.counts
    assert [2, 2, 10, -3] == column.numbers.tolist()
    assert not column.is_numeric
    assert TextColumn.of(["1", "", "2.5"]).is_numeric
    assert not TextColumn.of(["", ""]).is_numeric
    assert not TextColumn.of([]).is_numeric


@pytest.mark.parametrize(
    "values, texts",
    [
        (pyarrow.array(["a", None, "a"]), ["a", "", "a"]),
        (pyarrow.chunked_array([[1, 2], [None]]), ["1", "2", ""]),
        (pyarrow.array([True, False]), ["true", "false"]),
        (pyarrow.array([0.5, 3.0]), ["0.5", "3"]),
        (pyarrow.array(["x", "y", "x", None]).dictionary_encode(), ["x", "y", "x", ""]),
        (pyarrow.chunked_array([], type=pyarrow.int64()), []),
    ],
)
def test_columns_of_any_type_are_text(values, texts) -> None:
    """And a cell that is missing is empty."""
    assert texts == [*TextColumn.of_arrow(values)]


def test_the_examples_are_a_table_visits_and_a_graph() -> None:
    """Of columns that are equally long, and counts that somebody else counts too."""
    assert {1000} == {len(column) for column in EXAMPLES.columns.values()}
    assert ("age", "income") == EXAMPLES.numeric
    assert Counter(EXAMPLES.columns["region"]) == dict(EXAMPLES.counts_of("region"))
    assert [float(cell) for cell in EXAMPLES.columns["income"]] == EXAMPLES.numbers_of("income").tolist()
    assert isinstance(EXAMPLES.graph, dps.Graph)
    assert "Ada" in EXAMPLES.graph.candidates
    assert 1 <= EXAMPLES.graph.degrees.min()


def test_the_made_up_visitors_have_rows_and_repeats() -> None:
    """Each has a visit, some have the same one again, and no two places are equally popular."""
    rows = [*zip(EXAMPLES.visits["visitor"], EXAMPLES.visits["place"], strict=True)]
    persons = Counter(place for _, place in {*rows})

    assert example_data.VISITORS == len({user for user, _ in rows})
    assert len(rows) > len({*rows})
    assert len(example_data.PLACES) == len({*persons.values()})


def test_the_statements_make_the_same_data() -> None:
    """What a notebook runs is what the pages show."""
    names: dict[str, object] = {"dps": dps}
    for code in (EXAMPLES.table_python, EXAMPLES.visits_python, EXAMPLES.graph_python):
        exec(code, names)

    assert names["table"] == EXAMPLES.columns
    assert names["visits"] == EXAMPLES.visits
    assert np.array_equal(names["graph"].indices, Material().graph.indices)  # type: ignore[attr-defined]


def test_the_examples_need_no_other_library() -> None:
    """Neither arrow nor NetworkX, which the extra web does not bring."""
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['pyarrow', 'networkx', 'pandas', 'numba']));"
        "from dpselect.web.explorer.material import EXAMPLES as m;"
        "assert m.graph.degrees.sum() and m.counts_of('job') and m.numbers_of('age').size"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
