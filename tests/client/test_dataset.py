"""A dataset of a server, without one: types of values, what is refused before it is sent, classes that are new here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

import dpselect as dps
from dpselect.client import Server
from dpselect.client.answer import CertificateBound
from dpselect.client.dataset import description_of
from dpselect.client.transport import Reply
from dpselect.dataset import Dataset
from dpselect.learn.export import as_json
from dpselect.queries import QUERIES, Histogram, LocalDataset, Median, Query, QueryError, argument
from dpselect.queries.field_kinds import CATEGORICAL_COLUMN, whole
from dpselect.release.select import select
from dpselect.release.value import release_value
from tests.client.answering import Answering, facts, remote

VALUES = ["1", 2, 2.5, "gaps", "candidates"]
ROWS = {"kind": VALUES * 100, "age": [*range(100)] * 5, "id": [*range(250)] * 2}


def local(**more: Any) -> LocalDataset:
    """A table in memory, whose public values are text, integers and numbers."""
    columns = {"kind": VALUES, "age": {"lower": 0, "upper": 100, "step": 0.5}}
    said: dict[str, Any] = {"columns": columns, "budget": {"epsilon": 10**6, "delta": 0.001}}
    return dps.open(Dataset.of(ROWS, **{**said, **more}))


def test_names_have_the_types_of_the_public_facts() -> None:
    """Of groups, values and winners; a value that is called as a part of an answer is a value like others."""
    data = remote(local())

    assert dict.fromkeys(VALUES, 100) == data.histogram("kind", epsilon=100).value
    assert VALUES == [*data.by("kind").median("age", epsilon=100).value]
    assert {"[0, 50)", "[50, 100]"} == data.by("kind").histogram("age", bins=[0, 50, 100], epsilon=100).value[
        2.5
    ].keys()
    assert {*VALUES} == {*data.most_common("kind", k=5, epsilon=100).value}
    assert all(type(each) is int for each in data.histogram("kind", epsilon=100).value.values())
    assert isinstance(data.median("age", epsilon=100).value, float)
    assert isinstance(data.quantiles("age", q=[0.5], epsilon=100).value, tuple)


def test_a_release_has_a_receipt_of_the_server() -> None:
    """Its number, row and key, and its certificate, which says nothing else; it is a release like others."""
    release = remote(local()).ask(Median("age", epsilon=2), key="report-2025")

    assert type(release) is dps.Release
    assert ("request of report-2025", 1, "report-2025") == (
        release.receipt.request,
        release.receipt.ledger_row,
        release.receipt.key,
    )
    assert release.certificate() is release.receipt.certificate
    assert "What is the median of age?" == release.certificate().content["question"]
    with pytest.raises(TypeError, match="without arguments"):
        release.certificate(question="Another one?")
    assert local().median("age", epsilon=2).receipt is None


def test_an_error_bound_knows_all_probabilities() -> None:
    """It is the library's, where the server says the same; of another line only what the server says is known."""
    data = remote(local())
    assert local().plan.median("age", epsilon=2) == data.plan.median("age", epsilon=2)
    assert data.plan.median("age", epsilon=2).error_bound.at(0.9) < data.median("age", epsilon=2).error_bound.at(0.99)

    other = remote(local(), changed=lambda content: content | {"accuracy": "less than 7 rows"})
    assert isinstance(other.plan.median("age", epsilon=2).error_bound, CertificateBound)
    assert "less than 7 rows" == other.median("age", epsilon=2).error_bound.describe()


@pytest.mark.parametrize(
    "ask",
    [
        lambda data: data.median("income", epsilon=1),
        lambda data: data.median("kind", epsilon=1),
        lambda data: data.median("age", epsilon=0),
        lambda data: data.median("age", by="age", epsilon=1),
        lambda data: data.by("kind").most_common("kind", epsilon=1),
        lambda data: data.most_common("kind", k=6, epsilon=1),
        lambda data: data.train("age", model="forest", epsilon=1),
        lambda data: data.top_k("degree", epsilon=1),
        lambda data: data.plan.median("income", epsilon=1),
        lambda data: data.median(epsilon=1),
        lambda data: data.median("age", epsilon=1, shares=3),
    ],
)
def test_what_is_wrong_is_refused_before_it_is_sent(ask) -> None:
    """By the error that a dataset of this machine raises, in the same words."""
    data = remote(local())
    with pytest.raises((ValueError, TypeError)) as here:
        ask(local())
    with pytest.raises(type(here.value)) as there:
        ask(data)

    assert (type(here.value), str(here.value)) == (type(there.value), str(there.value))
    assert [] == data._line.sent


class Rarest(Query[Any]):
    """The value that fewest rows have."""

    name = "rarest"

    column: str = argument(CATEGORICAL_COLUMN, "a column of values", kw_only=False)
    k: int = argument(whole(1, 5), "how many", default=1)

    def candidates(self, dataset: Dataset) -> int:
        """Return the number of values."""
        return len(dataset.groups(self.column))

    def release(self, data: Any, accountant: Any) -> Any:
        """Return the winner, alone."""
        values = [*data.dataset.groups(self.column)]
        cells = data.table([self.column])
        return select(
            -dps.utilities.popularity(cells, item=self.column, domain=values), epsilon=self.epsilon, ledger=accountant
        )

    def words(self) -> str:
        """Return the query in words."""
        return f"Which value of {self.column} is the rarest?"


class Spread(Rarest):
    """A number with noise."""

    name = "spread"

    def release(self, data: Any, accountant: Any) -> Any:
        """Return some number."""
        data.table([self.column])
        return release_value(
            7, 1, epsilon=self.epsilon, neighbours="add-remove", beta=0.3, tick=Fraction(1, 3), ledger=accountant
        )


