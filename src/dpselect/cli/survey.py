"""A made-up survey to play with: nobody in it lives, and it is the same on every machine."""

from __future__ import annotations

import random

COLUMNS = ("person", "year", "region", "age", "status", "income")
REGIONS = ("North", "East", "South", "West", "Islands")
STATUS = ("employed", "self-employed", "student", "retired", "seeking")
YEARS = (2023, 2024, 2025, 2026)
_PERSONS = 180
# The weights of regions, and of statuses between 25 and 64.
_REGIONS, _STATUS = (34, 22, 27, 14, 3), (66, 14, 6, 4, 10)
# The typical yearly income of each status.
_INCOMES = {"employed": 33_000, "self-employed": 38_000, "student": 8_000, "retired": 21_000, "seeking": 11_000}
_GONE = 0.03


def survey() -> str:
    """Return the survey as csv: a row for each year that a person took part in, a few cells left empty.

    >>> lines = survey().splitlines()
    >>> lines[0], len(lines)
    ('person,year,region,age,status,income', 461)
    """
    # Public by construction: what is drawn here protects nobody.
    draw = random.Random(20260101)
    lines = [",".join(COLUMNS)]
    for person in range(1, _PERSONS + 1):
        born = draw.randint(1935, 2005)
        region = draw.choices(REGIONS, _REGIONS)[0]
        fortune, known = draw.lognormvariate(0, 0.4), dict[tuple[bool, bool], str]()
        for year in sorted(draw.sample(YEARS, draw.randint(1, len(YEARS)))):
            age = year - born
            stage = (age >= 25, age >= 65)
            status = known[stage] = known.get(stage) or _status(draw, age)
            income = round(_INCOMES[status] * fortune * draw.lognormvariate(0, 0.1), -1)
            cells = [f"P{person:03}", str(year), region, str(age), status, f"{income:.0f}"]
            cells = [cell if place < 2 or draw.random() > _GONE else "" for place, cell in enumerate(cells)]
            lines.append(",".join(cells))
    return "\n".join([*lines, ""])


def _status(draw: random.Random, age: int) -> str:
    if age >= 65:
        return "retired" if draw.random() < 0.9 else "employed"
    if age < 25:
        return "student" if draw.random() < 0.6 else "employed"
    return draw.choices(STATUS, _STATUS)[0]
