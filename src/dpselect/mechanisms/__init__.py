"""The mechanisms, by published name, and what a mechanism of your own is made of.

A mechanism of your own is a :class:`UnitMechanism`: a function of scores to :class:`UnitScores`, of which one neighbour
moves each by at most one unit, and a sampler. ``scale`` divides by the sensitivity, ``exact_ticks`` takes integers, and
``floor_ticks`` rounds real numbers down. The samplers are ``EXPONENTIAL``, ``PERMUTE_AND_FLIP`` and ``LAPLACE``.
"""

from dpselect.kernel.bound import Bound, SquaredBound
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.units import UnitScores, exact_ticks, floor_ticks
from dpselect.mechanisms.base import Mechanism, SmoothMechanism, UnitMechanism, UnsoundMechanism
from dpselect.mechanisms.exponential import exponential
from dpselect.mechanisms.generalised_exponential import generalised_exponential
from dpselect.mechanisms.inverse_sensitivity import inverse_sensitivity
from dpselect.mechanisms.local_dampening import local_dampening, local_dampening_flip
from dpselect.mechanisms.noisy_max_laplace import noisy_max_laplace
from dpselect.mechanisms.permute_and_flip import permute_and_flip
from dpselect.mechanisms.registry import MECHANISMS, default_mechanism, mechanism, require_mechanism
from dpselect.mechanisms.sampler import EXPONENTIAL, LAPLACE, PERMUTE_AND_FLIP, Sampler
from dpselect.mechanisms.scaling import scale
from dpselect.mechanisms.shifted_local_dampening import shifted_local_dampening, shifted_local_dampening_flip
from dpselect.mechanisms.smooth.local_dampening_t import local_dampening_t
from dpselect.mechanisms.smooth.scores import SmoothScores
from dpselect.mechanisms.smooth.smooth_noisy_max import smooth_noisy_max
from dpselect.mechanisms.smooth.smooth_private_selection import smooth_private_selection

__all__ = [
    "EXPONENTIAL",
    "LAPLACE",
    "MECHANISMS",
    "PERMUTE_AND_FLIP",
    "Bound",
    "Mechanism",
    "Neighbours",
    "Sampler",
    "SmoothMechanism",
    "SmoothScores",
    "SquaredBound",
    "UnitMechanism",
    "UnitScores",
    "UnsoundMechanism",
    "default_mechanism",
    "exact_ticks",
    "exponential",
    "floor_ticks",
    "generalised_exponential",
    "inverse_sensitivity",
    "local_dampening",
    "local_dampening_flip",
    "local_dampening_t",
    "mechanism",
    "noisy_max_laplace",
    "permute_and_flip",
    "require_mechanism",
    "scale",
    "shifted_local_dampening",
    "shifted_local_dampening_flip",
    "smooth_noisy_max",
    "smooth_private_selection",
]
