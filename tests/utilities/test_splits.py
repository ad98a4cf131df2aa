"""The criteria of trees: max operator, Gini, misclassified, information gain, and the 0/1 winner."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpselect as dps
from dpselect.audit.claims import _split
from dpselect.utilities import gini, information_gain, max_operator, max_operator_winner, misclassified, splits
from tests.utilities.enumeration import admissible, tabulate

CRITERIA = [max_operator, gini, misclassified, information_gain]
TABLES = st.lists(st.lists(st.integers(0, 20), min_size=3, max_size=3), min_size=1, max_size=4)


def of(utility, most: int = 4):
    """The utility on multisets of twelve kinds of record."""
    given = {"max_records": most} if utility is information_gain else {}
    return lambda records: _split(lambda counts: utility(counts, **given), records)


@pytest.mark.parametrize("utility", [*CRITERIA, max_operator_winner])
def test_the_sensitivity_is_admissible(utility) -> None:
    """All multisets of three records over two attributes and two classes."""
    table = tabulate(of(utility, 3), dps.audit.multisets(range(12), 3))

    assert admissible(table)
    assert not admissible(table, 0.3)


@given(TABLES, st.integers(0, 3), st.integers(0, 2))
def test_one_more_record_moves_them_one_way(table, value: int, label: int) -> None:
    """Max operator up, the others down, by at most 1, 2, 2 and phi(n): range bound 1."""
    before = np.array(table)
    after = before.copy()
    after[value % len(table), label] += 1
    for utility, sign, most in (
        (max_operator, 1, 1),
        (gini, -1, 2),
        (misclassified, -1, 2),
        (information_gain, -1, 99),
    ):
        move = sign * (utility({"a": after}).values[0] - utility({"a": before}).values[0])
        assert -1e-9 <= move <= most


@given(TABLES)
def test_values_are_those_of_the_formulas(table) -> None:
    """Computed naively."""
    rows = [(row, sum(row)) for row in table]
    expected = {
        max_operator: sum(max(row) for row, _ in rows),
        gini: -sum(n * (1 - sum((c / n) ** 2 for c in row)) for row, n in rows if n),
        information_gain: sum(c * math.log2(c / n) for row, n in rows for c in row if c),
    }
    expected[misclassified] = sum(max(row) - n for row, n in rows) + expected[gini] / 2
    for utility, value in expected.items():
        assert math.isclose(value, utility({"a": table}).values[0], abs_tol=1e-8)


def test_the_gain_is_at_most_zero_and_pure_splits_have_it() -> None:
    """Eq. 7.2 prints the opposite sign, with which the worst split would win."""
    scores = information_gain({"pure": [[5, 0], [0, 5]], "useless": [[3, 3], [2, 2]]})

    assert 0 == scores.values[0] > scores.values[1]


def test_the_gain_needs_a_public_bound_for_some_mechanisms() -> None:
    """Dampening lives without; the exponential mechanism and the shifted one do not."""
    scores = information_gain({"a": [[5, 0], [0, 5]], "b": [[3, 3], [2, 2]]})

    assert dps.mechanism("local-dampening").pmf(scores, 1)[0] > 0.5
    for name in ("exponential", "permute-and-flip", "shifted-local-dampening"):
        with pytest.raises(dps.PrivacyError, match=r"public|reach"):
            dps.mechanism(name).pmf(scores, 1)


def test_the_ceiling_is_phi_of_the_public_bound() -> None:
    """phi(9) with max_records 10, from distance 9 on."""
    scores = information_gain({"a": [[5, 0], [0, 1]]}, max_records=10)
    phi = 10 * math.log2(10) - 9 * math.log2(9)

    assert math.isclose(phi, scores.sensitivity.ceiling)
    assert math.isclose(phi, scores.sensitivity.at(9)[0])
    assert 9 == scores.sensitivity.reach


@pytest.mark.parametrize(
    ("shape", "most"),
    [((2, 2), 8), ((1, 2), 12), ((1, 3), 9), pytest.param((2, 3), 6, marks=pytest.mark.slow), ((3, 2), 6)],
)
def test_the_gain_has_its_exact_sensitivity(shape, most: int) -> None:
    """Equal to brute force wherever the universe has room for t + 1 more records; admissible under the cap."""
    universe = dps.audit.tables(shape, most)
    free = tabulate(lambda x: information_gain({"a": x}), universe)
    room = universe.sizes + np.arange(len(free.exact))[:, None] + 1 <= most

    assert room.any()
    assert np.allclose(free.exact[room], free.at[room], rtol=1e-12, atol=1e-9)
    assert admissible(tabulate(lambda x: information_gain({"a": x}, max_records=most), universe))


def test_one_class_alone_is_admissible_though_its_gain_never_moves() -> None:
    """The bound is loose there, and safe."""
    table = tabulate(lambda x: information_gain({"a": x}, max_records=8), dps.audit.tables((2, 1), 8))

    assert 0 == table.exact.max() < table.at.max()
    assert admissible(table)


@pytest.mark.parametrize(("shape", "records"), [((2, 2), 6), ((1, 3), 7), ((2, 3), 4), ((2, 2), 1)])
def test_substitution_is_admissible(shape, records: int) -> None:
    """Exactly that many records, one replaced."""
    universe = dps.audit.tables(shape, records, "substitution")
    table = tabulate(lambda x: information_gain({"a": x}, max_records=records, relation="substitution"), universe)

    assert admissible(table)
    assert max(records - 1, 0) // 2 == table.reach
    assert {2} == {scores.range_bound for scores in table.scores}


@given(TABLES, st.integers(1, 3), st.integers(0, 200))
def test_sums_in_closed_form_are_sums(table, copies: int, spare: int) -> None:
    """Of the first t values under the ceiling, for tables of one and more attributes, up to the reach."""
    one = np.array(table)
    merged = one.sum(axis=0, keepdims=True)
    most = max(2, copies * int(one.sum()) + spare)
    sensitivity = information_gain({"a": copies * one, "b": copies * merged}, max_records=most).sensitivity
    reach = sensitivity.reach
    t = np.unique([0, 1, reach // 3, reach // 2, reach])
    naive = np.vstack((np.zeros(2), np.cumsum(sensitivity.by_profile(np.arange(reach)), axis=0)))

    assert np.allclose(naive[t], sensitivity.total(t), rtol=1e-11, atol=1e-9)


def test_bounds_far_too_large_cost_smooth_noisy_max_nothing_and_shifting_refuses_them() -> None:
    """phi grows with the logarithm; a sum over more than 2^27 distances would not be accurate to a tick."""
    tables = {"a": [[50, 0], [0, 50]], "b": [[30, 30], [20, 20]]}
    near, far = (information_gain(tables, max_records=most) for most in (100, 10**12))
    law = [dps.mechanism("smooth-noisy-max").pmf(scores, 20) for scores in (near, far)]

    assert np.allclose(law[0], law[1], rtol=1e-3)
    with pytest.raises(dps.PrivacyError, match="reach is unknown"):
        dps.mechanism("shifted-local-dampening").pmf(far, 1)


@pytest.mark.parametrize("records", [1, 2, 3, 6])
def test_a_public_size_sharpens_misclassified(records: int) -> None:
    """2 - 1/n, attained from two records on; nine tenths of it is not admissible."""
    universe = dps.audit.tables((2, 2), records)
    table = tabulate(lambda x: misclassified({"a": x}, max_records=records), universe)

    assert admissible(table)
    assert math.isclose(2 - 1 / records, table.ceiling)
    assert records == 1 or not admissible(table, 0.9)


def test_the_loss_of_monotone_criteria_is_epsilon_at_range_bound_one() -> None:
    """Exact loss over every pair of tables of two attributes with at most two records."""
    universe = dps.audit.multisets(range(12), 2)
    for utility in CRITERIA:
        for name in ("exponential", "permute-and-flip"):
            found = dps.audit.privacy_loss(dps.mechanism(name), of(utility, 2), universe, epsilon=1)
            assert found.holds, str(found)


def test_far_distances_are_quick() -> None:
    """10^5 distances of 16 attributes in one call."""
    tables = {name: np.array([[40_000, 9_000], [1_000, 50_000]]) for name in range(16)}
    sensitivity = information_gain(tables, max_records=10**5).sensitivity

    assert (10**5, 16) == sensitivity.by_profile(np.arange(10**5)).shape


@pytest.mark.parametrize(
    ("first", "second", "safe"),
    [([[5, 0], [0, 5]], [[3, 2], [2, 3]], 4), ([[3, 2], [2, 3]], [[5, 0], [0, 5]], 3)],
)
def test_a_rival_that_comes_first_needs_one_step_less(first, second, safe: int) -> None:
    """T* = min (n_w - n_i - [i < w])."""
    at = max_operator_winner({"a": first, "b": second}).sensitivity.at(np.arange(9))[:, 0]

    assert [0.0] * safe + [1.0] * (9 - safe) == at.tolist()


@pytest.mark.parametrize("utility", CRITERIA)
@pytest.mark.parametrize(
    ("counts", "error", "message"),
    [
        ({}, TypeError, "at least one"),
        ([[1, 2]], TypeError, "must map"),
        ({"a": [1, 2]}, ValueError, "one row per public value"),
        ({"a": [[1.5, 2]]}, ValueError, "integers >= 0"),
        ({"a": [[-1, 2]]}, ValueError, "integers >= 0"),
        ({"a": [[1, 2]], "b": [[1, 2, 0]]}, ValueError, "the same classes"),
        ({"a": [[1, 2]], "b": [[1, 3]]}, ValueError, "different records"),
    ],
)
def test_bad_counts_are_refused(utility, counts, error, message: str) -> None:
    """One sentence."""
    with pytest.raises(error, match=message):
        utility(counts)


def test_other_refusals() -> None:
    """Public bounds that are no bounds; one attribute has no rival."""
    for bound in (0, 1.5, True):
        with pytest.raises(ValueError, match="max_records must be"):
            information_gain({"a": [[1, 2]]}, max_records=bound)
    with pytest.raises(ValueError, match="larger public bound"):
        information_gain({"a": [[1, 2]]}, max_records=2)
    with pytest.raises(ValueError, match="larger public bound"):
        misclassified({"a": [[1, 2]]}, max_records=2)
    with pytest.raises(dps.PrivacyError, match="needs max_records="):
        information_gain({"a": [[1, 2]]}, relation="substitution")
    with pytest.raises(ValueError, match="is for"):
        information_gain({"a": [[1, 2]]}, relation="edge")
    with pytest.raises(ValueError, match="at least two attributes"):
        max_operator_winner({"a": [[1, 2]]})


@pytest.mark.parametrize("classes", [0, 1, 2, 16, 17, 40])
def test_many_classes_are_combined_like_few(classes: int) -> None:
    """Whether they are taken one by one or all at once, and integers of any size stay exact."""
    cells = np.random.default_rng(classes).integers(0, 100, (3, 4, classes))

    assert np.array_equal(cells.sum(axis=-1), splits.over_classes(np.add, cells))
    long = splits.over_classes(np.add, cells.astype(object) + 2**80)
    assert [[int(sum(row)) + classes * 2**80 for row in table] for table in cells.tolist()] == long.tolist()
