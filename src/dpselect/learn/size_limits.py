"""Limits on the size of a fit: public bounds, checked before anything is spent.

A level of a tree keeps, for every node, which codes of every column its path leaves open; where splits are chosen by
counts, also those counts; and a finished node keeps where its codes go. All of that follows from public facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from dpselect.kernel.errors import Advice, InputError
from dpselect.learn.domains import Attribute

MOST_BINS = 10**6
MOST_DEPTH = 100
# Of a tree in a file: far deeper than any fit grows, and not too deep to be drawn.
MOST_LEVELS = 500
MOST_TREES = 10_000
# Beyond any table; floats still tell such numbers from the next.
MOST_RECORDS = 10**15
# Of all trees of a fit; a node takes about 20 microseconds.
MOST_NODES = 10**7
MOST_BYTES = 2**32
# Of a node, beside its codes and counts.
_OBJECTS = 400


def widest_level(attributes: Sequence[Attribute], classes: int, trees: int, counted: bool) -> int:
    """Return how many nodes one level may have, by time and memory.

    Args:
        attributes, classes: the public domains.
        trees: how many trees are kept.
        counted: whether splits are chosen by counts of every value and class.
    """
    codes, largest = sum(each.size for each in attributes), max(each.size for each in attributes)
    working = codes * (24 * classes + 32 if counted else 6)
    stored = trees * (8 * largest + 16 * classes + 2 * _OBJECTS)
    return min(MOST_NODES // (2 * trees), MOST_BYTES // (working + stored))


def leaves_of_binary(attributes: Sequence[Attribute], depth: int) -> int:
    """Return the most leaves of a tree of binary splits: two for each, and never more than combinations of codes."""
    combinations = prod(each.size for each in attributes)
    return min(combinations, 1 << min(depth, combinations.bit_length()))


def leaves_of_multiway(attributes: Sequence[Attribute], depth: int) -> int:
    """Return the most leaves of a tree with one child per value: no path splits by an attribute twice."""
    largest = sorted((each.size for each in attributes), reverse=True)
    return prod(largest[:depth])


def longest_path(attributes: Sequence[Attribute]) -> int:
    """Return the most binary splits of a path: each takes a code away."""
    return sum(each.size - 1 for each in attributes)


def require_size(leaves: int, room: int) -> None:
    """Refuse a tree that could have more leaves than one level has room for.

    Raises:
        ValueError: say what to lower.
    """
    if leaves > room:
        shown = str(leaves) if leaves < 10**12 else "more than 10^12"
        raise InputError(
            Advice(
                "A tree of this fit could have {shown} leaves, and time and memory allow {room} ({nodes} nodes in all "
                "trees, {size} GiB): lower {max_depth}, n_trees or bins, or declare coarser domains.",
                shown=shown,
                room=room,
                nodes=f"{MOST_NODES:,}",
                size=MOST_BYTES // 2**30,
            )
        )
