"""DP-MOET: an evolutionary tree for several goals, found by private selection among public trees.

Random trees; then, ``generations`` times, a private selection of ``selected`` trees by how often they recognise each
class, and crossover, mutation and pruning, which never look at the data; at last a private selection of ``output``
trees. Each of the generations + 1 rounds spends epsilon / (generations + 1), split over its selections: the total is
epsilon, exactly.

The goals are one recall per class (true positive and true negative rate for two), combined by weights or by Pareto
dominance. Under add-remove one record touches the recall of its own class only.

References: Farias et al. 2024, Algorithm 1, whose mutations grow as deep as the maximum depth allows, which is
``mutation_levels=None``; three levels are the default here. Errata: the paper spends epsilon in every round; its
sensitivities of the rates are not admissible (see ``true_positive_rate``).
"""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from dpselect.kernel.errors import Advice, InputError, InputTypeError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon
from dpselect.learn.domains import Attribute
from dpselect.learn.export import register_model
from dpselect.learn.fit_plan import SearchPlan
from dpselect.learn.parameters import chosen_mechanism, whole
from dpselect.learn.population import Node, at, count_recognised, depth_of, goes_second, replace_subtree, simplify, size
from dpselect.learn.private_trees import PrivateTrees
from dpselect.learn.schema import ReadOptions
from dpselect.learn.size_limits import MOST_BINS, MOST_DEPTH
from dpselect.learn.tree import Tree
from dpselect.mechanisms.base import Mechanism
from dpselect.release.session import Session
from dpselect.scores.combine import aggregate, pareto
from dpselect.scores.objectives import exact_number
from dpselect.scores.scores import Scores
from dpselect.utilities.true_positive_rate import rate
from dpselect.views.records import NodeCounts

# More nodes than this in the first trees would fill the memory, after the budget was spent.
_LARGEST = 10**7
# More trees than this take an hour.
_MOST_TRIED = 10**6
# Weights further from 1 than this are a mistake.
_HEAVIEST = 10**9
# So many classes are listed in an error.
_MOST_SHOWN = 10


