"""Private histograms: algorithms, the workloads they answer, and made-up data to compare them on."""

from dpselect.histograms import shapes
from dpselect.histograms.cumulative import CumulativeHistogram, cumulative
from dpselect.histograms.dawa import coarse_dawa, dawa
from dpselect.histograms.hb import hb
from dpselect.histograms.identity import identity
from dpselect.histograms.mwem import mwem
from dpselect.histograms.privelet import privelet
from dpselect.histograms.uniform import uniform
from dpselect.histograms.workload import Workload, scaled_average_error

EVERY_ALGORITHM = {each.__name__: each for each in (identity, uniform, hb, privelet, dawa, coarse_dawa, mwem)}

__all__ = [
    "EVERY_ALGORITHM",
    "CumulativeHistogram",
    "Workload",
    "coarse_dawa",
    "cumulative",
    "dawa",
    "hb",
    "identity",
    "mwem",
    "privelet",
    "scaled_average_error",
    "shapes",
    "uniform",
]
