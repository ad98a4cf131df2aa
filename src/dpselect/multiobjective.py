"""Choices by several objectives at once."""

from dpselect.release.several_objectives import priv_agg as priv_agg
from dpselect.release.several_objectives import priv_pareto as priv_pareto
from dpselect.scores.combine import aggregate as aggregate
from dpselect.scores.combine import pareto as pareto
from dpselect.scores.pareto_margin import pareto_margin as pareto_margin

__all__ = ["aggregate", "pareto", "pareto_margin", "priv_agg", "priv_pareto"]
