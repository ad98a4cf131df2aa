"""Smooth Noisy Max with light-tailed noise, built: with a public clip, with a delta, or as a law.

    exponential, laplace        pure epsilon with ``clip=`` or ``floor=`` (``clip``); (epsilon, delta) with ``delta=``
                                (``light_tails``); drawn exactly
    laplace-log-normal          (epsilon, delta) with ``delta=`` (``log_normal``); numeric, so of laws only

References: Chaves 2024, Lemma 2.20 and Algorithm 3, whose calibrations of these noises are not private.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import exact_delta, exact_positive
from dpselect.mechanisms.base import Mechanism, SmoothMechanism, UnsoundMechanism
from dpselect.mechanisms.sampler import LAPLACE, PERMUTE_AND_FLIP, Sampler, noisy_max
from dpselect.mechanisms.smooth import clip as clips
from dpselect.mechanisms.smooth import light_tails, log_normal
from dpselect.mechanisms.smooth.noise_distributions import laplace_log_normal
from dpselect.mechanisms.smooth.scale import Calibrate
from dpselect.mechanisms.smooth.share import weigh_scores

LOG_NORMAL = "laplace-log-normal"
LIGHT = ("exponential", "laplace", LOG_NORMAL)
_NAME = "smooth-noisy-max"
_CLIPPED_DRAWS = {"exponential": clips.clipped_flip, "laplace": clips.clipped_laplace}
_UNCLIPPED_DRAWS = {"exponential": PERMUTE_AND_FLIP, "laplace": LAPLACE}
_FLOOR = 0.001
# A clip beyond this is none; below it all candidates would be nearly alike.
_SHALLOW, _DEEP = Fraction(1, 100), Fraction(10**6)
_NOT_DRAWN = (
    "Laplace-log-normal noise has a law and is not released: its constants are computed in floats, and floats must not "
    'be drawn. Use mechanism("smooth-noisy-max", noise="exponential").'
)


def light_noisy_max(
    noise: str,
    phi: float | None,
    *,
    clip: Any = None,
    floor: Any = None,
    delta: Any = None,
    sigma: float | None = None,
) -> Mechanism:
    """Return Smooth Noisy Max with light-tailed noise.

    Args:
        noise: ``"exponential"`` (one-sided), ``"laplace"`` or ``"laplace-log-normal"`` (one-sided).
        phi: the public share of epsilon that pays for the moving scale, or ``None`` for what the scores declare.
        clip: how many units of noise a candidate counts as behind the best at most, a public number.
        floor: the same as a probability of an error: that of all hopeless candidates together; 0.001 if nothing else
            is named.
        delta: no clip, and a promise of (epsilon, delta) for each selection.
        sigma: of Laplace-log-normal noise, 0.5 unless it is named.

    Raises:
        ValueError: two of clip, floor and delta, a sigma that this noise does not take, a parameter out of range, or a
            noise that needs a delta without one.
    """
    if noise != LOG_NORMAL and sigma is not None:
        raise InputError(f"{noise} noise has no sigma: leave it out.")
    passed = [name for name, each in (("clip=", clip), ("floor=", floor), ("delta=", delta)) if each is not None]
    if len(passed) > 1:
        raise InputError(f"{noise} noise takes one of clip=, floor= and delta=, not {' and '.join(passed)}.")
    parameters: dict[str, Any] = ({} if phi is None else {"phi": phi}) | {"noise": noise}
    if noise == LOG_NORMAL:
        if clip is not None or floor is not None or delta is None:
            raise InputError("Laplace-log-normal noise is calibrated with a delta and no clip: pass delta=.")
        return _of_pmfs(phi, parameters, _delta(delta), 0.5 if sigma is None else sigma)
    if delta is not None:
        exact = _delta(delta)
        calibrate = partial(light_tails.calibrate, noise=noise, delta=exact)
        return _smooth_mechanism(_UNCLIPPED_DRAWS[noise], calibrate, phi, parameters | {"delta": delta}, exact)
    if clip is not None:
        units = exact_positive(clip, "clip")
        if not _SHALLOW <= units <= _DEEP:
            raise InputError("clip must be between 0.01 and 1,000,000 units of noise, for example 8.")
        cut: clips.Clip = partial(clips.constant_clip, units)
        parameters["clip"] = clip
    else:
        chance = _FLOOR if floor is None else floor
        exact = exact_positive(chance, "floor")
        if exact > Fraction(1, 10):
            raise InputError("floor must be a small probability of an error, at most 0.1, for example 0.001.")
        cut = partial(clips.depth, noise, exact)
        parameters["floor"] = chance
    return _smooth_mechanism(_CLIPPED_DRAWS[noise](cut), partial(clips.calibrate, clip=cut), phi, parameters)


def _smooth_mechanism(
    sampler: Sampler, calibrate: Calibrate, phi: Any, parameters: dict[str, Any], delta: Fraction = Fraction(0)
) -> SmoothMechanism:
    summary = "Where only a smooth bound is known that grows slowly, or there are many candidates."
    return SmoothMechanism(_NAME, summary, weigh_scores(calibrate, phi), sampler, parameters, delta)


def _of_pmfs(phi: Any, parameters: dict[str, Any], delta: Fraction, sigma: float) -> UnsoundMechanism:
    if not 0.1 <= sigma <= 2:
        raise InputError("sigma must be between 0.1 and 2: where the quadrature of this noise is good.")
    return UnsoundMechanism(
        _NAME,
        "The law of a noise that is never the best, for comparison.",
        weigh_scores(partial(log_normal.calibrate, delta=delta, sigma=float(sigma)), phi),
        noisy_max(laplace_log_normal(float(sigma), 1)),
        parameters | {"delta": float(delta), "sigma": sigma},
        delta,
        because=_NOT_DRAWN,
    )


def _delta(delta: Any) -> Fraction:
    exact = exact_delta(delta)
    if not exact:
        raise InputError("delta must be positive: without one, pass clip= or floor= instead.")
    return exact
