"""A table of synthetic rows, from a model of the private ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from dpselect.kernel.errors import InputError
from dpselect.queries import columns
from dpselect.queries.base import Query, QueryData, QueryError
from dpselect.queries.field_kinds import COLUMNS, DELTA, argument, choice, list_kind, whole

if TYPE_CHECKING:
    from dpselect.dataset import Dataset
    from dpselect.kernel.numbers import Epsilon
    from dpselect.kernel.privacy_filter import Accountant
    from dpselect.release.release import Release
    from dpselect.synthesis.synthesize import SynthesisPlan, SynthesisRelease


def _condition(value: Any) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST:
        raise InputError("a condition such as 'age < 16 and married = yes' is expected.")
    return value


_LONGEST = 1000
_CONDITIONS = list_kind(_condition, {"type": "string", "minLength": 1, "maxLength": _LONGEST}, 1, 100)
_METHODS = {"aim": "aim (chooses until the budget is spent)", "mst": "mst (the pairs of one tree, in no time)"}


class SyntheticTable(Query[Any]):
    """A table of synthetic rows, from a model that is measured privately.

    Attributes:
        delta: a small probability that epsilon is exceeded.
        columns: of the synthetic table; all with a list or bounds where none are named.
        method: ``aim`` chooses sets of columns until the budget is spent, ``mst`` the pairs of one tree.
        degree: of aim, how many columns a measured set has at most.
        bins: into how many even bins a column of numbers is cut, unless its bins are described.
        quantile_bins: columns of numbers whose bins are chosen privately, so that they hold about as many rows each.
        impossible: public conditions that no row fulfils; no synthetic row does.
    """

    name = "synthesize"
    form = "table"
    title = "Make a synthetic table"
    needs_description = True
    examples: ClassVar[tuple[str, ...]] = ("synthesize survey.toml --epsilon 1 --delta 1e-6 --out synthetic.csv",)

    delta: Epsilon = argument(DELTA, "a small probability that epsilon is exceeded, such as 1e-6", example="0.000001")
    columns: Sequence[str] | None = argument(
        replace(COLUMNS, dates=True), "columns of the synthetic table; all where none are named", default=None,
        label="Columns",
    )  # fmt: skip
    method: str = argument(
        choice(*_METHODS, labels=_METHODS),
        "aim chooses sets of columns until the budget is spent, mst the pairs of one tree, which is fast",
        default="aim",
    )
    degree: int = argument(
        whole(2, 3), "of aim, how many columns a measured set has at most", default=3,
        label="Columns measured together", rare=True,
    )  # fmt: skip
    bins: int = argument(
        whole(2, 1000), "the number of bins of a column of numbers", default=20, label="Number of bins", rare=True
    )
    quantile_bins: Sequence[str] | None = argument(
        replace(COLUMNS, control="list"),
        "columns of numbers whose bins hold about as many rows each, chosen privately",
        default=None, label="Bins by quantiles", rare=True,
    )  # fmt: skip
    impossible: Sequence[str] | None = argument(
        _CONDITIONS, "public conditions that no row fulfils", default=None, label="Impossible rows", rare=True,
        example="age < 16 and married = yes",
    )  # fmt: skip

    def candidates(self, dataset: Dataset) -> int:
        """Return how many cells the columns have by themselves; refuse what no plan can be made of."""
        return sum(self._plan(dataset).domain.sizes)

    def is_long(self, dataset: Dataset) -> bool:  # noqa: ARG002
        """Return that it takes as long as there are rows and columns."""
        return True

    def release(self, data: QueryData, accountant: Accountant) -> SynthesisRelease:
        """Return the release of :func:`dpselect.synthesize`."""
        plan = self._plan(data.dataset)
        return plan.release(columns.table(data, *plan.domain.names), accountant)

    def example(self, data: QueryData, accountant: Accountant) -> SynthesisRelease:
        """Return a release without a model; its cost is spent from the accountant."""
        plan = self._plan(data.dataset)
        accountant.spend(plan.guarantee, mechanism=plan.mechanism, note="synthesis")
        return plan.as_release(None)

    def attachments(self, release: Release[Any]) -> dict[str, Any]:
        """Return the model, in JSON."""
        return {"model": release.value.as_dict()}

    def read_reply(self, content: Mapping[str, Any], example: Release[Any]) -> Release[Any]:
        """Return the model, after comparing it with the certificate (``ValueError``: another one)."""
        from dpselect.synthesis.synthetic_model import SyntheticModel

        model = SyntheticModel.from_dict(content["model"])
        if model.answer != content["answer"]:
            raise InputError("This is not the model of its certificate.")
        return replace(example, value=model)

    def words(self) -> str:
        """Return the query in words."""
        named = "all columns" if self.columns is None else ", ".join(self.columns)
        return f"What does a synthetic table of {named} look like, by {self.method}?"

    def public(self, dataset: Dataset) -> dict[str, Any]:
        """Return the codes of the columns, the conditions and the rows per person."""
        plan = self._plan(dataset)
        shown: dict[str, Any] = {each.name: each.labels[:-1] for each in plan.domain.columns}
        for name in plan.quantile_bins:
            shown[name] = columns.bounds(dataset, name) | {"bins": f"at most {plan.bins}, chosen privately"}
        zeros = {"impossible": [*plan.zeros]} if plan.zeros else {}
        return {"domains": shown} | zeros | columns.grouping_facts(dataset, None)

    def _plan(self, dataset: Dataset) -> SynthesisPlan:
        from dpselect.synthesis.synthesize import SynthesisPlan

        try:
            return SynthesisPlan.of(
                dataset,
                epsilon=self.epsilon,
                delta=self.delta,
                columns=self.columns,
                method=self.method,
                degree=self.degree,
                bins=self.bins,
                quantile_bins=self.quantile_bins or (),
                impossible=self.impossible or (),
            )
        except TypeError as error:
            # It follows from public facts alone.
            raise QueryError(str(error)) from None
