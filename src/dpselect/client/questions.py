"""What can be asked of a server, with the names and arguments of the library's functions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dpselect.kernel.numbers import Epsilon, exact_delta, exact_epsilon, whole
from dpselect.kernel.written import written
from dpselect.utilities.shares import shares_of

Question = dict[str, Any]


def median(*, column: str, epsilon: Epsilon, by: str | None = None) -> Question:
    """Return the question of :func:`dpselect.median`."""
    return _question("median", epsilon, column=column, by=by)


def quantiles(
    q: Iterable[Any] | None = None,
    *,
    p: Iterable[Any] | None = None,
    column: str,
    epsilon: Epsilon,
    by: str | None = None,
) -> Question:
    """Return the question of :func:`dpselect.quantiles`."""
    shares_of(q, p)
    if q is None:
        return _question("percentiles", epsilon, p=[float(each) for each in p or ()], column=column, by=by)
    return _question("quantiles", epsilon, shares=[float(each) for each in q], column=column, by=by)


def counts(*, epsilon: Epsilon, column: str, bins: Iterable[float] | None = None, by: str | None = None) -> Question:
    """Return the question of :func:`dpselect.counts`."""
    edges = None if bins is None else [float(edge) for edge in bins]
    return _question("counts", epsilon, column=column, bins=edges, by=by)


def most_common(k: int, *, epsilon: Epsilon, item: str) -> Question:
    """Return the question of :func:`dpselect.most_common`."""
    return _question("most_common", epsilon, k=whole(k, "k", "how many to name"), column=item)


def select(
    score: str, *, epsilon: Epsilon, candidate: str, of: str | None = None, k: int = 1, mechanism: str | None = None
) -> Question:
    """Return the question of :func:`dpselect.select` among the public values of a column."""
    named = whole(k, "k", "how many to name")
    return _question("select", epsilon, score=score, candidate=candidate, of=of, k=named, mechanism=mechanism)


def top_k(metric: str, k: int, *, epsilon: Epsilon) -> Question:
    """Return the question of :func:`dpselect.top_k`."""
    return _question("top_k", epsilon, metric=metric, k=whole(k, "k", "how many to name"))


def train(
    target: str,
    *,
    epsilon: Epsilon,
    features: Iterable[str] | None = None,
    model: str = "tree",
    delta: Epsilon | None = None,
    max_depth: int | None = None,
    rounds: int | None = None,
    interactions: bool | None = None,
    n_trees: int | None = None,
    n_records: int | None = None,
    bins: int | None = None,
    unknown: str | None = None,
    missing: str | None = None,
) -> Question:
    """Return the question of :class:`dpselect.learn.DPTreeClassifier` and its like."""
    exact = exact_delta(0 if delta is None else delta)
    return _question(
        "train",
        epsilon,
        target=target,
        features=None if features is None else [*features],
        model=model,
        delta=written(exact) if exact else None,
        max_depth=max_depth,
        rounds=rounds,
        interactions=interactions,
        n_trees=n_trees,
        n_records=n_records,
        bins=bins,
        unknown=unknown,
        missing=missing,
    )


EVERY_QUESTION = {each.__name__: each for each in (median, quantiles, counts, most_common, select, train, top_k)}


def _question(name: str, epsilon: Epsilon, **asked: Any) -> Question:
    given = {argument: value for argument, value in asked.items() if value is not None}
    return {"question": name, "epsilon": written(exact_epsilon(epsilon)), **given}
