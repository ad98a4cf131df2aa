"""What a server answers has the exact law of its epsilon: accepted at that, rejected at 0.7 and 1.3 times as much."""

from __future__ import annotations

import itertools
import json
import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpselect as dps
from dpselect import audit, utilities
from dpselect.audit.privacy_loss import top_k_log_pmf
from dpselect.kernel.ranks import CUTS
from dpselect.queries import query_of
from dpselect.web.server.dataset import HostedDataset
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.settings import read_settings
from dpselect.web.server.state import ServerState
from tests.chance import accept
from tests.release.test_quantiles import law as law_of_quantiles

CONFIG = """
[limits]
waiting = 1000000
[datasets.survey]
source = "people.csv"
budget = {epsilon = 1000000}
shares = {ann = 1000000}
columns.age = {lower = 0, upper = 99, step = 1}
columns.job = {jobs}
columns.team = {teams}
[datasets.friends]
graph = "friends.csv"
nodes = 200
budget = {epsilon = 1000000}
shares = {ann = 1000000}
[datasets.club]
graph = "friends.csv"
nodes = 16
budget = {epsilon = 1000000}
shares = {ann = 1000000}
"""
JOBS, TEAMS = [f"job {place}" for place in range(200)], [f"team {place}" for place in range(16)]
HELD = [TEAMS[place] for place in (0, 0, 0, 0, 1, 1, 2, 2)]
AGES = (10, 50, 50, 50, 50, 50, 50, 60)
EDGES = ((0, 1), (0, 2), (0, 3), (0, 4), (1, 2))
# Of the first nodes; all others have none.
DEGREES = (4, 2, 2, 1, 1)
FLIP = dps.mechanism("permute-and-flip")
FACTORS = (Fraction(7, 10), Fraction(13, 10))
# Sizes of noise that are told apart; larger ones are one outcome.
MOST = 60


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of memory, where there is one: thousands of spends are written."""
    memory = Path("/dev/shm")
    if not memory.is_dir():
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as name:
        yield Path(name)


@pytest.fixture
def server_state(folder: Path) -> Iterator[ServerState]:
    """Eight rows and five edges among many public candidates, and an analyst with a budget for many draws."""
    rows = "".join(f"{age},{JOBS[0]},{team}\n" for age, team in zip(AGES, HELD, strict=True))
    (folder / "people.csv").write_text("age,job,team\n" + rows, encoding="utf-8")
    edges = "".join(f"{one},{other}\n" for one, other in EDGES)
    (folder / "friends.csv").write_text("source,target\n" + edges, encoding="utf-8")
    config = CONFIG.replace("{jobs}", json.dumps(JOBS)).replace("{teams}", json.dumps(TEAMS))
    (folder / "office.toml").write_text(config, encoding="utf-8")
    opened = ServerState.open(read_settings(folder / "office.toml"))
    opened.people.add("ann", "analyst", "test")
    yield opened
    opened.close()


def require(
    draw: Callable[[], Any], law: Callable[[Fraction], dict[Any, float]], epsilon: Fraction, draws: int | None = None
) -> None:
    """Accept draws at epsilon, and reject them at 0.7 and 1.3 epsilon, with a power that is stated."""
    against = {f"{float(factor)} epsilon": law(epsilon * factor) for factor in FACTORS}
    verdict = audit.sampler(draw, law(epsilon), against=against, draws=draws)
    accept(verdict)
    assert all(each.power > 1 - 1e-6 for each in verdict.rejections)


def noise_law(epsilon: Fraction) -> dict[int, float]:
    """The law of two-sided geometric noise, from its definition; what is beyond MOST in one outcome at each end."""
    ratio = math.exp(-float(epsilon))
    law = {size: (1 - ratio) / (1 + ratio) * ratio ** abs(size) for size in range(-MOST + 1, MOST)}
    return law | dict.fromkeys((-MOST, MOST), ratio**MOST / (1 + ratio))


@pytest.mark.chance(2.1e-6)
def test_counts_over_the_desk(server_state) -> None:
    """Every answer is asked for with a key of its own, paid, drawn and stored: its 99 noises are 99 draws."""
    jobs, epsilon = JobQueue(server_state), Fraction(1, 2)
    question = query_of('{"query": "histogram", "column": "age", "epsilon": "0.5"}')
    truth = np.bincount(AGES, minlength=100)[:99]

    def noises() -> Iterator[int]:
        for number in itertools.count():
            asked = jobs.submit("ann", str(number), "survey", question)
            future = jobs.start_job(asked)
            assert future is not None
            kept = future.result()
            assert kept is not None
            counts = np.array([*json.loads(kept.answer)["answer"].values()])
            yield from np.clip(counts - truth, -MOST, MOST).tolist()

    drawing = noises()
    require(lambda: next(drawing), noise_law, epsilon)
    jobs.stop()


def drawn(dataset: HostedDataset, body: dict[str, Any]) -> Callable[[], Any]:
    """Return what pays for a question and answers it once more, as a worker of the desk does."""
    question, numbers = query_of(json.dumps(body)), itertools.count()

    def draw() -> tuple[Any, ...]:
        plan = dataset.plan(question, 10**5)
        payment = dataset.pay(str(next(numbers)), "ann", plan.spends)
        return tuple(dataset.answer(question, plan, payment)["answer"]["candidates"])

    return draw


def of_counts(counts: Sequence[int], names: Sequence[Any], k: int) -> Callable[[Fraction], dict[Any, float]]:
    """Return the law of the k largest counts.

    One row more, or one edge more, moves some of them up and none down: so their range is 1, and all of epsilon is
    used. By a range of 2, answers would have the law of half of it.
    """
    scores = dps.Scores([*counts] + [0] * (len(names) - len(counts)), 1, range_bound=1, kind="integer", zero="worst")

    def law(epsilon: Fraction) -> dict[Any, float]:
        logs = top_k_log_pmf(FLIP, FLIP.effective(scores), k, epsilon, "one-shot" if k > 1 else "peeling")
        return dict(zip(itertools.permutations(names, k), np.exp(logs).tolist(), strict=True))

    return law


def of_median(epsilon: Fraction) -> dict[Any, float]:
    """The law of the median of the ages."""
    chances = FLIP.pmf(utilities.median(AGES, lower=0, upper=99), epsilon)
    return {(age,): chance for age, chance in enumerate(chances.tolist())}


def of_rank(share: Fraction) -> Callable[[Fraction], dict[Any, float]]:
    """Return the law of one quantile of the ages that is chosen by its rank, as one of few values is."""

    def law(epsilon: Fraction) -> dict[Any, float]:
        chances = FLIP.pmf(utilities.percentile(AGES, 100 * share, lower=0, upper=99), epsilon)
        return {(age,): chance for age, chance in enumerate(chances.tolist())}

    return law


def of_share(share: Fraction) -> Callable[[Fraction], dict[Any, float]]:
    """Return the law of one quantile of the ages, from its definition: each edge by how far its rank is off."""

    def law(epsilon: Fraction) -> dict[Any, float]:
        return law_of_share(AGES, 100, share, float(epsilon), CUTS)

    return law


def law_of_share(values: Sequence[int], size: int, share: Fraction, epsilon: float, cuts: int) -> dict[Any, float]:
    """The law of one quantile of integers below a size, each of so many sub-cells, in which a record is even."""
    ranks = np.concatenate(([0], np.cumsum(np.repeat(np.bincount(values, minlength=size), cuts)))) / cuts
    # What lies within the record of rank floor(share * n) + 1; a record moves a rank by at most the larger part.
    target = float(share * len(values) + Fraction(1, 2 * share.denominator))
    weights = np.exp(-epsilon * np.abs(ranks - target) / (2 * float(max(share, 1 - share))))
    chances = np.bincount(np.minimum(np.arange(ranks.size) // cuts, size - 1), weights / weights.sum())
    return {(value,): chance for value, chance in enumerate(chances.tolist())}


@pytest.mark.parametrize("share", ["1/2", "3/4", "1/10"])
def test_the_law_of_a_share(share) -> None:
    """On a coarse grid it is what the code of the release itself draws by, path by path."""
    values, epsilon = [0, 0, 1, 1, 1, 2], Fraction(3)
    exact = law_of_quantiles(values, [Fraction(share)], 4, epsilon, 8)
    assert law_of_share(values, 4, Fraction(share), 3.0, 8) == pytest.approx(exact, rel=1e-9)


@pytest.mark.chance(2.1e-6)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "body", "law", "draws"),
    [
        ("survey", {"query": "median", "column": "age", "epsilon": "1.25"}, of_median, 512),
        (
            "survey",
            {"query": "quantiles", "column": "age", "q": [0.5], "epsilon": "1.25"},
            of_rank(Fraction(1, 2)),
            512,
        ),
        (
            "survey",
            {"query": "quantiles", "column": "age", "p": [60], "method": "halving", "epsilon": "2.75"},
            of_share(Fraction(3, 5)),
            512,
        ),
        ("survey", {"query": "most_common", "column": "job", "epsilon": "0.6"}, of_counts([8], JOBS, 1), 512),
        (
            "survey",
            {"query": "most_common", "column": "team", "k": 2, "epsilon": 2},
            of_counts([4, 2, 2], TEAMS, 2),
            1024,
        ),
        (
            "friends",
            {"query": "top_k", "metric": "degree", "epsilon": "1.2"},
            of_counts(DEGREES, range(200), 1),
            512,
        ),
        (
            "club",
            {"query": "top_k", "metric": "degree", "k": 2, "epsilon": 2},
            of_counts(DEGREES, range(16), 2),
            1024,
        ),
    ],
    ids=["median", "quantiles", "percentiles", "most common", "two most common", "top", "top two"],
)
def test_every_question(server_state, name, body, law, draws) -> None:
    """Each draw is a request of its own that has paid; the law is computed from the rows without the server."""
    require(drawn(server_state.datasets[name], body), law, Fraction(body["epsilon"]), draws)
    assert draws == server_state.datasets[name].account.ledger.totals.spends
