"""Synthesis without a formula: forms from a small public grammar, and the simplest that predicts groups left out.

    loss = a
    loss = a + b * fact
    loss = a + b * fact ** p
    loss = a + b * fact ** p * epsilon ** q
    loss = a + b * share * other ** p
    loss = a + b * share * other * epsilon ** q
    loss = a + b * (fact > c)
    loss = a + b * share * (fact > c)

A fact is a metafeature, a derived feature or ``epsilon``; p and q are from a public list. Share and other are different
facts, or 1 minus a fact that lies between 0 and 1 on all public databases; c is one of seven values between those of
the public databases. For each form and each group left out the constants are fitted by weighted least squares of
relative errors, a group counting once; a form is judged by its squared error of ln loss on the groups left out. The
simplest form is taken whose mean is within one standard error of the least: fewer constants, exponents and factors
first, then the least error.

References: Imola and Yang 2018, chapter 5 (program synthesis of a prediction such as 0.9 - sparsity ** 1.5, and of
another definition of a metafeature) and its example ``uniformity * (1 - sparsity)``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.adaptive.adaptive_algorithm import AdaptiveAlgorithm
from dpselect.adaptive.policy import Recipe
from dpselect.kernel.errors import InputError

Floats = NDArray[np.float64]
POWERS = (-2.0, -1.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0, 3.0)
# Thresholds that are tried for every fact.
_THRESHOLDS = 7
# Rounds of least squares, each weighted by what the last one predicted.
_ROUNDS = 4
_LEAST = 1e-12


@dataclass(frozen=True)
class _Form:
    """A form and what its term is worth on every cell.

    Attributes:
        text: as ``fit_prediction`` reads it.
        complexity: constants and exponents that are written.
        term: shape (cells,); zeros where the loss is a constant.
    """

    text: str
    complexity: int
    term: Floats


def search_formulas(
    maker: AdaptiveAlgorithm, *, facts: Sequence[str] | None = None, powers: Sequence[float] = POWERS
) -> dict[str, str]:
    """Return for every option the simplest formula that predicts its loss on groups left out, for ``fit_prediction``.

    Args:
        maker: trained, on at least three groups.
        facts: names of metafeatures, derived features or ``epsilon``; all of them unless named.
        powers: public exponents to try.

    Raises:
        ValueError: not trained, or on fewer groups; an unknown fact; no power, or one of 0.

    >>> from dpselect.adaptive import Metafeature, Option
    >>> options = [Option("root", lambda x, e: 3 + 2 * len(x) ** 0.5), Option("even", lambda x, e: 7.0)]
    >>> maker = AdaptiveAlgorithm(options, [Metafeature("rows", len, public=True)], lambda x, a: a, learner="fixed")
    >>> public = {str(n): "x" * n for n in (2, 5, 9, 30, 70, 200)}
    >>> search_formulas(maker.train(public, [1, 2], 1, jobs=1))
    {'root': 'a + b * rows ** 0.5', 'even': 'a'}
    """
    groups = {} if maker.trained is None else maker.trained.traces.groups
    if maker.trained is None or len(set(groups.values())) < 3:
        raise InputError("Search with a choice maker that is trained on at least three groups of databases.")
    if not powers or any(not np.isfinite(power) or power == 0 for power in powers):
        raise InputError("powers are numbers other than 0: what a fact is raised to.")
    options = maker.trained.policy.options
    means = maker.trained.traces.means(options)
    recipe = maker.trained.policy.recipe
    known = _known_facts(recipe, maker.trained.traces.values(), list(means))
    unknown = set(facts or ()) - set(known)
    if unknown:
        raise InputError(f"The fact {sorted(unknown)[0]!r} does not exist: take {', '.join(known)}.")
    forms = _forms({name: known[name] for name in facts or known}, known["epsilon"][1], powers)
    owners = np.array([groups[database] for database, _ in means])
    # The constant a of a form takes up what is added.
    losses = np.maximum(np.array(list(means.values())) + recipe.loss_offset, _LEAST)
    return {name: _simplest(forms, losses[:, place], owners) for place, name in enumerate(options)}


def _known_facts(
    recipe: Recipe, values: Mapping[str, Mapping[str, float]], cells: Sequence[tuple[str, float]]
) -> dict[str, tuple[str, Floats]]:
    """Return by name how a fact is written, and its value on every cell."""
    result: dict[str, tuple[str, Floats]] = {}
    columns: dict[str, Floats] = {"epsilon": np.array([epsilon for _, epsilon in cells])}
    for each in recipe.metafeatures:
        columns[each.name] = np.array([values[database][each.name] for database, _ in cells])
        # Noise may carry a released fact below 0, where powers have no value.
        result[each.name] = (each.name if each.public else f"max({each.name}, 0)", columns[each.name])
    for name, formula in recipe.derived.items():
        result[name] = (f"({formula.text})", np.broadcast_to(formula(columns), len(cells)).astype(np.float64))
    return {**result, "epsilon": ("epsilon", columns["epsilon"])}


def _forms(facts: Mapping[str, tuple[str, Floats]], epsilons: Floats, powers: Sequence[float]) -> list[_Form]:
    """Return the forms of the grammar that have a value, and more than one, on every cell; simplest first."""
    with np.errstate(all="ignore"):
        of_epsilon = [_power("epsilon", epsilons, power) for power in powers]
        terms: list[_Form] = []
        for name, (text, values) in facts.items():
            own = [_power(text, values, power) for power in powers]
            terms += own if name == "epsilon" else [*own, *_products(own, of_epsilon)]
        named = {name: fact for name, fact in facts.items() if name != "epsilon"}
        for name, fact in named.items():
            steps = _steps(*fact)
            terms += steps
            for other, (text, values) in named.items():
                if other == name:
                    continue
                shares = _shares(text, values)
                terms += _products(shares, steps)
                powered = [_power(*fact, power) for power in powers if power != 1]
                # A product of two plain factors is written once, in the order of the facts.
                plain = _products(shares, _shares(*fact)) if list(named).index(other) < list(named).index(name) else []
                terms += [*_products(shares, powered), *plain, *_products(plain, of_epsilon)]
            # 1 minus a fact alone is the fact with other constants.
            terms += _products(_shares(*fact)[1:], of_epsilon)
    telling = [term for term in terms if np.isfinite(term.term).all() and np.ptp(term.term) > 0]
    forms = [_Form(f"a + b * {term.text}", 2 + term.complexity, term.term) for term in telling]
    return sorted([_Form("a", 1, np.zeros(epsilons.size)), *forms], key=lambda form: form.complexity)


def _power(text: str, values: Floats, power: float) -> _Form:
    return _Form(text if power == 1 else f"{text} ** {_number(power)}", int(power != 1), values**power)


def _shares(text: str, values: Floats) -> list[_Form]:
    """Return a fact, and 1 minus it where it lies between 0 and 1 on all public databases."""
    fact = _Form(text, 0, values)
    if values.min() < 0 or values.max() > 1:
        return [fact]
    return [fact, _Form(f"(1 - {text})", 0, 1 - values)]


def _steps(text: str, values: Floats) -> list[_Form]:
    """Return what is 1 above a threshold between two public values, and 0 below."""
    own = np.unique(values)
    between = (own[1:] + own[:-1]) / 2
    places = np.unique(np.linspace(0, max(between.size - 1, 0), _THRESHOLDS).round().astype(int))
    thresholds = sorted({f"{each:.3g}" for each in between[places if between.size else []].tolist()}, key=float)
    return [_Form(f"({text} > {each})", 1, (values > float(each)).astype(float)) for each in thresholds]


def _products(some: Sequence[_Form], others: Sequence[_Form]) -> list[_Form]:
    return [
        _Form(f"{one.text} * {other.text}", one.complexity + other.complexity + 1, one.term * other.term)
        for one in some
        for other in others
    ]


def _number(power: float) -> str:
    return f"{power:g}" if power > 0 else f"({power:g})"


def _simplest(forms: Sequence[_Form], losses: Floats, owners: NDArray[Any]) -> str:
    """Return the text of the simplest form within one standard error of the least held-out error."""
    groups, terms = np.unique(owners), np.array([_even(form.term) for form in forms])
    errors = np.stack([_loss_error(terms, losses, owners, group) for group in groups], axis=1)
    means = errors.mean(axis=1)
    best = int(means.argmin())
    allowed = means[best] + errors[best].std(ddof=1) / np.sqrt(groups.size)
    within = [place for place in range(len(forms)) if means[place] <= allowed]
    least = min(forms[place].complexity for place in within)
    return forms[min((place for place in within if forms[place].complexity == least), key=lambda i: means[i])].text


def _even(term: Floats) -> Floats:
    """Return a term moved and scaled to mean 0 and deviation 1, which the constants undo."""
    return np.asarray((term - term.mean()) / max(float(term.std()), 1e-300))


def _loss_error(terms: Floats, losses: Floats, owners: NDArray[Any], group: Any) -> Floats:
    """Return the mean squared error of ln loss on a group, with constants from the others, shape (forms,)."""
    out = owners == group
    constant, factor = _fit_forms(terms[:, ~out], losses[~out], _weights(owners[~out]))
    guess = constant[:, None] + factor[:, None] * terms[:, out]
    return np.asarray(np.mean((np.log(np.maximum(guess, _LEAST)) - np.log(losses[out])) ** 2, axis=1))


def _weights(owners: NDArray[Any]) -> Floats:
    _, which, many = np.unique(owners, return_inverse=True, return_counts=True)
    return np.asarray(1.0 / many[which])


def _fit_forms(terms: Floats, losses: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return a and b of least weighted relative error of a + b * term, for every form, shape (forms,) each."""
    scale = np.broadcast_to(losses, terms.shape)
    constant = factor = np.zeros(terms.shape[0])
    for _ in range(_ROUNDS):
        by = weights / scale**2
        mass, first, second = by.sum(axis=1), (by * terms).sum(axis=1), (by * terms**2).sum(axis=1)
        whole, part = (by * losses).sum(axis=1), (by * terms * losses).sum(axis=1)
        spread = mass * second - first**2
        fits = spread > 1e-12 * mass * (mass + second)
        factor = np.where(fits, (mass * part - first * whole) / np.where(fits, spread, 1.0), 0.0)
        constant = (whole - factor * first) / mass
        # What is predicted near 0 or below must not rule the next round.
        scale = np.maximum(constant[:, None] + factor[:, None] * terms, 0.1 * losses)
    return constant, factor
