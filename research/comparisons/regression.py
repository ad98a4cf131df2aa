"""How well private regressors predict: R2 and mean absolute error, beside gradient boosting without privacy.

    DPSELECT_DATA=... python -m research.comparisons.regression [--repeats 5] [--chosen]

80/20 splits, the same for every model. Domains and the bounds of targets come from the manifest; absolute errors are in
per cent of the declared range. Settings of both regressors were chosen on the tables that ``--chosen`` measures, and on
none of the others.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

import dpselect as dps
from research.engine import data

EPSILONS = (0.1, 0.5, 1.0, 4.0, 1e6)
REPORTED = (("adult", "age"), ("wine", "alcohol"), ("wine", "density"), ("pendigits", "input1"))
FAMILIES = (
    ("waves", 1000), ("waves", 10_000), ("slopes", 4000), ("steps", 2000), ("steps", 30_000), ("narrow", 10_000),
    ("skewed", 10_000),
)  # fmt: skip
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Task:
    """A table, its public domains, and a target with its public bounds."""

    name: str
    columns: dict[str, NDArray[Any]]
    domains: dict[str, Any]
    target: Floats
    bounds: tuple[float, float]


def of_table(name: str, target: str) -> Task:
    """Return a number of a research table as a target, and its other columns without the table's own target."""
    table = data.table(name)
    domains = {column: domain for column, domain in table.domains.items() if column not in (target, table.target)}
    low, high = table.domains[target]
    columns = {column: table.columns[column] for column in domains}
    return Task(f"{name} {target}", columns, domains, table.columns[target].astype(float), (float(low), float(high)))


def made_up(name: str, rows: int) -> Task:
    """Return a table of six numbers and two categories, and a target between 0 and 1 that follows some of them."""
    random = np.random.default_rng([rows, len(name), ord(name[0])])
    x = random.uniform(0, 1, (rows, 6))
    two, four = random.integers(0, 2, rows), random.integers(0, 4, rows)
    noise = random.normal(0, 1, rows)
    if name == "waves":
        y = (10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]) / 30
        y = y + noise / 30
    elif name == "slopes":
        y = (x @ np.array([3, 2, 1, 0.5, 0.2, 0]) + noise) / 7
    elif name == "steps":
        y = 1 + (x[:, 0] > 0.6) + 0.5 * (x[:, 1] < 0.2) + 0.8 * ((four == 2) & (x[:, 0] <= 0.6)) + 0.3 * noise
        y = y / 4
    elif name == "narrow":
        y = 0.5 + 0.02 * np.sin(6 * x[:, 0]) + 0.02 * x[:, 1] * x[:, 2] + 0.01 * noise
    else:
        y = np.exp(1.5 * x[:, 0] + x[:, 1] - x[:, 2] + 0.5 * noise) / 60
    columns: dict[str, NDArray[Any]] = {f"x{place}": x[:, place] for place in range(6)}
    domains: dict[str, Any] = dict.fromkeys(columns, (0, 1)) | {"two": [0, 1], "four": [0, 1, 2, 3]}
    return Task(f"{name} {rows}", columns | {"two": two, "four": four}, domains, np.clip(y, 0, 1), (0.0, 1.0))


def diabetes() -> Task:
    """Return scikit-learn's 442 patients; bounds are round numbers."""
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True, scaled=False)
    ends = ((0, 100), (1, 2), (10, 50), (50, 150), (50, 350), (0, 300), (0, 120), (0, 10), (2, 7), (40, 160))
    names = [f"x{place}" for place in range(10)]
    return Task("diabetes", dict(zip(names, X.T, strict=True)), dict(zip(names, ends, strict=True)), y, (0.0, 400.0))


def chosen() -> Iterator[Task]:
    """Yield the tables on which settings were chosen."""
    yield from (made_up(*each) for each in FAMILIES)
    yield of_table("contraceptive", "wife_age")
    yield diabetes()


