"""Farias 2021: the sensitivity of the median as the main text has it."""

import itertools

import pytest

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
