"""Everything that a server keeps open: its database, the datasets with their ledgers, and who may ask."""

from __future__ import annotations

import inspect
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import dpselect as dps
from dpselect.dataset import Dataset
from dpselect.kernel.errors import InputError, MissingFileError
from dpselect.kernel.format_exact import format_exact
from dpselect.queries import QUERIES, Query, query_of
from dpselect.sources.urls import is_url
from dpselect.web.server.analyst_budgets import AnalystBudgets
from dpselect.web.server.database import Database, SingleServerLock
from dpselect.web.server.dataset import HostedDataset
from dpselect.web.server.dataset_budget import DatasetBudget
from dpselect.web.server.hosted_rows import HostedRows
from dpselect.web.server.openid.authenticator import Authenticator
from dpselect.web.server.queries import Queries
from dpselect.web.server.requests import Requests
from dpselect.web.server.sessions import Sessions
from dpselect.web.server.settings import DatasetSettings, Settings
from dpselect.web.server.streams.records import StreamRecords
from dpselect.web.server.users import Users

_MODULE = "dpselect_own_queries"


@dataclass(frozen=True)
class ServerState:
    """Resources that a server keeps open. Get them from :meth:`open`, and close them.

    Attributes:
        settings: as they were read.
        database: of people, requests, streams and budgets.
        datasets: by their names.
        queries: the classes of queries that are answered, by their names.
        openid: what lets users of an OpenID provider in, if they may come.
    """

    settings: Settings
    database: Database
    people: Users
    sessions: Sessions
    requests: Requests
    streams: StreamRecords
    standings: AnalystBudgets
    datasets: dict[str, HostedDataset]
    queries: Queries
    alone: SingleServerLock | None
    openid: Authenticator | None = None

    @classmethod
    def open(cls, settings: Settings, now: Callable[[], float] = time.time) -> ServerState:
        """Open the database and every ledger, and look whether the rows are where the settings say.

        Raises:
            OSError, ValueError, ImportError: one of them cannot be opened; the message says which.
        """
        queries = queries_with(settings.server.queries)
        database = Database(settings.server.database)
        alone = SingleServerLock(settings.server.database) if database.is_file else None
        try:
            people, sessions = Users(database, now), Sessions(database, now)
            openid = None if settings.openid is None else Authenticator.of(settings.openid, database, people)
            requests, standings = Requests(database, now), AnalystBudgets(database, now)
            streams = StreamRecords(database, now)
            # Read before the ledgers, which have every row first.
            paid = requests.paid_datasets() | streams.paid_datasets()
            datasets = {name: _dataset(name, each, settings, standings) for name, each in settings.datasets.items()}
            _require_known(paid, datasets)
        except BaseException:
            database.close()
            if alone is not None:
                alone.close()
            raise
        return cls(settings, database, people, sessions, requests, streams, standings, datasets, queries, alone, openid)

    def query_of(self, text: str) -> Query[Any]:
        """Return the query of a request that was stored.

        Raises:
            QueryError: another version of this server took it, or one with other queries.
        """
        return query_of(text, self.queries)

    def lost_requests(self) -> list[tuple[str, int]]:
        """Return the paid requests without an answer, with their rows, if the database is older than the ledgers.

        A ledger then has rows of requests that the database does not know, because a backup was restored. Answers may
        have been sent that it has forgotten, and to draw again under their rows could answer one row twice.
        """
        paid = self._paid_budgets()
        if not self.forgot():
            return []
        open_ones = {each.id for each in self.requests.open_ones()} & paid.keys()
        rows = [(number, paid[number].first_row(number)) for number in sorted(open_ones)]
        return [(number, row) for number, row in rows if row is not None]

    def forgot(self) -> bool:
        """Return whether ledgers know requests or streams that the database does not: it is older than they are."""
        paid = self._paid_budgets()
        return bool(paid.keys() - self.requests.numbers() - self.streams.numbers())

    def _paid_budgets(self) -> dict[str, DatasetBudget]:
        """Return the account of each request and stream that a ledger has rows of."""
        return {number: each.account for each in self.datasets.values() for number in each.account.requests()}

    def outdated_settings(self) -> list[str]:
        """Return in sentences where the settings say something else than what curators have set since."""
        result = []
        for name in self.datasets:
            standing, said = self.standings.of(name), self.settings.datasets[name]
            shares = [(f"share of {who}", share, standing.shares.get(who)) for who, share in said.shares.items()]
            pairs = [("allowance", said.first_allowance, standing.allowance), *shares]
            for what, first, now in pairs:
                if first != now:
                    held = "there is none" if now is None else f"it is {format_exact(now)}"
                    result.append(
                        f"datasets.{name}: the {what} is {format_exact(first)} in the settings, which count at the "
                        f"first start alone, and {held} now: curators change it over HTTP."
                    )
        return result

    def close(self) -> None:
        """Close the database, and let another server have it."""
        self.database.close()
        if self.alone is not None:
            self.alone.close()


