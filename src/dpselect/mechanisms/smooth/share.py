"""The share of epsilon that pays for a moving scale, where nobody chose one: from what a utility declares.

The share must be public, so nothing here looks at a score or at a sensitivity's values. Proof: ``share.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from dpselect.kernel.errors import InputError
from dpselect.mechanisms.smooth.scale import Calibrate, weigh
from dpselect.mechanisms.smooth.scores import SmoothScores
from dpselect.scores.scores import Scores

# A scale that never moves; scores that move by the whole of their range or not at all; all others.
_STILL, _JUMPS, OTHERS = Fraction(1, 64), Fraction(7, 10), Fraction(3, 20)


def declared_share(scores: Scores, others: Fraction = OTHERS) -> Fraction:
    """Return the share for scores of this kind: a function of their kind, ceiling and form of sensitivity.

    One sensitivity for all databases needs next to nothing. Integer scores with a ceiling of 1, such as those of 0/1
    utilities, are sensitive or not, so that only beta makes a bound small. Otherwise ``others``, 3/20 or what a noise
    names instead; ``dpselect.tuning.tune`` finds better ones.

    >>> declared_share(Scores([3, 1], 1)), declared_share(Scores([3.0, 1.0], 1.5))
    (Fraction(1, 64), Fraction(1, 64))
    """
    known = scores.sensitivity
    if known.fixed:
        return _STILL
    jumps = known.smoothed is None and scores.values.dtype.kind == "i" and known.ceiling == 1
    return _JUMPS if jumps else others


@dataclass(frozen=True)
class ShareWeight:
    """A mechanism that weighs scores with a calibration that takes the share as ``phi``.

    Attributes:
        calibrate: the calibration.
        phi: the share, or ``None`` for the declared one.
        others: the declared share of scores that declare nothing better.
    """

    calibrate: Calibrate
    phi: Fraction | None
    others: Fraction

    def share(self, scores: Scores) -> Fraction:
        """Return the share that is used for these scores: public."""
        return declared_share(scores, self.others) if self.phi is None else self.phi

    def __call__(self, scores: Scores, epsilon: Fraction) -> SmoothScores:
        """Return scores in ticks, and what a tick is worth."""
        return weigh(scores, epsilon, partial(self.calibrate, phi=self.share(scores)))


def weigh_scores(calibrate: Calibrate, phi: Any, others: Fraction = OTHERS) -> ShareWeight:
    """Return what weighs scores with a calibration: with this share, or with the declared one for ``None``.

    Raises:
        ValueError: phi is not between 0 and 1.
    """
    if phi is not None and not 0 < phi < 1:
        raise InputError("phi must lie between 0 and 1: the public share of epsilon that pays for the moving scale.")
    return ShareWeight(calibrate, None if phi is None else Fraction(phi), others)
