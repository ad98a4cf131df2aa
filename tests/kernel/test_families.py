"""Every mechanism has a family, and every family a look of its own."""

from __future__ import annotations

import pytest

from dpselect.kernel.families import FAMILIES, family
from dpselect.mechanisms import EVERY_MECHANISM


@pytest.mark.parametrize("name", EVERY_MECHANISM)
def test_every_mechanism_has_a_family(name):
    """A new mechanism that no picture knows is found here."""
    assert family(name) in FAMILIES
    assert family(f"{name}, of the first score") == family(name)


def test_no_two_families_look_alike():
    """Colour and marker tell them apart together, and each marker is used once or with quite another colour."""
    assert len(FAMILIES) == len(set(FAMILIES.values()))
    markers = [look.marker for look in FAMILIES.values()]
    assert len(markers) == len(set(markers))


def test_an_unknown_family_is_told():
    """One sentence with the place to add it."""
    with pytest.raises(ValueError, match=r"add it to kernel/families.py"):
        family("telepathy")
