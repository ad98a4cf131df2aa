"""Noisy conditionals in a program of one's own: labelled places whose branches are chosen by what was learned.

A place reads metafeatures of what it is handed: public ones as they are, the others with noise that it pays for from
the draws that it is handed, as any other question does. Its branch is a function of these releases, so a program with
any number of places has the guarantee that it opened with, whatever is decided: an overdraft is refused.

Learning runs the whole program on public data, with branches at random at first and mostly as learned so far after
that. A branch is judged by the final loss of the runs that took it, over the mean loss of its database and epsilon.

References: Imola and Yang 2018, Figure 4.3 (the places L1 and L2 of a tree; ``NoisyChoice`` is that one case).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dpselect.adaptive.metafeature import Metafeature, paid_count, release_facts
from dpselect.kernel.errors import InputError, InputTypeError, PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.kernel.privacy_filter import use_accountant
from dpselect.release.open_session import open_session
from dpselect.release.session import Session

Floats = NDArray[np.float64]
# The guarantee of a session that draws public randomness only.
_PUBLIC = Guarantee(Fraction(1), Neighbours.ADD_REMOVE)
# A run this many times as bad as the mean is as bad as any.
_WORST = 20.0


class Place(Protocol):
    """A conditional that a program asks at a label: a trained one, or one that explores."""

    def decide(self, part: Any, draws: Session, epsilon: Epsilon | None = None) -> str:
        """Return the name of a branch."""
        ...


Program = Callable[[Any, Fraction, Mapping[str, Place]], Any]


@dataclass(frozen=True, eq=False, repr=False)
class Conditional:
    """One labelled place.

    Attributes:
        label: as the program names it.
        branches: at least two names; the program does what they say.
        metafeatures: of what ``decide`` is handed, at least one: public, or paid for.
        neighbours: the relation for which sensitivities hold.
        models: one fitted regressor for each branch, filled in by ``learn_conditionals``; ``None`` where never taken.

    Raises:
        ValueError, TypeError: no label; one branch, or branches of one name; no metafeature, or two of one name.

    >>> place = Conditional("size", ["few", "many"], [Metafeature("rows", len, sensitivity=1)])
    >>> place
    Conditional('size', branches=2, metafeatures=1, not trained)

    Limits: A conditional has no fall-back. A place in your own program takes the branch that was learned; whether
    asking pays is for you to measure.
    """

    label: str
    branches: Sequence[str]
    metafeatures: Sequence[Metafeature]
    neighbours: Neighbours = Neighbours.ADD_REMOVE
    models: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "branches", tuple(self.branches))
        object.__setattr__(self, "metafeatures", tuple(self.metafeatures))
        if not isinstance(self.label, str) or not self.label.strip():
            raise InputError("A conditional needs a label: Conditional(label, branches, metafeatures).")
        if not all(isinstance(branch, str) for branch in self.branches) or len(set(self.branches)) < 2:
            raise InputError(f"Conditional {self.label!r} needs at least two branches, of different names.")
        if len(set(self.branches)) < len(self.branches):
            raise InputError(f"Conditional {self.label!r} has two branches of one name.")
        if not self.metafeatures or not all(isinstance(each, Metafeature) for each in self.metafeatures):
            raise InputTypeError(f"Conditional {self.label!r} decides by metafeatures: pass at least one Metafeature.")
        if len({each.name for each in self.metafeatures}) < len(self.metafeatures):
            raise InputError(f"Conditional {self.label!r}: branches need different names, and so do metafeatures.")

    def decide(self, part: Any, draws: Session, epsilon: Epsilon | None = None) -> str:
        """Pay for the metafeatures of a part from these draws, and return the branch of least expected loss.

        Guarantee: epsilon, taken from ``draws``; nothing where every metafeature is public.

        Args:
            part: what the metafeatures read.
            draws: of the program's own opening, or of one of its disjoint parts.
            epsilon: what the metafeatures may cost together; ``None`` where all are public.

        Raises:
            ValueError: not trained; a metafeature without a value.
            PrivacyError: no epsilon for what is not public, or more than the draws have left; nothing was drawn.
        """
        if not self.models:
            raise InputError(f"Conditional {self.label!r} is not trained: pass it to learn_conditionals first.")
        return self._best(self._features(part, draws, epsilon))

    def _features(self, part: Any, draws: Session, epsilon: Epsilon | None) -> Floats:
        """Return the features of one release, paid for."""
        if epsilon is None and paid_count(self.metafeatures):
            raise PrivacyError(f"Conditional {self.label!r} reads what is not public: pass decide(..., epsilon=).")
        price = Fraction(0) if epsilon is None else exact_epsilon(epsilon)
        for each in self.metafeatures:
            if price:
                each.require(price / max(paid_count(self.metafeatures), 1))
        values = {each.name: each.value(part) for each in self.metafeatures}
        known = release_facts(self.metafeatures, values, price, draws, self.neighbours)
        return np.array([float(each.to_learner_scale(known[each.name])) for each in self.metafeatures])

    def _best(self, features: Floats) -> str:
        guesses = [np.inf if model is None else float(model.predict(features[None, :])[0]) for model in self.models]
        return self.branches[int(np.argmin(guesses))]

    def __repr__(self) -> str:
        sizes = f"branches={len(self.branches)}, metafeatures={len(self.metafeatures)}"
        return f"Conditional({self.label!r}, {sizes}, {'trained' if self.models else 'not trained'})"


@dataclass(frozen=True, eq=False)
class _Exploring:
    """A place in training: pays as the trained one will, decides at random, and notes what it saw and did."""

    conditional: Conditional
    seen: list[tuple[Floats, int]]

    def decide(self, part: Any, draws: Session, epsilon: Epsilon | None = None) -> str:
        features = self.conditional._features(part, draws, epsilon)
        branches = self.conditional.branches
        branch = branches[_below(len(branches))]
        # Once something is learned, two decisions of three follow it: later places meet what will really come.
        if self.conditional.models and _below(3):
            branch = self.conditional._best(features)
        self.seen.append((features, branches.index(branch)))
        return branch


def learn_conditionals(
    program: Program,
    places: Sequence[Conditional],
    databases: Mapping[str, Any],
    epsilons: Sequence[Any],
    loss: Callable[[Any, Any], float],
    *,
    groups: Mapping[str, str] | None = None,
    repetitions: int = 20,
    rounds: int = 2,
) -> dict[str, Conditional]:
    """Run a program on public databases, and return its places, trained, by their labels.

    Args:
        program: (database, epsilon, places) to an answer. It opens a release with that epsilon, asks
            ``places[label].decide(part, draws, epsilon)`` wherever it is in doubt, and does what the branch says.
        places: the conditionals that it asks.
        databases: name to a public database.
        epsilons: the totals to train for.
        loss: (database, answer) to a number of at least 0.
        groups: database to the group that counts together once; itself if not named.
        repetitions: runs per database, epsilon and round.
        rounds: the first decides at random, the others mostly as learned so far.

    Raises:
        ValueError: no place, database or epsilon; two places of one label; a place that no run asked.
        Exception: whatever the program raises: it would raise it on private data too.
    """
    if not places or len({place.label for place in places}) < len(places):
        raise InputError("Pass at least one conditional, each with a label of its own.")
    totals = [exact_epsilon(epsilon) for epsilon in epsilons]
    if not databases or not totals or repetitions < 1 or rounds < 1:
        raise InputError("Pass public databases and epsilons, and at least one repetition and one round.")
    known = {place.label: place for place in places}
    rows: dict[str, list[_Row]] = {label: [] for label in known}
    for _ in range(rounds):
        for name, database in databases.items():
            group = (groups or {}).get(name, name)
            for epsilon in totals:
                for label, row in _runs(program, known, database, epsilon, loss, repetitions):
                    rows[label].append(replace(row, group=group))
        known = {label: _fit_regressors(place, rows[label]) for label, place in known.items()}
    return known


@dataclass(frozen=True, eq=False)
class _Row:
    """One decision in training: what it saw and did, and the loss of its run over the mean of its cell."""

    features: Floats
    branch: int
    excess: float
    share: float
    group: str = ""


def _runs(
    program: Program,
    known: Mapping[str, Conditional],
    database: Any,
    epsilon: Fraction,
    loss: Callable[[Any, Any], float],
    repetitions: int,
) -> Iterator[tuple[str, _Row]]:
    """Yield every decision of some runs; public databases cost nothing, whatever budget the caller has open."""
    runs: list[tuple[float, dict[str, list[tuple[Floats, int]]]]] = []
    for _ in range(repetitions):
        seen: dict[str, list[tuple[Floats, int]]] = {label: [] for label in known}
        exploring = {label: _Exploring(place, seen[label]) for label, place in known.items()}
        with use_accountant(None):
            answer = program(database, epsilon, exploring)
        lost = float(loss(database, answer))
        if not np.isfinite(lost) or lost < 0:
            raise InputError(f"A loss is a number of at least 0, not {lost}: correct loss(database, answer).")
        runs.append((lost, seen))
    mean = max(float(np.mean([lost for lost, _ in runs])), 1e-300)
    for lost, seen in runs:
        for label, decisions in seen.items():
            for features, branch in decisions:
                # A run counts once at a place, however often it came by.
                yield label, _Row(features, branch, min(lost / mean, _WORST), 1 / len(decisions))


def _fit_regressors(place: Conditional, rows: Sequence[_Row]) -> Conditional:
    """Return a place with one regressor for each branch; groups count once."""
    from sklearn.ensemble import ExtraTreesRegressor

    if not rows:
        raise InputError(f"No run asked the place {place.label!r}: leave it out, or ask it in the program.")
    features, excess = np.stack([row.features for row in rows]), np.array([row.excess for row in rows])
    branches, weights = np.array([row.branch for row in rows]), np.array([row.share for row in rows])
    groups = np.array([row.group for row in rows])
    for group in np.unique(groups):
        weights[groups == group] /= weights[groups == group].sum()
    models: list[Any] = []
    for branch in range(len(place.branches)):
        mask = branches == branch
        forest = ExtraTreesRegressor(40, min_samples_leaf=5, random_state=0)
        scaled = weights[mask] / weights[mask].mean() if mask.any() else weights[mask]
        models.append(forest.fit(features[mask], excess[mask], sample_weight=scaled) if mask.any() else None)
    return replace(place, models=tuple(models))


def _below(bound: int) -> int:
    """Return a uniform integer of the session: it sees no data, so no budget pays for it."""
    with use_accountant(None), open_session(_PUBLIC) as draws:
        return int(draws.uniform(np.array([bound]))[0])
