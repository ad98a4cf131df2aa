"""Every engine reads cells as frames do, within its schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from dpselect.learn.domains import attribute
from dpselect.sources.warehouse import Warehouse
from dpselect.views.stored_records import StoredRecords
from dpselect.views.stored_text import text_read_once
from tests.warehouse.engines import Server

TARGET = attribute("y", [0, 1], bins=2, missing=False)
TEXTS = [
    "1", "1.0", "01", " 1", "+1", "1e0", "2", "x", "X", "true", "FALSE", "nan", "NaN", "", " ", None, "1e999", "-inf",
    "1_0", "5e-324", "0", "-0.0", "9007199254740993", "-9223372036854775808", "9223372036854775808", "1.5", "text",
]  # fmt: skip


def counted(source: Any, domain: Any, unknown: str = "clip") -> list[int]:
    """How many rows of column a have each code: missing, outside, and those of the domain."""
    with Warehouse.open(source) as opened:
        return _counted(opened, domain, unknown)


def _counted(opened: Warehouse, domain: Any, unknown: str) -> list[int]:
    known = attribute("a", domain, bins=4, missing=False)
    direct = StoredRecords(opened, [known], TARGET, unknown)._first[0]
    with text_read_once(opened, [known], TARGET, unknown) as records:
        assert np.array_equal(direct, records._first[0])
    return direct.sum(axis=2)[0].tolist()


def in_memory(values: Any, domain: Any, unknown: str = "clip") -> list[int]:
    """The same of a frame."""
    known = attribute("a", domain, bins=4, missing=False)
    return np.bincount(known.encode(values, unknown) + 2, minlength=known.size + 2).tolist()


DOMAINS = [
    (0, 4), [1, 2, "x"], ["1", "2", "x"], [1, 0], [True, False], ["true", "false"], ["01", 1], [1.5, 2.0],
    [2**53 + 1, -(2**63), 1], ["nan", "", "x"], ["+1", 1, " 1"],
]  # fmt: skip


@pytest.mark.parametrize(
    ("domain", "unknown"),
    [
        # Every second domain with one of the two, and -m slow all with both.
        pytest.param(domain, unknown, marks=pytest.mark.slow if at % 2 or (at // 2 + turn) % 2 else ())
        for at, domain in enumerate(DOMAINS)
        for turn, unknown in enumerate(("clip", "ignore"))
    ],
    ids=str,
)
def test_text_in_duckdb(tmp_path: Path, domain: Any, unknown: str) -> None:
    """A csv file and a parquet column of text count as in a frame, cell by cell."""
    import csv

    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("a", "y"), *((text, 0) for text in TEXTS)])
    table = pa.table({"a": pa.array(TEXTS, pa.string()), "y": np.zeros(len(TEXTS), dtype=np.int64)})
    parquet.write_table(table, tmp_path / "t.parquet")

    assert in_memory(TEXTS, domain, unknown) == counted(tmp_path / "t.parquet", domain, unknown)
    assert in_memory([text or None for text in TEXTS], domain, unknown) == counted(tmp_path / "t.csv", domain, unknown)


@pytest.mark.parametrize(
    "domain",
    [
        [True, False],
        ["true", "false"],
        (0, 1),
        *(pytest.param(domain, marks=pytest.mark.slow) for domain in ([1, 0], ["1", "x"], [0.5, 1.0])),
    ],
    ids=str,
)
def test_truth_values_everywhere(tmp_path: Path, postgres: Server, domain: Any) -> None:
    """As categories, as text and as numbers, in PostgreSQL and DuckDB."""
    values = np.array([True, False, True, True])
    postgres.put("flags", {"a": values, "y": np.zeros(4, dtype=np.int64)})
    parquet.write_table(pa.table({"a": values, "y": np.zeros(4, dtype=np.int64)}), tmp_path / "t.parquet")
    expected = in_memory(values, domain)

    assert expected == counted(tmp_path / "t.parquet", domain)
    with Warehouse.open(postgres.url, "flags") as opened:
        assert expected == _counted(opened, domain, "clip")


def test_money_is_a_number(postgres: Server) -> None:
    """As an amount without its currency; so is a decimal of the same width."""
    postgres.run(
        "DROP TABLE IF EXISTS pay",
        "CREATE TABLE pay (a money, b numeric(19, 4), y bigint)",
        "INSERT INTO pay VALUES (1, 1, 0), (1234.5, 1234.5, 0), (-2, -2, 0), (NULL, NULL, 0)",
    )
    values = [1.0, 1234.5, -2.0, None]
    with Warehouse.open(postgres.url, "pay") as opened:
        for domain in ((0, 2000), [1, 1234.5], ["1", "-2"]):
            assert in_memory(values, domain) == _counted(opened, domain, "clip")
            other = Warehouse(opened.table.select("b", "y").rename(a="b"))
            assert in_memory(values, domain) == _counted(other, domain, "clip")


def test_numbers_and_texts_of_postgres(postgres: Server) -> None:
    """A number matches the text that spells it; text matches text and, beside text, numbers; both ends of 64 bits."""
    whole = np.array([1, 2, -(2**63), 2**53 + 1, 9])
    postgres.put("numbers", {"a": whole, "y": np.zeros(5, dtype=np.int64)})
    texts = np.array(["1", "1.0", " 2", "x", "true", "1e999", "", "nan"], dtype=object)
    postgres.put("texts", {"a": texts, "y": np.zeros(8, dtype=np.int64)})
    with Warehouse.open(postgres.url, "numbers") as opened:
        for domain in (["1", "2", "x"], [2, 1], [-(2**63), 2**53 + 1, 2**53]):
            assert in_memory(whole, domain) == _counted(opened, domain, "clip")
    with Warehouse.open(postgres.url, "texts") as opened:
        for domain in (["1", "2", "x"], [1, 2, "x"]):
            assert in_memory(texts, domain) == _counted(opened, domain, "clip")
        with pytest.raises(ValueError, match="cast it to float64"):
            _counted(opened, (0, 1), "clip")
        with pytest.raises(ValueError, match="cast one of them"):
            _counted(opened, [1, 2], "clip")
