"""Text for factors between chances, and for epsilons that are enough."""

from __future__ import annotations

import math

from dpselect.analysis.least_epsilon import LOWEST


def factor(loss: float) -> str:
    """Return e^loss with enough digits to tell it from 1, and as a power where it is large.

    >>> factor(0.001), factor(0.5), factor(30)
    ('1.001001', '1.649', 'e^30')
    """
    if loss >= 20:
        return f"e^{loss:.4g}"
    return f"{math.exp(loss):.7g}" if loss < 0.05 else f"{math.exp(loss):.4g}"


def enough(epsilon: float) -> str:
    """Return an epsilon that is enough, where 0 stands for any, and nothing is known below the least that is tried.

    >>> enough(0), enough(0.25), enough(1e-9), enough(math.inf)
    ('any', '0.25', 'any from 1e-09 on', 'more than 1,000')
    """
    if math.isinf(epsilon):
        return "more than 1,000"
    if 0 < epsilon <= float(LOWEST):
        return f"any from {float(LOWEST):g} on"
    return "any" if epsilon == 0 else f"{epsilon:.6g}"
