"""A made-up survey to play with: nobody in it lives, and it is the same on every machine."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from statistics import NormalDist

COLUMNS = ("person", "year", "region", "age", "status", "income")
YEARS = (2023, 2024, 2025, 2026)
_PERSONS = 180
# How many of a hundred persons live in each region, and are what between 25 and 64.
_REGIONS = {"North": 34, "East": 22, "South": 27, "West": 14, "Islands": 3}
_STATUS = {"employed": 66, "self-employed": 14, "student": 6, "retired": 4, "seeking": 10}
REGIONS, STATUS = tuple(_REGIONS), tuple(_STATUS)
_YOUNG, _OLD = {"student": 60, "employed": 40}, {"retired": 90, "employed": 10}
# The typical yearly income of each status.
_INCOMES = {"employed": 33_000, "self-employed": 38_000, "student": 8_000, "retired": 21_000, "seeking": 11_000}
_TAKES_PART, _GONE = 0.65, 0.03


def survey() -> str:
    """Return the survey as csv: a row for each year that a person took part in, a few cells left empty.

    >>> lines = survey().splitlines()
    >>> lines[0], len(lines)
    ('person,year,region,age,status,income', 521)
    """
    rows = [_row(person, year) for person in range(1, _PERSONS + 1) for year in YEARS if _part(person, year)]
    return "\n".join([",".join(COLUMNS), *(",".join(row) for row in rows), ""])


def _part(person: int, year: int) -> bool:
    """Return whether a person took part: at least once."""
    return _chance("part", person, year) < _TAKES_PART or year == YEARS[person % len(YEARS)]


def _row(person: int, year: int) -> list[str]:
    age = year - 1935 - int(71 * _chance("born", person))
    shares = _YOUNG if age < 25 else _OLD if age >= 65 else _STATUS
    status = _one_of(shares, "status", person, age >= 25, age >= 65)
    spread = 0.4 * _normal("fortune", person) + 0.1 * _normal("year", person, year)
    income = round(_INCOMES[status] * math.exp(spread) / 10) * 10
    cells = {"region": _one_of(_REGIONS, "region", person), "age": age, "status": status, "income": income}
    known = ("" if _chance("gone", name, person, year) < _GONE else str(cell) for name, cell in cells.items())
    return [f"P{person:03}", str(year), *known]


def _chance(*about: object) -> float:
    """Return a made-up share, 0 <= share < 1, for what the words are about: always the same."""
    return int.from_bytes(hashlib.blake2b(repr(about).encode(), digest_size=6).digest()) / 2**48


def _normal(*about: object) -> float:
    return NormalDist().inv_cdf(_chance(*about) * 0.998 + 0.001)


def _one_of(shares: Mapping[str, int], *about: object) -> str:
    rest = 100 * _chance(*about)
    for name, share in shares.items():
        rest -= share
        if rest < 0:
            return name
    return next(iter(shares))
