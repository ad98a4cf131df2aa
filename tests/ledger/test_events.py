"""What was spent, as an event and as text."""

import json
from fractions import Fraction

import pytest

import dpselect as dps
from dpselect.kernel.neighbours import Neighbours
from dpselect.ledger import Event

TENTH = dps.Guarantee(Fraction(1, 10), Neighbours.ADD_REMOVE, bounded_range=True)


def test_an_event_survives_its_text() -> None:
    """Exact rationals, metadata and notes in any language."""
    event = Event.of(
        TENTH, dataset="ürün", mechanism="exponential", count=7, note='quotes " and \n', metadata={"table": "t"}
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


def test_an_event_is_shown_with_the_names_of_today() -> None:
    """Files keep the word of the first version, ``facts``, for the metadata; nobody else meets it."""
    event = Event.of(TENTH, dataset="", mechanism="x", metadata={"table": "t"})

    assert {"table": "t"} == event.as_json()["metadata"] == json.loads(event.as_text())["facts"]
    assert "facts" not in event.as_json()
    assert event == Event.from_text(json.dumps(event.as_json()))
    with pytest.raises(ValueError, match="update it"):
        Event.from_text(json.dumps(event.as_json() | {"facts": {}}))


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


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"epsilon": -1}, "epsilon must be"),
        ({"epsilon": Fraction(-1, 10)}, "epsilon must be"),
        ({"epsilon": float("nan")}, "epsilon must be"),
        ({"epsilon": "1/10"}, "epsilon must be"),
        ({"delta": Fraction(3, 2)}, "delta must be"),
        ({"delta": Fraction(-1, 2)}, "delta must be"),
        ({"count": -3}, "count must be"),
    ],
)
def test_an_event_made_by_hand_is_checked(given, message: str) -> None:
    """Nothing that would hand budget back."""
    with pytest.raises((ValueError, TypeError), match=message):
        Event(**({"dataset": "", "neighbours": "edge", "mechanism": "x", "epsilon": Fraction(1)} | given))


def test_a_refund_written_as_text_is_refused() -> None:
    """A negative epsilon in the file is none of ours."""
    text = Event.of(TENTH, dataset="", mechanism="x").as_text()
    with pytest.raises(ValueError, match="update it"):
        Event.from_text(text.replace("1/10", "-1/10"))


def test_only_guarantees_are_spent() -> None:
    """A bare number says neither whom it protects nor how it composes."""
    with pytest.raises(TypeError, match="Spend a guarantee"):
        Event.of(0.1, dataset="", mechanism="x")


def test_names_of_files_need_not_be_characters() -> None:
    """Bytes that are no UTF-8 arrive as surrogates, which no file can hold."""
    event = Event.of(TENTH, dataset="", mechanism="x", note="\udcff", metadata={"file": "\udce9.csv"})

    assert event == Event.from_text(event.as_text().encode("utf-8").decode("utf-8"))
    assert "\\udce9.csv" == event.metadata["file"]


SMOOTH = dps.Guarantee.from_rho(Fraction(1, 8), 1e-6, "edge")


def test_a_concentrated_event_survives_its_text() -> None:
    """With its rho; an event without one is written as it was in format 1."""
    event = Event.of(SMOOTH, dataset="", mechanism="x", count=2)

    assert event == Event.from_text(event.as_text())
    assert SMOOTH == event.guarantee
    assert "1/8" == json.loads(event.as_text())["rho"]
    assert "rho" not in json.loads(Event.of(TENTH, dataset="", mechanism="x").as_text())


@pytest.mark.parametrize("rho", [None, 0.125, "", "-1/8", "0", "1/0", True, [1]])
def test_a_rho_that_this_version_does_not_write_is_refused(rho) -> None:
    """It is text, positive and exact, or not there at all."""
    content = json.loads(Event.of(SMOOTH, dataset="", mechanism="x").as_text()) | {"rho": rho}
    with pytest.raises(ValueError, match="update it"):
        Event.from_text(json.dumps(content))


def test_which_events_have_a_rho() -> None:
    """Pure and concentrated ones."""
    approximate = dps.Guarantee(1, "edge", 1e-6)

    assert [True, True, False] == [
        Event.of(each, dataset="", mechanism="x").has_rho for each in (TENTH, SMOOTH, approximate)
    ]
