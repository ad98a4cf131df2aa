"""The mechanisms, by published name."""

from dpselect.mechanisms.exponential import exponential
from dpselect.mechanisms.generalised_exponential import generalised_exponential
from dpselect.mechanisms.inverse_sensitivity import inverse_sensitivity
from dpselect.mechanisms.local_dampening import local_dampening, local_dampening_flip
from dpselect.mechanisms.named import EVERY_MECHANISM, default_mechanism, mechanism, require_mechanism
from dpselect.mechanisms.noisy_max_laplace import noisy_max_laplace
from dpselect.mechanisms.permute_and_flip import permute_and_flip
from dpselect.mechanisms.shifted_local_dampening import shifted_local_dampening, shifted_local_dampening_flip
from dpselect.mechanisms.smooth.local_dampening_t import local_dampening_t
from dpselect.mechanisms.smooth.smooth_noisy_max import smooth_noisy_max
from dpselect.mechanisms.smooth.smooth_private_selection import smooth_private_selection

__all__ = [
    "EVERY_MECHANISM",
    "default_mechanism",
    "exponential",
    "generalised_exponential",
    "inverse_sensitivity",
    "local_dampening",
    "local_dampening_flip",
    "local_dampening_t",
    "mechanism",
    "noisy_max_laplace",
    "permute_and_flip",
    "require_mechanism",
    "shifted_local_dampening",
    "shifted_local_dampening_flip",
    "smooth_noisy_max",
    "smooth_private_selection",
]
