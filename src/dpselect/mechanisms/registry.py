"""The mechanisms by published name: where text becomes a mechanism, and a rule chooses where none is named."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from functools import cache
from typing import Any

from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.mechanisms.base import KINDS, Mechanism, UnitMechanism
from dpselect.mechanisms.exponential import exponential
from dpselect.mechanisms.generalised_exponential import generalised_exponential
from dpselect.mechanisms.inverse_sensitivity import inverse_sensitivity
from dpselect.mechanisms.joint_top_k import JOINT
from dpselect.mechanisms.local_dampening import local_dampening, local_dampening_flip
from dpselect.mechanisms.noisy_max_laplace import noisy_max_laplace
from dpselect.mechanisms.permute_and_flip import permute_and_flip
from dpselect.mechanisms.shifted_local_dampening import (
    shifted_local_dampening,
    shifted_local_dampening_flip,
)
from dpselect.mechanisms.smooth.local_dampening_t import local_dampening_t
from dpselect.mechanisms.smooth.smooth_noisy_max import smooth_noisy_max
from dpselect.mechanisms.smooth.smooth_private_selection import smooth_private_selection
from dpselect.scores.grouped_scores import CandidateSource
from dpselect.scores.margin import MARGIN
from dpselect.scores.scores import Scores, require_scores

MECHANISMS: dict[str, Callable[..., Mechanism]] = {
    "permute-and-flip": permute_and_flip,
    "exponential": exponential,
    "noisy-max-laplace": noisy_max_laplace,
    "generalised-exponential": generalised_exponential,
    "inverse-sensitivity": inverse_sensitivity,
    "local-dampening": local_dampening,
    "local-dampening-flip": local_dampening_flip,
    "local-dampening-t": local_dampening_t,
    "smooth-noisy-max": smooth_noisy_max,
    "smooth-private-selection": smooth_private_selection,
    "shifted-local-dampening": shifted_local_dampening,
    "shifted-local-dampening-flip": shifted_local_dampening_flip,
}

# What every parameter called ``mechanism`` takes.
Named = str | Mechanism


def mechanism(name: str, **parameters: Any) -> Mechanism:
    """Return the mechanism of that name.

    Args:
        name: one of ``MECHANISMS``.
        **parameters: public parameters: ``direction=`` for the shifted ones, ``margin=`` for
            generalised-exponential; ``phi=``, ``gamma=`` and ``sides=`` for smooth-private-selection. For
            smooth-noisy-max ``phi=`` and ``noise=``: ``"student-t"``, ``"cauchy-2"``, ``"cauchy-4"``, or
            ``"exponential"`` and ``"laplace"``, which take one of ``clip=``, ``floor=`` and ``delta=``.

    Raises:
        ValueError: no such mechanism (the message names the nearest), or a parameter out of range.
        TypeError: a parameter that this mechanism does not take.

    >>> mechanism("shifted-local-dampening", direction="growing")
    mechanism('shifted-local-dampening', direction='growing')
    """
    if name not in MECHANISMS:
        near = difflib.get_close_matches(str(name), MECHANISMS, n=3, cutoff=0.4) or list(MECHANISMS)
        raise InputError(f"The mechanism {name!r} does not exist: did you mean {' or '.join(near)}?")
    try:
        return MECHANISMS[name](**parameters)
    except TypeError:
        names = ", ".join(parameters)
        raise InputTypeError(f"{name} does not take {names}: see help(dpselect.mechanism).") from None


def require_mechanism(mechanism: Any) -> Mechanism:
    """Return the mechanism, by its name where it is text, or say how to get one.

    Raises:
        ValueError: no mechanism has this name.
        TypeError: neither a Mechanism nor text.

    >>> require_mechanism("exponential")
    mechanism('exponential')
    """
    if isinstance(mechanism, KINDS):
        require_own_name(mechanism)
        return mechanism
    if isinstance(mechanism, str):
        return _by_name(mechanism)
    raise InputTypeError(
        'mechanism is a name, such as "permute-and-flip", or comes from dpselect.mechanism(name), or is a '
        "UnitMechanism of your own (dpselect.mechanisms)."
    )


def require_own_name(mechanism: Mechanism) -> None:
    """Refuse a mechanism of a user's own that bears a name of ours (``ValueError``): records and bounds go by it."""
    if not isinstance(mechanism, UnitMechanism) or mechanism.name not in MECHANISMS:
        return
    ours = _ours(mechanism.name)
    if (_function(mechanism.effective), mechanism.sampler) != (_function(ours.effective), ours.sampler):
        raise InputError(f"{mechanism.name} is the name of a mechanism of dpselect: give yours another.")


@cache
def _ours(name: str) -> Any:
    return _by_name(name)


def _function(effective: Any) -> Any:
    return getattr(effective, "func", effective)


def default_mechanism(scores: Scores | None) -> Mechanism:
    """Return what draws where no mechanism is named: by a public rule, the same on every database.

    What the scores say suits them (``Scores(suits=)``); else permute-and-flip where constants bound the scores, which
    is never worse than the exponential mechanism; smooth-noisy-max where only a smooth bound is known; and
    local-dampening-flip where the sensitivity grows with the distance.

    Args:
        scores: what will be released; ``None`` where candidates of an engine have profiles.

    >>> import dpselect as dps
    >>> default_mechanism(dps.Scores([1, 0], 1))
    mechanism('permute-and-flip')
    >>> default_mechanism(dps.Scores([1, 0], dps.sensitivity.local(lambda t: 1 + t, ceiling=9)))
    mechanism('local-dampening-flip')
    """
    if scores is None:
        return local_dampening_flip()
    known = require_scores(scores).sensitivity
    if scores.default_mechanism is not None:
        return permute_and_flip() if scores.default_mechanism == MARGIN else _by_name(scores.default_mechanism)
    if known.smoothed is not None:
        return smooth_noisy_max()
    return permute_and_flip() if known.fixed or known.bounds is not None else local_dampening_flip()


def mechanism_for(scores: Any, mechanism: Named | None, method: str | None) -> Mechanism:
    """Return what draws a release: what is named, else by the public rule; scores may stay in an engine.

    Raises:
        ValueError, TypeError: as :func:`require_mechanism`; what is neither Scores nor candidates.
    """
    if mechanism is not None:
        return require_mechanism(mechanism)
    if method == JOINT:
        return exponential()
    stored = not isinstance(scores, Scores) and isinstance(scores, CandidateSource)
    return default_mechanism(scores.example() if stored else require_scores(scores))


# The parameters of the same name hide the function inside.
_by_name = mechanism
