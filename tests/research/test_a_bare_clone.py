"""What a clone measures without any other data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dpselect import datasets
from research.engine import data, runs
from research.engine.experiment import QUICK, Cell, Experiment
from research.papers import EVERY_EXPERIMENT

SHIPPED = set(datasets._manifest(Path(__file__).parents[2] / "data")["datasets"])


def used(experiment: Experiment) -> set[str]:
    """The datasets of a clone that an experiment reads."""
    return SHIPPED & {str(cell.get("dataset")) for cell in experiment.grid(QUICK)}


READERS = [each for each in EVERY_EXPERIMENT if used(each)]


@pytest.fixture(autouse=True)
def clone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let there be the repository's data alone."""
    monkeypatch.delenv("DPSELECT_DATA", raising=False)
    data.table.cache_clear()
    data.markers.cache_clear()


def test_every_shipped_dataset_is_used() -> None:
    """A clone carries nothing that no experiment reads."""
    assert SHIPPED == data.available() == set().union(*map(used, READERS))
    assert 6 == len(data.markers()[0])


@pytest.mark.slow
def test_every_shipped_table_can_be_read() -> None:
    """With as many rows as the manifest says."""
    for name in sorted(SHIPPED - {"tdt_justice2020"}):
        assert datasets.every()[name].facts["rows"] == len(data.table(name))


@pytest.mark.slow
@pytest.mark.parametrize("experiment", READERS, ids=lambda each: each.name)
def test_a_bare_clone_measures_it(experiment: Experiment, tmp_path: Path) -> None:
    """A cell of the smallest of its datasets gives points; nothing fails or is skipped."""
    smallest = min(used(experiment), key=lambda name: datasets.checked_file(name).stat().st_size)

    def one(_: object) -> list[Cell]:
        return [cell for cell in experiment.grid(QUICK) if cell.get("dataset") == smallest][:1]

    [outcome] = runs.run([replace(experiment, grid=one)], QUICK, tmp_path, jobs=1, show=False)

    assert ((), (), 0) == (outcome.skipped, outcome.notes, outcome.failed)
    assert outcome.results.points
