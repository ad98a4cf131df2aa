"""The choice maker: learns on public databases which option suits which data, pays for a few facts, and dispatches.

The metafeatures are paid for with ``share`` of epsilon, split evenly; the option receives the rest. Which option runs
depends on released values only, so the answer is the sequential composition of two releases: epsilon in all. It is
paid for once, and both draw from that one payment: an option that wants more than is left gets an error.

References: Imola and Yang 2018 (Jostle); Kotsogiannis et al. 2017 (Pythia).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpselect.adaptive.choice import Answer, Choice
from dpselect.adaptive.formula import Formula
from dpselect.adaptive.learner import learner_of
from dpselect.adaptive.metafeature import Metafeature, paid_count, release_facts
from dpselect.adaptive.option import Option, dry_run_options
from dpselect.adaptive.policy import Policy, Recipe
from dpselect.adaptive.regret import leave_out, remaining
from dpselect.adaptive.traces import COLUMNS, Traces, record
from dpselect.adaptive.training_result import TrainingResult
from dpselect.kernel.errors import Advice, InputError, InputTypeError, PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours, neighbours
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.kernel.privacy_filter import Accountant, resolve_accountant
from dpselect.release.open_session import SessionFactory, open_session
from dpselect.release.session import Session

_USUAL_SHARE = Fraction(1, 20)
_FALL_BACKS = ("best-fixed", "never")
# What ledgers record.
_NAME = "choice-maker"


@dataclass(frozen=True, eq=False, repr=False)
class AdaptiveAlgorithm:
    """Chooses among options.

    Attributes:
        options: at least two, of different names.
        metafeatures: what is measured; may be empty, so that epsilon alone decides.
        loss: (database, answer) to a number of at least 0; used on public databases only.
        share: of epsilon for metafeatures, in (0, 1); 0 when all are public. ``None``: 0.05, or 0 when all are public.
        neighbours: the relation for which options are private and sensitivities hold.
        learner: ``"forest"`` (extra trees, one per option), ``"regret-tree"`` (one tree), ``"fixed"``, any scikit-learn
            regressor (cloned for each option), or an object with ``fit`` and ``predict``.
        derived: further features: name to a formula over metafeatures and ``epsilon``.
        features: which of ``recipe.features`` learners see; ``None`` for all. Few leave less to chance.
        slack: how far outside the trained range still counts as inside, as a share of its width.
        added_loss: a public amount, in the unit of the loss, that is added to both losses of every ratio; what is
            small beside it does not count. ``None``: 0, the ratio of the paper, or a twentieth of the median of the
            losses that are not 0 where a least loss is all but 0 in training.
        fall_back: ``"best-fixed"``: where the best fixed option did better than the learned choice on databases left
            out of training, it is always taken, nothing is measured, and a warning says so. ``"never"``: what was
            learned is used, however it did.
        trained: filled in by ``train``.

    Guarantee of ``answer``: epsilon-differential privacy, if options reach the data through releases only. Whatever an
    option releases, with the library's own functions or with ``dpselect.open_session``, is paid from what is left for
    it.

    Raises:
        ValueError, TypeError: no option or one; names that clash; a share outside its range.
        PrivacyError: a share of 0 although a metafeature must be paid for.

    >>> import dpselect as dps, numpy as np
    >>> def noisy_sum(records, epsilon):
    ...     with dps.open_session(dps.Guarantee(epsilon, "add-remove"), mechanism="noisy sum") as draws:
    ...         return int(draws.counts(np.array([sum(records)]), epsilon, dps.mechanisms.Bound(1))[0])
    >>> options = [Option("noisy sum", noisy_sum), Option("zero", lambda records, epsilon: 0)]
    >>> maker = AdaptiveAlgorithm(options, [Metafeature("rows", len, sensitivity=1)], lambda x, a: abs(sum(x) - a))
    >>> public = {"small": [1] * 2, "large": [1] * 900, "larger": [1] * 2000}
    >>> one_source = dict.fromkeys(public, "ones")  # Nothing is left out: the example is too small to be judged.
    >>> trained = maker.train(public, epsilons=[1], repetitions=3, groups=one_source, jobs=1)
    >>> trained.choose([1] * 1500, 1).option
    Option('noisy sum')

    Limits: A choice is as good as its public data. The fall-back to one option rests on databases left out of training,
    often a dozen: the better of two close figures may be luck. The traces that ship are of made-up data, for a share of
    0.05 or 0; learning from those of histograms takes half a minute of processor time, most of it for the databases
    left out.
    """

    options: Sequence[Option]
    metafeatures: Sequence[Metafeature]
    loss: Callable[[Any, Any], float]
    share: Any = None
    neighbours: Neighbours = Neighbours.ADD_REMOVE
    learner: Any = "forest"
    derived: Mapping[str, str] = field(default_factory=dict)
    features: Sequence[str] | None = None
    slack: float = 0.5
    added_loss: float | None = None
    fall_back: str = "best-fixed"
    trained: TrainingResult | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", tuple(self.options))
        object.__setattr__(self, "metafeatures", tuple(self.metafeatures))
        object.__setattr__(self, "neighbours", neighbours(self.neighbours))
        if not all(isinstance(option, Option) for option in self.options):
            raise InputTypeError("options are Option(name, answer).")
        if not all(isinstance(each, Metafeature) for each in self.metafeatures):
            raise InputTypeError("metafeatures are Metafeature(name, query, sensitivity=...) or (..., public=True).")
        if len(self.options) < 2:
            raise InputError(
                "Fewer than two options leave nothing to choose: pass two, or call the answer of the only one."
            )
        if not callable(self.loss):
            raise InputTypeError("loss is a function: loss(database, answer).")
        names = [option.name for option in self.options]
        facts = [*(each.name for each in self.metafeatures), *self.derived]
        if len(set(names)) < len(names) or len({*facts, *COLUMNS}) < len(facts) + len(COLUMNS):
            raise InputError(
                f"Options need different names, and so do metafeatures, none of them {', '.join(COLUMNS)}."
            )
        object.__setattr__(self, "share", self._exact_share())
        formulas = {name: Formula(text) for name, text in self.derived.items()}
        known = {*(each.name for each in self.metafeatures), "epsilon"}
        for name, formula in formulas.items():
            unknown = set(formula.names) - known
            if unknown:
                raise InputError(
                    f"The derived feature {name!r} reads {', '.join(sorted(unknown))}: name metafeatures of it."
                )
        learner_of(self.learner)
        if self.added_loss is not None and not 0 < self.added_loss < float("inf"):
            raise InputError("added_loss is a positive number in the unit of the loss, or None.")
        if self.fall_back not in _FALL_BACKS:
            raise InputError(f"fall_back is one of {', '.join(_FALL_BACKS)}.")
        strange = set(self.features or ()) - set(self.recipe.features)
        if strange or (self.features is not None and not self.features):
            raise InputError(f"features are some of {', '.join(self.recipe.features)}.")

    def _exact_share(self) -> Fraction:
        many = paid_count(self.metafeatures)
        if self.share is None:
            return _USUAL_SHARE if many else Fraction(0)
        if isinstance(self.share, (int, float, Fraction)) and not isinstance(self.share, bool) and self.share == 0:
            if many:
                raise PrivacyError(
                    f"A share of 0 pays for nothing, and {many} metafeatures are not public: pass a share in (0, 1)."
                )
            return Fraction(0)
        try:
            share = exact_epsilon(self.share)
        except (TypeError, ValueError):
            share = Fraction(1)
        if share >= 1:
            raise InputError("share is the part of epsilon that pays for metafeatures: pass a number in (0, 1).")
        if not many:
            raise InputError(Advice("Every metafeature is public, so there is nothing to pay for: pass {share=0}."))
        return share

    @property
    def recipe(self) -> Recipe:
        """Return how a policy is learned."""
        return Recipe(
            tuple(self.metafeatures),
            {name: Formula(text) for name, text in self.derived.items()},
            self.share,
            self.learner,
            {option.name: option.predict for option in self.options if option.predict is not None},
            self.slack,
            None if self.features is None else tuple(self.features),
            self.added_loss,
        )

    def train(
        self,
        databases: Mapping[str, Any],
        epsilons: Sequence[Any],
        repetitions: int = 10,
        *,
        groups: Mapping[str, str] | None = None,
        traces: str | Path | None = None,
        jobs: int = 2,
    ) -> AdaptiveAlgorithm:
        """Run every option on public databases and learn; return the trained choice maker.

        Every option runs with all of each epsilon, for comparison, and with what the share leaves of it.

        Args:
            databases: name to a public database.
            epsilons: the totals to train for.
            repetitions: runs per cell.
            groups: database to the group with which it is left out when regret is measured; itself if not named.
            traces: a parquet file; what it already holds is not run again.
            jobs: processes.

        Raises:
            ValueError, TypeError: no database, bad numbers, a file of other databases; all options failed.
        """
        if not isinstance(databases, Mapping) or not databases:
            raise InputError("Pass public databases: a mapping of name to database, not empty.")
        totals = sorted({exact_epsilon(epsilon) for epsilon in epsilons})
        if not totals:
            raise InputError("Pass at least one epsilon to train for.")
        if isinstance(repetitions, bool) or not isinstance(repetitions, int) or repetitions < 1:
            raise InputError("repetitions is an integer of at least 1: how often each option runs.")
        unknown = [name for name in groups or {} if name not in databases]
        if unknown:
            raise InputError(f"groups names {unknown[0]!r}, which is not a database: name each as in databases.")
        named = {name: str((groups or {}).get(name, name)) for name in databases}
        every = sorted({*totals, *(total * (1 - self.share) for total in totals)})
        table = record(
            self.options,
            self.metafeatures,
            self.loss,
            databases,
            every,
            repetitions,
            groups=named,
            path=traces,
            jobs=jobs,
            neighbours=self.neighbours,
        )
        return self.learn(table, totals)

    def learn(self, traces: Traces, epsilons: Sequence[Any] | None = None) -> AdaptiveAlgorithm:
        """Learn from runs recorded before; options that failed are left out, with a warning.

        Args:
            traces: may hold more options and metafeatures than are asked for here.
            epsilons: the totals; ``None`` takes all whose remainder, after the share, the traces hold too.

        Raises:
            ValueError: traces that lack an option, a metafeature or an epsilon; all options failed.
        """
        if not {each.name for each in self.metafeatures} <= set(traces.metafeatures):
            raise InputError(
                f"These traces hold the metafeatures {', '.join(traces.metafeatures) or 'none'}: train again."
            )
        missing = [option.name for option in self.options if option.name not in traces.options]
        if missing:
            raise InputError(f"These traces lack {', '.join(missing)}: train again.")
        failed = traces.failures()
        for name in (option.name for option in self.options if option.name in failed):
            warnings.warn(f"Option {name!r} failed {failed[name]}; it is left out.", UserWarning, stacklevel=2)
        names = [option.name for option in self.options if option.name not in failed]
        if not names:
            raise InputError("Every option failed in training: correct them, and train with another traces file.")
        totals = self._totals(traces, epsilons)
        recipe = self.recipe.with_added_loss(traces.means(names))
        regret = None
        if len(set(traces.groups.values())) > 1:
            regret = leave_out(traces, {"learned": recipe}, names, totals)
        policy = Policy.learn(traces, recipe, names)
        always = None
        # A fixed learner commits itself already.
        if regret is not None and self.learner != "fixed" and self.fall_back == "best-fixed":
            always = regret.better_fixed("learned")
        trained = TrainingResult(policy, traces, totals, regret, always)
        if always is not None:
            why = (
                f"{trained.held_out()} So {always} is always taken, and nothing is measured; fall_back='never' chooses."
            )
            warnings.warn(why, UserWarning, stacklevel=2)
        return replace(self, trained=trained)

    def _totals(self, traces: Traces, epsilons: Sequence[Any] | None) -> tuple[float, ...]:
        held = set(traces.epsilons.tolist())
        wanted = sorted(held) if epsilons is None else [float(exact_epsilon(epsilon)) for epsilon in epsilons]
        found = tuple(sorted({each for each in wanted if {each, remaining(each, self.recipe)} <= held}))
        if not found or (epsilons is not None and len(found) < len(set(wanted))):
            raise InputError(
                f"These traces lack an epsilon, or what a share of {float(self.share):g} leaves of it: train with that "
                "share."
            )
        return found

    def choose(self, database: Any, epsilon: Epsilon, *, ledger: Accountant | None = None) -> Choice:
        """Pay for the metafeatures of a private database and choose an option.

        Guarantee: share * epsilon, spent before anything is drawn; nothing when every metafeature is public.

        Raises:
            ValueError: not trained; epsilon is not positive and finite; a metafeature without a finite value.
            PrivacyError, ValueError, TypeError: an option that would refuse this domain and epsilon; nothing was spent.
            BudgetError: the ledger does not allow it; nothing was spent.
        """
        total, values = self._ready(database, epsilon)
        spent = total * self.share if values else Fraction(0)
        resolve_accountant(ledger)
        if not spent:
            return self.decide({name: float(value) for name, value in values.items()}, total)
        with open_session(self._guarantee(spent), mechanism=_NAME, ledger=ledger, note="metafeatures") as draws:
            return self._choose(values, total, draws)

    def answer(self, database: Any, epsilon: Epsilon, *, ledger: Accountant | None = None) -> Answer:
        """Choose an option, and answer with it.

        Guarantee: epsilon in all, spent once, before anything is drawn.

        Raises:
            ValueError, BudgetError: as ``choose``; whatever the option raises, epsilon being spent.
            PrivacyError: the option releases more than was left for it, or protects other neighbours.
        """
        return self._answer(database, epsilon, ledger)

    def _answer(
        self, database: Any, epsilon: Epsilon, ledger: Accountant | None, session_factory: SessionFactory = open_session
    ) -> Answer:
        total, values = self._ready(database, epsilon)
        guarantee = self._guarantee(total)
        with session_factory(guarantee, mechanism=_NAME, ledger=ledger, note="answer") as draws:
            choice = self._choose(values, total, draws)
            # All of it is paid for: an option releases from what is left of that, not from the session around us.
            with draws.use_accountant():
                value = choice.option.answer(database, choice.remaining)
        return Answer(value, choice, guarantee)

    def _ready(self, database: Any, epsilon: Epsilon) -> tuple[Fraction, dict[str, float]]:
        """Return epsilon and true metafeatures, or refuse; none are read where epsilon alone decides."""
        if self.trained is None:
            raise InputError("This choice maker is not trained: call train(public databases, epsilons) first.")
        total = exact_epsilon(epsilon)
        committed = self.trained.fixed_option(total)
        if committed:
            dry_run_options([self._option(committed[0])], database, total)
            return total, {}
        dry_run_options(map(self._option, self.trained.policy.options), database, total * (1 - self.share))
        for each in self.metafeatures:
            each.require(total * self.share / max(paid_count(self.metafeatures), 1))
        return total, {each.name: each.value(database) for each in self.metafeatures}

    def _guarantee(self, epsilon: Fraction) -> Guarantee:
        return Guarantee(epsilon, self.neighbours)

    def _option(self, name: str) -> Option:
        return next(option for option in self.options if option.name == name)

    def _choose(self, values: Mapping[str, float], total: Fraction, draws: Session) -> Choice:
        """Draw the metafeatures and choose."""
        assert self.trained is not None
        if self.trained.fixed_option(total):
            return self.decide({}, total)
        return self.decide(release_facts(self.metafeatures, values, total * self.share, draws, self.neighbours), total)

    def decide(self, known: Mapping[str, float], total: Fraction) -> Choice:
        """Return the choice that follows from released metafeatures: a function of these and public facts alone."""
        assert self.trained is not None
        policy, held_out = self.trained.policy, self.trained.held_out()
        committed = self.trained.fixed_option(total)
        if committed:
            name, reason = committed
            return Choice(self._option(name), (), {}, total, Fraction(0), reason, held_out, None)
        spent = total * self.share
        features = policy.recipe.feature_row(known, float(total - spent))[None, :]
        chosen, predicted, outside = policy.choose(features)
        reason = ""
        if outside.any():
            far = [each.name for each, is_far in zip(self.metafeatures, outside[0], strict=False) if is_far]
            reason = (
                f"The database is outside the trained range in {', '.join(far)}: its predictions are idle, and "
                "the safest option is taken, the one of least worst regret in training."
            )
        return Choice(
            self._option(policy.options[int(chosen[0])]),
            self.trained.measured_facts(self.metafeatures, known, spent),
            self.trained.predicted_losses(features, predicted),
            total,
            spent,
            reason,
            held_out,
            self._guarantee(spent) if spent else None,
        )

    def __repr__(self) -> str:
        state = "not trained"
        if self.trained is not None:
            state = "trained" if self.trained.always is None else f"trained: always {self.trained.always!r}"
        return f"AdaptiveAlgorithm(options={len(self.options)}, metafeatures={len(self.metafeatures)}, {state})"
