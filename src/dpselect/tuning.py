"""Parameters of mechanisms, and settings of programs, chosen for public or private data."""

from dpselect.analysis.recommend import tune as tune
from dpselect.analysis.runs import price_of_runs as price_of_runs
from dpselect.release.draws import Draws as Draws
from dpselect.release.tuning import Tuned as Tuned
from dpselect.release.tuning import TuningPlan as TuningPlan
from dpselect.release.tuning import tune_privately as tune_privately
from dpselect.release.tuning import tuning_plan as tuning_plan

__all__ = ["Draws", "Tuned", "TuningPlan", "price_of_runs", "tune", "tune_privately", "tuning_plan"]
