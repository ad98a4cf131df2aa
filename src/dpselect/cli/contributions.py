"""What the commands about one column say of groups and persons: --by, --groups, --person, --rows-per-person."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import dpselect as dps
from dpselect.certificates.rows_that_count import scope, step
from dpselect.cli import groups, paths, reading
from dpselect.cli.names import names
from dpselect.cli.options import Argument, Option, option, whole
from dpselect.cli.places import stays
from dpselect.cli.release import released
from dpselect.cli.request import Request
from dpselect.cli.spending import accountant_of
from dpselect.cli.verb import Answer
from dpselect.release.by_group import chosen_by_group, error_bound_of_group
from dpselect.sources import tables
from dpselect.sources.absent import no_column
from dpselect.views.contributions import Contributions

_NAMES = ("by", "groups", "person", "rows_per_person")
PANEL = "Groups and persons"
OPTIONS: tuple[Option | Argument, ...] = (
    option(
        "--by",
        metavar="COLUMN",
        panel=PANEL,
        help="one answer in each group of this column, all for one epsilon: a row is in one group only",
    ),
    paths.input(
        "--groups",
        metavar="A,B|FILE|N",
        panel=PANEL,
        help="with --by, the public groups: names with commas between (a single one ends with a comma), a file with "
        "one per line, or N for the whole numbers 0 .. N-1; rows of other groups are left out",
    ),
    option(
        "--person",
        metavar="COLUMN",
        panel=PANEL,
        help="the column that tells persons apart: protect one person with all of their rows, not one row",
    ),
    option(
        "--rows-per-person",
        type=whole,
        metavar="K",
        panel=PANEL,
        help="how many rows of one person count, in all groups together (default 1); their order in "
        "the table does not matter. Each group is then drawn at epsilon / K",
    ),
)


def named(request: Request) -> bool:
    """Return whether anything is said of groups or persons."""
    return any(request.get(name) is not None for name in _NAMES)


def of(request: Request) -> dict[str, Any]:
    """Return what is said of groups and persons, as functions of the library take it, and note whom it protects.

    Raises:
        PrivacyError: groups without a public list.
        ValueError: one option without the other; a table that stays in its engine; no such column.
    """
    asked = {name: request.get(name) for name in _NAMES}
    # Which of them go together is said before anything is read.
    cells: dict[str, Any] = {name: None if asked[name] is None else () for name in ("by", "person")}
    listed = names(asked["groups"], "--groups", "group")
    Contributions.of(cells["by"], listed, cells["person"], asked["rows_per_person"])
    if stays(request, request.file):
        raise ValueError(
            "--by and --person go with a table in a file, read without --in-place: of a database, ask a view of one "
            "group at a time."
        )
    if request.file.lower().endswith(".npy"):
        raise ValueError(
            "A histogram (.npy) has no rows that a group or a person could have: leave --by, --person out."
        )
    noted(request, grouped=request.by is not None)
    how = reading.of(request)
    wanted = {name: asked[name] for name in cells if asked[name] is not None}
    columns = tables.arrows(request.file, [*wanted.values()], how)
    for name, column in wanted.items():
        if column not in columns:
            refused = no_column(column, tables.names(request.file, how), request.file)
            raise ValueError(f"{refused} Name the right one by --{name}.")
        cells[name] = columns[column]
    return {**cells, "groups": listed, "rows_per_person": asked["rows_per_person"]}


def rows_of(request: Request) -> Contributions:
    """Return the same as one object; as :func:`of`."""
    rows = Contributions.of(**of(request))
    assert rows is not None
    return rows


def facts(request: Request) -> dict[str, str]:
    """Return which columns are recorded with the spend."""
    return {name: request.get(name) for name in ("by", "person") if request.get(name) is not None}


def chosen(
    request: Request, column: Any, grid: Any, share: Fraction, mechanism: dps.mechanisms.Mechanism, noun: str, unit: str
) -> Answer:
    """Return the answer where groups or persons are named; ``noun`` is what is chosen."""
    rows = rows_of(request)
    request.says(error_bound_of_group(grid, share, request.epsilon, mechanism, rows), unit)
    book = accountant_of(request, **facts(request))
    return answered(request, chosen_by_group(column, share, grid, request.epsilon, mechanism, rows, book), noun, unit)


def answered(request: Request, release: dps.Release[Any], noun: str, unit: str = "", **more: Any) -> Answer:
    """Return a release of groups, or of persons, as its lines and facts."""
    if request.counted is not None:
        more["rows_per_person"] = request.counted
    request.nouns = tuple(noun.split(", "))
    if isinstance(release.value, dict):
        return groups.answered(release, unit, note=f"{noun}; ", protected=request.protected, **more)
    named = zip(noun.split(", "), release._answer["candidates"], strict=True)
    lines = [f"{each}: {value}" for each, value in named]
    return released(release, lines, unit=unit, protected=request.protected, **more)


def noted(request: Request, *, grouped: bool) -> None:
    """Note whom the promise protects, and what an error is of: of one group, or of the whole release."""
    if request.person is not None:
        request.counted = request.rows_per_person or 1
        request.protected = step(request.counted)
    request.scope = scope(grouped=grouped, persons=request.person is not None)
