"""The work that users wait for, beside what they would use instead: ratios of processor time, and how time grows.

    DPSELECT_DATA=... python -m research.comparisons speed [PART ...] [--rows 1000000 10000000] [--growth 7]

Both sides of a row run in one process, in turn, on one thread: processor seconds, least of several rounds. Memory is
what one call adds to the process. Commands and imports are processes of their own, which are started in turn.
Growth is the exponent of time between sizes ten times apart, from 10^4 on; one of more than 1.05 is marked.
"""

from __future__ import annotations

import argparse
import logging
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import dpselect as dps
from dpselect import datasets
from dpselect.release.open_session import open_session
from dpselect.release.questions import question
from research.comparisons import tables
from research.comparisons.effective import command
from research.comparisons.ego_betweenness import MAX_DEGREE, by_igraph, extra_memory
from research.comparisons.graph_sizes import SKEWED, rmat
from research.comparisons.pareto import seconds
from research.comparisons.selection import in_turn, opendp_draw, profile

Act = Callable[[], object]
# What grows faster is marked.
_STEEP = 1.05
FLIP = dps.mechanism("permute-and-flip")
COLUMNS = ("work", "here s", "rival s", "ratio", "aim", "MiB", "rival")
WIDTHS = (52, 10, 10, 7, 6, 6)


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        work: what is done.
        ours: does it here.
        rival: what others do, and its name.
        aim: the ratio that is meant to hold; ``None`` where none is.
        rounds: how often both are measured.
        draws: calls of which a round takes the mean.
        memory: whether what one call adds to the process is measured.
    """

    work: str
    ours: Act
    rival: tuple[str, Act]
    aim: float | None = None
    rounds: int = 3
    draws: int = 1
    memory: bool = False

    def print(self) -> None:
        """Measure both sides, and print them."""
        self.ours()
        self.rival[1]()
        here, there = in_turn({"ours": self.ours, "rival": self.rival[1]}, self.draws, self.rounds).values()
        line(self.work, here, there, self.aim, extra_memory(self.ours) if self.memory else "", self.rival[0])


def line(work: str, here: float, there: float, aim: float | None, memory: str, rival: str) -> None:
    """Print one line of the table."""
    cells = (work, f"{here:.6f}", f"{there:.6f}", f"{here / there:.2f}", "" if aim is None else f"{aim:g}", memory)
    print("".join(f"{cell:<{WIDTHS[0]}}" if cell is work else f"{cell:>{width}}"
                  for cell, width in zip(cells, WIDTHS, strict=True)) + "  " + rival, flush=True)  # fmt: skip


def selections() -> Iterator[Row]:
    """Yield a whole choice, one of scores made before, and one in a session, beside unsafe noise of NumPy."""
    for size, (whole, made) in {100: (None, None), 10**3: (8, 5), 10**5: (2, 2), 10**6: (2, 2)}.items():
        values, noise = profile("normal", size), np.random.default_rng(0)
        scores, rounds, draws = dps.Scores(values, 1), 100 if size < 10**6 else 20, max(1, 20_000 // size)
        numpy = ("NumPy", lambda x=values / 2, g=noise: np.argmax(x + g.standard_exponential(x.size)))
        work = f"select(Scores(..)) among {size:,}"
        yield Row(work, lambda v=values: dps.select(dps.Scores(v, 1), epsilon=1, mechanism=FLIP), numpy, whole,
                  rounds, draws)  # fmt: skip
        yield Row(f"select(scores) among {size:,}", lambda s=scores: dps.select(s, epsilon=1, mechanism=FLIP), numpy,
                  made, rounds, draws)  # fmt: skip
        asked = question(scores, Fraction(1), FLIP)
        with open_session(asked.guarantee, count=(rounds + 1) * draws + 1) as paid:
            yield Row(f"a draw of a session among {size:,}", lambda p=paid, a=asked: p.draw(a), numpy, None, rounds,
                      draws)  # fmt: skip
        rival = opendp_draw(values)
        if rival is not None and size <= 10**5:
            yield Row(work, lambda v=values: dps.select(dps.Scores(v, 1), epsilon=1, mechanism=FLIP),
                      ("OpenDP", rival), None, 5)  # fmt: skip


def quantiles() -> Iterator[Row]:
    """Yield joint quantiles beside halving."""
    values = np.random.default_rng(3).integers(0, 4096, 10**6)
    for count in (1, 3, 5, 9):
        shares = np.arange(1, count + 1) / (count + 1)

        def asked(method: str, shares: np.ndarray = shares) -> object:
            return dps.quantiles(values, shares, grid=range(4096), epsilon=1, method=method)

        halving = ("halving", lambda ask=asked: ask("halving"))
        if count > 1:
            yield Row(f"joint: {count} quantiles of 10^6 records", lambda ask=asked: ask("joint"), halving, 10)
        yield Row(f"by the rule: {count} quantiles of 10^6 records", lambda ask=asked: ask("auto"), halving, 10)


def files(rows: int) -> Iterator[Row]:
    """Yield questions about a table in csv and parquet beside counts of the same cells in DuckDB."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("DPSELECT_SCRATCH")) as folder:
        tables.write(Path(folder), rows)
        for kind in ("csv", "parquet"):
            path = f"{folder}/t.{kind}"
            for name, query, aim in QUERIES:
                query = query.format(path)
                yield Row(f"{name}, {kind}, {rows:,} rows", lambda n=name, p=path: tables.MEASURED[n](p),
                          ("DuckDB", lambda q=query: duckdb(q)), aim.get(kind), 3, memory=True)  # fmt: skip
        path, wide = Path(folder, "t.csv"), Path(folder, "wide.csv")
        with path.open("rb") as read, wide.open("wb") as written:
            written.write(read.readline())
            while part := read.read(2**20):
                written.write(part.replace(b"\n", b",\n"))
        yield Row(f"median of incomes, csv, {rows:,} rows that end in a comma",
                  lambda: tables.MEASURED["median of incomes"](str(wide)),
                  ("without it", lambda: tables.MEASURED["median of incomes"](str(path))), None, 3)  # fmt: skip


