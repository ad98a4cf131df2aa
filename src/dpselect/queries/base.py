"""The base of every query: typed fields, JSON and its schema, and the parts that a question has of its own."""

from __future__ import annotations

import dataclasses
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Protocol,
    Self,
    TypeVar,
    dataclass_transform,
    runtime_checkable,
)

from dpselect.kernel.errors import DPSelectError, InputTypeError
from dpselect.queries.field_kinds import EPSILON, FieldKind, argument

# A page of help reads fields, and needs neither NumPy nor what answers.
if TYPE_CHECKING:
    from dpselect.dataset import Dataset
    from dpselect.kernel.numbers import Epsilon
    from dpselect.kernel.privacy_filter import Accountant
    from dpselect.release.release import Release
    from dpselect.views.row_source import RowSource

T_co = TypeVar("T_co", covariant=True)
_NAME = re.compile("[a-z][a-z0-9_]{0,62}")


class QueryError(DPSelectError, ValueError):
    """A query cannot be asked; the message is one sentence that follows from public facts.

    Attributes:
        field: whose value is to blame; empty for the query as a whole.
    """

    def __init__(self, sentence: str, field: str = "") -> None:
        self.field, self.sentence = field, sentence
        super().__init__(f"{field}: {sentence}" if field and not sentence.startswith(field) else sentence)


class QueryData(Protocol):
    """Rows or edges of a dataset, private or synthetic."""

    @property
    def dataset(self) -> Dataset:
        """Return the description."""
        ...

    def table(self, columns: Sequence[str]) -> Mapping[str, Any]:
        """Return cells by the names of their columns."""
        ...

    def column(self, name: str) -> Any:
        """Return a column of numbers: its cells, their counts, or where an engine counts them."""
        ...

    def engine(self) -> Any:
        """Return the engine where rows stay, or cells of a row that stands for them."""
        ...

    def graph(self, kind: Any = ...) -> Any:
        """Return the graph as one of a kind: ``Graph``, ``DirectedGraph`` or ``WeightedGraph``."""
        ...

    @property
    def workers(self) -> int:
        """Return how many threads may compute."""
        ...


