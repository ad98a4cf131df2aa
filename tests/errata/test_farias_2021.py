"""Farias 2021: the sensitivity of the median as the main text has it."""

import csv
import itertools
import math
from pathlib import Path

import pytest

import dpselect as dps

LARGEST = 4


def score(values: tuple[int, ...], record: int) -> int:
    """Minus the distance to the middle."""
    return -abs(values[record] - sorted(values)[(len(values) - 1) // 2])


def exact(values: tuple[int, ...], record: int) -> int:
    """The most that replacing one record changes, by trying all."""
    replaced = (
        (*values[:index], new, *values[index + 1 :]) for index in range(len(values)) for new in range(LARGEST + 1)
    )
    return max(abs(score(values, record) - score(other, record)) for other in replaced)


def printed(values: tuple[int, ...], record: int) -> int:
    """Lemma 5.2.2 of the main text, records in order."""
    middle = (len(values) - 1) // 2
    here, below, centre, above = (values[index] for index in (record, middle - 1, middle, middle + 1))
    if record > middle:
        p, q = LARGEST - here, here
    elif record == middle:
        p, q = LARGEST - above, below
    else:
        p, q = LARGEST + here - 3 * centre + above, 3 * centre - here - below
    return max(abs(centre - here), above - centre, centre - below, p, q)


@pytest.mark.parametrize("size", [3, 4])
def test_lemma_5_2_2_is_too_large_and_never_too_small(size: int) -> None:
    """(0, 0, 1), the first record: 5, more than values up to 4 allow, where 3 is true."""
    assert (5, 3) == (printed((0, 0, 1), 0), exact((0, 0, 1), 0))
    for values in itertools.combinations_with_replacement(range(LARGEST + 1), size):
        for record in range(size):
            assert printed(values, record) >= exact(values, record)


def test_the_sensitivity_of_information_gain_is_not_attained() -> None:
    """The case that is said to attain it, with the library's gain; the bound, the case and the public ceiling."""
    for records in (1, 7, 100):
        before, after = (
            dps.utilities.information_gain({"a": [[records, more]]}, max_records=records + 1).values[0]
            for more in (0, 1)
        )
        case = math.log2(records + 1) + records * math.log2(1 + 1 / records)
        printed = math.log2(records + 1) + 1 / math.log(2)
        assert case == pytest.approx(before - after)
        assert case < printed
        gain = dps.utilities.information_gain({"a": [[records, 0]]}, max_records=records + 1)
        assert case == pytest.approx(gain.sensitivity.ceiling)


def test_what_the_abstract_calls_the_most_is_a_mean() -> None:
    """The claims of Figure 17: 18 % is near the mean of patent, and far from the most, which is above 29 % too."""
    with (Path(__file__).parents[2] / "docs" / "reproduction" / "claims.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.reader(file) if row[1] == "Figure 17"]
    mean, most = (
        float(next(row[4] for row in rows if row[3] == printed and word in row[2]).split()[0])
        for printed, word in (("18 %", "mean"), ("29 %", "up to"))
    )

    assert abs(mean - 18) < 1
    assert most > 29 > 18 + 5
