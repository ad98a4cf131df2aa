"""Noisy max with heavy-tailed noise: integers and Fractions in, the position of the winner out.

Bits of U that were not drawn stay uniform, and only who may still win draws them. Proof: ``heavy_tails.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bernoulli_exp import Entropy
from dpselect.kernel.samplers.heavy_families import COIN, PREFIX, Family, family, settle
from dpselect.kernel.units import double

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Below this prefix of U the float ratio is not asked.
_LEAST = 2**32
# Candidates handled at a time: small enough to stay in cache, large enough to hide the cost of a call.
_CHUNK = 2**15


@dataclass(frozen=True)
class _Proposals:
    """Accepted proposals: prefixes k of U, signs (``None`` for one side), and k and bits of those who drew more."""

    k: Integers
    sign: Floats | None
    longer: dict[int, tuple[int, int]]

    def ends(self, base: Floats) -> tuple[Floats, Floats]:
        """Return bounds on base + sign z, each moved outwards by more than all that was rounded."""
        near = self.k.astype(np.float64)
        with np.errstate(divide="ignore"):
            most, least = (2.0**PREFIX - near) / near, (2.0**PREFIX - 1 - near) / (near + 1)
        slack, outer = 2.0**-48 * (1 - base + least), most * (1 + 2.0**-48)
        upwards = True if self.sign is None else self.sign > 0
        return base + np.where(upwards, least, -outer) - slack, base + np.where(upwards, outer, -least) + slack

    def contender(self, i: int, position: int, behind: Fraction) -> _Contender:
        """Return what is known of one candidate."""
        k, bits = self.longer.get(i, (int(self.k[i]), PREFIX))
        return _Contender(position, behind, 1 if self.sign is None else int(self.sign[i]), k, bits)


def _noise(noise_family: Family, sides: int, size: int, entropy: Entropy) -> _Proposals:
    """Draw that many values: the first accepted proposals, in order."""
    prefixes: list[Integers] = []
    signs: list[Floats] = []
    band, longer, have = (noise_family.gamma + 4) * 2.0**-30, {}, 0
    while have < size:
        count = 2 * (size - have) + 16
        words = np.frombuffer(entropy(8 * count), dtype=np.uint64)
        coins = np.frombuffer(entropy(COIN // 8 * count), dtype=np.uint32)
        k = (words >> np.uint64(64 - PREFIX)).astype(np.int64)
        share = noise_family.ratio(np.asarray((k + 0.5) * 2.0**-PREFIX, dtype=np.float64)) * 2.0**COIN
        # Where the ratio has underflowed it is below 2^-512.
        taken = coins + 1.0 <= share * (1 - band)
        unsure = np.flatnonzero((~taken & (coins <= share * (1 + band) + 2.0**-512)) | (k < _LEAST))
        known = {}
        for i in unsure.tolist():
            taken[i], prefix, bits = settle(noise_family, int(k[i]), int(coins[i]), entropy)
            known[i] = prefix, bits
        accepted = np.flatnonzero(taken)
        for i in known:
            if taken[i]:
                longer[have + int(np.searchsorted(accepted, i))] = known[i]
        prefixes.append(k[accepted])
        if sides == 2:
            signs.append(np.where(words[accepted] & np.uint64(1), 1.0, -1.0))
        have += accepted.size
    return _Proposals(np.concatenate(prefixes)[:size], np.concatenate(signs)[:size] if signs else None, longer)


@dataclass(frozen=True)
class _Contender:
    """A candidate that may still win: how far it is behind, and the k of U in [k, k + 1] / 2^bits."""

    position: int
    behind: Fraction
    sign: int
    k: int
    bits: int

    def narrow(self, entropy: Entropy) -> _Contender:
        k = self.k << 64 | int.from_bytes(entropy(8), "big")
        return _Contender(self.position, self.behind, self.sign, k, self.bits + 64)

    def bounds(self) -> tuple[Fraction | None, Fraction | None]:
        """Return bounds on sign z - behind; ``None`` where there is none."""
        whole = 1 << self.bits
        near = Fraction(whole - self.k - 1, self.k + 1)
        far = Fraction(whole - self.k, self.k) if self.k else None
        if self.sign > 0:
            return near - self.behind, None if far is None else far - self.behind
        return None if far is None else -far - self.behind, -near - self.behind


def _last(contenders: list[_Contender], entropy: Entropy) -> int:
    """Draw more bits until one is left: equal values have probability zero."""
    while len(contenders) > 1:
        ends = [each.bounds() for each in contenders]
        bar = max((low for low, _ in ends if low is not None), default=None)
        left = [high is None or bar is None or high >= bar for _, high in ends]
        contenders = list(compress(contenders, left))
        if len(contenders) > 1:
            contenders = [each.narrow(entropy) for each in contenders]
    return contenders[0].position


def heavy_tails(ticks: Integers, rate: Fraction, entropy: Entropy, gamma: int, sides: int) -> int:
    """Draw the largest of ticks * rate + Z."""
    top, noise_family, bar, contenders = ticks.max(), family(gamma), -np.inf, list[_Contender]()
    for start in range(0, ticks.size, _CHUNK):
        gaps = top - ticks[start : start + _CHUNK]
        noise = _noise(noise_family, sides, gaps.size, entropy)
        least, most = noise.ends(gaps * -double(rate))
        bar = max(bar, float(least.max()))
        may = np.flatnonzero(most >= bar).tolist()
        contenders += [noise.contender(i, start + i, int(gaps[i]) * rate) for i in may]
    return _last(contenders, entropy)


def heavy_tails_rows(
    ticks: Integers, rates: Sequence[Fraction], which: Integers, entropy: Entropy, gamma: int, sides: int
) -> Integers:
    """Draw once for every entry of ``which``: a row of (rows, m) ticks, and its own rate."""
    step = max(1, 8 * _CHUNK // ticks.shape[1])
    if which.size > step:
        some = (which[start : start + step] for start in range(0, which.size, step))
        return np.concatenate([heavy_tails_rows(ticks, rates, part, entropy, gamma, sides) for part in some])
    gaps = (ticks.max(axis=1, keepdims=True) - ticks)[which]
    scale = np.array([double(rate) for rate in rates])[which]
    noise = _noise(family(gamma), sides, gaps.size, entropy)
    least, most = (end.reshape(gaps.shape) for end in noise.ends((gaps * -scale[:, None]).ravel()))
    may = most >= least.max(axis=1, keepdims=True)
    winners: Integers = may.argmax(axis=1)
    for i in np.flatnonzero(may.sum(axis=1) > 1).tolist():
        behind = [(r, int(gaps[i, r]) * rates[which[i]]) for r in np.flatnonzero(may[i]).tolist()]
        winners[i] = _last([noise.contender(i * gaps.shape[1] + r, r, gap) for r, gap in behind], entropy)
    return winners
