"""Boosted trees of 100 rounds on 8 columns and a class, in their engine: what a round costs, and what leaves it.

    python -m research.comparisons.warehouse_boosted [--rows 1000000 10000000] [--rounds 100] [--folder .]
    python -m research.comparisons.warehouse_boosted --rows 1000000 --engines spark memory
    python -m research.comparisons.warehouse_boosted --rows 1000000 --postgres postgres://user@host/database

Every fit is a process of its own: minutes by the clock and of processors, the engine's included, from the open table to
the fitted model, peak memory of that process, queries, and bytes that were fetched in a round, least and most.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from research.comparisons.warehouse import DOMAINS, make

TABLE = "dpselect_measured"


def fit(path: str, engine: str, rounds: int, url: str) -> dict[str, Any]:
    """Train once in this process and say what it took."""
    import pandas

    import dpselect as dps
    from dpselect.sources.warehouse import Warehouse

    home: list[int] = []
    ask = Warehouse.ask

    def counted(self: Warehouse, expression: Any) -> Any:
        rows = ask(self, expression)
        home.append(sum(np.asarray(values).nbytes for values in rows.values()) * (1 if "part" in rows else -1))
        return rows

    Warehouse.ask = counted  # type: ignore[method-assign]
    model = dps.learn.DPBoostedTreesClassifier(1, rounds=rounds, domains=DOMAINS)
    with opened(path, engine, url) as (source, elsewhere):
        wall, processor = time.perf_counter(), time.process_time() + elsewhere()
        model.fit(pandas.read_parquet(path) if engine == "memory" else source, "label")
        wall, processor = time.perf_counter() - wall, time.process_time() + elsewhere() - processor
    of_rounds = [size for size in home if size > 0]
    return {
        "wall": wall / 60,
        "processor": processor / 60,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10,
        "queries": len(home),
        "least": min(of_rounds, default=0),
        "most": max(of_rounds, default=0),
    }


@contextmanager
def opened(path: str, engine: str, url: str) -> Iterator[tuple[Any, Callable[[], float]]]:
    """Yield the table, and what tells the seconds that other processes have worked for it."""
    from dpselect.sources.warehouse import Warehouse

    if engine == "postgres":
        with Warehouse.open(url, TABLE, temporary=True) as source:
            process = source.opened.con.info.backend_pid
            yield source, lambda: worked(process)
    elif engine == "spark":
        import ibis
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "4g")
        settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
        for name, value in (settings | {"spark.sql.shuffle.partitions": "2"}).items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        table = ibis.pyspark.connect(session).read_parquet(path)
        process = session.sparkContext._gateway.proc.pid
        yield Warehouse.open(table, temporary=True), lambda: worked(process)
        session.stop()
    elif engine == "duckdb":
        with Warehouse.open(path) as source:
            yield source, lambda: 0.0
    else:
        yield None, lambda: 0.0


def worked(process: int) -> float:
    """Return the processor seconds of a process of this machine."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def copied(path: Path, url: str) -> None:
    """Write the table to a PostgreSQL, over what is called the same there."""
    import duckdb
    import psycopg

    text = path.with_suffix(".csv")
    duckdb.connect().execute(f"COPY (SELECT * FROM '{path}') TO '{text}' (FORMAT csv, HEADER false)")
    kinds = dict.fromkeys(DOMAINS, "bigint") | dict.fromkeys(("color", "size", "label"), "text")
    kinds |= {name: "double precision" for name in DOMAINS if name.startswith("n")}
    columns = ", ".join(f"{name} {kind}" for name, kind in kinds.items())
    with psycopg.connect(url) as connection, connection.cursor() as cursor, text.open("rb") as lines:
        cursor.execute(f"DROP TABLE IF EXISTS {TABLE}")
        cursor.execute(f"CREATE TABLE {TABLE} ({columns})")
        with cursor.copy(f"COPY {TABLE} FROM STDIN (FORMAT csv)") as copy:
            while block := lines.read(2**20):
                copy.write(block)
    text.unlink()


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10**6, 10**7])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--engines", nargs="+", default=["duckdb"], choices=["duckdb", "spark", "memory"])
    parser.add_argument("--postgres", metavar="URL", default="", help="a database in which a table may be made")
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="where the tables are written")
    parser.add_argument("--fit", nargs=2, metavar=("FILE", "ENGINE"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.fit:
        print(json.dumps(fit(*args.fit, args.rounds, args.postgres)))
        return
    titles = f"{'rows':>10} {'engine':>9} {'min':>6} {'cpu min':>8} {'peak MiB':>9} {'queries':>8}"
    print(f"{titles} {'bytes a round':>14}")
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        for rows in args.rows:
            path = Path(folder) / f"{rows}.parquet"
            make(path, rows)
            if args.postgres:
                copied(path, args.postgres)
            for engine in [*args.engines, *(["postgres"] if args.postgres else [])]:
                words = ["--rounds", str(args.rounds), "--postgres", args.postgres, "--fit", str(path), engine]
                command = [sys.executable, __file__, *words]
                text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
                took = json.loads(text.splitlines()[-1])
                span = f"{took['least']}-{took['most']}"
                print(
                    f"{rows:>10} {engine:>9} {took['wall']:>6.1f} {took['processor']:>8.2f} {took['peak']:>9.0f} "
                    f"{took['queries']:>8} {span:>14}",
                    flush=True,
                )
            path.unlink()


if __name__ == "__main__":
    main()
