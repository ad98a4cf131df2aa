"""The budget: what was spent, kept on record, and what it adds up to."""

from dpselect.ledger.accountant import Report, Terms, Totals, report
from dpselect.ledger.events import Event
from dpselect.ledger.interop import BudgetAccountant, to_dp_accounting
from dpselect.ledger.ledger import Ledger
from dpselect.ledger.session import Session, budget
from dpselect.ledger.store import UncertainSpend
from dpselect.ledger.with_metadata import WithMetadata

__all__ = [
    "BudgetAccountant",
    "Event",
    "Ledger",
    "Report",
    "Session",
    "Terms",
    "Totals",
    "UncertainSpend",
    "WithMetadata",
    "budget",
    "report",
    "to_dp_accounting",
]
