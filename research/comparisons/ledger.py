"""How long a durable spend takes, and how long a long ledger takes to show.

    python -m research.comparisons.ledger [--folder .] [--address postgresql://user@host/database?ledger=NAME]

Wall-clock time, because waiting for the disk is the point. The ledgers NAME and NAME_long must not be there yet; they
are left there.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from pathlib import Path

import dpselect as dps
from dpselect.kernel.neighbours import Neighbours
from dpselect.ledger import Event
from dpselect.ledger.chain import link, totals_text
from dpselect.ledger.composition import fold

EACH = dps.Guarantee(Fraction(1, 10**6), Neighbours.ADD_REMOVE)


def spends(address: str, count: int) -> list[float]:
    """Return how long each of some spends took."""
    ledger, times = dps.Ledger.read(address), []
    for _ in range(count):
        start = time.perf_counter()
        ledger.spend(EACH, mechanism="permute-and-flip")
        times.append(time.perf_counter() - start)
    return times


def latency(address: str) -> None:
    """One writer, and a crowd of eight processes."""
    dps.Ledger.open(address, epsilon=1)
    times = spends(address, 300)
    print(
        f"one writer:  median {1000 * statistics.median(times):6.2f} ms, slowest {1000 * max(times):6.2f} ms, "
        f"{len(times) / sum(times):.0f} spends a second"
    )
    with ProcessPoolExecutor(8) as pool:
        start = time.perf_counter()
        times = [each for some in pool.map(spends, [address] * 8, [200] * 8) for each in some]
        rate = len(times) / (time.perf_counter() - start)
    print(
        f"8 writers:   median {1000 * statistics.median(times):6.2f} ms, slowest {1000 * max(times):6.2f} ms, "
        f"{rate:.0f} spends a second in all"
    )


def long(folder: Path, rows: int) -> dps.Ledger:
    """Return a ledger of many rows, written in one transaction here."""
    path = folder / "long.ledger"
    ledger = dps.Ledger.open(path, epsilon=1)
    connection = sqlite3.connect(path)
    tail = connection.execute("SELECT tail FROM totals").fetchone()[0]
    event = Event.of(EACH, dataset="", mechanism="permute-and-flip")
    text = event.as_text()
    links = []
    for row in range(rows):
        tail = link(tail, text)
        links.append((row + 1, text, tail))
    connection.executemany("INSERT INTO events VALUES (?, ?, ?)", links)
    connection.execute(
        "UPDATE totals SET rows = ?, body = ?, tail = ?", (rows, totals_text(fold([event] * rows)), tail)
    )
    connection.commit()
    connection.close()
    return ledger


def looks(ledger: dps.Ledger) -> None:
    """Show and verify a ledger."""
    rows = ledger.totals.spends
    command = [sys.executable, "-m", "dpselect", "budget"]
    for words in (["show"], ["show", "--all"], ["verify"]):
        best = float("inf")
        for _ in range(3):
            start = time.perf_counter()
            subprocess.run([*command, words[0], ledger.address, *words[1:]], check=True, stdout=subprocess.DEVNULL)
            best = min(best, time.perf_counter() - start)
        print(f"dpselect budget {' '.join(words):<11} of {rows} rows: {best:.2f} s (interpreter included)")


def main() -> None:
    """Run both, in a file and in PostgreSQL where there is an address."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="a folder on the disk to be measured")
    parser.add_argument("--address", help="a ledger to make in PostgreSQL, measured instead")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        ledger = long(Path(folder), 10**5)
        latency(args.address or str(Path(folder) / "short.ledger"))
        if args.address:
            ledger.backup(f"{args.address}_long")
            ledger = dps.Ledger.read(f"{args.address}_long")
        looks(ledger)


if __name__ == "__main__":
    main()
