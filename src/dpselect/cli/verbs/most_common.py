"""dpselect most-common: name the items that most different persons, or most rows, have."""

from __future__ import annotations

from typing import Any

import numpy as np

import dpselect as dps
from dpselect.cli import groups, paths, places, reading
from dpselect.cli.names import names
from dpselect.cli.options import DELTA, option, whole
from dpselect.cli.places import stays
from dpselect.cli.reach import by_coins, by_wall
from dpselect.cli.release import best, ranked, released
from dpselect.cli.request import Request
from dpselect.cli.spending import accountant_of
from dpselect.cli.verb import Answer, Verb
from dpselect.ledger import RecordingAccountant
from dpselect.mechanisms.error_bound import NoBound
from dpselect.mechanisms.permute_and_flip import permute_and_flip
from dpselect.mechanisms.worst_case import error_bound_of
from dpselect.release.one_shot import method_of
from dpselect.release.questions import question, require_count
from dpselect.release.unlisted import BY_NAMES
from dpselect.sources.warehouse import Warehouse

# Whether there is a name is released with the names, so it may be said.
_NOTHING = "nothing could be named: too few persons have the same item for this epsilon and delta"


def run(request: Request) -> Answer:
    """Return the named items, of every group where there are groups."""
    columns = {"person": request.person, "item": request.item}
    unit = "records" if request.person is None else "persons"
    if stays(request, request.file):
        reading.require_memory(request)
    reading.require_named(request, request.file, request.person, request.item, request.by)
    domain, book = names(request.domain, "--domain", "item"), accountant_of(request, **_said(columns))
    asked: dict[str, Any] = {
        **columns,
        "domain": domain,
        "by": request.by,
        "groups": names(request.groups, "--groups", "group"),
        "groups_per_person": request.groups_per_person,
        "delta": request.delta,
        "kept": request.kept,
        "items_per_person": request.items_per_person,
    }
    others = ("by", "groups", "groups_per_person", "kept", "items_per_person")
    if domain is not None and not request.delta and all(asked[name] is None for name in others):
        if not stays(request, request.file):
            scores = dps.utilities.popularity(reading.file(request), **columns, domain=domain)
            release = best(request, scores, permute_and_flip(), request.k, unit, gaps=True, **_said(columns))
            return released(release, ranked(release), "in order of selection; ", unit)
        _plan(request, len(domain), book, unit)
    asked["ledger"] = book
    groups.plan(request, domain, asked["groups"], unit)
    if domain is None:
        request.says(NoBound(BY_NAMES))
    if request.items_per_person is not None:
        request.reach = lambda: by_coins(request, "an item", request.items_per_person, request.epsilon / 2)
    elif request.kept is not None:
        request.reach = lambda: by_wall(request)
    if stays(request, request.file):
        with Warehouse.open(request.file, request.table) as place:
            answer = dps.most_common(place, request.k, epsilon=request.epsilon, **asked)
    else:
        answer = dps.most_common(reading.file(request), request.k, epsilon=request.epsilon, **asked)
    if isinstance(answer.value, dict):
        return groups.answered(answer, unit, note="in order of selection; ")
    if not answer.value:
        return released(answer, [_NOTHING], unit=unit)
    return released(answer, ranked(answer), "in order of selection; ", unit)


def _said(columns: dict[str, Any]) -> dict[str, Any]:
    return {name: column for name, column in columns.items() if column is not None}


def _plan(request: Request, items: int, book: RecordingAccountant, unit: str) -> None:
    """Say in a dry run how wrong the answer may be, which follows from public numbers."""
    example = dps.Scores(np.zeros(items, dtype=np.int64), 1, range_bound=1)
    k = require_count(request.k, items)
    method = method_of(question(example, request.epsilon / k, permute_and_flip()), k, None, book)
    request.says(error_bound_of(example, k, request.epsilon, permute_and_flip(), method), unit)


VERB = Verb(
    run,
    (
        paths.input("file", help=f"{reading.FILES} with one row per event or per record, or a URL"),
        *places.OPTIONS,
        option(
            "--person",
            metavar="COLUMN",
            help="the column that tells persons apart: protect all of their rows; without it every row is one record",
        ),
        option("--item", required=True, metavar="COLUMN", help="the column of items"),
        paths.input(
            "--domain",
            metavar="A,B|FILE|N",
            help="the public items: names with commas between (a single one ends with a comma), a file with one per "
            "line, or N where the items are the whole numbers 0 .. N-1, not N names; without it, --person and --delta "
            "with --kept or --items-per-person",
        ),
        option("--k", type=whole, default=1, metavar="K", help="how many items to name (default 1)"),
        option("--by", metavar="COLUMN", help="name K items in each group of this column"),
        paths.input("--groups", metavar="A,B|FILE|N", help="the public groups, written as --domain is"),
        option(
            "--groups-per-person",
            type=whole,
            metavar="G",
            help="with --person, in how many groups a person counts: each group is drawn at epsilon / G",
        ),
        DELTA,
        option(
            "--kept",
            type=whole,
            metavar="N",
            help="with --person and without --domain: name those of the N most frequent items that come before a wall",
        ),
        option(
            "--items-per-person",
            type=whole,
            metavar="N",
            help="with --person and without --domain: how many items of one person decide which items may be revealed",
        ),
        *reading.OPTIONS,
        reading.EVENTS,
    ),
    "dpselect most-common events.parquet --person user --item product --k 10 --domain products.txt --epsilon 1\n"
    "dpselect most-common events.parquet --item product --domain products.txt --epsilon 1",
    about="Protected: with --person, whether any one person is in the table, with all of their rows. Different persons "
    "are counted, so a person may have any number of rows and items. Without it, whether any one row is in the table, "
    "and rows are counted: enough where every person has one row.",
    spends=True,
)
