"""How close synthetic tables come to the true one, and how long they take, beside OpenDP's and smartnoise's.

    python -m research.comparisons synthesis [--only TABLE ...] [--aim N]
    python -m research.comparisons synthesis --tables FOLDER      writes the tables for peers
    python -m research.comparisons synthesis --peers FOLDER       with what ``synthesis_peers.py`` made in FOLDER

Shipped tables and two made-up ones, at equal epsilon and delta. Tables that are not here are left out, and said so.
All methods have the same public cells. Total variation is the mean over all pairs, and all triples, of columns; of 100
random queries about three columns the mean error; the forest learns the last column from synthetic rows, and is judged
on true rows that no synthesis saw. Figures are means; behind the first its standard deviation over repetitions.
Seconds are of the processor, of the synthesis and one draw of rows; of peers the first one (cold) and the next (warm).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

import dpselect as dps
from dpselect.kernel.rho_conversion import rho_within
from research.comparisons.synthesis_tables import (
    TABLES,
    Codes,
    Integers,
    auc,
    file_of,
    parts,
    query_error,
    total_variation,
)
from research.engine.data import available

EPSILONS, DELTA = (Fraction(1, 2), Fraction(1), Fraction(4)), Fraction(1, 10**9)
OURS = {
    "mst": {"method": "mst"},
    "aim, pairs": {"method": "aim", "degree": 2},
    "aim, triples": {"method": "aim", "degree": 3},
}
# Of the peers, by their file; of the first draw, rows as they are drawn unless users ask for another way.
PEERS = {
    "opendp-mst": "OpenDP mst",
    "smartnoise-mst": "smartnoise mst",
    "opendp-aim": "OpenDP aim",
    "smartnoise-aim": "smartnoise aim",
}
MADE_UP = " (made up)"


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


def peers(folder: Path, name: str, place: int) -> Iterator[tuple[str, list[list[Integers]] | str, list[float]]]:
    """Yield what the peers made and the seconds of each time, or why they made nothing."""
    for method, label in PEERS.items():
        path = file_of(folder, f"{name.split()[0]}.{method}.{place}")
        if not path.exists():
            yield label, "not run", []
            continue
        with np.load(path) as stored:
            if "failed" in stored:
                yield label, str(stored["failed"]), []
                continue
            turns = range(sum(each.startswith("seconds") for each in stored.files))
            seconds = [float(stored[f"seconds{turn}"]) for turn in turns]
            yield label, [[*stored[f"sample{turn}"]] for turn in turns], seconds
            yield f"{label}, as is", [[*stored[f"round{turn}"]] for turn in turns], []


def line(label: str, true: Codes, held_out: list[Integers], made: Sequence[list[Integers]], seconds: str = "") -> str:
    """Return one line of the comparison."""
    pairs = [total_variation(true, each, 2) for each in made]
    others = [(total_variation(true, each, 3), query_error(true, each), auc(each, held_out)) for each in made]
    cells = "".join(f"{each:>10.4f}" for each in (np.mean(pairs), np.std(pairs), *np.mean(others, axis=0)))
    return f"  {label:<22}{cells}{seconds:>14}"


def independent(true: Codes) -> list[Integers]:
    """Return rows with the true shares of every column, and nothing else: what measuring pairs must beat."""
    rng = np.random.default_rng(0)
    return [rng.permutation(column) for column in true[0]]


def write(folder: Path, names: Sequence[str]) -> None:
    """Write tables and budgets for peers."""
    folder.mkdir(parents=True, exist_ok=True)
    rhos = np.array([float(rho_within(epsilon, DELTA)) for epsilon in EPSILONS])
    budgets = {"rhos": rhos, "epsilons": np.array([float(each) for each in EPSILONS]), "delta": float(DELTA)}
    for name in names:
        (columns, sizes), _ = parts(TABLES[name]())
        np.savez_compressed(file_of(folder, name), codes=np.stack(columns), sizes=np.array(sizes), **budgets)


def main() -> None:
    """Print the comparison, or write its tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=Path)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--only", nargs="+", choices=[each.removesuffix(MADE_UP) for each in TABLES])
    parser.add_argument("--mst", type=int, default=5, help="how often mst is repeated")
    parser.add_argument("--aim", type=int, default=2, help="how often aim is repeated; 0 leaves it out")
    asked = parser.parse_args()
    names = []
    for name in TABLES:
        if asked.only is None or name.removesuffix(MADE_UP) in asked.only:
            if name.endswith(MADE_UP) or name in available():
                names.append(name)
            else:
                print(f"{name}: its file is not here, left out")
    if asked.tables is not None:
        write(asked.tables, names)
        return
    for name in names:
        true, held_out = parts(TABLES[name]())
        print(f"{name}: {len(true[0][0])} rows, {len(true[1])} columns, delta {float(DELTA):g}")
        heads = ("2-way TV", "deviation", "3-way TV", "queries", "AUC")
        print(f"  {'':<22}{''.join(f'{each:>10}' for each in heads)}{'seconds':>14}")
        print(line("independent", true, held_out, [independent(true)]), flush=True)
        print(line("the rows themselves", true, held_out, [true[0]]), flush=True)
        for place, epsilon in enumerate(EPSILONS):
            print(f"  epsilon {float(epsilon):g}")
            for label, options in OURS.items():
                times = asked.mst if label == "mst" else asked.aim
                made = [ours(true, epsilon, options) for _ in range(times)]
                if made:
                    least = f"{min(seconds for _, seconds in made):.1f}"
                    print(line(label, true, held_out, [rows for rows, _ in made], least), flush=True)
            for label, rows, seconds in () if asked.peers is None else peers(asked.peers, name, place):
                if isinstance(rows, str):
                    print(f"  {label:<22}{rows}", flush=True)
                else:
                    took = ", ".join(f"{each:.1f}" for each in seconds)
                    print(line(label, true, held_out, rows, took), flush=True)
    if asked.peers is None:
        print("OpenDP and smartnoise-synth were not asked: pass --peers FOLDER, see synthesis_peers.py")


if __name__ == "__main__":
    main()
