"""What a transcript of Gaussian noise loses between two neighbours, exactly: the rho of every draw.

The same numbers are forced on both as released. Given them, a draw of variance v moves its integers by some vector d,
and discrete Gaussian noise around integers costs |d|^2 / (2 v); the draws of one transcript add up.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from hashlib import sha256
from itertools import count, product

import numpy as np
from numpy.typing import NDArray

from dpselect.audit.recorded import Pick, Recording, Repetition
from dpselect.kernel.bound import SquaredBound
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.release.opened import door_to
from dpselect.release.protocol import Outcomes

Integers = NDArray[np.int64]
# What is released where integers were to be noised, at a variance.
Script = Callable[[Integers, Fraction], Integers]


def rho_between(
    run: Callable[[Outcomes], object],
    neighbour: Callable[[Outcomes], object],
    script: Script | None = None,
    *,
    pick: Pick | None = None,
) -> tuple[Fraction, ...]:
    """Return what every draw of a transcript costs between two neighbours, exactly; the transcript costs their sum.

    Args:
        run: a release, as a function of its outcomes: it opens ``door_to(lambda: outcomes)``.
        neighbour: the same release of a neighbouring database.
        script: returns what is released in place of integers, at a variance; ``None`` for made-up noise.
        pick: makes up public coins, and noise where there is no script: integers below its bounds, such as those of a
            seeded generator; ``None`` for fixed ones.

    Raises:
        ValueError: after the same answers the neighbour asks something else, more, or less.

    >>> from dpselect import Guarantee

    >>> from dpselect.mechanisms import SquaredBound
    >>> from dpselect.release.opened import door_to
    >>> def release(counts):
    ...     def run(outcomes):
    ...         with door_to(lambda: outcomes)(Guarantee.concentrated(2, 1e-6, "add-remove")) as draws:
    ...             draws.gaussian(np.array(counts), 2, SquaredBound(1))
    ...     return run
    >>> rho_between(release([7, 3]), release([8, 3]))
    (Fraction(2, 1),)
    """
    recording = _Scripted(pick or _fixed(), script)
    run(recording)
    repetition = Repetition(recording)
    neighbour(repetition)
    if repetition.finish():
        raise ValueError("This release draws at an epsilon too: use loss_of_transcript for that.")
    return tuple(repetition.parts)


def sums_by_rho() -> tuple[int, str]:
    """Check counts of two lists, the second chosen by the first, where a person may have three records.

    Returns: how many persons were tried, and one who costs more than was paid, or "".
    """
    promise, most, people = Guarantee.concentrated(Fraction(1, 4), Fraction(1, 10**6), Neighbours.PERSON), 3, 0
    bound, counts = SquaredBound(1, Neighbours.PERSON), np.array([40, 12, 7])

    def release(moved: Integers, outcomes: Outcomes) -> None:
        with door_to(lambda: outcomes)(promise, per_person=most) as draws:
            first = draws.gaussian(counts + moved, draws.left / 3, bound)
            draws.gaussian((counts + moved)[[int(first.argmin())]], draws.left, bound)

    for records in product(range(most + 1), repeat=counts.size):
        if sum(records) <= most:
            people += 1
            rho = sum(rho_between(partial(release, np.array(records)), partial(release, np.zeros_like(counts))))
            if rho > promise.rho:
                return people, f"rho {rho} of {promise.rho} for a person who has {records} records of three kinds."
    return people, ""


def _fixed() -> Pick:
    """Return what picks integers that look like chance, and are always the same."""
    places = count()

    def pick(bounds: Integers) -> Integers:
        picked = [
            int.from_bytes(sha256(b"%d" % next(places)).digest()[:16]) % bound for bound in bounds.ravel().tolist()
        ]
        return np.array(picked, dtype=np.int64).reshape(bounds.shape)

    return pick


class _Scripted(Recording):
    """Releases what a script says, where there is one."""

    def __init__(self, pick: Pick, script: Script | None) -> None:
        super().__init__(pick)
        self._script = script

    def gaussian(self, values: Integers, variance: Fraction) -> Integers:
        """What the script says."""
        if self._script is None:
            return super().gaussian(values, variance)
        outcome = np.array(self._script(values.copy(), variance), dtype=np.int64)
        if outcome.shape != values.shape:
            raise ValueError("The script must release one integer for each that it is asked for.")
        return np.asarray(self._note("gaussian", values, (), variance, outcome))
