"""The learners of the command line: which one is meant, and what each of them takes."""

from __future__ import annotations

from typing import Any

import dpselect as dps
from dpselect.cli.options import weight_of
from dpselect.cli.request import Request
from dpselect.cli.spending import purse_of

MODELS = {
    "tree": "DPTreeClassifier",
    "id3": "DPID3Classifier",
    "forest": "DPRandomForestClassifier",
    "evolutionary": "DPEvolutionaryTreeClassifier",
}
# What some learners take, by the option's name: the argument, and which learners.
TAKES = {
    "max_depth": ("max_depth", ("tree", "id3", "forest", "evolutionary")),
    "mechanism": ("mechanism", ("id3", "forest", "evolutionary")),
    "n_records": ("n_records", ("tree", "forest")),
    "goal": ("goal", ("evolutionary",)),
    "importance": ("importance", ("evolutionary",)),
    "population": ("population", ("evolutionary",)),
    "generations": ("generations", ("evolutionary",)),
    "output": ("output", ("evolutionary",)),
}


def estimator(request: Request, declared: dict[str, Any]) -> Any:
    """Return the estimator that was asked for, which spends from the ledger of the command line.

    Raises:
        ValueError: an option that goes with other learners.
    """
    settings: dict[str, Any] = {"missing": request.missing, "unknown": request.unknown}
    for name, (argument, learners) in TAKES.items():
        value = request.get(name)
        if value in (None, ()):
            continue
        if request.model not in learners:
            raise ValueError(f"--{name.replace('_', '-')} goes with --model {_one_of(learners)}: leave it out.")
        settings[argument] = value
    if "importance" in settings:
        settings["importance"] = _importance(request.importance, {str(each): each for each in declared[request.target]})
    weights = {"importance": " ".join(request.importance)} if request.importance else {}
    purse = purse_of(request, model=request.model, target=request.target, **weights, **_persons(request, settings))
    return getattr(dps.learn, MODELS[request.model])(request.epsilon, domains=declared, ledger=purse, **settings)


def _persons(request: Request, settings: dict[str, Any]) -> dict[str, str]:
    """Set whose the records are, and what is protected in words; return what a ledger should keep of it."""
    if request.person is None:
        if request.rows_per_person is not None:
            raise ValueError("--rows-per-person goes with --person, which names the column that tells persons apart.")
        return {}
    rows = 1 if request.rows_per_person is None else request.rows_per_person
    settings |= {"person": request.person, "rows_per_person": rows}
    request.protected = f"person added or removed, of whom at most {rows} record{'s' * (rows > 1)} count"
    return {"person": request.person, "rows_per_person": str(rows)}


def _one_of(names: tuple[str, ...]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


def _importance(pairs: tuple[str, ...], classes: dict[str, Any]) -> dict[Any, Any]:
    """Return what recognising each class counts."""
    weights: dict[Any, Any] = {}
    for pair in pairs:
        name, _, value = pair.rpartition("=")
        if name not in classes:
            raise ValueError(f"--importance {pair}: write CLASS=NUMBER with one of {', '.join(classes)}.")
        if classes[name] in weights:
            raise ValueError(f"--importance names {name} twice: give each class once.")
        try:
            weights[classes[name]] = weight_of(value)
        except ValueError as error:
            raise ValueError(f"--importance {pair}: {error}.") from None
        if weights[classes[name]] < 0:
            raise ValueError(f"--importance {pair}: a class counts at least 0.")
    return weights
