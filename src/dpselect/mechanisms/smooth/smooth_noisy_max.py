"""Smooth Noisy Max: argmax of u(r) + c S(x) |Z_r|, soundly calibrated.

S is the beta-smooth upper bound on the local sensitivity of all candidates, one scale for all. With a public phi in
(0, 1), b the range bound, E = (1 - phi) epsilon and beta = phi epsilon / K:

    Student t, 3 degrees of freedom:       K = K(m) (``dilation``),        c = b e^-beta / shift_for(E)
    generalised Cauchy, gamma = 2 or 4:    K = max(gamma - 1, kappa R(m)), c = b eta / E
    exponential, Laplace:                  a public clip, or a delta (``light_noise``)

Neighbours: those of the scores. Guarantee: epsilon-DP of what is drawn, given K(m), which is computed (``"sound"``) or
bounded by a proved 3 R(m) (``"proved"``). Use it where only a smooth bound is known. ``calibration="chaves-2024"`` is
that of the thesis (``chaves_2024``), for reproduction.

References: Chaves 2024, Algorithm 3. Errata: the proof of Theorem 4.2 keeps the other candidates' noises fixed while
their scale moves, and the statement is false from about 1000 candidates on; Theorem 4.9 (never worse than
permute-and-flip when S <= Du/2) is false; Lemmas 5.4, 6.4 and Theorem 7.3 print exp(-j epsilon) where exp(-j beta)
is meant, with which the guarantee fails for every number of candidates.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from dpselect.mechanisms.kinds import Mechanism, SmoothMechanism
from dpselect.mechanisms.sampler import STUDENT, Sampler, noisy_max
from dpselect.mechanisms.smooth import chaves_2024 as published
from dpselect.mechanisms.smooth import noise_distributions as noises
from dpselect.mechanisms.smooth.dilation import dilation_cost, proved_bound
from dpselect.mechanisms.smooth.light_noise import LIGHT, light_noisy_max
from dpselect.mechanisms.smooth.share import weighed
from dpselect.mechanisms.smooth.tails import ROOT_3, shift
from dpselect.scores.smooth_weights import decay

# Beyond this a smaller epsilon is used: the noise is nothing already.
_LARGEST = Fraction(600)
# gamma: kappa, what R(m) is multiplied by, and eta, the steepest slope of ln Fbar, both rounded up.
_CAUCHY = {2: (Fraction("1.04824"), Fraction("0.72462")), 4: (Fraction("3.0009"), Fraction("2.0528"))}
NOISES = ("student-t", "cauchy-2", "cauchy-4")
_SAMPLERS = {
    "student-t": STUDENT,
    "cauchy-2": noisy_max(noises.cauchy(2)),
    "cauchy-4": noisy_max(noises.cauchy(4)),
}


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
        phi: the share of epsilon that pays for the moving scale: a public number between 0 and 1, from what the scores
            declare unless it is passed (``share``).
        noise: ``"student-t"`` (three degrees of freedom), ``"cauchy-2"`` or ``"cauchy-4"``, all one-sided; or one with
            light tails, ``"exponential"``, ``"laplace"`` or ``"laplace-log-normal"``, with the parameters of
            :func:`dpselect.mechanisms.smooth.light_noise.light_noisy_max`.
        calibration: ``"sound"``; ``"proved"``, the same with no number in it that was computed by quadrature, which
            costs nothing up to four candidates and then makes beta smaller, as a smaller phi would: by 1.44 for ten
            candidates, 2.9 for a hundred, 2.4 for a thousand; or ``"chaves-2024"`` with the noises and parameters of
            :func:`dpselect.mechanisms.smooth.chaves_2024.chaves`.
        unsound: ``"reproduction"`` to get a published calibration that is not private: it computes laws and
            refuses to release.
        **given: parameters of light tails or of the published calibration.

    Raises:
        ValueError: phi is not between 0 and 1, or there is no such noise or calibration.
        PrivacyError: a calibration that is not private, without ``unsound="reproduction"``.

    >>> import dpselect as dps
    >>> safe_for_30_steps = dps.sensitivity.local(lambda t: float(t >= 30), ceiling=1.0)
    >>> scores = dps.Scores([1.0, 0.0, 0.0], sensitivity=safe_for_30_steps)
    >>> dps.mechanism("exponential").law(scores, 5).round(3)
    array([0.859, 0.071, 0.071])
    >>> dps.mechanism("smooth-noisy-max").law(scores, 5).round(3)
    array([1., 0., 0.])
    >>> dps.mechanism("smooth-noisy-max", noise="exponential").guarantee(scores, 5)
    Guarantee(epsilon=5, neighbours='add-remove')
    >>> dps.mechanism("smooth-noisy-max", noise="exponential", delta=1e-6).guarantee(scores, 5)
    Guarantee(epsilon=5, delta=1/1000000, neighbours='add-remove')
    """
    if calibration == "chaves-2024":
        return published.chaves(noise, unsound=unsound, **given)
    if calibration not in ("sound", "proved"):
        raise ValueError('calibration is "sound", "proved" or "chaves-2024".')
    if noise in LIGHT:
        return light_noisy_max(noise, phi, **given)
    if given:
        raise TypeError(f"The {calibration} calibration does not take {', '.join(given)}.")
    if noise not in NOISES:
        known = ", ".join((*NOISES, *LIGHT))
        raise ValueError(f"There is no sound calibration for {noise!r}: pass noise= one of {known}.")
    parameters: dict[str, Any] = {} if phi is None else {"phi": phi}
    if noise != "student-t":
        parameters["noise"] = noise
    if calibration == "proved":
        parameters["calibration"] = calibration
    sampler: Sampler = _SAMPLERS[noise]
    return SmoothMechanism(
        "smooth-noisy-max",
        "Where only a smooth bound on the sensitivity is known.",
        weighed(partial(calibrate, noise=noise, proved=calibration == "proved"), phi),
        sampler,
        parameters,
    )


def calibrate(
    candidates: int,
    epsilon: Fraction,
    *,
    range_bound: int,
    phi: Fraction,
    noise: str = "student-t",
    proved: bool = False,
) -> tuple[Fraction, Fraction]:
    """Return beta, rounded down, and c, rounded up, for that many candidates; one is chosen whatever the noise."""
    epsilon, many = min(epsilon, _LARGEST), max(candidates, 2)
    rest = (1 - phi) * epsilon
    if noise == "student-t":
        cost = max(3.0, 3.0 * proved_bound(many)) if proved else dilation_cost(many)
        beta = phi * epsilon / Fraction(cost)
        return beta, range_bound * decay(beta) * ROOT_3 / shift(rest)
    gamma = int(noise.removeprefix("cauchy-"))
    kappa, eta = _CAUCHY[gamma]
    return phi * epsilon / max(Fraction(gamma - 1), kappa * Fraction(proved_bound(many))), range_bound * eta / rest
