"""The budget: what was spent, kept on record, and what it adds up to."""

from dpselect.ledger.composition import Report, Terms, Totals, report
from dpselect.ledger.dominating_pairs import PlanPart, optimum
from dpselect.ledger.events import Event
from dpselect.ledger.in_memory import InMemoryLedger, budget
from dpselect.ledger.interop import BudgetAccountant, from_dp_accounting, to_dp_accounting
from dpselect.ledger.ledger import Ledger
from dpselect.ledger.recording import PlannedSpends, RecordingAccountant, Spend
from dpselect.ledger.requests import (
    AnsweredError,
    LedgerIndex,
    LedgerRequests,
    PlanPayment,
    RequestAccountant,
    RequestError,
    RequestSpends,
)
from dpselect.ledger.transaction import UncertainSpendError

__all__ = [
    "AnsweredError",
    "BudgetAccountant",
    "Event",
    "InMemoryLedger",
    "Ledger",
    "LedgerIndex",
    "LedgerRequests",
    "PlanPart",
    "PlanPayment",
    "PlannedSpends",
    "RecordingAccountant",
    "Report",
    "RequestAccountant",
    "RequestError",
    "RequestSpends",
    "Spend",
    "Terms",
    "Totals",
    "UncertainSpendError",
    "budget",
    "from_dp_accounting",
    "optimum",
    "report",
    "to_dp_accounting",
]
