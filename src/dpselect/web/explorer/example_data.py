"""Made-up data for the pages: people, their visits, and who knows whom. The same each time, and of nobody.

Nothing is drawn: multiples of a square root, less their whole part, spread evenly over [0, 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from dpselect.views import Graph
from dpselect.web.explorer.text_column import TextColumn

PEOPLE, VISITORS = 1000, 400
PLACES = {
    "park": 0.55,
    "library": 0.56,
    "market": 0.54,
    "museum": 0.4,
    "cinema": 0.33,
    "pool": 0.27,
    "theatre": 0.2,
    "stadium": 0.16,
    "zoo": 0.12,
    "archive": 0.03,
}
_JOBS = {"carer": 24_000, "clerk": 31_000, "driver": 27_000, "nurse": 34_000, "teacher": 38_000, "engineer": 52_000}
_REGIONS = {"North": 0.34, "South": 0.28, "East": 0.23, "West": 0.15}
# fmt: off
_NAMES = [
    "Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gina", "Hugo", "Ida", "Jon", "Kim", "Leo", "Mia",
    "Nils", "Olga", "Paul", "Quinn", "Rosa", "Sam", "Tess", "Ugo", "Vera", "Will", "Xenia", "Yara", "Zoe",
    "Anna", "Bela", "Carl", "Dora", "Emil", "Fay", "Glen", "Hana", "Ivan", "Jana", "Karl", "Lena", "Max",
    "Nora", "Otto", "Pia", "Rolf", "Sara", "Tom", "Ute", "Vito", "Wanda", "Yves", "Zita",
]
# fmt: on


@cache
def people() -> Mapping[str, TextColumn]:
    """Return a table of 1,000 people: age, income, job, region, and whether they are rich, as text.

    >>> [(name, column[0]) for name, column in people().items()]
    [('age', '41'), ('income', '43100'), ('job', 'teacher'), ('region', 'North'), ('rich', 'no')]
    """
    age = 18 + np.floor(68 * _even(2) ** 1.2).astype(np.int64)
    job = np.floor(len(_JOBS) * _even(3)).astype(np.int64)
    region = np.searchsorted(np.cumsum([*_REGIONS.values()])[:-1], _even(5), side="right")
    # Pay grows until 50, then stays; a third around that, and pensions are lower.
    grown = np.array([*_JOBS.values()])[job] * (0.75 + 0.011 * np.minimum(age - 18, 32))
    pay = grown * np.exp(0.33 * _bell(0.001 + 0.998 * _even(7))) * np.where(age > 66, 0.6, 1)
    income = 100 * np.round(pay / 100).astype(np.int64)
    # Few of the rich earn little, and the other way round.
    rich = income * (0.8 + 0.4 * _even(11)) > 42_000
    return {
        "age": TextColumn.of(map(str, age.tolist())),
        "income": TextColumn.of(map(str, income.tolist())),
        "job": _text_column([*_JOBS], job),
        "region": _text_column([*_REGIONS], region),
        "rich": _text_column(["no", "yes"], rich.astype(np.int64)),
    }


@cache
def visits() -> Mapping[str, TextColumn]:
    """Return the visits of 400 visitors to ten places, one per row: a visitor may have any number of rows.

    >>> {name: len(set(column)) for name, column in visits().items()}
    {'visitor': 400, 'place': 10}
    """
    rows: list[tuple[str, str]] = []
    for number, (place, share) in enumerate(PLACES.items()):
        spread = _even(13 + 16 * number + number % 2, VISITORS)
        for visitor in np.flatnonzero(spread < share).tolist():
            # Some come again, and count once all the same.
            rows += [(f"v{visitor + 1}", place)] * (1 + (visitor + number) % 3)
    missed = sorted({f"v{number + 1}" for number in range(VISITORS)} - {visitor for visitor, _ in rows})
    rows += [(visitor, "park") for visitor in missed]
    return {"visitor": TextColumn.of(row[0] for row in rows), "place": TextColumn.of(row[1] for row in rows)}


@cache
def friends() -> Graph:
    """Return a graph of 50 people who know each other: a few know many, and friends of friends often are friends.

    >>> friends().candidates[:2], int(friends().degrees.max()) > 10
    (('Ada', 'Ben'), True)
    """
    spread = _even(17, 6 * len(_NAMES)).tolist()
    edges: set[tuple[int, int]] = {(0, 1), (0, 2), (1, 2)}
    for newcomer in range(3, len(_NAMES)):
        # Those with many friends meet more people, and introduce a friend.
        ends = [end for edge in sorted(edges) for end in edge]
        first = ends[int(spread[newcomer] * len(ends))]
        near = sorted({other for edge in edges if first in edge for other in edge} - {first})
        met = {first, near[int(spread[newcomer + 60] * len(near))], ends[int(spread[newcomer + 120] * len(ends))]}
        edges |= {(other, newcomer) for other in met}
    source, target = zip(*[(_NAMES[a], _NAMES[b]) for a, b in sorted(edges)], strict=True)
    return Graph.from_edges(source, target, nodes=_NAMES)


@cache
def teams() -> Graph:
    """Return a graph of six teams of 14, in which all know each other, and of three brokers who know two of each team.

    Members know more people than brokers do, and connect fewer of them.

    >>> graph = teams()
    >>> int(graph.degrees.max()), graph.degrees[-3:], graph.candidates[-1]
    (14, array([12, 12, 12]), 'broker 3')
    """
    size, known = 14, 2
    names = [f"{team}{member + 1}" for team in "ABCDEF" for member in range(size)]
    edges = [(a, b) for a in range(len(names)) for b in range(a) if a // size == b // size]
    for broker in range(3):
        first = range(broker * known, (broker + 1) * known)
        edges += [(len(names) + broker, start + member) for start in range(0, len(names), size) for member in first]
    everybody = [*names, *(f"broker {number}" for number in (1, 2, 3))]
    source, target = zip(*[(everybody[a], everybody[b]) for a, b in edges], strict=True)
    return Graph.from_edges(source, target, nodes=everybody)


def _bell(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return below what a normal law falls with these chances; SciPy would take longer to load."""
    return np.array([NormalDist().inv_cdf(chance) for chance in chances.tolist()])


def _even(number: int, size: int = PEOPLE) -> NDArray[np.float64]:
    """Return numbers that fill [0, 1) evenly, shape (size,)."""
    result: NDArray[np.float64] = np.arange(1, size + 1) * np.sqrt(number) % 1
    return result


def _text_column(names: list[str], codes: NDArray[np.int64]) -> TextColumn:
    return TextColumn(names, codes.astype(np.int64))