def test_a_class_of_ones_own_is_asked_as_any_other() -> None:
    """No list of the client names it; its release has the types of its class."""
    mine = {"rarest": Rarest, "spread": Spread}
    data = remote(local(), known=mine)

    release = data.ask(Rarest("kind", epsilon=100))
    assert release.value in VALUES
    assert release.single
    number = data.ask(Spread("kind", epsilon=100))
    assert isinstance(number.value, Fraction)
    assert number.value % number.tick == 0
    with pytest.raises(ValueError, match="no such column|this key does not exist"):
        data.ask(Rarest("colour", epsilon=1))


def test_a_class_that_the_client_does_not_know_is_asked_by_its_json() -> None:
    """The server answers it; values are as JSON has them, and the price is still compared with what was asked."""
    data = remote(local(), known={"rarest": Rarest, "histogram": Histogram})
    asked = {"query": "rarest", "column": "kind", "epsilon": 100}

    assert "rarest" not in QUERIES
    release = data.ask(asked, key="k")
    assert ({*release.value} < {*VALUES}, Fraction(100)) == (True, release.guarantee.epsilon)
    here = local().plan_of(Rarest("kind", epsilon=100))
    # Only its class knows the shape of a promise, which no reply states.
    assert here.guarantee.in_words() == data.plan_of(asked).guarantee.in_words()
    with pytest.raises(ValueError, match="epsilon is a positive number"):
        data.ask({"query": "rarest", "column": "kind"})
    # One that is known has its types and its refusals by JSON, too.
    assert dict.fromkeys(VALUES, 100) == data.ask({"query": "histogram", "column": "kind", "epsilon": 100}).value
    with pytest.raises(QueryError, match="column: this is missing"):
        data.ask({"query": "histogram", "epsilon": 1})


def dearer(name: str, value: str) -> Any:
    """Let a whole release, certificate and all, promise less than was asked for."""
    from dpselect.certificates.canonical_json import checksum

    def changed(content: Mapping[str, Any]) -> Mapping[str, Any]:
        record = content["certificate"]["certificate"]
        record["guarantee"] = content["guarantee"] | {name: value}
        return {**content, "guarantee": record["guarantee"]} | {
            "certificate": {"certificate": record, "sha256": checksum(record)}
        }

    return changed


@pytest.mark.parametrize("query", [Median("age", epsilon=1), {"query": "rarest", "column": "kind", "epsilon": 1}])
@pytest.mark.parametrize(
    "name, value, sentence",
    [("epsilon", "3", "promises epsilon 3 where 1 was asked for"), ("delta", "1e-12", "promises delta 1e-12 where 0")],
)
def test_a_higher_price_is_a_privacy_error(query, name, value, sentence) -> None:
    """Of a query of any class."""
    data = remote(local(), known={"median": Median, "rarest": Rarest}, changed=dearer(name, value))
    with pytest.raises(dps.PrivacyError, match=sentence):
        data.ask(query)


def test_a_small_delta_is_read() -> None:
    """It is written with an exponent."""
    data = remote(local())
    asked = {"epsilon": 1, "model": "boosted", "rounds": 2, "interactions": False, "features": ["kind"]}
    release = data.train("age", delta=1e-12, **asked)

    assert 0 < release.guarantee.delta <= Fraction(1, 10**12)
    assert release.value.predict({"kind": ["1"]}).shape == (1,)


def test_a_model_of_another_certificate_is_refused() -> None:
    """The checksum of its file is compared."""
    other = remote(local()).train("age", features=["kind"], epsilon=2).value
    data = remote(local(), changed=lambda content: content | {"model": json.loads(as_json(other))})

    with pytest.raises(ConnectionError, match="does not answer as a dpselect server"):
        data.train("age", features=["kind"], epsilon=1)


@pytest.mark.parametrize("columns", [None, {"colour": ["red", "blue"]}])
def test_an_old_answer_is_read_whatever_the_dataset_is_now(columns) -> None:
    """It is gone, or its columns are others: names are text then, as JSON has them."""
    data = local()
    way = Answering(data)
    asked = Histogram("kind", epsilon=100)
    sent, listed = way._answer(asked, "key"), {"request": "7", "dataset": "survey", "query": asked.as_json()}

    def send(_method: str, path: str, *_: Any) -> Reply:
        if path == "/datasets/survey":
            if columns is None:
                raise ValueError("This dataset does not exist, or is not shared with you.")
            return Reply(200, facts(Dataset.of({}, columns=columns)), None)
        return Reply(200, json.loads(json.dumps([listed] if path == "/history" else sent)), None)

    way.send = send
    release = Server(way, 1).answer("7")

    assert dict.fromkeys(map(str, VALUES), 100) == release.value
    assert (None, Fraction(100)) == (release.receipt.key, release.guarantee.epsilon)


def test_facts_that_no_description_says_are_left_to_the_server() -> None:
    """A third is no double: nothing is refused here, and values are as JSON has them."""
    description = local(columns={"kind": VALUES, "age": {"lower": 0, "upper": 100, "step": "1/3"}}).description
    data = remote(dps.open(description))

    assert description_of(facts(description)) is None
    assert dict.fromkeys(map(str, VALUES), 100) == data.histogram("kind", epsilon=100).value
    assert 0 <= data.median("age", epsilon=1).value[0] <= 100
    assert Fraction(1) == data.plan.median("age", epsilon=1).guarantee.epsilon


def test_a_description_has_the_public_facts() -> None:
    """The column of persons has a name that no column has."""
    persons = description_of({"columns": {"_person": ["a", "b"]}, "rows_per_person": 3})

    assert ("__person", 3) == (persons.person, persons.rows_per_person)
    assert ("a", "b") == description_of({"nodes": ["a", "b"], "max_degree": None}).nodes
