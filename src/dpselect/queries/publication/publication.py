"""Publications: queries about one dataset that are answered under one total, in Python and as TOML.

Limits: A publication and a server have one answer for one payment as long as the ledger stands. The ledger keeps the
hash of each answer that may be shown, so an older ``state.db`` or database of a server, or a copy of it, shows no
second draw. It may itself hold a draw that was never shown. A person who can write a ledger can delete its hashes, and
it verifies as before; one that is put back from a backup has forgotten hashes as it has forgotten rows. Rows of the
data that change later change no answer: a question is answered once, and anew only if the plan or the description
changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpselect.dataset import Dataset, DatasetError
from dpselect.dataset.description_parts import Key, exact, part_of, refusal, require_known, text
from dpselect.dataset.toml_text import content, key_lines, locate_error, place_of
from dpselect.kernel.errors import InputError, PrivacyError
from dpselect.kernel.format_exact import format_exact as number_text
from dpselect.kernel.numbers import exact_delta, exact_epsilon
from dpselect.ledger.composition import Totals, fold
from dpselect.ledger.plan_payment import Part, plan_optimum
from dpselect.queries.base import Query, QueryError
from dpselect.queries.field_kinds import EPSILON
from dpselect.queries.plan import Plan, plan_of
from dpselect.queries.registry import QUERIES

# Prices of queries have so many decimals.
_UNIT = 10**6
_KEYS = ("title", "dataset", "total", "query")
# Keys name rows and files on every system, and begin no formula of a spreadsheet.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_MOST = 1000
# What a total pays: the sum of the amounts, or what they cost together at its delta.
SUM, OPTIMAL = "sum", "optimal"
_TABLES = "write [[query]] above each query, with key, query, its fields, and weight or epsilon."
_ADVICE = "write a plan of queries, as docs/how-to/publish.md has it."


class PublicationError(DatasetError):
    """A plan of a publication says something that cannot be used; with the key and the line, as of a description."""


@dataclass(frozen=True)
class PublicationTotal:
    """The most that a publication may cost in all, whatever is edited later.

    Attributes:
        epsilon, delta: of all answers together.
        composition: ``"sum"`` of the amounts, or ``"optimal"``: what they cost together at delta, as they and their
            questions are fixed in advance.
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    composition: str = SUM

    def __post_init__(self) -> None:
        with refusal(("epsilon",)):
            object.__setattr__(self, "epsilon", EPSILON.parse(self.epsilon))
        number = exact(("delta",), self.delta)
        with refusal(("delta",)):
            object.__setattr__(self, "delta", exact_delta(number))
        if self.composition not in (SUM, OPTIMAL):
            raise DatasetError(("composition",), f'write "{SUM}" or "{OPTIMAL}".')
        if self.composition == OPTIMAL and not self.delta:
            raise DatasetError(("delta",), "an optimal composition has a delta: write one such as 1e-6.")


