"""Records in memory count the same wherever they stand."""

import numpy as np
import pytest

from dpselect.views import Records


@pytest.mark.parametrize(("size", "classes"), [(200, 2), (256, 1), (1, 256), (128, 2), (129, 2), (300, 300)])
def test_records_that_start_again_are_in_the_same_cells(size: int, classes: int) -> None:
    """At the root for the next tree, or in a chunk of a forest: also where cells need larger integers than codes."""
    rng = np.random.default_rng(0)
    codes, labels = rng.integers(0, size, 500), rng.integers(0, classes, 500)
    codes[0], labels[0] = size - 1, classes - 1
    records = Records([codes], labels, (size,), classes)
    expected = np.zeros((1, size, classes), dtype=np.int64)
    np.add.at(expected, (0, codes, labels), 1)
    (chunk,) = records.chunks(1, lambda bounds: np.zeros(bounds.shape, dtype=np.int64))

    for each in (records, records.again(), records.again().again(), chunk):
        assert expected.tolist() == each.level(1)[0].tolist()
        assert expected.sum(axis=1).tolist() == each.totals(1).tolist()
