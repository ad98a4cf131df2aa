"""The published calibrations of Smooth Noisy Max, for reproduction: most of them are not private.

With S the beta-smooth sensitivity the thesis takes argmax of u(r) + (b S / alpha) Z_r, Z two-sided unless ``sides=1``:

    student-t            beta = epsilon / 8,                    alpha = (sqrt 3 / 4) epsilon
    laplace              beta = epsilon / (2 ln(2 / delta)),    alpha = epsilon / 2
    laplace-log-normal   beta = phi epsilon sigma,              alpha = e^(-3 sigma^2 / 2) (1 - phi) epsilon

Released: one-sided Student t where ``joint_calibration.is_certain`` certifies it, which is so for up to 250 candidates,
and for more at a large epsilon. All others raise ``PrivacyError`` without ``unsound="reproduction"``, and with it
compute laws only.

References: Chaves 2024, Lemma 2.20, Theorems 2.21, 2.22 and 4.2. Errata: Theorem 4.2 (see ``smooth_noisy_max``);
Laplace noise fails its (epsilon, delta) claim from 1000 candidates on, and with the released alpha = epsilon
(``alpha="released"``) for two. Lemma 5.4 and Theorem 7.3 print a smooth sensitivity with beta = epsilon
(``exponent="printed"``), and the program for percentiles takes none below .01 (``floor=.01``). The sound
calibrations are ``light_tails`` and, at pure epsilon, ``clip`` for Laplace noise, and ``log_normal`` for the law of
Laplace-log-normal noise.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

from dpselect.kernel.errors import InputError, PrivacyError
from dpselect.mechanisms.base import Mechanism, SmoothMechanism, UnsoundMechanism
from dpselect.mechanisms.sampler import noisy_max
from dpselect.mechanisms.smooth import noise_distributions as noises
from dpselect.mechanisms.smooth.heavy_tail import HeavyTail
from dpselect.mechanisms.smooth.joint_calibration import is_certain
from dpselect.mechanisms.smooth.scale import Calibrate, of_each, weigh
from dpselect.mechanisms.smooth.scores import SmoothScores
from dpselect.mechanisms.smooth.slides import LARGEST
from dpselect.scores.scores import Scores

_KINDS = {"student-t": noises.student_t, "laplace": noises.laplace}


def chaves(
    noise: str = "student-t",
    *,
    sides: int = 2,
    delta: float = 1e-6,
    sigma: float = 0.5,
    phi: float = 0.5,
    alpha: str = "printed",
    exponent: str = "theorem",
    floor: float = 0.0,
    unsound: str | None = None,
) -> Mechanism:
    """Return Smooth Noisy Max as the thesis calibrates it.

    Args:
        noise: ``"student-t"``, ``"laplace"`` or ``"laplace-log-normal"``.
        sides: 2 as published; 1 for one-sided noise.
        delta: of Laplace noise.
        sigma: of Laplace-log-normal noise.
        phi: the share of epsilon that sets beta for Laplace-log-normal noise.
        alpha: ``"printed"``, or ``"released"`` for alpha = epsilon with Laplace noise.
        exponent: ``"theorem"`` for the beta above, or ``"printed"`` for beta = epsilon, as in Lemma 5.4.
        floor: the least smooth sensitivity, .01 in the program for percentiles.
        unsound: ``"reproduction"``: compute laws of a calibration that is not private.

    Raises:
        ValueError: a parameter out of range.
        PrivacyError: a calibration that is not private, without ``unsound="reproduction"``.

    >>> import dpselect as dps
    >>> dps.mechanism("smooth-noisy-max", calibration="chaves-2024", sides=1)
    mechanism('smooth-noisy-max', calibration='chaves-2024', noise='student-t', sides=1)
    """
    _require(noise, sides, delta, sigma, phi, alpha, exponent, floor)
    certified = noise == "student-t" and sides == 1 and exponent == "theorem" and not floor
    if unsound not in (None, "reproduction"):
        raise InputError('unsound is "reproduction" or left out.')
    if unsound is None and not certified:
        raise PrivacyError(
            'This published calibration is not private: pass unsound="reproduction" to compute its law, or use the '
            "sound calibration."
        )
    pmf = noises.laplace_log_normal(sigma, sides) if noise == "laplace-log-normal" else _KINDS[noise](sides)
    parameters: dict[str, Any] = {"calibration": "chaves-2024", "noise": noise, "sides": sides}
    if exponent == "printed" or floor:
        parameters |= {"exponent": exponent, "floor": floor}
    if unsound is not None:
        parameters["unsound"] = unsound
    calibrate = partial(_calibrate, noise=noise, delta=delta, sigma=sigma, phi=phi, alpha=alpha)
    if exponent == "printed":
        calibrate = partial(_at_epsilon, calibrate=calibrate)
    kind = SmoothMechanism if unsound is None else UnsoundMechanism
    return kind(
        "smooth-noisy-max",
        "As published, for reproduction.",
        partial(_weigh, calibrate=calibrate, limited=unsound is None, floor=Fraction(floor)),
        noisy_max(pmf),
        parameters,
    )


def _require(
    noise: str, sides: int, delta: float, sigma: float, phi: float, alpha: str, exponent: str, floor: float
) -> None:
    if noise not in (*_KINDS, "laplace-log-normal"):
        raise InputError(f'noise must be "student-t", "laplace" or "laplace-log-normal", not {noise!r}.')
    if sides not in (1, 2) or alpha not in ("printed", "released"):
        raise InputError('sides is 1 or 2, and alpha is "printed" or "released".')
    if exponent not in ("theorem", "printed") or not 0 <= floor < 1:
        raise InputError('exponent is "theorem" or "printed", and floor at least 0 and below 1.')
    if not (0 < delta < 1 and 0 < phi < 1 and 0 < sigma <= 2):
        raise InputError("delta and phi lie between 0 and 1, and sigma between 0 and 2.")


def _calibrate(
    _: int, epsilon: Fraction, *, range_bound: int, noise: str, delta: float, sigma: float, phi: float, alpha: str
) -> tuple[Fraction, Fraction]:
    if noise == "student-t":
        # |T| = sqrt 3 |Z|, and the scale b / alpha has a sqrt 3 below.
        return epsilon / 8, range_bound * 4 / epsilon
    if noise == "laplace":
        beta = epsilon / Fraction(2 * math.log(2 / delta))
        return beta, range_bound / (epsilon if alpha == "released" else epsilon / 2)
    share = Fraction(math.exp(-1.5 * sigma**2)) * Fraction(1 - phi)
    return Fraction(phi) * epsilon * Fraction(sigma), range_bound / (share * epsilon)


def _at_epsilon(
    candidates: int, epsilon: Fraction, *, range_bound: int, calibrate: Calibrate
) -> tuple[Fraction, Fraction]:
    """Return beta = epsilon and the same c."""
    return epsilon, calibrate(candidates, epsilon, range_bound=range_bound)[1]


def _weigh(scores: Scores, epsilon: Fraction, calibrate: Calibrate, limited: bool, floor: Fraction) -> SmoothScores:
    if limited:
        epsilon = min(epsilon, Fraction(LARGEST))
        # In units of the noise scores slide by b / c.
        if not is_certain(HeavyTail(0), max(len(scores), 2), epsilon, epsilon / 8, epsilon / 4):
            raise PrivacyError(
                "This published calibration is certified for up to 250 candidates, and not for this many at this "
                "epsilon: use the sound calibration."
            )
    return weigh(scores, epsilon, calibrate, lambda scores, beta: max(of_each(scores, beta), floor))
