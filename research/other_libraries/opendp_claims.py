"""What is audited of OpenDP: noisy maxima, top k, quantiles and thresholds, through its public constructors."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from dpselect.audit.universe import multisets, score_vectors
from research.other_libraries.finding import Check, Outcome
from research.other_libraries.laws import ScoreLaw, noisy_max
from research.other_libraries.rules import ranked, selection, threshold

NOT_TESTED = (
    "Other functions than those above; other scales, thresholds and numbers of candidates than those drawn here.",
    "Scores that are floats, and numbers near the ends of the integers.",
    "Loss below what the draws can show: a law is believed when it is accepted and those beside it are rejected.",
    "Time, and what a program does around a measurement: chaining, contexts, Polars.",
)
_SCALE = 1.0
_SCORES = [2, 1, 0]
_CANDIDATES = (0, 1, 2, 3)
_RECORDS = [0, 1, 1, 2]
_LAWS = ("permute-and-flip", "exponential")
_BOTH, _SAME = (-1, 0, 1), (0, 1)
_LEAST = 3


def checks() -> list[Check]:
    """Return every check."""
    listed = []
    for measure in ("max_divergence", "zero_concentrated_divergence"):
        for moves, relation in ((_BOTH, "scores move either way"), (_SAME, "monotonic")):
            for function, k in (("make_noisy_max", 1), ("make_noisy_top_k", 2)):
                setting = f"{measure}, {relation}" + (f", k = {k}" if k > 1 else "")
                listed.append(Check(function, setting, _bound(_noisy, function, measure, moves, k)))
    for goal in ("max", "min"):
        listed.append(Check("make_report_noisy_max_gumbel", f"optimize={goal!r}", _bound(_gumbel, goal)))
    for measure in ("max_divergence", "zero_concentrated_divergence"):
        for share in (Fraction(1, 2), Fraction(1, 4)):
            setting = f"{measure}, alpha = {float(share)}, size unknown"
            listed.append(Check("make_private_quantile", setting, _bound(_quantile, measure, share)))
    listed.append(Check("make_composition", "ten queries of epsilon 0.1", _ten_tenths))
    listed.append(Check("make_privacy_filter", "queries of epsilon 0.1, budget 1", _filter))
    listed.append(Check("make_laplace_threshold", f"counts, threshold {_LEAST}", _laplace_threshold))
    listed.append(Check("make_gaussian_threshold", f"counts, threshold {_LEAST}", _gaussian_threshold))
    return listed


def _bound(check: Callable[..., Outcome], *arguments: Any) -> Callable[[], Outcome]:
    return lambda: check(*arguments)


def _tenth(dp: Any) -> tuple[Any, Any]:
    """Return a space, and a count in it at epsilon 0.1."""
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    return space, dp.t.make_count(*space) >> dp.m.then_laplace(scale=10.0)


def _ten_tenths() -> Outcome:
    """Add up floats: never less than the fractions."""
    dp = _prelude()
    _, count = _tenth(dp)
    said = dp.c.make_composition([count] * 10).map(1)
    return Outcome(f"epsilon = {said!r}", f"as floats, above the sum of fractions by {said - 1:.1g}", said >= 1)


def _filter() -> Outcome:
    """Ask until it refuses."""
    dp = _prelude()
    space, count = _tenth(dp)
    odometer = dp.c.make_fully_adaptive_composition(*space, output_measure=dp.max_divergence())
    asked, queries = dp.c.make_privacy_filter(odometer, d_in=1, d_out=1.0)([1, 2, 3]), 0
    try:
        while queries < 11:
            asked(count)
            queries += 1
    except dp.OpenDPException:
        pass
    return Outcome("epsilon = 1", f"{queries} queries are answered, of the 10 that fit", queries <= 10)


def _prelude() -> Any:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    return dp


def _space(dp: Any, moves: tuple[int, ...]) -> tuple[Any, Any]:
    return dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int, monotonic=moves == _SAME)


def _laws(k: int = 1, sign: int = 1) -> Mapping[str, ScoreLaw]:
    rate = 1 / Fraction(_SCALE)

    def signed(law: ScoreLaw) -> ScoreLaw:
        return lambda scores, factor: law([sign * score for score in scores], factor)

    return {name: signed(noisy_max(name, rate, k)) for name in _LAWS}


def _noisy(function: str, measure: str, moves: tuple[int, ...], k: int) -> Outcome:
    dp = _prelude()
    parameters = (k, _SCALE) if k > 1 else (_SCALE,)
    measurement = getattr(dp.m, function)(*_space(dp, moves), getattr(dp, measure)(), *parameters)
    return selection(
        (lambda: tuple(measurement(_SCORES))) if k > 1 else (lambda: measurement(_SCORES)),
        _SCORES,
        _laws(k),
        [score_vectors(2, 4, moves), score_vectors(3, 3, moves)],
        **_promised(measure, measurement.map(1)),
    )


def _gumbel(goal: str) -> Outcome:
    dp = _prelude()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        measurement = dp.m.make_report_noisy_max_gumbel(*_space(dp, _BOTH), _SCALE, goal)
    return selection(
        lambda: measurement(_SCORES),
        _SCORES,
        _laws(sign=1 if goal == "max" else -1),
        [score_vectors(2, 4), score_vectors(3, 3)],
        epsilon=measurement.map(1),
    )


def _quantile(measure: str, share: Fraction) -> Outcome:
    dp = _prelude()
    measurement = dp.m.make_private_quantile(
        dp.vector_domain(dp.atom_domain(T=int)),
        dp.symmetric_distance(),
        getattr(dp, measure)(),
        [*_CANDIDATES],
        float(share),
        _SCALE,
    )
    laws = {
        name: ranked(share, _CANDIDATES, lambda rank, name=name: noisy_max(name, rank / Fraction(_SCALE)))  # type: ignore[misc]
        for name in _LAWS
    }
    return selection(
        lambda: measurement(_RECORDS),
        _RECORDS,
        laws,
        [multisets(_CANDIDATES, most) for most in (1, 2, 6)],
        **_promised(measure, measurement.map(1)),
    )


def _promised(measure: str, loss: float) -> dict[str, float]:
    return {"epsilon": loss} if measure == "max_divergence" else {"rho": loss}


def _laplace_threshold() -> Outcome:
    dp = _prelude()
    space = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int)), dp.l01inf_distance(dp.absolute_distance(T=int))
    measurement = dp.m.make_laplace_threshold(*space, scale=_SCALE, threshold=_LEAST)
    epsilon, delta = measurement.map((1, 1, 1))
    claim = f"epsilon = {epsilon:g}, delta = {delta:.4g}"
    return threshold(
        lambda: measurement({"name": 1}).get("name"), "laplace", _SCALE, _LEAST, claim, delta, epsilon=epsilon
    )


def _gaussian_threshold() -> Outcome:
    dp = _prelude()
    space = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int)), dp.l02inf_distance(dp.absolute_distance(T=int))
    measurement = dp.m.make_gaussian_threshold(*space, scale=_SCALE, threshold=_LEAST)
    rho, delta = measurement.map((1, 1, 1))
    claim = f"rho = {rho:g}, delta = {delta:.4g}"
    return threshold(lambda: measurement({"name": 1}).get("name"), "gaussian", _SCALE, _LEAST, claim, delta)
