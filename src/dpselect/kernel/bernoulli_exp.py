"""Exact coins in bulk: Bernoulli(exp(-gap * rate)) from a cryptographic stream.

The only place that reads random bits. Every coin compares a uniform number U with
p = exp(-gap * rate), where gap is an integer and rate a Fraction. Of U only a 32-bit prefix k is drawn, so U
lies in [k, k+1) / 2^32; floating point gives p up to a relative guard of 2^-33, more than a hundred thousand
times the error of any mathematics library. When that decides, it decides rightly; the rare undecided coin
draws more bits and is compared with an enclosure of arbitrary precision. The outcome is therefore exactly
Bernoulli(p), whatever the rounding.
"""

from __future__ import annotations

import decimal
import os
import threading
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.units import double

# A function that returns that many fresh random bytes.
Entropy = Callable[[int], bytes]

GUARD = 2.0**-33
PREFIX = 2.0**32
# Exponents below this are taken for it: prefix 0 is undecided for both, the others are tails.
LEAST_EXPONENT = -64.0
# A key serves this many draws.
_DRAWS_PER_KEY = 2**10


def new_entropy() -> Entropy:
    """Return a stream for one draw: AES-256 in counter mode, from a counter that the operating system draws.

    The key is this thread's own and is renewed. Each draw's counter replaces that of the one before, so who reads the
    memory of the process can repeat the last draw of each thread, and none before. Without the ``cryptography`` package
    every byte comes from the operating system.
    """
    stream = _OWN.cipher()
    if stream is None:
        return os.urandom
    stream.reset_nonce(os.urandom(16))
    return lambda count: stream.update(bytes(count))


class _Own(threading.local):
    """The cipher of this thread: made when it first draws, and again after a number of draws or a fork."""

    stream: Any = None
    left = 0

    def cipher(self) -> Any:
        """Return a cipher whose counter is yet to be set, or ``None`` where there is no library of ciphers."""
        if self.left < 1:
            ciphers = _ciphers()
            if ciphers is None:
                return None
            cipher, aes, ctr = ciphers
            self.stream = cipher(aes(os.urandom(32)), ctr(os.urandom(16))).encryptor()
            self.left = _DRAWS_PER_KEY
        self.left -= 1
        return self.stream

    def forget(self) -> None:
        """Leave the key behind."""
        self.stream, self.left = None, 0


_OWN = _Own()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_OWN.forget)


@cache
def _ciphers() -> tuple[Any, Any, Any] | None:
    """Return what makes ciphers, imported when the first draw needs it, if it is there and not just being imported."""
    try:
        ciphers = import_module("cryptography.hazmat.primitives.ciphers")
        return ciphers.Cipher, ciphers.algorithms.AES, ciphers.modes.CTR
    except (ImportError, AttributeError):
        return None


def words(count: int, entropy: Entropy) -> NDArray[np.uint32]:
    """Return ``count`` uniform 32-bit words."""
    return np.frombuffer(entropy(4 * count), dtype=np.uint32)


def flip(gaps: NDArray[np.int64], rate: Fraction, entropy: Entropy, guard: float = GUARD) -> NDArray[np.intp]:
    """Flip one coin Bernoulli(exp(-gap * rate)) for every gap; return the positions of heads, in order.

    Args:
        gaps: shape (n,), integers >= 0.
        rate: positive; exact.
        entropy: where the bits come from.
        guard: relative distance from p within which floating point is not trusted.
    """
    # On a copy of its own, so that the chain below runs in place.
    threshold = gaps * -double(rate)
    np.maximum(threshold, LEAST_EXPONENT, out=threshold)
    np.exp(threshold, out=threshold)
    threshold *= PREFIX * (1 + guard)
    prefix = words(gaps.size, entropy)
    # A prefix above the guarded threshold is a certain tail. Prefix 0 never is.
    possible = (prefix <= threshold).nonzero()[0]
    margin = threshold[possible] - prefix[possible]
    # Nearly always all that are possible are heads, and far from their thresholds.
    if not possible.size or margin[margin.argmin()] > 2 + 3 * guard * PREFIX * (1 + guard):
        return possible
    certain = prefix[possible] + 1.0 <= threshold[possible] * (1 - 3 * guard)
    for i in (~certain).nonzero()[0]:
        at = possible[i]
        certain[i] = settle(int(gaps[at]), rate, int(prefix[at]), entropy)
    return possible[certain]


def settle(gap: int, rate: Fraction, prefix: int, entropy: Entropy) -> bool:
    """Finish one coin whose 32-bit prefix did not decide: more bits, then exact comparison."""
    if gap == 0:
        return True
    exponent, bits, digits = gap * rate, 32, 40
    while True:
        prefix, bits = prefix << 64 | int.from_bytes(entropy(8), "big"), bits + 64
        low, high = exponential_between(exponent, digits)
        if Fraction(prefix + 1, 2**bits) <= low:
            return True
        if Fraction(prefix, 2**bits) >= high:
            return False
        digits += 20


def exponential_between(exponent: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Return rationals low <= exp(-exponent) <= high that agree to about ``digits`` digits.

    ``decimal`` rounds exp correctly, so one unit in the last place on either side encloses it. The sign is
    set with ``copy_negate``: unary minus would round to the caller's context.
    """
    if exponent > 2**20:
        return Fraction(0), Fraction(1, 2**2**20)
    context = decimal.Context(prec=digits, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, traps=[])
    numerator, denominator = decimal.Decimal(exponent.numerator), decimal.Decimal(exponent.denominator)
    nearest = context.divide(numerator, denominator)
    least, most = context.next_minus(nearest), context.next_plus(nearest)
    low = context.next_minus(context.exp(most.copy_negate()))
    high = context.next_plus(context.exp(least.copy_negate()))
    return Fraction(low), Fraction(high)


def below(bound: int, entropy: Entropy) -> int:
    """Return a uniform integer in [0, bound), by rejection."""
    size = (bound - 1).bit_length()
    count = (size + 7) // 8
    while True:
        drawn = int.from_bytes(entropy(count), "big") >> (8 * count - size)
        if drawn < bound:
            return drawn


def positions(count: int, bound: int, entropy: Entropy) -> NDArray[np.int64]:
    """Return at most ``count`` independent uniform integers in [0, bound), bound <= 2^32.

    A 32-bit word times the bound, divided by 2^32, is uniform once the words whose low half falls below
    2^32 mod bound are left out.
    """
    product = words(count, entropy).astype(np.uint64) * np.uint64(bound)
    uneven = 2**32 % bound
    if uneven:
        product = product[(product & np.uint64(0xFFFFFFFF)) >= uneven]
    return (product >> np.uint64(32)).astype(np.int64)
