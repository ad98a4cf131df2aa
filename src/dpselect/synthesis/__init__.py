"""Synthetic tables: models of the counts of columns, measured under one rho. Start with :func:`synthesize`."""

from dpselect.synthesis.report import save_html
from dpselect.synthesis.synthesize import SynthesisRelease, synthesize
from dpselect.synthesis.synthetic_model import SyntheticModel, load

__all__ = ["SynthesisRelease", "SyntheticModel", "load", "save_html", "synthesize"]
