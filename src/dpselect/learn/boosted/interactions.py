"""Random tiles: a few columns by weight, each cut into groups at random. Structure sees no record and costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.boosted.column_summary import ColumnSummary
from dpselect.views.gradient_sums import Interaction

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Uniform = Callable[[Integers], Integers]
_WORD = 2**32


def draw_interaction(
    columns: Sequence[ColumnSummary], weights: Floats, shapes: Sequence[tuple[int, int]], uniform: Uniform
) -> tuple[Interaction, Floats]:
    """Return a tile, and about which share of the records each of its parts has if columns are independent.

    Args:
        columns: what was released of them.
        weights: how likely each column is to be taken, not negative.
        shapes: how many columns and groups a tile may have, each as likely.
        uniform: draws integers below bounds.
    """
    most = max(many for many, _ in shapes)
    words = uniform(np.array([len(shapes)] + [_WORD] * (2 * most), dtype=np.int64))
    many, groups = shapes[int(words[0])]
    chosen = _pick_columns(weights, words[1 : 1 + many])
    cuts = _cuts([columns[place].size for place in chosen], groups, uniform)
    offsets, shares, stride = [], np.ones(1), 1
    for place, turn, cut in zip(chosen, words[1 + most :].tolist(), cuts, strict=False):
        column = columns[place]
        group = np.searchsorted(cut, _ranks(column, turn), side="right")
        offsets.append(group[column.bins] * stride)
        held = np.bincount(group, weights=column.shares, minlength=cut.size + 1)
        shares = (held[:, None] * shares[None, :]).ravel()
        stride *= cut.size + 1
    return Interaction(tuple(chosen), tuple(offsets), stride), shares


def _pick_columns(weights: Floats, words: Integers) -> list[int]:
    """Return columns by weight, one after the other, fewer where fewer have one; without any, the first."""
    left, chosen = weights.copy(), list[int]()
    for word in words.tolist():
        ends = np.cumsum(left)
        if not ends[-1] > 0:
            break
        place = int(np.searchsorted(ends, word / _WORD * ends[-1], side="right"))
        chosen.append(min(place, int(np.flatnonzero(left > 0)[-1])))
        left[chosen[-1]] = 0.0
    return chosen or [0]


def _cuts(sizes: Sequence[int], groups: int, uniform: Uniform) -> list[Integers]:
    """Return distinct places between the bins of each column, sorted: as many as its groups need."""
    wanted = [min(groups, size) - 1 for size in sizes]
    bounds = [size - 1 - taken for size, many in zip(sizes, wanted, strict=True) for taken in range(many)]
    words = iter(uniform(np.array(bounds, dtype=np.int64)).tolist())
    cuts = []
    for size, many in zip(sizes, wanted, strict=True):
        left = list(range(1, size))
        cuts.append(np.array(sorted(left.pop(next(words)) for _ in range(many)), dtype=np.int64))
    return cuts


def _ranks(column: ColumnSummary, turn: int) -> Integers:
    """Return the place of every bin in an order: of one direction, missing numbers before or behind all others."""
    order = column.orders[turn % len(column.orders)]
    if column.aside >= 0:
        order = order.copy()
        order[column.aside] = -1.0 if turn & 1 else float(column.size)
    ranks = np.empty(column.size, dtype=np.int64)
    ranks[np.argsort(order, kind="stable")] = np.arange(column.size)
    return ranks
