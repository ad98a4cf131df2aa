"""A synthetic table as it was released: a model of its cells, from which rows are drawn at no further cost."""

from __future__ import annotations

import csv
import hashlib
import importlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect._public import named_publicly
from dpselect.certificates.canonical_json import number_of
from dpselect.kernel.errors import InputError, MissingFileError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.release.system_noise import SystemNoise
from dpselect.sources.output import Output
from dpselect.synthesis.distance_bounds import CHANCE
from dpselect.synthesis.graphical_model import GraphicalModel, Measurement, reals
from dpselect.synthesis.junction_tree import Clique, Floats, JunctionTree
from dpselect.synthesis.marginal_session import MarginalSession, MarginalStep
from dpselect.synthesis.merged_codes import MergedCodes, split_cells
from dpselect.synthesis.table_domain import SynthesisColumn, TableDomain, Uniform

FORMAT = 1
KIND = "dpselect synthetic table"
# Of a file that anybody may have written.
_MOST_CELLS, _MOST_COLUMNS, _LARGEST = 2**24, 200, 1e100
# Rows that may be drawn, and those that are where nobody says how many.
_MOST_ROWS, _MOST_UNASKED = 10**9, 10**7


@dataclass(frozen=True, eq=False, repr=False)
class SyntheticModel:
    """A model of a private table that was paid for: rows, counts and pages of it cost nothing.

    Attributes:
        domain: the columns.
        model: shares of groups of codes.
        merged: which codes of each column share a group.
        steps: what was measured, and what it cost.
        distances: of every pair of columns, a bound in rows on how far its true counts are from those of the model,
            added up over cells; with probability 0.95 all of them hold. Pairs without a bound are left out.
        method: ``"aim"`` or ``"mst"``.
        guarantee: for all of it.
        rows_per_person: how many rows of one person count; ``None`` without persons.

    >>> import dpselect as dps
    >>> table = {"job": ["nurse", "smith"] * 500, "region": ["N", "S"] * 500}
    >>> described = dps.Dataset.of(table, columns={"job": ["nurse", "smith"], "region": ["N", "S"]})
    >>> model = dps.synthesize(described, epsilon=8, delta=1e-6, method="mst").value
    >>> rows = model.sample(100)
    >>> [*rows], len(rows["job"]), abs(model.counts("job", "region")[0, 0] - 500) < 100
    (['job', 'region'], 100, True)
    """

    domain: TableDomain
    model: GraphicalModel
    merged: tuple[MergedCodes, ...]
    steps: tuple[MarginalStep, ...]
    distances: Mapping[Clique, float]
    method: str
    guarantee: Guarantee
    rows_per_person: int | None = None

    @classmethod
    def of(
        cls, domain: TableDomain, model: GraphicalModel, session: MarginalSession, method: str, guarantee: Guarantee,
        rows_per_person: int | None = None,
    ) -> SyntheticModel:  # fmt: skip
        """Return the model of a session, with the bounds that its releases imply."""
        pairs: list[Clique] = [*combinations(range(len(domain.columns)), 2)]
        bounds = {pair: session.bounds.at(pair, model) for pair in pairs}
        spread = [_moved_rows(session, column, len(domain.columns)) for column in range(len(domain.columns))]
        distances = {
            pair: bound + 2 * (spread[pair[0]] + spread[pair[1]]) for pair, bound in bounds.items() if bound is not None
        }
        return cls(
            domain, model, tuple(session.merged), tuple(session.steps), distances, method, guarantee, rows_per_person
        )

    @property
    def rows(self) -> int:
        """Return about how many rows the private table has, by what was measured."""
        return max(1, round(self.model.total))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return self.domain.names

    def counts(self, *columns: str) -> Floats:
        """Return about how many rows each cell of some columns holds, of the shape of their codes.

        A column's codes are its values or bins in their order, and a last one for missing cells.

        Raises:
            ValueError: no such column; a column twice.
        """
        places = [self._place(name) for name in columns]
        if not places or len({*places}) != len(places):
            raise InputError("Name one column or more, each once.")
        clique = tuple(sorted(places))
        held = self.model.total * split_cells(self.model.shares(clique), clique, self.merged)
        return np.transpose(held, [clique.index(place) for place in places])

    def error(self, one: str, other: str) -> float | None:
        """Return a bound on the share of rows that the model has in wrong cells of two columns; ``None`` without one.

        With probability 0.95 the bounds of all pairs hold, whatever the data. A difference in the number of rows
        counts as half of it.

        Raises:
            ValueError: no such column.
        """
        pair = tuple(sorted((self._place(one), self._place(other))))
        if pair not in self.distances:
            return None
        return min(1.0, self.distances[pair] / (2 * self.model.total))

    def sample(self, rows: int | None = None) -> dict[str, NDArray[Any]]:
        """Return synthetic rows by the names of their columns: as many as asked for, or as the table has, about.

        More than 10^7 rows are drawn only where they are asked for.

        Each value of a bin of numbers is as likely; ``None`` stands for a missing cell. Rows cost nothing.

        Returns: arrays of objects, shape (rows,): ``pandas.DataFrame(model.sample())`` is a frame.

        Raises:
            ValueError: rows is not a whole number from 1 to 10^9.
        """
        # Where noise hides how many rows there are, their number may be any.
        many = min(self.rows, _MOST_UNASKED) if rows is None else require_rows(rows)
        # What is drawn from was released: this sees no private row, and costs nothing.
        uniform = SystemNoise().uniform
        drawn = self.model.sample(many, uniform)
        return {
            each.name: each.decode(_codes_of_groups(groups, merged, uniform), uniform)
            for each, groups, merged in zip(self.domain.columns, drawn, self.merged, strict=True)
        }

    def write(self, path: str | Path, rows: int | None = None, *, overwrite: bool = False) -> None:
        """Write synthetic rows as a table, ``.csv`` or ``.parquet``, whole or not at all.

        Raises:
            ValueError: another ending; as :meth:`sample`.
            FileExistsError: the file exists, and ``overwrite`` was not asked for; or it is a ledger.
            OSError, ImportError: it cannot be written; pyarrow is not installed.
        """
        require_ending(path)
        with Output(path, overwrite) as file:
            file.put(table_bytes(self.sample(rows), str(path)))

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the model as JSON, from which :func:`load` draws more rows; whole or not at all.

        Raises:
            FileExistsError: the file exists, and ``overwrite`` was not asked for; or it is a ledger.
            OSError: it cannot be written.
        """
        with Output(path, overwrite) as file:
            file.put(self.as_json().encode())

    def as_json(self) -> str:
        """Return the text of the file of a model."""
        return json.dumps(self.as_dict())

    @property
    def answer(self) -> dict[str, str]:
        """Return what a certificate says of the model: the hash of the file that ``save`` writes, and its columns."""
        digest = hashlib.sha256(self.as_json().encode()).hexdigest()
        return {"model": f"synthetic table by {self.method}", "SHA-256 of its file": digest}

    def as_dict(self) -> dict[str, Any]:
        """Return the model for JSON."""
        return {
            "file": KIND,
            "format": FORMAT,
            "method": self.method,
            "guarantee": {
                "epsilon": str(self.guarantee.epsilon),
                "delta": str(self.guarantee.delta),
                "rho": str(self.guarantee.rho),
                "neighbours": self.guarantee.neighbours.value,
            },
            "rows_per_person": self.rows_per_person,
            "columns": [
                {**each.as_dict(), "groups": merged.groups.tolist(), "weights": merged.weights.tolist()}
                for each, merged in zip(self.domain.columns, self.merged, strict=True)
            ],
            "total": self.model.total,
            "factors": [
                {"columns": [*clique], "logarithms": values.ravel().tolist()}
                for clique, values in self.model.potentials.items()
            ],
            "steps": [
                {
                    "columns": [*each.measurement.clique],
                    "counts": each.measurement.counts.ravel().tolist(),
                    "variance": np.ravel(each.measurement.variance).tolist(),
                    "rho": str(each.rho),
                    "candidates": each.candidates,
                    "choice": str(each.choice),
                }
                for each in self.steps
            ],
            "distances": [{"columns": [*pair], "rows": bound} for pair, bound in self.distances.items()],
        }

    @classmethod
    def from_dict(cls, content: Any) -> SyntheticModel:
        """Return the model of :meth:`as_dict`; nothing in it is executed.

        Raises:
            ValueError: it is not one, it has a newer format, or it was edited.
        """
        if not isinstance(content, Mapping) or content.get("file") != KIND:
            raise InputError("This is not a synthetic table: pass a model that dpselect synthesize saved.")
        if content.get("format") != FORMAT:
            raise InputError(f"This model has another format than {FORMAT}, which this version reads: update dpselect.")
        try:
            return cls._from_content(content)
        except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError):
            raise InputError("This model is damaged or was edited: synthesize the table again.") from None

    @classmethod
    def _from_content(cls, content: Mapping[str, Any]) -> SyntheticModel:
        columns = tuple(map(SynthesisColumn.from_dict, content["columns"]))
        merged = tuple(map(_groups_of, columns, content["columns"]))
        sizes = [each.size for each in merged]
        if not len({each.name for each in columns}) == len(columns) <= _MOST_COLUMNS:
            raise InputError("not columns")
        factors = {
            clique: np.array(each["logarithms"], dtype=np.float64).reshape([sizes[place] for place in clique])
            for each in content["factors"]
            for clique in [_clique(each, len(sizes))]
        }
        total = float(content["total"])
        distances = {_clique(each, len(sizes)): float(each["rows"]) for each in content["distances"]}
        finite = all((np.abs(each) < _LARGEST).all() for each in factors.values())
        finite &= all(abs(each) < _LARGEST for each in distances.values())
        whole = finite and 1 <= total < _MOST_ROWS**2 and min(distances.values(), default=0) >= 0
        if not whole or JunctionTree.of(sizes, factors).cells > _MOST_CELLS:
            raise InputError("not a model")
        promise = content["guarantee"]
        guarantee = Guarantee.from_rho(
            number_of(promise["rho"]),
            number_of(promise["delta"]),
            promise["neighbours"],
            epsilon=number_of(promise["epsilon"]),
        )
        people = content["rows_per_person"]
        if (guarantee.neighbours is Neighbours.PERSON) != (type(people) is int):
            raise InputError("no persons")
        return cls(
            TableDomain(columns),
            GraphicalModel.of(sizes, total, factors),
            merged,
            tuple(_step_of(each, sizes) for each in content["steps"]),
            distances,
            str(content["method"]),
            guarantee,
            people,
        )

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise InputError(f"The model has no column {name!r}: it has {', '.join(self.names)}.")
        return self.names.index(name)

    def __repr__(self) -> str:
        return f"SyntheticModel(columns={', '.join(self.names)}, rows={self.rows}, method={self.method!r})"


def load(path: str | Path) -> SyntheticModel:
    """Return the model in a file of :meth:`SyntheticModel.save`; nothing in the file is executed.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is not a synthetic table, has a newer format, or was edited.
    """
    if not Path(path).is_file():
        raise MissingFileError(f"{path} does not exist: pass a model that dpselect synthesize saved.")
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        content = None
    return SyntheticModel.from_dict(content)


def require_rows(rows: Any) -> int:
    """Return how many rows to draw (``ValueError``: not a whole number from 1 to 10^9)."""
    if isinstance(rows, bool) or not isinstance(rows, (int, np.integer)) or not 1 <= rows <= _MOST_ROWS:
        raise InputError(f"rows must be a whole number from 1 to {_MOST_ROWS}: how many synthetic rows to draw.")
    return int(rows)


def require_ending(path: str | Path) -> None:
    """Refuse a file of rows that is neither text nor parquet (``ValueError``)."""
    if Path(path).suffix.lower() not in (".csv", ".parquet"):
        raise InputError(f"{path} must end in .csv or .parquet: name the table so.")


def table_bytes(rows: Mapping[str, NDArray[Any]], path: str) -> bytes:
    """Return rows as the content of a file of that name.

    Raises:
        ImportError: pyarrow is not installed, and the file is one of parquet.
    """
    if path.lower().endswith(".csv"):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(rows)
        writer.writerows(zip(*(column.tolist() for column in rows.values()), strict=True))
        return text.getvalue().encode("utf-8", "surrogatepass")
    from dpselect._optional import not_installed

    try:
        arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise not_installed("Files of parquet need pyarrow", "learn") from None
    held = io.BytesIO()
    parquet.write_table(arrow.table({name: _arrow(arrow, column) for name, column in rows.items()}), held)
    return held.getvalue()


def _arrow(arrow: Any, column: NDArray[Any]) -> Any:
    """Return a column of one type: text where values of several are listed, or integers of more than 64 bits."""
    cells = column.tolist()
    kinds = {type(cell) for cell in cells if cell is not None}
    if (str in kinds and len(kinds) > 1) or any(type(cell) is int and abs(cell) >= 2**63 for cell in cells):
        cells = [None if cell is None else str(cell) for cell in cells]
    elif (bool in kinds and len(kinds) > 1) or kinds == {int, float}:
        cells = [None if cell is None else float(cell) for cell in cells]
    return arrow.array(cells)


def _codes_of_groups(groups: NDArray[np.int64], merged: MergedCodes, uniform: Uniform) -> NDArray[np.int64]:
    """Return a code of each group, by its weight."""
    order = np.argsort(merged.groups, kind="stable")
    ends = np.cumsum(merged.weights[order])
    starts = np.searchsorted(merged.groups[order], np.arange(merged.size))
    before = np.append(0.0, ends)[starts]
    totals = np.bincount(merged.groups, weights=merged.weights, minlength=merged.size)
    place = np.searchsorted(ends, before[groups] + reals(groups.size, uniform) * totals[groups], side="right")
    last = np.append(starts[1:], order.size) - 1
    return np.asarray(order[np.clip(place, starts[groups], last[groups])])


def _moved_rows(session: MarginalSession, column: int, columns: int) -> float:
    """Return how many rows may come back as another code of their group, at most, but for a chance of all columns."""
    merged = session.merged[column]
    if not merged.terms:
        return 0.0
    (step,) = (each for each in session.steps if each.measurement.clique == (column,) and not each.candidates)
    return merged.most_moved(session.deviation(step.rho), CHANCE / columns)


def _groups_of(column: SynthesisColumn, content: Mapping[str, Any]) -> MergedCodes:
    groups, weights = np.array(content["groups"], dtype=np.int64), np.array(content["weights"], dtype=np.float64)
    sound = groups.shape == weights.shape == (column.size,) and (weights >= 0).all() and np.isfinite(weights).all()
    if not sound or {*groups.tolist()} != {*range(int(groups.max()) + 1)}:
        raise InputError("no groups")
    return MergedCodes(groups, weights)


def _clique(content: Mapping[str, Any], columns: int) -> Clique:
    clique = tuple(content["columns"])
    if not clique or any(type(place) is not int or not 0 <= place < columns for place in clique):
        raise InputError("no columns")
    if any(one >= other for one, other in pairwise(clique)):
        raise InputError("no order")
    return clique


def _step_of(content: Mapping[str, Any], sizes: Sequence[int]) -> MarginalStep:
    clique = _clique(content, len(sizes))
    shape = [sizes[place] for place in clique]
    counts, variance = (np.array(content[name], dtype=np.float64) for name in ("counts", "variance"))
    if not ((np.abs(counts) < _LARGEST).all() and (variance >= 0).all() and (variance < _LARGEST).all()):
        raise InputError("no counts")
    spread = variance.reshape(()) if variance.size == 1 else variance.reshape(shape)
    return MarginalStep(
        Measurement(clique, counts.reshape(shape), spread),
        number_of(content["rho"]),
        int(content["candidates"]),
        number_of(content["choice"]),
    )


named_publicly("dpselect.synthesis", globals(), ["SyntheticModel", "load"])
