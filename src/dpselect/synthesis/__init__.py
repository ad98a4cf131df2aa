"""Synthetic tables: models of the counts of columns, measured under one rho. Start with :func:`synthesize`."""

from dpselect.synthesis.synthesize import SynthesisRelease, synthesize
from dpselect.synthesis.synthetic_model import SyntheticModel, load

__all__ = ["SyntheticModel", "SynthesisRelease", "load", "synthesize"]
