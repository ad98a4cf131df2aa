"""Counts of a column of names against its public list, and of groups and persons beside a column, for the curator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpselect.cli import reading
from dpselect.cli.names import names
from dpselect.cli.request import Request
from dpselect.cli.verb import Answer
from dpselect.dataset.curator_check import name_counts
from dpselect.dataset.edge_counts import PRIVATE, examples
from dpselect.sources import identity, tables
from dpselect.sources.absent import no_column
from dpselect.sources.distinct import Distinct, distinct
from dpselect.sources.public_names import PublicNames
from dpselect.views.contributions import public_groups


def of_names(request: Request, column: str) -> Answer:
    """Return how many cells of a column are empty or name nothing of the public list.

    Raises:
        FileNotFoundError, ImportError, ValueError: as :func:`dpselect.sources.tables.arrows`; no public list.
    """
    cells = _cells(request, column)
    listed = names(request.domain, "--domain", "name")
    facts: dict[str, Any] = {"private": "these counts are for the curator alone"}
    if listed is None:
        empty = int((identity.persons(cells) < 0).sum())
        facts |= {"rows": cells.codes.size, "empty": empty}
        lines = [PRIVATE, f"empty: {empty}"]
    else:
        counted = name_counts(cells, PublicNames.of(listed, "domain"), column)
        facts |= {"rows": cells.codes.size, **counted}
        lines = [
            PRIVATE,
            f"empty: {counted['empty']}",
            f"not in the list of --domain: {counted['outside_the_list']}{examples(counted['strangers'])}",
            f"names of the list without a row: {counted['unused']} of {counted['names']}",
        ]
    more, said = beside(request)
    return Answer("\n".join([*lines, *said, f"rows: {facts['rows']}"]), facts | more)


def beside(request: Request) -> tuple[dict[str, Any], Sequence[str]]:
    """Return how many rows are of no listed group, and of nobody, where groups and persons are named.

    Raises:
        PrivacyError, ValueError: groups without a list; no such column.
    """
    facts, lines = dict[str, Any](), list[str]()
    if (request.by, request.groups) != (None, None):
        public = public_groups(request.by, names(request.groups, "--groups", "group"))
        counted = name_counts(_cells(request, request.by), public, request.by)
        facts |= {"without_a_group": counted["empty"], "other_groups": counted["outside_the_list"]}
        lines += [
            f"without a group: {counted['empty']}",
            f"not in the list of --groups: {counted['outside_the_list']}{examples(counted['strangers'])}",
        ]
    if request.person is not None:
        nobody = int((identity.persons(_cells(request, request.person)) < 0).sum())
        facts["without_a_person"] = nobody
        lines.append(f"without a person: {nobody}")
    return facts, lines


def _cells(request: Request, column: str) -> Distinct:
    how = reading.of(request)
    there = tables.arrows(request.file, [column], how)
    if column not in there:
        raise no_column(column, tables.names(request.file, how), request.file)
    return distinct(there[column])
