"""The transmission disequilibrium test."""

import csv

import numpy as np
import pytest

import dpselect as dps
from dpselect import datasets
from dpselect.audit.admissibility import exact_sensitivity
from dpselect.utilities import tdt
from dpselect.utilities.tdt import smooth_tdt
from tests.utilities.enumeration import admissible, tabulate


def statistic(b: int, c: int) -> float:
    """(b - c)^2 / (b + c), 0 at (0, 0)."""
    return (b - c) ** 2 / (b + c) if b + c else 0.0


def exact(families: int) -> tuple[list, np.ndarray]:
    """All tables, and the exact sensitivity at every distance by brute force."""
    universe = dps.audit.families(families)
    rows = list(universe)
    return rows, exact_sensitivity(universe, np.array([[statistic(*row)] for row in rows]))[:, :, 0]


def bound(rows: list, families: int, distances: int) -> np.ndarray:
    """The shipped sensitivity of every table, shape (distances, tables)."""
    b, c = np.array(rows).T
    return tdt(b, c, families=families).sensitivity.at(np.arange(distances))


@pytest.mark.parametrize("families", range(2, 10))
def test_the_sensitivity_is_exact_over_tables(families: int) -> None:
    """Equal to brute force from five families on; never below, and above in two cells, for two to four."""
    rows, brute = exact(families)
    ours = bound(rows, families, len(brute))

    assert (ours >= brute - 1e-12).all()
    assert (0 if families >= 5 else 2) == (ours > brute + 1e-12).sum()
    assert np.isclose(8 * (families - 1) / families, brute.max())


@pytest.mark.parametrize("families", [2, 5, 8])
def test_it_is_admissible_and_half_is_not(families: int) -> None:
    """A1 and A2 by the auditor, one marker."""
    table = tabulate(lambda row: tdt([row[0]], [row[1]], families=families), dps.audit.families(families))

    assert admissible(table)
    assert not admissible(table, 0.5)


@pytest.mark.parametrize("beta", [0.01, 0.3, 2.0])
def test_smooth_sensitivity_is_its_definition(beta: float) -> None:
    """max over t of e^(-beta t) LS(t), and smooth between neighbouring tables."""
    families = 7
    rows, brute = exact(families)
    b, c = np.array(rows).T
    ours = smooth_tdt(b, c, families=families, beta=beta)
    # From N families on nothing grows.
    definition = np.max([np.exp(-beta * t) * brute[t] for t in range(len(brute))], axis=0)

    assert np.allclose(definition, ours, rtol=1e-12)
    for x, y in dps.audit.families(families).pairs().tolist():
        assert abs(np.log(ours[x] / ours[y])) <= beta + 1e-12


def test_markers_with_the_same_table_share_a_row() -> None:
    """(b, c) and (c, b) are the same to the sensitivity."""
    scores = tdt([9, 1, 3, 9], [1, 9, 3, 1], families=10)

    assert [6.4, 6.4, 0.0, 6.4] == scores.values.tolist()
    assert (1, 2) == scores.sensitivity.rows(np.array([0])).shape
    assert "family" == scores.neighbours


@pytest.mark.data("tdt_justice2020")
def test_the_six_published_markers() -> None:
    """215 families; the statistics that the reconstructed counts give."""
    with datasets.checked_file("tdt_justice2020").open() as file:
        rows = list(csv.DictReader(file))
    scores = tdt([int(r["b"]) for r in rows], [int(r["c"]) for r in rows], families=215)

    assert np.allclose([float(r["tdt_from_counts"]) for r in rows], scores.values, atol=0.01)


@pytest.mark.parametrize(
    ("b", "c", "families", "error", "message"),
    [
        ([1], [1], None, dps.PrivacyError, "needs families="),
        ([1], [1], 1, ValueError, "at least 2"),
        ([1], [1], 2.5, ValueError, "at least 2"),
        ([-1], [1], 5, ValueError, "integers >= 0"),
        ([1.5], [1], 5, ValueError, "pass integers"),
        ([1, 2], [1], 5, ValueError, "same shape"),
        ([], [], 5, ValueError, "same shape"),
        ([9], [2], 5, ValueError, "at most 2 families"),
    ],
)
def test_bad_tables_are_refused(b, c, families, error, message: str) -> None:
    """One sentence, and no count in it."""
    with pytest.raises(error, match=message) as refusal:
        tdt(b, c, families=families)
    assert "9" not in str(refusal.value)


def test_beta_is_positive() -> None:
    """A smooth bound decays."""
    with pytest.raises(ValueError, match="beta must be a positive"):
        smooth_tdt([1], [1], families=5, beta=0)
