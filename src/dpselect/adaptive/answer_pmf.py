"""The exact law of a whole answer, for audits: metafeatures, choice and option together, on a tiny database."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dpselect.adaptive.adaptive_algorithm import AdaptiveAlgorithm
from dpselect.adaptive.metafeature import paid_count
from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.mechanisms.pmf import discrete_laplace as log_pmf

OptionLaw = Callable[[Any, Any], Mapping[Any, float]]


def answer_pmf(
    maker: AdaptiveAlgorithm, database: Any, epsilon: Epsilon, pmfs: Mapping[str, OptionLaw], window: tuple[int, int]
) -> dict[Any, float]:
    """Return the probability of every (released metafeatures, option, answer) of ``maker.answer``.

    The policy that answers chooses for every released value, and each option is asked for its law at the epsilon that
    it would receive. Releases outside the window are one outcome, ``"outside"``: forgetting is post-processing, and the
    same on every database. A maker that always takes one option releases nothing else: (option, answer).

    Args:
        maker: trained; its paid metafeatures have integer sensitivities.
        database: a small one.
        epsilon: of the whole answer.
        pmfs: option to (database, epsilon) to the probabilities of its answers.
        window: the least and the largest release that is listed, of every metafeature.

    Raises:
        ValueError: not trained, or an epsilon outside the trained grid; a paid metafeature that is not an integer.
    """
    total, values = maker._ready(database, epsilon)
    assert maker.trained is not None
    if maker.trained.beyond(total):
        raise InputError(
            "Epsilon is outside the trained grid, where nothing is measured: audit the safest option alone."
        )
    if maker.trained.always is not None:
        option = maker.trained.always
        return {(option, answer): chance for answer, chance in pmfs[option](database, total).items()}
    many = paid_count(maker.metafeatures)
    each = total * maker.share / max(many, 1)
    chances = []
    for metafeature in maker.metafeatures:
        value = values[metafeature.name]
        if metafeature.public:
            chances.append({float(value): 1.0})
            continue
        if not isinstance(metafeature.sensitivity, int):
            raise InputError(f"Metafeature {metafeature.name!r} is not an integer: its releases cannot be listed.")
        listed = np.arange(window[0], window[1] + 1)
        logs = log_pmf(listed - int(value), exact_epsilon(each / metafeature.sensitivity))
        chances.append(dict(zip(listed.astype(float).tolist(), np.exp(logs).tolist(), strict=True)))
    releases = [
        (
            {fact.name: value for fact, (value, _) in zip(maker.metafeatures, each, strict=True)},
            [weights for _, weights in each],
        )
        for each in itertools.product(*(each.items() for each in chances))
    ]
    policy, left = maker.trained.policy, total * (1 - maker.share)
    chosen = policy.choose(np.array([policy.recipe.feature_row(known, float(left)) for known, _ in releases]))[0]
    result: dict[Any, float] = {}
    own_pmfs = {place: pmfs[policy.options[place]](database, left) for place in np.unique(chosen).tolist()}
    for (known, parts), place in zip(releases, chosen.tolist(), strict=True):
        for answer, share in own_pmfs[place].items():
            result[(*known.values(), policy.options[place], answer)] = float(np.prod(parts)) * share
    result["outside"] = max(0.0, 1.0 - sum(result.values()))
    return result
