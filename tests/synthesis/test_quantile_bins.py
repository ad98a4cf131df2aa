"""Bins between quantiles that are chosen privately: what they cost, where they lie, and what is refused."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dpselect as dps
from dpselect.audit import rho_between
from dpselect.cli import main
from dpselect.dataset import NumericDomain, source_rows
from dpselect.kernel.ranks import Ranks
from dpselect.queries import query_of
from dpselect.release.concentrated_session import ConcentratedSession
from dpselect.release.halving import halve_recursively
from dpselect.release.open_session import session_factory_of
from dpselect.synthesis import quantile_bins
from dpselect.synthesis.quantile_bins import QUANTILES, _bins_between, ranks_of
from dpselect.synthesis.synthesize import SynthesisPlan

COLUMNS = {"age": {"lower": 0, "upper": 9}, "job": ["a", "b"]}
ASKED = {"epsilon": 4, "delta": 1e-6, "method": "mst", "bins": 4, "quantile_bins": ["age"]}
# What a plan draws first: as many quantiles as bins have borders.
EDGES = 3


@pytest.fixture
def few_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values of two sub-cells each, so that laws of edges can be written out."""
    monkeypatch.setattr(quantile_bins, "Ranks", partial(Ranks, cuts=2))


def frame(rows) -> dict[str, list]:
    """A table of ages, jobs and persons."""
    return {name: [row[place] for row in rows] for place, name in enumerate(("age", "job", "who"))}


def run_of(rows, people: int, models: list):
    """A whole synthesis, as a function of its outcomes."""
    persons = {"person": "who", "rows_per_person": people} if people else {}
    plan = SynthesisPlan.of(dps.Dataset.of(frame(rows), columns=COLUMNS, **persons), **ASKED)

    def run(outcomes) -> None:
        models.append(plan.release(frame(rows), None, session_factory_of(lambda: outcomes)).value)

    return run


def losses(people: int = 0) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Of many transcripts: the rho of the edges, what they were charged, and the rho of everything."""
    found, rng = [], np.random.default_rng(people)
    tables = ([], [(3, "a", 1)] * 4, [(age, "ab"[age % 2], 10 + age // 2) for age in range(10)])
    for rows, age in itertools.product(tables, (0, 5, 9, None)):
        models: list = []
        joined = [(age, "a", 99)] * max(people, 1)
        runs = [run_of(table, people, models) for table in ([*rows], [*rows, *joined])]
        for one, other in (runs, runs[::-1]):
            parts = rho_between(one, other, pick=rng.integers)
            charged = models[-1].domain.columns[0].rho
            found.append((sum(parts[:EDGES], Fraction(0)), charged, sum(parts, Fraction(0))))
            steps = sum(step.rho + step.choice for step in models[-1].steps)
            assert models[-1].guarantee.rho >= charged + steps
    return found


@pytest.mark.parametrize("people", [0, 1, 3])
@pytest.mark.usefixtures("few_cells")
def test_bins_cost_what_they_are_charged_and_everything_no_more_than_rho(people: int) -> None:
    """Every transcript on two neighbours: one row, or a person with all of their rows."""
    rho = dps.synthesize(dps.Dataset.of(frame([(1, "a", 1)]), columns=COLUMNS), **ASKED).guarantee.rho
    found = losses(people)

    assert all(edges <= charged for edges, charged, _ in found)
    assert max(edges / charged for edges, charged, _ in found) > Fraction(1, 4)
    assert all(QUANTILES * rho * (1 - Fraction(1, 10**8)) < charged <= QUANTILES * rho for _, charged, _ in found)
    assert rho / 4 < max(each for _, _, each in found) <= rho


@pytest.mark.usefixtures("few_cells")
def test_each_planted_fault_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quantiles that are charged to nobody, and persons of whom more than one row counts for them."""
    with monkeypatch.context() as patch:
        patch.setattr(ConcentratedSession, "halving", _free_quantiles)

        assert not all(edges <= charged for edges, charged, _ in losses())
    with monkeypatch.context() as patch:
        question = quantile_bins.RowQuestion
        patch.setattr(quantile_bins, "RowQuestion", lambda *args, **more: question(*args, **more | {"per_person": 3}))

        assert not all(edges <= charged for edges, charged, _ in losses(3))


def _free_quantiles(self, ranks, shares, epsilon, total=None):
    """A planted fault: nothing is taken."""
    return halve_recursively(ranks, shares, epsilon, self._outcomes.edge, total)


@pytest.mark.parametrize(
    ("places", "edges"),
    [
        ([2, 5, 7], [0, 2, 5, 7, 9]),
        ([5, 5, 5], [0, 5, 6, 9]),
        ([0, 5, 5], [0, 1, 5, 6, 9]),
        ([0, 0, 0], [0, 1, 9]),
        ([4, 9, 9], [0, 4, 8.5, 9]),
        ([8, 8, 9], [0, 8, 8.5, 9]),
        ([8, 8, 8], [0, 8, 8.5, 9]),
    ],
)
def test_a_value_of_many_rows_has_a_bin_by_itself(places: list[int], edges: list[float]) -> None:
    """At both ends, too."""
    found = _bins_between(places, 10, NumericDomain(0, 9))

    assert edges == [float(edge) for edge in found["edges"]]


