"""Multiplicative weights: ask privately which query is answered worst, measure it, repeat."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from dpselect.core.mechanism import Mechanism, require_mechanism
from dpselect.core.scores import Scores
from dpselect.core.spending import Spender
from dpselect.histograms.counts import Floats, Integers, require_counts
from dpselect.histograms.draws import Draws
from dpselect.histograms.release import released, require_epsilon
from dpselect.histograms.workload import Workload
from dpselect.mechanisms import mechanism as named

TOTAL_SHARE = Fraction(1, 20)
MOST_QUERIES = 10_000
MOST_ROUNDS = 100
# Ticks a record of what the estimate says of a query: the estimate is public, so rounding it costs nothing.
TICKS = 2**10
_PASSES = 10


def mwem(
    counts: Any,
    epsilon: Any,
    *,
    queries: Workload | None = None,
    rounds: int | None = None,
    mechanism: Mechanism | None = None,
    ledger: Spender | None = None,
) -> Floats:
    """Return the histogram that multiplicative weights learn from a few measured queries: what small data want.

    5% of epsilon pays for the total. Every round spends half of its share on choosing the query q whose answer
    q(x) is farthest from the estimate's q(e), and half on measuring it.

    Args:
        counts: shape (n,) or (rows, columns), integers >= 0 over a public domain.
        epsilon: the whole cost.
        queries: public candidate queries, at most 10,000; 2,000 random ranges unless given.
        rounds: how many queries to measure, public; a function of epsilon and the noisy total unless given.
        mechanism: how a query is chosen; permute-and-flip unless given.
        ledger: where the spend is recorded.

    Returns:
        Estimated counts >= 0, of the shape of ``counts``.

    Raises:
        TypeError, ValueError: counts that are no histogram; epsilon below 1/10000; queries of another shape or too
            many; rounds that are no number from 1 to 100.
        PrivacyError: a mechanism that is not private.
        BudgetError: the ledger does not allow it; nothing was spent.

    Guarantee: epsilon-differential privacy, one record more or fewer: |q(x) - q(e)| moves by at most 1.

    >>> mwem([100, 0, 0, 0], 1000).round().tolist()
    [100.0, 0.0, 0.0, 0.0]

    Source: Hardt, Ligett and McSherry 2012 (MWEM); rounds from the noisy total: Hay et al. 2016 (MWEM*).
    """
    shape = require_counts(counts).shape
    asked = Workload.random_ranges(shape) if queries is None else _queries(queries, shape)
    chosen = named("permute-and-flip") if mechanism is None else require_mechanism(mechanism)
    # On made-up scores, so that a mechanism that would refuse does it before anything is spent.
    trial, exact = _scores(np.zeros(len(asked), dtype=np.int64), np.zeros(len(asked))), require_epsilon(epsilon)
    promise = chosen.guarantee(trial, exact)
    chosen.prepared(trial, exact)
    if promise.delta:
        raise ValueError("The mechanism must be private without a delta: use permute-and-flip.")
    run = partial(estimate, queries=asked, rounds=_rounds(rounds), mechanism=chosen)
    return released("histogram mwem", run, counts, epsilon, ledger, idealised=promise.idealised)


def estimate(
    counts: Integers,
    epsilon: Fraction,
    draws: Draws,
    *,
    queries: Workload,
    rounds: int | None = None,
    mechanism: Mechanism,
) -> Floats:
    """Return the learned histogram."""
    first = TOTAL_SHARE * epsilon
    total = max(1, int(draws.noisy(counts.sum(keepdims=True).reshape(1), first, 1)[0]))
    many = rounds or rounds_for(epsilon, total)
    each = (epsilon - first) / (2 * many)
    true: Integers = queries.answers(counts)
    learned = np.full(counts.shape, total / counts.size)
    measured: list[tuple[int, int]] = []
    for _ in range(many):
        at = draws.choose(_scores(true, queries.answers(learned)), each, mechanism)
        measured.append((at, int(draws.noisy(true[at : at + 1], each, 1)[0])))
        learned = fitted(learned, queries, measured)
    return learned


def rounds_for(epsilon: Fraction, total: int) -> int:
    """Return how many queries are worth asking: a function of public numbers.

    >>> [rounds_for(Fraction(1, 10), total) for total in (100, 10_000, 1_000_000)]
    [2, 10, 38]
    """
    signal = min(float(epsilon), 1e9) * total
    return int(np.clip(round(signal**0.3 * 1.2), 2, MOST_ROUNDS))


def fitted(learned: Floats, queries: Workload, measured: list[tuple[int, int]]) -> Floats:
    """Return the estimate moved towards the measurements, newest first, by passes of multiplicative weights."""
    total = float(learned.sum())
    learned = learned.copy()
    for _ in range(_PASSES):
        for at, value in reversed(measured):
            inside = learned[tuple(slice(a, b) for a, b in zip(queries.low[at], queries.high[at], strict=True))]
            held = float(inside.sum())
            factor = np.exp((min(max(value, 0), total) - held) / (2 * total))
            inside *= factor
            learned *= total / (total + held * (factor - 1))
    return learned


def _scores(true: Integers, learned: Floats) -> Scores:
    """Return |q(x) - q(e)| in ticks: one record moves q(x) by at most 1."""
    return Scores(np.abs(true * TICKS - np.rint(learned * TICKS).astype(np.int64)), sensitivity=TICKS, range_bound=2)


def _queries(queries: Any, shape: tuple[int, ...]) -> Workload:
    if not isinstance(queries, Workload):
        raise TypeError("queries must be a Workload: pass queries=dpselect.histograms.Workload.random_ranges(shape).")
    if queries.shape != shape:
        raise ValueError(f"The queries are about shape {queries.shape} and the counts have shape {shape}.")
    if len(queries) > MOST_QUERIES:
        raise ValueError(f"MWEM chooses among at most {MOST_QUERIES} queries, not {len(queries)}: pass fewer.")
    return queries


def _rounds(rounds: Any) -> int | None:
    if rounds is None:
        return None
    if isinstance(rounds, bool) or not isinstance(rounds, (int, np.integer)) or not 1 <= rounds <= MOST_ROUNDS:
        raise ValueError(f"rounds must be an integer from 1 to {MOST_ROUNDS}: how many queries to measure.")
    return int(rounds)
