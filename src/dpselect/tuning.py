"""Parameters of mechanisms, and settings of programs, chosen for public or private data."""

from dpselect.analysis.recommend import tune as tune
from dpselect.analysis.runs import price_of_runs as price_of_runs
from dpselect.release.session import Session as Session
from dpselect.release.tuning import TuningPlan as TuningPlan
from dpselect.release.tuning import TuningResult as TuningResult
from dpselect.release.tuning import tune_privately as tune_privately
from dpselect.release.tuning import tuning_plan as tuning_plan

__all__ = ["Session", "TuningPlan", "TuningResult", "price_of_runs", "tune", "tune_privately", "tuning_plan"]