_PERSONS = "(SELECT *, row_number() OVER (PARTITION BY person) AS nth FROM '{}')"
QUERIES: list[tuple[str, str, dict[str, float]]] = [
    ("counts of regions", "SELECT region, count(*) FROM '{}' GROUP BY 1", {"csv": 3, "parquet": 2}),
    ("median of incomes", "SELECT income, count(*) FROM '{}' GROUP BY 1", {"csv": 3, "parquet": 2}),
    ("median by region", "SELECT region, income, count(*) FROM '{}' GROUP BY 1, 2", {"csv": 3, "parquet": 2}),
    (
        "most common regions, of persons",
        "SELECT region, count(*) FROM (SELECT DISTINCT person, region FROM '{}') GROUP BY 1",
        {},
    ),
    (
        "median by region, of persons",
        f"SELECT region, income, count(*) FROM {_PERSONS} WHERE nth <= 2 GROUP BY 1, 2",
        {},
    ),
]


def duckdb(query: str) -> None:
    """Run a query of DuckDB on one thread."""
    import duckdb

    duckdb.connect(config={"threads": 1}).sql(query).fetchall()


def formulas(rows: int) -> Iterator[Row]:
    """Yield counts and sums of groups in DuckDB beside its own GROUP BY, and the score of two rates."""
    import ibis

    from dpselect.release.best import GroupRanking

    engine: Any = ibis.duckdb.connect(threads=1)
    engine.con.execute(
        "CREATE TABLE t AS SELECT 'g' || (hash(range) % 50) AS g, (1 + hash(range + 7919) % 5)::INT AS stars, "
        f"(10 + hash(range + 13) % 900) / 10.0::DOUBLE AS price FROM range({rows})"
    )
    table, groups = engine.table("t"), [f"g{i}" for i in range(50)]
    columns = {"stars": {"lower": 1, "upper": 5}, "price": {"lower": 1, "upper": 100, "step": 0.1}}
    for score, sums, prior in (
        ("avg(stars)", "sum(stars)", "20:3"),
        ("rate(stars >= 4)", "count(*) FILTER (stars >= 4)", "20:.5"),
        ("avg(price)", "sum(price)", "20:50"),
    ):
        ranking = GroupRanking.of(score, columns, prior)
        query = f"SELECT g, count(*), {sums} FROM t GROUP BY g"
        yield Row(f"{score} of {rows:,} rows", lambda r=ranking: r.columns.count(table, "g", groups, None, 1),
                  ("GROUP BY", lambda q=query: engine.con.execute(q).fetchall()), 1.2, 5)  # fmt: skip
    for many in (20, 100):
        names = [f"g{i}" for i in range(many)]
        frame = {"g": np.repeat(names, 1000), "stars": np.random.default_rng(0).integers(1, 6, 1000 * many)}
        told = {"epsilon": 1, "by": "g", "groups": names, "prior": "20:.5", "columns": columns}
        yield Row(f"difference of two rates, {many} groups of 1,000 rows",
                  lambda f=frame, t=told: dps.best(f, score="rate(stars >= 4) - rate(stars <= 2)", **t),
                  ("one rate", lambda f=frame, t=told: dps.best(f, score="rate(stars >= 4)", **t)))  # fmt: skip


