"""The most common items of persons who may have many, or of records that have one each, in one call.

Limits: The most common items are those of persons as the column says. Two accounts of one human are two persons. Groups
(``by=``) are for tables in memory and files; an engine is asked for one list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, overload

from dpselect.certificates.contribution_text import EACH_GROUP
from dpselect.kernel.errors import Advice, InputError, PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon, exact_epsilon, whole
from dpselect.kernel.privacy_filter import Accountant, resolve_accountant
from dpselect.mechanisms.error_bound import NoBound
from dpselect.mechanisms.permute_and_flip import permute_and_flip
from dpselect.mechanisms.worst_case import error_bound_of
from dpselect.release import select
from dpselect.release.one_shot import ONE_SHOT, free_gaps, method_of
from dpselect.release.open_session import SessionFactory, open_session
from dpselect.release.questions import question, require_count
from dpselect.release.release import Release
from dpselect.release.unknown_domain import unknown_domain_of
from dpselect.scores.scores import Scores
from dpselect.sources.public_names import PublicNames
from dpselect.utilities.popularity import popularity
from dpselect.views import Events
from dpselect.views.contribution_bounds import public_groups
from dpselect.views.events import Below, Integers
from dpselect.views.stored_events import stored_popularity
from dpselect.views.support import GROUPS_OF_PERSONS
from dpselect.views.table_counts import item_counts, stays

# Counts of so many public items are fetched from an engine; of more, how many items have which count.
_MOST_LISTED = 10**7
LEFT_OUT = (
    "persons whom the coins left out of a group are not in its counts; there is one where groups_per_person= is the "
    "number of groups"
)


@overload
def most_common(
    events: Any,
    k: int,
    *,
    epsilon: Epsilon,
    person: Any = None,
    item: Any,
    domain: Any = None,
    by: None = None,
    groups: None = None,
    groups_per_person: None = None,
    delta: Any = 0,
    kept: int | None = None,
    items_per_person: int | None = None,
    ledger: Accountant | None = None,
) -> Release[tuple[Any, ...]]: ...


@overload
def most_common(
    events: Any,
    k: int,
    *,
    epsilon: Epsilon,
    person: Any = None,
    item: Any,
    domain: Any,
    by: Any,
    groups: Any,
    groups_per_person: int | None = None,
    ledger: Accountant | None = None,
) -> Release[dict[Any, tuple[Any, ...]]]: ...


def most_common(
    events: Any,
    k: int,
    *,
    epsilon: Epsilon,
    person: Any = None,
    item: Any,
    domain: Any = None,
    by: Any = None,
    groups: Any = None,
    groups_per_person: int | None = None,
    delta: Any = 0,
    kept: int | None = None,
    items_per_person: int | None = None,
    ledger: Accountant | None = None,
) -> Release[tuple[Any, ...]] | Release[dict[Any, tuple[Any, ...]]]:
    """Choose privately the k items that most different persons, or most records, have.

    Args:
        events: one row per event, or per record: a pandas, polars or arrow table, a mapping of columns, an array, the
            path of a file, a :class:`dpselect.data.TableFile` with what is declared of it, a
            :class:`dpselect.data.Warehouse`, an Ibis table, or a URL that ends in ``?table=name``.
        k: how many items to name.
        epsilon: the budget, of all groups together.
        person: the column that tells persons apart: each counts once per item, whatever number of items and rows
            they have. Without it every row is one record, and rows are counted.
        item: the column of items. A row that names nobody, or an item outside of the list, is left out.
        domain: the public items, a list of text or numbers, a range, or :class:`dpselect.data.Periods` of dates; those
            that nobody has are candidates too.
        by: a column of groups, to choose k items in each of ``groups``, a public list.
        groups_per_person: in how many groups a person counts, chosen at random: each draws at its share.
        delta: for items that no list declares: far below one over the number of persons.
        kept: with delta, how many of the most frequent items are candidates above a threshold, at least k.
        items_per_person: with delta, how many items of one person count when half of epsilon finds out which may be
            revealed, as in :func:`partitions`. Either way there may be fewer than k.
        ledger: where the spend is recorded before anything is drawn; it protects the same neighbours.

    A public list has gaps and a p-value too, where they cost nothing; a record is in one group, drawn at epsilon.

    Guarantee: (epsilon, delta)-differential privacy for person neighbours: one person with all of their rows; without
    ``person``, for add-remove neighbours.

    Raises:
        PrivacyError: neither a domain nor a delta, groups without a list or a bound, or records without a domain.
        TypeError, ValueError: not a table; no such column; k is not from 1 to the number of items; nothing was spent.
        BudgetError: the ledger does not allow it; nothing was spent.

    >>> bought = {"user": [*range(90), *range(60), 7, 7], "product": ["tea"] * 90 + ["milk"] * 60 + ["gin", "gin"]}
    >>> products = ["gin", "milk", "soy", "tea"]
    >>> most_common(bought, 2, epsilon=3, person="user", item="product", domain=products).value
    ('tea', 'milk')
    """
    _require_of_records(person, domain, delta, kept, items_per_person, groups_per_person)
    if by is not None or groups is not None or groups_per_person is not None:
        _require_listed(domain, delta, kept, items_per_person)
        return grouped_of(events, k, epsilon, person, item, domain, by, groups, groups_per_person, ledger)
    if domain is None:
        return unknown_domain_of(events, k, epsilon, delta, person, item, kept, items_per_person, ledger)
    _require_listed(domain, delta, kept, items_per_person)
    return _release_listed(events, k, epsilon, person, item, domain, ledger)


def _release_listed(
    events: Any, k: int, epsilon: Epsilon, person: Any, item: Any, domain: Any, ledger: Accountant | None
) -> Release[tuple[Any, ...]]:
    """Choose among the items of a public list, in memory or where the table is."""
    if not stays(events) or isinstance(domain, PublicNames):
        scores = popularity(events, person=person, item=item, domain=domain)
        return _choose(scores, k, epsilon, ledger)
    with stored_popularity(events, person, item, domain) as candidates:
        # A list that fits memory is drawn in one pass; of a longer one only the winners' names are fetched.
        few = candidates.known is not None and candidates.known <= _MOST_LISTED
        if few:
            return _choose(candidates.scores(), k, epsilon, ledger)
        return select.top_k(candidates, k, epsilon=epsilon, mechanism=permute_and_flip(), ledger=ledger)


def _choose(scores: Scores, k: int, epsilon: Epsilon, ledger: Accountant | None) -> Release[tuple[Any, ...]]:
    """Choose in one pass, with gaps wherever they are free."""
    k, mechanism = require_count(k, len(scores)), permute_and_flip()
    gaps = free_gaps(question(scores, exact_epsilon(epsilon) / k, mechanism), k, resolve_accountant(ledger))
    return select.top_k(scores, k, epsilon=epsilon, mechanism=mechanism, gaps=gaps, ledger=ledger)


def grouped_of(
    events: Any,
    k: int,
    epsilon: Epsilon,
    person: Any,
    item: Any,
    domain: Any,
    by: Any,
    groups: Any,
    groups_per_person: int | None,
    ledger: Accountant | None = None,
    session_factory: SessionFactory = open_session,
) -> Release[dict[Any, tuple[Any, ...]]]:
    """Choose in every group, with a given session factory; proof: ``most_common.md``."""
    places = _groups(by, groups, groups_per_person, person)
    if person is not None and stays(events):
        raise GROUPS_OF_PERSONS.refusal()
    names = PublicNames.of(domain, "domain")
    guarantee = Guarantee(exact_epsilon(epsilon), Neighbours.ADD_REMOVE if person is None else Neighbours.PERSON)
    k, mechanism, share = require_count(k, len(names)), permute_and_flip(), 1
    if person is not None:
        most = whole(groups_per_person, "groups_per_person", "in how many groups a person counts")
        share = min(most, len(places))
    counted, metadata = _group_counts(events, person, item, names, by, places, share)
    # Whatever can be refused is refused by an example, before the spend.
    example, part = _scores([0] * len(names), guarantee.neighbours), guarantee.epsilon / share
    method = method_of(question(example, part / k, mechanism), k, None, None)
    # Errors are measured on what is counted, and left out of one group are persons who count in another.
    everybody = person is None or share == len(places)
    known = error_bound_of(example, k, part, mechanism, method) if everybody else NoBound(LEFT_OUT)
    error_bound = replace(known, scope=EACH_GROUP)
    drawn = mechanism.describe(example) + (f", {ONE_SHOT}" if method == ONE_SHOT else "")
    door_opened = session_factory(
        guarantee, mechanism=drawn, ledger=ledger, metadata=metadata, per_person=share, note="most common by group"
    )
    with door_opened as draws:
        by_group = counted(draws.uniform)
        with draws.disjoint(len(places)) as parts:
            winners = [
                each.top_k(_scores(counts, guarantee.neighbours), k, part, mechanism=mechanism, method=method)
                for each, counts in zip(parts, by_group, strict=True)
            ]
    lists = [tuple(names.names[place] for place in each) for each in winners]
    return Release(dict(zip(places.names, lists, strict=True)), drawn, guarantee, error_bound=error_bound)


def _group_counts(
    events: Any, person: Any, item: Any, names: PublicNames, by: Any, places: PublicNames, share: int
) -> tuple[Callable[[Below], Iterable[Integers]], Mapping[str, str]]:
    """Return what counts every group, with coins where a person may be in several, and where the rows came from."""
    if person is None:
        counts, metadata = item_counts(events, item, names, by, places)
        return lambda _: counts, metadata
    read = Events.read(events, person, item, names, by, places)
    return lambda below: read.in_groups(share, below).counts_by_group(len(places)), read.metadata


def _groups(by: Any, groups: Any, groups_per_person: Any, person: Any) -> PublicNames:
    """Return the public groups; refuse persons who may be in any number of them."""
    if by is not None and person is not None and (groups is None or groups_per_person is None):
        raise PrivacyError(
            Advice(
                "Which groups there are must not depend on the data, and a person may be in several: pass "
                "{groups=|--groups}, their public list, and {groups_per_person=|--groups-per-person}."
            )
        )
    return public_groups(by, groups)


def _require_of_records(
    person: Any, domain: Any, delta: Any, kept: Any, items_per_person: Any, groups_per_person: Any
) -> None:
    """Refuse what only persons have, where every row is one record."""
    if person is not None:
        return
    if groups_per_person is not None:
        raise InputError(
            Advice(
                "{groups_per_person=|--groups-per-person} says in how many groups a person counts, and a row is in "
                "one: leave it out, or pass {person=|--person} too."
            )
        )
    unlisted = delta or kept is not None or items_per_person is not None
    if domain is None and not unlisted:
        raise PrivacyError(
            Advice(
                "Which items there are must not depend on the rows: pass {domain=|--domain}, their public list, or "
                "{person=|--person}, the column that tells persons apart, with {delta=|--delta} and {kept=|--kept}."
            )
        )
    if unlisted:
        raise PrivacyError(
            Advice(
                "Where rows are counted, the items need a public list: pass {domain=|--domain} without "
                "{delta=|--delta}, {kept=|--kept} and {items_per_person=|--items-per-person}, or {person=|--person}, "
                "the column that tells persons apart."
            )
        )


def _require_listed(domain: Any, delta: Any, kept: Any, items_per_person: Any) -> None:
    """Refuse a question about a public list that has none, or that asks for what only others need."""
    if domain is None:
        raise PrivacyError(
            Advice(
                "Groups share one public list of items: pass {domain=|--domain}, perhaps names from a release of keys."
            )
        )
    if delta or kept is not None or items_per_person is not None:
        raise InputError(
            Advice(
                "A public list needs no delta: leave {delta=|--delta}, {kept=|--kept} and "
                "{items_per_person=|--items-per-person} out, or the list."
            )
        )


def _scores(counts: Any, relation: Neighbours) -> Scores:
    return Scores(counts, 1, None, relation, 1, kind="integer", zero="worst")
