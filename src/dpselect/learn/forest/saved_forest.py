"""Parts of a saved forest beside its trees: noise, prior and slope. Nothing in a file is executed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from dpselect.kernel.errors import InputError
from dpselect.learn.file_parts import noise_in, numbers_in
from dpselect.learn.forest.forest_plan import Forest
from dpselect.learn.tree import Tree
from dpselect.views.leaves import SLOPE_UNIT

_STEEPEST = 100 * SLOPE_UNIT


def besides(forest: Forest) -> dict[str, Any]:
    """Return it as plain lists and numbers."""
    return {"noise": forest.noise, "prior": forest.prior.tolist(), "slope": forest.slope}


def restore_forest(trees: list[Tree], classes: int, content: Mapping[str, Any]) -> Forest:
    """Return the forest of such a file.

    Raises:
        KeyError, TypeError, ValueError: parts that do not make a forest.
    """
    noise, slope, prior = noise_in(content["noise"]), content["slope"], numbers_in(content["prior"], 1)
    sound = type(slope) is int and 0 < slope <= _STEEPEST
    if not sound or prior.shape != (classes,) or not (prior > 0).all() or not math.isclose(prior.sum(), 1.0):
        raise InputError("not a forest")
    return Forest(trees, noise, prior, slope)
