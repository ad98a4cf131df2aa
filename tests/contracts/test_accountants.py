"""Whoever keeps a budget is one of few, and a price follows from the question and public facts alone."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import dpselect as dps
from dpselect import histograms, learn
from dpselect.ledger.recording import Spend, price
from dpselect.views.synthetic import synthetic_graph, synthetic_table
from tests.contracts.syntax import modules, parsed, statements

ACCOUNTANTS = {"Ledger", "InMemoryLedger", "RecordingAccountant", "Session"}
# The protocol itself, and the face of another library, whose spend takes numbers.
NOT_OURS = {"Accountant", "BudgetAccountant"}

DOMAINS = {"age": (0, 9), "job": ["nurse", "cook", "smith"], "who": None}
AGES, JOBS = range(10), DOMAINS["job"]
TABLES = {
    "public": synthetic_table(DOMAINS),
    "empty": {"age": [], "job": [], "who": []},
    "flat": {"age": [*range(10)] * 9, "job": [*JOBS] * 30, "who": [*range(90)]},
    "skewed": {"age": [9] * 40 + [0], "job": ["cook"] * 41, "who": [1] * 20 + [2] * 21},
    "outside": {"age": [99, -5], "job": ["pilot", "nurse"], "who": ["a", "b"]},
}
QUESTIONS: dict[str, Callable[[dict[str, list[Any]], Any], object]] = {
    "counts": lambda table, book: dps.counts(table, epsilon=1, column="job", domain=JOBS, ledger=book),
    "counts of persons": lambda table, book: dps.counts(
        table, epsilon=1, column="job", domain=JOBS, person="who", rows_per_person=2, ledger=book
    ),
    "median": lambda table, book: dps.median(table, column="age", lower=0, upper=9, epsilon=1, ledger=book),
    "median, groups": lambda table, book: dps.median(
        table, column="age", lower=0, upper=9, epsilon=1, by="job", groups=JOBS, ledger=book
    ),
    **{
        f"quantiles, {method}": lambda table, book, method=method: dps.quantiles(
            table["age"], [0.25, 0.5], grid=AGES, epsilon=1, method=method, ledger=book
        )
        for method in ("auto", "tree", "halving")
    },
    "cumulative": lambda table, book: dps.histograms.cumulative(table["age"], grid=AGES, epsilon=1, ledger=book),
    "most common": lambda table, book: dps.most_common(
        table, 2, epsilon=1, person="who", item="job", domain=JOBS, ledger=book
    ),
    "most common, unlisted": lambda table, book: dps.most_common(
        table, 2, epsilon=1, person="who", item="job", delta=1e-6, kept=2, ledger=book
    ),
    "keys": lambda table, book: dps.partitions(
        table, epsilon=1, delta=1e-6, person="who", key="job", keys_per_person=1, ledger=book
    ),
    "histogram": lambda table, book: histograms.identity(
        [table["age"].count(age) for age in AGES], epsilon=1, ledger=book
    ),
    "tree": lambda table, book: learn.DPTreeClassifier(1, domains=DOMAINS, person="who", ledger=book).fit(table, "job"),
    **{
        f"list, {name}": lambda table, book, name=name: dps.top_k(
            dps.utilities.popularity(table, item="job", domain=JOBS),
            2,
            epsilon=1,
            mechanism=dps.mechanism(name),
            ledger=book,
        )
        for name in ("exponential", "permute-and-flip", "local-dampening")
    },
}
EDGES = {
    "public": synthetic_graph(6),
    "a path": dps.Graph.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 5], nodes=6),
    "a star": dps.Graph.from_edges([0] * 5, [1, 2, 3, 4, 5], nodes=6),
}


def keepers(module: ast.Module) -> set[str]:
    """The classes of a module that have a method ``spend``."""
    return {
        node.name
        for node in statements(module)
        if isinstance(node, ast.ClassDef)
        and any(isinstance(each, ast.FunctionDef) and each.name == "spend" for each in node.body)
    }


def test_four_classes_keep_budgets() -> None:
    """A fifth would be one more place where a spend could be lost: let it record, or pay, through one of these."""
    found = set().union(*(keepers(parsed(path)) for path in modules()))

    assert found == ACCOUNTANTS | NOT_OURS


def cost(release: Callable[[Any], object], rule: str) -> Spend:
    """What a release would spend; where the data came from is no part of its price."""
    return replace(price(release, rule), metadata={})


@pytest.mark.parametrize("rule", ["sum", "rho"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_price_follows_from_the_question_and_public_facts(name: str, rule: str) -> None:
    """Rows have no part in it: those that public facts make up cost what any others do."""
    ask = QUESTIONS[name]
    prices = {which: cost(lambda book, table=table: ask(table, book), rule) for which, table in TABLES.items()}

    assert dict.fromkeys(TABLES, prices["public"]) == prices


@pytest.mark.parametrize("rule", ["sum", "rho"])
@pytest.mark.parametrize("metric", ["degree", "triangles", "core_number", "ego_density"])
def test_a_price_follows_from_the_nodes(metric: str, rule: str) -> None:
    """Edges have no part in it."""
    utility = getattr(dps.utilities, metric)
    more = {"max_degree": 5} if metric == "triangles" else {}
    prices = {
        which: cost(lambda book, graph=graph: dps.top_k(utility(graph, **more), 2, epsilon=1, ledger=book), rule)
        for which, graph in EDGES.items()
    }

    assert dict.fromkeys(EDGES, prices["public"]) == prices
