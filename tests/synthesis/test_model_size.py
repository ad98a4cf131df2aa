"""Models that stay as small as public limits say, whatever the rows are, and tables of many columns."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.release.open_session import session_factory_of
from dpselect.release.system_noise import SystemNoise
from dpselect.synthesis import mst as mst_module
from dpselect.synthesis.aim import aim, planned_rounds
from dpselect.synthesis.marginal_session import MarginalSession
from dpselect.synthesis.mst import mst
from tests.synthesis.sessions import DELTA, coded


def session_of(draws, rows: np.ndarray, sizes: tuple[int, ...]) -> MarginalSession:
    """A session about rows, paid for."""
    return MarginalSession(coded([*map(tuple, rows.tolist())], sizes), draws, sizes)


def model_of(method, rows: np.ndarray, sizes: tuple[int, ...], zeros=None):
    """A model at a large rho."""
    with session_factory_of(SystemNoise)(dps.Guarantee.from_rho(100, DELTA, "add-remove")) as draws:
        return method(session_of(draws, rows, sizes), zeros)


def same_but_last(rows: int = 3000, columns: int = 4, codes: int = 9) -> np.ndarray:
    """Rows of columns that are all the same; the last code of each is for missing cells."""
    return np.repeat(np.random.default_rng(1).integers(0, codes, (rows, 1)), columns, axis=1)


def test_pairs_of_a_tree_fit_the_room_of_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair that is too large for its part of the room is left out, though all columns are the same."""
    rows = same_but_last()
    rows[:, 0] %= 2
    monkeypatch.setattr(mst_module, "MOST_CELLS", 4 * 3 * 10)
    model = model_of(mst, rows, (3, 10, 10, 10))

    assert {(0, 1), (0, 2), (0, 3)} == {clique for clique in model.potentials if len(clique) == 2}
    assert model.tree.cells <= 4 * 3 * 10 + sum(model.tree.sizes)


def test_public_zeros_and_pairs_make_no_ring() -> None:
    """A ring of four columns has tables of three: only pairs that keep tables as they are may be chosen."""
    rows = np.random.default_rng(2).integers(0, 9, (3000, 4))
    rows[:, 3] = rows[:, 0]
    zeros = {(one, one + 1): np.pad([[True]], (0, 9)) for one in range(3)}
    free, tied = (model_of(mst, rows, (10,) * 4, each) for each in (None, zeros))

    assert (0, 3) in free.potentials
    assert (0, 3) not in tied.potentials
    assert max(len(table) for table in tied.tree.tables) == 2


def test_pairs_that_zeros_tie_are_measured() -> None:
    """As all others are: their table is there anyway."""
    zeros = {(0, 1): np.pad([[True]], (0, 9))}
    rows = same_but_last()[1:]
    model = model_of(mst, rows[rows[:, 0] > 0], (10,) * 4, zeros)

    assert 3 == sum(len(clique) == 2 for clique in {*model.potentials} - {(0, 1)}) + ((0, 1) in model.potentials)


@pytest.mark.parametrize(("columns", "degree", "rounds"), [(1, 3, 16), (15, 3, 240), (29, 3, 64), (63, 2, 130)])
def test_rounds_follow_from_the_number_of_columns(columns: int, degree: int, rounds: int) -> None:
    """Sixteen for each column, or as many as can be scored."""
    assert rounds == planned_rounds(columns, degree)


def test_aim_spends_all_of_it_in_few_rounds() -> None:
    """Where fewer rounds are planned each of them costs more, and no round is refused."""
    rows = np.random.default_rng(3).integers(0, 2, (200, 29))
    with session_factory_of(SystemNoise)(dps.Guarantee.from_rho(Fraction(1, 100), DELTA, "add-remove")) as draws:
        session = session_of(draws, rows, (3,) * 29)
        aim(session)

        assert 0 == draws.remaining
    assert len(session.steps) <= 29 + 1.2 * planned_rounds(29, 3)


def test_a_column_of_more_cells_than_a_model_may_have_is_measured_again() -> None:
    """It is in the model anyway: a round always has something to choose, and nothing is refused half way."""
    rows = np.repeat(np.arange(40), 50)[:, None]
    with session_factory_of(SystemNoise)(dps.Guarantee.from_rho(100, DELTA, "add-remove")) as draws:
        session = session_of(draws, rows, (41,))
        aim(session, most_cells=32)

        assert 0 == draws.remaining
    assert {(0,)} == {step.measurement.clique for step in session.steps}
    assert session.sizes[0] > 32


@pytest.mark.slow
def test_a_tree_of_two_hundred_columns_takes_seconds() -> None:
    """On 10^4 rows; every pair is scored once."""
    rng = np.random.default_rng(4)
    columns = [rng.random(10**4) < 0.5]
    for place in range(1, 200):
        columns.append(np.where(rng.random(10**4) < 0.7, columns[rng.integers(place)], rng.random(10**4) < 0.5))
    table = {f"c{place}": each.astype(int) for place, each in enumerate(columns)}
    described = dps.Dataset.of(table, columns={name: [0, 1] for name in table})
    begin = time.process_time()
    model = dps.synthesize(described, epsilon=1, delta=1e-6, method="mst").value

    assert time.process_time() - begin < 60
    assert 199 == sum(len(step.measurement.clique) == 2 for step in model.steps)
