"""Multiplicative weights: ask privately which query is answered worst, measure it, repeat."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from dpselect.histograms.count_arrays import ONE, Floats, Integers, require_counts
from dpselect.histograms.release_histogram import release_histogram, require_epsilon
from dpselect.histograms.workload import Workload
from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.kernel.numbers import Epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.registry import require_mechanism
from dpselect.release.session import Session
from dpselect.scores.scores import Scores

TOTAL_SHARE = Fraction(1, 20)
MOST_QUERIES = 10_000
MOST_ROUNDS = 100
# Ticks a record of what the estimate says of a query: the estimate is public, so rounding it costs nothing.
TICKS = 2**10
# No score leaves 61 bits.
ANSWER_CLIP = 2**50
# How often the measurements are gone through after a round, in all, and at the end.
_UPDATES, _LEAST_PASSES, _LAST_PASSES = 300, 3, 30


def mwem(
    counts: Any,
    *,
    epsilon: Epsilon,
    queries: Workload | None = None,
    rounds: int | None = None,
    mechanism: str | Mechanism | None = None,
    ledger: Accountant | None = None,
) -> Floats:
    """Return the histogram that multiplicative weights learn from a few measured queries: what small data want.

    5% of epsilon pays for the total. Every round spends half of its share on choosing the query q whose answer
    q(x) is farthest from the estimate's q(e), and half on measuring it.

    Args:
        counts: shape (n,) or (rows, columns), integers >= 0 over a public domain.
        epsilon: the whole cost.
        queries: public candidate queries, at most 10,000; so many random ranges unless given.
        rounds: how many queries to measure, public; a function of epsilon and the noisy total unless given.
        mechanism: how a query is chosen; permute-and-flip unless given.
        ledger: where the spend is recorded.

    Returns:
        Estimated counts >= 0, of the shape of ``counts``.

    Raises:
        TypeError, ValueError: counts that are not a histogram; epsilon below 1/10000; queries of another shape or too
            many; rounds that are not a number from 1 to 100.
        PrivacyError: a mechanism that is not private.
        BudgetError: the ledger does not allow it; nothing was spent.

    Guarantee: epsilon-differential privacy, one record more or fewer: |q(x) - q(e)| moves by at most 1.

    >>> from dpselect import budget
    >>> with budget(epsilon=1000):
    ...     mwem([100, 0, 0, 0], epsilon=1000).round().tolist()
    [100.0, 0.0, 0.0, 0.0]

    Source: Hardt, Ligett and McSherry 2012 (MWEM); rounds from the noisy total: Hay et al. 2016 (MWEM*).
    """
    shape = require_counts(counts).shape
    asked = Workload.random_ranges(shape, MOST_QUERIES) if queries is None else _queries(queries, shape)
    chosen = require_mechanism("permute-and-flip" if mechanism is None else mechanism)
    # On made-up scores, so that a mechanism that would refuse does it before anything is spent.
    trial, exact = _scores(np.zeros(len(asked), dtype=np.int64), np.zeros(len(asked))), require_epsilon(epsilon)
    many = _rounds(rounds)
    promise = chosen.guarantee(trial, exact)
    chosen.quantize(trial, _share(exact, many or MOST_ROUNDS))
    if promise.delta:
        raise InputError("The mechanism must be private without a delta: use permute-and-flip.")
    run = partial(estimate, queries=asked, rounds=many, mechanism=chosen)
    least = partial(least_rate, rounds=many)
    return release_histogram("histogram mwem", run, least, counts, epsilon, ledger)


def least_rate(_: tuple[int, ...], epsilon: Fraction, rounds: int | None = None) -> Fraction:
    """Return what the total or a measurement gets of epsilon, with as many rounds as there can be."""
    return min(TOTAL_SHARE * epsilon, _share(epsilon, rounds or MOST_ROUNDS))


def _share(epsilon: Fraction, rounds: int) -> Fraction:
    """Return what a selection gets of epsilon, and a measurement."""
    return (epsilon - TOTAL_SHARE * epsilon) / (2 * rounds)


def estimate(
    counts: Integers,
    epsilon: Fraction,
    draws: Session,
    *,
    queries: Workload,
    rounds: int | None = None,
    mechanism: Mechanism,
) -> Floats:
    """Return the learned histogram."""
    total = max(1, int(draws.counts(counts.sum(keepdims=True).reshape(1), TOTAL_SHARE * epsilon, ONE)[0]))
    many = rounds or rounds_for(epsilon, total)
    each = _share(epsilon, many)
    true: Integers = queries.answers(counts)
    learned = np.full(counts.shape, total / counts.size)
    measured: list[tuple[int, int]] = []
    for _ in range(many):
        at = draws.choose(_scores(true, queries.answers(learned)), each, mechanism=mechanism)
        measured.append((at, int(draws.counts(true[at : at + 1], each, ONE)[0])))
        learned = fit_weights(learned, queries, measured, max(_LEAST_PASSES, _UPDATES // len(measured)))
    return fit_weights(learned, queries, measured, _LAST_PASSES)


def rounds_for(epsilon: Fraction, total: int) -> int:
    """Return how many queries are worth asking: a function of public numbers.

    >>> [rounds_for(Fraction(1, 10), total) for total in (100, 10_000, 1_000_000)]
    [2, 10, 100]
    """
    signal = min(float(epsilon), 1e9) * total
    return int(np.clip(round(math.sqrt(signal / 10)), 2, MOST_ROUNDS))


def fit_weights(learned: Floats, queries: Workload, measured: list[tuple[int, int]], passes: int) -> Floats:
    """Return the estimate moved towards the measurements, newest first, by multiplicative weights."""
    total, learned = float(learned.sum()), learned.copy()
    ranges = [tuple(slice(a, b) for a, b in zip(queries.low[at], queries.high[at], strict=True)) for at, _ in measured]
    shares = [min(max(value / total, 0.0), 1.0) for _, value in measured]
    for _ in range(passes):
        held_by_all = total
        for cells, share in zip(reversed(ranges), reversed(shares), strict=True):
            # Scaled to the total at the end of the pass: until then only what a query covers is touched.
            inside = learned[cells]
            held = float(inside.sum())
            factor = math.exp((share - held / held_by_all) / 2)
            inside *= factor
            held_by_all += held * (factor - 1)
        learned *= total / float(learned.sum())
    return learned


def _scores(true: Integers, learned: Floats) -> Scores:
    """Return |q(x) - q(e)| in ticks: one record moves q(x) by at most 1, also after a public clip."""
    answers = np.minimum(true, ANSWER_CLIP) * TICKS
    guesses = np.rint(np.clip(learned, 0, ANSWER_CLIP) * TICKS).astype(np.int64)
    return Scores(np.abs(answers - guesses), sensitivity=TICKS, range_bound=2)


def _queries(queries: Any, shape: tuple[int, ...]) -> Workload:
    if not isinstance(queries, Workload):
        raise InputTypeError(
            "queries must be a Workload: pass queries=dpselect.histograms.Workload.random_ranges(shape)."
        )
    if queries.shape != shape:
        raise InputError(f"The queries are about shape {queries.shape} and the counts have shape {shape}.")
    if len(queries) > MOST_QUERIES:
        raise InputError(f"MWEM chooses among at most {MOST_QUERIES} queries, not {len(queries)}: pass fewer.")
    return queries


def _rounds(rounds: Any) -> int | None:
    if rounds is None:
        return None
    if isinstance(rounds, bool) or not isinstance(rounds, (int, np.integer)) or not 1 <= rounds <= MOST_ROUNDS:
        raise InputError(f"rounds must be an integer from 1 to {MOST_ROUNDS}: how many queries to measure.")
    return int(rounds)
