"""What a command spends from, with a mark that tells afterwards whether anything was paid."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpselect.cli.plan import Balance, Planned
from dpselect.cli.request import Request
from dpselect.kernel.guarantee import Guarantee
from dpselect.ledger import Ledger, UncertainSpend
from dpselect.ledger.accountant import Terms, Totals
from dpselect.ledger.events import Event
from dpselect.sources.locators import without_secrets


@dataclass(frozen=True)
class Spent:
    """One spend of a command, and its row in the ledger; 0 without one."""

    guarantee: Guarantee
    mechanism: str
    count: int
    row: int


@dataclass(frozen=True)
class Imagined:
    """What a plan of several releases knows of a ledger: its rule, which decides how lists are drawn."""

    rule: str


@dataclass(frozen=True, eq=False)
class Purse:
    """A ledger, or none; a release without one is paid for all the same, because it cannot be taken back.

    Attributes:
        request: the command line, whose ``paid`` becomes true with the first spend. One that asks for a dry run ends
            here.
        ledger: the ledger, or ``None``.
        facts: what is recorded with the spend.
    """

    request: Request
    ledger: Ledger | Imagined | None
    facts: Mapping[str, str]

    @property
    def rule(self) -> str:
        """Return what the ledger adds up; without one, epsilons."""
        return "sum" if self.ledger is None else self.ledger.rule

    def spend(self, guarantee: Guarantee, *, mechanism: str, count: int = 1, note: str = "") -> int:
        """Record the spend where there is a ledger; as :meth:`Ledger.spend`.

        Raises:
            Planned: this is a dry run, and the ledger would take the spend.
        """
        if self.request.dry_run:
            raise Planned(guarantee, mechanism, count, self.facts, self._balance(guarantee, mechanism, count))
        row = 0
        try:
            if isinstance(self.ledger, Ledger):
                row = self.ledger.spend(guarantee, mechanism=mechanism, count=count, note=note, metadata=self.facts)
        except (KeyboardInterrupt, UncertainSpend):
            # It may have been written already.
            self.request.paid = True
            raise
        self.request.paid = True
        self.request.spends.append(Spent(guarantee, mechanism, count, row))
        return row

    def with_metadata(self, **facts: Any) -> Purse:
        """Return the same budget with further facts; as :meth:`Ledger.with_metadata`."""
        known = {self.facts.get("file"), self.facts.get("graph")}
        # Where the data came from is recorded once: the command line names the file already.
        added = {name: value for name, value in _kept(facts).items() if name != "source" or value not in known}
        return replace(self, facts={**self.facts, **added})

    def __deepcopy__(self, _: Any) -> Purse:
        """Stay one budget when an estimator that holds it is cloned."""
        return self

    def _balance(self, guarantee: Guarantee, mechanism: str, count: int) -> Balance | None:
        if not isinstance(self.ledger, Ledger):
            return None
        terms, totals = self.ledger.terms, self.ledger.totals
        event = Event.of(guarantee, dataset=terms.dataset, mechanism=mechanism, count=count, metadata=self.facts)
        after = terms.admit(totals, event)
        return Balance(str(self.request.ledger), left(terms, totals), left(terms, after))


def purse_of(request: Request, **more: str) -> Purse:
    """Return the ledger named on the command line, verified; ``more`` is recorded with the spend."""
    if request.ledger is None:
        return Purse(request, None, {})
    facts = {"command": request.command}
    for name in ("file", "graph", "column", "separator", "decimal", "thousands", "encoding", "where"):
        value = request.get(name)
        if value is not None:
            facts[name] = without_secrets(str(value))
    if request.get("certificate") is not None:
        # Where the answer can be looked up, by ``dpselect budget show --answers``.
        facts["certificate"] = os.path.realpath(str(request.certificate))
    ledger = request.ledger if isinstance(request.ledger, Imagined) else Ledger.read(request.ledger)
    return Purse(request, ledger, _kept(facts | more))


def text(value: str) -> str:
    r"""Return text that can be kept: bytes of a name that are not UTF-8 are written as ``\udcff``."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8")


def _kept(facts: Mapping[str, Any]) -> dict[str, str]:
    return {name: text(str(value)) for name, value in facts.items()}


def left(terms: Terms, totals: Totals) -> dict[str, Fraction]:
    """Return what is left, in the currency of the rule."""
    rest = terms.left(totals)
    if terms.rule == "rho":
        return {"rho": rest.rho}
    return {"epsilon": rest.epsilon} | ({"delta": rest.delta} if terms.delta else {})
