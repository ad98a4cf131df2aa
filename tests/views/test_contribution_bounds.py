"""What is said of groups and persons is refused in the same words, whatever is asked of their rows."""

from __future__ import annotations

import pytest

import dpselect as dps

TABLE = {"age": [30, 40, 50], "town": ["a", "b", "a"], "who": [1, 2, 3]}
ASKED = {
    "counts": lambda **said: dps.counts(TABLE, epsilon=1, column="town", domain=["a", "b"], **said),
    "median": lambda **said: dps.median(TABLE, column="age", lower=0, upper=99, epsilon=1, **said),
    "most_common": lambda **said: dps.most_common(TABLE, 1, epsilon=1, item="town", domain=["a", "b"], **said),
    "quantiles": lambda **said: dps.quantiles(TABLE, [0.5], column="age", lower=0, upper=99, epsilon=1, **said),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_groups_need_a_column_and_a_public_list(ask) -> None:
    """One without the other is refused; a list that would follow from the rows would reveal them."""
    with dps.budget(epsilon=1) as session:
        with pytest.raises(ValueError, match=r"^Groups need their column: pass by=, or leave out what is said of"):
            ask(groups=["a", "b"])
        with pytest.raises(
            dps.PrivacyError, match=r"^Which groups there are must not depend on the data: pass groups="
        ):
            ask(by="town")
        with pytest.raises(ValueError, match="groups lists a name twice"):
            ask(by="town", groups=["a", "a"])

    assert [] == [*session.events]


@pytest.mark.parametrize("ask", [ASKED[name] for name in ("counts", "median", "quantiles")])
def test_rows_of_a_person_need_persons(ask) -> None:
    """And are a whole number of at least 1."""
    with dps.budget(epsilon=1) as session:
        with pytest.raises(ValueError, match=r"^rows_per_person= says how many rows of one person count: pass person="):
            ask(rows_per_person=2)
        for wrong, kind in ((0, ValueError), (1.5, (TypeError, ValueError)), (True, (TypeError, ValueError))):
            with pytest.raises(kind, match="rows_per_person"):
                ask(person="who", rows_per_person=wrong)

    assert [] == [*session.events]
