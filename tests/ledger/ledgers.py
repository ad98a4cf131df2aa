"""Ledgers in any place, and what somebody with the right to edit their tables could do."""

from __future__ import annotations

import sqlite3
from fractions import Fraction
from typing import Any

import psycopg

import dpselect as dps
from dpselect.kernel.neighbours import Neighbours

EACH = dps.Guarantee(Fraction(1, 10), Neighbours.ADD_REMOVE)


def filled(address: Any, spends: int = 3, **given: Any) -> dps.Ledger:
    """A ledger of epsilon 1 with some spends."""
    ledger = dps.Ledger.open(address, **({"epsilon": 1, "dataset": "survey"} | given))
    for _ in range(spends):
        ledger.with_metadata(table="people").spend(EACH, mechanism="permute-and-flip")
    return ledger


def tamper(address: Any, *statements: str) -> None:
    """Edit the tables past all triggers, as the owner of a file or of a server could."""
    if not str(address).startswith("postgresql:"):
        with sqlite3.connect(address) as connection:
            for trigger in ("kept_events", "fixed_events"):
                connection.execute(f"DROP TRIGGER {trigger}")
            for statement in statements:
                connection.execute(statement)
        connection.close()
        return
    url, _, name = address.partition("?ledger=")
    with psycopg.connect(url) as server:
        server.execute(f"SET session_replication_role = replica; SET search_path = {name}")
        for statement in statements:
            server.execute(statement)
