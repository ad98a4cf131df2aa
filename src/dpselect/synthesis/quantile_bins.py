"""Bins of columns of numbers that hold about as many rows each: between quantiles that are chosen privately.

Proof: ``marginal_session.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.dataset import Dataset, NumericDomain
from dpselect.kernel.errors import Advice, InputError, InputTypeError
from dpselect.kernel.ranks import Ranks
from dpselect.release.concentrated_session import ConcentratedSession
from dpselect.synthesis.table_domain import TableDomain
from dpselect.views.row_question import Bins, RowQuestion
from dpselect.views.table_counts import table_histograms

# Of rho: what the bins of all columns get that are chosen privately.
QUANTILES = Fraction(1, 20)


def require_quantile_bins(dataset: Dataset, domain: TableDomain, names: Sequence[str], bins: int) -> None:
    """Refuse columns that cannot have such bins, by public facts.

    Raises:
        TypeError: not a list.
        ValueError: not columns of the table, or of numbers, each once; their bins are described, or need none.
    """
    if isinstance(names, str):
        raise InputTypeError(f"quantile_bins is a list of columns: pass [{names!r}].")
    for name in names:
        known = dataset.columns.get(name)
        if name not in domain.names or not isinstance(known, NumericDomain):
            raise InputError(
                Advice("{quantile_bins} names {name}, which is not a column of numbers of this table.", name=repr(name))
            )
        if [*names].count(name) > 1:
            raise InputError(Advice("{quantile_bins} names {name} twice: name it once.", name=repr(name)))
        if known.edges:
            raise InputError(
                Advice("{name} has edges in its description: leave them out, or it out of {quantile_bins}.", name=name)
            )
        if not domain.columns[domain.names.index(name)].edges:
            raise InputError(
                Advice("{name} has at most {most} values: leave it out of {quantile_bins}.", name=name, most=bins)
            )


def ranks_of(source: Any, dataset: Dataset, name: str) -> Ranks:
    """Return the private ranks of the numbers of a column, of one row of each person.

    Raises:
        TypeError, ValueError, OSError, ConnectionError: the rows cannot be counted.
    """
    grid = dataset.grid(name)
    ((places, counts),), _ = table_histograms(source, RowQuestion(name, grid, person=dataset.person, per_person=1))
    return Ranks(places, counts, grid.size)


def choose_bins(
    draws: ConcentratedSession, ranks: Mapping[str, Ranks], dataset: Dataset, domain: TableDomain, bins: int
) -> TableDomain:
    """Return the columns with bins between quantiles, which an even part of a share of what is left pays for.

    Args:
        draws: have paid.
        ranks: private, of the columns that get such bins.
        dataset: the description.
        domain: with public bins.
        bins: how many there are at most, beside that of missing cells.
    """
    share = QUANTILES * draws.remaining / max(len(ranks), 1)
    columns = {each.name: each for each in domain.columns}
    for name, held in ranks.items():
        before = draws.remaining
        shares = [Fraction(place, bins) for place in range(1, bins)]
        places = draws.halving(held, shares, draws.epsilon_within(share, quantiles=len(shares)))
        known = dataset.columns[name]
        assert isinstance(known, NumericDomain)
        columns[name] = replace(columns[name], rho=before - draws.remaining, **_bins_between(places, held.size, known))
    return TableDomain(tuple(columns.values()))


def _bins_between(places: Sequence[int], size: int, known: NumericDomain) -> dict[str, Any]:
    """Return bins that begin at places of a grid; a place that several quantiles share has one by itself."""
    starts = {place + more for place, many in Counter(places).items() for more in range(1 + (many > 1 or not place))}
    inside = [known.lower + place * known.step for place in sorted(starts) if 0 < place < size - 1]
    # The last bin holds its end: to hold that alone, it begins between two values.
    last = [known.upper - known.step / 2] if starts & {size - 1, size} else []
    edges = (known.lower, *inside, *last, known.upper)
    return {"edges": edges, "cells": Bins(np.array([float(edge) for edge in edges]), clip=True)}
