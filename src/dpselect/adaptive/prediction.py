"""Synthesis: a programmer writes how an option's loss depends on what is known, and constants are fitted from traces.

Constants are fitted option by option to ln of the mean losses, by least squares from several starts; every group of
databases counts once. Where a least loss is all but 0, losses and predictions enter with the recipe's added loss. The
same is done with each group left out, which gives the regret of choosing by the formula.

References: Imola and Yang 2018, section 4.3 (program synthesis for metafeatures' predictions).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.adaptive.adaptive_algorithm import AdaptiveAlgorithm
from dpselect.adaptive.formula import Formula
from dpselect.adaptive.option import Predict
from dpselect.adaptive.policy import MEASURING_DRAWS, Recipe
from dpselect.adaptive.regret import remaining
from dpselect.adaptive.traces import Traces
from dpselect.kernel.errors import InputError

Floats = NDArray[np.float64]
_STARTS = (0.1, 1.0, -1.0)
_MOST_STARTS = 27
# What a formula may predict; below or beyond, or without a value, it is as wrong as this.
_LEAST, _MOST = 1e-12, 1e12
_Cells = list[tuple[str, float, float]]


@dataclass(frozen=True, eq=False)
class Prediction:
    """A formula with its constants found.

    Attributes:
        formula: as written, by option.
        constants: found on all databases, by option.
        fit: share of the variance of ln loss that it explains, by option; 1 is perfect.
        held_out: the same on groups left out; below 0 where the mean would have been better.
        regret: mean, choosing by the formula on groups left out, metafeatures paid.
        learned: that of the learned policy, on the same cells.
    """

    formula: Mapping[str, Formula]
    constants: Mapping[str, Mapping[str, float]]
    fit: Mapping[str, float]
    held_out: Mapping[str, float]
    regret: float
    learned: float

    def predict(self, option: str) -> Predict:
        """Return the function of released metafeatures and epsilon that ``Option(predict=...)`` takes.

        Raises:
            ValueError: no such option.
        """
        if option not in self.formula:
            raise InputError(f"The option {option!r} does not exist: fitted are {', '.join(self.formula)}.")
        formula, constants = self.formula[option], dict(self.constants[option])

        def predicted(known: Mapping[str, float], epsilon: float) -> float:
            return float(_clip(formula({**known, **constants, "epsilon": epsilon})))

        return predicted

    def __str__(self) -> str:
        width = max(len(name) for name in self.formula)
        lines = [f"{'option':<{width}} {'fit':>6} {'held out':>9}   constants"]
        for name in self.formula:
            constants = ", ".join(f"{each} = {value:.4g}" for each, value in self.constants[name].items())
            lines.append(f"{name:<{width}} {self.fit[name]:6.3f} {self.held_out[name]:9.3f}   {constants}")
        lines.append(f"mean held-out regret {self.regret:.3f} by the formula, {self.learned:.3f} learned")
        return "\n".join(lines)


def fit_prediction(formula: str | Mapping[str, str], maker: AdaptiveAlgorithm) -> Prediction:
    """Fit the free constants of a formula to the traces of a trained choice maker.

    Args:
        formula: for all options, or by option; names that are neither a metafeature nor ``epsilon`` are its constants.
        maker: trained, on at least two groups.

    Raises:
        ValueError: not trained, or on one group; a formula for some options only, or one that reads nothing known.

    >>> from dpselect.adaptive import Metafeature, Option
    >>> options = [Option("steep", lambda x, e: 9 / float(e)), Option("flat", lambda x, e: len(x))]
    >>> maker = AdaptiveAlgorithm(options, [Metafeature("rows", len, public=True)], lambda x, a: a, learner="fixed")
    >>> trained = maker.train({"a": "x", "b": "x" * 5, "c": "x" * 30}, [1, 2, 4], 1, jobs=1)
    >>> found = fit_prediction({"steep": "a / epsilon", "flat": "a * rows ** b"}, trained)
    >>> {name: round(value, 3) for name, value in found.constants["flat"].items()}, round(found.regret, 3)
    ({'a': 1.0, 'b': 1.0}, 1.0)
    """
    if maker.trained is None or maker.trained.regret is None:
        raise InputError("Fit to a choice maker that is trained on at least two groups of databases.")
    traces, recipe, options = maker.trained.traces, maker.trained.policy.recipe, maker.trained.policy.options
    added = recipe.loss_offset
    formulas, constants = _fitted_formulas(formula, options, {*(each.name for each in recipe.metafeatures), "epsilon"})
    means, groups = traces.means(options), traces.groups

    def fitted(cells: Sequence[tuple[str, float]]) -> list[Floats]:
        facts, logs, weights = _table(traces, cells, means, recipe)
        return [
            _constants(formulas[name], constants[name], facts, logs[:, place], weights, added)
            for place, name in enumerate(options)
        ]

    whole = fitted(list(means))
    facts, logs, _ = _table(traces, list(means), means, recipe)
    outside, ratios = np.full(logs.shape, np.nan), dict[tuple[str, float], float]()
    places = {cell: place for place, cell in enumerate(means)}
    for group in dict.fromkeys(groups.values()):
        others = fitted([cell for cell in means if groups[cell[0]] != group])
        for cell in (cell for cell in means if groups[cell[0]] == group):
            row = {name: values[places[cell]] for name, values in facts.items()}
            outside[places[cell]] = [
                float(_ln(formulas[name], constants[name], others[place], row, added))
                for place, name in enumerate(options)
            ]
        chosen_for = [cell for cell in means if groups[cell[0]] == group and cell[1] in maker.trained.epsilons]
        for database, total in chosen_for:
            seen, left = _formula_inputs(traces, recipe, database, total)
            guesses = [_ln(formulas[name], constants[name], others[i], seen, added) for i, name in enumerate(options)]
            chosen = np.stack(np.broadcast_arrays(seen["epsilon"], *guesses)[1:], axis=1).argmin(axis=1)
            least = float(means[database, total].min())
            ratios[database, total] = (float(means[database, left][chosen].mean()) + added) / (least + added)
    inside = [_ln(formulas[name], constants[name], whole[i], facts, added) for i, name in enumerate(options)]
    return Prediction(
        formulas,
        {name: dict(zip(constants[name], whole[i].tolist(), strict=True)) for i, name in enumerate(options)},
        {name: _explained_variance(logs[:, i], inside[i]) for i, name in enumerate(options)},
        {name: _explained_variance(logs[:, i], outside[:, i]) for i, name in enumerate(options)},
        _grouped_mean(ratios, groups),
        maker.trained.regret.mean("learned"),
    )


def _formula_inputs(traces: Traces, recipe: Recipe, database: str, total: float) -> tuple[dict[str, Floats], float]:
    """Return what a formula is given on a database: metafeatures as they might be released, and what is left."""
    left = remaining(total, recipe)
    releases = recipe.expected_features(traces.values()[database], left, MEASURING_DRAWS)[1]
    seen = {name: np.array([each[name] for each in releases]) for name in releases[0]} if releases[0] else {}
    seen["epsilon"] = np.full(len(releases), left)
    return seen, left


def _fitted_formulas(
    formula: str | Mapping[str, str], options: Sequence[str], known: Set[str]
) -> tuple[dict[str, Formula], dict[str, list[str]]]:
    """Return the formula of every option, and the constants that are to be fitted in it.

    Raises:
        ValueError: a formula for some options only, or one without a constant.
    """
    written = dict.fromkeys(options, formula) if isinstance(formula, str) else dict(formula)
    if set(written) != set(options):
        raise InputError(f"Write one formula for all options, or one for each of {', '.join(options)}.")
    formulas = {name: Formula(written[name]) for name in options}
    constants = {name: [each for each in formulas[name].names if each not in known] for name in options}
    idle = [name for name in options if not constants[name]]
    if idle:
        raise InputError(f"The formula {formulas[idle[0]].text!r} has no constant to be fitted: name one, such as a.")
    return formulas, constants


def _table(
    traces: Traces, cells: Sequence[tuple[str, float]], means: Mapping[Any, Floats], recipe: Recipe
) -> tuple[dict[str, Floats], Floats, Floats]:
    """Return facts by name, ln losses (cells, options) and weights, a group counting once."""
    values, groups = traces.values(), traces.groups
    facts = {each.name: np.array([values[name][each.name] for name, _ in cells]) for each in recipe.metafeatures}
    facts["epsilon"] = np.array([epsilon for _, epsilon in cells])
    owners = [groups[name] for name, _ in cells]
    weights = np.array([1.0 / owners.count(owner) for owner in owners])
    return facts, np.log(np.array([means[cell] for cell in cells]) + recipe.loss_offset), weights


def _constants(
    formula: Formula, names: Sequence[str], facts: Mapping[str, Floats], logs: Floats, weights: Floats, added: float
) -> Floats:
    from scipy.optimize import least_squares

    def misses(constants: Floats) -> Floats:
        return np.asarray((_ln(formula, names, constants, facts, added) - logs) * np.sqrt(weights))

    best: Any = None
    for start in itertools.islice(itertools.product(_STARTS, repeat=len(names)), _MOST_STARTS):
        fit = least_squares(misses, np.array(start), max_nfev=200)
        if best is None or fit.cost < best.cost:
            best = fit
    return np.asarray(best.x)


def _ln(formula: Formula, names: Sequence[str], constants: Floats, facts: Mapping[str, Any], added: float) -> Floats:
    return np.log(_clip(formula({**facts, **dict(zip(names, constants.tolist(), strict=True))})) + added)


def _clip(value: Any) -> Floats:
    return np.asarray(np.clip(np.nan_to_num(value, nan=_MOST, posinf=_MOST, neginf=_LEAST), _LEAST, _MOST))


def _explained_variance(true: Floats, guess: Floats) -> float:
    spread = float(np.square(true - true.mean()).sum())
    return 1.0 - float(np.square(true - guess).sum()) / max(spread, 1e-12)


def _grouped_mean(ratios: Mapping[tuple[str, float], float], groups: Mapping[str, str]) -> float:
    samples: dict[str, list[float]] = {}
    for (database, _), ratio in ratios.items():
        samples.setdefault(groups[database], []).append(ratio)
    return float(np.mean([np.mean(each) for each in samples.values()]))
