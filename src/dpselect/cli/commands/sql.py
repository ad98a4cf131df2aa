"""dpselect sql: one SELECT about a described dataset, answered as the query that it means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from dpselect.cli import dataset_options, query_commands, served
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import Argument, CommandOption
from dpselect.cli.request import Request
from dpselect.cli.served import connection
from dpselect.kernel.errors import InputError
from dpselect.queries.base import QueryError
from dpselect.queries.sql.kinds import EXPLAIN, NO_CONDITION, options

if TYPE_CHECKING:
    from dpselect.dataset import Dataset
    from dpselect.queries.sql.statement import SqlStatement


def run(request: Request) -> CommandAnswer:
    """Return the answer to a SELECT, or its plan; what it costs is paid durably before anything is drawn."""
    from dpselect.ledger.recording import StopAtSpend

    query_commands.require_said(request, "statement")
    request.dry_run = request.dry_run or EXPLAIN.match(request.statement) is not None
    reading = _Reading(request)
    try:
        answer = reading.answer_remotely() if served.is_served(request.dataset) else reading.here()
    except StopAtSpend as end:
        from dpselect.cli.plan_text import plan

        answer = plan(end.spend, request)
    return reading.explain(answer) if request.dry_run else answer


class _Reading:
    """A command line, and the statement that it is read as."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.statement: SqlStatement | None = None

    def here(self) -> CommandAnswer:
        """Return the answer of this machine."""
        from dpselect.cli import query_answers
        from dpselect.queries.plan import plan_of

        connection.require_none(self.request)
        if not dataset_options.is_description(self.request):
            raise InputError(
                "SQL needs what is public of every column: write that by dpselect describe FILE > FILE.toml, fill it "
                "in, and name it instead."
            )
        described = dataset_options.dataset_of(self.request)
        with dataset_options.error_location(self.request):
            query, statement = self._query(described), self.statement
            assert statement is not None
            dataset, found = statement.dataset, plan_of(query, statement.dataset)
            named = {name: (getattr(query, name),) for name, each in query.kinds().items() if each.control == "column"}
            there = {name: each for name, each in named.items() if each != (None,)}
            dataset_options.require_there(self.request, dataset, there)
            return query_answers.answer_query(self.request, query, dataset, found)

    def answer_remotely(self) -> CommandAnswer:
        """Return the answer of a server."""
        from dpselect.cli.served.served_answers import answer_served

        return answer_served(self.request, self._query)

    def explain(self, answer: CommandAnswer) -> CommandAnswer:
        """Return a dry run with what is counted, and how far one row or person moves it."""
        from dpselect.queries.sql.sql_plan import statistics_of

        assert self.statement is not None
        query, dataset = self.statement.query, self.statement.dataset
        statistics, sensitivity = statistics_of(query, dataset)
        lines = f"question   {query.words()}\nstatistics {statistics}\nsensitivity {sensitivity}"
        facts = {"query": query.as_json(), "statistics": statistics, "sensitivity": sensitivity}
        return answer.with_line(lines, facts)

    def _query(self, description: Dataset | None) -> Any:
        return query_commands.with_epsilon(self.request, description, lambda: self._read(description).query)

    def _read(self, description: Dataset | None) -> SqlStatement:
        """Return the statement at the epsilon of the request."""
        from dpselect.queries.sql.statement import SqlStatement

        query_commands.require_said(self.request, "epsilon")
        asked = {name: self.request.get(name) or None for name in (*options(), "epsilon")}
        lists = {name: [*value] for name, value in asked.items() if isinstance(value, tuple)}
        name = str(self.request.dataset).replace("\\", "/").rpartition("/")[2].removesuffix(dataset_options.DESCRIPTION)
        self.statement = SqlStatement.parse(self.request.statement, description, asked | lists, name)
        if self.statement.where is not None and served.is_served(self.request.dataset):
            raise QueryError(NO_CONDITION)
        condition = "" if self.statement.where is None else f" (of rows with {self.statement.where})"
        if self.request.certificate is not None and self.request.question is None:
            self.request.question = f"{self.statement.query.words()}{condition}"
        if self.statement.unpublished is not None and not self.request.outcome.dropped:
            self.request.outcome.dropped.append(self.statement.unpublished)
        return self.statement


def _options() -> Iterator[CommandOption | Argument]:
    yield dataset_options.argument(None)
    yield Argument("statement", metavar="SELECT", required=False, help="one SELECT in quotes, perhaps after EXPLAIN")
    for name, field in options().items():
        option = query_commands.option_of(name, field)
        option.required = False
        yield option
    yield from connection.OF_QUERIES


def _hint(_request: Request, _words: Sequence[str]) -> str:
    return ", as SQL is one text: write it in quotes"


VERB = Command(
    run,
    tuple(_options()),
    "dpselect sql survey.toml 'SELECT region FROM survey GROUP BY region ORDER BY AVG(income) LIMIT 1' "
    "--prior 20:30000 --epsilon 1\n"
    "dpselect sql survey.toml 'SELECT region, COUNT(*) FROM survey GROUP BY region' --epsilon 1\n"
    "dpselect sql survey.toml 'EXPLAIN SELECT MEDIAN(income) FROM survey' --epsilon 1",
    about="Protected: any one row; where the description names a column of persons, any one person. "
    "SQL becomes the query of another command, such as best, and nothing of its text reaches a database. Bounds, "
    "groups and persons come from the description. EXPLAIN is --dry-run.",
    spends=True,
    plans_errors=True,
    hint=_hint,
    elsewhere={
        "--by": "write GROUP BY",
        "--k": "write LIMIT",
        "--score": "write ORDER BY",
        "--order": "write DESC or ASC",
        "--where": "write WHERE",
        **connection.OF_DATASETS,
    },
)