def graphs() -> Iterator[Row]:
    """Yield metrics of all nodes beside igraph, and a release by ego betweenness beside its values."""
    import igraph

    enron = datasets.graph("enron")
    yield Row("ego betweenness, values, Enron",
              lambda: dps.utilities.ego_betweenness(enron, max_degree=1383, sensitivity="degree").values,
              ("igraph", lambda: by_igraph(enron)), None, 1)  # fmt: skip
    source, target, nodes = rmat(10**6, SKEWED)
    large = dps.Graph.from_edges(source, target, nodes=nodes)
    for graph, bound, name in ((enron, MAX_DEGREE["enron"], "Enron"), (large, nodes - 1, "R-MAT")):

        def ego(told: str, graph: dps.Graph = graph, bound: int = bound) -> object:
            scores = dps.utilities.ego_betweenness(graph, max_degree=bound, sensitivity=told)
            return dps.select(scores, epsilon=1, mechanism=FLIP)

        yield Row(f"ego betweenness, a whole release, {name}", lambda e=ego: e("refined"),
                  ("by degree", lambda e=ego: e("degree")), 1.1, 2, memory=True)  # fmt: skip
    theirs = igraph.Graph(nodes, np.stack((source, target), axis=1)).simplify()

    def open_pairs() -> object:
        degree = np.array(theirs.degree(), dtype=float)
        return degree * (degree - 1) / 2 * (1 - np.array(theirs.transitivity_local_undirected(mode="zero")))

    yield Row("open pairs, values, R-MAT", lambda: dps.utilities.open_pairs(large, max_degree=nodes - 1).values,
              ("igraph", open_pairs), None, 3, memory=True)  # fmt: skip