@register_model
class DPEvolutionaryTreeClassifier(PrivateTrees):
    """A private tree for several goals at once.

    Args:
        epsilon: the budget of one fit, which has no default: ``None`` is refused by ``fit`` before anything is read.
        importance: class to how much recognising it counts, at least 0 (1 where it is not named), not 0 for all; for
            ``goal="weighted"``.
        goal: ``"weighted"``, or ``"pareto"`` for trees that few others beat in every class.
        population, generations: how many trees are tried at a time, and in how many rounds before the last; public, as
            all sizes of the search; population x (generations + 1) is at most 1,000,000.
        selected: how many trees a round keeps, at most population; ``None`` for a fifth of it, at most 20.
        depth: levels of splits of the first trees, at most max_depth; ``None`` for 3, or max_depth where that is less.
        max_depth: at most this many levels of splits, ever; at most 100.
        mutation_levels: levels of the random subtree of a mutation, at most; ``None`` for as many as max_depth leaves
            room for, as Algorithm 1 prints it.
        output: how many trees are released, at most population.
        mechanism: how trees are selected.
        bins, domains, classes, unknown, missing, person, rows_per_person, ledger: as :class:`DPTreeClassifier`.

    ``predict`` and ``predict_proba`` use the first tree, with 1 for its label and 0 elsewhere; ``trees_`` holds
    ``output`` trees in private order.

    Guarantee: epsilon-differential privacy, add-remove of one row, or with ``person`` of one person with all of their
    rows, of everything the fitted model holds.

    >>> X, y = [[age] for age in range(2000)], ["ill" if age >= 1000 else "well" for age in range(2000)]
    >>> model = DPEvolutionaryTreeClassifier(10, domains={0: (0, 2000)}, classes=["well", "ill"], depth=2)
    >>> bool(model.fit(X, y).score(X, y) > 0.6)
    True
    """

    _counted = False

    def __init__(
        self,
        epsilon: Epsilon | None = None,
        *,
        importance: Any = None,
        goal: str = "weighted",
        population: int = 100,
        generations: int = 2,
        selected: int | None = None,
        depth: int | None = None,
        max_depth: int = 5,
        mutation_levels: int | None = 3,
        output: int = 1,
        mechanism: Any = "local-dampening-flip",
        bins: int = 32,
        domains: Any = None,
        classes: Any = None,
        unknown: str = "clip",
        missing: str = "ignore",
        person: Any = None,
        rows_per_person: int = 1,
        ledger: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.importance = importance
        self.goal = goal
        self.population = population
        self.generations = generations
        self.selected = selected
        self.depth = depth
        self.max_depth = max_depth
        self.mutation_levels = mutation_levels
        self.output = output
        self.mechanism = mechanism
        self.bins = bins
        self.domains = domains
        self.classes = classes
        self.unknown = unknown
        self.missing = missing
        self.person = person
        self.rows_per_person = rows_per_person
        self.ledger = ledger

    def _chances(self, codes: Sequence[NDArray[np.int64]]) -> NDArray[np.float64]:
        # The first tree alone; a category that is not listed gets the labels below the node where it stops.
        tree = self.trees_[0]
        return np.asarray(self._shares(tree)[tree.apply(codes)])

    def _shares(self, tree: Tree) -> NDArray[np.float64]:
        # Labels are not noisy counts: there is nothing to smooth.
        return np.asarray(tree.counts / tree.counts.sum(axis=1, keepdims=True))

    def _check(self) -> None:
        self._reading().check()
        for name, least, most in (("bins", 2, MOST_BINS), ("population", 2, None), ("generations", 0, None)):
            whole(getattr(self, name), name, least, "a public size of the search", most)
        whole(self.max_depth, "max_depth", 1, "how many levels of splits", MOST_DEPTH)
        if self.mutation_levels is not None:
            whole(self.mutation_levels, "mutation_levels", 0, "how many levels a mutation grows", MOST_DEPTH)
        selected, depth = self._sizes()
        for name, size_, limit in (
            ("depth", depth, "max_depth"),
            ("selected", selected, "population"),
            ("output", self.output, "population"),
        ):
            whole(size_, name, 1, "a public size of the search")
            if size_ > (most := getattr(self, limit)):
                raise InputError(
                    f"{name} is at most {limit}, and {size_} is more than {most}: lower {name} or raise {limit}."
                )
        if self.population * 2**depth > _LARGEST:
            raise InputError(
                f"The first trees have population x 2^depth nodes, at most {_LARGEST:,}: lower population or depth."
            )
        grown = self.max_depth if self.mutation_levels is None else min(self.mutation_levels, self.max_depth)
        if self.population * 2**grown > _LARGEST:
            raise InputError(
                f"Mutations grow 2^{grown} nodes, times population at most {_LARGEST:,}: lower mutation_levels or "
                "max_depth."
            )
        if self.population * (self.generations + 1) > _MOST_TRIED:
            raise InputError(
                f"A search tries population x (generations + 1) trees, at most {_MOST_TRIED:,}: lower one of the two."
            )
        if self.goal not in ("weighted", "pareto"):
            raise InputError('goal is "weighted" or "pareto".')
        if self.goal == "pareto" and self.importance is not None:
            raise InputError(
                Advice('{importance} weighs goals, and "pareto" weighs none: leave it out, or pass {goal="weighted"}.')
            )
        self._weights()
        chosen_mechanism(self.mechanism)

    def _reading(self) -> ReadOptions:
        return replace(super()._reading(), require=self._require_importance)

    def _require_importance(self, classes: Sequence[Any]) -> None:
        """Refuse weights of classes that are not declared, or that weigh nothing."""
        weights = self._weights()
        unknown = [each for each in weights if each not in classes]
        if unknown:
            shown = ", ".join(map(repr, classes[:_MOST_SHOWN])) + (", ..." if len(classes) > _MOST_SHOWN else "")
            raise InputError(f"importance names {unknown[0]!r}, which is not a declared class: name some of {shown}.")
        if not any(weights.get(each, 1) for each in classes):
            raise InputError("importance is zero for every class, so every tree is alike: pass a number that is not.")

    def _fit_plan(self, attributes_: Sequence[Attribute], classes: Sequence[Any], epsilon: Fraction) -> SearchPlan:
        mechanism = chosen_mechanism(self.mechanism)
        given, (selected, depth) = self._weights(), self._sizes()
        weights = [given.get(each, Fraction(1)) for each in classes]
        each = epsilon / (self.generations + 1)

        def check(draws: Session) -> None:
            """Select among trees that recognise nobody, as many at a time as will be; rounds are alike."""
            nobody = [rate([0] * max(2, self.output, selected), 0, "records", None) for _ in classes]
            scores = self._combine(nobody, weights)
            draws.top_k(scores, self.output, each, mechanism=mechanism)
            if self.generations:
                draws.top_k(scores, selected, each, mechanism=mechanism)
            if self.generations > 1:
                draws.spend(Guarantee(each, Neighbours.ADD_REMOVE), count=self.generations - 1)

        def run(records: NodeCounts, draws: Session) -> list[Tree]:
            search = _Search(attributes_, len(classes), draws, self.mutation_levels)
            trees, largest = search.several(self.population, depth), 2 * _LARGEST // self.population
            for _ in tqdm(range(self.generations), desc="generations", delay=2, leave=False, disable=None):
                trees = self._best(trees, selected, each, search, records, mechanism, weights)
                while len(trees) < selected + self.population:
                    one, two = (trees[int(place)] for place in draws.uniform(np.full(2, len(trees))))
                    for child, parent in zip(search.crossover(one, two), (one, two), strict=True):
                        grown = search.prune(search.mutate(child, self.max_depth), self.max_depth)
                        # Crossing may double a tree each time: no population outgrows twice its first trees.
                        trees.append(grown if size(grown) <= largest else parent)
            best = self._best(trees, self.output, each, search, records, mechanism, weights)
            return [search.as_tree(node) for node in best]

        return SearchPlan(run, check)

    def _sizes(self) -> tuple[int, int]:
        """Return how many trees a round keeps, and the levels of the first trees."""
        selected = max(1, min(20, self.population // 5)) if self.selected is None else self.selected
        return selected, min(3, self.max_depth) if self.depth is None else self.depth

    def _weights(self) -> dict[Any, Fraction]:
        """Return the importance of the classes that are named, or say what it must be; it is public."""
        if self.importance is None:
            return {}
        # Mappings, and what reads like one, such as a pandas series.
        if not hasattr(self.importance, "keys"):
            raise InputTypeError("importance maps classes to numbers, for example {'yes': 3, 'no': 2}.")
        if len(names := list(self.importance.keys())) > len(set(names)):
            raise InputError("importance names a class twice: give each class once.")
        weights = {}
        for name, given in dict(self.importance).items():
            weight = exact_number(given)
            if weight is None or weight < 0:
                raise InputError(
                    f"importance of {name!r} must be a finite number of at least 0, such as 3, and it is "
                    f"{reprlib.repr(given)} of type {type(given).__name__}."
                )
            if weight and not Fraction(1, _HEAVIEST) <= weight <= _HEAVIEST:
                raise InputError(
                    f"importance of {name!r} is {reprlib.repr(given)}: above 0 it lies between 1e-9 and 1e9."
                )
            weights[name] = weight
        return weights

    def _combine(self, recalls: list[Scores], weights: list[Fraction]) -> Scores:
        if self.goal == "pareto":
            return pareto(recalls)
        return aggregate(recalls, weights, max_changed="one")

    def _best(
        self,
        trees: list[Node],
        many: int,
        epsilon: Fraction,
        search: _Search,
        records: NodeCounts,
        mechanism: Mechanism,
        weights: list[Fraction],
    ) -> list[Node]:
        """Select trees privately, one after the other, by how many records of each class they recognise."""
        totals = records.totals(1)[0]
        right = count_recognised(trees, search.attributes, records)
        recalls = [rate(right[c], int(totals[c]), "records", None) for c in range(search.classes)]
        places = search.draws.top_k(self._combine(recalls, weights), many, epsilon, mechanism=mechanism)
        return [trees[place] for place in places]


class _Search:
    """Operations on public trees: they draw from public facts only."""

    def __init__(
        self, attributes_: Sequence[Attribute], classes: int, draws: Session, mutation_levels: int | None = 3
    ) -> None:
        self.attributes, self.classes, self.draws = attributes_, classes, draws
        self._most_grown = MOST_DEPTH if mutation_levels is None else mutation_levels
        self._cuts = np.array([max(1, each.size - each.is_ordered) for each in attributes_])

    def several(self, many: int, depth: int) -> list[Node]:
        """Return full trees with random splits and labels, drawn together."""
        inner = many * (2**depth - 1)
        places = self.draws.uniform(np.full(inner, len(self.attributes)))
        cuts = self.draws.uniform(self._cuts[places])
        level = [Node(label) for label in self.draws.uniform(np.full(many * 2**depth, self.classes)).tolist()]
        splits = iter(zip(places.tolist(), cuts.tolist(), strict=True))
        for _ in range(depth):
            pairs = zip(level[::2], level[1::2], strict=True)
            level = [Node(0, *next(splits), first, second) for first, second in pairs]
        return level

    def random(self, depth: int) -> Node:
        """Return one such tree."""
        return self.several(1, depth)[0]

    def crossover(self, one: Node, two: Node) -> tuple[Node, Node]:
        """Return both trees with a random subtree of each exchanged."""
        here, there = self._below(size(one)), self._below(size(two))
        return replace_subtree(one, here, at(two, there)), replace_subtree(two, there, at(one, here))

    def mutate(self, node: Node, most: int) -> Node:
        """Return the tree with a random subtree replaced by a random tree that stays within ``most`` levels."""
        place = self._below(size(node))
        room = max(0, most - depth_of(node, place))
        return replace_subtree(node, place, self.random(min(room, self._most_grown)))

    def prune(self, node: Node, most: int) -> Node:
        """Return the tree cut at ``most`` levels, with random labels there."""
        if node.attribute < 0:
            return node
        if most == 0:
            return Node(label=self._below(self.classes))
        assert node.first is not None
        assert node.second is not None
        return Node(0, node.attribute, node.cut, self.prune(node.first, most - 1), self.prune(node.second, most - 1))

    def as_tree(self, node: Node) -> Tree:
        """Return the released form, made short: whoever reads it needs no branch that leads nowhere."""
        tree = Tree(self.attributes, self.classes)
        level = [(0, simplify(node, self.attributes))]
        while level:
            places = np.array([place for place, _ in level])
            splits = np.array([each.attribute for _, each in level])
            groups = [goes_second(each, self.attributes).astype(np.int64) for _, each in level]
            for place, each in level:
                if each.attribute < 0:
                    tree.counts[place, each.label] = 1.0
            tree.add_level(places, splits, groups)
            following: list[tuple[int, Node]] = []
            for place, each in level:
                if each.attribute >= 0:
                    children = tree.children(place).tolist()
                    sides = [side for side in (each.first, each.second) if side is not None]
                    kept = np.unique(goes_second(each, self.attributes)).tolist()
                    following += [(child, sides[int(side)]) for child, side in zip(children, kept, strict=True)]
            level = following
        tree.sum_up()
        return tree

    def _below(self, bound: int) -> int:
        return int(self.draws.uniform(np.array([bound]))[0])
