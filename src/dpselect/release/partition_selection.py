"""Names that no public list declares: those are revealed that enough persons have, each by a coin of its own."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.bound import Bound
from dpselect.kernel.errors import Advice, InputError, PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.keep_probability import CERTAIN, probabilities_of, require_delta
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon, exact_delta, exact_epsilon, whole
from dpselect.kernel.privacy_filter import Accountant
from dpselect.release.missed_names_bound import MissedNamesBound
from dpselect.release.open_session import SessionFactory, open_session
from dpselect.release.release import Release
from dpselect.release.session import Session
from dpselect.views import Events
from dpselect.views.support import KEYS_OF_PERSONS
from dpselect.views.table_counts import stays

MECHANISM = "partition selection"


def partitions(
    table: Any,
    *,
    epsilon: Epsilon,
    delta: Any,
    person: Any,
    key: Any,
    keys_per_person: int,
    ledger: Accountant | None = None,
) -> Release[tuple[Any, ...]]:
    """List privately the keys of a column without a public list (partition selection): groups, products, error codes.

    Every person keeps at most ``keys_per_person`` different keys, chosen at random. A key that n persons kept is listed
    with a probability that rises with n as fast as the guarantee allows. A key that nobody has is never listed.

    Args:
        table: one row per event, as for :func:`dpselect.most_common`, in memory or in a file.
        epsilon, delta: the budget. Delta bounds how often the protection may fail: take it far below one over the
            number of persons.
        person, key: columns. Rows that name nobody, or no key, are left out.
        keys_per_person: how many keys of one person count. More of them cost accuracy, fewer leave events out.
        ledger: where the spend is recorded before anything is drawn; it protects ``"person"`` neighbours.

    Returns:
        The keys, numbers by size and then text; possibly none.

    Guarantee: (epsilon, delta)-differential privacy for person neighbours: one person with all of their rows.

    Raises:
        PrivacyError: a delta of 0, at which no key can be revealed.
        TypeError, ValueError: not a table; no such column; a bad budget or bound; nothing was spent.
        BudgetError: the ledger does not allow it; nothing was spent.

    Source: Desfontaines, Voss, Gipson and Mandayam 2022.

    >>> rows = {"user": [*range(90), 7], "product": ["tea"] * 90 + ["a gift for ann"]}
    >>> partitions(rows, epsilon=1, delta=1e-6, person="user", key="product", keys_per_person=2).value
    ('tea',)

    Limits: Names that no list declares come with a delta. ``partitions``, and ``most_common`` without ``domain=``
    (which needs ``person=``), reveal a name that one person has with a chance of up to delta. A threshold (``kept=``)
    is one list in one pass of epsilon: a ledger that adds rhos cannot pay for it. ``items_per_person=`` and
    ``partitions`` read tables in memory and files, because each person needs coins; ``kept=`` is for engines too.
    Groups need a public list.
    """
    return keys_of(table, epsilon, delta, person, key, keys_per_person, ledger)


def keys_of(
    table: Any,
    epsilon: Epsilon,
    delta: Any,
    person: Any,
    key: Any,
    keys_per_person: int,
    ledger: Accountant | None = None,
    session_factory: SessionFactory = open_session,
) -> Release[tuple[Any, ...]]:
    """Reveal the partitions with a given session factory."""
    promise, bound = partition_guarantee(epsilon, delta, keys_per_person)
    if stays(table):
        raise KEYS_OF_PERSONS.refusal()
    events, names = Events.from_table(table, person, key)
    with session_factory(promise, mechanism=MECHANISM, ledger=ledger, metadata=events.metadata) as draws:
        mask = reveal_partitions(draws, events, promise.epsilon, promise.delta, bound)
    kept = tuple(name for name, shown in zip(names, mask.tolist(), strict=True) if shown)
    return Release(kept, MECHANISM, promise, error_bound=most_missed(promise, bound))


def partition_guarantee(epsilon: Epsilon, delta: Any, keys_per_person: int) -> tuple[Guarantee, Bound]:
    """Return what a release of keys promises, and how many numbers of persons one neighbour changes.

    Raises:
        PrivacyError, TypeError, ValueError: as :func:`partitions`.
    """
    most = whole(keys_per_person, "keys_per_person", "how many keys of one person count")
    guarantee = Guarantee(exact_epsilon(epsilon), Neighbours.PERSON, exact_delta(delta))
    if not guarantee.delta:
        raise PrivacyError(
            Advice("Names without a list cannot be revealed without a delta: pass {delta=1e-6|--delta 1e-6}, or less.")
        )
    require_delta(guarantee.delta / most)
    return guarantee, Bound(most, Neighbours.PERSON)


def most_missed(promise: Guarantee, bound: Bound) -> MissedNamesBound:
    """Return how many persons a name may have and still be missed, by the public law of its coin."""
    return MissedNamesBound(promise.epsilon / bound.total, promise.delta / bound.total)


def reveal_partitions(
    draws: Session, events: Events, epsilon: Fraction, delta: Fraction, bound: Bound
) -> NDArray[np.bool_]:
    """Return which names are revealed, after every person kept as many as ``bound`` says; proof:
    ``partition_selection.md``.
    """
    counts = events.at_most(int(bound.total), draws.uniform).counts()
    return draws.keys(counts, epsilon, delta, bound)


def keep_probability(
    persons: ArrayLike, *, epsilon: Epsilon, delta: Any, keys_per_person: int = 1
) -> NDArray[np.float64]:
    """Return the chance that :func:`partitions` reveals a key that so many persons kept, shape of ``persons``.

    Args:
        persons: integers of at least 0, public: made up, to see what a budget gives.
        epsilon, delta, keys_per_person: as for :func:`partitions`.

    Raises:
        PrivacyError, TypeError, ValueError: as :func:`partitions`; persons that are not such integers.

    >>> keep_probability([1, 13, 14, 27], epsilon=1, delta=1e-6).round(6)
    array([1.00000e-06, 2.57474e-01, 6.99887e-01, 1.00000e+00])
    """
    guarantee, bound = partition_guarantee(epsilon, delta, keys_per_person)
    array = np.asarray(persons)
    if array.dtype.kind not in "iu" or (array.size and array.min() < 0):
        raise InputError("persons are integers of at least 0: how many have a key.")
    chances = probabilities_of(
        array.ravel().astype(np.int64), guarantee.epsilon / bound.total, guarantee.delta / bound.total
    )
    return np.array([chance / CERTAIN for chance in chances], dtype=np.float64).reshape(array.shape)
