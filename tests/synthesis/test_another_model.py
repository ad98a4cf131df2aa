"""Another model than ours, fitted to what was released alone, chooses and describes as ours does."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.release.open_session import open_session
from dpselect.synthesis import SyntheticModel
from dpselect.synthesis.distance_bounds import Candidate
from dpselect.synthesis.marginal_session import MarginalSession
from tests.synthesis.sessions import DELTA, Row, coded


@dataclass(frozen=True, eq=False)
class IndependentColumns:
    """Columns that know nothing of each other: the last measurement of each by itself."""

    columns: dict[int, np.ndarray]

    @classmethod
    def fit(cls, measurements) -> IndependentColumns:
        """Return the model of noisy counts, of single columns alone."""
        alone = {each.clique[0]: np.maximum(each.counts, 0) for each in measurements if len(each.clique) == 1}
        return cls(alone)

    def counts(self, clique: Row) -> np.ndarray:
        """Return the product of the shares, times the rows of the first column."""
        product = np.ones(())
        for column in clique:
            product = np.multiply.outer(product, self.columns[column] / self.columns[column].sum())
        return product * self.columns[0].sum()


def test_a_session_chooses_by_another_model() -> None:
    """The pair that it describes worst, as it would by ours."""
    codes = np.random.default_rng(7).integers(0, 2, 3000)
    rows = [(code, code, other) for code, other in zip(codes.tolist(), np.roll(codes, 1).tolist(), strict=True)]
    with open_session(dps.Guarantee.from_rho(9, DELTA, "add-remove")) as draws:
        session = MarginalSession(coded(rows, (2, 2, 2)), draws, (2, 2, 2))
        for column in range(3):
            session.measure((column,), Fraction(1))
        model = IndependentColumns.fit(session.measurements)
        chosen = session.choose([Candidate(pair, model) for pair in [(0, 2), (0, 1), (1, 2)]], Fraction(1))

    assert (0, 1) == chosen.clique
    assert chosen.candidates[0].counts().sum() == pytest.approx(3000, abs=20)


def test_what_a_file_holds_is_enough_for_another_model() -> None:
    """Noisy counts with their columns; groups of codes say which are counted together."""
    table = {"job": ["nurse", "smith", "smith"] * 500, "region": ["N", "S", "S"] * 500}
    described = dps.Dataset.of(table, columns={"job": ["nurse", "smith"], "region": ["N", "S"]})
    released = dps.synthesize(described, epsilon=8, delta=1e-6, method="mst").value
    read = SyntheticModel.from_dict(json.loads(released.as_json()))
    other = IndependentColumns.fit([step.measurement for step in read.steps])

    assert other.counts((0, 1)).sum() == pytest.approx(1500, abs=100)
    assert released.model.counts((0, 1)).max() == pytest.approx(1000, abs=100)
    assert other.counts((0, 1)).max() == pytest.approx(1500 * 4 / 9, abs=100)
