"""Questions that rows are not asked where they are: one list, of which refusals and the table of the guide are made."""

from __future__ import annotations

from dataclasses import dataclass

from dpselect.kernel.errors import Advice, InputError


@dataclass(frozen=True)
class Gap:
    """A question that an engine is not asked.

    Attributes:
        question: the function and what it is asked with.
        reason: a clause.
        remedy: what to do instead, as a template of :class:`Advice`.
    """

    question: str
    reason: str
    remedy: str

    def refusal(self) -> ValueError:
        """Return what refuses the question, before anything is spent."""
        return InputError(Advice(f"This is not asked of an engine, because {self.reason}: {self.remedy}."))


_COINS = "coins that stay here choose what of each person counts"
GROUPS_OF_PERSONS = Gap(
    "`most_common` of persons in groups", _COINS, "read the columns into memory, or leave {by=|--by} out"
)
ITEMS_OF_PERSONS = Gap(
    "`most_common` with a bound on the items of a person",
    _COINS,
    "pass {kept=|--kept} instead, or read the two columns into memory",
)
KEYS_OF_PERSONS = Gap("`partitions`", _COINS, "read the two columns into memory")
GAPS = (GROUPS_OF_PERSONS, ITEMS_OF_PERSONS, KEYS_OF_PERSONS)
QUESTIONS = (
    "`median`", "`quantiles`", "`counts`", "`most_common` of a list", "`most_common` of records in groups",
    "`most_common` with a delta and `kept`",
)  # fmt: skip


def support_table() -> str:
    """Return which questions are asked of memory, files and engines, as a table of Markdown."""
    lines = ["| question | memory and files | DuckDB, PostgreSQL, Spark, SQLite |", "|---|---|---|"]
    lines += [f"| {question} | yes | yes |" for question in QUESTIONS]
    lines += [f"| {gap.question} | yes | no: {gap.reason} |" for gap in GAPS]
    return "\n".join(lines)
