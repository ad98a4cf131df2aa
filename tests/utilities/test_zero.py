"""What utilities say of zero is true on every database that is enumerated."""

import numpy as np
import pytest

import dpselect as dps
from dpselect.audit.claims import COMBINATION_CLAIMS, UTILITY_CLAIMS

CLAIMS = (*UTILITY_CLAIMS, *COMBINATION_CLAIMS)


# Graphs of larger degree, and more records, say the same as the smaller ones that stay.
LARGE = (
    "papers.ego",
    "max_degree=3",
    "max_degree=4",
    "4 records",
    "ego_density",
    "log_betweenness",
    "decay=20",
    "families=9",
    "core_number",
)


def claims_of(every):
    """Cases, the large ones marked slow."""
    return [
        pytest.param(claim, id=claim.name, marks=pytest.mark.slow if any(x in claim.name for x in LARGE) else ())
        for claim in every
    ]


# Four nodes are too few for a margin above 0; rates have both signs.
SMALL = "pareto_margin, degree and ego_density"


@pytest.mark.parametrize("claim", claims_of(CLAIMS))
def test_zero_is_what_a_utility_says(claim) -> None:
    """No score above the best, none below the worst, neutral has both; still where a sensitivity starts with zeros."""
    universe = claim.universe()
    few = len(universe) <= 1500 and claim in UTILITY_CLAIMS
    made = [claim.utility(universe[x]) for x in range(0, len(universe), 1 if few else 1 + len(universe) // 400)]
    values = np.array([scores.values for scores in made])

    (zero,) = {scores.zero for scores in made}
    both = values.min() < 0 < values.max() or (claim.name == SMALL and values.min() < 0 == values.max())
    assert {"best": values.max() <= 0, "worst": values.min() >= 0, "neutral": both}[zero]
    # The others are enumerated by the audit.
    if few:
        still = np.array([scores.sensitivity.at(0) == 0 for scores in made])
        x, y = universe.pairs().T
        assert ((values[x] == values[y]) | ~(still[x] | still[y])).all()


def test_other_forms_of_a_score_keep_its_zero() -> None:
    """Engines, negation, sums."""
    ibis, pyarrow = pytest.importorskip("ibis"), pytest.importorskip("pyarrow")
    table = ibis.memtable(pyarrow.table({"name": ["a", "b"], "score": [0, 1]}))
    at = dps.sensitivity.local(lambda t: 0 if t < 9 else 1, ceiling=1)
    engine = dps.data.Candidates(table, "name", "score", at, domain=["a", "b"], zero="worst")

    assert "worst" == engine.example().zero
    assert "zero='worst'" in repr(engine)
    seen = []
    engine.answer(lambda grouped: seen.append(grouped.scores.zero) or [(0, 0)])
    assert ["worst"] == seen
    with pytest.raises(ValueError, match="zero is"):
        dps.data.Candidates(table, "name", "score", at, domain=["a", "b"], zero="good")
