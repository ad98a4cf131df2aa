"""Common parts of estimators with a delta: what a fit promises as a whole, and what one record of it may cost.

Proof: ``boosting_plan.md``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Self

from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.numbers import exact_delta
from dpselect.kernel.rho_conversion import epsilon_of as least_epsilon
from dpselect.kernel.rho_conversion import rho_within
from dpselect.learn.estimator import PrivateEstimator, neighbours_of
from dpselect.learn.parameters import epsilon_of


class ByRho(PrivateEstimator):
    """Base of the estimators that take a ``delta``: rho-zCDP where it is positive, pure epsilon where it is 0."""

    delta: Any

    def _promise(self, epsilon: Fraction) -> Guarantee:
        delta = exact_delta(self.delta)
        if not delta:
            return super()._promise(epsilon)
        return Guarantee.from_rho(rho_within(epsilon, delta), delta, neighbours_of(self), epsilon=epsilon)

    def _share(self, epsilon: Fraction) -> Fraction:
        """Return what one record may cost: epsilon / m, or rho / m^2, as m rows move sums m times as far."""
        rows, delta = self._rows(), exact_delta(self.delta)
        return rho_within(epsilon, delta) / rows**2 if delta else epsilon / rows

    def _for_sample(self, times: Fraction, n_records: int) -> Self:
        """Return one whose rho, not its epsilon, is for the size of the sample what ours is for that of the table."""
        result, delta = super()._for_sample(times, n_records), exact_delta(self.delta)
        if delta:
            result.set_params(epsilon=least_epsilon(rho_within(epsilon_of(self), delta) * times**2, delta))
        return result

    def _rows(self) -> int:
        return 1 if self.person is None else int(self.rows_per_person)
