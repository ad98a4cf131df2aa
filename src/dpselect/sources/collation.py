"""Collations: whether an engine takes texts for equal that differ, asked of columns and not of rows.

Where it does, a group of equal texts goes by the name of one of its rows, and one more row may change that name.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpselect.kernel.errors import InputError
from dpselect.sources.warehouse import Warehouse

# Case, accents, trailing blanks, width and composition: what collations commonly leave out.
_ALIKE = (("A", "a"), ("é", "e"), ("a ", "a"), ("\uff41", "a"), ("e\u0301", "é"))


def require_exact(warehouse: Warehouse, columns: Sequence[str]) -> None:
    """Refuse columns of text whose collation takes different texts for equal; no row is looked at.

    SQLite hides the collation of a column from such a question.

    Raises:
        ValueError: there is one.
        ConnectionError: the engine failed.
    """
    import ibis

    nobody = warehouse.table.filter(ibis.literal(False))
    # The largest of no texts is missing, and what takes its place is compared as the column is.
    questions = {
        f"q{place}": nobody[column].max().fill_null(one) == other
        for place, (column, one, other) in enumerate((name, *pair) for name in columns for pair in _ALIKE)
    }
    answers = warehouse.ask(nobody.aggregate(**questions))
    if any(bool(answer[0]) for answer in answers.values()):
        raise InputError(
            f"The engine takes different texts for equal in {' or '.join(columns)}: pass a view of the table in which "
            "these columns have a binary collation."
        )
