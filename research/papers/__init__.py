"""The papers' tables and figures, one file each: ``EVERY_EXPERIMENT``. Simulation, never part of a release."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from dpselect.kernel.errors import InputError, InputTypeError
from research.engine.experiment import Experiment
from research.papers.not_reproduced import NOT_REPRODUCED
from research.public_data import declare_public

__all__ = ["EVERY_EXPERIMENT", "NOT_REPRODUCED", "chosen", "whole_papers"]

declare_public()

_FILES = (
    "smooth_noisy_max_table_2",
    "smooth_noisy_max_table_3",
    "smooth_noisy_max_figure_7",
    "smooth_noisy_max_figure_8",
    "smooth_noisy_max_figure_9",
    "smooth_noisy_max_table_5",
    "smooth_noisy_max_figure_10",
    "smooth_noisy_max_theorem_7_2",
    "local_dampening_figure_16",
    "local_dampening_figure_17",
    "local_dampening_figure_20",
    "local_dampening_table_1",
    "local_dampening_figure_23",
    "local_dampening_figure_24",
    "local_dampening_figure_25",
    "smooth_private_selection_figure_1",
    "smooth_private_selection_figure_2",
    "smooth_private_selection_table_1",
    "smooth_private_selection_table_2",
    "multi_objective_table_1",
    "multi_objective_table_2",
    "multi_objective_figure_2",
    "multi_objective_figure_3",
    "jostle_figure_1_1",
    "jostle_figure_4_2",
    "jostle_choices",
    "jostle_synthesis",
)

EVERY_EXPERIMENT: tuple[Experiment, ...]


def __getattr__(name: str) -> tuple[Experiment, ...]:
    """Import the files when all are asked for: a process that measures one needs no others."""
    if name != "EVERY_EXPERIMENT":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    every = tuple(_in_file(file) for file in _FILES)
    globals()[name] = every
    return every


def _in_file(file: str) -> Experiment:
    name = f"{__name__}.{file}"
    if find_spec(name) is None:
        raise InputTypeError(f"research/papers/{file}.py is in the list of experiments and not there: write it.")
    experiment = getattr(import_module(name), "EXPERIMENT", None)
    if not isinstance(experiment, Experiment):
        raise InputTypeError(
            f"research/papers/{file}.py has no EXPERIMENT: let it end with EXPERIMENT = Experiment(...)."
        )
    return experiment


def whole_papers(wanted: list[Experiment]) -> set[str]:
    """Return the papers all of whose experiments are wanted."""
    from research.papers import EVERY_EXPERIMENT as every

    return {each.paper for each in wanted} - {each.paper for each in every if each not in wanted}


def chosen(names: list[str]) -> list[Experiment]:
    """Return the experiments of these names, beginnings of names or papers ("000"); all when none is given.

    Raises:
        ValueError: a name that fits none; the message lists the names.

    >>> [each.item for each in chosen(["smooth_noisy_max_theorem_7_2"])]
    ['Theorem 7.2']
    """
    from research.papers import EVERY_EXPERIMENT as every

    result: list[Experiment] = []
    for name in names:
        exact = [each for each in every if each.name == name]
        close = exact or [each for each in every if each.name.startswith(name) or each.paper == name]
        if not close:
            known = ", ".join(each.name for each in every)
            raise InputError(f"The experiment {name!r} does not exist: pass {known}.")
        result += close
    return [each for each in every if not names or each in result]
