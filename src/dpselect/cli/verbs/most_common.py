"""dpselect most-common: name the items that most different persons have."""

from __future__ import annotations

from typing import Any

import dpselect as dps
from dpselect.cli import paths, places
from dpselect.cli.names import names
from dpselect.cli.options import DELTA, option, whole
from dpselect.cli.places import stays
from dpselect.cli.plan import facts_text, promise
from dpselect.cli.release import bound, ranked, released
from dpselect.cli.request import Request
from dpselect.cli.spending import purse_of
from dpselect.cli.verb import Answer, Verb
from dpselect.mechanisms.permute_and_flip import permute_and_flip
from dpselect.mechanisms.worst_case import worst_of
from dpselect.release.one_shot import ONE_SHOT, PEELING
from dpselect.sources.warehouse import Warehouse

# What a count counts.
_UNIT = "persons"


def run(request: Request) -> Answer:
    """Return the named items, of every group where there are groups."""
    asked: dict[str, Any] = {
        "person": request.person,
        "item": request.item,
        "domain": _listed(request.domain, "--domain", "item"),
        "by": request.by,
        "groups": _listed(request.groups, "--groups", "group"),
        "groups_per_person": request.groups_per_person,
        "delta": request.delta,
        "kept": request.kept,
        "items_per_person": request.items_per_person,
        "ledger": purse_of(request, person=request.person, item=request.item),
    }
    if asked["domain"] is not None:
        draws = max(1, request.k * (request.groups_per_person or 1))
        request.bound = bound(len(asked["domain"]), 1, 1, lambda: request.epsilon / draws, permute_and_flip())
        if request.by is None:
            example = dps.Scores([0], 1, range_bound=1, kind="integer")
            once = not stays(request, request.file) and asked["ledger"].rule == "sum"
            method, number = ONE_SHOT if once else PEELING, len(asked["domain"])
            known = worst_of(example, request.k, request.epsilon, permute_and_flip(), method, number)
            request.unit, request.worst = _UNIT, known
    if stays(request, request.file):
        with Warehouse.open(request.file, request.table) as place:
            release = dps.most_common(place, request.k, request.epsilon, **asked)
    else:
        release = dps.most_common(request.file, request.k, request.epsilon, **asked)
    if isinstance(release, dps.GroupedRelease):
        return _grouped(release)
    return released(release, ranked(release), "in order of selection; ", _UNIT)


def _listed(text: str | None, option: str, noun: str) -> Any:
    return None if text is None else names(text, option, noun)


def _grouped(release: dps.GroupedRelease) -> Answer:
    lines = [f"{group}: {', '.join(map(str, winners))}" for group, winners in release.groups.items()]
    facts = {
        "groups": [{"group": group, "candidates": winners} for group, winners in release.groups.items()],
        "mechanism": release.mechanism,
        "guarantee": promise(release.guarantee),
    }
    note = f"in order of selection; {facts_text(release.guarantee)}, by {release.mechanism}"
    return Answer("\n".join([*lines, note]), facts)


VERB = Verb(
    run,
    (
        paths.input("file", help="a table with one row per event (.csv, .csv.gz, .parquet), or a URL"),
        *places.OPTIONS,
        option("--person", required=True, metavar="COLUMN", help="the column that tells persons apart"),
        option("--item", required=True, metavar="COLUMN", help="the column of items"),
        paths.input(
            "--domain",
            metavar="A,B|FILE|N",
            help="the public items: names with commas between, a file with one per line, or N for 0 .. N-1; without "
            "it, --delta with --kept or --items-per-person",
        ),
        option("--k", type=whole, default=1, metavar="K", help="how many items to name (default 1)"),
        option("--by", metavar="COLUMN", help="name K items in each group of this column"),
        paths.input("--groups", metavar="A,B|FILE|N", help="the public groups, written as --domain is"),
        option(
            "--groups-per-person",
            type=whole,
            metavar="G",
            help="in how many groups a person counts: each group is drawn at epsilon / G",
        ),
        DELTA,
        option(
            "--kept",
            type=whole,
            metavar="N",
            help="without --domain: name those of the N most frequent items that come before a wall",
        ),
        option(
            "--items-per-person",
            type=whole,
            metavar="N",
            help="without --domain: how many items of one person count when it is found out which items may be told",
        ),
    ),
    "dpselect most-common events.parquet --person user --item product --k 10 --domain products.txt --epsilon 1",
    about="Protected: whether any one person is in the table, with all of their rows. Different persons are counted, "
    "so a person may have any number of rows and items.",
    spends=True,
)
