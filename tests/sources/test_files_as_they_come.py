"""Files in forms that public documentation shows, read by what the page about reading says alone."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

import dpselect as dps
from dpselect.dataset import Dataset, check_dataset
from dpselect.ledger import InMemoryLedger
from dpselect.ledger.composition import Terms
from dpselect.sources.graphs import GraphPartsWarning

pytest.importorskip("pyarrow")


def asked(dataset: Dataset) -> Any:
    """With a budget at which noise is nothing."""
    return dps.open(dataset, ledger=InMemoryLedger(Terms.of(10000, 0, dataset.neighbours, "", "sum")))


def test_an_office_of_statistics(tmp_path: Path) -> None:
    """A title, semicolons, commas, days first, signs for missing numbers, and notes at the end."""
    days = [date(2025, 1, 31) + timedelta(days=each) for each in range(300)]
    lines = ["Auftragseingang (Volumenindex); Bauhauptgewerbe", "Datum;Original;Kalenderbereinigt"]
    lines += [
        f"{day:%d/%m/%Y};{2 + place % 7}.{place % 999:03},{place % 10};-{place % 9},5" for place, day in enumerate(days)
    ]
    lines += ["01/01/2026;–;x", "02/01/2026;...;.", "_____", "© Amt"]
    (tmp_path / "a.csv").write_text("\n".join(lines), encoding="cp1252")
    dataset = Dataset(
        source="a.csv", folder=tmp_path, separator=";", decimal=",", encoding="cp1252", skip_rows=1, date_order="dmy",
        missing=["–", "...", ".", "x"],
        columns={
            "Original": {"lower": 0, "upper": 10000}, "Kalenderbereinigt": {"lower": -10, "upper": 10, "step": 0.5},
            "Datum": {"lower": date(2025, 1, 1), "upper": date(2025, 12, 31), "step": "month"},
        },
    )  # fmt: skip
    lines = check_dataset(dataset).lines

    assert "Original: 300 numbers, 4 empty, 0 not a number; 0 outside of the bounds" in lines
    assert "Kalenderbereinigt: 300 numbers, 4 empty, 0 not a number; 0 outside of the bounds" in lines
    assert any(line.startswith("Datum: 302 dates, 2 empty, 0 not a date; 2 outside of the bounds") for line in lines)
    assert date(2025, 7, 1) == asked(dataset).median("Datum", epsilon=500).value
    assert [1, 28, 31] == [*asked(dataset).histogram("Datum", epsilon=500).value.values()][:3]


def test_a_network_of_konect(tmp_path: Path) -> None:
    """Comments, weights, times, tabs, and nodes that begin at 1."""
    lines = [
        "% asym positive",
        "% 300 103 103",
        *(f"{1 + row % 3}\t{4 + row % 100} 1 {10**9 + row}" for row in range(300)),
    ]
    (tmp_path / "moreno.edges").write_text("\n".join(lines) + "\n")
    dataset = Dataset(graph="moreno.edges", folder=tmp_path, nodes=[*range(1, 104)])

    with pytest.warns(GraphPartsWarning, match="Directions"):
        assert {1, 2, 3} == {*asked(dataset).top_k("degree", k=3, epsilon=500).value}
    assert any("300" in line for line in check_dataset(dataset).lines)


def test_a_survey_of_spss(tmp_path: Path) -> None:
    """Labels, codes of those who did not answer, and dates."""
    pyreadstat, pandas = pytest.importorskip("pyreadstat"), pytest.importorskip("pandas")
    rows = 400
    frame = pandas.DataFrame(
        {
            "pnr": [float(each % 200) for each in range(rows)],
            "status": [float(1 + each % 3) if each % 10 else -1.0 for each in range(rows)],
            "hours": [float(each % 60) if each % 8 else -9.0 for each in range(rows)],
            "interviewed": [date(2024, 1, 1) + timedelta(days=each) for each in range(rows)],
        }
    )
    pyreadstat.write_sav(
        frame,
        str(tmp_path / "labour.sav"),
        variable_value_labels={"status": {1: "employed", 2: "unemployed", 3: "retired", -1: "no answer"}},
        missing_ranges={"hours": [-9], "status": [-1]},
    )
    said = (Path(__file__).parents[2] / "docs" / "details" / "files.md").read_text(encoding="utf-8")
    (tmp_path / "labour.toml").write_text(said.partition("# labour.toml\n")[2].partition("```")[0], encoding="utf-8")
    dataset = Dataset.load(tmp_path / "labour.toml")
    lines = check_dataset(dataset).lines

    assert "status: 360 listed, 40 empty, 0 not in the list" in lines
    assert "hours: 350 numbers, 50 empty, 0 not a number; 0 outside of the bounds" in lines
    assert "interviewed: 400 dates, 0 empty, 0 not a date; 0 outside of the bounds" in lines
    assert date(2024, 7, 1) == asked(dataset).median("interviewed", epsilon=500).value
