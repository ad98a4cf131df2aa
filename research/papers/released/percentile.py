"""The percentile score of Chaves 2024 as its program computes it: too small a sensitivity, for laws only.

A record scores 1 when its value is the p-th percentile and 0 otherwise. The score is taken to be safe for 2 j + 1
steps, j the smaller number of such records on either side of the *median*, whatever p (Lemmas 5.3 and 5.4 have j around
the percentile, which is too late as well).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import local
from research.papers.released.fence import fenced


def released_percentile(
    values: ArrayLike, p: int = 50, *, grid: ArrayLike | None = None, unsound: str | None = None
) -> Scores:
    """Return 1 for every record that has the percentile's value, shape (n,); or for that value on a grid.

    Args:
        values: the records. p: which percentile. grid: the candidates, when they are not the records.
        unsound: ``"reproduction"``: a record can move the score while its sensitivity is still said to be 0.

    Raises:
        PrivacyError: it is not asked for as unsound.

    >>> scores = released_percentile([1, 1, 2, 2, 2], unsound="reproduction")
    >>> scores.values, scores.sensitivity.at([0, 1])[:, 0]
    (array([0, 0, 1, 1, 1]), array([0., 1.]))
    """
    fenced(unsound, "dpselect.utilities.percentile")
    records = np.asarray(values)
    candidates = records if grid is None else np.asarray(grid)
    if not records.size:
        return Scores(np.zeros(candidates.size, dtype=np.int64), local(lambda _: 1.0, ceiling=1.0))
    ordered = np.sort(records)
    right = ordered[records.size * p // 100]
    won, middle = ordered == right, records.size // 2
    steps = 1 + 2 * min(int(won[:middle].sum()), int(won[middle + 1 :].sum()))
    safe = local(lambda t: float(t >= steps), ceiling=1.0)
    return Scores((candidates == right).astype(np.int64), safe, zero="worst")
