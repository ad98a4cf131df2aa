"""Degree, open pairs and triangles of graphs whose edges stay in an engine: DuckDB beyond its memory, and Spark.

    python -m research.comparisons.graphs_in_engines [--rows duckdb:degree:1e8 ...] [--folder .]

Edges are R-MAT, a, b, c, d = .57, .19, .19, .05, drawn with NumPy in pieces into a parquet file of two columns of 32
bits: 2^17 nodes for 10^6 rows, 2^20 for 10^7, 2^23 for 10^8. Self loops and repetitions stay in, as in an edge list.
Every figure is of a process of its own: processor time from the open file to the scores (Spark: of its Java process
too, started beforehand), peak memory of the whole process (Spark: of Java), and the most that was on disk,
looked at 20 times a second, temporary tables included. What was fetched is in bytes.
DuckDB may use 1,500 MB and two threads, Spark 2 GB and two threads.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

SCALES = {10**5: 14, 10**6: 17, 10**7: 20, 10**8: 23}
ROWS = (
    "duckdb:degree:1e6",
    "duckdb:degree:1e7",
    "duckdb:degree:1e8",
    "duckdb:open-pairs:1e6",
    "duckdb:open-pairs:1e6:2",
    "duckdb:open-pairs:1e7",
    "duckdb:open-pairs:1e7:4",
    "spark:degree:1e6",
    "spark:open-pairs:1e6",
)
_PIECE = 2 * 10**6
_LIMIT = "1500MB"


def ends(rng: np.random.Generator, scale: int, rows: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return both ends of edges of an R-MAT graph over 2^scale nodes, a bit at a time."""
    source, target = np.zeros(rows, np.int32), np.zeros(rows, np.int32)
    for _ in range(scale):
        place = rng.random(rows, dtype=np.float32)
        below = place >= 0.57 + 0.19
        source, target = source << 1 | below, target << 1 | (((place >= 0.57) & ~below) | (place >= 0.95))
    return source.astype(np.int32), target.astype(np.int32)


def make(path: Path, rows: int) -> None:
    """Write a graph, the same at every call."""
    import pyarrow
    from pyarrow import parquet

    rng = np.random.default_rng([SCALES[rows], rows])
    kind = pyarrow.schema([("source", pyarrow.int32()), ("target", pyarrow.int32())])
    with parquet.ParquetWriter(path, kind) as writer:
        for begin in range(0, rows, _PIECE):
            source, target = ends(rng, SCALES[rows], min(_PIECE, rows - begin))
            writer.write_table(pyarrow.table({"source": source, "target": target}))


class Disk(threading.Thread):
    """The most bytes that a folder held, looked at until it is stopped."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self.folder, self.most, self.ended = folder, 0, threading.Event()

    def run(self) -> None:
        """Look."""
        while not self.ended.wait(0.05):
            sizes = 0
            for file in self.folder.glob("**/*"):
                try:
                    sizes += file.stat().st_blocks * 512
                except OSError:
                    continue
            self.most = max(self.most, sizes)


def opened(engine: str, path: Path, spill: Path) -> tuple[Any, int]:
    """Return the edges in their engine, and the process of a server beside this one or 0."""
    import ibis

    if engine == "duckdb":
        return ibis.duckdb.connect(memory_limit=_LIMIT, temp_directory=str(spill), threads=2).read_parquet(path), 0
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.memory": "2g",
        "spark.sql.shuffle.partitions": "8",
        "spark.sql.warehouse.dir": str(spill),
        "spark.local.dir": str(spill),
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return ibis.pyspark.connect(session).read_parquet(str(path)), int(session._sc._gateway.proc.pid)


def processor(server: int) -> float:
    """Return the seconds of processor time of this process, and of a server that it started."""
    if not server:
        return time.process_time()
    words = Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()
    return time.process_time() + (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def peak(server: int) -> float:
    """Return the most memory that this process or its server had, in MiB."""
    if not server:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    lines = Path(f"/proc/{server}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 2**10


def measured(path: Path, engine: str, metric: str, rows: int, parts: int) -> dict[str, Any]:
    """Count in this process and say what it took."""
    import dpselect as dps
    from dpselect.sources.warehouse import Warehouse

    home, ask = [0, 0], Warehouse.ask

    def counted(self: Warehouse, expression: Any) -> Any:
        result = ask(self, expression)
        home[0] += sum(np.asarray(values).nbytes for values in result.values())
        home[1] += 1
        return result

    Warehouse.ask = counted  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory(dir=path.parent, ignore_cleanup_errors=True) as folder:
        table, server = opened(engine, path, Path(folder))
        disk = Disk(Path(folder))
        disk.start()
        begun = processor(server)
        graph = dps.data.StoredGraph(Warehouse.open(table, temporary=True), 2 ** SCALES[rows], parts=parts)
        if metric == "degree":
            scores = dps.utilities.degree(graph)
        else:
            scores = dps.utilities.open_pairs(graph, max_degree=2 ** SCALES[rows] - 1)
        took = processor(server) - begun
        disk.ended.set()
        return {
            "processor": took,
            "peak": peak(server),
            "disk": disk.most / 2**20,
            "bytes": home[0],
            "queries": home[1],
            "edges": int(graph.degrees.sum()) // 2,
            "degree": int(graph.degrees.max()),
            "triangles": int(graph.links.sum()) // 3 if metric != "degree" else None,
            "sum": int(scores.values.sum()),
        }


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="+", default=ROWS, metavar="ENGINE:METRIC:EDGES[:PARTS]")
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="where edges are written")
    parser.add_argument("--one", nargs=2, metavar=("FILE", "ROW"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        engine, metric, rows, *parts = asked.one[1].split(":")
        print(json.dumps(measured(Path(asked.one[0]), engine, metric, int(float(rows)), int(parts[0]) if parts else 1)))
        return
    heads = ("cpu s", "peak MiB", "disk MiB", "queries", "bytes home", "edges", "most d", "triangles")
    print(f"{'engine:metric:rows[:parts]':<26}" + "".join(f"{head:>12}" for head in heads))
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        for row in asked.rows:
            rows = int(float(row.split(":")[2]))
            path = Path(folder) / f"{rows}.parquet"
            if not path.exists():
                make(path, rows)
            command = [sys.executable, "-m", __spec__.name, "--one", str(path), row]
            took = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
            cells = [f"{took['processor']:.1f}", f"{took['peak']:.0f}", f"{took['disk']:.0f}"]
            names = ("queries", "bytes", "edges", "degree", "triangles")
            cells += ["-" if took[name] is None else f"{took[name]:,}" for name in names]
            print(f"{row:<26}" + "".join(f"{cell:>12}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
