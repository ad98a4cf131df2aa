"""A fit, planned: what it will ask and how large it may become, before anything is read or paid for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol, cast

from dpselect.kernel.errors import InputError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.learn.builder import TreePlan, grow
from dpselect.learn.domains import Attribute
from dpselect.learn.dry_run import EmptyTable, along_one_path, dry_run
from dpselect.learn.size_limits import require_size, widest_level
from dpselect.learn.tree import Tree
from dpselect.release.session import Session
from dpselect.utilities.counts import ONE
from dpselect.views.records import NodeCounts, TrainingTable

# A noisy number of rows is never larger, and no plan is deeper than that of so many.
_ALL = 2**62
Planner = Callable[[int], TreePlan]


class FitPlan(Protocol):
    """The plan of an estimator."""

    def __call__(self, records: Any, draws: Any, /) -> Any:
        """Fit to records and return the result, such as trees."""
        ...

    def rehearse(self, epsilon: Fraction, /) -> None:
        """Refuse what cannot work out at this epsilon, as public facts alone show: sizes, mechanisms and shares."""
        ...


def keep(tree: Tree, _: TreePlan) -> Tree:
    """Leave a tree as it grew."""
    return tree


@dataclass(frozen=True)
class TreeFitPlan:
    """Trees that grow by the one builder; every field is public.

    Attributes:
        attributes, classes: the public domains.
        plan: from the number of rows, where it is public or asked for, to what one tree may do; fresh for every tree.
        rows: the public number of rows, 0 where none is needed.
        asked: epsilon of a noisy number of rows; 0 where it is not asked for.
        trees: how many.
        chunked: whether trees share the records, instead of epsilon.
        branches: the most children of a node.
        leaves: the most leaves of a tree, where public facts say; 0 where noisy numbers decide.
        counted: whether splits are chosen by counts.
        prune: post-processing of a tree, given its plan; returns the tree that is kept.
        variants: plans that are run dry instead of ``plan``, where no path of one shows all that may be asked.
    """

    attributes: Sequence[Attribute]
    classes: int
    plan: Planner
    rows: int = 0
    asked: Fraction = Fraction(0)
    trees: int = 1
    chunked: bool = False
    branches: int = 2
    leaves: int = 0
    counted: bool = True
    prune: Callable[[Tree, TreePlan], Tree] = keep
    variants: Sequence[Planner] = ()

    def __call__(self, records: NodeCounts, draws: Session) -> list[Tree]:
        """Grow all trees."""
        rows = self._rows(records, draws)
        if self.chunked:
            # Trees share records only where these are a table's own.
            chunks = cast(TrainingTable, records).chunks(self.trees, draws.uniform)
            with draws.disjoint(self.trees) as parts:
                return [self._grow(chunk, self.plan(rows), part) for chunk, part in zip(chunks, parts, strict=True)]
        if self.trees == 1:
            return [self._grow(records, self.plan(rows), draws)]
        return [self._grow(records.again(), self.plan(rows), draws) for _ in range(self.trees)]

    def rehearse(self, epsilon: Fraction) -> None:
        """Ask one tree's questions of nobody, and count what the others will spend.

        Raises:
            ValueError: the trees could outgrow time or memory; epsilon is too small.
            PrivacyError: the mechanism does not fit; the plan spends more than epsilon.
        """
        require_size(max(self.leaves, self.branches), self._room())
        nobody, draws = EmptyTable(tuple(each.size for each in self.attributes), self.classes), dry_run(epsilon)
        try:
            self._rows(nobody, draws)
            with draws.attempts() as again:
                for planned in self.variants or (self.plan,):
                    plan, left = planned(_ALL if self.asked else self.rows), again()
                    self._grow(nobody, along_one_path(plan), left)
                    if self.trees > 1 and not self.chunked:
                        left.spend(Guarantee(plan.total, Neighbours.ADD_REMOVE), count=self.trees - 1)
        except ZeroDivisionError:
            raise InputError("epsilon is too small for this fit: pass a larger one.") from None

    def _rows(self, records: NodeCounts, draws: Session) -> int:
        if not self.asked:
            return self.rows
        return int(draws.counts(records.totals(1).sum(axis=1), self.asked, ONE)[0])

    def _grow(self, records: NodeCounts, plan: TreePlan, draws: Session) -> Tree:
        tree = grow(records, self.attributes, replace(plan, most=self._room() // self.branches), draws)
        return self.prune(tree, plan)

    def _room(self) -> int:
        return widest_level(self.attributes, self.classes, self.trees, self.counted)


@dataclass(frozen=True)
class SearchPlan:
    """Trees that are found in another way: how, and what to check before."""

    run: Callable[[NodeCounts, Session], list[Tree]]
    check: Callable[[Session], None]

    def __call__(self, records: NodeCounts, draws: Session) -> list[Tree]:
        """Find the trees."""
        return self.run(records, draws)

    def rehearse(self, epsilon: Fraction) -> None:
        """Check."""
        self.check(dry_run(epsilon))
