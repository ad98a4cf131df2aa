"""Which rows count: people, labels, and what the curator is told."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpselect import PrivacyError
from dpselect.learn import DPTreeClassifier
from dpselect.learn.reading import LabelledRows

DOMAINS = {"a": [1, 2], "y": [0, 1]}


def kept(who: Any, most: int = 2, missing: str = "ignore") -> list[int]:
    """Which rows are left of a table in which row i holds i."""
    table = {"who": who, "row": np.arange(len(who))}
    return LabelledRows.of(table, [0] * len(who)).bound_rows("who", most, missing).columns["row"].tolist()


def test_each_person_keeps_the_first_rows() -> None:
    """Rows that name nobody are left out, unless they are to be refused."""
    assert [0, 1, 2] == kept(["ann", "bob", "ann", "ann", None, float("nan"), []])
    assert [0, 1] == kept([1, "1", 1.0, True], most=1)
    with pytest.raises(ValueError, match="say whose every row is"):
        kept(["ann", None], missing="error")
    with pytest.raises(ValueError, match="no column"):
        LabelledRows.of({"a": [1]}, [0]).bound_rows("who", 1, "ignore")


def test_people_with_large_numbers_are_told_apart_or_left_out() -> None:
    """Pandas would round them beside a missing one, so it may not name anybody by them."""
    big = [2**60, 2**60 + 1, 2**60]
    assert [0, 1] == kept(big, most=1) == kept([*big, None], most=1) == kept(np.array(big), most=1)
    assert [0, 1] == kept(pd.Series([*big, None], dtype="Int64"), most=1) if _exact() else True
    assert [] == kept(pd.Series(big)) == kept(pd.Series([*big, None])) == kept(pd.Series([*big, None], dtype=object))
    assert [0, 1] == kept(pd.Series([7, 8, 7]), most=1) == kept(pd.Series([7, 8, 7, None]), most=1)


def _exact() -> bool:
    return pd.Series([2**60 + 1, None], dtype="Int64")[0] == 2**60 + 1


def test_the_bound_of_a_person_comes_before_other_cells() -> None:
    """A row outside of its domain uses up the bound: which rows count depends on that person's rows alone."""
    table = {"id": ["ann", "ann", "bob"], "a": [9, 1, 2]}
    model = DPTreeClassifier(50, domains=DOMAINS, classes=[0, 1], person="id")

    assert abs(model.fit(table, [0, 0, 1]).trees_[0].counts[0].sum() - 1) < 0.9


def test_labels_outside_are_left_out() -> None:
    """And refused only where that was asked for."""
    table, labels = {"a": [1, 2] * 100}, [0, 1] * 98 + [7, None, "x", []]
    model = DPTreeClassifier(50, domains=DOMAINS, classes=[0, 1]).fit(table, labels)
    assert abs(model.trees_[0].counts[0].sum() - 196) < 2
    with pytest.raises(ValueError, match="not among the declared classes"):
        DPTreeClassifier(50, domains=DOMAINS, classes=[0, 1], unknown="error").fit(table, labels)
    with pytest.raises(ValueError, match="labels are missing"):
        DPTreeClassifier(50, domains=DOMAINS, classes=[0, 1], missing="error").fit(table, labels)


def test_check_spends_nothing_and_says_that_it_is_private() -> None:
    """Counts per column, labels, people, rows; also where the curator asked for refusals."""
    table = {"id": ["ann", None, "ann"], "a": [9, 1, None], "y": [0, 5, 1]}
    for unknown in ("clip", "ignore", "error"):
        found = DPTreeClassifier(1, domains=DOMAINS, person="id", unknown=unknown).check(table, "y")
        assert ({"a": 1}, {"a": 1}, 1, 0, 1, 3, 3) == (
            found.outside, found.missing, found.labels_outside, found.labels_missing, found.nobody, found.rows,
            found.left_out,
        )  # fmt: skip
        assert repr(found).startswith("Private: these counts are for the curator alone")
        assert "rows that name nobody: 1" in str(found)
    with pytest.raises(PrivacyError, match="declare domains="):
        DPTreeClassifier(1, domains="observed-not-private").check({"a": [1]}, [0])


