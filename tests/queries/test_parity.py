"""Local and remote: every query of a dataset of this machine, and of a server that has the same description."""

from __future__ import annotations

import ast
import inspect
import runpy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the server needs the extra web")
pytest.importorskip("sqlalchemy", reason="the server needs the extra web")

import dpselect as dps
from dpselect.client import RemoteDataset
from dpselect.ledger import InMemoryLedger
from dpselect.queries import QUERIES, DatasetMethods, LocalDataset, Query, query_of
from tests.queries.test_queries import AGES, ASKED, IDS, JOBS
from tests.web.server.served import Office

TABLE = """
source = "table.csv"
{persons}
[columns]
age = {lower = 0, upper = 120}
job = ["nurse", "smith", "clerk"]
half = {lower = 0, upper = 1, step = 0.5}
code = [1, 2.5, "x"]
since = {lower = 2025-01-01, upper = 2025-12-31, step = "month"}
[budget]
epsilon = 900
delta = 0.1
rule = "{rule}"
"""
PERSONS = 'person = "id"\nrows_per_person = 2'
GRAPH = 'graph = "edges.csv"\nnodes = 5\nmax_degree = 3\nbudget = {epsilon = 900}\n'
DESCRIBED = {
    "rows": TABLE.replace("{persons}", "").replace("{rule}", "sum"),
    "persons": TABLE.replace("{persons}", PERSONS).replace("{rule}", "sum"),
    "concentrated": TABLE.replace("{persons}", PERSONS).replace("{rule}", "rho"),
    "graph": GRAPH,
}
SETTINGS = '[server]\nport = 0\nqueries = "own.py"\n[limits]\nrequests_per_minute = 100000\n' + "".join(
    f'[datasets.{name}]\ndataset = "{name}.toml"\nshares = {{ann = 900}}\n' for name in DESCRIBED
)
# Values that are not all text, as names of groups in JSON are.
CODES = (1, 2.5, "x")
QUERIED: dict[str, dict[str, Any]] = ASKED | {
    "codes": {"query": "histogram", "column": "code", "by": "job", "epsilon": 2},
    "median by code": {"query": "median", "column": "age", "by": "code", "epsilon": 2},
    "each code": {"query": "most_common", "column": "code", "k": 3, "epsilon": 2},
    "median of dates": {"query": "median", "column": "since", "epsilon": 2},
    "median by month": {"query": "median", "column": "age", "by": "since", "epsilon": 2},
    "quantiles of dates": {"query": "quantiles", "column": "since", "q": [0.25, 0.75], "by": "job", "epsilon": 2},
    "months": {"query": "histogram", "column": "since", "by": "job", "epsilon": 2},
    "busiest month": {"query": "most_common", "column": "since", "k": 2, "epsilon": 2},
    "bins of dates": {"query": "histogram", "column": "since", "bins": [0, 1], "epsilon": 2},
    "total by month": {"query": "select", "candidate": "since", "score": "largest-count", "epsilon": 2},
    "total of dates": {"query": "select", "candidate": "job", "score": "largest-total", "of": "since", "epsilon": 2},
    "learn from dates": {"query": "train", "target": "job", "features": ["since"], "epsilon": 1},
    "learn dates": {"query": "train", "target": "since", "epsilon": 1},
}
# One file, which the settings of the server name.
OWN = '''
import dpselect as dps
from dpselect.queries import Query, argument
from dpselect.queries.field_kinds import CATEGORICAL_COLUMN


class Rarest(Query[str]):
    """The value with the fewest rows."""

    name = "rarest"

    column: str = argument(CATEGORICAL_COLUMN, "a column of values", kw_only=False)

    def candidates(self, dataset):
        return len(dataset.groups(self.column))

    def release(self, data, accountant):
        cells, values = list(data.table([self.column])[self.column]), data.dataset.groups(self.column)
        fewest = [-cells.count(value) for value in values]
        scores = dps.Scores(fewest, 1, values, range_bound=1, neighbours="add-remove", kind="integer")
        return dps.select(scores, epsilon=self.epsilon, ledger=accountant)

    def words(self):
        return f"Which value of {self.column} is the rarest?"
'''
Pair = tuple[LocalDataset, RemoteDataset]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Pair]]:
    """Datasets of this machine, and those of a running server that reads the same files."""
    folder = tmp_path_factory.mktemp("parity")
    rows = zip(AGES, JOBS, IDS, strict=True)
    lines = "".join(
        f"{age},{job},0.5,{person},{CODES[age % 3]},{job},{('left', 'right')[place % 2]},2025-{age % 12 + 1:02}-17\n"
        for place, (age, job, person) in enumerate(rows)
    )
    (folder / "table.csv").write_text(f"age,job,half,id,code,nick,side,since\n{lines}", encoding="utf-8")
    (folder / "edges.csv").write_text("source,target\n0,1\n0,2\n0,3\n1,2\n", encoding="utf-8")
    for name, text in DESCRIBED.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    (folder / "own.py").write_text(OWN, encoding="utf-8")
    office = Office(folder, SETTINGS)
    office.start()
    server = dps.connect(f"http://127.0.0.1:{office.port}", office.tokens["ann"])

    def local(name: str) -> LocalDataset:
        description = dps.Dataset.load(folder / f"{name}.toml")
        return dps.open(description, ledger=InMemoryLedger(description.terms()))

    yield {name: (local(name), server.dataset(name)) for name in DESCRIBED}
    office.kill()


