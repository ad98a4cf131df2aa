"""Budgets that may be spent from each dataset now: whether it is paused, how much is released, and who has which share.

The settings say it at first; afterwards curators change it here, where it is written down who did.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

from dpselect.kernel.errors import InputError
from dpselect.kernel.format_exact import format_exact
from dpselect.web.server.audit_log import record_change
from dpselect.web.server.database import Database, Statements


@dataclass(frozen=True)
class ReleasedBudget:
    """The limits of spending from one dataset.

    Attributes:
        paused: whether nothing may be spent at all.
        allowance: how much of the budget is released, as an epsilon.
        shares: of the analysts.
    """

    paused: bool
    allowance: Fraction
    shares: Mapping[str, Fraction]


class AnalystBudgets:
    """The released budget of every dataset, and its shares."""

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        self._database, self._now = database, now

    def register(self, name: str, allowance: Fraction, shares: Mapping[str, Fraction]) -> None:
        """Make a dataset known, with what the settings release at first; one that is known stays as it is."""
        with self._database.writing() as statements:
            if statements.row("SELECT name FROM datasets WHERE name = :name", name=name) is None:
                statements.run(
                    "INSERT INTO datasets (name, allowance) VALUES (:name, :allowance)",
                    name=name, allowance=str(allowance),
                )  # fmt: skip
                record_change(
                    statements,
                    self._now(),
                    "settings",
                    name,
                    f"registered with an allowance of {format_exact(allowance)}",
                )
                for analyst, share in shares.items():
                    self._give(statements, name, analyst, share, "settings")

    def has_share(self, dataset: str, analyst: str) -> bool:
        """Return whether an analyst has a share; it takes alike long for a dataset that is not there."""
        with self._database.reading() as statements:
            row = statements.row(
                "SELECT epsilon FROM shares WHERE dataset = :dataset AND analyst = :analyst",
                dataset=dataset, analyst=analyst,
            )  # fmt: skip
        return row is not None

    def shared_with(self, analyst: str) -> set[str]:
        """Return the datasets of which an analyst has a share."""
        with self._database.reading() as statements:
            rows = statements.rows("SELECT dataset FROM shares WHERE analyst = :analyst", analyst=analyst)
        return {row["dataset"] for row in rows}

    def of(self, dataset: str) -> ReleasedBudget:
        """Return what is released of a dataset."""
        with self._database.reading() as statements:
            return _read(statements, dataset)

    @contextmanager
    def turn(self, dataset: str) -> Iterator[ReleasedBudget]:
        """Yield what is released, while no other thread, process or server may spend from this dataset or change it."""
        with self._changing(dataset) as (_, standing):
            yield standing

    @contextmanager
    def _changing(self, dataset: str) -> Iterator[tuple[Statements, ReleasedBudget]]:
        with self._database.writing() as statements:
            # A transaction that writes has all of a file; in PostgreSQL it takes one row.
            if not self._database.is_file:
                statements.row("SELECT name FROM datasets WHERE name = :name FOR UPDATE", name=dataset)
            yield statements, _read(statements, dataset)

    def pause(self, dataset: str, paused: bool, by: str) -> None:
        """Let nothing be spent from now on, or let it again."""
        with self._changing(dataset) as (statements, standing):
            if standing.paused != paused:
                statements.run(
                    "UPDATE datasets SET paused = :paused WHERE name = :name", paused=int(paused), name=dataset
                )
                record_change(statements, self._now(), by, dataset, "paused" if paused else "resumed")

    def allow(self, dataset: str, allowance: Fraction, by: str, require: Callable[[], None]) -> None:
        """Release another part of the budget.

        Args:
            require: refuses, in the same turn, what is above the budget or below what was spent.
        """
        with self._changing(dataset) as (statements, standing):
            require()
            statements.run(
                "UPDATE datasets SET allowance = :allowance WHERE name = :name", allowance=str(allowance), name=dataset
            )
            before, after = format_exact(standing.allowance), format_exact(allowance)
            record_change(statements, self._now(), by, dataset, f"allowance {before} became {after}")

    def share(self, dataset: str, analyst: str, share: Fraction, by: str) -> None:
        """Give an analyst another share; one below what the analyst has spent only ends the spending."""
        with self._changing(dataset) as (statements, _):
            self._give(statements, dataset, analyst, share, by)

    def _give(self, statements: Statements, dataset: str, analyst: str, share: Fraction, by: str) -> None:
        statements.run(
            "INSERT INTO shares (dataset, analyst, epsilon) VALUES (:dataset, :analyst, :epsilon) "
            "ON CONFLICT (dataset, analyst) DO UPDATE SET epsilon = excluded.epsilon",
            dataset=dataset, analyst=analyst, epsilon=str(share),
        )  # fmt: skip
        record_change(statements, self._now(), by, dataset, f"share of {analyst} became {format_exact(share)}")


def _read(statements: Statements, dataset: str) -> ReleasedBudget:
    row = statements.row("SELECT paused, allowance FROM datasets WHERE name = :name", name=dataset)
    if row is None:
        raise InputError(f"The server's database has no dataset {dataset}: name one of its settings.")
    shares = statements.rows("SELECT analyst, epsilon FROM shares WHERE dataset = :name", name=dataset)
    given = {each["analyst"]: Fraction(each["epsilon"]) for each in shares}
    return ReleasedBudget(bool(row["paused"]), Fraction(row["allowance"]), given)
