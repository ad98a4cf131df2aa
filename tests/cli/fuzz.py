"""Command lines made at random: every verb and option that the parser has, with odd words, numbers and files."""

from __future__ import annotations

import itertools
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

from tests.cli.every import every_command

NUMBERS = [
    "0", "1", "-1", "2", "0.5", "1/3", "1e-6", "1e400", "1e-400", "1e-99999", "-0", "nan", "inf", "-inf", "x", "", " ",
    "1e308", "-1e308", "9" * 50, "2" * 19, "1_000", "١٢", "0x10", "1/0", "50", "99.9", "100", "1e9", "10000",
]  # fmt: skip
WORDS = [
    "", " ", "age", "job", "rich", "page", "votes", "b", "snp", "nothing", "café", os.fsdecode(b"\xff"), "a\nb", "-",
    "--", "max_depth", "'", '"', ";", "x" * 5000, "%s%n", "{}", "None", "permute-and-flip", "exponential",
    "inverse-sensitivity", "local-dampening-flip", "smooth-noisy-max", "yes=2", "yes=", "=", "rows", "add-remove",
    "edge",
]  # fmt: skip
FILES = [
    "people.csv", "people.toml", "in_place.toml", "edges.csv", "nodes.txt", "study.csv", "votes.parquet", "counts.npy",
    "cells.parquet", "model.json", "people.ledger", "missing.csv", "none/missing.csv", "folder", ".", "/",
    "/dev/null", "/dev/full", "", "nested.toml", "nested.json", "binary.csv", "binary.parquet", "binary.npy",
    "binary.json", "binary.toml", "empty.csv", "empty.parquet", "empty.npy", "empty.json", "empty.toml",
    "empty.ledger", "nul.csv", "ragged.csv", "header.csv", "loop", "people.ledger-wal", "people.ledger-journal",
    "holiday.jpg", "link.csv", "square.npy", "objects.npy", "text.npy", "three.toml", "x" * 300, "people.csv/inside",
    "postgres:/ann:PW@h/x.csv", "postgres://ann:PW@127.0.0.1:1/d?table=t", "duckdb://ann:PW@x.duckdb?table=t",
    "sqlite://nofile.db?table=t", "host=h password=PW", "*.csv", "lesmis", "5", "0", "-3", "new.json", "new.npy",
    "new.csv", "new.png", "new.svg", "new.doc", "new.ledger", "quoted.csv", "wide.csv", "cells.toml",
]  # fmt: skip
# What takes minutes, what writes folders, and what serves until it is stopped: they have tests of their own.
LEFT_OUT = {"reproduce", "audit", "demo", "explore"}


def write(folder: Path) -> None:
    """Write the odd files."""
    for ending in ("csv", "parquet", "npy", "json", "toml", "ledger"):
        (folder / f"empty.{ending}").touch()
    noise = bytes(range(256)) * 40
    for ending in ("csv", "parquet", "npy", "json", "toml"):
        (folder / f"binary.{ending}").write_bytes(noise)
    (folder / "nested.toml").write_text("x = " + "[" * 3000)
    (folder / "nested.json").write_text("[" * 200_000)
    (folder / "nul.csv").write_bytes(b"age,job,rich\n1,\0,no\n\0\0\0")
    (folder / "ragged.csv").write_text("age,job\n1\n1,2,3\n")
    (folder / "header.csv").write_text("age,job,rich\n")
    (folder / "quoted.csv").write_text('age,job,rich\n1,"nurse,no\n')
    (folder / "wide.csv").write_text(",".join(f"c{n}" for n in range(3000)) + "\n")
    (folder / "three.toml").write_text("columns = 3\n")
    odd = 'source = "people.csv"\n[columns]\nage = {lower = -1e308, upper = 1e308}\njob = []\nrich = ["no", "no"]\n'
    (folder / "cells.toml").write_text(odd)
    (folder / "in_place.toml").write_text((folder / "people.toml").read_text().replace("[", "in_place = true\n[", 1))
    (folder / "holiday.jpg").write_bytes((folder / "people.ledger").read_bytes())
    (folder / "loop").symlink_to("loop")
    (folder / "link.csv").symlink_to("people.csv")
    (folder / "folder").mkdir()
    np.save(folder / "square.npy", np.arange(64).reshape(8, 8))
    np.save(folder / "text.npy", np.array(["a", "b"]))
    np.save(folder / "objects.npy", np.array([{}, None], dtype=object), allow_pickle=True)
    parquet.write_table(pa.table({"age": pa.array([], pa.int64())}), folder / "few.parquet")


def lines(seed: int, count: int) -> list[list[str]]:
    """Return command lines, the same for the same seed."""
    luck = random.Random(seed)
    # Several tasks need one more word: alone they are refused.
    commands = [(words, params) for words, params in every_command() if words[0] not in LEFT_OUT]
    drawn = (_line(luck, *luck.choice(commands)) for _ in itertools.count())
    return [*itertools.islice((line for line in drawn if "--demo" not in line), count)]


def _line(luck: random.Random, words: tuple[str, ...], params: list[Any]) -> list[str]:
    """Return a line that is often well formed and now and then nonsense."""
    line, options = list(words), []
    for param in params:
        option = param.opts[0].startswith("-")
        needed = param.required or not option
        if luck.random() > (0.97 if needed else 0.25):
            continue
        many = param.several or param.nargs == -1
        values = (
            []
            if getattr(param, "is_flag", False)
            else [_value(luck, param) for _ in range(luck.choice((1, 1, 1, 2)) if many else 1)]
        )
        (options if option else line).extend([*(param.opts[:1] if option else []), *values])
    whole = [*line, *options] if luck.random() < 0.8 else [*words, *options, *line[len(words) :]]
    if luck.random() < 0.08:
        whole.insert(luck.randrange(len(whole) + 1), luck.choice([*WORDS, *NUMBERS, *FILES, "--frobnicate", "--ou"]))
    return [word.replace("\0", "") for word in whole]


# What makes a command work: otherwise hardly any would get beyond the first refusal.
_RIGHT = {
    "file": ["people.csv", "study.csv", "votes.parquet", "counts.npy"], "graph": ["edges.csv", "lesmis"],
    "model": ["model.json"], "ledger": ["people.ledger"], "target": ["rich"],
    "dataset": ["people.csv", "people.toml", "edges.csv", "lesmis"],
    "traces": ["cells.parquet"], "nodes": ["nodes.txt", "4"], "domain": ["rows", "9"], "column": ["age"],
    "candidate": ["page"], "score": ["votes"], "lower": ["0"], "upper": ["100"], "p": ["50"], "epsilon": ["1", "0.5"],
    "sensitivity": ["1"], "families": ["100"], "max_degree": ["3"], "k": ["1"], "learner": ["fixed"],
    "out": ["new.json", "new.npy", "new.svg"], "max_depth": ["2"], "population": ["5"], "output": ["1"],
    "generations": ["1"], "count": ["1"],
}  # fmt: skip


def _value(luck: random.Random, param: Any) -> str:
    choices = getattr(param.type, "choices", None)
    if choices and luck.random() < 0.9:
        return str(luck.choice(sorted(map(str, choices))))
    right = _RIGHT.get(param.name)
    if right and luck.random() < 0.7:
        return luck.choice(right)
    kind = luck.random()
    if param.role is not None and kind < 0.8:
        return luck.choice(FILES)
    if param.type.name != "text" and kind < 0.9:
        return luck.choice(NUMBERS)
    return luck.choice([*WORDS, *NUMBERS, *FILES])
