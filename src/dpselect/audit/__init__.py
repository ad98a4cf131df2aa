"""The auditor: brute force on tiny universes, for the library's claims and for yours."""

from dpselect.audit.admissibility import Admissibility, admissible, dominates
from dpselect.audit.privacy_loss import PrivacyLoss, privacy_loss, privacy_loss_of_pmf
from dpselect.audit.rho_losses import loss_of_transcript, rho_between
from dpselect.audit.sampler import SamplerVerdict, sampler, sampler_of
from dpselect.audit.smoothness import Smoothness, smooth
from dpselect.audit.universe import (
    Universe,
    directed_graphs,
    families,
    graphs,
    metric_space,
    multisets,
    score_vectors,
    tables,
    vectors,
)

__all__ = [
    "Admissibility",
    "PrivacyLoss",
    "SamplerVerdict",
    "Smoothness",
    "Universe",
    "admissible",
    "directed_graphs",
    "dominates",
    "families",
    "graphs",
    "loss_of_transcript",
    "metric_space",
    "multisets",
    "privacy_loss",
    "privacy_loss_of_pmf",
    "rho_between",
    "sampler",
    "sampler_of",
    "score_vectors",
    "smooth",
    "tables",
    "vectors",
]