def start() -> None:
    """Print what imports and commands take, interpreter included, beside the import of NumPy."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "three.csv")
        path.write_text("person,city,age\n1,Rome,30\n2,Rome,31\n3,Paris,32\n", encoding="ascii")
        grid = ["--lower", "0", "--upper", "100", "--step", "1", "--epsilon", "1"]
        names = ["--domain", "Rome,Paris", "--epsilon", "1"]
        run = ["-m", "dpselect"]
        measured = {
            "import dpselect": ["-c", "import dpselect"],
            "import dpselect, and its select": ["-c", "import dpselect; dpselect.select, dpselect.Scores"],
            "dpselect --version": [*run, "--version"],
            "dpselect median of three rows": [*run, "median", str(path), "age", *grid],
            "dpselect histogram of three rows": [*run, "histogram", str(path), "city", *names],
            "dpselect most-common of three persons": [*run, "most-common", str(path), "city", *names],
        }
        for work, words in measured.items():
            line(work, command(*words), command("-c", "import numpy"), None, "", "import numpy")


def growth(most: int) -> None:
    """Print how the time of each question grows from 10^4 to so large a power of ten of rows or candidates."""
    powers = range(4, most + 1)
    print(
        "\n" + "growth, processor seconds".ljust(40) + "".join(f"{f'10^{each}':>12}" for each in powers) + "   slopes"
    )
    with tempfile.TemporaryDirectory(dir=os.environ.get("DPSELECT_SCRATCH")) as folder:
        for power in powers:
            Path(folder, str(power)).mkdir()
            tables.write(Path(folder, str(power)), 10**power)
        tables_of = [name for name, *_ in QUERIES]
        asked: dict[str, Callable[[int], Act]] = {
            f"{name}, {kind}": lambda power, n=name, k=kind: lambda: tables.MEASURED[n](f"{folder}/{power}/t.{k}")
            for kind in ("csv", "parquet")
            for name in tables_of
        }
        asked["select(Scores(..))"] = lambda power: _select(10**power)
        asked["9 quantiles"] = lambda power: _quantiles(10**power)
        asked["open pairs, R-MAT"] = lambda power: _pairs(10**power)
        for name, of in asked.items():
            taken = []
            for power in powers:
                act = of(power)
                act()
                taken.append(seconds(act, 5 if power < 7 else 2))
            slopes = [math.log10(after / before) for before, after in pairwise(taken)]
            shown = "".join(f"{each:>12.4f}" for each in taken) + "   "
            shown += " ".join(f"{each:.2f}{'*' * (each > _STEEP)}" for each in slopes)
            print(f"{name:<40}{shown}", flush=True)


def _select(size: int) -> Act:
    values = profile("normal", size)
    return lambda: dps.select(dps.Scores(values, 1), epsilon=1, mechanism=FLIP)


def _quantiles(size: int) -> Act:
    values, shares = np.random.default_rng(3).integers(0, 4096, size), np.arange(1, 10) / 10
    return lambda: dps.quantiles(values, shares, grid=range(4096), epsilon=1)


def _pairs(samples: int) -> Act:
    source, target, nodes = rmat(samples, SKEWED)
    graph = dps.Graph.from_edges(source, target, nodes=nodes)
    return lambda: dps.utilities.open_pairs(graph, max_degree=nodes - 1).values


PARTS = ("start", "selections", "quantiles", "formulas", "graphs", "files", "growth")


def main(words: list[str]) -> None:
    """Print the parts that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help=", ".join(PARTS))
    parser.add_argument("--rows", type=int, nargs="+", default=[10**6, 10**7])
    parser.add_argument("--growth", type=int, default=6, help="the largest power of ten whose growth is measured")
    said = parser.parse_args(words)
    # How long a distance takes is measured here.
    logging.getLogger("dpselect").setLevel(logging.ERROR)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print("".join(f"{name:<{width}}" if name == "work" else f"{name:>{width}}"
                  for name, width in zip(COLUMNS, WIDTHS, strict=False)) + "  rival")  # fmt: skip
    alone = {"start": start, "growth": lambda: growth(said.growth)}
    rows = {"selections": selections, "quantiles": quantiles, "graphs": graphs}
    for part in said.parts or PARTS:
        if part in alone:
            alone[part]()
        elif part in rows:
            for row in rows[part]():
                row.print()
        else:
            of = {"files": files, "formulas": formulas}[part]
            for size in said.rows:
                for row in of(size):
                    row.print()


if __name__ == "__main__":
    main(sys.argv[1:])
