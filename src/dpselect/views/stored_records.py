"""Records that stay in their engine: one grouped query per level counts all nodes and attributes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.sources import encoding
from dpselect.sources.encoding import LACKING, Domain
from dpselect.sources.temporary import Temporary
from dpselect.sources.warehouse import TABLE_CHANGED, Warehouse
from dpselect.views.gradient_sums import Loss
from dpselect.views.stored_scored import StoredScores, require_short_rounds

Integers = NDArray[np.int64]
# A public tree that labels records: a class, or an attribute, which of its codes go to the second side, and both sides.
Labelling: TypeAlias = "int | tuple[int, NDArray[np.bool_], Labelling, Labelling]"
# Keys are reduced by this prime, so that their products stay within 64 bits.
_PRIME = 2**31 - 1


class StoredRecords:
    """Records as a tree sees them, counted where they are.

    The node of a record is an expression over the splits so far; nothing is written to the engine, but the temporary
    tables of :meth:`code_records` and :meth:`with_scores`, where ``temporary`` allows them. Counts leave it
    keyed by node, attribute, code and class code, and every level is compared with what the level before it implies.

    Attributes:
        attributes: the public domains.
        sizes: how many codes each attribute has.
        classes: how many classes.
    """

    def __init__(
        self,
        warehouse: Warehouse,
        attributes: Sequence[Domain],
        target: Domain,
        unknown: str,
        kept: Any = None,
        temporary: Temporary | None = None,
    ) -> None:
        self.warehouse, self.attributes, self._target, self._unknown = warehouse, tuple(attributes), target, unknown
        warehouse.require([each.name for each in (*attributes, target)])
        for each in (*attributes, target):
            encoding.require_kind(warehouse.table[each.name], each)
        self.sizes = tuple(each.size for each in attributes)
        self.classes = target.size
        self._kept, self._temporary = kept, temporary
        self._splits: list[tuple[Integers, Sequence[Integers]]] = []
        self._tables: list[Integers] | None = None
        self._expected: Integers | None = None

    @cached_property
    def _first(self) -> list[Integers]:
        """Return the counts of the whole table, those of missing values and of values without a code in front."""
        return self._count_codes(1)

    def lacking(self) -> list[int]:
        """Return the attributes with missing values that are not a category."""
        return [place for place, table in enumerate(self._first) if table[0, 0].any()]

    def outside(self) -> list[int]:
        """Return the attributes with values outside of their domain."""
        return [place for place, table in enumerate(self._first) if table[0, 1].any()]

    def unlabelled_counts(self) -> tuple[int, int]:
        """Return how many labels are not declared, and how many are missing."""
        lacking, beyond = self._first[0][0, :, :2].sum(axis=0).tolist()
        return beyond, lacking

    def strays(self, missing: Sequence[bool]) -> tuple[list[int], list[int], tuple[int, int]]:
        """Return how many values of every attribute are outside of its domain and missing, and so for labels.

        ``missing`` says for which attributes the last code stands for missing values.
        """
        lacking = [
            int(table[0, -1 if has_missing else 0].sum())
            for has_missing, table in zip(missing, self._first, strict=True)
        ]
        return [int(table[0, 1].sum()) for table in self._first], lacking, self.unlabelled_counts()

    def known_records(self) -> StoredRecords:
        """Return the records that have a code in every column and a declared label."""
        places = sorted({*self.outside(), *self.lacking()})
        labelled = not any(self.unlabelled_counts())
        if not places and labelled:
            return self
        domains = [self.attributes[place] for place in places] + ([] if labelled else [self._target])
        table = self.warehouse.table
        conditions = [
            encoding.code(encoding.prepare_column(table[each.name], each, self._unknown == "clip"), each) >= 0
            for each in domains
        ]
        return self._as_filtered(self._and(conditions))

    def code_records(self) -> StoredRecords:
        """Return the same records in a temporary table of codes: levels cost less, the engine writes.

        Raises:
            ValueError: an engine whose temporary tables would be computed again for every query; the table changed.
            ConnectionError: the engine failed.
        """
        return self._copy({})

    def require_scores(self, attributes: Sequence[Domain]) -> None:
        """Refuse an engine that may not write a temporary table, and domains that would make rounds take too long.

        Args:
            attributes: as declared: here they may be codes alone.

        Raises:
            ValueError: as :meth:`Temporary.require`; too many classes, or categories of a column.
        """
        self._writable.require()
        require_short_rounds(self.classes, attributes)

    def with_scores(self, loss: Loss, start: Integers) -> StoredScores:
        """Return the records, each with the start for its scores, shape (outputs,), in a temporary table.

        Raises:
            ValueError, ConnectionError: as :meth:`code_records`, and as :meth:`require_scores`.
        """
        import ibis

        scores = {f"s{place}": ibis.literal(score, "int32") for place, score in enumerate(start.tolist())}
        return StoredScores(self._writable, self._copy(scores).warehouse, loss)

    @property
    def _writable(self) -> Temporary:
        assert self._temporary is not None, "The opener of a table says what may be written."
        return self._temporary

    def _copy(self, more: dict[str, Any]) -> StoredRecords:
        """Return the same records in a temporary table of codes and of what else it is to hold."""
        warehouse, temporary = self.warehouse, self._writable
        table, clip = warehouse.table, self._unknown == "clip"
        domains = [encoding.CodeDomain(f"a{place}", size) for place, size in enumerate(self.sizes)]
        columns = {
            domain.name: encoding.code(encoding.prepare_column(table[each.name], each, clip), each).cast(
                _width(each.size)
            )
            for domain, each in zip(domains, self.attributes, strict=True)
        }
        label = encoding.code(encoding.prepare_column(table[self._target.name], self._target, clip=False), self._target)
        records = table if self._kept is None else table.filter(self._kept)
        key = {} if warehouse.key is None else {"key": table[warehouse.key]}
        stored = temporary.table(records.select(label=label.cast(_width(self.classes)), **columns, **key, **more))
        source = Warehouse(stored, "key" if key else None, warehouse.metadata)
        copied = StoredRecords(
            source, domains, encoding.CodeDomain("label", self.classes), "error", temporary=temporary
        )
        if any((one != two).any() for one, two in zip(copied._first, self._first, strict=True)):
            raise InputError(TABLE_CHANGED)
        return copied

    def again(self) -> StoredRecords:
        """Return the same records, all at the root."""
        fresh = self._as_filtered(self._kept)
        if "_first" in self.__dict__:
            fresh.__dict__["_first"] = self._first
        return fresh

    def chunks(self, many: int, below: Callable[[Integers], Integers]) -> list[StoredRecords]:
        """Return disjoint parts; the part of a record is a random affine function of its own key and nothing else.

        Raises:
            ValueError: no key was declared.
        """
        self.require_key()
        import ibis

        factor, shift = (1 + int(below(np.array([_PRIME - 1]))[0])), int(below(np.array([_PRIME]))[0])
        prime, whole = (ibis.literal(each, "int64") for each in (_PRIME, many))
        key = self.warehouse.table[self.warehouse.key].cast("int64").fill_null(0) % prime
        # The remainder of a negative number is negative in some engines and positive in others.
        place = (ibis.literal(factor, "int64") * ((key + prime) % prime) + ibis.literal(shift, "int64")) % prime % whole
        conditions = [place == ibis.literal(chunk, "int64") for chunk in range(many)]
        return [self._as_filtered(self._and([each])) for each in conditions]

    def require_key(self) -> None:
        """Refuse chunks of records that declare no key.

        Raises:
            ValueError: say which argument declares it.
        """
        if self.warehouse.key is None:
            raise InputError(
                "A forest in chunks needs a column of integers that belongs to the record itself: declare it by "
                'Warehouse.open(..., key=), or pass sharing="budget".'
            )

    def recognition_counts(self, trees: Sequence[Labelling]) -> Integers:
        """Return how many records of each class get their own label by each tree, shape (classes, trees)."""
        table = self.warehouse.table
        records = table if self._kept is None else table.filter(self._kept)
        label = encoding.code(encoding.prepare_column(table[self._target.name], self._target, clip=False), self._target)
        names = [f"t{place}" for place in range(len(trees))]
        labels = {name: self._label_expression(tree) for name, tree in zip(names, trees, strict=True)}
        base = records.select(label=label, **labels)
        right = {name: (base[name] == base.label).sum().cast("int64") for name in names}
        rows = self.warehouse.ask(base.group_by("label").aggregate(n=base.count(), **right))
        if rows["label"].size and rows["label"].min() < 0:
            raise InputError(TABLE_CHANGED)
        counted = np.zeros(self.classes, dtype=np.int64)
        counted[rows["label"]] = rows["n"]
        if (counted != self.totals(1)[0]).any():
            raise InputError(TABLE_CHANGED)
        result = np.zeros((self.classes, len(trees)), dtype=np.int64)
        for place, name in enumerate(names):
            result[rows["label"], place] = rows[name]
        return result

    def _label_expression(self, tree: Labelling) -> Any:
        import ibis

        if isinstance(tree, int):
            return ibis.literal(tree, "int32")
        place, seconds, first, second = tree
        domain, sides = self.attributes[place], {0: self._label_expression(first), 1: self._label_expression(second)}
        leads = {side: sides[side] for side in np.unique(seconds.astype(np.int64)).tolist()}
        return encoding.route_codes(self.warehouse.table[domain.name], domain, seconds.astype(np.int64), leads)

    def confirm(self) -> None:
        """Ask for the first level once more; of files, whether they were written to.

        Raises:
            ValueError: the table changed.
        """
        unchanged = self.warehouse.is_unchanged()
        if unchanged:
            return
        if unchanged is False:
            raise InputError(TABLE_CHANGED)
        again = self.again()
        again.__dict__.pop("_first", None)
        if any((one != two).any() for one, two in zip(again._first, self._first, strict=True)):
            raise InputError(TABLE_CHANGED)

    @property
    def rows(self) -> int:
        """Return the number of records."""
        return int(self._first[0].sum())

    def level(self, nodes: int) -> list[Integers]:
        """Return for every attribute the counts (nodes, values, classes), zeros included."""
        if self._tables is None:
            rows = self._first if not self._splits else self._count_codes(nodes)
            self._tables = [table[:, 2:, 2:] for table in rows]
            sums = [table.sum(axis=1) for table in self._tables]
            expected = sums[0] if self._expected is None else self._expected
            whole = [table.sum() for table in rows]
            if any((each != expected).any() for each in sums) or any(each != expected.sum() for each in whole):
                raise InputError(TABLE_CHANGED)
            self._expected = expected
        return self._tables

    def totals(self, nodes: int) -> Integers:
        """Return the class counts of every node, shape (nodes, classes): known from the level before, or asked for."""
        if self._expected is None:
            if not self._splits:
                self.level(1)
            else:
                self._expected = self._asked_totals(nodes)
        assert self._expected is not None
        return self._expected

    def descend(self, attribute: Integers, child: Sequence[Integers]) -> None:
        """Send every record to a node of the next level."""
        self._splits.append((attribute, child))
        following = None
        if self._tables is not None:
            nodes = 1 + max((int(route.max()) for route in child if route.size), default=-1)
            following = np.zeros((nodes, self.classes), dtype=np.int64)
            for node, (place, route) in enumerate(zip(attribute.tolist(), child, strict=True)):
                if place >= 0:
                    np.add.at(following, route, self._tables[place][node])
        self._tables, self._expected = None, following

    def _base(self) -> tuple[Any, list[str]]:
        """Return the records of the current nodes: node, what attributes are grouped by, and the class."""
        table, clip = self.warehouse.table, self._unknown == "clip"
        names = [f"a{place}" for place in range(len(self.attributes))]
        columns = {
            name: encoding.prepare_column(table[each.name], each, clip)
            for name, each in zip(names, self.attributes, strict=True)
        }
        label = encoding.prepare_column(table[self._target.name], self._target, clip=False)
        records = table if self._kept is None else table.filter(self._kept)
        base = records.select(node=self._node(0, 0), label=label, **columns)
        return (base.filter(base.node >= 0) if self._splits else base), names

    def _node(self, level: int, node: int) -> Any:
        """Return the current node of a record that is at a node of an earlier level, -1 where it has ended."""
        import ibis

        if level == len(self._splits):
            return ibis.literal(node, "int32")
        attribute, child = self._splits[level]
        place = int(attribute[node])
        if place < 0:
            return ibis.literal(-1, "int32")
        leads = {route: self._node(level + 1, route) for route in np.unique(child[node]).tolist()}
        domain = self.attributes[place]
        return encoding.route_codes(self.warehouse.table[domain.name], domain, child[node], leads)

    def _count_codes(self, nodes: int) -> list[Integers]:
        """Ask for all attributes at once; codes start at 2, behind those of values that have none."""
        import ibis

        base, names = self._base()
        parts = []
        for place, (name, domain) in enumerate(zip(names, self.attributes, strict=True)):
            # By raw value first: the long lists of categories are then compared once a group and not once a record.
            groups = base.group_by("node", "label", value=base[name]).aggregate(n=base.count())
            coded = groups.select(
                node=groups.node,
                attribute=ibis.literal(place, "int32"),
                code=encoding.code(groups.value, domain),
                label=encoding.code(groups.label, self._target),
                n=groups.n,
            )
            parts.append(_sum_counts(coded, ["node", "attribute", "code", "label"]))
        rows = self.warehouse.ask(ibis.union(*parts) if len(parts) > 1 else parts[0])
        levels = []
        for place, size in enumerate(self.sizes):
            here = rows["attribute"] == place
            counts = np.zeros((nodes, size + 2, self.classes + 2), dtype=np.int64)
            at = (rows["node"][here], rows["code"][here] - LACKING, rows["label"][here] - LACKING)
            np.add.at(counts, at, rows["n"][here])
            levels.append(counts)
        return levels

    def _asked_totals(self, nodes: int) -> Integers:
        base, _ = self._base()
        groups = base.group_by("node", "label").aggregate(n=base.count())
        coded = groups.select(node=groups.node, label=encoding.code(groups.label, self._target), n=groups.n)
        rows = self.warehouse.ask(_sum_counts(coded, ["node", "label"]))
        counts = np.zeros((nodes, self.classes + 2), dtype=np.int64)
        np.add.at(counts, (rows["node"], rows["label"] - LACKING), rows["n"])
        if counts[:, :2].any():
            raise InputError(TABLE_CHANGED)
        return counts[:, 2:]

    def _as_filtered(self, kept: Any) -> StoredRecords:
        """Return the records of the table that meet a condition, all at the root."""
        return StoredRecords(self.warehouse, self.attributes, self._target, self._unknown, kept, self._temporary)

    def _and(self, conditions: list[Any]) -> Any:
        result = self._kept
        for condition in conditions:
            result = condition if result is None else result & condition
        return result

    def __repr__(self) -> str:
        return f"StoredRecords(attributes={len(self.sizes)}, classes={self.classes})"


def _sum_counts(rows: Any, names: list[str]) -> Any:
    return rows.group_by(names).aggregate(n=rows.n.sum().cast("int64"))


def _width(size: int) -> str:
    """Return the integers that hold the codes of a domain, whichever of them occur."""
    return "int16" if size < 2**15 else "int32"
