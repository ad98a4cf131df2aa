"""The true privacy losses of series, for the panel ``PRIVACY``: exact laws on every pair of a small universe.

What is measured is a lower bound on the loss over all databases. A sound mechanism stays at 1 or below; a fault that
shows on a small database shows here. ``selection`` asks the auditor for the law of named candidates, ``replayed`` runs
an algorithm with every script of outcomes, ``tree`` does so for a whole fit, ``histogram`` follows one script a pair.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from dpselect import papers, utilities
from dpselect.audit import graphs, loss_of_transcript, metric_space, multisets, privacy_loss, vectors
from dpselect.audit.admissibility import Utility
from dpselect.audit.scripted_noise import ScriptedNoise, log_chance_of, transcripts
from dpselect.audit.universe import Universe
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import exact_epsilon
from dpselect.learn.domains import attributes
from dpselect.mechanisms.base import Mechanism
from dpselect.release.open_session import session_factory_of
from dpselect.release.session import Session
from dpselect.scores.scores import Scores
from dpselect.views import Records
from research.engine.experiment import Cell, Point
from research.engine.series import PRIVACY

# Where losses are measured: small, about one, and large.
EPSILONS = (0.1, 1.0, 5.0)
Run = Callable[[Any, Session], object]
Problem = tuple[Utility, Callable[[], Universe]]


def gains(records: Any, *, max_records: int | None = 3) -> Scores:
    """Return the information gains of two attributes, of two and three values, over two classes: 12 kinds of record."""
    kinds = np.asarray(records, dtype=np.int64)
    two, three = np.zeros((2, 2), dtype=np.int64), np.zeros((3, 2), dtype=np.int64)
    np.add.at(two, (kinds // 6, kinds % 2), 1)
    np.add.at(three, (kinds // 2 % 3, kinds % 2), 1)
    return utilities.information_gain({"first": two, "second": three}, max_records=max_records)


PROBLEMS: dict[str, Problem] = {
    "ego betweenness": (partial(utilities.ego_betweenness, max_degree=3, sensitivity="degree"), partial(graphs, 4)),
    "degree": (utilities.degree, partial(graphs, 4)),
    "ego density": (utilities.ego_density, partial(graphs, 4)),
    "distance to the median": (partial(papers.median, upper=4), partial(vectors, 3, range(5))),
    "rank of the median": (partial(utilities.median, lower=0, upper=2), partial(multisets, range(3), 6)),
    "information gain": (gains, partial(multisets, range(12), 3)),
}
ON = {
    "ego betweenness": "all graphs of 4 nodes",
    "degree": "all graphs of 4 nodes",
    "ego density": "all graphs of 4 nodes",
    "distance to the median": "all lists of 3 numbers from 0 to 4",
    "rank of the median": "all tables of up to 6 records with 3 values",
    "information gain": "all tables of up to 3 records with 2 attributes and 2 classes",
}


def cells(names: Iterable[str]) -> list[Cell]:
    """Return one cell for each series' loss: they need no dataset."""
    return [{"loss": name} for name in names]


def points(series: str, loss: Callable[[float], float], epsilons: Sequence[float] = EPSILONS) -> list[Point]:
    """Return the losses of a series, in epsilons.

    Args:
        loss: the loss of what is released when it is said to cost so much.
    """
    return [Point(PRIVACY, series, epsilon, loss(epsilon) / epsilon) for epsilon in epsilons]


def selection(mechanism: Mechanism, problem: str | Problem, epsilon: float | Fraction, k: int = 1) -> float:
    """Return the loss of naming k candidates at epsilon in all, on a problem of ``PROBLEMS`` or one's own.

    >>> import dpselect as dps
    >>> round(selection(dps.mechanism("permute-and-flip"), "degree", 1), 2)
    0.92
    """
    utility, universe = PROBLEMS[problem] if isinstance(problem, str) else problem
    return privacy_loss(mechanism, utility, universe(), epsilon=exact_epsilon(epsilon), k=k).worst


def between(one: Any, other: Any, utility: Utility) -> Problem:
    """Return the problem of two databases that are neighbours, of any size."""
    return lambda place: utility((one, other)[place]), partial(metric_space, [[0, 1], [1, 0]])


def replayed(run: Run, pairs: Iterable[tuple[Any, Any]], guarantee: Guarantee, most: int = 20_000) -> float:
    """Return the loss of the whole transcript of ``run(database, draws)``, both ways between every pair.

    Raises:
        PrivacyError: it draws more than the guarantee pays for.
        ValueError: there are more than ``most`` transcripts, or neighbours ask other questions.
    """

    def on(database: Any) -> Callable[[ScriptedNoise], object]:
        def follow(replay: ScriptedNoise) -> None:
            with session_factory_of(lambda: replay)(guarantee) as draws:
                run(database, draws)

        return follow

    return max(
        abs(chance - log_chance_of(on(there), script))
        for one, other in pairs
        for here, there in ((one, other), (other, one))
        for script, chance in transcripts(on(here), most)
    )


def histogram(estimate: Callable[[Any, Fraction, Session], object], epsilon: float | Fraction) -> float:
    """Return the loss of a histogram, on all tables of four cells with counts of 0 and 1 and a record more.

    Every draw is taken at its worst, along one transcript of made-up outcomes for each pair.

    Args:
        estimate: counts of shape (2, 2), epsilon and draws to an estimate.
    """
    share, worst = exact_epsilon(epsilon), Fraction(0)
    for number, counts in enumerate(itertools.product((0, 1), repeat=4)):
        for cell in range(4):
            here, there = np.array(counts, dtype=np.int64), np.array(counts, dtype=np.int64)
            there[cell] += 1
            # Outcomes are made up; neighbours meet the same ones.
            pick = np.random.default_rng(number).integers
            worst = max(
                worst,
                loss_of_transcript(
                    lambda each, draws: estimate(each, share, draws),
                    here.reshape(2, 2),
                    there.reshape(2, 2),
                    Guarantee(share, Neighbours.ADD_REMOVE),
                    pick,
                ),
            )
    return float(worst)


def tree(model: Any, epsilon: float | Fraction) -> float:
    """Return the loss of a whole fit, stops, splits and leaves, on tables of up to two records and one more.

    Args:
        model: an estimator of ``dpselect.learn``, of one level of splits: deeper ones have too many transcripts.

    >>> from dpselect.learn import DPTreeClassifier
    >>> 0.3 < tree(DPTreeClassifier(max_depth=1, n_records=1000), 1) <= 1 + 1e-9
    True
    """
    share = exact_epsilon(epsilon)
    plan = model._fit_plan(_KNOWN, [0, 1], share)
    return replayed(lambda kinds, draws: plan(_records(kinds), draws), _TABLES, Guarantee(share, Neighbours.ADD_REMOVE))


_KNOWN = attributes(["a", "b"], {"a": [0, 1], "b": (0, 2)}, bins=2, missing=False)
# All records alike, two of them alike, and different ones; what comes on top is one of them or another.
_TABLES = [(kinds, (*kinds, more)) for kinds in ((), (0,), (5,), (0, 5), (5, 5), (3, 6)) for more in (0, 5)]


def _records(kinds: Sequence[int]) -> Records:
    """Return the codes of two attributes and a class, from the eight kinds that a record may be."""
    rows = np.array(list(itertools.product(range(2), repeat=3)), dtype=np.int64)[list(kinds)]
    return Records([rows[:, 0], rows[:, 1]], rows[:, 2], (2, 2), 2)
