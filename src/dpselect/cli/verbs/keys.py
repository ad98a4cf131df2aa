"""dpselect keys: reveal which names a column holds, where no public list names them."""

from __future__ import annotations

import dpselect as dps
from dpselect.cli import paths, reading
from dpselect.cli.options import DELTA, option, whole
from dpselect.cli.reach import by_coins
from dpselect.cli.release import released, shown
from dpselect.cli.request import Request
from dpselect.cli.spending import accountant_of
from dpselect.cli.verb import Answer, Verb
from dpselect.release.keys import missed, promised


def run(request: Request) -> Answer:
    """Return the names."""
    reading.require_named(request, request.file, request.person, request.key)
    promise, bound = promised(request.epsilon, request.delta, request.keys_per_person)
    request.says(missed(promise, bound))
    request.reach = lambda: by_coins(request, "a key", request.keys_per_person, request.epsilon)
    release = dps.select_keys(
        reading.file(request),
        epsilon=request.epsilon,
        delta=request.delta,
        person=request.person,
        key=request.key,
        keys_per_person=request.keys_per_person,
        ledger=accountant_of(request, person=request.person, key=request.key),
    )
    lines = [shown(name) for name in release.value] or [
        "no key could be revealed: too few persons have the same one for this epsilon and delta"
    ]
    return released(release, lines)


VERB = Verb(
    run,
    (
        paths.input("file", help=f"{reading.FILES} with one row per event"),
        option("--person", required=True, metavar="COLUMN", help="the column that tells persons apart"),
        option("--key", required=True, metavar="COLUMN", help="the column of names"),
        option(
            "--keys-per-person",
            type=whole,
            required=True,
            metavar="N",
            help="how many names of one person count, chosen at random",
        ),
        DELTA,
        *reading.OPTIONS,
        reading.EVENTS,
    ),
    "dpselect keys events.parquet --person user --key product --keys-per-person 3 --epsilon 1 --delta 1e-6",
    about="Protected: whether any one person is in the table, with all of their rows. A name that one person has is "
    "revealed with a chance of delta at most.",
    spends=True,
)
