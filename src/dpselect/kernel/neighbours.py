"""Neighbour relations: what one step between two databases is."""

from enum import StrEnum

from dpselect.kernel.errors import InputError


class Neighbours(StrEnum):
    """A neighbouring relation, which a privacy claim protects: the change of one step.

    ``substitution`` replaces one record (their number is public), ``add-remove`` adds or removes one record, ``person``
    one person with all of their records, ``edge`` one edge over public nodes, ``family`` replaces one of a TDT study.

    >>> Neighbours("edge")
    <Neighbours.EDGE: 'edge'>
    """

    SUBSTITUTION = "substitution"
    ADD_REMOVE = "add-remove"
    PERSON = "person"
    EDGE = "edge"
    FAMILY = "family"


# What one step changes, in words: whom a promise protects.
PROTECTED_UNITS = {
    Neighbours.SUBSTITUTION: "one record, replaced by another",
    Neighbours.ADD_REMOVE: "one record, added or removed",
    Neighbours.PERSON: "one person with all of their records",
    Neighbours.EDGE: "one edge of the graph",
    Neighbours.FAMILY: "one family, replaced by another",
}


def neighbours(name: str) -> Neighbours:
    """Return the relation of that name, or say which names there are (``ValueError``)."""
    if type(name) is Neighbours:
        return name
    try:
        return Neighbours(name)
    except ValueError:
        known = ", ".join(relation.value for relation in Neighbours)
        raise InputError(f"neighbours must be one of {known}, not {name!r}.") from None
