"""Medians and quantiles take a table and the name of its column, as counts do."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import dpselect as dps

TABLE = pd.DataFrame({"pay": [10] * 60 + [30] * 60, "region": ["n"] * 60 + ["s"] * 60, "who": range(120)})
ASKED = {"column": "pay", "lower": 0, "upper": 40, "step": 10}
CALLS = {
    "median": lambda table, **more: dps.median(table, **more),
    "quantiles": lambda table, **more: dps.quantiles(table, [0.5], **more),
    "percentiles": lambda table, **more: dps.quantiles(table, p=[50], **more),
}


@pytest.mark.parametrize("name", CALLS)
def test_names_stand_for_columns(name: str) -> None:
    """Those of groups and persons too; and so they do in a mapping."""
    answer: Any = int if name == "median" else lambda value: (value,)
    with dps.budget(epsilon=200, neighbours="person"):
        for table in (TABLE, TABLE.to_dict("list")):
            grouped = CALLS[name](table, **ASKED, by="region", groups=["n", "s"], person="who", epsilon=60)
            assert {"n": answer(10), "s": answer(30)} == grouped.value
            assert "person" == grouped.guarantee.neighbours
    assert isinstance(CALLS[name](TABLE, **ASKED, epsilon=1).value, type(answer(0)))


@pytest.mark.parametrize("name", CALLS)
def test_a_name_that_is_not_there_is_refused(name: str) -> None:
    """And so is what is not a table, and a file that is not there."""
    with pytest.raises(ValueError, match=r"The table has no column 'wage': it has 'pay', 'region', 'who'\."):
        CALLS[name](TABLE, **{**ASKED, "column": "wage"}, epsilon=1)
    with pytest.raises(TypeError, match="Pass a pandas, polars or arrow table"):
        CALLS[name](7, **ASKED, epsilon=1)
    with pytest.raises(FileNotFoundError, match="The file pay.csv does not exist"):
        CALLS[name]("pay.csv", **ASKED, epsilon=1)
