"""A noisy conditional: an if inside an algorithm, whose condition was learned and reads released values only.

Here it is the two uncertain places of a private tree: whether a node ends (L1), and by which query it splits (L2).
Trees are grown on public tables with random decisions; what a decision was worth is seen from the test rows that
reached its node: their errors below it, less the errors of the best label there. Learning goes on for a few rounds,
each of which grows trees with what the last one learned, so that decisions are judged by what really follows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.adaptive.tree_options import LabelledTable
from dpselect.kernel.errors import InputError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import exact_epsilon
from dpselect.kernel.privacy_filter import use_accountant
from dpselect.learn.conditional import FACTS, QUERIES
from dpselect.release.open_session import open_session

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
ALTERNATIVES = ("end", *QUERIES)
# The guarantee of a session that draws public randomness only.
_PUBLIC = Guarantee(Fraction(1), Neighbours.ADD_REMOVE)
_TABLE = ("group", "alternative", "excess", "rows", *FACTS)


@dataclass(frozen=True, eq=False, repr=False)
class NoisyChoice:
    """Decides by the least expected excess error: give it to ``DPID3Classifier(criterion=...)``.

    Attributes:
        traces: one row per node: group, alternative, excess error, test rows that reached it, and the facts.
        models: one fitted regressor per alternative; ``None`` where it was never tried.

    >>> def table(n):
    ...     x = np.arange(n) % 2
    ...     return LabelledTable({"x": x, "z": np.arange(n) % 3}, x, {"x": [0, 1], "z": [0, 1, 2]}, [0, 1],
    ...         ({"x": x, "z": np.arange(n) % 3}, x))
    >>> choice = NoisyChoice.learn({"small": table(40), "large": table(2000)}, [1], rounds=1, repetitions=20)
    >>> from dpselect.learn import DPID3Classifier
    >>> big = table(3000)
    >>> model = DPID3Classifier(5, 2, criterion=choice, max_records=4000, domains=big.domains, classes=[0, 1])
    >>> bool((model.fit(big.columns, big.labels).predict(big.columns) == big.labels).mean() > 0.9)
    True
    """

    traces: Mapping[str, NDArray[Any]]
    models: tuple[Any, ...]

    @classmethod
    def learn(
        cls,
        tables: Mapping[str, LabelledTable],
        epsilons: Sequence[Any],
        *,
        groups: Mapping[str, str] | None = None,
        max_depth: int = 3,
        max_records: int = 100_000,
        mechanism: str = "exponential",
        repetitions: int = 6,
        rounds: int = 2,
    ) -> NoisyChoice:
        """Grow exploring trees on public tables that have test rows, and learn.

        Args:
            tables: name to public table.
            epsilons: budgets of the trees.
            groups: table to the group it is left out with.
            max_depth, max_records, mechanism: of the trees.
            repetitions: trees per table, epsilon and round.
            rounds: the first decides at random, the others mostly as learned so far.

        Raises:
            ValueError: not a table, or one without test rows.
        """
        if not tables or any(table.test is None for table in tables.values()):
            raise InputError("Pass public tables that have test rows.")
        named = {name: (groups or {}).get(name, name) for name in tables}
        choice = cls({name: np.zeros(0) for name in _TABLE}, (None,) * len(ALTERNATIVES))
        for each_round in range(rounds):
            before = choice if each_round else None
            rows: list[dict[str, NDArray[Any]]] = [dict(choice.traces)] if each_round else []
            for name, table in tables.items():
                for epsilon in map(exact_epsilon, epsilons):
                    for _ in range(repetitions):
                        # A public table: no budget around pays for a tree of it.
                        with use_accountant(None):
                            root = _grow_nodes(table, epsilon, _Explorer(before), max_depth, max_records, mechanism)
                        rows.append({"group": np.full(root["rows"].size, named[name]), **root})
            choice = cls.fit({name: np.concatenate([each[name] for each in rows]) for name in _TABLE})
        return choice

    @classmethod
    def fit(cls, traces: Mapping[str, NDArray[Any]]) -> NoisyChoice:
        """Learn from traces; nodes count by the rows that reached them, tables of a group together once."""
        from sklearn.ensemble import ExtraTreesRegressor

        models: list[Any] = []
        share = np.zeros(traces["rows"].size)
        for group in np.unique(traces["group"]):
            mask = traces["group"] == group
            share[mask] = traces["rows"][mask] / max(float(traces["rows"][mask].sum()), 1.0)
        features = _features(traces)
        for place in range(len(ALTERNATIVES)):
            mask = (traces["alternative"] == place) & (share > 0)
            forest = ExtraTreesRegressor(40, min_samples_leaf=5, random_state=0)
            models.append(
                forest.fit(features[mask], traces["excess"][mask], sample_weight=share[mask] / share[mask].mean())
                if mask.any()
                else None
            )
        return cls(traces, tuple(models))

    def without(self, group: str) -> NoisyChoice:
        """Return what would have been learned without one group."""
        mask = self.traces["group"] != group
        return NoisyChoice.fit({name: values[mask] for name, values in self.traces.items()})

    def expected_errors(self, facts: Mapping[str, Floats]) -> Floats:
        """Return the expected excess error of every alternative, shape (nodes, alternatives)."""
        features = _features(facts)
        return np.stack(
            [np.full(features.shape[0], np.inf) if model is None else model.predict(features) for model in self.models],
            axis=1,
        )

    def decide(self, facts: Mapping[str, Floats]) -> Integers:
        """Return -1 where a node ends, else the place of its query: a function of released values."""
        choices: Integers = self.expected_errors(facts).argmin(axis=1).astype(np.int64) - 1
        return choices

    def __repr__(self) -> str:
        return f"NoisyChoice(nodes={self.traces['rows'].size}, alternatives={len(ALTERNATIVES)})"


class _Explorer:
    """Decides at random in a first round, and one time in three afterwards; remembers everything."""

    def __init__(self, choice: NoisyChoice | None) -> None:
        self.choice = choice
        self.decided: list[Integers] = []
        self.facts: list[Mapping[str, Floats]] = []

    def decide(self, facts: Mapping[str, Floats]) -> Integers:
        size = facts["size"].size
        # Ending cuts short what could be seen below: one node in four.
        tried = np.where(_below(4, size) > 0, np.maximum(_below(8, size) - 1, 0), -1)
        tried = np.where(tried >= len(QUERIES), tried - len(QUERIES) + 1, tried)
        if self.choice is not None:
            tried = np.where(_below(3, size) > 0, self.choice.decide(facts), tried)
        self.decided.append(tried.astype(np.int64))
        self.facts.append(facts)
        return tried.astype(np.int64)


def _below(bound: int, size: int) -> Integers:
    """Return uniform integers of the session: they see no data, so no budget pays for them."""
    with use_accountant(None), open_session(_PUBLIC) as draws:
        return draws.uniform(np.full(size, bound))


def _grow_nodes(
    table: LabelledTable, epsilon: Fraction, explorer: _Explorer, max_depth: int, max_records: int, mechanism: str
) -> dict[str, NDArray[Any]]:
    """Return one row per node that was decided: what its decision cost on the test rows that reached it."""
    from dpselect.learn import DPID3Classifier

    model = DPID3Classifier(
        epsilon,
        max_depth,
        criterion=explorer,
        mechanism=mechanism,
        prune="none",
        domains=dict(table.domains),
        classes=list(table.classes),
        max_records=max_records,
    ).fit(dict(table.columns), table.labels)
    assert table.test is not None
    columns, labels = table.test
    tree, code = model.trees_[0], np.searchsorted(model.classes_, labels)
    nodes = tree.split.size
    reached = np.zeros((nodes, len(table.classes)))
    ends = tree.apply(model._read_again(dict(columns)))
    np.add.at(reached, (ends, code), 1.0)
    wrong = reached.sum(axis=1) - reached[np.arange(nodes), tree.counts.argmax(axis=1)]
    for node in range(nodes - 1, -1, -1):
        if tree.split[node] >= 0:
            below_it = tree.children(node)
            reached[node] += reached[below_it].sum(axis=0)
            wrong[node] = wrong[below_it].sum()
    decided = np.concatenate(explorer.decided)
    first = decided.size
    facts = {name: np.concatenate([each[name] for each in explorer.facts]) for name in FACTS}
    rows = reached.sum(axis=1)[:first]
    best = rows - reached.max(axis=1)[:first]
    # Nodes that had nothing left to split by ended whatever was decided.
    ended = np.where(tree.split[:first] < 0, 0, decided + 1)
    seen = rows > 0
    return {
        "alternative": ended[seen],
        "excess": (wrong[:first][seen] - best[seen]) / rows[seen],
        "rows": rows[seen],
        **{name: values[seen] for name, values in facts.items()},
    }


def _features(facts: Mapping[str, Any]) -> Floats:
    """Return what models see: sizes in logarithms, and the size in units of the noise that a class count will have."""
    size = np.maximum(facts["size"], 0.0)
    columns = [
        np.log1p(size),
        np.log1p(size * facts["epsilon"]),
        np.log1p(size * facts["epsilon"] / (facts["branching"] * facts["classes"])),
        np.log(facts["epsilon"]),
        facts["left"],
        np.log(facts["branching"]),
        np.log1p(facts["attributes"]),
        np.log(facts["classes"]),
    ]
    return np.stack([np.asarray(each, dtype=np.float64) for each in columns], axis=1)
