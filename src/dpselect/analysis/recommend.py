"""Recommend a mechanism for scores, from exact laws, on data that may be looked at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from dpselect._display.html_table import grid, table
from dpselect.analysis.accuracy import expected_error
from dpselect.analysis.share_tuning import FAMILIES, tune_shares
from dpselect.kernel.errors import InputError, PrivacyError
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.mechanisms import MECHANISMS, mechanism
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.registry import require_mechanism
from dpselect.scores.margin import margin
from dpselect.scores.scores import Scores, require_scores

_DATA = ("public", "example")
# What looks at zero, and by which share a declaration must lower the error to be mentioned.
_DAMPENING, _GAIN = ("local-dampening", "local-dampening-flip", "local-dampening-t"), 0.01


@dataclass(frozen=True)
class Recommendation:
    """Advice on the mechanism for data like these, and its reason.

    Attributes:
        mechanism: the one with the least expected error.
        sentence: the advice in words.
        table: (name, exact expected error, why not) for every mechanism; smooth ones with each noise
            that is tried, at its best share. The error is ``nan`` where it does not apply and
            the last entry then says why. Sorted, best first.
    """

    mechanism: Mechanism
    sentence: str
    table: tuple[tuple[str, float, str], ...]

    def _repr_html_(self) -> str:
        rows = [(name, why or _error_text(error)) for name, error, why in self.table]
        return table("Recommendation", [("advice", self.sentence)]) + grid(("mechanism", "expected error"), rows)

    def __str__(self) -> str:
        lines = [self.sentence, "", f"{'mechanism':<38} {'expected error':>14}"]
        lines += [
            f"{name:<38} {_error_text(error):>14}" if not why else f"{name:<38} {why}"
            for name, error, why in self.table
        ]
        return "\n".join(lines)


def _error_text(error: float) -> str:
    """Return six digits; what is less than the rounding of chances is 0."""
    return f"{error:.6g}" if not error < 1e-12 else "0"


def recommend(
    scores: Scores, *, epsilon: Epsilon, data: str | None = None, mechanisms: Iterable[str | Mechanism] = ()
) -> Recommendation:
    """Compare the exact expected errors of all mechanisms that apply, and of your own, and name the best.

    Smooth mechanisms are tried with the noises of :func:`tune`, each with its best share phi: Student t, both Cauchy
    and exponential noise, and gamma 2, 4 and 6. Not tried: Laplace noise, another clip or floor than the default one,
    a delta, and margins and directions other than the default ones. Where :func:`dpselect.utilities.margin` of the
    scores errs less than all of them, the sentence says so.

    A choice made by looking at private scores leaks, so the data must be declared: ``"public"`` for data anybody may
    see, ``"example"`` for made-up or past data that resemble the private ones.

    Args:
        scores: of the public or example database.
        epsilon: of one selection.
        data: ``"public"`` or ``"example"``.
        mechanisms: further ones, such as your own.

    Raises:
        PrivacyError: ``data`` is missing or something else.
        ValueError: epsilon is not positive and finite; two mechanisms have one name.
        TypeError: one of ``mechanisms`` is none.

    >>> import dpselect as dps
    >>> votes = dps.Scores([60, 40, 5], sensitivity=1, range_bound=1, kind="integer")
    >>> print(recommend(votes, epsilon=0.1, data="example").sentence)
    Use permute-and-flip: on data like these its expected error is 1.46 at epsilon 1/10.
    """
    total = _require_public(scores, epsilon, data)
    smooth = tune_shares(scores, total)
    found = [(each.name, each.error, each.why) for each in smooth]
    considered = _with_others(mechanisms, {each.name for each in smooth})
    for name, each in considered.items():
        try:
            found.append((name, expected_error(scores, epsilon=total, mechanism=each), ""))
        except (PrivacyError, ValueError) as reason:
            found.append((name, float("nan"), str(reason)))
    advice = _advice(considered | {each.name: each.mechanism for each in smooth}, found, total)
    least = advice.table[0][1]
    return replace(
        advice, sentence=advice.sentence + _zero_advice(scores, total, least) + _by_margins(scores, total, least)
    )


def tune(scores: Scores, *, epsilon: Epsilon, data: str | None = None) -> Recommendation:
    """Compare smooth mechanisms by the exact expected error, each with its best share phi, and say which to use.

    For scores of which only a smooth bound is known, or where dampening does not apply; :func:`recommend` compares
    these and all other mechanisms. Not tried: Laplace noise, another clip or floor than the default one, and a delta.
    A choice made by looking at private scores leaks, so the data must be declared.

    Args:
        scores: of a public or example database like the private one.
        epsilon: of one selection.
        data: ``"public"`` or ``"example"``.

    Raises:
        PrivacyError: ``data`` is missing or something else; the sensitivity has no public ceiling.
        ValueError: epsilon is not positive and finite.

    >>> import dpselect as dps
    >>> safe = dps.sensitivity.local(lambda t: float(t >= 20), ceiling=1.0)
    >>> scores = dps.Scores([1, 0, 0], safe, kind="integer")
    >>> advice = tune(scores, epsilon=1, data="example")
    >>> advice.mechanism.parameters["phi"] > 0.5, advice.table[0][1] < 1e-6
    (True, True)

    Limits: A default share is a guess. Smooth mechanisms give 7/10 of epsilon to the moving scale of 0/1 scores, which
    is right where they are safe for some steps and wrong where one change can move the winner: there no share helps
    below an epsilon of about 10, and above it a small one does. Nor is the default clip of light tails the best one.
    ``dps.tuning.tune`` finds the share on data that may be looked at, but not the clip (which noise when).
    """
    total = _require_public(scores, epsilon, data)
    smooth = tune_shares(scores, total)
    found = [(each.name, each.error, each.why) for each in smooth]
    return _advice({each.name: each.mechanism for each in smooth}, found, total)


def _require_public(scores: Scores, epsilon: Epsilon, data: str | None) -> Fraction:
    """Return epsilon for data that may be looked at, or refuse."""
    require_scores(scores)
    if data not in _DATA:
        raise PrivacyError(
            'A mechanism chosen by looking at private scores leaks: pass data="public" or data="example" for scores '
            "of data that may be seen, and use the mechanism it names on the private ones."
        )
    return exact_epsilon(epsilon)


def _with_others(others: Iterable[str | Mechanism], taken: set[str]) -> dict[str, Mechanism]:
    """Return the library's mechanisms that are not tuned, and others, by the names of their rows."""
    considered = {name: mechanism(name) for name in MECHANISMS if name not in FAMILIES}
    for each in map(require_mechanism, others):
        name = each.describe()
        if name in taken or considered.setdefault(name, each) != each:
            raise InputError(f"There are two mechanisms named {name}: give yours a name of its own.")
    return considered


