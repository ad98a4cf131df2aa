"""dpselect mechanisms: list them and what each is for."""

from __future__ import annotations

from textwrap import fill

import dpselect as dps
from dpselect.cli.request import Request
from dpselect.cli.tables import Table
from dpselect.cli.verb import Answer, Verb


def run(_: Request) -> Answer:
    """Return the list."""
    every = [dps.mechanism(name) for name in dps.mechanisms.EVERY_MECHANISM]
    width = max(len(m.name) for m in every) + 2
    facts = [{"name": m.name, "sampler": m.sampler.name, "use": m.summary} for m in every]
    lines = [fill(m.summary, 80, initial_indent=f"{m.name:<{width}}", subsequent_indent=" " * width) for m in every]
    table = Table(("mechanism", "use"), [[m.name, m.summary] for m in every])
    return Answer("\n".join(lines), {"mechanisms": facts}, parts=[table])


VERB = Verb(run, example="dpselect mechanisms", about="Protected: no table is read.")
