"""The sample that a page grows trees from: its columns as arrays, their domains, and the learner."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.web.explorer.explorer_page import State
from dpselect.web.explorer.material import Material
from dpselect.web.explorer.text_column import TextColumn

# A class column has so many classes at most, and a column of categories so many categories.
_CLASSES, _CATEGORIES = 8, 40


def class_columns(material: Material) -> list[str]:
    """Return the columns that can be a class, the last ones first: a class often is the last column."""
    if material.dataset is not None:
        return [name for name, values in material.lists.items() if 2 <= len(values) <= _CLASSES][::-1]
    few = [name for name, cells in material.columns.items() if 2 <= len(cells.counts) <= _CLASSES]
    return few[::-1]


def row_count(material: Material) -> int:
    """Return how many rows the table has."""
    return len(next(iter(material.columns.values()), ()))


@lru_cache(maxsize=4)
def sample_table(material: Material, target: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the columns that a tree can use as arrays, and their domains: described, or public as the sample is.

    Of a described table the column of persons is among them.
    """
    if material.dataset is not None:
        return _described_table(material)
    columns = material.columns.items()
    table: dict[str, Any] = {}
    domains: dict[str, Any] = {}
    for name, cells in columns:
        low, high = (cells.numbers.min(), cells.numbers.max()) if cells.numbers.size else (0.0, 0.0)
        if name != target and cells.is_numeric and len(cells.counts) > 2 and low < high:
            domains[name] = (float(low), float(high))
        elif 2 <= len(cells.counts) <= (_CLASSES if name == target else _CATEGORIES):
            domains[name] = sorted(text for text, _ in cells.counts)
        else:
            continue
        table[name] = _cells(cells)
    return _require_feature(table, domains)


def _described_table(material: Material) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the columns that the command learns from as arrays, and their described domains."""
    domains: dict[str, Any] = {**material.lists}
    for name in material.numeric:
        known = material.bounds_of(name)
        assert known is not None
        domains[name] = np.array([float(each) for each in known.edges]) if known.edges else known.bounds
    domains = {name: list(each) if name in material.lists else each for name, each in domains.items()}
    domains = {name: domains[name] for name in material.columns if name in domains}
    names = [*domains, *([material.person] if material.person else [])]
    return _require_feature({name: _cells(material.columns[name]) for name in names}, domains)


def _cells(cells: TextColumn) -> NDArray[np.str_]:
    return np.array(cells.texts, dtype=np.str_)[cells.codes]


def _require_feature(table: dict[str, Any], domains: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    if len(domains) < 2:
        raise InputError("A tree needs a class and one more column: pass a table with both.")
    return table, domains


def tree_model(state: State, domains: Mapping[str, Any], material: Material, epsilon: float, learner: str) -> Any:
    """Return the learner of the page, which knows how many rows there are, and who is protected."""
    from dpselect.learn import DPID3Classifier, DPTreeClassifier

    depth, rows = None if state["depth"] == "auto" else int(state["depth"]), row_count(material)
    persons: dict[str, Any] = {}
    if material.person:
        persons = {"person": material.person, "rows_per_person": material.rows_per_person}
    if learner == "tree":
        return DPTreeClassifier(epsilon, max_depth=depth, domains=domains, n_records=rows, **persons)
    criterion = learner.partition(":")[2] or "max-operator"
    most = rows if criterion == "information-gain" else None
    return DPID3Classifier(epsilon, depth or 3, criterion=criterion, domains=domains, max_records=most, **persons)
