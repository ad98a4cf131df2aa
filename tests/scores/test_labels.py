"""Scores keep the labels of what they are made of, as candidates."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dpselect as dps

COLUMNS = {"page": ["home", "news", "help"], "visits": [60, 40, 5]}


@pytest.mark.parametrize(
    "values",
    [
        pd.Series([60, 40, 5], index=COLUMNS["page"]),
        pd.Series([60, 40, 5], index=pd.CategoricalIndex(COLUMNS["page"])),
        dict(zip(*COLUMNS.values(), strict=True)),
    ],
    ids=["series", "categories", "dict"],
)
def test_labels_are_candidates(values: Any) -> None:
    """The index of a Series and the keys of a mapping name the winner."""
    scores = dps.Scores(values, 1, kind="integer")

    assert COLUMNS["page"] == list(scores.candidates)
    assert "home" == dps.select(scores, epsilon=1000).value


@pytest.mark.parametrize(
    "frame", [pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), pa.table(COLUMNS)], ids=["pandas", "polars", "arrow"]
)
def test_two_columns_of_a_table_are_scores(frame: Any) -> None:
    """One has the candidates and one the scores, whose type says their kind."""
    scores = dps.Scores.from_frame(frame, 1, label="page", score="visits", range_bound=1)

    assert COLUMNS["page"] == list(scores.candidates)
    assert ([60, 40, 5], np.int64, 1) == (scores.values.tolist(), scores.values.dtype, scores.range_bound)


def test_rows_that_were_picked_from_a_table_keep_their_candidates() -> None:
    """The labels of rows are not those of candidates that are named."""
    frame = pd.DataFrame(COLUMNS).query("visits < 50")

    assert ["news", "help"] == list(dps.Scores.from_frame(frame, 1, label="page", score="visits").candidates)
    assert ["news", "help"] == list(dps.Scores(frame["visits"], 1, frame["page"]).candidates)


@pytest.mark.parametrize(
    "candidates", [pd.Series(COLUMNS["page"]), pl.Series(COLUMNS["page"]), pd.Index(["a", "b", "c"])]
)
def test_candidates_may_be_a_column(candidates: Any) -> None:
    """Of pandas or polars."""
    assert list(candidates) == list(dps.Scores([60, 40, 5], 1, candidates).candidates)


def test_rows_without_names_are_counted() -> None:
    """The index that pandas makes by itself names nobody."""
    assert range(3) == dps.Scores(pd.Series([3, 1, 4]), 1).candidates == dps.Scores(pl.Series([3, 1, 4]), 1).candidates


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: dps.Scores({}, 1), "at least one candidate"),
        (lambda: dps.Scores({"a": 1}, 1, ["a"]), "keys of a mapping are the candidates"),
        (lambda: dps.Scores(pd.Series([1, 2], index=["a", "a"]), 1), "listed twice"),
        (
            lambda: dps.Scores(pd.Series([1, 2], ["a", "b"]), 1, pd.Series(["x", "y"], ["b", "a"])),
            "labelled differently",
        ),
        (lambda: dps.Scores.from_frame(COLUMNS, 1, label="pages", score="visits"), "no column 'pages': name one of"),
        (
            lambda: dps.Scores.from_frame(pd.DataFrame([[1, 2]], columns=["x", "x"]), 1, label="x", score="x"),
            "several columns 'x'",
        ),
    ],
)
def test_what_has_no_labels_or_too_many_is_refused(make: Any, message: str) -> None:
    """In one sentence that says what to do."""
    with pytest.raises(ValueError, match=message):
        make()


def test_what_is_not_a_table_has_no_columns() -> None:
    """A list is refused by name."""
    with pytest.raises(TypeError, match="named columns"):
        dps.Scores.from_frame([1, 2], 1, label="a", score="b")
