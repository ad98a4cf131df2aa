"""A dataset of this machine: queries that are paid for from its own ledger."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from dpselect.dataset import Dataset
from dpselect.kernel.errors import BudgetError, DPSelectError, InputTypeError
from dpselect.kernel.privacy_filter import Accountant, with_metadata
from dpselect.ledger import InMemoryLedger, Ledger, PlannedSpends, RecordingAccountant, Spend
from dpselect.ledger.composition import Totals
from dpselect.queries.base import Query
from dpselect.queries.ledger_metadata import ledger_metadata
from dpselect.queries.plan import Plan, PrivateRows, plan_of
from dpselect.queries.registry import DatasetMethods
from dpselect.release.release import Release

# A query that is asked alone needs neither.
if TYPE_CHECKING:
    from dpselect.dataset import DatasetCheck
    from dpselect.queries.publication import Publication, PublicationAnswers, PublicationPlan

T = TypeVar("T")


class LocalDataset(DatasetMethods):
    """A private table or graph of this machine with its public description. :func:`dpselect.open` returns one.

    Every query is a method: ``data.median("income", epsilon=1)``; ``data.by("region")`` has the same methods, whose
    releases have a dict of groups as their value, and ``data.plan`` has them, too, and spends nothing.

    Attributes:
        description: the public description.
        name: of the file that describes it, without its ending, for FROM in SQL; ``None`` without a file.

    >>> from dpselect import Dataset
    >>> columns, budget = {"age": {"lower": 0, "upper": 120}}, {"epsilon": 3}
    >>> data = open(Dataset.of({"age": [*range(100)] * 9}, columns=columns, budget=budget))
    >>> data.plan.median("age", epsilon=1).guarantee.epsilon
    Fraction(1, 1)
    >>> abs(data.median("age", epsilon=1).value - 50) < 20
    True
    """

    def __init__(
        self, description: Dataset, ledger: Accountant | None = None, workers: int = 1, name: str | None = None
    ) -> None:
        self.description, self.name = description, name
        self._shared, self._workers = _SharedLedger(description, ledger), workers

    def __repr__(self) -> str:
        return f"LocalDataset({self.description!r})"

    @property
    def ledger(self) -> Accountant:
        """Return the ledger that pays; it is opened, or made, when it is first needed.

        A frame in memory whose budget names no ledger has one in memory.

        Raises:
            BudgetError: none is described and none was passed.
            DatasetError, ValueError, OSError: as :meth:`Dataset.open_ledger`.
        """
        return self._shared.open()

    def subset(self, where: str | None) -> LocalDataset:
        """Return the rows that fulfil a public condition, too, paid for from the same ledger; all rows without one.

        Raises:
            DatasetError: as :meth:`Dataset.subset`.
        """
        if where is None:
            return self
        part = LocalDataset(self.description.subset(where), None, self._workers, self.name)
        part._shared = self._shared
        return part

    def plan_of(self, query: Query[Any]) -> Plan:
        """Return the price and the error of a query. No row is read and nothing is spent.

        Raises:
            ValueError: it is not a query about this dataset.
        """
        return plan_of(query, self.description, self._rule)

    def check_of(self, query: Query[Any]) -> DatasetCheck:
        """Return how many cells of the columns of a query are understood, for the curator alone. Nothing is spent.

        The counts are exact and private. Look at the first line before you pay: what is not understood is left out.

        Raises:
            ValueError: it is not a query about this dataset.
            OSError, ImportError: the source cannot be read.
        """
        return question_check(self.description, query)

    def ask(self, query: Query[T]) -> Release[T]:
        """Return the release that answers a query, with its certificate.

        Its price is found first, without a row; it is spent, durably, before anything is drawn.

        Raises:
            PrivacyError: the query would spend another amount than its plan; nothing was spent for it.
            ValueError: it is not a query about this dataset; nothing was spent.
            BudgetError: the ledger does not allow it; nothing was spent.
            OSError: the source cannot be read.
        """
        plan, metadata = self.plan_of(query), ledger_metadata(query, self.description)
        if not self._shared.is_unmade:
            # What is wrong with it is said before a row is read.
            self._shared.open()

        def pay(spend: Spend) -> int:
            return int(spend.record(with_metadata(self._shared.open(spend), metadata)) or 0)

        spends = PlannedSpends(plan.spends, pay)
        accountant, digest = RecordingAccountant(self._rule, spends), self.description.digest
        release = query.release(PrivateRows(self.description, self._workers), accountant)
        spends.require_complete()
        answer: Release[T] = replace(
            plan.with_planned_error(release),
            stated={
                "question": query.words(),
                "public": query.public(self.description) | self.description.condition | {"description": digest},
                "ledger": self.ledger,
                "row": accountant.spends[0].row,
            },
        )
        return answer

    def plan_publication(self, publication: Publication | str | Path) -> PublicationPlan:
        """Return the prices and errors of a publication. No row is read, nothing is spent and nothing is written.

        Args:
            publication: a plan of queries, or the path of its file.

        Raises:
            PublicationError, BudgetError, AnsweredError, OSError: as :meth:`publish`, of whatever it refuses.
        """
        from dpselect.queries.publication import plan_publication

        asked = self._publication(publication)
        # A ledger that is not made yet has all of its budget left.
        ledger = InMemoryLedger(self.description.terms()) if self._shared.is_unmade else self._paying_ledger()
        return plan_publication(asked, self.description, ledger, self._rule)

    def publish(self, publication: Publication | str | Path) -> PublicationAnswers:
        """Pay for a plan of queries, answer them and write the answers beside its file, each query once.

        Begun again, it goes on where it ended: what was paid for is not paid again, and what was answered stands. The
        answers of ``report.toml`` are in the folder ``report.answers``; a plan that was made in Python has no file,
        so its answers are returned alone, and another call pays again.

        Args:
            publication: a plan of queries, or the path of its file.

        Raises:
            PublicationError: the plan cannot be used; the message names the line. Nothing was spent.
            BudgetError: the total or the ledger does not allow it; nothing was spent.
            AnsweredError: an answer was shown that is not stored any more; nothing was drawn again for it.
            OSError: the ledger, the source or the folder cannot be used; what was paid stays paid for the next call.

        >>> from dpselect import Dataset
        >>> columns, budget = {"age": {"lower": 0, "upper": 120}}, {"epsilon": 3}
        >>> data = open(Dataset.of({"age": [*range(100)] * 9}, columns=columns, budget=budget))
        >>> from dpselect.queries import Publication
        >>> asked = [{"key": "age", "query": "median", "column": "age", "weight": 1}]
        >>> answers = data.publish(Publication.of(total={"epsilon": 1}, query=asked))
        >>> answers.answers["age"]["question"], answers.certificate.content["guarantee"]["epsilon"]
        ('What is the median of age?', '1')
        """
        from dpselect.queries.publication import publish

        asked = self._publication(publication)
        if self._shared.is_unmade:
            # What a new ledger would refuse is refused before there is one.
            try:
                self.plan_publication(asked)
            except (DPSelectError, OSError):
                # Another process may have made it meanwhile, and begun this publication, which goes on.
                if self._shared.is_unmade:
                    raise
        return publish(asked, self.description, self._paying_ledger, self._rule)

    def _paying_ledger(self) -> Ledger | InMemoryLedger:
        from dpselect.queries.publication import require_ledger

        return require_ledger(self.ledger)

    def _publication(self, asked: Publication | str | Path) -> Publication:
        """Return a publication about this dataset."""
        from dpselect.queries.publication import Publication, PublicationError

        made = asked if isinstance(asked, Publication) else Publication.load(asked)
        named = made.description
        if named is not None and (named.digest, named.address) != (self.description.digest, self.description.address):
            raise PublicationError(
                ("dataset",), "the plan is about another dataset: open that one.", made.places.get("", "")
            )
        return made

    @property
    def _rule(self) -> str:
        budget = self.description.budget
        return str(getattr(self._shared.ledger, "rule", "sum" if budget is None else budget.rule))


class _SharedLedger:
    """The ledger of a dataset and of all of its subsets, opened once."""

    def __init__(self, description: Dataset, ledger: Accountant | None) -> None:
        self.ledger, self._description, self._lock = ledger, description, Lock()

    @property
    def is_unmade(self) -> bool:
        """Return whether the ledger is described and not made yet."""
        return self.ledger is None and is_ledger_unmade(self._description)

    def open(self, spend: Spend | None = None) -> Accountant:
        """Return the ledger, made when it is first needed (errors as :attr:`LocalDataset.ledger`).

        Args:
            spend: its first; what a new ledger would refuse is refused before there is one.
        """
        described = self._description
        with self._lock:
            if spend is not None and self.is_unmade:
                terms = described.terms()
                terms.admit(Totals(), spend.event(terms.dataset))
            if self.ledger is None:
                if described.budget is None:
                    raise BudgetError("This dataset has no budget: describe [budget] with epsilon and ledger.")
                held = described.frame is not None and described.budget.ledger is None
                self.ledger = InMemoryLedger(described.terms()) if held else described.open_ledger()
        return self.ledger


def is_ledger_unmade(dataset: Dataset) -> bool:
    """Return whether a ledger is described and not made yet (errors as :meth:`Dataset.existing_ledger`)."""
    return dataset.ledger_place is not None and dataset.existing_ledger() is None


def open(dataset: str | Path | Dataset, *, ledger: Accountant | None = None, workers: int = 1) -> LocalDataset:
    """Open a dataset on this machine by its public description; no row is read.

    Args:
        dataset: the path of a TOML file that :meth:`Dataset.load` reads, or a description.
        ledger: an accountant that pays instead of the ledger that the description names.
        workers: how many threads compute metrics of graphs.

    Raises:
        FileNotFoundError: there is no such file.
        DatasetError: the description cannot be used.
    """
    if ledger is not None and not hasattr(ledger, "spend"):
        raise InputTypeError("ledger is an accountant: pass dps.Ledger.read(path), or name the ledger in [budget].")
    if isinstance(dataset, Dataset):
        return LocalDataset(dataset, ledger, workers)
    return LocalDataset(Dataset.load(dataset), ledger, workers, Path(dataset).stem)


def question_check(dataset: Dataset, *queries: Query[Any]) -> DatasetCheck:
    """Return what is understood of the columns, or of the edges, that some questions are about. Nothing is spent.

    Its counts are exact and private: show them to the curator alone.

    Raises:
        ValueError: one is not a query about this dataset.
        OSError, ImportError: the source cannot be read.

    >>> from dpselect.queries import Median
    >>> columns = {"income": {"lower": 0, "upper": 90_000}, "job": ["nurse", "smith"]}
    >>> rows = Dataset.of({"income": ["1200", "2.420,34", "1.980,00"], "job": ["nurse"] * 3}, columns=columns)
    >>> question_check(rows, Median("income", epsilon=1)).first_line
    'private, for you alone: 2 of 3 cells of income were not read as numbers'
    """
    from dpselect.dataset import check_dataset

    for query in queries:
        query.size(dataset)
    if dataset.graph is not None:
        return check_dataset(dataset)
    named = [name for query in queries for name in _queried_columns(query, dataset)]
    return check_dataset(replace(dataset, columns={name: dataset.columns[name] for name in named}))


def _queried_columns(query: Query[Any], dataset: Dataset) -> list[str]:
    """Return the columns that the fields of a query name, each once; all there may be where a list is left out."""
    named: list[str] = []
    for name, kind in query.kinds().items():
        value = getattr(query, name)
        if kind.control == "columns":
            every = [each for each, domain in dataset.columns.items() if kind.takes(domain)]
            named += every if value is None else value
        elif kind.control == "column" and value is not None:
            named.append(value)
    return [*dict.fromkeys(named)]
