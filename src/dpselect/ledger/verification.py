"""Verification of a whole ledger: its terms, every row of its chain, and sums that are those of the rows."""

from __future__ import annotations

from dataclasses import replace

from dpselect.kernel.errors import InputError
from dpselect.ledger.chain import RESTORE, ChainTail, terms_of, terms_text, totals_text
from dpselect.ledger.composition import Terms
from dpselect.ledger.transaction import Sums, Transaction

# Format 2 added the rho of a concentrated release to events; format 3 which releases Laplace noise dominates, and sums
# of exact prices in rho; format 4 the hashes of answers beside the chain. An older ledger is read as it is. It becomes
# 3 in the transaction of the first spend, and 4 in that of the first request; a program that knows older formats alone
# refuses the ledger from then on.
FORMAT, READ = 4, (1, 2, 3, 4)
_EXACT_PRICES, _ANSWERS = 3, 4


def whole(ledger: Transaction) -> tuple[Terms, ChainTail]:
    """Return the terms and the tail of a ledger that is verified from the first row to the last.

    Raises:
        ValueError: it is damaged (which row), of a newer format, or not a ledger.
    """
    terms = _terms(ledger)
    return terms, follow_chain(ledger, terms, ChainTail.start(terms))


def follow_chain(ledger: Transaction, terms: Terms, tail: ChainTail) -> ChainTail:
    """Return the tail of the ledger, which must go on where ``tail`` ended and agree with its own sums.

    Raises:
        ValueError: as :func:`whole`; it went back in time, or has other terms.
    """
    if _terms(ledger) != terms:
        raise InputError(f"The terms of this ledger were edited: {RESTORE}")
    rows = iter(ledger.rows(tail.row - 1))
    if tail.row:
        number, _, hashed = next(rows, (None, None, None))
        if (number, hashed) != (tail.row, tail.link):
            raise InputError(f"Row {tail.row} of this ledger was edited or lost: {RESTORE}")
    tail = tail.follow(rows)
    stated = ledger.sums()
    if [each[:2] for each in stated] != [(tail.row, tail.link)]:
        raise InputError(f"This ledger lost rows after row {tail.row}, or its totals were edited: {RESTORE}")
    exact = ledger.header()[0][0] >= _EXACT_PRICES
    if stated[0][2] != totals_text(tail.totals if exact else replace(tail.totals, rho=tail.textbook)):
        raise InputError(f"The totals of this ledger were edited: {RESTORE}")
    return tail


def sums_of(tail: ChainTail) -> Sums:
    """Return the totals as they are written.

    Raises:
        ValueError: they have too many digits.
    """
    return tail.row, tail.link, totals_text(tail.totals)


def promote_for_spend(ledger: Transaction) -> None:
    """Let a ledger of an older format have one that knows all events and sums exact prices."""
    if ledger.header()[0][0] < _EXACT_PRICES:
        ledger.promote(_EXACT_PRICES)


def has_answers(ledger: Transaction) -> bool:
    """Return whether a ledger has a table of answers: those of older formats have none."""
    return ledger.header()[0][0] >= _ANSWERS


def prepare_answers(ledger: Transaction) -> None:
    """Let a ledger have a table of answers; refuse, as its store does, where none can be written to."""
    if not has_answers(ledger):
        ledger.make_answers()
        ledger.promote(_ANSWERS)
    ledger.require_answers()


def copy_ledger(ledger: Transaction, copy: Transaction) -> None:
    """Write all of a ledger into an empty one, and verify that.

    Raises:
        ValueError: as :func:`whole`.
    """
    _terms(ledger)
    copy.fill(*ledger.header()[0], ledger.rows(0), ledger.sums())
    if has_answers(ledger):
        copy.make_answers()
        for request, hashed in ledger.answers():
            copy.keep_answer(request, hashed)
    whole(copy)


def begin_ledger(terms: Terms, place: Transaction) -> None:
    """Write a ledger of nothing but terms.

    Raises:
        ValueError: as :func:`sums_of`.
    """
    place.fill(FORMAT, terms_text(terms), (), [sums_of(ChainTail.start(terms))])
    place.make_answers()


def _terms(ledger: Transaction) -> Terms:
    header = ledger.header()
    if not header:
        raise InputError("This is not a ledger: pass the address of one, or of nothing yet.")
    if len(header) > 1:
        raise InputError(f"The terms of this ledger were edited: {RESTORE}")
    number, body = header[0]
    if number not in READ:
        raise InputError(f"This ledger has format {number} and this dpselect reads {READ[0]} to {READ[-1]}: update it.")
    return terms_of(body)