def test_large_integers_of_pandas_are_refused_by_the_container() -> None:
    """Whatever its rows hold: with and without a missing one, and as objects."""
    domains = {"a": [2**60, 2**60 + 1], "y": [0, 1]}
    for values in ([2**60, 5], [2**60, None], [2**60, "x"]):
        with pytest.raises(ValueError, match="column of pandas that NumPy holds"):
            DPTreeClassifier(1, domains=domains).fit(pd.DataFrame({"a": values, "y": [0, 1]}), "y")


@pytest.mark.parametrize("rows", [[[1, 2], [3]], [[1], "2"], [1, 2], []])
def test_rows_of_a_list_have_one_length(rows: Any) -> None:
    """The shape of a table is public."""
    with pytest.raises(ValueError, match="2D array|different lengths"):
        DPTreeClassifier(1, domains={0: [1], 1: [1]}, classes=[0, 1]).fit(rows, [0] * len(rows))


@pytest.mark.parametrize(
    "missing, listed, number",
    [("ignore", "zip is missing or not listed", "age is missing or not a number"),
     ("category", "zip is not listed", "age is not a number")],
)  # fmt: skip
def test_why_says_where_a_record_stops(missing: str, listed: str, number: str) -> None:
    """At the root of a tree of several leaves, or further down; with the counts of the node where it stops."""
    rows = [(place, age) for place in "ab" for age in (1.0, 9.0)] * 500
    table = {"zip": [place for place, _ in rows], "age": [age for _, age in rows]}
    labels = ["yes" if row == ("a", 9.0) else "no" for row in rows]
    domains = {"zip": ["a", "b"], "age": np.array([0.0, 5.0, 10.0])}
    model = DPTreeClassifier(10_000, domains=domains, classes=["no", "yes"], missing=missing).fit(table, labels)
    first = model.attributes_[model.trees_[0].split[0]].name
    stray = {"zip": ["c", "a"], "age": [9.0, "old"]} if first == "zip" else {"zip": ["a", "c"], "age": ["old", 9.0]}
    at_root, below = model.why(stray)

    assert f"no, because {listed if first == 'zip' else number} (yes: 25 %; records: 2000)" == at_root
    assert below.endswith(
        f"(+25.0) and {number if first == 'zip' else listed} take yes from 25 % to 50 % (records: 1000)"
    )
    assert "because there is one leaf" in model.fit(table, ["no"] * len(rows)).why(stray)[0]


@pytest.mark.parametrize("kind", ["numpy", "polars", "arrow", "pandas"])
@pytest.mark.parametrize("rows", [0, 40])
def test_numbers_listed_for_a_column_of_text_are_told(kind: str, rows: int) -> None:
    """By what the container declares, so that no row decides it: an empty table tells the same."""
    cells = {"a": np.array(["0", "1"] * (rows // 2), dtype="<U1"), "b": np.arange(rows), "y": np.arange(rows) % 2}
    if kind == "polars":
        polars = pytest.importorskip("polars")
        cells = polars.DataFrame(cells, schema_overrides={"a": polars.String})
    elif kind == "arrow":
        pyarrow = pytest.importorskip("pyarrow")
        cells = pyarrow.table({name: pyarrow.array(values) for name, values in cells.items()})
    elif kind == "pandas":
        cells = pd.DataFrame(cells).astype({"a": "string"})
    model = DPTreeClassifier(1, domains={"a": [0, 1], "b": (0, 40)}, classes=[0, 1])

    with pytest.warns(UserWarning, match="'a' is declared as text and its public domain lists numbers"):
        model.fit(cells, "y")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(domains={"a": ["0", "1"], "b": (0, 40)}).fit(cells, "y")


@pytest.mark.parametrize("cells", [[["0", 1]] * 4, {"a": ["0", "1"] * 2, "b": [1, 2, 3, 4]}])
def test_objects_and_lists_declare_no_text(cells) -> None:
    """One row could have changed what they are, and a warning would tell of it."""
    names = ["a", "b"] if isinstance(cells, dict) else [0, 1]
    model = DPTreeClassifier(1, domains=dict(zip(names, ([0, 1], (0, 4)), strict=True)), classes=[0, 1])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(cells, [0, 1, 0, 1])


def test_classes_of_numbers_for_labels_of_text_are_told() -> None:
    """The target is a column like others."""
    model = DPTreeClassifier(1, domains={0: (0, 9)}, classes=[0, 1])

    with pytest.warns(UserWarning, match="'the target' is declared as text"):
        model.fit(np.arange(10).reshape(-1, 1), np.array(["0", "1"] * 5))