def test_methods_are_the_same() -> None:
    """Of queries, views and plans, with the same arguments; a server takes a key, too."""
    public = {name for name in dir(LocalDataset) if not name.startswith("_")} - {"ledger"}
    # A publication is kept beside its plan, and pays from a ledger here. What is read is for the curator alone.
    public -= {"publish", "plan_publication", "check_of"}

    assert public <= {name for name in dir(RemoteDataset) if not name.startswith("_")}
    assert issubclass(LocalDataset, DatasetMethods)
    assert issubclass(RemoteDataset, DatasetMethods)
    assert {*QUERIES} <= public
    here, there = (inspect.signature(kind.ask).parameters for kind in (LocalDataset, RemoteDataset))
    assert ["self", "query"] == [*here] == [name for name in there if name != "key"]


def form(value: Any) -> Any:
    """Return the types of a value, and the names of its groups and values as they are."""
    if isinstance(value, Mapping):
        return {(type(name), name): form(each) for name, each in value.items()}
    if isinstance(value, tuple):
        return len(value), {form(each) for each in value}
    return type(value)


def require_alike(query: Query[Any], here: LocalDataset, there: RemoteDataset) -> None:
    """Ask both."""
    plan = here.plan_of(query)
    assert plan == there.plan_of(query)
    assert plan.mechanism == there.read(query).example.mechanism

    local, remote = here.ask(query), there.ask(query)
    assert plan.guarantee == local.guarantee == remote.guarantee
    assert type(local) is type(remote)
    assert form(local.value) == form(remote.value)
    assert (local.mechanism, local.single, local.tick) == (remote.mechanism, remote.single, remote.tick)
    assert [type(each) for each in local.gaps] == [type(each) for each in remote.gaps]
    assert local.error_bound.describe() == remote.error_bound.describe()
    assert local.error_bound == remote.error_bound
    assert (local.rows_per_person, local._protects) == (remote.rows_per_person, remote._protects)

    ours, theirs = (dict(each.certificate().content) for each in (local, remote))
    assert remote._answer.keys() == theirs["answer"].keys() == ours["answer"].keys()
    for part in ("ledger", "date", "answer"):
        del ours[part], theirs[part]
    assert ours == theirs


def refused(ask: Any) -> tuple[type, str] | None:
    """Return the kind and the words of a refusal."""
    try:
        ask()
    except (ValueError, dps.PrivacyError) as error:
        return type(error), str(error)
    return None


@pytest.mark.parametrize(
    "name, dataset",
    [
        (name, dataset)
        for name, asked in QUERIED.items()
        for dataset in (("graph",) if asked["query"] == "top_k" else ("rows", "persons", "concentrated"))
    ],
)
def test_a_query_is_answered_alike(name: str, dataset: str, pairs: dict[str, Pair]) -> None:
    """The same plan; the same types, promise, mechanism, error and certificate of the answer; or the same refusal."""
    query, (here, there) = query_of(QUERIED[name]), pairs[dataset]
    refusal = refused(lambda: here.plan_of(query))
    if (
        refusal is None
        and dataset == "concentrated"
        and here.plan_of(query).guarantee.stated_rho is None
        and here.plan_of(query).guarantee.delta
    ):
        # A budget of rhos pays for no delta.
        for data in (here, there):
            with pytest.raises(dps.BudgetError):
                data.ask(query)
    elif refusal is None:
        require_alike(query, here, there)
    else:
        assert refusal == refused(lambda: there.plan_of(query))


