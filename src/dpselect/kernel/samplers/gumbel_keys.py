"""The k first of a race at rates e^(rate * tick): the list that the exponential mechanism peels, in one pass.

Candidate r arrives at E / e^(rate * tick), E = -ln(1 - V) and V uniform. Of V 63 bits are drawn; floats with a guard
say who cannot be among the first k and whose order is certain, and others draw more. Proof: ``gumbel_keys.md``.

References: Durfee and Rogers 2019 (Gumbel noise once is peeling).
"""

from __future__ import annotations

import decimal
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bernoulli_exp import GUARD, Entropy
from dpselect.kernel.samplers.laplace import logarithm
from dpselect.kernel.units import double

Floats = NDArray[np.float64]
# Candidates handled at a time, and the bits of V that everybody draws.
_CHUNK, _BITS = 2**15, 63


def gumbel_keys(ticks: NDArray[np.int64], k: int, rate: Fraction, entropy: Entropy) -> list[int]:
    """Return the positions of the k winners, in order; times of arrival are compared by their logarithms."""
    reference = ticks[ticks.argpartition(ticks.size - k)[ticks.size - k]]
    bar, at, drawn = np.inf, np.empty(0, dtype=np.intp), np.empty(0, dtype=np.uint64)
    least, most = np.empty(0), np.empty(0)
    for start in range(0, ticks.size, _CHUNK):
        behind = (reference - ticks[start : start + _CHUNK]) * double(rate)
        words = np.frombuffer(entropy(8 * behind.size), dtype=np.uint64) >> np.uint64(64 - _BITS)
        with np.errstate(over="ignore", under="ignore"):
            # No candidate arrives before V / e^(rate * tick).
            latest = np.exp(bar - behind + 4 * GUARD * (1 + abs(bar) + np.abs(behind)))
            may = (words * 2.0**-_BITS <= latest).nonzero()[0]
        low, high = _ends(behind[may], words[may])
        at, drawn = np.concatenate([at, start + may]), np.concatenate([drawn, words[may]])
        least, most = np.concatenate([least, low]), np.concatenate([most, high])
        if most.size >= k:
            bar = float(most[most.argpartition(k - 1)[k - 1]])
            left = least <= bar
            at, drawn, least, most = at[left], drawn[left], least[left], most[left]
    order = least.argsort()
    # Between two neighbours it is certain where all before arrive before all after.
    apart = (np.maximum.accumulate(most[order])[:-1] < least[order][1:]).nonzero()[0] + 1
    winners = list[int]()
    for several in np.split(order, apart):
        runners = [_Runner(int(at[i]), int(reference - ticks[at[i]]) * rate, int(drawn[i]), _BITS) for i in several]
        winners += _in_order(runners, entropy)
        if len(winners) >= k:
            break
    return winners[:k]


def _ends(behind: Floats, words: NDArray[np.uint64]) -> tuple[Floats, Floats]:
    """Return bounds on the logarithms of arrivals, each moved outwards by more than all that was rounded."""
    near = words.astype(np.float64)
    with np.errstate(divide="ignore"):
        low = np.log(-np.log1p(-np.minimum(near * 2.0**-_BITS, 1 - 2.0**-53)))
        high = np.log(-np.log1p(-np.minimum((near + 1) * 2.0**-_BITS, 1.0)))
    size = 1 + np.abs(behind)
    least, most = behind + low - 4 * GUARD * (size + np.abs(low)), behind + high + 4 * GUARD * (size + np.abs(high))
    return least, most


@dataclass(frozen=True)
class _Runner:
    """A candidate whose place is open: how far it is behind, and the word of V in [word, word + 1] / 2^bits."""

    position: int
    behind: Fraction
    word: int
    bits: int

    def known_longer(self, entropy: Entropy) -> _Runner:
        return replace(self, word=self.word << 64 | int.from_bytes(entropy(8), "big"), bits=self.bits + 64)

    def arrival(self) -> tuple[Fraction | None, Fraction | None]:
        """Return bounds on the logarithm of the arrival; ``None`` where there is none."""
        context = decimal.Context(prec=self.bits // 3 + 20, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, traps=[])
        whole, rest = decimal.Decimal(1 << self.bits), (1 << self.bits) - self.word
        least = logarithm(rest, whole, context, decimal.ROUND_FLOOR)
        low = self.behind + Fraction(context.next_minus(context.ln(least))) if least else None
        if rest == 1:
            return low, None
        most = logarithm(rest - 1, whole, context, decimal.ROUND_CEILING)
        return low, self.behind + Fraction(context.next_plus(context.ln(most)))


def _in_order(runners: list[_Runner], entropy: Entropy) -> list[int]:
    """Return positions in the order of arrival, drawing bits until it is certain."""
    while len(runners) > 1:
        runners = [each.known_longer(entropy) for each in runners]
        ends = [(*each.arrival(), each) for each in runners]
        known = [(low, high, each) for low, high, each in ends if low is not None and high is not None]
        if len(known) == len(runners):
            known.sort(key=itemgetter(0))
            runners = [each for _, _, each in known]
            if all(one[1] < two[0] for one, two in pairwise(known)):
                break
    return [each.position for each in runners]
