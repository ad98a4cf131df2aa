"""dpselect mechanisms: list them and what each is for."""

from __future__ import annotations

from textwrap import fill

import dpselect as dps
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.request import Request
from dpselect.cli.tables import AnswerTable


def run(_: Request) -> CommandAnswer:
    """Return the list."""
    every = [dps.mechanism(name) for name in dps.mechanisms.MECHANISMS]
    width = max(len(m.name) for m in every) + 2
    facts = [{"name": m.name, "sampler": m.sampler.name, "use": m.summary} for m in every]
    lines = [fill(m.summary, 80, initial_indent=f"{m.name:<{width}}", subsequent_indent=" " * width) for m in every]
    table = AnswerTable(("mechanism", "use"), [[m.name, m.summary] for m in every])
    return CommandAnswer("\n".join(lines), {"mechanisms": facts}, parts=[table])


VERB = Command(run, example="dpselect mechanisms", about="Protected: no table is read.")
