"""Formulas over counts and sums of groups: write the score, and how sensitive this database is follows from it."""

from dpselect.formulas.derived_sensitivity import FormulaError, ceiling
from dpselect.formulas.elementary import absolute, clip, log, sqrt, square, xlogx
from dpselect.formulas.expression import Expression, maximum, minimum, parallel, statistic
from dpselect.formulas.group_scores import scores
from dpselect.formulas.margins import margins
from dpselect.formulas.rows import RowKinds

__all__ = [
    "Expression",
    "FormulaError",
    "RowKinds",
    "absolute",
    "ceiling",
    "clip",
    "log",
    "margins",
    "maximum",
    "minimum",
    "parallel",
    "scores",
    "sqrt",
    "square",
    "statistic",
    "xlogx",
]
