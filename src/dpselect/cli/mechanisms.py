"""dpselect mechanisms: list them and what each is for."""

from __future__ import annotations

import argparse
import json
from typing import Any

import dpselect as dps


def add(verbs: Any) -> None:
    """Add the command."""
    listing = verbs.add_parser("mechanisms", help="list the mechanisms and what each is for")
    listing.add_argument("--json", action="store_true", help="print JSON")
    listing.set_defaults(run=run)


def run(given: argparse.Namespace) -> str:
    """Return the list as text or JSON."""
    every = [dps.mechanism(name) for name in dps.mechanisms.EVERY_MECHANISM]
    if given.json:
        return json.dumps([{"name": m.name, "sampler": m.sampler.name, "use": m.summary} for m in every], indent=2)
    width = max(len(m.name) for m in every)
    return "\n".join(f"{m.name:<{width}}  {m.summary}" for m in every)