@dataclass(frozen=True)
class Publication:
    """Queries about one dataset under one total. Read a file with :meth:`load`, or make one with :meth:`of`.

    Attributes:
        queries: by key, each with its part of the total.
        total: the most that all answers may cost.
        title: of the page of answers.
        description: of the dataset, where the plan names one.
        path: of the file; ``None`` for a plan that was made in Python.
        places: by key, and for ``""`` of the total: how a message about it begins, which names the line of the file.

    >>> asked = [
    ...     {"key": "age", "query": "median", "column": "age", "weight": 2},
    ...     {"key": "jobs", "query": "histogram", "column": "job", "weight": 1},
    ... ]
    >>> report = Publication.of(total={"epsilon": 1}, query=asked)
    >>> report.queries["age"].epsilon, report.unspent
    (Fraction(333333, 500000), Fraction(1, 1000000))
    """

    queries: Mapping[str, Query[Any]]
    total: PublicationTotal
    title: str = ""
    description: Dataset | None = None
    path: Path | None = None
    places: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.queries or not all(isinstance(key, str) and _NAME.fullmatch(key) for key in self.queries):
            raise PublicationError(
                ("query",), "a publication has queries by key, of letters, digits, - and _: write at least one."
            )

    @classmethod
    def of(cls, *, total: Any, query: Any, title: str = "", dataset: Dataset | None = None) -> Publication:
        """Return a publication of what a file would say.

        Args:
            total: a mapping of epsilon and, where queries have one, delta.
            query: a list of mappings: ``key``, ``query``, its fields, and ``weight`` or ``epsilon``.
            title: of the page of answers.
            dataset: the description.

        Raises:
            PublicationError: something of it cannot be used; the message names it and what to do.
        """
        with _as_publication_error():
            whole = part_of(("total",), PublicationTotal, total)
            queries = _queries(query, whole)
            result = cls(queries, whole, text(("title",), title) if title else "", dataset)
            if dataset is not None:
                for number, each in enumerate(queries.values(), 1):
                    with _about(("query", str(number)), each):
                        each.size(dataset)
            return result

    @classmethod
    def load(cls, path: str | Path) -> Publication:
        """Return the publication that a TOML file plans, of the dataset that it names. No row is read.

        Raises:
            FileNotFoundError: there is no such file.
            PublicationError: it cannot be used: the message names the line, and what to do.
            DatasetError: the description of the dataset cannot be used.
        """
        said, written = content(path, _ADVICE, PublicationError)
        try:
            with _as_publication_error():
                dataset = _description(said, Path(path).resolve().parent)
        except PublicationError as error:
            raise locate_error(error, path, written) from None
        # What is wrong in there has lines of its own.
        description = Dataset.load(dataset)
        try:
            made = cls.of(**said, dataset=description)
        except PublicationError as error:
            raise locate_error(error, path, written) from None
        lines = key_lines(written)
        said_at: dict[str, Key] = {key: ("query", str(number)) for number, key in enumerate(made.queries, 1)}
        said_at[""] = ("total",)
        places = {key: place_of(each, path, lines) for key, each in said_at.items()}
        return replace(made, path=Path(path).resolve(), places=places)

    @property
    def unspent(self) -> Fraction:
        """Return the epsilon of the total that no query has; below 0 where they cost less together."""
        return self.total.epsilon - sum(map(price_of, self.queries.values()), Fraction(0))

    def plans(self, dataset: Dataset, rule: str = "sum") -> dict[str, Plan]:
        """Return the plan of each query, by key. No row is read and nothing is spent.

        Args:
            dataset: the description.
            rule: of the ledger that would pay.

        Raises:
            PublicationError: a query is not about this dataset, or would break its promise.
        """
        plans = {}
        for key, each in self.queries.items():
            with _about((key,), each, self.places.get(key, "")):
                plans[key] = plan_of(each, dataset, rule)
        if self.total.composition == OPTIMAL and rule != "sum":
            raise PublicationError(
                ("total", "composition"),
                "the ledger adds rhos, which pay for no delta: leave composition out, or name a ledger of sums.",
                self.places.get("", ""),
            )
        totals = self.cost(parts_of(plans))
        if totals.epsilon > self.total.epsilon or totals.delta > self.total.delta:
            asked = f"epsilon {number_text(totals.epsilon)} and delta {number_text(totals.delta)}"
            raise PublicationError(("total",), f"the queries cost {asked} in all: raise it.", self.places.get("", ""))
        return plans

    def cost(self, parts: Sequence[Part]) -> Totals:
        """Return what releases of this plan cost together, where all of them are paid for at once."""
        if self.total.composition == SUM or (epsilon := plan_optimum(parts, self.total.delta)) is None:
            return fold(event for _, event in parts)
        return Totals(1, 1, epsilon, self.total.delta)


def parts_of(plans: Mapping[str, Plan]) -> list[Part]:
    """Return what a ledger records of plans, each for itself, with the key of its query."""
    return [(key, spend.event()) for key, plan in plans.items() for spend in plan.spends]


_MISSING = {
    "dataset": 'write dataset = "survey.toml", the description of the data.',
    "total": "write total = {epsilon = 1}, the most that all answers may cost.",
    "query": _TABLES,
}


@contextmanager
def _as_publication_error() -> Iterator[None]:
    try:
        yield
    except PublicationError:
        raise
    except DatasetError as error:
        raise PublicationError(error.key, error.reason) from None


@contextmanager
def _about(key: Key, query: Query[Any] | None, place: str = "") -> Iterator[None]:
    """Make of whatever is refused inside the refusal of a query, and of its field where that is known."""
    try:
        yield
    except QueryError as error:
        raise PublicationError((*key, *filter(None, [error.field])), error.sentence, place) from None
    except DatasetError as error:
        named = {} if query is None else query.as_json()
        fields = [name for name, value in named.items() if error.key and value == error.key[-1]]
        raise PublicationError((*key, *fields[:1]), error.reason if fields else str(error), place) from None
    except (ValueError, TypeError, PrivacyError) as error:
        raise PublicationError(key, str(error), place) from None


