"""The run that the repository keeps: its points, judged again without measuring anything."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dpselect.kernel.errors import MissingFileError
from research.engine.experiment import Experiment, Point, Results
from research.engine.runs import Outcome

# One parquet file for each experiment, as ``journal.Journal`` writes it; whatever code measured it.
FOLDER = Path(__file__).parents[1] / "papers" / "results"


def outcomes(experiments: Sequence[Experiment], folder: Path = FOLDER) -> list[Outcome]:
    """Return what the stored run gave for every experiment.

    Raises:
        MissingFileError: an experiment is not stored.
    """
    return [_outcome(each, folder / f"{each.name}.parquet") for each in experiments]


def _outcome(experiment: Experiment, path: Path) -> Outcome:
    import pyarrow.parquet

    if not path.is_file():
        raise MissingFileError(
            f"The stored run has no {path.name}: run python -m research reproduce {experiment.name}, and copy its "
            f"results/full/{path.name} to {path.parent}."
        )
    rows = pyarrow.parquet.read_table(path).to_pylist()
    seconds = {row["cell"]: row["seconds"] for row in rows}
    points = [Point(*(row[name] for name in ("panel", "series", "x", "value", "error", "runs"))) for row in rows]
    return Outcome(experiment, Results(points), seconds=sum(seconds.values()))
