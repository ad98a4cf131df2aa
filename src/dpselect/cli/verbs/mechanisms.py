"""dpselect mechanisms: list them and what each is for."""

from __future__ import annotations

import dpselect as dps
from dpselect.cli.request import Request
from dpselect.cli.verb import Answer, Verb


def run(_: Request) -> Answer:
    """Return the list."""
    every = [dps.mechanism(name) for name in dps.mechanisms.EVERY_MECHANISM]
    width = max(len(m.name) for m in every)
    facts = [{"name": m.name, "sampler": m.sampler.name, "use": m.summary} for m in every]
    return Answer("\n".join(f"{m.name:<{width}}  {m.summary}" for m in every), {"mechanisms": facts})


VERB = Verb(run, example="dpselect mechanisms")
