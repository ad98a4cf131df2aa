"""The exponential mechanism: integers and one Fraction in, the position of the winner out.

References: McSherry and Talwar 2007.

Limits: Time. Drawing takes time that depends a little on the scores: the exponential sampler flips a random number of
coins, and an undecided coin takes longer. Do not let an adversary measure the time of a release.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bernoulli_exp import Entropy, flip, positions
from dpselect.kernel.errors import InputError

# The with-replacement sampler starts with few trials, because one often suffices, and never takes more than these.
_FIRST_TRIALS, _MOST_TRIALS = 64, 2**15


def exponential(ticks: NDArray[np.int64], rate: Fraction, entropy: Entropy) -> int:
    """Draw by flipping coins at uniform candidates, with replacement, until one shows heads.

    Raises:
        ValueError: more than 2^32 candidates.
    """
    if ticks.size > 2**32:
        raise InputError("The exponential sampler takes at most 2^32 candidates: use permute-and-flip.")
    top, trials = ticks.max(), _FIRST_TRIALS
    while True:
        tried = positions(trials, ticks.size, entropy)
        heads = flip(top - ticks[tried], rate, entropy)
        if heads.size:
            return int(tried[heads[0]])
        trials = min(4 * trials, _MOST_TRIALS)
