"""The budget: what was spent, kept on record, and what it adds up to."""

from dpselect.ledger.accountant import Report, Terms, Totals, report
from dpselect.ledger.events import Event
from dpselect.ledger.interop import BudgetAccountant, to_dp_accounting
from dpselect.ledger.session import Session, budget
from dpselect.ledger.store import Citing, Ledger

__all__ = [
    "BudgetAccountant",
    "Citing",
    "Event",
    "Ledger",
    "Report",
    "Session",
    "Terms",
    "Totals",
    "budget",
    "report",
    "to_dp_accounting",
]
