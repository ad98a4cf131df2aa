"""Two families of made-up tables, written before the boosted learner was; no constant was chosen on them.

``additive``: the log-odds of a binary class are a sum of effects of six columns; ten columns are noise.
``rules``: one of three classes by rules that join two or three columns each; one label in twenty is random.
"""

from __future__ import annotations

import numpy as np

from research.engine.data import Table

SIZES = (1_000, 10_000)
_COLOURS = ["red", "green", "blue", "grey", "black"]


def additive(rows: int, number: int = 0) -> Table:
    """Return a table whose log-odds are a sum over columns, with ten columns of noise.

    >>> sorted(set(additive(100).columns["y"].tolist()))
    [0, 1]
    """
    rng = np.random.default_rng([1, rows, number])
    columns = {
        "bend": rng.uniform(0, 10, rows),
        "line": rng.normal(50, 15, rows).clip(0, 100),
        "step": rng.integers(0, 30, rows),
        "skew": rng.exponential(8, rows).clip(0, 100),
        "colour": rng.choice(_COLOURS, rows, p=[0.4, 0.3, 0.15, 0.1, 0.05]),
        "switch": rng.choice(["no", "yes"], rows, p=[0.7, 0.3]),
    }
    effect = dict(zip(_COLOURS, (0.0, 0.8, -0.8, 1.5, -1.5), strict=True))
    odds = (
        1.5 * np.sin(columns["bend"] * 0.6)
        + (columns["line"] - 50) / 15
        + np.where(columns["step"] >= 20, 1.2, -0.6)
        - np.log1p(columns["skew"]) * 0.7
        + np.array([effect[colour] for colour in columns["colour"]])
        + np.where(columns["switch"] == "yes", 1.0, 0.0)
        + 1.0
    )
    label = (rng.random(rows) < 1 / (1 + np.exp(-odds))).astype(int)
    domains: dict[str, object] = {"bend": (0, 10), "line": (0, 100), "step": (0, 29), "skew": (0, 100)}
    domains |= {"colour": _COLOURS, "switch": ["no", "yes"]}
    for code in range(5):
        columns[f"noise{code}"] = rng.uniform(0, 1, rows)
        columns[f"chance{code}"] = rng.choice(list("abcdef"), rows)
        domains |= {f"noise{code}": (0, 1), f"chance{code}": list("abcdef")}
    return Table(columns | {"y": label}, "y", domains, [0, 1])


def rules(rows: int, number: int = 0) -> Table:
    """Return a table of three classes by rules that join columns; one label in twenty is random.

    >>> sorted(set(rules(100).columns["y"].tolist()))
    ['low', 'middle', 'top']
    """
    rng = np.random.default_rng([2, rows, number])
    columns = {
        "age": rng.integers(18, 90, rows),
        "income": rng.lognormal(3.5, 0.6, rows).clip(0, 200),
        "score": rng.uniform(0, 1, rows),
        "region": rng.choice(list("NESW"), rows),
        "owner": rng.choice(["no", "yes"], rows),
        "married": rng.choice(["no", "yes"], rows, p=[0.6, 0.4]),
        "plan": rng.choice(["a", "b", "c"], rows, p=[0.5, 0.3, 0.2]),
        "day": rng.choice(["mon", "tue", "wed", "thu", "fri"], rows),
    }
    owner, married = columns["owner"] == "yes", columns["married"] == "yes"
    top = (owner & (columns["income"] > 40)) | ((columns["plan"] == "c") & (columns["age"] < 40))
    low = (~owner & ~married & (columns["score"] < 0.5)) | (np.isin(columns["region"], ["N", "W"]) & (owner != married))
    label = np.where(top, "top", np.where(low, "low", "middle"))
    label = np.where(rng.random(rows) < 0.05, rng.choice(["low", "middle", "top"], rows), label)
    domains: dict[str, object] = {"age": (18, 89), "income": (0, 200), "score": (0, 1), "region": list("NESW")}
    domains |= {"owner": ["no", "yes"], "married": ["no", "yes"], "plan": ["a", "b", "c"]}
    domains |= {"day": ["mon", "tue", "wed", "thu", "fri"]}
    return Table(columns | {"y": label}, "y", domains, ["low", "middle", "top"])


FAMILIES = {f"{make.__name__}-{rows}": (make, rows) for make in (additive, rules) for rows in SIZES}


def family(name: str) -> Table:
    """Return the table of a family by name, such as ``additive-1000``."""
    make, rows = FAMILIES[name]
    return make(rows)
