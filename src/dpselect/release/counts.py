"""A histogram of one column in one call: how many rows, or rows of persons that count, each public cell holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.certificates.contribution_text import SCOPE
from dpselect.kernel.bound import Bound, require_rate
from dpselect.kernel.errors import Advice, InputError, PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.mechanisms.error_bound import ErrorBound
from dpselect.release.count_bound import CountBound
from dpselect.release.open_session import SessionFactory, open_session
from dpselect.release.release import Release
from dpselect.sources.public_names import PublicNames
from dpselect.views.contribution_bounds import public_groups, rows_of_person
from dpselect.views.row_question import Bins, RowQuestion
from dpselect.views.table_counts import dense, table_histograms

MECHANISM = "two-sided geometric noise"
NEGATIVE = ("keep", "clip")
# So many cells fit memory many times over.
MOST_CELLS = 2**22


@dataclass(frozen=True)
class HistogramRelease(Release[Mapping[Any, Any]]):
    """A noisy histogram: each public value or bin with its count, or each group with such.

    Attributes:
        rate: of the noise: a count is off by z with a chance proportional to exp(-rate |z|).
    """

    rate: Fraction = field(repr=False, kw_only=True)

    @property
    def _answer(self) -> dict[str, Any]:
        return {str(name): count for name, count in self.value.items()}


def counts(
    table: Any,
    *,
    epsilon: Epsilon,
    column: Any,
    domain: Any = None,
    bins: Any = None,
    by: Any = None,
    groups: Any = None,
    person: Any = None,
    rows_per_person: int | None = None,
    negative: str = "keep",
    ledger: Accountant | None = None,
) -> HistogramRelease:
    """Count privately the rows of every public value or bin of a column: a noisy histogram.

    The noise is exact and whole; its size follows from epsilon alone. Values outside the list, or outside all bins, are
    not counted.

    Args:
        table: a pandas, polars or arrow table, a mapping of columns, an array, the path of a file, a
            :class:`dpselect.data.TableFile` with what is declared of it, or one in its engine: a
            :class:`dpselect.data.Warehouse`, an Ibis table, or the URL of a database.
        epsilon: the budget, of all counts together.
        column: the column that is counted.
        domain: the public values: a list of text or numbers, a range, or :class:`dpselect.data.Periods` of dates; those
            that no row has are counted too.
        bins: the public edges of bins of numbers instead: each bin holds its lower edge, the last both.
        by, groups: a column of groups and their public list, to count in each group: a row is in one of them, so all
            groups together cost epsilon.
        person: the column that tells persons apart: all rows of one are protected together.
        rows_per_person: how many rows of one person count, in all groups together; 1 unless more are asked for. Which
            ones follows from that person's rows. The noise grows with it.
        negative: ``"keep"`` counts that noise has made negative, so that sums are right on average, or ``"clip"`` them
            to 0.
        ledger: where the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy, one row more or fewer; with ``person``, one person with all of their rows.

    Raises:
        PrivacyError: neither a domain nor bins, or groups without a list.
        TypeError, ValueError: both; not a table; no such column; bad edges or bounds; nothing was spent.
        BudgetError: the ledger does not allow it; nothing was spent.

    >>> people = {"job": ["nurse"] * 60 + ["smith"] * 40, "age": [*range(100)]}
    >>> release = counts(people, epsilon=5, column="job", domain=["clerk", "nurse", "smith"])
    >>> abs(release.value["nurse"] - 60) < 20, list(release.value), release.error_bound.at()
    (True, ['clerk', 'nurse', 'smith'], 1)
    >>> list(counts(people, epsilon=1, column="age", bins=[0, 18, 65, 100], negative="clip").value)
    ['[0, 18)', '[18, 65)', '[65, 100]']
    """
    return counts_of(table, epsilon, column, domain, bins, by, groups, person, rows_per_person, negative, ledger)


def counts_of(
    table: Any,
    epsilon: Epsilon,
    column: Any,
    domain: Any = None,
    bins: Any = None,
    by: Any = None,
    groups: Any = None,
    person: Any = None,
    rows_per_person: int | None = None,
    negative: str = "keep",
    ledger: Accountant | None = None,
    session_factory: SessionFactory = open_session,
) -> HistogramRelease:
    """Count with a given session factory; proof: ``counts.md``."""
    cells = public_cells(domain, bins)
    places = None if by is None and groups is None else public_groups(by, groups)
    if negative not in NEGATIVE:
        raise InputError(Advice("{negative} is keep or clip: what becomes of counts below 0."))
    if len(cells) * (1 if places is None else len(places)) > MOST_CELLS:
        raise InputError(f"A histogram has at most {MOST_CELLS} cells: use fewer values, or coarser bins.")
    promise, bound = count_guarantee(epsilon, person, rows_per_person)
    require_rate(promise.epsilon / bound.total)
    asked = RowQuestion(column, cells, by, places, person, int(bound.total))
    held, metadata = table_histograms(table, asked)
    true = np.array([dense(each, len(cells)) for each in held])
    if person is not None:
        metadata = {**metadata, "rows_per_person": str(bound.total)}
    with session_factory(promise, mechanism=MECHANISM, ledger=ledger, metadata=metadata, note="histogram") as draws:
        noisy = draws.counts(true if places is not None else true[0], promise.epsilon, bound)
    shown = np.maximum(noisy, 0) if negative == "clip" else noisy
    lists = [dict(zip(cells.names, each, strict=True)) for each in shown.reshape(-1, len(cells)).tolist()]
    answer = lists[0] if places is None else dict(zip(places.names, lists, strict=True))
    error_bound = error_bound_of_counts(promise, bound, shown.size)
    return HistogramRelease(answer, MECHANISM, promise, rate=promise.epsilon / bound.total, error_bound=error_bound)


def error_bound_of_counts(promise: Guarantee, bound: Bound, many: int) -> ErrorBound:
    """Return how far all counts together may be off, of the rows that count; by public facts."""
    rate = promise.epsilon / bound.total
    if promise.neighbours is not Neighbours.PERSON:
        return CountBound(rate, many)
    return CountBound(rate, many, scope=SCOPE, rows_per_person=int(bound.total))


def count_guarantee(epsilon: Epsilon, person: Any, rows_per_person: int | None) -> tuple[Guarantee, Bound]:
    """Return the promise of all counts, and how far one row, or one person, moves them in all.

    Raises:
        TypeError, ValueError: no such epsilon; a bound without persons, or one that is not a whole number.
    """
    neighbours = Neighbours.ADD_REMOVE if person is None else Neighbours.PERSON
    return Guarantee(exact_epsilon(epsilon), neighbours), Bound(rows_of_person(person, rows_per_person), neighbours)


def public_cells(domain: Any, bins: Any) -> PublicNames | Bins:
    """Return the public values or bins.

    Raises:
        PrivacyError: neither is there.
        TypeError, ValueError: both; a list that is none.
    """
    if domain is None and bins is None:
        raise PrivacyError(
            Advice(
                "Which values there are must not depend on the data: pass {domain=|--domain}, their public list, or "
                "{bins=|--bins}, the public edges of bins of numbers."
            )
        )
    if domain is not None and bins is not None:
        raise InputError(
            Advice("A column has values or bins: pass {domain=|--domain} or {bins=|--bins}, one of the two.")
        )
    return PublicNames.of(domain, "domain") if bins is None else Bins.of(bins)