@runtime_checkable
class CountedData(QueryData, Protocol):
    """Rows that may stay where they are, where a query only counts."""

    def source(self, columns: Sequence[str]) -> RowSource:
        """Return the table that has some columns where it is."""
        ...


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(argument,))
@dataclasses.dataclass(frozen=True, kw_only=True)
class Query(ABC, Generic[T_co]):
    """A question about one dataset: frozen, typed and public.

    A class of queries names its fields with :func:`argument` and writes three methods; commands, HTTP, clients, prices,
    forms and certificates follow from it. See the guide "Add a question".

    Attributes:
        name: of the query in JSON, in plans of publications, on the command line and as a method of datasets.
        title: of the query in forms.
        protects: whom an answer protects, in a sentence for pages of help.
        examples: command lines without ``dpselect``, the first one about a description.
        of_graph: whether it is about graphs, and not about tables.
        needs_description: whether options of a command cannot say what is public of its columns.
        form: what an answer is: ``"winners"``, ``"names"`` in no order, ``"counts"``, a ``"model"`` or a ``"table"``.
        epsilon: what the answer may cost in all. Less is more private, and less accurate.

    Raises:
        QueryError: a field has a value that it cannot have.
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    protects: ClassVar[str] = (
        "any one row; where the description names a column of persons, any one person with all of their rows."
    )
    examples: ClassVar[tuple[str, ...]] = ()
    form: ClassVar[str] = "winners"
    of_graph: ClassVar[bool] = False
    needs_description: ClassVar[bool] = False

    epsilon: Epsilon = argument(  # noqa: RUF009
        EPSILON, "the price of the answer: less is more private, and less accurate", example="0.5"
    )

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, kind in vars(cls).get("__annotations__", {}).items():
            taken = name == "query" or (name != "epsilon" and hasattr(Query, name))
            if taken and not str(kind).startswith("ClassVar"):
                raise InputTypeError(
                    f"{cls.__name__}.{name}: every query has this name already: call the field otherwise."
                )
        dataclasses.dataclass(frozen=True, kw_only=True)(cls)
        if not isinstance(cls.name, str) or not (cls.name == "" or _NAME.fullmatch(cls.name)):
            raise InputTypeError(f"{cls.__name__}.name is {cls.name!r}: write a name such as most_agreed.")
        if "epsilon" in vars(cls).get("__annotations__", {}):
            raise InputTypeError(f"{cls.__name__}.epsilon: every query has one, of the same kind: leave it out.")
        for name, each in cls.fields().items():
            if "kind" not in each.metadata:
                raise InputTypeError(f"{cls.__name__}.{name}: declare a field with argument(kind, about).")
        if not cls.title:
            cls.title = cls.name.replace("_", " ").capitalize()

    def __post_init__(self) -> None:
        if not self.name:
            raise InputTypeError(f"{type(self).__name__} has no name: write name = ... in the class.")
        for name, kind in self.kinds().items():
            value = getattr(self, name)
            if value is None and self.default(name) is None:
                continue
            try:
                object.__setattr__(self, name, kind.parse(_plain(value)))
            except ValueError as error:
                raise QueryError(str(error), name) from None
        self.require()

    def size(self, dataset: Dataset) -> int:
        """Return how many public candidates the query has about a dataset whose columns have the kinds of its fields.

        Raises:
            ValueError: it is not a query about this dataset; the message follows from public facts.
        """
        for name, kind in self.kinds().items():
            value = getattr(self, name)
            if kind.control in ("column", "columns") and value is not None:
                if dataset.graph is not None:
                    raise QueryError("This dataset is a graph, which has no columns: ask for its top_k nodes.")
                for column in value if kind.several else (value,):
                    _require_column(dataset, column, kind)
        many = self.candidates(dataset)
        if isinstance(many, bool) or not isinstance(many, int):
            raise InputTypeError(f"{type(self).__name__}.candidates returns how many candidates there are, an integer.")
        return many

    @abstractmethod
    def candidates(self, dataset: Dataset) -> int:
        """Return how many public candidates the query has about a dataset.

        Raises:
            ValueError: it is not a query about this dataset; the message follows from public facts.
        """

    @abstractmethod
    def release(self, data: QueryData, accountant: Accountant) -> Release[T_co]:
        """Return the release that answers it; its cost is spent from the accountant first.

        What it spends follows from the query and public facts alone, never from rows.
        """

    @abstractmethod
    def words(self) -> str:
        """Return the query in words, for certificates."""

    def headings(self) -> tuple[str, ...]:
        """Return what each value of the answer is, in words; empty where values are ranked names."""
        return ()

    def order_words(self, dataset: Dataset) -> str:  # noqa: ARG002
        """Return in words how ranked names are ordered, and whom that protects where it is not said elsewhere."""
        return "in order of selection"

    def reach(self) -> str | None:
        """Return what a name needs to be revealed, for its plan; ``None`` where a public list holds all names."""
        return None

    def why(self, dataset: Dataset) -> str | None:  # noqa: ARG002
        """Return why a rule chose what answers, in words; ``None`` where it was named."""
        return None

    def facts(self, dataset: Dataset) -> dict[str, Any]:  # noqa: ARG002
        """Return what programs are told beside an answer of what was asked."""
        return {}

    def public(self, dataset: Dataset) -> dict[str, Any]:  # noqa: ARG002
        """Return the public facts that readers of the answer need."""
        return {}

    def parts(self) -> Sequence[str]:
        """Return the names of the values of an answer that is a list; without any, their places number them."""
        return ()

    def require(self) -> None:
        """Refuse fields that do not go together (``QueryError``); most queries have none."""

    def example(self, data: QueryData, accountant: Accountant) -> Release[T_co]:
        """Return a release of synthetic rows, which costs what one of the true rows does."""
        return self.release(data, accountant)

    def attachments(self, release: Release[Any]) -> dict[str, Any]:  # noqa: ARG002
        """Return what an answer has beside its certificate; released, like that."""
        return {}

    def read_reply(self, content: Mapping[str, Any], example: Release[Any]) -> Release[T_co]:
        """Return the release in a server's reply, in the types of an example of it.

        Args:
            content: ``answer`` as certificates write it, and what :meth:`attachments` has returned, in JSON.
            example: as :meth:`example` returns it, of the same public facts.

        Raises:
            LookupError, TypeError, ValueError: it is not the answer to such a query.
        """
        from dpselect.queries.answers import with_answer

        return with_answer(example, content["answer"])

    def neighbours(self, dataset: Dataset) -> Any:
        """Return what one step between databases is that an answer protects: that of the dataset."""
        return dataset.neighbours

    def is_long(self, dataset: Dataset) -> bool:  # noqa: ARG002
        """Return whether an answer may take many seconds, by public facts: a server lets such queries wait apart."""
        return False

    @classmethod
    def fields(cls) -> dict[str, dataclasses.Field[Any]]:
        """Return the fields by their names, epsilon last."""
        every = {each.name: each for each in dataclasses.fields(cls)}
        return {name: each for name, each in every.items() if name != "epsilon"} | {"epsilon": every["epsilon"]}

    @classmethod
    def kinds(cls) -> dict[str, FieldKind]:
        """Return the kinds of the fields by their names."""
        return {name: each.metadata["kind"] for name, each in cls.fields().items()}

    @classmethod
    def default(cls, name: str) -> Any:
        """Return the default of a field; ``MISSING`` of :mod:`dataclasses` where it is required."""
        return cls.fields()[name].default

    @classmethod
    def about(cls) -> str:
        """Return the query in a sentence: the first line of its description."""
        return (cls.__doc__ or "").strip().partition("\n")[0]

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """Return the schema of its JSON."""
        properties: dict[str, Any] = {"query": {"const": cls.name}}
        for name, each in cls.fields().items():
            form = each.metadata["kind"].schema
            if each.default is None:
                form = {"anyOf": [form, {"type": "null"}]}
            properties[name] = {**form, "description": each.metadata["about"]}
            if each.default is not None and each.default is not dataclasses.MISSING:
                properties[name]["default"] = each.default
        required = [name for name in cls.fields() if cls.default(name) is dataclasses.MISSING]
        return {
            "type": "object",
            "title": cls.__name__,
            "description": cls.about(),
            "properties": properties,
            "required": ["query", *required],
            "additionalProperties": False,
        }

    @classmethod
    def parse(cls, content: Mapping[str, Any]) -> Self:
        """Return the query that a mapping of its fields describes.

        Raises:
            QueryError: a field is missing, unknown, or has a value that it cannot have.
        """
        fields = cls.fields()
        if not isinstance(content, Mapping):
            raise QueryError(f"A query is an object with the fields {', '.join(fields)}.")
        if content.get("query", cls.name) != cls.name:
            raise QueryError(f"this is another query than {cls.name}.", "query")
        given = {name: value for name, value in content.items() if name != "query"}
        for name in given:
            if name not in fields:
                raise QueryError(f"{cls.name} has no such field: it takes {', '.join(fields)}.", str(name))
        for name in fields:
            if name not in given and cls.default(name) is dataclasses.MISSING:
                raise QueryError(f"this is missing: {fields[name].metadata['about']}.", name)
        return cls(**given)

    def as_json(self) -> dict[str, Any]:
        """Return the query as its mapping of fields, without those that were left out."""
        content: dict[str, Any] = {"query": self.name}
        for name, kind in self.kinds().items():
            value = getattr(self, name)
            if value is not None:
                content[name] = kind.write(value)
        return content

    def canonical(self) -> str:
        """Return the query as text that is the same for all ways to write it."""
        return json.dumps(self.as_json(), sort_keys=True, separators=(",", ":"))


def _plain(value: Any) -> Any:
    """Return a number or list of NumPy as Python has it."""
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value.tolist() if type(value).__module__ == "numpy" else value


def _require_column(dataset: Dataset, column: str, kind: FieldKind) -> None:
    from dpselect.dataset import DateDomain

    if kind.dates and isinstance(dataset.columns.get(column), DateDomain):
        return
    if kind.numeric is None:
        dataset.domain(column)
    elif kind.numeric:
        dataset.grid(column)
    elif not kind.unlisted or dataset.is_listed(column):
        dataset.groups(column)
