"""A synthetic table in one call: described columns, one payment, and a model. Proof: ``marginal_session.md``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpselect._public import named_publicly
from dpselect.dataset import Dataset, source_rows
from dpselect.kernel.bound import SquaredBound, require_variance
from dpselect.kernel.errors import Advice, InputError, InputTypeError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon, exact_delta, exact_epsilon, whole
from dpselect.kernel.privacy_filter import Accountant
from dpselect.kernel.rho_conversion import rho_within
from dpselect.mechanisms.error_bound import ErrorBound, NoBound
from dpselect.release.concentrated_session import ConcentratedSession
from dpselect.release.open_session import SessionFactory, open_session
from dpselect.release.quantiles import HALVING
from dpselect.release.release import Release
from dpselect.synthesis.aim import MOST_CELLS, aim, planned_rounds
from dpselect.synthesis.graphical_model import require_possible
from dpselect.synthesis.impossible_cells import impossible_cells
from dpselect.synthesis.marginal_counts import rows_of
from dpselect.synthesis.marginal_session import MarginalSession
from dpselect.synthesis.mst import mst
from dpselect.synthesis.quantile_bins import choose_bins, ranks_of, require_quantile_bins
from dpselect.synthesis.synthetic_model import SyntheticModel
from dpselect.synthesis.table_domain import BINS, MOST_CODES, TableDomain

METHODS = ("aim", "mst")
MOST_DEGREE = 3
# Columns of a table; a pair of each is scored.
MOST_COLUMNS = 200
# No measurement of a plan gets less of rho, in parts of it for each column.
_LEAST = 200
REASON = (
    "how far a synthetic table is from the true one depends on the data; its page bounds the error of every pair of "
    "columns"
)


@dataclass(frozen=True)
class SynthesisRelease(Release[SyntheticModel]):
    """A synthetic table as it may be published: its model, from which rows are drawn."""

    @property
    def _answer(self) -> Mapping[str, Any]:
        return self.value.answer if isinstance(self.value, SyntheticModel) else {"model": self.mechanism}


@dataclass(frozen=True, kw_only=True)
class SynthesisPlan:
    """A synthesis that is described and not yet paid for: public facts alone.

    Attributes:
        dataset: the description.
        domain: the columns.
        guarantee: of all of it.
        method: ``"aim"`` or ``"mst"``.
        degree: how many columns a marginal of AIM has at most.
        zeros: conditions on rows that no row fulfils, publicly.
        bins: into how many bins numbers are cut.
        quantile_bins: columns whose bins are chosen privately.
    """

    dataset: Dataset
    domain: TableDomain
    guarantee: Guarantee
    method: str = "aim"
    degree: int = MOST_DEGREE
    zeros: Sequence[str] = ()
    bins: int = BINS
    quantile_bins: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        dataset: Dataset,
        *,
        epsilon: Epsilon,
        delta: Any,
        columns: Sequence[str] | None = None,
        method: str = "aim",
        degree: int = MOST_DEGREE,
        bins: int = BINS,
        quantile_bins: Sequence[str] = (),
        impossible: Sequence[str] = (),
    ) -> SynthesisPlan:
        """Return the plan of :func:`synthesize`, or refuse what could not be done; no row is read.

        Raises:
            TypeError, ValueError: as there.
        """
        if not isinstance(dataset, Dataset):
            raise InputTypeError("dataset must be described: pass dpselect.Dataset.of(frame, columns=...).")
        if method not in METHODS:
            raise InputError("method must be aim or mst.")
        degree = whole(degree, "degree", "how many columns a measured set has at most")
        if degree not in (2, MOST_DEGREE):
            raise InputError("degree must be 2 or 3: how many columns a measured set has at most.")
        if not 2 <= whole(bins, "bins", "into how many bins numbers are cut") < MOST_CODES:
            raise InputError(f"bins must be from 2 to {MOST_CODES - 1}: into how many bins numbers are cut.")
        domain = TableDomain.of(dataset, columns, bins)
        if len(domain.columns) > MOST_COLUMNS:
            raise InputError(f"A synthetic table has at most {MOST_COLUMNS} columns: name fewer.")
        require_quantile_bins(dataset, domain, quantile_bins, bins)
        zeros = impossible_cells(domain, impossible)
        for name in quantile_bins:
            if any(domain.names.index(name) in clique for clique in zeros):
                raise InputError(
                    Advice(
                        "{impossible} names {name}, whose bins are not public: leave it out of {quantile_bins}.",
                        name=name,
                    )
                )
        # Missing cells may get no rows, by what is measured.
        for column in {each for clique in zeros for each in clique}:
            codes = np.arange(domain.sizes[column])
            zeros[column,] = zeros.get((column,), False) | (codes == codes.size - 1)
        if method == "mst":
            require_possible(domain.sizes, zeros)
        else:
            planned_rounds(len(domain.columns), degree)
            require_possible(domain.sizes, zeros, 8 * MOST_CELLS)
        exact, at = exact_epsilon(epsilon), exact_delta(delta)
        if not at:
            raise InputError("A synthetic table is measured with Gaussian noise: pass a positive delta, such as 1e-6.")
        guarantee = Guarantee.from_rho(rho_within(exact, at), at, dataset.neighbours, epsilon=exact)
        plan = cls(
            dataset=dataset, domain=domain, guarantee=guarantee, method=method, degree=degree, zeros=(*impossible,),
            bins=bins, quantile_bins=(*quantile_bins,),
        )  # fmt: skip
        least = guarantee.rho / (_LEAST * len(domain.columns))
        require_variance(SquaredBound(plan.people**2).variance(least))
        return plan

    @property
    def people(self) -> int:
        """Return how many rows one step between databases moves."""
        return 1 if self.dataset.person is None else self.dataset.rows_per_person

    @property
    def mechanism(self) -> str:
        """Return what draws."""
        bins = f"bins of {', '.join(self.quantile_bins)} by {HALVING}, " if self.quantile_bins else ""
        return f"{self.method}: {bins}exponential mechanism and Gaussian noise"

    @property
    def error_bound(self) -> ErrorBound:
        """Return that nothing is known before the release."""
        counted = None if self.guarantee.neighbours is not Neighbours.PERSON else self.people
        return NoBound(REASON, rows_per_person=counted)

    def release(
        self, source: Any, accountant: Accountant | None, session_factory: SessionFactory = open_session
    ) -> SynthesisRelease:
        """Return the synthetic table of rows, once all of it is paid for.

        Args:
            source: the rows, where they are.
            accountant: pays.
            session_factory: opens what draws.

        Raises:
            TypeError, ValueError, OSError, ConnectionError: the rows cannot be counted; nothing was spent.
            BudgetError, PrivacyError: the ledger does not allow it; nothing was spent.
        """
        zeros = impossible_cells(self.domain, self.zeros)
        rows = rows_of(source, self.domain, self.dataset.person, self.people)
        for column in range(len(self.domain.columns)):
            # A column that cannot be counted is refused before anything is paid.
            rows.counts((column,))
        ranks = {name: ranks_of(source, self.dataset, name) for name in self.quantile_bins}
        metadata = {"columns": ", ".join(self.domain.names)}
        if self.dataset.person is not None:
            metadata |= {"person": self.dataset.person, "rows_per_person": str(self.people)}
        with session_factory(
            self.guarantee, mechanism=self.mechanism, ledger=accountant, metadata=metadata, note="synthesis"
        ) as draws:
            assert isinstance(draws, ConcentratedSession)
            domain = self.domain
            if ranks:
                domain = choose_bins(draws, ranks, self.dataset, domain, self.bins)
                rows = rows_of(source, domain, self.dataset.person, self.people)
            session = MarginalSession(rows, draws, domain.sizes, self.people, self.guarantee.neighbours)
            model = mst(session, zeros) if self.method == "mst" else aim(session, zeros, degree=self.degree)
        counted = self.error_bound.rows_per_person
        released = SyntheticModel.of(domain, model, session, self.method, self.guarantee, counted)
        return self.as_release(released)

    def as_release(self, value: Any) -> SynthesisRelease:
        """Return a model as a release of this plan."""
        return SynthesisRelease(value, self.mechanism, self.guarantee, error_bound=self.error_bound)


def synthesize(
    dataset: Dataset,
    *,
    epsilon: Epsilon,
    delta: Any,
    columns: Sequence[str] | None = None,
    method: str = "aim",
    degree: int = MOST_DEGREE,
    bins: int = BINS,
    quantile_bins: Sequence[str] = (),
    impossible: Sequence[str] = (),
    ledger: Accountant | None = None,
) -> SynthesisRelease:
    """Return a synthetic table: a model of the counts of columns, from which rows are drawn at no further cost.

    Counts of columns, and of sets of columns that a model of the others describes worst, are measured with exact
    Gaussian noise. What no measured set holds is as independent as it can be: only the measured counts, and what the
    page of the model bounds, may be trusted.

    Args:
        dataset: the description of the private table; its lists and bounds are the domains of the columns.
        epsilon, delta: the budget, of everything together.
        columns: those of the synthetic table; all that are described with a list or bounds, unless named.
        method: ``"aim"`` chooses sets of up to ``degree`` columns until the budget is spent; ``"mst"`` chooses the
            pairs of one tree, which takes a fraction of a second.
        degree: 2 or 3; of AIM.
        bins: into how many even bins numbers are cut that have more values, and no bins in the description.
        quantile_bins: columns of numbers whose bins hold about as many rows each; choosing them costs a twentieth of
            the rho, of all of these columns together. One row of each person counts for it.
        impossible: public conditions that no row fulfils, such as ``"age < 16 and married = yes"``: no synthetic row
            does, where bins have an edge at each limit.
        ledger: where the spend is recorded before anything is drawn.

    Returns: a release; ``.value.sample(rows)`` draws rows, ``.value.write(path)`` writes a table, ``.value.save(path)``
        the model, and :func:`dpselect.synthesis.save_html` a page about it.

    Guarantee: (epsilon, delta)-differential privacy, and rho-zCDP by the rho that this takes; one row more or fewer,
        or one person with all of their rows where the description names persons.

    Raises:
        TypeError, ValueError, OSError: not a described table; no such columns; the rows cannot be counted; nothing was
            spent.
        BudgetError, PrivacyError: the ledger does not allow it; nothing was spent.

    >>> import dpselect as dps
    >>> people = {"age": [*range(18, 68)] * 40, "job": ["nurse", "smith"] * 1000}
    >>> described = dps.Dataset.of(people, columns={"age": {"lower": 18, "upper": 67}, "job": ["nurse", "smith"]})
    >>> release = dps.synthesize(described, epsilon=4, delta=1e-6)
    >>> abs(release.value.rows - 2000) < 200, [*release.value.sample(3)]
    (True, ['age', 'job'])
    """
    plan = SynthesisPlan.of(
        dataset, epsilon=epsilon, delta=delta, columns=columns, method=method, degree=degree, bins=bins,
        quantile_bins=quantile_bins, impossible=impossible,
    )  # fmt: skip
    return plan.release(source_rows.source(dataset), ledger)


named_publicly("dpselect", globals(), ["synthesize"])
