"""dpselect datasets URL: which datasets there are for you, what is public of them, and what is left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import Argument
from dpselect.cli.request import Request
from dpselect.cli.served import connection

_ORDER = ("name", "about", "paused", "protects", "neighbours", "rule")


def run(request: Request) -> CommandAnswer:
    """Return the list, or the public facts of one dataset."""
    server = connection.connect_server(request, request.server)
    if request.name is not None:
        return _page(request, server.dataset(request.name).facts)
    from dpselect.cli.release_text import escape_name
    from dpselect.cli.served.remaining import left_words

    lines, rows = [], []
    for offer in server.datasets():
        left = (
            {"released": offer.released} if offer.share is None else {"share": offer.share, "released": offer.released}
        )
        paused = " It is paused, and answers no request now." if offer.paused else ""
        lines.append(f"{escape_name(offer.name)}: {escape_name(offer.about)}{paused}\n  left: {left_words(left)}")
        rows.append(
            {
                "name": offer.name,
                "about": offer.about,
                "paused": offer.paused,
                "left": {whose: {name: str(most) for name, most in each.items()} for whose, each in left.items()},
            }
        )
    none = "This server shares no dataset with you: ask its curator for a share."
    return CommandAnswer("\n".join(lines) or none, {"server": request.server, "datasets": rows})


def _page(request: Request, facts: Mapping[str, Any]) -> CommandAnswer:
    from dpselect.cli.served.remaining import left_of, left_words

    known = {name: value for name, value in facts.items() if name != "left"}
    names = [*(name for name in _ORDER if name in known), *(name for name in known if name not in _ORDER)]
    lines = [line for name in names if known[name] is not None for line in _lines(name, known[name])]
    lines.append(f"left: {left_words(left_of(facts))}")
    return CommandAnswer("\n".join(lines), {"server": request.server, "datasets": [dict(facts)]})


def _lines(name: str, value: Any) -> list[str]:
    """Return a public fact: one line, or one for each column."""
    from dpselect.certificates.answer_table import words
    from dpselect.cli.release_text import escape_name

    title = escape_name(name.replace("_", " "))
    if name == "columns" and isinstance(value, Mapping):
        return [
            f"{title}:",
            *(f"  {escape_name(column)}: {escape_name(words(domain))}" for column, domain in value.items()),
        ]
    return [f"{title}: {escape_name(words({True: 'yes', False: 'no'}[value] if isinstance(value, bool) else value))}"]


VERB = Command(
    run,
    (
        connection.SERVER,
        Argument(
            "name",
            metavar="[NAME]",
            required=False,
            help="show the public facts of this dataset: columns, bounds, values",
        ),
        *connection.options(),
    ),
    "dpselect datasets https://dp.example.org\ndpselect datasets https://dp.example.org people",
    about="Protected: no table is read, and nothing is spent. What is shown are public facts and what is left. Ask "
    "about a dataset by its address, as in dpselect median https://dp.example.org/people age --epsilon 0.5.",
    elsewhere=connection.ELSEWHERE,
)