def _advice(considered: dict[str, Mechanism], found: list[tuple[str, float, str]], epsilon: Fraction) -> Recommendation:
    table = tuple(sorted(found, key=lambda row: (bool(row[2]), row[1])))
    best, error, why = table[0]
    if why:
        raise PrivacyError("No mechanism applies to these scores: pass a public ceiling of the sensitivity.")
    sentence = f"Use {best}: on data like these its expected error is {error:.3g} at epsilon {epsilon}."
    return Recommendation(considered[best], sentence + _caution(considered[best]), table)


def _zero_advice(scores: Scores, epsilon: Fraction, error: float) -> str:
    """Return what declaring zero would gain, "" where nothing: these scores may be looked at."""
    values = scores.values
    known = scores.sensitivity.smoothed is None
    if not known or scores.zero != "neutral" or not (values == 0).any() or not values.any():
        return ""
    zero = "best" if values.max() == 0 else "worst" if values.min() == 0 else ""
    if not zero:
        return ""
    relation = scores.neighbours.value
    declared = Scores(values, scores.sensitivity, neighbours=relation, range_bound=scores.range_bound, zero=zero)
    least, name = min(
        (expected_error(declared, epsilon=epsilon, mechanism=mechanism(name)), name) for name in _DAMPENING
    )
    if least > error * (1 - _GAIN):
        return ""
    side = "above" if zero == "best" else "below"
    return f' If no possible score is {side} 0, say zero="{zero}": then the expected error of {name} is {least:.3g}.'


def _by_margins(scores: Scores, epsilon: Fraction, error: float) -> str:
    """Return what margins would gain, "" where nothing, or where they do not apply."""
    if scores.sensitivity.fixed:
        return ""
    try:
        probabilities = mechanism("permute-and-flip").pmf(margin(scores, 1), epsilon)
    except (PrivacyError, ValueError):
        return ""
    least = float(probabilities @ (scores.values.max() - scores.values.astype(np.float64)))
    if least >= error * (1 - _GAIN):
        return ""
    return f" Still better are margins, dps.utilities.margin(scores, 1), by permute-and-flip: then it is {least:.3g}."


def _caution(best: Mechanism) -> str:
    """Return what the figure does not show."""
    if best.parameters.get("direction"):
        return f" Its direction, {best.parameters['direction']}, must be fixed before the private data is seen."
    if "phi" in best.parameters:
        return f" Its share, phi={best.parameters['phi']}, must be fixed before the private data is seen."
    return ""
