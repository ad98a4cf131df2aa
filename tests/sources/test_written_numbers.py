"""Numbers as people write them: with a unit, a minus that is no hyphen, and spaces that do not break."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dpselect.data import TableFile, Warehouse
from dpselect.sources.csv_text import number
from dpselect.sources.dialects import Dialect
from dpselect.sources.public_names import PublicNames
from dpselect.views.grid import EvenGrid
from dpselect.views.row_question import Bins, RowQuestion
from dpselect.views.row_source import RowSource
from dpselect.views.stored_events import stored_popularity
from dpselect.views.table_counts import item_counts, table_histograms

arrow = pytest.importorskip("pyarrow")

# What is written, and the number where EUR, the sign of it, % and Fr. are units.
UNITS = [
    ("12 %", 12.0), ("12%", 12.0), ("-3,5 %", -3.5), ("\u22123,5\u00a0%", -3.5), ("12 % ", 12.0), ("12", 12.0),
    ("€ 1.200", 1200.0), ("€1.200,50", 1200.5), ("-€ 5", -5.0), ("€-5", -5.0), ("€ \u22125", -5.0), ("5 €", 5.0),
    ("1\u202f200 €", 1200.0), ("EUR 90", 90.0), ("90 EUR", 90.0), ("90EUR", 90.0), ("Fr. 1'234,5", 1234.5),
    ("\u00a05 €\u00a0", 5.0),
    # Two units, another one, another spelling, a unit alone, and signs twice.
    ("€ 5 €", None), ("5 % €", None), ("5 $", None), ("90 eur", None), ("€", None), ("-€-5", None), ("5 5 €", None),
    ("€ x", None), ("EUR", None), ("5 EURO", None), ("1e€5", None),
]  # fmt: skip
PLAIN = [
    ("\u22125", -5.0), ("\u2212 5", None), ("\u00a0007\u202f", 7.0), ("\u22121e\u22123", -0.001), ("5\u22123", None),
    ("\u2212", None), ("\u2212\u22125", None), ("\u2009", float("nan")), ("5\u00a0000", None), ("(5)", None),
]  # fmt: skip


def read(dialect: Dialect, cells: list[str]) -> list[str]:
    """The numbers of a column, as text."""
    column = arrow.chunked_array([arrow.array(cells, arrow.string())])
    return [repr(number(cell)) for cell in dialect.number(column).to_pylist()]


def test_a_declared_unit_stands_before_or_behind_a_number() -> None:
    """Once, as it is declared; a sign may stand on either side of it."""
    dialect = Dialect(";", ",", unit=("EUR", "€", "%", "Fr."))

    assert [repr(each) for _, each in UNITS] == read(dialect, [cell for cell, _ in UNITS])


def test_without_a_declared_unit_there_is_none() -> None:
    """A cell with one is not a number."""
    cells = [cell for cell, _ in UNITS if any(unit in cell for unit in ("EUR", "€", "%", "Fr."))]

    assert {"None"} == {*read(Dialect(";", ","), cells)}


def test_a_minus_and_spaces_that_do_not_break_are_read_everywhere() -> None:
    """Nothing is declared for U+2212, U+00A0, U+202F and U+2009 around a number."""
    assert [repr(each) for _, each in PLAIN] == read(Dialect(), [cell for cell, _ in PLAIN])


@pytest.mark.parametrize("unit", ["", " %", "% ", "5", "km2", "-", ".", "+-", "'", "\u2212", "\u202f", "a\nb", 5, [""]])
def test_what_cannot_be_told_from_a_number_is_not_a_unit(unit) -> None:
    """One sentence says so, before anything is read."""
    with pytest.raises(ValueError, match=r"^.* is not a unit: .*'%', 'EUR' or '€'\.$"):
        Dialect(unit=unit)


def test_one_unit_may_be_declared_without_a_list() -> None:
    """As text."""
    assert ("%",) == Dialect(unit="%").unit


def test_a_cell_with_a_unit_moves_no_other(tmp_path: Path) -> None:
    """Whatever is written beside it."""
    cells = [f"{each} %" for each in range(500)]

    def held(lines: list[str]) -> Counter[float]:
        path = tmp_path / "t.csv"
        path.write_text("\n".join(["g;v", *(f"a;{line}" for line in lines)]), encoding="utf-8")
        read = TableFile.of(path, separator=";", decimal=",", unit="%").columns(numbers=["v"])["v"]
        return Counter(map(number, [each for each in read if each is not None]))

    honest = held(cells)
    for odd in [cell for cell, _ in (*UNITS, *PLAIN) if "\n" not in cell]:
        more = held([*cells[:250], odd, *cells[250:]])
        assert not honest - more
        assert sum((more - honest).values()) <= 1


# Each is 1 or -1, whatever holds it.
ONES = ["1", "1\u00a0", " 1", "\u20091", "1\u202f", "\u22121", " true", "TRUE\u00a0", "\u22121.0 "]


def containers(folder: Path) -> dict[str, Any]:
    """Every container of one column of text."""
    from pyarrow import feather, parquet

    (folder / "a.csv").write_text("\n".join(["x", *ONES]), encoding="utf-8")
    (folder / "a.jsonl").write_text("\n".join(json.dumps({"x": each}) for each in ONES), encoding="utf-8")
    text = arrow.array(ONES, arrow.string())
    for name, column in (("a", text), ("b", text.cast(arrow.large_string())), ("c", text.dictionary_encode())):
        parquet.write_table(arrow.table({"x": column}), folder / f"{name}.parquet")
    feather.write_feather(arrow.table({"x": text}), folder / "a.feather")
    pandas = pytest.importorskip("pandas")
    files = {path.name: TableFile(path) for path in sorted(folder.iterdir())}
    held = {"list": {"x": ONES}, "arrow": arrow.table({"x": text}), "pandas": pandas.DataFrame({"x": ONES})}
    return files | held | {"csv in place": Warehouse.open(folder / "a.csv")}


@pytest.mark.parametrize("cells", [EvenGrid(-1, 1, 3), Bins.of([-2, 0, 2]), PublicNames.of([-1, 1], "x")], ids=type)
def test_a_number_is_read_alike_whatever_holds_its_text(tmp_path: Path, cells: Any) -> None:
    """Spaces that do not break, and a minus that is no hyphen, in text of files, of frames and of engines."""
    pytest.importorskip("ibis")
    found = {}
    for name, table in containers(tmp_path).items():
        histograms, _ = table_histograms(RowSource(table), RowQuestion("x", cells))
        found[name] = [each.tolist() for each in histograms[0]]

    last = len(cells) - 1 if not isinstance(cells, EvenGrid) else 2
    assert {name: [[0, last], [2, 7]] for name in found} == found


def test_names_that_are_integers_are_read_alike_in_place(tmp_path: Path) -> None:
    """1.5 is none of them, and does not count as 2."""
    pytest.importorskip("ibis")
    cells = ["1", "1.5", "2.0", "true", "2e0", " 3", "x", "", "0x1", "9007199254740993", "9" * 30, "\u22121"]
    (tmp_path / "a.csv").write_text("\n".join(["x", *cells]), encoding="utf-8")
    for names in (range(-1, 4), [3, 2, 1, 2**53, 2**53 + 1]):
        public = PublicNames.of(names, "x")
        counted, _ = item_counts(TableFile(tmp_path / "a.csv"), "x", public)
        with stored_popularity(Warehouse.open(tmp_path / "a.csv"), None, "x", names) as candidates:
            scores = candidates.scores()
        held = {name: int(score) for name, score in zip(scores.candidates, scores.values, strict=True)}
        assert dict(zip(names, counted[0].tolist(), strict=True)) == held
