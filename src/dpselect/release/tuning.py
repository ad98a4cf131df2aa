"""Choose the best of several private models, or whatever else has settings, at a price that hardly grows with them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.neighbours import neighbours as relation
from dpselect.kernel.numbers import Epsilon, exact_epsilon, exact_positive, exact_public, whole
from dpselect.kernel.privacy_filter import Accountant
from dpselect.kernel.run_count import RunCount
from dpselect.release.open_session import SessionFactory, open_session
from dpselect.release.private_tuning import Run, Score, finish_run, silence
from dpselect.release.session import Session

S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)
R_co = TypeVar("R_co", covariant=True)

# So few settings are all tried, once each: then nothing is missed, and nothing about them need be secret.
_ALL = 3
# What the default law leaves untried, and how many runs it takes on average at most.
_MISSED, _MOST_RUNS = Fraction(1, 5), 200


@dataclass(frozen=True)
class TuningPlan:
    """The plan of a search, from public facts alone.

    Attributes:
        settings: how many there are.
        epsilon: the price of the search as a whole.
        epsilon_of_run: what one run may spend.
        law: of the secret number of runs; ``None`` where every setting is tried once.
    """

    settings: int
    epsilon: Fraction
    epsilon_of_run: Fraction
    law: RunCount | None

    @property
    def mean_runs(self) -> float:
        """Return how many runs there are on average, if none of them stops the search early."""
        if self.law is None:
            return float(self.settings)
        chances = self.law.chances()
        return float(chances @ np.arange(1, chances.size + 1))

    @property
    def miss_chance(self) -> float:
        """Return the chance that no run tries the best setting; at most, where the first good run ends the search."""
        if self.law is None:
            return 0.0
        if self.law.good_enough is not None:
            # Every setting may be good enough, and then there is one run.
            return 1 - 1 / self.settings
        chances = self.law.chances()
        return float(chances @ (1 - 1 / self.settings) ** np.arange(1, chances.size + 1))

    def __str__(self) -> str:
        runs = f"about {self.mean_runs:.0f} runs" if self.law is not None else "every setting once"
        missed = f"the best of {self.settings} settings is not tried with probability {self.miss_chance:.2f}"
        if self.law is not None and self.law.good_enough is not None:
            missed = "the first that is good enough ends the search"
        return (
            f"epsilon {float(self.epsilon_of_run):.3g} for each run of {float(self.epsilon):g} in all, {runs}; {missed}"
        )


@dataclass(frozen=True)
class TuningResult(Generic[S_co, R_co]):
    """The release of a search: the winner, and the promise for all of it.

    Attributes:
        setting: the setting of the winner; ``None`` where no run was good enough, or every run raised, or returned
            anything but a result and a number. Which of these it was is private.
        result: what the winner returned.
        score: its released score, which is biased upwards: it is the largest of several noisy ones.
        guarantee: the promise.
        plan: the public plan.
    """

    setting: S_co | None
    result: R_co | None
    score: Score | None
    guarantee: Guarantee
    plan: TuningPlan


def tuning_plan(
    settings: int,
    *,
    epsilon: Epsilon,
    gamma: Epsilon | None = None,
    eta: Epsilon = 1,
    good_enough: Score | None = None,
) -> TuningPlan:
    """Return what :func:`tune_privately` would do with so many settings; nothing is spent.

    Up to three settings are tried once each, at equal shares of epsilon. More are drawn at random, by the geometric law
    that leaves the best one untried with probability 0.2, or with a mean of 200 runs where that is fewer.

    Args:
        settings: how many there are, at least 1.
        epsilon: the price of the search as a whole.
        gamma: of the law of the number of runs, about one over their mean; instead of the public rule above.
        eta: 1 for the geometric law, 0 for the logarithmic one, anything above -1 and at most 1.
        good_enough: stop at the first run with this score.

    Raises:
        ValueError, TypeError: a number out of its range.

    >>> plan = tuning_plan(20, epsilon=1)
    >>> print(plan)
    epsilon 0.339 for each run of 1 in all, about 76 runs; the best of 20 settings is not tried with probability 0.20
    """
    many, total = whole(settings, "settings", "how many there are"), exact_epsilon(epsilon)
    threshold = None if good_enough is None else exact_public(good_enough, "good_enough")
    if gamma is None and many <= _ALL and threshold is None:
        return TuningPlan(many, total, total / many, None)
    if gamma is None:
        # The chance that no run tries the best one is gamma (1-s) / (gamma (1-s) + s), s one over their number.
        wanted = _MISSED / ((1 - _MISSED) * (many - 1)) if many > 1 else Fraction(1, 2)
        law = RunCount(max(wanted, Fraction(1, _MOST_RUNS)), exact_public(eta, "eta"), threshold)
    else:
        law = RunCount(exact_positive(gamma, "gamma"), exact_public(eta, "eta"), threshold)
    return TuningPlan(many, total, law.epsilon_of_run(total), law)


def tune_privately(
    run: Callable[[S, Session], tuple[Any, Any]],
    settings: Sequence[S],
    *,
    epsilon: Epsilon,
    neighbours: str,
    gamma: Epsilon | None = None,
    eta: Epsilon = 1,
    good_enough: Score | None = None,
    ledger: Accountant | None = None,
) -> TuningResult[S, Any]:
    """Run a private algorithm a secret number of times, each time with a random setting, and release the best run.

    A good default beats a search: search where there is none. The price of all runs together is about three times
    that of one, however many there are, because everything but the winner stays secret: how many runs there were, the
    others' settings, scores and errors. Nothing is printed, logged or warned meanwhile.

    Args:
        run: takes a setting and :class:`Session` and returns (result, score). Result and score depend on data through
            these draws alone, at most at ``draws.remaining``; releases of this library inside it pay from them
            and take no ``ledger=``. It depends on no earlier run and leaves no trace. One that raises, or whose score
            is not a number, is worse than all others.
        settings: a list of what to try, public; each run draws one at random, perhaps one that was tried before.
        epsilon: the price of the search as a whole.
        neighbours: what one step between databases is, as for :class:`Scores`.
        gamma, eta: the law of the number of runs, as for :func:`tuning_plan`, whose public rule gives them.
        good_enough: public; stop at the first run with this score, and release no run if there is none. Costs less.
        ledger: where the spend is recorded before anything is drawn; one of rhos takes the price of a pure release.
            Runs draw at epsilons only, also where a rho pays: the price of their number is proved for pure runs.

    Guarantee: epsilon-differential privacy for ``neighbours``, of everything that is returned.

    Raises:
        ValueError, TypeError: bad parameters; nothing was spent.
        BudgetError: the ledger does not allow it; nothing was spent.

    References: Liu and Talwar 2019; Papernot and Steinke 2022; with a smaller price (``kernel/run_count.md``).

    >>> import numpy as np
    >>> import dpselect as dps
    >>> incomes = np.array([20, 25, 30, 35, 40] * 500)
    >>> def histogram(bins, draws):                # as many bins as fit; the score is how full the fullest one is
    ...     counts = np.histogram(incomes, bins, (0, 100))[0]
    ...     noisy = draws.counts(counts, draws.remaining, dps.mechanisms.Bound(1))
    ...     return noisy, int(noisy.max())
    >>> best = tune_privately(histogram, [5, 20], epsilon=4, neighbours="add-remove")
    >>> best.setting, best.guarantee
    (5, Guarantee(epsilon=4, neighbours='add-remove'))

    Limits: A search under a rho pays as one pure release, and its runs draw no Gaussian noise: what a secret number of
    runs costs is proved for pure runs (``tune_privately``, ``best_of_runs``). The deviation of the noise is less than
    2^40: beyond, a draw is refused.
    """
    _require_run(run)
    choices = list(settings) if isinstance(settings, Sequence) and not isinstance(settings, str) else []
    if not choices:
        raise InputError("settings must be a list of what to try: pass at least one.")
    plan = tuning_plan(len(choices), epsilon=epsilon, gamma=gamma, eta=eta, good_enough=good_enough)
    return tune_with(run, choices, plan, Guarantee(plan.epsilon, relation(neighbours)), ledger)


def tune_with(
    run: Callable[[S, Session], tuple[Any, Any]],
    settings: Sequence[S],
    plan: TuningPlan,
    guarantee: Guarantee,
    ledger: Accountant | None = None,
    session_factory: SessionFactory = open_session,
) -> TuningResult[S, Any]:
    """Search with a given session factory."""
    with session_factory(guarantee, mechanism="tune-privately", ledger=ledger) as draws:
        winner = search_settings(run, settings, plan, draws, guarantee.neighbours, session_factory)
    if winner is None:
        return TuningResult(None, None, None, guarantee, plan)
    setting, result = winner.result
    return TuningResult(setting, result, winner.score, guarantee, plan)


def search_settings(
    run: Callable[[S, Session], tuple[Any, Any]],
    settings: Sequence[S],
    plan: TuningPlan,
    draws: Session,
    neighbours: Neighbours,
    session_factory: SessionFactory = open_session,
) -> Run[tuple[S, Any]] | None:
    """Return the winner's setting and result, with its score, for the plan's epsilon of what is left."""

    def with_setting(index: int, own: Session) -> tuple[tuple[S, Any], Any]:
        result, score = run(settings[index], own)
        return (settings[index], result), score

    def at_random(own: Session) -> tuple[tuple[S, Any], Any]:
        return with_setting(int(own.uniform(np.array([len(settings)]))[0]), own)

    if plan.law is not None:
        return draws.best_of_runs(at_random, plan.epsilon, plan.law)
    best: Run[tuple[S, Any]] | None = None
    share = Guarantee(plan.epsilon_of_run, neighbours)
    with silence():
        for index in range(len(settings)):
            with draws.use_accountant(), session_factory(share) as own, own.use_accountant():
                latest = finish_run(partial(with_setting, index, own))
            if latest is not None and (best is None or latest.score > best.score):
                best = latest
            del latest
    return best


def _require_run(run: Any) -> None:
    """Refuse what cannot be called with a setting and draws: what that needs is public, and runs fail in silence."""
    if not callable(run):
        raise InputTypeError("run must be a function of a setting and of draws that returns a result and its score.")
    try:
        signature = inspect.signature(run)
    except (TypeError, ValueError):
        # Some that are written in C tell nothing of their arguments.
        return
    try:
        signature.bind(None, None)
    except TypeError:
        # What it takes is not quoted: a default may be private.
        raise InputTypeError("run is called as run(setting, draws): make it take these two arguments.") from None