def _require_known(paid: dict[str, str], datasets: dict[str, HostedDataset]) -> None:
    """Refuse ledgers without rows of what was paid: their budgets would be spent a second time."""
    for name, dataset in datasets.items():
        if {number for number, where in paid.items() if where == name} - dataset.account.requests():
            raise InputError(
                f"datasets.{name}: the ledger has no row of requests that this server has answered: restore it, or "
                "name the ledgers that belong to this database."
            )


def _dataset(name: str, said: DatasetSettings, settings: Settings, standings: AnalystBudgets) -> HostedDataset:
    description = said.description
    try:
        rows = HostedRows(description)
        rows.require()
        ledger = _ledger(name, description, settings)
    except (OSError, ValueError, ImportError) as error:
        raise type(error)(f"datasets.{name}: {error}") from None
    standings.register(name, said.first_allowance, said.shares)
    return HostedDataset(name, description, DatasetBudget(name, ledger, standings), rows)


def _ledger(name: str, description: Dataset, settings: Settings) -> dps.Ledger:
    """Return the ledger that a description names, or else one of this name in the place of ledgers."""
    if description.budget is not None and description.budget.ledger is not None:
        return description.open_ledger()
    if not is_url(settings.server.ledgers):
        Path(settings.server.ledgers).mkdir(mode=0o700, exist_ok=True)
    terms = {**vars(description.terms()), "dataset": name}
    return dps.Ledger.open(settings.ledger_address(name), **terms)


def queries_with(path: str | None) -> Queries:
    """Return the queries of the library, and with them those of a file of Python, by their names.

    The file is run. It is the curator's own code, which may do whatever this process may.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it cannot be run, or holds what cannot be served; the message says what to do.
    """
    if path is None:
        return QUERIES
    known = dict(QUERIES)
    classes = dict.fromkeys(each for each in vars(_run(path)).values() if isinstance(each, type))
    for each in classes:
        if issubclass(each, Query) and each.__module__ == _MODULE and each.name:
            _require(each, known, path)
            known[each.name] = each
    if len(known) == len(QUERIES):
        raise InputError(f"{path} has no query: write a subclass of dpselect.queries.Query that has a name.")
    return known


def _run(path: str) -> ModuleType:
    if not Path(path).is_file():
        raise MissingFileError(f"The file {path} does not exist: correct queries below [server].")
    spec = spec_from_file_location(_MODULE, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is not a file of Python: give it a name that ends in .py.")
    # Dataclasses look up the module of a class.
    module = sys.modules[_MODULE] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise InputError(f"{path}, line {error.lineno}: this is not Python: {error.msg}.") from None
    except Exception as error:
        line = [each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == path][-1]
        words = str(error).partition("\n")[0]
        raise InputError(f"{path}, line {line}: {type(error).__name__}: {words}") from None
    return module


def _require(query: type[Query[Any]], known: Queries, path: str) -> None:
    """Refuse a query that cannot be served (``ValueError``)."""
    named = f"{path}: {query.__name__}"
    if query.name in known:
        raise InputError(f"{named} has the name {query.name}, and so has another query: give it a name of its own.")
    if inspect.isabstract(query):
        raise InputError(f"{named} lacks {', '.join(sorted(query.__abstractmethods__))}: write them.")