def test_a_query_of_ones_own_is_answered_alike(pairs: dict[str, Pair], tmp_path: Path) -> None:
    """A file is all that it takes; a client that has not even that asks by JSON, and values are as JSON has them."""
    (tmp_path / "mine.py").write_text(OWN, encoding="utf-8")
    own = runpy.run_path(str(tmp_path / "mine.py"))["Rarest"]
    here, there = pairs["rows"]
    require_alike(own("job", epsilon=2), here, there)

    asked = {"query": "rarest", "column": "job", "epsilon": 2}
    assert there.ask(asked).value[0] in ("nurse", "smith", "clerk")
    # The shape of a promise is known of queries that are.
    assert here.plan_of(own("job", epsilon=2)).guarantee.in_words() == there.plan_of(asked).guarantee.in_words()
    for wrong in (asked | {"column": "age"}, asked | {"k": 3}):
        with pytest.raises(ValueError):
            there.ask(wrong)


def test_methods_and_views_are_answered_alike(pairs: dict[str, Pair]) -> None:
    """By name, in groups, and plans of both."""
    here, there = pairs["rows"]
    for data in (here, there):
        assert 49 <= data.median("age", epsilon=100).value <= 50
        assert {"nurse": 200, "smith": 100, "clerk": 100} == data.histogram("job", epsilon=50).value
        counts = "SELECT job, COUNT(*) FROM dataset GROUP BY job"
        assert {"nurse": 200, "smith": 100, "clerk": 100} == data.sql(counts, epsilon=50).value
        assert ("person" in data.plan.sql(counts, epsilon=1).sensitivity) is False
        assert [0.5] * 3 == [*data.by("job").median("half", epsilon=50).value.values()]
        assert ("nurse",) == data.select("job", score="largest-count", epsilon=50).value
        model = data.train("job", features=["age"], epsilon=1).value
        assert {*model.predict({"age": [1, 2]})} <= {"nurse", "smith", "clerk"}
    with pytest.raises(ValueError, match="its curator describes: leave WHERE out"):
        there.sql("SELECT MEDIAN(age) FROM dataset WHERE age > 3", epsilon=1)
    assert here.by("job").plan.median("age", epsilon=1) == there.plan.by("job").median("age", epsilon=1)


WRONG: list[dict[str, Any]] = [
    {"query": "median", "column": "job"},
    {"query": "median", "column": "income"},
    {"query": "median", "column": "age", "by": "age"},
    {"query": "histogram", "column": "job", "bins": [0, 1]},
    {"query": "histogram", "column": "age", "bins": [1, 0]},
    {"query": "most_common", "column": "job", "k": 4},
    {"query": "select", "candidate": "job", "score": "largest-total", "of": "job"},
    {"query": "train", "target": "age", "model": "forest"},
    {"query": "train", "target": "job", "rounds": 3},
    {"query": "top_k", "metric": "degree"},
]


@pytest.mark.parametrize("content", WRONG)
def test_a_wrong_query_is_refused_alike(content: dict[str, Any], pairs: dict[str, Pair]) -> None:
    """By the same error in the same words; a server that is sent it refuses it, too."""
    query = query_of(content | {"epsilon": 1})
    here, there = pairs["rows"]
    refusals = []
    for ask in (here.ask, there.ask, here.plan_of, there.plan_of):
        with pytest.raises(ValueError) as refused:
            ask(query)
        refusals.append((type(refused.value), str(refused.value)))
    assert 1 == len({*refusals})

    sent = RemoteDataset(there._line, there.facts, 5)
    sent._description = None
    with pytest.raises(ValueError) as refused:
        sent.ask(query)
    assert refusals[0][1] == str(refused.value)


def test_a_budget_that_does_not_reach_is_refused_alike(pairs: dict[str, Pair]) -> None:
    """By a budget error; nothing is spent."""
    for data in pairs["persons"]:
        with pytest.raises(dps.BudgetError):
            data.median("age", epsilon=901)


SOURCE = Path(dps.__file__).parent
# Rooms that derive everything from queries.
DERIVED = ("client", "web/server")
# Users of one query, as anybody may be: a server plans it at its start, pages show its chances and its price.
USERS = ("web/server/jobs.py", "web/explorer/pages/", "web/explorer/planned_queries.py")


def strings(tree: ast.AST) -> Iterator[str]:
    """Yield the texts of a program that are not descriptions."""
    said = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


def test_a_new_query_is_one_file_and_one_line() -> None:
    """No other file imports the class of a query; rooms that derive from queries do not know their names either."""
    classes = {each.__name__ for each in QUERIES.values()}
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE).as_posix()
        if place.startswith(("queries/", *USERS)):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("dpselect.queries"):
                assert not classes & {each.name for each in node.names}, place
        if place.startswith(DERIVED):
            assert not QUERIES.keys() & {*strings(tree)}, place
    files = {inspect.getfile(each) for each in QUERIES.values()}
    assert len(files) == len(QUERIES)