def _description(said: dict[str, Any], folder: Path) -> Path:
    """Take the description out of what a plan says; refuse what is missing, and keys that nobody knows."""
    for name in ("source", "graph"):
        if name in said:
            raise PublicationError((name,), f"this file is a description of data, which a plan names: {_ADVICE}")
    require_known((), said, _KEYS)
    for name, advice in _MISSING.items():
        if name not in said:
            raise PublicationError((), f"{name} is missing: {advice}")
    dataset = folder / text(("dataset",), said.pop("dataset"))
    if not dataset.is_file():
        raise PublicationError(("dataset",), f"the file {dataset} does not exist: name the description of the data.")
    return dataset


def _queries(asked: Any, total: PublicationTotal) -> dict[str, Query[Any]]:
    """Return the queries by key, each with its amount."""
    if not isinstance(asked, (list, tuple)) or not asked or not all(isinstance(each, Mapping) for each in asked):
        raise PublicationError(("query",), f"this must be a list of queries: {_TABLES}")
    if len(asked) > _MOST:
        raise PublicationError(("query",), f"there are more than {_MOST} queries: write several plans.")
    amounts, weights, kept = dict[str, Fraction](), dict[str, Fraction](), dict[str, Mapping[str, Any]]()
    for number, each in enumerate(asked, 1):
        place = ("query", str(number))
        key = _key(place, each, kept)
        kept[key] = {name: value for name, value in each.items() if name not in ("key", "weight")}
        if ("weight" in each) == ("epsilon" in each):
            raise PublicationError(place, "a query has a weight or an epsilon: write one of the two.")
        if "weight" not in each:
            with refusal((*place, "epsilon")):
                amounts[key] = EPSILON.parse(each["epsilon"])
        else:
            if total.composition == OPTIMAL:
                raise PublicationError((*place, "weight"), "a weight is a share of a sum: write an epsilon instead.")
            weights[key] = exact((*place, "weight"), each["weight"])
            if weights[key] <= 0:
                raise PublicationError((*place, "weight"), "a weight is positive: write a number such as 1.")
    with refusal(("total",)):
        parts = amounts if total.composition == OPTIMAL else divide_total(total.epsilon, amounts, weights)
    return {key: _query(number, each, parts[key]) for number, (key, each) in enumerate(kept.items(), 1)}


def _key(place: Key, said: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    key = said.get("key")
    if not isinstance(key, str) or not _NAME.fullmatch(key):
        raise PublicationError(
            (*place, *(("key",) if "key" in said else ())),
            "each query has a key of its own, of 1 to 64 letters, digits, - and _, which begins with a letter or a "
            'digit: write key = "name".',
        )
    if key.lower() in (other.lower() for other in known):
        raise PublicationError((*place, "key"), f"another query has the key {key}: choose one for each.")
    return key


def _query(number: int, said: Mapping[str, Any], epsilon: Fraction) -> Query[Any]:
    place = ("query", str(number))
    name = said.get("query")
    if not isinstance(name, str) or name not in QUERIES:
        near = get_close_matches(str(name), QUERIES, 1)
        meant = f"did you mean {near[0]}?" if near else f"write one of {', '.join(QUERIES)}."
        raise PublicationError((*place, "query"), f"this query does not exist: {meant}")
    with _about(place, None):
        return QUERIES[name].parse({**said, "epsilon": epsilon})


def price_of(query: Query[Any]) -> Fraction:
    """Return the epsilon of a query as an exact number."""
    return exact_epsilon(query.epsilon)


def divide_total(
    total: Fraction, amounts: Mapping[str, Fraction], weights: Mapping[str, Fraction]
) -> dict[str, Fraction]:
    """Return the amount of each name, with at most six decimals; they add up to at most the total.

    Args:
        total: what there is.
        amounts: of names that have one.
        weights: of all others: positive.

    Raises:
        ValueError: the amounts alone are more, or nothing is left for a weight.

    >>> divide_total(Fraction(1), {"a": Fraction(1, 2)}, {"b": Fraction(1), "c": Fraction(2)})
    {'a': Fraction(1, 2), 'b': Fraction(83333, 500000), 'c': Fraction(333333, 1000000)}
    """
    rest = total - sum(amounts.values(), Fraction(0))
    if rest < 0:
        raise InputError("the amounts of epsilon add up to more than the total: raise it, or lower them.")
    whole = sum(weights.values(), Fraction(0))
    shares = {name: Fraction(int(rest * weight / whole * _UNIT), _UNIT) for name, weight in weights.items()}
    for name, share in shares.items():
        if not share:
            raise InputError(f"less than 0.000001 is left for {name}: raise the total, or its weight.")
    return {**amounts, **shares}
