"""A tree of depth 5 on 8 attributes and a class: DuckDB on parquet, against loading into pandas and training.

    python -m research.comparisons.warehouse [--rows 1000000 10000000] [--edges 5000000] [--folder .] [--no-pandas]

Every fit is a process of its own: wall and processor time from the open file to the fitted tree (imports excluded),
peak memory of the whole process, and bytes of counts that were fetched. "temporary" keeps codes in a temporary table.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

COLORS, SIZES = ["red", "green", "blue", "black", "white"], list("abcdefgh")
DOMAINS = {
    **{f"n{place}": (0, 100) for place in range(4)},
    "color": COLORS,
    "size": SIZES,
    "rank": list(range(10)),
    "flag": [0, 1],
    "label": ["no", "yes"],
}


def make(path: Path, rows: int) -> None:
    """Write a table that DuckDB generates from a range: four numbers, two texts, two integers, a class."""
    import duckdb

    numbers = ", ".join(f"(hash(range * 31 + {place}) % 100000) / 1000.0 AS n{place}" for place in range(4))
    duckdb.connect().execute(
        f"""COPY (SELECT {numbers},
            {COLORS}[1 + (hash(range * 31 + 5) % 5)::INT] AS color,
            {SIZES}[1 + (hash(range * 31 + 6) % 8)::INT] AS size,
            (hash(range * 31 + 7) % 10)::INT AS rank,
            (hash(range * 31 + 8) % 2)::INT AS flag,
            CASE WHEN (hash(range * 31) % 100000 > 50000) = (hash(range * 31 + 6) % 8 > 1)
                AND hash(range * 31 + 9) % 10 < 8 THEN 'yes' ELSE 'no' END AS label
        FROM range({rows})) TO '{path}' (FORMAT parquet)"""
    )


def fit(path: str, how: str) -> dict[str, Any]:
    """Train once in this process and say what it took."""
    import ibis  # noqa: F401
    import pandas

    import dpselect as dps
    from dpselect.sources.warehouse import Warehouse

    home, ask = [0, 0], Warehouse.ask

    def counted(self: Warehouse, expression: Any) -> Any:
        rows = ask(self, expression)
        home[0] += sum(np.asarray(values).nbytes for values in rows.values())
        home[1] += 1
        return rows

    Warehouse.ask = counted  # type: ignore[method-assign]
    model = dps.learn.DPTreeClassifier(1, domains=DOMAINS, max_depth=5)
    wall, processor = time.perf_counter(), time.process_time()
    if how == "pandas":
        model.fit(pandas.read_parquet(path), "label")
    else:
        with Warehouse.open(path, temporary=how == "temporary") as source:
            model.fit(source, "label")
    return {
        "wall": time.perf_counter() - wall,
        "processor": time.process_time() - processor,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10,
        "bytes": home[0],
        "queries": home[1],
    }


def stream(path: str) -> dict[str, Any]:
    """Stream the edges of a million nodes into memory and say what that took."""
    import dpselect as dps

    graph = dps.data.StoredGraph(path, 10**6)
    before, processor = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    graph.to_graph()
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"processor": time.process_time() - processor, "bytes": (after - before) * 2**10}


def edges(folder: Path, many: int) -> None:
    """Print the memory that streamed edges need."""
    import duckdb

    path = folder / "edges.parquet"
    ends = ", ".join(f"(hash(range * 2 + {end}) % 1000000)::BIGINT AS {('source', 'target')[end]}" for end in (0, 1))
    duckdb.connect().execute(f"COPY (SELECT {ends} FROM range({many})) TO '{path}' (FORMAT parquet)")
    took = child(str(path), "edges")
    print(f"{many} edges streamed into memory: {took['processor']:.1f} s, {took['bytes'] / many:.0f} bytes an edge")


def child(*words: str) -> dict[str, Any]:
    """Return what a process of its own measured."""
    command = [sys.executable, __file__, "--fit", *words]
    answer: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return answer


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10**6, 10**7])
    parser.add_argument("--edges", type=int, default=5 * 10**6, help="how many edges are streamed")
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="where the tables are written")
    parser.add_argument("--no-pandas", action="store_true", help="leave out what may not fit into memory")
    parser.add_argument("--fit", nargs=2, metavar=("FILE", "HOW"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.fit:
        path, how = args.fit
        print(json.dumps(stream(path) if how == "edges" else fit(path, how)))
        return
    print(f"{'rows':>12} {'how':>10} {'wall s':>8} {'cpu s':>8} {'peak MiB':>9} {'queries':>8} {'bytes home':>11}")
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        for rows in args.rows:
            path = Path(folder) / f"{rows}.parquet"
            make(path, rows)
            for how in ["warehouse", "temporary", *([] if args.no_pandas else ["pandas"])]:
                took = child(str(path), how)
                print(
                    f"{rows:>12} {how:>10} {took['wall']:>8.1f} {took['processor']:>8.1f} {took['peak']:>9.0f} "
                    f"{took['queries']:>8} {took['bytes']:>11}",
                    flush=True,
                )
            path.unlink()
        edges(Path(folder), args.edges)


if __name__ == "__main__":
    main()
