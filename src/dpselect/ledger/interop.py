"""Bridges: events for dp_accounting, and the accountant's face of diffprivlib."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextvars import Token
from fractions import Fraction
from typing import Any

from dpselect.kernel.errors import InputError, MissingLibraryError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.privacy_filter import Accountant
from dpselect.kernel.privacy_filter import session as current
from dpselect.ledger.composition import Terms, Totals
from dpselect.ledger.dominating_pairs import PlanPart
from dpselect.ledger.events import Event
from dpselect.ledger.in_memory import InMemoryLedger
from dpselect.ledger.ledger import Ledger


def to_dp_accounting(events: Iterable[Event], *, accountant: str = "pld") -> Any:
    """Return the events for a dp_accounting accountant; only mappings that are sound.

    ``"pld"``: geometric noise on a count that moves by one, which is randomised response, dominates a pure release, and
    Laplace noise one that says so. Both are for ``NeighboringRelation.ADD_OR_REMOVE_ONE``, the default there, whatever
    the relation of the release. ``"rdp"``: its rho, as :class:`dpselect.Guarantee` has it.

    Raises:
        ImportError: dp_accounting is not installed.
        ValueError: an event without a rho, a concentrated one for ``"pld"``, or another accountant.
    """
    their = _dp_accounting()
    if accountant not in ("pld", "rdp"):
        raise InputError('accountant is "pld" or "rdp".')
    composed: list[Any] = []
    for event in events:
        if not event.has_rho:
            raise InputError("Releases with only an epsilon and a delta have no sound counterpart there.")
        if accountant == "rdp":
            one: Any = their.dp_event.ZCDpEvent(rho=math.nextafter(float(event.guarantee.rho), math.inf))
        elif event.rho is not None:
            raise InputError('A concentrated release has no sound counterpart there: pass accountant="rdp".')
        elif event.laplace:
            one = their.LaplaceDpEvent(noise_multiplier=math.nextafter(1 / float(event.epsilon), 0.0))
        else:
            epsilon = math.nextafter(float(event.epsilon), math.inf)
            one = their.dp_event.DiscreteLaplaceDpEvent(noise_parameter=epsilon, sensitivity=1)
        # One by one, which no accountant of theirs reads as one of them.
        composed += [one] * event.count
    return their.ComposedDpEvent(composed)


def from_dp_accounting(event: Any, neighbours: str = "add-remove") -> list[PlanPart]:
    """Return the parts of a dp_accounting event, for :func:`dpselect.ledger.optimum`: the exact pair of each.

    Args:
        event: composed of Gaussian, Laplace and discrete Laplace noise, randomised response of two answers and choices
            by the exponential mechanism.
        neighbours: for which relation they are private.

    Raises:
        ImportError: dp_accounting is not installed.
        ValueError: another event, such as a sampled one.

    >>> from dpselect.ledger import Event, optimum
    >>> events = to_dp_accounting([Event("", "add-remove", "permute-and-flip", Fraction(1), count=3, laplace=True)])
    >>> f"{optimum(from_dp_accounting(events), 1e-6):.4f}"
    '3.0000'
    """
    _dp_accounting()
    kind = type(event).__name__.removesuffix("DpEvent")
    if kind == "NoOp":
        return []
    if kind == "Composed":
        return [part for each in event.events for part in from_dp_accounting(each, neighbours)]
    if kind == "SelfComposed":
        return from_dp_accounting(event.event, neighbours) * int(event.count)
    relation = Neighbours(neighbours)
    if kind == "Gaussian":
        # Their noise multiplier is the float that it is, and so is the sensitivity that it stands for.
        rho = 1 / (2 * Fraction(event.noise_multiplier) ** 2)
        return [PlanPart(Guarantee.from_rho(rho, _AT, relation), gaussian=True)]
    if kind == "Laplace":
        return [PlanPart(Guarantee(1 / Fraction(event.noise_multiplier), relation, laplace=True))]
    if kind == "DiscreteLaplace":
        moves = event.sensitivity
        return [PlanPart(Guarantee(Fraction(event.noise_parameter) * moves, relation), moves=moves)]
    if kind == "RandomizedResponse" and event.num_buckets == 2:
        lie = Fraction(event.noise_parameter)
        return [PlanPart(Guarantee(Fraction(math.log1p(2 * (1 - lie) / lie) * (1 + 1e-15)), relation))]
    if kind == "ExponentialMechanism":
        return [PlanPart(Guarantee(Fraction(event.epsilon), relation, bounded_range=True))]
    raise InputError(f"{type(event).__name__} has no exact counterpart here: compose it there.")


# Where a promise by rho that serves as Gaussian noise states its epsilon.
_AT = Fraction(1, 10**6)


def _dp_accounting() -> Any:
    try:
        import dp_accounting
    except ImportError:
        raise MissingLibraryError("This needs dp_accounting: python -m pip install dp-accounting.") from None
    return dp_accounting


class BudgetAccountant:
    """The face of diffprivlib's accountant over a ledger or a budget in memory, and usable as ``ledger=``.

    ``with accountant:`` counts every release inside the block, as theirs does. Deltas are added, where they multiply
    (1 - delta): ours is never the smaller total.

    Args:
        epsilon, delta: the budget in memory, when no ledger is given. There is no unlimited one.
        slack: theirs composes epsilons more tightly for a slack in delta, which does not hold when releases are
            chosen after seeing others; only 0 is taken.
        spent_budget: (epsilon, delta) of releases made before.
        ledger: a :class:`Ledger` or :class:`InMemoryLedger` to spend from, with sums as its rule.

    Raises:
        ValueError: neither or both of epsilon and ledger; a slack; a ledger by rho.
        BudgetError: what was spent before is more than the budget.

    >>> accountant = BudgetAccountant(epsilon=1)
    >>> accountant.spend(0.25, 0).total()
    (0.25, 0.0)
    >>> accountant.remaining(3)
    (0.25, 0.0)
    """

    def __init__(
        self,
        epsilon: Any = None,
        delta: Any = 0,
        slack: Any = 0,
        spent_budget: Iterable[tuple[Any, Any]] | None = None,
        *,
        ledger: Ledger | InMemoryLedger | None = None,
    ) -> None:
        if (epsilon is None) == (ledger is None):
            raise InputError("Pass epsilon= for a budget in memory, or ledger=.")
        if slack != 0:
            raise InputError("Leave slack at 0: totals that need it hold only for releases fixed in advance.")
        if ledger is None:
            ledger = InMemoryLedger(Terms.of(epsilon, delta, "add-remove", "", "sum"))
        elif ledger.rule != "sum":
            raise InputError("This accountant adds epsilons: give it a ledger whose rule is sum.")
        self.ledger = ledger
        self._outer: list[Token[Accountant | None]] = []
        for each_epsilon, each_delta in spent_budget or ():
            self.spend(each_epsilon, each_delta)

    @property
    def rule(self) -> str:
        """Return what is added up: ``"sum"``."""
        return self.ledger.rule

    @property
    def epsilon(self) -> float:
        """Return the epsilon of the whole budget."""
        return float(self.ledger.terms.epsilon)

    @property
    def delta(self) -> float:
        """Return the delta of the whole budget."""
        return float(self.ledger.terms.delta)

    @property
    def spent_budget(self) -> list[tuple[float, float]]:
        """Return (epsilon, delta) of every release."""
        return [(float(e.epsilon), float(e.delta)) for e in self.ledger.events for _ in range(e.count)]

    def total(self) -> tuple[float, float]:
        """Return what was spent."""
        totals: Totals = self.ledger.totals
        return float(totals.epsilon), float(totals.delta)

    def remaining(self, k: int = 1) -> tuple[float, float]:
        """Return what each of k more releases may spend."""
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise InputError("k must be an integer of at least 1.")
        left = self.ledger.remaining
        return float(left.epsilon / k), float(left.delta / k)

    def check(self, epsilon: Any, delta: Any = 0) -> bool:
        """Return True when it fits.

        Raises:
            BudgetError: it does not; nothing is spent.
        """
        terms = self.ledger.terms
        event = Event.of(self._guarantee(epsilon, delta), dataset=terms.dataset, mechanism="check")
        terms.admit(self.ledger.totals, event)
        return True

    def spend(self, epsilon: Any = None, delta: Any = 0, **fields: Any) -> Any:
        """Spend (epsilon, delta) and return this accountant; or spend a Guarantee, as ``ledger=`` does.

        Raises:
            BudgetError: it does not fit; nothing is spent.
        """
        guarantee = epsilon if isinstance(epsilon, Guarantee) else self._guarantee(epsilon, delta)
        self.ledger.spend(guarantee, **({"mechanism": "external"} | fields))
        return self

    def __enter__(self) -> BudgetAccountant:
        self._outer.append(current.set(self))
        return self

    def __exit__(self, *_: object) -> None:
        current.reset(self._outer.pop())

    def __len__(self) -> int:
        return self.ledger.totals.releases

    def __repr__(self) -> str:
        return f"BudgetAccountant(ledger={self.ledger!r})"

    def _guarantee(self, epsilon: Any, delta: Any) -> Guarantee:
        return Guarantee(epsilon, Neighbours(self.ledger.terms.neighbours), delta)