def ours(kind: Callable[..., Any]) -> Callable[[Task, float, NDArray[np.intp], NDArray[np.intp]], Floats]:
    """Return what fits one of our regressors and predicts."""

    def run(task: Task, epsilon: float, train: NDArray[np.intp], test: NDArray[np.intp]) -> Floats:
        model = kind(epsilon, domains=task.domains, target=task.bounds)
        model.fit({name: cells[train] for name, cells in task.columns.items()}, task.target[train])
        predicted: Floats = model.predict({name: cells[test] for name, cells in task.columns.items()})
        return predicted

    return run


def not_private(task: Task, _: float, train: NDArray[np.intp], test: NDArray[np.intp]) -> Floats:
    """Return what scikit-learn's gradient boosting predicts, categories as categories."""
    cells, listed = [], []
    for name, domain in task.domains.items():
        listed.append(isinstance(domain, list))
        place = {value: code for code, value in enumerate(domain)} if listed[-1] else {}
        column = task.columns[name]
        cells.append(np.array([place[value] for value in column.tolist()]) if place else column.astype(float))
    X = np.stack(cells, axis=1).astype(float)
    model = HistGradientBoostingRegressor(categorical_features=listed)
    # More threads than processors wait for each other.
    with threadpool_limits(1):
        model.fit(X[train], task.target[train])
        return np.asarray(model.predict(X[test]), dtype=np.float64)


MODELS = {
    "tree": ours(dps.learn.DPTreeRegressor),
    "boosted": ours(dps.learn.DPBoostedTreesRegressor),
    "boosted, pure": ours(lambda epsilon, **given: dps.learn.DPBoostedTreesRegressor(epsilon, delta=0, **given)),
}


def measured(task: Task, run: Callable[..., Floats], epsilon: float, repeats: int) -> tuple[float, float, float]:
    """Return mean R2, mean absolute error as a share of the range, and the least processor time of one split."""
    squared, absolute, times = [], [], []
    for repeat in range(repeats):
        order = np.random.default_rng(repeat).permutation(task.target.size)
        cut = int(0.8 * order.size)
        started = time.process_time()
        predicted = run(task, epsilon, order[:cut], order[cut:])
        times.append(time.process_time() - started)
        truth = task.target[order[cut:]]
        squared.append(1 - float(((predicted - truth) ** 2).mean() / truth.var()))
        absolute.append(float(np.abs(predicted - truth).mean()) / (task.bounds[1] - task.bounds[0]))
    return float(np.mean(squared)), float(np.mean(absolute)), min(times)


def lines(tasks: Iterator[Task], repeats: int) -> Iterator[str]:
    """Yield the lines of the result."""
    heads = "".join(f"{epsilon:>10g}" for epsilon in EPSILONS)
    for task in tasks:
        yield f"\n{task.name}: {task.target.size} records, {len(task.domains)} columns"
        yield f"  {'epsilon':<22}{heads}   seconds"
        for name, run in MODELS.items():
            found = [measured(task, run, epsilon, repeats) for epsilon in EPSILONS]
            yield f"  {name + ', R2':<22}" + "".join(f"{r2:>10.3f}" for r2, _, _ in found) + f"{found[2][2]:>10.2f}"
            yield f"  {name + ', error in %':<22}" + "".join(f"{100 * error:>10.2f}" for _, error, _ in found)
        r2, error, seconds = measured(task, not_private, 0.0, repeats)
        yield f"  {'not private':<22}R2 {r2:.3f}, error in % {100 * error:.2f}, {seconds:.2f} seconds"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="How well private regressors predict.")
    parser.add_argument("--repeats", type=int, default=5, help="how many splits")
    parser.add_argument("--chosen", action="store_true", help="the tables on which settings were chosen")
    given = parser.parse_args()
    print(f"Mean of {given.repeats} splits; boosted at (epsilon, 10^-6); seconds at epsilon 1.")
    for line in lines(chosen() if given.chosen else (of_table(*each) for each in REPORTED), given.repeats):
        print(line, flush=True)


if __name__ == "__main__":
    main()
