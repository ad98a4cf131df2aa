"""Records of who changed what and when: a list that only grows."""

from __future__ import annotations

from dpselect.web import tokens
from dpselect.web.server.database import Database, Row, Statements


def record_change(statements: Statements, now: float, who: str, dataset: str | None, what: str) -> None:
    """Write down a change, in its own transaction."""
    statements.run(
        "INSERT INTO audit_log (id, made, who, dataset, what) VALUES (:id, :made, :who, :dataset, :what)",
        id=tokens.fresh(), made=now, who=who, dataset=dataset, what=what,
    )  # fmt: skip


def changes(database: Database, dataset: str) -> list[Row]:
    """Return the changes of a dataset, oldest first."""
    with database.reading() as statements:
        return statements.rows(
            "SELECT made, who, what FROM audit_log WHERE dataset = :dataset ORDER BY made, id", dataset=dataset
        )


def latest_changes(database: Database, dataset: str | None, most: int, skip: int = 0) -> list[Row]:
    """Return changes of a dataset, or of users and tokens for ``None``: the newest first, some skipped."""
    whose = "dataset IS NULL" if dataset is None else "dataset = :dataset"
    named = {} if dataset is None else {"dataset": dataset}
    with database.reading() as statements:
        return statements.rows(
            f"SELECT made, who, what FROM audit_log WHERE {whose} ORDER BY made DESC, id DESC LIMIT :most OFFSET :skip",
            most=most, skip=skip, **named,
        )  # fmt: skip
