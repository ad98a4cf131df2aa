"""Demands of each algorithm on its noise, from public facts: checked without counts, and before anything is spent."""

from __future__ import annotations

from typing import Any

from dpselect.histograms.count_arrays import require_shape
from dpselect.histograms.dawa import least_rate as of_dawa
from dpselect.histograms.hb import least_rate as of_hb
from dpselect.histograms.identity import least_rate as of_identity
from dpselect.histograms.mwem import least_rate as of_mwem
from dpselect.histograms.privelet import least_rate as of_privelet
from dpselect.histograms.release_histogram import LeastRate, require_epsilon
from dpselect.histograms.uniform import least_rate as of_uniform
from dpselect.kernel.bound import require_rate
from dpselect.kernel.numbers import Epsilon

LEAST_RATES: dict[str, LeastRate] = {
    "identity": of_identity,
    "uniform": of_uniform,
    "hb": of_hb,
    "privelet": of_privelet,
    "dawa": of_dawa,
    "coarse_dawa": of_dawa,
    "mwem": of_mwem,
}


def rehearse(name: str, shape: Any, epsilon: Epsilon) -> None:
    """Refuse what an algorithm would refuse of a public shape and epsilon.

    Guarantee: no counts are read and nothing is spent.

    Raises:
        TypeError, ValueError: a shape that is not a domain; an epsilon that is too small.
    """
    require_rate(LEAST_RATES[name](require_shape(shape), require_epsilon(epsilon)))
