"""The learners of the command line: which one is meant, and what each of them takes."""

from __future__ import annotations

from typing import Any

import dpselect as dps
from dpselect.cli.domains import is_number
from dpselect.cli.options import MISSING, weight_of
from dpselect.cli.request import Request
from dpselect.cli.spending import accountant_of
from dpselect.kernel.errors import Advice

AUTO = "auto"
MODELS = {
    "tree": "DPTreeClassifier",
    "boosted": "DPBoostedTreesClassifier",
    "id3": "DPID3Classifier",
    "forest": "DPRandomForestClassifier",
    "evolutionary": "DPEvolutionaryTreeClassifier",
}
# Where the target is a number.
REGRESSORS = {"tree": "DPTreeRegressor", "boosted": "DPBoostedTreesRegressor"}
# What the rule asks for, whether or not the learner that it names takes it too.
_OF_THE_RULE = ("delta", "n_records")
# What only classifiers take.
_OF_CLASSES = ("n_records",)
# What some learners take, by the option's name: the argument, and which learners.
TAKES: dict[str, tuple[str, tuple[str, ...]]] = {
    "delta": ("delta", ("boosted", "forest")),
    "rounds": ("rounds", ("boosted",)),
    "max_depth": ("max_depth", ("tree", "id3", "forest", "evolutionary")),
    "mechanism": ("mechanism", ("id3", "evolutionary")),
    "n_records": ("n_records", ("tree",)),
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
        PrivacyError: the learner depends on a number of records, and none is public.
    """
    request.delta = request.delta or None
    number = is_number(declared[request.target])
    kinds = REGRESSORS if number else MODELS
    learner, automatic = _learner(request)
    if learner not in kinds:
        raise ValueError(
            f"--model {learner} learns classes, and {request.target} is declared as a number: pass --model "
            f"{_one_of(tuple(kinds))}, or list its classes."
        )
    settings: dict[str, Any] = {"missing": MISSING[request.missing], "unknown": request.unknown}
    for name, (argument, learners) in TAKES.items():
        value = request.get(name)
        if value in (None, ()):
            continue
        if learner in learners and not (number and name in _OF_CLASSES):
            settings[argument] = value
        elif automatic and name in _OF_THE_RULE:
            continue
        elif learner in learners:
            raise ValueError(f"--{name.replace('_', '-')} goes with a target of classes: leave it out.")
        else:
            raise ValueError(_stray(name, learners, learner if automatic else None))
    if learner in ("boosted", "forest"):
        # Without a delta the promise is pure: none is spent that was not named.
        settings.setdefault("delta", 0)
    if learner == "boosted":
        settings |= {"interactions": False} if request.no_interactions else {}
    _require_pictures(request, learner)
    if "importance" in settings:
        settings["importance"] = _importance(request.importance, {str(each): each for each in declared[request.target]})
    weights = {"importance": " ".join(request.importance)} if request.importance else {}
    book = accountant_of(request, model=learner, target=request.target, **weights, **_persons(request, settings))
    return getattr(dps.learn, kinds[learner])(request.epsilon, domains=declared, ledger=book, **settings)


def _stray(name: str, learners: tuple[str, ...], chosen: str | None) -> str:
    """Return what is said of an option that other learners take; ``chosen`` is the one that a rule named."""
    option, where = f"--{name.replace('_', '-')}", "--model auto, " if name == "delta" else "--model "
    also = f", or name the model, because --n-records x --epsilon leads to {chosen}" if chosen else ""
    return f"{option} goes with {where}{_one_of(learners)}: leave it out{also}."


def _require_pictures(request: Request, learner: str) -> None:
    """Refuse a picture that only what is released could promise, and curves of what has none."""
    if learner != "boosted" and request.no_interactions:
        raise ValueError("--no-interactions goes with --model boosted: leave it out.")
    if learner == "boosted" and request.picture and not request.no_interactions:
        raise ValueError(
            "--picture draws a tree, or the curves of --model boosted with --no-interactions: add that, or write a "
            "page by --html."
        )


def _learner(request: Request) -> tuple[str, bool]:
    """Return which learner is meant, and whether that follows from a rule; keep the rule's reason."""
    if request.model not in (None, AUTO):
        return request.model, False
    if request.model is None and not request.delta:
        # A budget without a delta pays for a tree, as it always did.
        return "tree", False
    choice = dps.learn.recommended(
        request.epsilon, request.delta or 0, n_records=request.n_records, rows_per_person=request.rows_per_person or 1
    )
    why = choice.why
    request.choice = why.worded(lambda words: words.partition("|")[2]) if isinstance(why, Advice) else why
    return choice.learner, True


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