def test_bins_are_as_many_as_asked_for_at_most() -> None:
    """And their edges increase, for quantiles in any places of small grids."""
    for size in (2, 3, 6):
        for places in itertools.combinations_with_replacement(range(size), 4):
            edges = _bins_between(places, size, NumericDomain(0, (size - 1) / 2, 0.5))["edges"]

            assert len(edges) <= 6
            assert all(one < other for one, other in itertools.pairwise(edges))
            assert (edges[0], edges[-1]) == (0, Fraction(size - 1, 2))


def skewed(rows: int = 6000) -> pd.DataFrame:
    """Incomes of which a third are 0, and hardly any large; a job that follows from them."""
    rng = np.random.default_rng(rows)
    income = np.where(rng.random(rows) < 1 / 3, 0, np.exp(rng.normal(8, 1, rows)).round())
    return pd.DataFrame(
        {
            "income": np.where(rng.random(rows) < 0.05, np.nan, income),
            "job": np.where(income > 3000, "a", "b"),
            "who": np.arange(rows) // 2,
        }
    )


INCOME = {"income": {"lower": 0, "upper": 10**6}, "job": ["a", "b"]}


@pytest.mark.parametrize("place", ["frame", "csv", "parquet", "in place"])
@pytest.mark.parametrize("persons", [{}, {"person": "who", "rows_per_person": 2}])
def test_bins_follow_the_rows_wherever_they_are(place: str, persons: dict, tmp_path: Path) -> None:
    """Even bins put nearly all incomes into one."""
    table, path = skewed(), tmp_path / ("t.csv" if place == "csv" else "t.parquet")
    table.to_csv(path, index=False) if place == "csv" else table.to_parquet(path)
    described = (
        dps.Dataset.of(table, columns=INCOME, **persons)
        if place == "frame"
        else dps.Dataset(source=str(path), columns=INCOME, in_place=place == "in place", **persons)
    )
    ranks = ranks_of(source_rows.source(described), described, "income")
    model = dps.synthesize(described, epsilon=8, delta=1e-6, quantile_bins=["income"], bins=8, method="mst").value
    counts = model.counts("income")[:-1]

    assert ranks.units == ranks.cuts * (table.income.notna().sum() if not persons else _people_with_income(table))
    assert 1500 < counts[0] < 2300
    assert counts.max() == counts[0]
    assert (counts[1:] > 300).sum() >= 4
    assert abs((np.array(model.sample(4000)["income"], dtype=float) == 0).mean() - 0.32) < 0.05


def _people_with_income(table: pd.DataFrame) -> int:
    return table.dropna().who.nunique()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"quantile_bins": ["job"]}, "'job', which is not a column of numbers of this table"),
        ({"quantile_bins": ["height"]}, "'height', which is not a column of numbers"),
        ({"quantile_bins": ["age"], "columns": ["job"]}, "'age', which is not a column of numbers of this table"),
        ({"quantile_bins": ["age", "age"]}, "twice"),
        ({"quantile_bins": "age"}, r"pass \['age'\]"),
        ({"quantile_bins": ["age"], "bins": 10}, "age has at most 10 values: leave it out"),
        ({"quantile_bins": ["old"]}, "old has edges in its description"),
        ({"impossible": ["age < 3"]}, "impossible names age, whose bins are not public"),
    ],
)
def test_what_cannot_have_such_bins_is_refused_before_it_costs(wrong: dict, sentence: str) -> None:
    """In one sentence."""
    described = dps.Dataset.of(
        {"age": [1], "job": ["a"], "old": [2]}, columns=COLUMNS | {"old": {"lower": 0, "upper": 9, "edges": [0, 5, 9]}}
    )
    with pytest.raises((ValueError, TypeError), match=sentence):
        SynthesisPlan.of(described, **ASKED | wrong)


OPTIONS = ["--epsilon", "4", "--delta", "1e-6", "--bins", "6", "--quantile-bins", "income", "--out", "s.csv"]


def test_plans_pages_files_and_certificates_say_what_bins_cost(tmp_path: Path, monkeypatch, capsys) -> None:
    """On the command line; a model that is read again has the same bins."""
    monkeypatch.chdir(tmp_path)
    skewed().to_csv("t.csv", index=False)
    described = dps.Dataset(source="t.csv", columns=INCOME, budget={"epsilon": 9, "delta": 1e-5, "ledger": "t.ledger"})
    Path("t.toml").write_text(described.dump())
    words = ["synthesize", "t.toml", *OPTIONS]
    assert 0 == main([*words, "--dry-run"])
    assert "bins of income by recursive halving" in capsys.readouterr().out
    assert 0 == main([*words, "--model", "m.json", "--html", "p.html", "--certificate", "c.json"])
    model, page = dps.synthesis.load("m.json"), Path("p.html").read_text(encoding="utf-8")
    certificate = Path("c.json").read_text(encoding="utf-8")

    assert "quantiles, for its bins" in page
    assert "5.00%" in page
    query = query_of({"query": "synthesize", "epsilon": 4, "delta": 1e-6, "bins": 6, "quantile_bins": ["income"]})
    assert "at most 6, chosen privately" == query.public(described)["domains"]["income"]["bins"]
    assert "bins of income by recursive halving" in certificate
    assert QUANTILES * model.guarantee.rho >= model.domain.columns[0].rho > 0
    assert Counter(json.dumps(each.as_dict()) for each in model.domain.columns) == Counter(
        json.dumps(each.as_dict()) for each in dps.synthesis.SyntheticModel.from_dict(model.as_dict()).domain.columns
    )
    assert 1 == len(dps.Ledger.read("t.ledger").events)
