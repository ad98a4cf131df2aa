"""Small inputs of every kind, and a command line for every command that releases or writes."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

from dpselect.cli import main

COLUMNS = 'age = {lower = 0, upper = 100}\njob = ["nurse", "smith"]\nrich = ["no", "yes"]\n'

PLAN = """dataset = "survey.toml"
total = {epsilon = 1}

[[query]]
key = "age"
query = "median"
column = "age"
weight = 1
"""


def description(columns: str = COLUMNS, more: str = "", source: str = "people.csv") -> str:
    """Return a description of the table of people, with other columns or more keys."""
    return f'source = "{source}"\n{more}[columns]\n{columns}'


def write(folder: Path) -> None:
    """Write them, and a ledger with a budget of 100."""
    write_tables(folder)
    write_traces(folder)


def write_tables(folder: Path) -> None:
    """Write all but traces."""
    # Learners take seconds to import, which most tests of commands need not.
    from dpselect.learn import DPTreeClassifier

    ages = [row % 100 for row in range(300)]
    people = [f"{age},{('nurse', 'smith')[age % 2]},{('no', 'yes')[age > 50]}" for age in ages]
    (folder / "people.csv").write_text("\n".join(["age,job,rich", *people]) + "\n", encoding="utf-8")
    (folder / "people.toml").write_text(description(), encoding="utf-8")
    budget = '[budget]\nepsilon = 1\nledger = "survey.ledger"\n'
    (folder / "survey.toml").write_text(description() + budget, encoding="utf-8")
    (folder / "report.toml").write_text(PLAN, encoding="utf-8")
    (folder / "edges.csv").write_text("source,target\n0,1\n0,2\n1,2\n2,3\n", encoding="utf-8")
    (folder / "edges.txt").write_text("0 1\n0 2\n1 2\n2 3\n", encoding="utf-8")
    (folder / "nodes.txt").write_text("0\n1\n2\n3\n", encoding="utf-8")
    (folder / "study.csv").write_text("snp,b,c\nrs1,13,5\nrs2,15,6\n", encoding="utf-8")
    (folder / "counts.csv").write_text("name,count,limit\nflu,40,30\npox,2,10\n", encoding="utf-8")
    parquet.write_table(pa.table({"page": [0, 1, 2], "votes": [40, 90, 12]}), folder / "votes.parquet")
    bought = [(person, "tea" if person % 3 else "milk", "ns"[person % 2]) for person in range(90)]
    (folder / "events.csv").write_text(
        "\n".join(["user,product,region", *(f"{who},{what},{where}" for who, what, where in bought)]) + "\n",
        encoding="utf-8",
    )
    (folder / "products.txt").write_text("tea\nmilk\nsoy\n", encoding="utf-8")
    np.save(folder / "counts.npy", np.arange(32) ** 2)
    table = {"age": ages, "job": [("nurse", "smith")[age % 2] for age in ages]}
    domains = {"age": (0, 100), "job": ["nurse", "smith"]}
    model = DPTreeClassifier(5, domains=domains, classes=["no", "yes"])
    model.fit(table, [("no", "yes")[age > 50] for age in ages]).save(folder / "model.json")
    assert 0 == main(["budget", "create", str(folder / "people.ledger"), "--epsilon", "100", "--dataset", "people"])


def write_traces(folder: Path) -> None:
    """Write what learned from public histograms."""
    from dpselect import adaptive, histograms
    from dpselect.adaptive import histogram_options

    shapes = {
        f"{name} {scale}": histograms.shapes.make(name, (32,), scale)
        for name in ("uniform", "steps")
        for scale in (50, 500)
    }
    maker = adaptive.AdaptiveAlgorithm(
        histogram_options.options(["identity", "uniform"]),
        histogram_options.metafeatures(),
        histogram_options.range_error,
        learner="fixed",
    )
    maker.train(shapes, [1], 1, traces=folder / "cells.parquet", jobs=1)


def state(folder: Path) -> dict[str, str]:
    """Return the hash of every file of a folder, by name."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def changed(command: list[str], change: list[str]) -> list[str]:
    """Return a command with other values of options, each with one value, or further ones."""
    command = [*command]
    for name in change:
        if name.startswith("--") and name in command:
            at = command.index(name)
            del command[at : at + 2]
    return [*command, *change]


TRAIN = ["train", "people.toml", "rich", "--epsilon", "1"]
CHOOSE = ["choose", "histogram", "counts.npy", "--traces", "cells.parquet", "--epsilon", "1", "--learner", "fixed"]
CHOOSE_TREE = ["choose", "tree", *TRAIN[1:], "--traces", "cells.parquet"]
VOTES = ["--candidate", "page", "--score", "votes", "--sensitivity", "1"]
PREDICT = ["predict", "model.json", "people.csv"]
PERCENTILE = ["people.csv", "age", "--lower", "0", "--upper", "100", "--p", "50"]
EVENTS = ["events.csv", "--person", "user", "product", "--domain", "products.txt"]
COUNTS = ["events.csv", "product", "--domain", "products.txt", "--person", "user"]
TOP_K = ["edges.csv", "--nodes", "nodes.txt", "degree"]
# Every command that works, as it is written in the folder of the inputs.
COMMANDS = [
    ["top-k", *TOP_K, "--epsilon", "1"],
    ["quantiles", *PERCENTILE, "--epsilon", "1"],
    ["median", "people.csv", "age", "--lower", "0", "--upper", "100", "--epsilon", "1"],
    ["quantiles", *PERCENTILE, "75", "--epsilon", "1"],
    ["select", "votes.parquet", *VOTES, "--domain", "rows", "--epsilon", "1"],
    ["most-common", *EVENTS, "--epsilon", "1"],
    ["histogram", *COUNTS, "--epsilon", "1"],
    ["above-threshold", "counts.csv", "--threshold", "20", "--epsilon", "1"],
    ["snp", "study.csv", "--families", "100", "--epsilon", "1"],
    [*TRAIN, "--out", "new.json"],
    [*CHOOSE, "--out", "new.npy"],
    ["check", "people.toml"],
    PREDICT,
    ["compare", "percentile", *PERCENTILE, "--epsilons", "1"],
    ["compare", "metrics", "edges.csv", "--nodes", "nodes.txt", "--k", "1", "--epsilon", "1", "--max-degree", "5"],
    ["budget", "show", "people.ledger"],
    ["budget", "spend", "people.ledger", "--epsilon", "1"],
    ["budget", "export", "people.ledger"],
    ["mechanisms"],
    ["plan", "--candidates", "9", "--error", "3"],
    ["datasets"],
    [
        *TRAIN,
        "--model",
        "boosted",
        "--rounds",
        "3",
        "--interactions",
        "false",
        "--out",
        "new.json",
        "--html",
        "new.html",
    ],
]
