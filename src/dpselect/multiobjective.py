"""Choices by several objectives at once."""

from dpselect.release.several_objectives import priv_agg as priv_agg
from dpselect.release.several_objectives import priv_pareto as priv_pareto
from dpselect.scores.combine import aggregate as aggregate
from dpselect.scores.combine import pareto as pareto

__all__ = ["aggregate", "pareto", "priv_agg", "priv_pareto"]
