"""Who changed what and when: a list that only grows."""

from __future__ import annotations

from dpselect.web import tokens
from dpselect.web.server.database import Database, Row, Statements


def noted(statements: Statements, now: float, who: str, dataset: str | None, what: str) -> None:
    """Write down a change, in its own transaction."""
    statements.run(
        "INSERT INTO changes (id, made, who, dataset, what) VALUES (:id, :made, :who, :dataset, :what)",
        id=tokens.fresh(), made=now, who=who, dataset=dataset, what=what,
    )  # fmt: skip


def changes(database: Database, dataset: str) -> list[Row]:
    """Return the changes of a dataset, oldest first."""
    with database.reading() as statements:
        return statements.rows(
            "SELECT made, who, what FROM changes WHERE dataset = :dataset ORDER BY made, id", dataset=dataset
        )
