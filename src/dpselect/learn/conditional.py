"""Conditionals inside a tree: whether a node ends, and by which query it splits, decided from what was released.

A decision reads the node's noisy size and public facts only, so it is post-processing: the budget of a path is that of
the fixed rules, whatever is decided.

References: Imola and Yang 2018, Figure 4.3 (the uncertain places L1 and L2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.learn.builder import Multiway, PathCodes
from dpselect.learn.domains import Attribute
from dpselect.mechanisms.base import Mechanism
from dpselect.release.session import Session
from dpselect.scores.scores import Scores
from dpselect.utilities.splits import Integers
from dpselect.views.records import NodeCounts

# What a node may be split by; -1 stands for ending it.
QUERIES = ("information-gain", "gini", "max-operator", "random")
FACTS = ("size", "level", "left", "branching", "attributes", "classes", "epsilon")


@runtime_checkable
class NodeConditional(Protocol):
    """Decides for all nodes of a level at once."""

    def decide(self, facts: Mapping[str, NDArray[np.float64]], /) -> Integers:
        """Return -1 where a node ends, else the place of its query in ``QUERIES``; shape (nodes,).

        Args:
            facts: arrays (nodes,): ``size`` the noisy number of records, ``level``, ``left`` (levels below), the
                largest ``branching`` and the number of ``attributes`` still open, ``classes``, and ``epsilon`` of
                every query.
        """
        ...


class Decisions:
    """Both slots of one tree: remembers what was decided for a level until its nodes are split."""

    def __init__(
        self,
        conditional: NodeConditional,
        attributes: Sequence[Attribute],
        utilities: Mapping[str, Callable[[dict[int, Integers]], Scores]],
        mechanism: Mechanism,
        classes: int,
        depth: int,
        epsilon: float,
    ) -> None:
        self._conditional, self._classes, self._depth, self._epsilon = conditional, classes, depth, epsilon
        self._splitters = [Multiway(attributes, utilities.get(query), mechanism) for query in QUERIES]
        self._decided: Integers = np.zeros(0, dtype=np.int64)

    def stops(self, level: int, sizes: Integers | None, path_codes: PathCodes) -> NDArray[np.bool_]:
        """Decide, and return which nodes end."""
        assert sizes is not None
        left = np.stack([codes.sum(axis=1) for codes in path_codes])
        nodes = np.ones(sizes.size)
        facts = {
            "size": sizes.astype(np.float64),
            "level": nodes * level,
            "left": nodes * (self._depth - level),
            "branching": left.max(axis=0).astype(np.float64),
            "attributes": (left > 1).sum(axis=0).astype(np.float64),
            "classes": nodes * self._classes,
            "epsilon": nodes * self._epsilon,
        }
        self._decided = _decisions(self._conditional, facts)
        return np.asarray(self._decided < 0)

    def split(
        self, records: NodeCounts, path_codes: PathCodes, going: NDArray[np.bool_], epsilon: Fraction, draws: Session
    ) -> tuple[Integers, list[Integers]]:
        """Split every node by the query that was decided for it."""
        split = np.full(going.size, -1, dtype=np.int64)
        groups: list[Integers] = [np.zeros(0, dtype=np.int64)] * going.size
        # Nodes of different queries are disjoint.
        with draws.disjoint(len(self._splitters)) as parts:
            for place, (splitter, part) in enumerate(zip(self._splitters, parts, strict=True)):
                here = going & (self._decided == place)
                if here.any():
                    splits, routes = splitter.split(records, path_codes, here, epsilon, part)
                    for node in np.flatnonzero(here).tolist():
                        split[node], groups[node] = splits[node], routes[node]
        return split, groups


@dataclass(frozen=True)
class EveryTime:
    """Asks a conditional, and then takes one query for every node: how a dry run comes to each of them."""

    conditional: NodeConditional
    place: int

    def decide(self, facts: Mapping[str, NDArray[np.float64]], /) -> Integers:
        """Return the place of the one query for every node."""
        return np.full_like(_decisions(self.conditional, facts), self.place)


def _decisions(conditional: NodeConditional, facts: Mapping[str, NDArray[np.float64]]) -> Integers:
    decided, shape = np.asarray(conditional.decide(facts)), facts["size"].shape
    whole = decided.shape == shape and decided.dtype.kind in "iu"
    if not whole or decided.min(initial=-1) < -1 or decided.max(initial=0) >= len(QUERIES):
        raise InputError(f"A conditional returns one integer for each node, from -1 to {len(QUERIES) - 1}.")
    return decided.astype(np.int64)
