"""One dataset as a server has it: its public facts, its account and its rows."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import dpselect as dps
from dpselect.certificates.certificate import promised
from dpselect.kernel.errors import DPSelectError
from dpselect.ledger import RecordingAccountant, Spend
from dpselect.release.release import Release
from dpselect.web.server.account import Account
from dpselect.web.server.facts import DatasetFacts
from dpselect.web.server.payment import ChargedAccountant
from dpselect.web.server.questions import Question
from dpselect.web.server.refusal import Unprotected, Wrong
from dpselect.web.server.rows import Rows

# How many prices are remembered.
_PRICES = 256


class Away(DPSelectError):
    """The ledger did not answer after a draw that nobody has seen."""


@dataclass(frozen=True)
class Plan:
    """What a question would cost and how wrong its answer may be, whatever the data.

    Attributes:
        spends: what the ledger would record.
        example: the release of made-up rows, of which only the promise and the error may be shown.
    """

    spends: Sequence[Spend]
    example: Release[Any]

    def as_json(self) -> dict[str, Any]:
        """Return the plan for programs."""
        return {
            "mechanism": self.example.mechanism,
            "guarantee": promised(self.example.guarantee, self.example._protects),
            "accuracy": self.example.error_bound.describe(),
            "error": self.example.error_bound.facts(),
        }


@dataclass(frozen=True)
class Dataset:
    """What questions are asked of.

    Attributes:
        name: the curator's.
        facts: what is public.
        account: what pays.
        rows: what is private.
    """

    name: str
    facts: DatasetFacts
    account: Account
    rows: Rows
    # What was asked last and what it costs: it follows from public facts, and the same questions come again.
    _prices: OrderedDict[tuple[Question, int], Sequence[Spend]] = field(default_factory=OrderedDict, compare=False)

    def plan(self, question: Question, most: int) -> Plan:
        """Return what a question would cost, from public facts alone: no row is read, nothing is spent.

        Args:
            question: about this dataset.
            most: how many public candidates it may have.

        Raises:
            Wrong: it is not a question about this dataset; the message may be shown.
        """
        question.require(self.facts, most)
        book = RecordingAccountant(self.account.rule)
        try:
            example = question.example(self.facts, book)
        except dps.PrivacyError as error:
            # Made-up rows cannot tell anything.
            raise Unprotected(str(error)) from None
        except (ValueError, TypeError) as error:
            raise Wrong(str(error)) from None
        return Plan(book.spends, example)

    def price(self, question: Question, most: int) -> Sequence[Spend]:
        """Return what a question would spend; as :meth:`plan`, and at once where it was asked before.

        Raises:
            Wrong: as :meth:`plan`.
        """
        spends = self._prices.get((question, most))
        if spends is None:
            spends = self._prices[question, most] = (*self.plan(question, most).spends,)
            while len(self._prices) > _PRICES:
                # Two threads may take the same one away.
                with suppress(KeyError):
                    self._prices.popitem(last=False)
        return spends

    def payment(self, request: str, analyst: str) -> ChargedAccountant:
        """Return what pays for a request of an analyst."""
        return ChargedAccountant(self.account, request, analyst, self.rows.metadata)

    def answer(self, question: Question, payment: ChargedAccountant) -> dict[str, Any]:
        """Read the rows, draw under what was paid, and return the answer for programs.

        Raises:
            Away: the ledger cannot be read now, so that there is no certificate.
            Exception: anything, with a message that is for nobody, since it may follow from rows.
        """
        release = question.ask(self.rows, self.facts, payment)
        payment.require_complete()
        words, public = question.words(), question.public(self.facts)
        try:
            certificate = release.certificate(
                question=words, public=public, ledger=self.account.ledger, row=payment.rows[0]
            )
        except OSError:
            raise Away from None
        content = certificate.content
        return {
            "answer": content["answer"],
            "mechanism": content["mechanism"],
            "guarantee": content["guarantee"],
            "accuracy": release.error_bound.describe(),
            "ledger_row": payment.rows[0],
            "certificate": {"certificate": content, "sha256": certificate.sha256},
            **question.attached(release),
        }
