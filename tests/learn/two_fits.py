"""Checks of scikit-learn that chance decides for a private estimator, because they compare two fits."""

import pytest

COMPARE_TWO_FITS = frozenset({
    "check_fit_idempotent", "check_supervised_y_2d", "check_classifier_data_not_an_array",
    "check_regressor_data_not_an_array", "check_regressors_int",
})  # fmt: skip


def asked(check, estimator) -> None:
    """Run a check, unless chance decides whether it passes."""
    if check.func.__name__ in COMPARE_TWO_FITS:
        pytest.skip("two fits draw different randomness")
    check(estimator)
