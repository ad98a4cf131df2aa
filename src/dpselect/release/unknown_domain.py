"""The most common items that no public list declares: above a threshold, or of those that may be revealed."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpselect.kernel.bound import Bound
from dpselect.kernel.errors import Advice, PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon, exact_delta, exact_epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.mechanisms.error_bound import NoBound
from dpselect.mechanisms.permute_and_flip import permute_and_flip
from dpselect.release import partition_selection
from dpselect.release.limited_domain import limited_domain
from dpselect.release.open_session import SessionFactory, open_session
from dpselect.release.questions import require_count
from dpselect.release.release import Release
from dpselect.scores.scores import Scores
from dpselect.views import Events
from dpselect.views.stored_events import stored_names
from dpselect.views.support import ITEMS_OF_PERSONS
from dpselect.views.table_counts import stays

BY_NAMES = (
    "which items may be named is drawn too; how many persons a name needs is what a dry run says, and a public list of "
    "items has a bound"
)


def unknown_domain_of(
    events: Any,
    k: int,
    epsilon: Epsilon,
    delta: Any,
    person: Any,
    item: Any,
    kept: int | None,
    items_per_person: int | None,
    ledger: Accountant | None = None,
    session_factory: SessionFactory = open_session,
) -> Release[tuple[Any, ...]]:
    """Choose among the items that may be revealed, with a given session factory.

    Raises:
        PrivacyError, TypeError, ValueError: as :func:`dpselect.most_common`.
    """
    if (kept is None) == (items_per_person is None):
        raise PrivacyError(
            Advice(
                "Which items there are must not depend on the data: pass {domain=|--domain}, their public list, or "
                "{delta=|--delta} with {kept=|--kept} (a short list) or with {items_per_person=|--items-per-person} "
                "(persons of few items), one of the two."
            )
        )
    if items_per_person is not None:
        return _reveal_items(events, k, epsilon, delta, person, item, items_per_person, ledger, session_factory)
    promise = Guarantee(exact_epsilon(epsilon), Neighbours.PERSON, exact_delta(delta))
    rules = limited_domain(k, kept, promise, Bound(1, Neighbours.PERSON))
    if stays(events):
        counts, names, metadata = stored_names(events, person, item, rules.kept + 1)
    else:
        read, names = Events.from_table(events, person, item)
        counts, metadata = read.counts(), dict(read.metadata)
    drawn = f"permute-and-flip before a wall, kept={rules.kept}"
    with session_factory(promise, mechanism=drawn, ledger=ledger, metadata=metadata) as draws:
        winners = draws.limited_domain(counts, rules)
    return Release(tuple(names[place] for place in winners), drawn, promise, error_bound=NoBound(BY_NAMES))


def _reveal_items(
    events: Any,
    k: int,
    epsilon: Epsilon,
    delta: Any,
    person: Any,
    item: Any,
    items_per_person: int,
    ledger: Accountant | None,
    session_factory: SessionFactory,
) -> Release[tuple[Any, ...]]:
    """Choose among the items that half of epsilon may reveal; proof: ``unknown_domain.md``."""
    if stays(events):
        raise ITEMS_OF_PERSONS.refusal()
    k, (promise, bound) = require_count(k), partition_selection.partition_guarantee(epsilon, delta, items_per_person)
    half, chosen = promise.epsilon / 2, permute_and_flip()
    read, names = Events.from_table(events, person, item)
    drawn = f"{partition_selection.MECHANISM}, {chosen.describe()}"
    with session_factory(promise, mechanism=drawn, ledger=ledger, metadata=read.metadata) as draws:
        revealed = np.flatnonzero(
            partition_selection.reveal_partitions(draws, read, half, promise.delta, bound)
        ).tolist()
        winners: list[int] = []
        if revealed:
            scores = Scores(read.counts()[revealed], 1, None, "person", 1, zero="worst")
            winners = draws.top_k(scores, min(k, len(revealed)), half, mechanism=chosen)
    return Release(tuple(names[revealed[place]] for place in winners), drawn, promise, error_bound=NoBound(BY_NAMES))
