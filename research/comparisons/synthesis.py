"""How close synthetic tables come to the true one, and how long they take, beside OpenDP's MST and AIM.

    python -m research.comparisons.synthesis --tables FOLDER      writes the tables for peers
    python -m research.comparisons.synthesis [--peers FOLDER] [--only TABLE ...]

Three shipped tables and two made-up ones, at equal epsilon and delta. All methods have the same public cells. Total
variation is the mean over all pairs, and all triples, of columns; of 100 random queries about three columns the mean
error; the forest learns the last column from synthetic rows, and is judged on the true ones. Seconds are of the
processor, without reading the table. Noise is redrawn once: figures of one synthesis vary by a few per cent.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

import dpselect as dps
from dpselect.kernel.rho_conversion import rho_within
from research.comparisons.synthesis_tables import (
    TABLES,
    Codes,
    Integers,
    accuracy,
    file_of,
    query_error,
    total_variation,
)

EPSILONS, DELTA = (Fraction(1, 10), Fraction(1), Fraction(4)), Fraction(1, 10**9)
OURS = {
    "mst": {"method": "mst"},
    "aim, pairs": {"method": "aim", "degree": 2},
    "aim, triples": {"method": "aim", "degree": 3},
}


def independent(true: Codes) -> list[Integers]:
    """Return rows with the true shares of every column, and nothing else: what measuring pairs must beat."""
    rng = np.random.default_rng(0)
    return [rng.permutation(column) for column in true[0]]


def ours(true: Codes, epsilon: Fraction, options: dict[str, object]) -> tuple[list[Integers], float]:
    """Return synthetic codes and the seconds that they took."""
    columns, sizes = true
    frame = {f"c{place}": column for place, column in enumerate(columns)}
    described = dps.Dataset.of(frame, columns={f"c{place}": [*range(size)] for place, size in enumerate(sizes)})
    start = time.process_time()
    model = dps.synthesize(described, epsilon=epsilon, delta=DELTA, **options).value  # type: ignore[arg-type]
    made = model.sample()
    seconds = time.process_time() - start
    # Cells that the model says are missing count as the first code.
    return [np.array([0 if each is None else each for each in column.tolist()]) for column in made.values()], seconds


def peers(folder: Path | None, name: str, place: int) -> Iterator[tuple[str, list[Integers] | str, float]]:
    """Yield what the peers made, or what they failed with."""
    for method in ("mst", "aim"):
        path = None if folder is None else file_of(folder, f"{name.split()[0]}.{method}.{place}")
        if path is not None and path.exists():
            with np.load(path) as stored:
                failed = "failed" in stored
                made = str(stored["failed"]) if failed else [*np.nan_to_num(stored["codes"]).astype(np.int64)]
                yield f"OpenDP {method}", made, float(stored["seconds"])


def line(label: str, true: Codes, made: list[Integers], seconds: float | None) -> str:
    """Return one line of the comparison."""
    figures = [total_variation(true, made, 2), total_variation(true, made, 3), query_error(true, made)]
    cells = "".join(f"{each:>10.4f}" for each in (*figures, accuracy(true, made)))
    return f"  {label:<16}{cells}" + ("" if seconds is None else f"{seconds:>10.1f}")


def write(folder: Path) -> None:
    """Write tables and budgets for peers."""
    folder.mkdir(parents=True, exist_ok=True)
    rhos = np.array([float(rho_within(epsilon, DELTA)) for epsilon in EPSILONS])
    for name, make in TABLES.items():
        columns, sizes = make()
        np.savez_compressed(file_of(folder, name), codes=np.stack(columns), sizes=np.array(sizes), rhos=rhos)


def main() -> None:
    """Print the comparison, or write its tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=Path)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--only", nargs="+", choices=[*TABLES], default=[*TABLES])
    asked = parser.parse_args()
    if asked.tables is not None:
        write(asked.tables)
        return
    for name in asked.only:
        true = TABLES[name]()
        print(f"{name}: {len(true[0][0])} rows, {len(true[1])} columns, delta {float(DELTA):g}")
        print(f"  {'':<16}{'2-way TV':>10}{'3-way TV':>10}{'queries':>10}{'forest':>10}{'seconds':>10}")
        print(line("independent", true, independent(true), None), flush=True)
        print(line("the table itself", true, true[0], None), flush=True)
        for place, epsilon in enumerate(EPSILONS):
            print(f"  epsilon {float(epsilon):g}")
            for label, options in OURS.items():
                print(line(label, true, *ours(true, epsilon, options)), flush=True)
            for label, made, seconds in peers(asked.peers, name, place):
                print(f"  {label:<16}{made}" if isinstance(made, str) else line(label, true, made, seconds), flush=True)


if __name__ == "__main__":
    main()
