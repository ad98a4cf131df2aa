"""What a server counts has the exact law of its epsilon: accepted at that, rejected at 0.7 and 1.3 times as much."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpselect as dps
from dpselect import audit
from dpselect.web.server.desk import Desk
from dpselect.web.server.house import House
from dpselect.web.server.questions import question_of
from dpselect.web.server.settings import read_settings

CONFIG = """
[limits]
waiting = 1000000
[datasets.survey]
source = "people.csv"
budget = {epsilon = 1000000}
shares = {ann = 1000000}
columns.age = {lower = 0, upper = 99, step = 1}
columns.grade = {lower = 0, upper = 2, step = 1}
columns.job = ["clerk", "nurse", "smith"]
[datasets.friends]
graph = "friends.csv"
nodes = 4
max_degree = 3
budget = {epsilon = 1000000}
shares = {ann = 1000000}
"""
GRADES, JOBS = (0, 0, 1, 1, 1, 2), ("clerk", "nurse", "nurse", "nurse", "smith", "smith")
# Of four nodes, the degrees are 3, 2, 2, 1.
EDGES = ((0, 1), (0, 2), (0, 3), (1, 2))
FLIP = dps.mechanism("permute-and-flip")
FACTORS = (Fraction(7, 10), Fraction(13, 10))
# Sizes of noise that are told apart; larger ones are one outcome.
MOST = 60


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """Six rows and four edges, and an analyst with a budget for many draws."""
    rows = "".join(f"{place},{grade},{job}\n" for place, (grade, job) in enumerate(zip(GRADES, JOBS, strict=True)))
    (tmp_path / "people.csv").write_text("age,grade,job\n" + rows, encoding="utf-8")
    edges = "".join(f"{one},{other}\n" for one, other in EDGES)
    (tmp_path / "friends.csv").write_text("source,target\n" + edges, encoding="utf-8")
    (tmp_path / "office.toml").write_text(CONFIG, encoding="utf-8")
    opened = House.open(read_settings(tmp_path / "office.toml"))
    opened.people.add("ann", "analyst", "test")
    yield opened
    opened.close()


def require(draw: Callable[[], Any], law: Callable[[Fraction], dict[Any, float]], epsilon: Fraction) -> None:
    """Accept draws at epsilon, and reject them at 0.7 and 1.3 epsilon, with a power that is stated."""
    against = {f"{float(factor)} epsilon": law(epsilon * factor) for factor in FACTORS}
    verdict = audit.sampler(draw, law(epsilon), against=against)
    assert verdict.accepted, str(verdict)
    assert all(each.power > 1 - 1e-6 for each in verdict.rejections)


def noise_law(epsilon: Fraction) -> dict[int, float]:
    """The law of two-sided geometric noise, from its definition; what is beyond MOST in one outcome at each end."""
    ratio = math.exp(-float(epsilon))
    law = {size: (1 - ratio) / (1 + ratio) * ratio ** abs(size) for size in range(-MOST + 1, MOST)}
    return law | dict.fromkeys((-MOST, MOST), ratio**MOST / (1 + ratio))


def test_counts_over_the_desk(house) -> None:
    """Every answer is asked for with a key of its own, paid, drawn and stored: its 99 noises are 99 draws."""
    desk, epsilon = Desk(house), Fraction(1, 2)
    question = question_of('{"question": "counts", "column": "age", "epsilon": "0.5"}')
    truth = np.array([1] * 6 + [0] * 93)

    def noises() -> Iterator[int]:
        for number in itertools.count():
            asked = desk.take("ann", str(number), "survey", question)
            future = desk.begin(asked)
            assert future is not None
            kept = future.result()
            assert kept is not None
            counts = np.array([*json.loads(kept.answer)["answer"].values()])
            yield from np.clip(counts - truth, -MOST, MOST).tolist()

    drawing = noises()
    require(lambda: next(drawing), noise_law, epsilon)
    desk.stop()
