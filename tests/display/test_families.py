"""Every family has a look of its own, and every mechanism a look."""

from __future__ import annotations

import pytest

from dpselect._display.families import FAMILIES, SPARE, family, look
from dpselect.mechanisms import MECHANISMS


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_look_of_a_mechanism_is_that_of_its_family(name):
    """Whatever is said behind a comma; one that no family has looks like none that has one."""
    assert look(f"{name}, of the first score") == look(name)
    assert family(name) in FAMILIES or look(name) in SPARE
    assert not {*SPARE} & {*FAMILIES.values()}


def test_no_two_families_look_alike():
    """Colour and marker tell them apart together, and each marker is used once or with quite another colour."""
    assert len(FAMILIES) == len(set(FAMILIES.values()))
    markers = [each.marker for each in FAMILIES.values()]
    assert len(markers) == len(set(markers))


def test_a_mechanism_that_nobody_knows_has_a_look():
    """By its name, so the same in every picture and every process."""
    assert family("telepathy, at night") == "telepathy"
    assert look("telepathy") == look("telepathy, at night")
    assert {look(f"mechanism {number}") for number in range(100)} == {*SPARE}
