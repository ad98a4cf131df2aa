"""What was spent, as facts and as text."""

import json
from fractions import Fraction

import pytest

import dpselect as dps
from dpselect.core.neighbours import Neighbours
from dpselect.ledger import Event

TENTH = dps.Guarantee(Fraction(1, 10), Neighbours.ADD_REMOVE, bounded_range=True)


def test_an_event_survives_its_text() -> None:
    """Exact rationals, facts and notes in any language."""
    event = Event.of(
        TENTH, dataset="ürün", mechanism="exponential", count=7, note='quotes " and \n', facts={"table": "t"}
    )

    assert event == Event.from_text(event.as_text())
    assert TENTH == event.guarantee
    assert "1/10" == json.loads(event.as_text())["epsilon"]
    assert event.when.endswith("+00:00")


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"kind": "refund"}'])
def test_what_this_version_does_not_know_is_refused(text: str) -> None:
    """Never guessed at."""
    with pytest.raises(ValueError, match="update it"):
        Event.from_text(text)


def test_a_new_field_is_refused() -> None:
    """Meanings never change, so an unknown field may mean anything."""
    content = json.loads(Event.of(TENTH, dataset="", mechanism="x").as_text()) | {"refund": 1}
    with pytest.raises(ValueError, match="update it"):
        Event.from_text(json.dumps(content))


@pytest.mark.parametrize("count", [0, -1, 1.5, True])
def test_counts_are_positive_integers(count) -> None:
    """A release that did not happen is not recorded."""
    with pytest.raises(ValueError, match="at least 1"):
        Event.of(TENTH, dataset="", mechanism="x", count=count)
