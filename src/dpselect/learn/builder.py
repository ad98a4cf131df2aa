"""The one builder of trees: grows level by level, with four slots (depth and stop, split, leaf, budget).

All nodes of a level are disjoint, so a level costs what one of its nodes costs, and a record's loss is the sum along
its path: the session counts it so. An empty node is a node: it draws like any other. Whether a node ends is a function
of what was released and of public facts; a leaf spends all that its path has left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from dpselect.kernel.bound import Bound
from dpselect.learn.domains import Attribute
from dpselect.learn.tree import Tree
from dpselect.mechanisms.base import Mechanism
from dpselect.release.session import Session
from dpselect.scores.scores import Scores
from dpselect.utilities.counts import ONE
from dpselect.utilities.splits import Integers
from dpselect.views.records import NodeCounts

PathCodes = list[NDArray[np.bool_]]


class Splitter(Protocol):
    """A rule that splits nodes. ``opened[a][i]`` marks the codes of attribute a that the path to node i leaves."""

    def split(
        self, records: NodeCounts, path_codes: PathCodes, going: NDArray[np.bool_], epsilon: Fraction, draws: Session, /
    ) -> tuple[Integers, list[Integers]]:
        """Return the attribute of every node (-1 where not ``going``) and the child of every code, from 0."""
        ...


@dataclass(frozen=True)
class TreePlan:
    """Limits on the size and the spend of a tree; every field is public.

    Attributes:
        depth: levels of splits, at most.
        splitter: how nodes are split.
        total: the budget of every path.
        count: epsilon of the noisy size of every inner node; 0 for none.
        splits: epsilon of the selection at each level, shape (depth,); 0 for random splits.
        stops: (level, noisy sizes or None, open codes) to the nodes that end.
        leaf: how leaves are labelled: class counts, epsilon and draws to counts.
        most: where more nodes of a level would split than this, all of them end: a public bound on time and memory.
    """

    depth: int
    splitter: Splitter
    total: Fraction
    count: Fraction
    splits: Sequence[Fraction]
    stops: Callable[[int, Integers | None, PathCodes], NDArray[np.bool_]]
    leaf: Callable[[Integers, Fraction, Session], NDArray[np.float64]]
    most: int = 2**62


def grow(records: NodeCounts, attributes: Sequence[Attribute], plan: TreePlan, draws: Session) -> Tree:
    """Return a tree whose leaves carry noisy counts. One call of ``records`` a level, for all nodes together.

    Raises:
        PrivacyError: a path would spend more than the plan's total, or than was paid for.
    """
    tree = Tree(attributes, records.classes)
    nodes = np.array([0])
    path_codes: PathCodes = [np.ones((1, attribute.size), dtype=np.bool_) for attribute in attributes]
    # What other trees will draw with: no leaf of this one may.
    others = draws.remaining - plan.total
    with ExitStack() as path:
        for level in tqdm(range(plan.depth + 1), desc="levels", delay=2, leave=False, disable=None):
            sizes, inner = None, level < plan.depth
            if inner and plan.count:
                sizes = draws.counts(records.totals(nodes.size).sum(axis=1), plan.count, ONE)
            going = _going(plan, level, sizes, path_codes) if inner else np.zeros(nodes.size, dtype=np.bool_)
            # A record is in one node: in one that ends here, or in one that goes on.
            here, draws = path.enter_context(draws.disjoint(2))
            if not going.all():
                totals = records.totals(nodes.size)[~going]
                tree.counts[nodes[~going]] = plan.leaf(totals, here.remaining - others, here)
            if not going.any():
                break
            split, groups = plan.splitter.split(records, path_codes, going, plan.splits[level], draws)
            first = nodes
            nodes = tree.add_level(first, split, groups)
            routes = [tree.route[node] - int(nodes[0]) for node in first.tolist()]
            records.descend(split, routes)
            path_codes = _child_codes(path_codes, split, routes, nodes.size)
    tree.sum_up()
    return tree


def _going(plan: TreePlan, level: int, sizes: Integers | None, path_codes: PathCodes) -> NDArray[np.bool_]:
    """Return which nodes are split: what was released so far decides, so this tells nothing more."""
    going = ~plan.stops(level, sizes, path_codes)
    for_split = np.zeros(going.size, dtype=np.bool_)
    for codes in path_codes:
        for_split |= codes.sum(axis=1) > 1
    going &= for_split
    going &= np.count_nonzero(going) <= plan.most
    return going


def _child_codes(path_codes: PathCodes, split: Integers, routes: list[Integers], size: int) -> PathCodes:
    """Return the codes that the path to every new node leaves."""
    parent = np.empty(size, dtype=np.int64)
    for node, route in enumerate(routes):
        if route.size:
            parent[np.unique(route)] = node
    following = [codes[parent] for codes in path_codes]
    for node in np.flatnonzero(split >= 0).tolist():
        children = np.unique(routes[node])
        following[int(split[node])][children] &= routes[node][None, :] == children[:, None]
    return following


@dataclass(frozen=True)
class BestBinary:
    """The best of all binary splits, by permute-and-flip on a monotone criterion of the rows of both sides.

    Numbers are cut at a bin edge; categories are split one against the rest.
    """

    attributes: Sequence[Attribute]
    rows: Callable[[Integers], NDArray[np.float64] | Integers]
    bound: Bound

    def split(
        self, records: NodeCounts, path_codes: PathCodes, going: NDArray[np.bool_], epsilon: Fraction, draws: Session
    ) -> tuple[Integers, list[Integers]]:
        """Score every cut of every node in array operations, and draw one winner per row."""
        tables = records.level(going.size)
        scores, valid = [], []
        owner: list[int] = []
        cut: list[int] = []
        for place, (attribute, table) in enumerate(zip(self.attributes, tables, strict=True)):
            allowed = cuts(attribute, path_codes[place])[going]
            if not allowed.any():
                continue
            table = table[going]
            left = table.cumsum(axis=1)[:, :-1] if attribute.is_ordered else table
            total = table.sum(axis=1, keepdims=True)
            scores.append(self.rows(left) + self.rows(total - left))
            valid.append(allowed)
            owner += [place] * allowed.shape[1]
            cut += range(allowed.shape[1])
        winners = draws.choose_rows(np.concatenate(scores, axis=1), np.concatenate(valid, axis=1), epsilon, self.bound)
        return as_groups(self.attributes, going, np.array(owner)[winners], np.array(cut)[winners])


@dataclass(frozen=True)
class RandomBinary:
    """A uniformly random attribute and a uniformly random cut of it: never looks at the data."""

    attributes: Sequence[Attribute]

    def split(
        self, _: NodeCounts, path_codes: PathCodes, going: NDArray[np.bool_], __: Fraction, draws: Session
    ) -> tuple[Integers, list[Integers]]:
        """Draw from public facts only."""
        allowed = [cuts(attribute, codes)[going] for attribute, codes in zip(self.attributes, path_codes, strict=True)]
        usable = np.stack([each.any(axis=1) for each in allowed], axis=1)
        place = _nth(usable, draws.uniform(usable.sum(axis=1)))
        cut = np.zeros(place.size, dtype=np.int64)
        for attribute in np.unique(place).tolist():
            here = np.flatnonzero(place == attribute)
            choices = allowed[attribute][here]
            cut[here] = _nth(choices, draws.uniform(choices.sum(axis=1)))
        return as_groups(self.attributes, going, place, cut)


@dataclass(frozen=True)
class Multiway:
    """One child a value: the attribute chosen by any mechanism on any criterion, or at random (``None``)."""

    attributes: Sequence[Attribute]
    utility: Callable[[dict[int, Integers]], Scores] | None
    mechanism: Mechanism | None = None

    def split(
        self, records: NodeCounts, path_codes: PathCodes, going: NDArray[np.bool_], epsilon: Fraction, draws: Session
    ) -> tuple[Integers, list[Integers]]:
        """Choose node by node among the attributes that still have several values."""
        split = np.full(going.size, -1, dtype=np.int64)
        usable = np.stack([codes.sum(axis=1) > 1 for codes in path_codes], axis=1)
        if self.utility is None:
            split[going] = _nth(usable[going], draws.uniform(usable[going].sum(axis=1)))
        else:
            tables = records.level(going.size)
            nodes = np.flatnonzero(going).tolist()
            with draws.disjoint(len(nodes)) as parts:
                for node, part in zip(nodes, parts, strict=True):
                    places = np.flatnonzero(usable[node]).tolist()
                    split[node] = places[0]
                    if len(places) > 1:
                        counts = {place: tables[place][node][path_codes[place][node]] for place in places}
                        scores = self.utility(counts)
                        split[node] = places[part.choose(scores, epsilon, mechanism=self.mechanism)]
        return split, one_child_a_value(split, path_codes)


def one_child_a_value(split: Integers, path_codes: PathCodes) -> list[Integers]:
    """Return the child of every code, from 0, when every open value of the attribute gets its own."""
    groups = []
    for node, place in enumerate(split.tolist()):
        codes = path_codes[place][node] if place >= 0 else np.zeros(0, dtype=np.bool_)
        # A code that the path has closed never occurs here; it goes wherever.
        groups.append(np.maximum(np.cumsum(codes) - 1, 0))
    return groups


def cuts(attribute: Attribute, codes: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which binary splits the open codes (nodes, size) allow: after code t, or code t against the rest."""
    if attribute.is_ordered:
        below = np.logical_or.accumulate(codes, axis=1)[:, :-1]
        above = np.logical_or.accumulate(codes[:, ::-1], axis=1)[:, ::-1][:, 1:]
        between: NDArray[np.bool_] = below & above & codes[:, :-1]
        return between
    several = codes.sum(axis=1, keepdims=True)
    # Of two values left, one against the other is one split.
    first = codes & (np.cumsum(codes, axis=1) == 1)
    return np.asarray(np.where(several == 2, first, codes & (several > 2)))


def _nth(choices: NDArray[np.bool_], ordinal: Integers) -> Integers:
    order = np.cumsum(choices, axis=1)
    positions: Integers = (choices & (order == ordinal[:, None] + 1)).argmax(axis=1)
    return positions


def as_groups(
    attributes: Sequence[Attribute], going: NDArray[np.bool_], place: Integers, cut: Integers
) -> tuple[Integers, list[Integers]]:
    """Return binary splits as the attribute of every node (-1 where not ``going``) and the child of every code."""
    split = np.full(going.size, -1, dtype=np.int64)
    split[going] = place
    groups = [np.zeros(0, dtype=np.int64)] * going.size
    for node, attribute, where in zip(np.flatnonzero(going).tolist(), place.tolist(), cut.tolist(), strict=True):
        codes = np.arange(attributes[attribute].size)
        groups[node] = (codes > where if attributes[attribute].is_ordered else codes != where).astype(np.int64)
    return split, groups


def noisy_leaf(totals: Integers, epsilon: Fraction, draws: Session) -> NDArray[np.float64]:
    """Return noisy class counts; a record is in one class of one leaf."""
    return np.maximum(draws.counts(totals, epsilon, ONE), 0).astype(np.float64)
