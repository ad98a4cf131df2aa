"""How accurate private trees are, and how fast.

    DPSELECT_DATA=... python -m research.comparisons.trees [--repeats 10] [--epsilons 0.1 1] [--speed]

Mean test accuracy over repeated 80/20 splits, the same splits for every model. Domains come from the manifest. Where
diffprivlib imports (scikit-learn 1.8) its tree and forest of ten run on the same splits, on ordinal codes.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import dpselect as dps
from research.engine import data

SETS = ("adult", "nltcs", "acs", "mushroom", "nursery", "contraceptive", "hiv1625", "wine", "pendigits")
learn = dps.learn


def load(name: str, wanted: str | None = None) -> tuple[dict[str, np.ndarray], str, dict[str, Any], list[Any]]:
    """Columns, target, domains and classes of a dataset."""
    table = data.table(name, wanted)
    return table.columns, table.target, table.domains, table.classes


def ours(kind: Callable[..., Any]) -> Callable[..., float]:
    """Fit one of our estimators and score it."""

    def run(epsilon: float, columns, target, domains, classes, train, test) -> float:
        model = kind(epsilon, domains=domains, classes=classes)
        model.fit({name: values[train] for name, values in columns.items()}, target)
        predicted = model.predict({name: columns[name][test] for name in domains})
        return float((predicted == columns[target][test]).mean())

    return run


def theirs(kind: Callable[..., Any]) -> Callable[..., float]:
    """Fit an estimator of scikit-learn or diffprivlib to ordinal codes and score it."""

    def run(epsilon: float, columns, target, domains, classes, train, test) -> float:
        codes, bounds = [], []
        for name, domain in domains.items():
            if isinstance(domain, list):
                place = {value: code for code, value in enumerate(domain)}
                codes.append(np.array([place[value] for value in columns[name].tolist()], dtype=float))
                bounds.append((0, len(domain) - 1))
            else:
                codes.append(columns[name].astype(float))
                bounds.append(domain)
        X, y = np.stack(codes, axis=1), np.searchsorted(classes, columns[target])
        model = kind(epsilon, tuple(np.array(bounds, dtype=float).T), list(range(len(classes))))
        return float((model.fit(X[train], y[train]).predict(X[test]) == y[test]).mean())

    return run


def models() -> dict[str, Callable[..., float]]:
    """All models by name."""
    result = {
        "dpselect default tree": ours(learn.DPTreeClassifier),
        "dpselect ID3 depth 2, max operator, flip": ours(lambda e, **k: learn.DPID3Classifier(e, 2, **k)),
        "ID3 depth 2, max operator, exponential": ours(
            lambda e, **k: learn.DPID3Classifier(e, 2, mechanism="exponential", **k)
        ),
        "ID3 depth 2, information gain, exponential": ours(
            lambda e, **k: learn.DPID3Classifier(
                e, 2, criterion="information-gain", mechanism="exponential", max_records=50_000, **k
            )
        ),
        "ID3 depth 2, information gain, local": ours(
            lambda e, **k: learn.DPID3Classifier(e, 2, criterion="information-gain", mechanism="local-dampening", **k)
        ),
        "ID3 depth 2, information gain, shifted": ours(
            lambda e, **k: learn.DPID3Classifier(
                e, 2, criterion="information-gain", mechanism="shifted-local-dampening", max_records=50_000, **k
            )
        ),
        "ID3 depth 2, 0/1 winner, smooth": ours(
            lambda e, **k: learn.DPID3Classifier(
                e, 2, criterion="max-operator-winner", mechanism="smooth-noisy-max", **k
            )
        ),
        "random decision forest of 32": ours(dps.papers.RandomDecisionForestClassifier),
        "A3 Jagannathan": ours(learn.THE_FIVE["A3"]),
        "A5 Fletcher-Islam": ours(learn.THE_FIVE["A5"]),
    }
    try:
        from sklearn.tree import DecisionTreeClassifier

        result["scikit-learn tree of 5 levels, not private"] = theirs(lambda *_: DecisionTreeClassifier(max_depth=5))
        from diffprivlib.models import DecisionTreeClassifier as Tree
        from diffprivlib.models import RandomForestClassifier as Forest

        result["diffprivlib tree"] = theirs(lambda e, b, c: Tree(epsilon=e, bounds=b, classes=c))
        result["diffprivlib forest of 10"] = theirs(
            lambda e, b, c: Forest(n_estimators=10, epsilon=e, bounds=b, classes=c)
        )
    except ImportError:
        print("diffprivlib does not import here.")
    return result


def accuracy(epsilons: list[float], repeats: int, names: list[str]) -> None:
    """Print a table for each dataset."""
    for name in names:
        columns, target, domains, classes = load(name)
        size = len(columns[target])
        most = np.unique(columns[target], return_counts=True)[1].max() / size
        print(
            f"\n{name}: {size} rows, majority {most:.3f}; epsilon " + " ".join(f"{e:g}" for e in epsilons), flush=True
        )
        for label, run in models().items():
            figures = []
            for epsilon in epsilons:
                scores = []
                for repeat in range(repeats):
                    order = np.random.default_rng(repeat).permutation(size)
                    train, test = order[: size * 4 // 5], order[size * 4 // 5 :]
                    try:
                        scores.append(run(epsilon, columns, target, domains, classes, train, test))
                    except ValueError:
                        # Too many leaves over these domains: refused before anything is spent.
                        scores.append(float("nan"))
                        break
                figures.append((np.mean(scores), np.std(scores)))
            print(f"  {label:<44}" + "".join(f"{m:>7.3f}±{s:.3f}" for m, s in figures), flush=True)


def seconds(run: Callable[[], object], times: int = 3) -> float:
    """Least processor time."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best


def speed() -> None:
    """Print how long fits take."""
    columns, target, domains, classes = load("nltcs")
    for depth in (2, 5):
        model = learn.DPID3Classifier(
            1, depth, criterion="information-gain", mechanism="shifted-local-dampening", max_records=25_000,
            domains=domains, classes=classes,
        )  # fmt: skip
        print(
            f"nltcs, information gain, shifted, depth {depth}: {seconds(lambda m=model: m.fit(columns, target)):.3f} s"
        )
    columns, target, domains, classes = load("adult_full")
    forest = learn.DPRandomForestClassifier(1, 32, domains=domains, classes=classes, unknown="clip")
    print(f"adult_full, forest of 32 trees: {seconds(lambda: forest.fit(columns, target)):.3f} s")
    rng = np.random.default_rng(0)
    wide = {f"c{i}": rng.integers(0, 100, 10**7, dtype=np.int32) for i in range(8)}
    wide["y"] = (wide["c0"] + wide["c1"] > 100).astype(np.int8)
    tree = learn.DPTreeClassifier(1, max_depth=5, domains={f"c{i}": (0, 100) for i in range(8)}, classes=[0, 1])
    taken = seconds(lambda: tree.fit(wide, "y"), 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"10^7 rows x 8 columns, default tree, depth 5: {taken:.1f} s, peak {peak:.2f} GiB")


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.01, 0.05, 0.1, 0.5, 1, 2])
    parser.add_argument("--datasets", nargs="+", default=list(SETS))
    parser.add_argument("--speed", action="store_true", help="only the speed")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    if args.speed:
        speed()
    else:
        accuracy(args.epsilons, args.repeats, args.datasets)


if __name__ == "__main__":
    main()
