"""Smooth Noisy Max: argmax of u(r) + c S(x) |Z_r|, soundly calibrated.

S is the beta-smooth upper bound on the local sensitivity of all candidates, one scale for all. With a public phi in
(0, 1) and b the range bound, c = b / t, t the shift of the noise that costs (1 - phi) epsilon (``slides``), and beta is
the largest for which slide and dilation together cost at most epsilon, whatever the scores (``joint``).

Light tails, exponential or Laplace, have a public clip or a delta instead (``light_noise``).

Neighbours: those of the scores. Guarantee: epsilon-DP of what is drawn; every constant is certified. Use it where only
a smooth bound is known. ``calibration="chaves-2024"`` is that of the thesis (``chaves_2024``), for reproduction.

References: Chaves 2024, Algorithm 3. Errata: the proof of Theorem 4.2 keeps the other candidates' noises fixed while
their scale moves, and the statement is false from about 1000 candidates on; Theorem 4.9 (never worse than
permute-and-flip when S <= Du/2) is false; Lemmas 5.4, 6.4 and Theorem 7.3 print exp(-j epsilon) where exp(-j beta)
is meant, with which the guarantee fails for every number of candidates.

Limits: Numbers that were computed. Every draw is exact and every constant behind ``smooth-noisy-max`` and
``local-dampening-t`` is certified: slides in decimals, a scale that shrinks over cells at each calibration, a scale
that grows over cells once, as a published table. The last two use floats with explicit margins, not interval
arithmetic. Certainty costs accuracy, not privacy. What a growing scale costs Student-t noise is charged with a
certified upper bound, which exceeds the cost of the worst scores known by 8 per cent for a hundred candidates, 14 for a
thousand, 27 for ten thousand and about half for a hundred thousand. At small epsilon beta is smaller by the same share.
Beyond 131,073 candidates, and for generalised Cauchy noise everywhere, the upper bound is a proved formula.

Light tails need a clip or a delta. ``smooth-noisy-max`` with exponential or Laplace noise is pure only because hopeless
candidates count as a public number of units behind: together they keep a probability of 0.001, unless ``floor=`` or
``clip=`` says otherwise. Without the clip its promise has a delta, and such a promise cannot be used with
``per_person=``. Laplace-log-normal noise has a law with a sound (epsilon, delta) calibration and is not released: its
constants are quadratures and suprema on grids.

Scores with a smooth bound are right to within half a tick, 2^-26 of the ceiling: that is all that the bound pays for.
Integer scores have no error; information gain of more than about 2^24 records (17 million), and Gini and misclassified
of more than 2^26, may have more, by a few of their 2^-50 parts.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.mechanisms.base import Mechanism, SmoothMechanism
from dpselect.mechanisms.sampler import STUDENT, Sampler, noisy_max
from dpselect.mechanisms.smooth import chaves_2024 as published
from dpselect.mechanisms.smooth import noise_distributions as noises
from dpselect.mechanisms.smooth.heavy_tail import HeavyTail
from dpselect.mechanisms.smooth.joint_calibration import calibrate_jointly
from dpselect.mechanisms.smooth.light_noise import LIGHT, light_noisy_max
from dpselect.mechanisms.smooth.share import weigh_scores

# 0 is Student t.
_GAMMAS = {"student-t": 0, "cauchy-2": 2, "cauchy-4": 4}
NOISES = tuple(_GAMMAS)
# Of scores that declare nothing better: slide and dilation are paid for together, so that a small share goes far.
_SHARE = Fraction(1, 20)
_SAMPLERS: dict[str, Sampler] = {
    "student-t": STUDENT,
    "cauchy-2": noisy_max(noises.cauchy(2)),
    "cauchy-4": noisy_max(noises.cauchy(4)),
}
# A smaller share is lost in the rounding of floats that look for the scale.
_LEAST_SHARE = 1e-6


def smooth_noisy_max(
    phi: float | None = None,
    *,
    noise: str = "student-t",
    calibration: str = "sound",
    unsound: str | None = None,
    **given: Any,
) -> Mechanism:
    """Return Smooth Noisy Max.

    Args:
        phi: the share of epsilon that a slide of the scores does not cost, a public number between 0 and 1: the
            larger, the faster the scale may move and the larger it is. From what the scores declare unless it is
            passed (``share``).
        noise: ``"student-t"`` (three degrees of freedom), ``"cauchy-2"`` or ``"cauchy-4"``, all one-sided; or one with
            light tails, ``"exponential"``, ``"laplace"`` or ``"laplace-log-normal"``, with the parameters of
            :func:`dpselect.mechanisms.smooth.light_noise.light_noisy_max`.
        calibration: ``"sound"``, or ``"chaves-2024"`` with the noises and parameters of
            :func:`dpselect.mechanisms.smooth.chaves_2024.chaves`.
        unsound: ``"reproduction"`` to get a published calibration that is not private: it computes laws and
            refuses to release.
        **given: parameters of light tails or of the published calibration.

    Raises:
        ValueError: phi is not between 0 and 1, or below 1e-6 for heavy tails; no such noise or calibration.
        PrivacyError: a calibration that is not private, without ``unsound="reproduction"``.

    >>> import dpselect as dps
    >>> safe_for_30_steps = dps.sensitivity.local(lambda t: float(t >= 30), ceiling=1.0)
    >>> scores = dps.Scores([1.0, 0.0, 0.0], sensitivity=safe_for_30_steps)
    >>> dps.mechanism("exponential").pmf(scores, 5).round(3)
    array([0.859, 0.071, 0.071])
    >>> dps.mechanism("smooth-noisy-max").pmf(scores, 5).round(3)
    array([1., 0., 0.])
    >>> dps.mechanism("smooth-noisy-max", noise="exponential").guarantee(scores, 5)
    Guarantee(epsilon=5, neighbours='add-remove')
    >>> dps.mechanism("smooth-noisy-max", noise="exponential", delta=1e-6).guarantee(scores, 5)
    Guarantee(epsilon=5, delta=1/1000000, neighbours='add-remove')
    """
    if calibration == "chaves-2024":
        return published.chaves(noise, unsound=unsound, **given)
    if calibration != "sound":
        raise InputError('calibration is "sound" or "chaves-2024".')
    if noise in LIGHT:
        return light_noisy_max(noise, phi, **given)
    if noise not in NOISES:
        known = ", ".join(repr(each) for each in (*NOISES, *LIGHT))
        near = "; 'cauchy' of dpselect.release_value is 'cauchy-2' here" if noise == "cauchy" else ""
        raise InputError(f"noise is one of {known}, not {noise!r}{near}.")
    if light := [f"{each}=" for each in ("clip", "floor", "delta", "sigma") if given.get(each) is not None]:
        raise InputError(
            f"{noise} noise is drawn without a clip and costs no delta: leave {', '.join(light)} out, or pass "
            'noise="exponential" or "laplace".'
        )
    if unknown := given.keys() - {"clip", "floor", "delta", "sigma"}:
        raise InputTypeError(f"{noise} noise does not take {', '.join(sorted(unknown))}.")
    parameters = _named_share(phi) | {"noise": noise}
    summary = "Where only a smooth bound on the sensitivity is known."
    share = weigh_scores(partial(calibrate, noise=noise), phi, _SHARE)
    return SmoothMechanism("smooth-noisy-max", summary, share, _SAMPLERS[noise], parameters)


def _named_share(phi: float | None) -> dict[str, Any]:
    if phi is not None and 0 < phi < _LEAST_SHARE:
        raise InputError("phi is at least 1e-6 with this noise: less leaves no scale that may move.")
    return {} if phi is None else {"phi": phi}


def calibrate(
    candidates: int, epsilon: Fraction, *, range_bound: int, phi: Fraction, noise: str = "student-t"
) -> tuple[Fraction, Fraction]:
    """Return beta, rounded down, and c, rounded up, for that many candidates; one is chosen whatever the noise."""
    beta, t = calibrate_jointly(HeavyTail(_GAMMAS[noise]), max(candidates, 2), epsilon, 1 - phi)
    return beta, range_bound / t
