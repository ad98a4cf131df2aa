"""Warnings about what scikit-learn does around a fit, which no promise of the fit covers.

Who called is public, so a warning tells nothing of the rows. Only what surely happens is named: a step that is fitted
before, and the functions that score a fit on the rows it was kept from.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from types import FrameType
from typing import Any

from dpselect.kernel.errors import InputError

_OUTSIDE = ("dpselect", "sklearn", "joblib")
_PAGE = "docs/how-to/choose-between-models.md"


class LeakWarning(UserWarning):
    """Something around a private fit looks at private rows without noise.

    Limits: Warnings see only what scikit-learn calls. A fit warns in a ``Pipeline`` behind a step that is fitted, and
    wherever scikit-learn scores fits on splits (``GridSearchCV`` and its like, ``cross_val_score``,
    ``cross_val_predict``). A scaler that you fit by yourself, a loop of yours, another library, and a metric that you
    compute on private rows are not seen; the absence of a warning proves nothing.
    """


def warn_of_leaks(estimator: Any) -> None:
    """Warn where a pipeline fits something before this estimator, and where fits are scored on private rows.

    Raises:
        ValueError: votes and stacks number the labels, and other classes are declared: no row would have one of them.
    """
    callers = [*_callers()]
    for frame in callers:
        caller = frame.f_locals.get("self")
        _require_numbers(caller, estimator)
        for step in _fitted_before(caller, estimator):
            _warn(
                f"{step} is fitted to the private rows without noise before {type(estimator).__name__}, so what it "
                "learned leaks, and no epsilon counts it: leave it out, since public domains do its work, or "
                "transform by public numbers in a FunctionTransformer.",
                callers,
            )
        # Of this package only what has no cv= fits once, and scores nothing.
        if str(frame.f_globals.get("__name__")).startswith("sklearn.model_selection.") and (
            caller is None or hasattr(caller, "cv")
        ):
            _warn(
                "Cross-validation and searches fit many times, each at the whole epsilon, and their scores and their "
                "winner are read from the private rows without noise: on private rows use dpselect.learn.DPSearch, "
                f"which pays once ({_PAGE}).",
                callers,
            )


def _require_numbers(caller: Any, estimator: Any) -> None:
    """Refuse declared classes that are not the numbers that a vote or a stack gives to labels."""
    classes = getattr(estimator, "classes", None)
    if type(caller).__name__ not in ("VotingClassifier", "StackingClassifier") or classes is None:
        return
    if not type(caller).__module__.startswith("sklearn.") or {*classes} == {*range(len(classes))}:
        return
    numbers = list(range(len(classes)))
    raise InputError(
        f"{type(caller).__name__} numbers the labels in their order, so none is of the declared classes: pass "
        f"classes={numbers}, or fit models first and wrap each in FrozenEstimator."
    )


def warn_of_fits_to_predictions(estimator: Any) -> None:
    """Warn where something of scikit-learn fits itself to predictions of this estimator, such as a calibrator."""
    callers = [*_callers()]
    for frame in callers:
        module, caller = str(frame.f_globals.get("__name__")), frame.f_locals.get("self")
        # Whatever has folds fits this estimator too, and a fit has warned of that.
        if frame.f_code.co_name == "fit" and module.startswith("sklearn.") and _keeps_fitted(caller):
            _warn(
                f"{type(caller).__name__} fits itself to predictions of {type(estimator).__name__} and to labels "
                "without noise, so what it learns of private rows leaks, and no epsilon counts it: give it public "
                f"rows, or leave it out ({_PAGE}).",
                callers,
            )


def _keeps_fitted(caller: Any) -> bool:
    """Return whether an estimator of scikit-learn takes others as they are fitted."""
    from sklearn.frozen import FrozenEstimator

    inner = [getattr(caller, "estimator", None), *(pair[1] for pair in getattr(caller, "estimators", None) or ())]
    return getattr(caller, "cv", None) == "prefit" or any(isinstance(each, FrozenEstimator) for each in inner)


def _is_public(step: Any) -> bool:
    """Return whether a step learns nothing from rows: it needs no fit, or its categories are declared."""
    from sklearn.compose import ColumnTransformer
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
    from sklearn.utils import get_tags

    if step is None or (isinstance(step, str) and step in ("passthrough", "drop")) or not get_tags(step).requires_fit:
        return True
    if type(step) is ColumnTransformer:
        return all(_is_public(each[1]) for each in step.transformers) and _is_public(step.remainder)
    if type(step) not in (OneHotEncoder, OrdinalEncoder):
        return False
    grouped = step.max_categories is not None or step.min_frequency is not None
    return not isinstance(step.categories, str) and not grouped


def _fitted_before(caller: Any, estimator: Any) -> Iterator[str]:
    """Yield the names of the steps that learn from rows before this estimator does, the last of a pipeline."""
    from sklearn.pipeline import Pipeline

    if not isinstance(caller, Pipeline) or caller.steps[-1][1] is not estimator:
        return
    for _, step in caller.steps[:-1]:
        if not _is_public(step):
            yield type(step).__name__


def _callers() -> Iterator[FrameType]:
    frame = sys._getframe(1)
    while frame.f_back is not None:
        frame = frame.f_back
        yield frame


def _warn(words: str, callers: list[FrameType]) -> None:
    """Warn at the line that is in no library."""
    inside = (str(frame.f_globals.get("__name__")).partition(".")[0] in _OUTSIDE for frame in callers)
    level = next((place for place, library in enumerate(inside) if not library), 0)
    # This function and the one that looked lie below the first caller.
    warnings.warn(words, LeakWarning, stacklevel=level + 3)
