"""Facts in every file of a model: its columns, its promise, and whose records it protects. All of it is public."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpselect.kernel.errors import InputError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.learn.domains import Attribute
from dpselect.learn.file_parts import exact_in, numbers_in, scalars_in
from dpselect.learn.size_limits import MOST_RECORDS


def promise_of(model: Any) -> dict[str, Any]:
    """Return the promise of a model, exact as text; a delta and a rho where there are, and persons where they are."""
    guarantee = model.privacy_spent_
    content: dict[str, Any] = {"epsilon": None if guarantee is None else str(guarantee.epsilon)}
    if guarantee is not None and guarantee.delta:
        content["delta"] = str(guarantee.delta)
    if guarantee is not None and guarantee.stated_rho is not None:
        content["rho"] = str(guarantee.stated_rho)
    if model.person is not None:
        name = model.person if isinstance(model.person, (str, int)) else str(model.person)
        content["person"] = {"column": name, "rows": int(model.rows_per_person)}
    return content


def read_guarantee(content: Mapping[str, Any]) -> Guarantee | None:
    """Return the promise in a file.

    Raises:
        KeyError, TypeError, ValueError: there is none, or one that no release makes.
    """
    if content["epsilon"] is None:
        if {"delta", "rho"} & content.keys():
            raise InputError("no promise")
        return None
    epsilon, delta = exact_in(content["epsilon"]), exact_in(content.get("delta", "0"))
    # Whoever names persons protects them as a whole, which files of older versions leave unsaid.
    relation = Neighbours.PERSON if "person" in content else Neighbours.ADD_REMOVE
    if "rho" not in content:
        return Guarantee(epsilon, relation, delta)
    return Guarantee.from_rho(exact_in(content["rho"]), delta, relation, epsilon=epsilon)


def persons_in(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return whose records the model of a file protects, as parameters of its estimator.

    Raises:
        KeyError, TypeError, ValueError: not a column and a number of records.
    """
    if "person" not in content:
        return {}
    column, rows = content["person"]["column"], content["person"]["rows"]
    if type(rows) is not int or not 1 <= rows <= MOST_RECORDS or type(column) not in (str, int):
        raise InputError("no persons")
    return {"person": column, "rows_per_person": rows}


def columns_in(content: Mapping[str, Any]) -> list[Attribute]:
    """Return the columns of a file.

    Raises:
        KeyError, TypeError, ValueError: what is not a domain.
    """
    columns = [_column(each) for each in content["attributes"]]
    names = scalars_in([each.name for each in columns])
    if not {*map(type, names)} <= {str, int}:
        raise InputError("no columns")
    return columns


def _column(content: Mapping[str, Any]) -> Attribute:
    categories, edges = content["categories"], content["edges"]
    if (categories is None) == (edges is None) or type(content["missing"]) is not bool:
        raise InputError("no domain")
    if categories is not None:
        return Attribute(content["name"], tuple(scalars_in(categories)), None, content["missing"])
    cuts = numbers_in(edges, 1)
    if cuts.size < 2 or not (cuts[1:] > cuts[:-1]).all():
        raise InputError("no edges")
    return Attribute(content["name"], None, cuts, content["missing"])
