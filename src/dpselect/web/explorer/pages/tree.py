"""A tree on a public sample: the exact law of its first question, the tree without noise, and its labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dpselect.analysis.charts.pmf_chart import chance_text, pmf_bars
from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import exact_epsilon
from dpselect.queries import Train
from dpselect.web.explorer import example_dataset
from dpselect.web.explorer.explorer_page import (
    Chart,
    Commands,
    Content,
    Note,
    PageTable,
    Part,
    State,
    TreeDrawing,
    View,
)
from dpselect.web.explorer.figures import factor
from dpselect.web.explorer.form_fields import ChoiceField, Field, NumberField, exact_text
from dpselect.web.explorer.material import Material
from dpselect.web.explorer.opening import keywords, opening
from dpselect.web.explorer.query_commands import shell_of
from dpselect.web.explorer.tree_sample import class_columns, row_count, sample_table, tree_model

if TYPE_CHECKING:
    from dpselect.learn import FirstSplit

# Leaves of a tree that is drawn, leaves of a table, and splits that have a bar of their own.
_LEAVES, _LISTED, _ASKED = 64, 12, 10
LEARNERS = (
    ("tree", "readable tree (the default)"),
    ("id3", "ID3, one branch for each value"),
)
_DEPTHS = (("auto", "as the learner decides"), *((str(depth), str(depth)) for depth in range(1, 7)))
_AFTERWARDS = {
    "tree": "A fit also mixes in the counts above a leaf, which makes small leaves steadier.",
    "id3": "A fit then prunes by these counts, and so adds up leaves that say the same.",
}
CRITERIA = ("max-operator", "gini", "information-gain")


def _fields(material: Material) -> Sequence[Field]:
    targets = class_columns(material)
    rows = row_count(material)
    options = tuple((name, name) for name in targets) or (("", "no column has two to eight classes"),)
    return (
        NumberField(
            "epsilon", "Epsilon", 0.5, 0.01, 20, slider=True, help="Of the whole tree; smaller is more private."
        ),
        ChoiceField("class", "Class", options, options[0][0], help="The column that the tree predicts."),
        ChoiceField("learner", "Learner", LEARNERS, "tree"),
        ChoiceField("depth", "Depth", _DEPTHS, "auto", help="At most so many splits one after the other."),
        NumberField(
            "row",
            "Person of this row that the neighbour lacks" if material.person else "Row that the neighbour lacks",
            1,
            1,
            max(rows, 1),
            whole=True,
            help=f"One {material.protected_unit} less.",
        ),
        NumberField(
            "rows",
            "Rows of the private table",
            50_000,
            1,
            10**12,
            whole=True,
            help="Roughly, and public: it decides which learner is recommended.",
        ),
    )


def _view(state: State, material: Material) -> View:
    from dpselect.learn import first_split

    if not state["class"]:
        raise InputError("No column of this table has two to eight classes: pass a table with a class column.")
    target = state["class"]
    table, domains = sample_table(material, target)
    model = tree_model(state, domains, material, state["epsilon"], state["learner"])
    here = first_split(model, table, target)
    owner = table[material.person] if material.person else np.arange(row_count(material))
    kept = owner != owner[state["row"] - 1]
    there = first_split(model, {name: cells[kept] for name, cells in table.items()}, target)
    headline, probabilities = _answer_and_pmf(here, there, target, state, material)
    tree, leaves = _tree_and_stability(model, table, target, state["learner"])
    parts: list[Part] = [
        *probabilities,
        tree,
        leaves,
        Chart(
            "Accuracy against epsilon",
            lambda width: _accuracy(material, target, state["depth"], state["epsilon"], width),
            "Of the default tree on this sample, as far as exact laws go: a tree of one split, averaged over every "
            "split that it may draw; the tree of the best splits with labels by noisy counts; the most frequent "
            "class. With more epsilon the tree goes deeper, at first before its labels are sure.",
        ),
        _learners(state, table, domains, material),
        _advice(state, target, material),
    ]
    return View(headline, parts, _commands(state, domains, material), _example(state, material, domains))


def _answer_and_pmf(
    here: FirstSplit | None, there: FirstSplit | None, target: str, state: State, material: Material
) -> tuple[str, list[Part]]:
    """Return the answer of the page, and the law of the first question."""
    if here is None or there is None:
        return (
            f"At epsilon {exact_text(state['epsilon'])} this sample is too small for a split: the tree is one leaf, "
            f"with noisy counts of {target}. A larger epsilon or more rows give it a question.",
            [],
        )
    mechanism, value = here.mechanism, here.epsilon
    # Each row of a person is drawn for at its share of this.
    cost = value * material.rows_per_person
    without = f"without {'the person of ' if material.person else ''}row {state['row']:,}"
    one, other = mechanism.log_pmf(here.scores, value), mechanism.log_pmf(there.scores, value)
    probabilities, loss = np.exp(one), float(np.abs(one - other).max())
    best = int(here.scores.values.argmax())
    headline = (
        f"To predict {target}, the tree asks first whether {here.scores.candidates[best]}, with probability "
        f"{chance_text(float(probabilities[best]))}: its best question"
        if state["learner"] == "tree"
        else f"To predict {target}, the tree splits first by {here.scores.candidates[best]}, with probability "
        f"{chance_text(float(probabilities[best]))}: its best column"
    )
    headline += (
        f" of {probabilities.size:,}. This costs {float(cost):.3g} of epsilon {exact_text(state['epsilon'])}; "
        f"{without} a chance changes by a factor of {factor(loss)} at most, and {factor(float(cost))} is allowed."
    )

    def bars(width: float) -> Any:
        whole, part = float(exact_epsilon(state["epsilon"])), f", {float(cost):.3g} of it here"
        return pmf_bars(here.scores, probabilities, np.exp(other), mechanism.name, whole, width, _ASKED, part)

    says = f"Exact chances of the first split by {mechanism.name}; marks show the table {without}."
    return headline, [Chart("What the root asks", bars, says)]


def _tree_and_stability(model: Any, table: Mapping[str, Any], target: str, learner: str) -> tuple[Part, Part]:
    """Return the tree without noise, and how likely each of its leaves keeps its label."""
    from dpselect.analysis.label_pmf import label_pmf
    from dpselect.learn import without_noise
    from dpselect.learn.nonprivate import grown_without_noise, leaves_of
    from dpselect.learn.pages.drawn_tree import drawn_tree

    fitted = without_noise(model, table, target)
    tree = fitted.trees_[0]
    grown = grown_without_noise(model, table, target)
    counts, left = leaves_of(grown, model, table, target)
    names = grown.leaves
    probabilities, right = label_pmf(counts, epsilon=left), counts.argmax(axis=1)
    chance = probabilities[np.arange(right.size), right]
    order = np.argsort(-counts.sum(axis=1), kind="stable")[:_LISTED]
    rows = [
        [
            _path(grown, int(names[place])),
            f"{int(counts[place].sum()):,}",
            str(fitted.classes_[right[place]]),
            f"{float(left[place]):.3g}",
            chance_text(float(chance[place])),
        ]
        for place in order.tolist()
    ]
    kept = float(chance @ counts.sum(axis=1)) / max(int(counts.sum()), 1)
    note = (
        f"A record ends in a leaf that keeps its label with probability {chance_text(kept)}. The label is the class "
        "with the largest noisy count. "
        + (f"The {order.size} largest of {right.size} leaves. " if right.size > order.size else "")
        + _AFTERWARDS[learner]
    )
    header = ("leaf", "rows", "label", "epsilon of its counts", "keeps its label")
    leaves = PageTable("How the labels survive the noise", header, rows, note)
    if tree.leaves.size > _LEAVES:
        text = f"It has {tree.leaves.size:,} leaves, too many to draw here: choose a smaller depth."
        return Note("The tree without noise", (text,)), leaves
    says = "Grown from this sample with the best split everywhere and exact counts, and pruned as a fit would be."
    return TreeDrawing("The tree without noise", drawn_tree(fitted, tree), says), leaves


def _path(tree: Any, leaf: int) -> str:
    """Return the conditions from the root to a leaf, in words."""
    parents, words = tree.parents(), list[str]()
    while parents[leaf] >= 0:
        words.append(tree.words(int(parents[leaf]), leaf))
        leaf = int(parents[leaf])
    return ", ".join(words[::-1]) or "everybody"


def _accuracy(material: Material, target: str, depth: str, epsilon: float, width: float) -> Any:
    from dpselect.analysis.charts.accuracy_chart import EPSILONS, accuracy_lines

    return accuracy_lines(dict(_lines(material, target, depth)), EPSILONS, epsilon, width)


@lru_cache(maxsize=8)
def _lines(material: Material, target: str, depth: str) -> tuple[tuple[str, list[float]], ...]:
    """Return the lines of the chart of accuracies: they do not depend on the epsilon of the page."""
    from dpselect.analysis.charts.accuracy_chart import accuracies

    table, domains = sample_table(material, target)
    model = tree_model({"depth": depth}, domains, material, 1.0, "tree")
    return tuple(accuracies(model, table, target).items())


def _learners(state: State, table: Mapping[str, Any], domains: Mapping[str, Any], material: Material) -> PageTable:
    """Return what the first question of each learner costs, and how likely its best answer is."""
    from dpselect.learn import first_split

    shown = []
    for name, words in (("tree", "readable tree"), *((f"id3:{each}", f"ID3, {each}") for each in CRITERIA)):
        asked = first_split(tree_model(state, domains, material, state["epsilon"], name), table, state["class"])
        if asked is None:
            shown.append([words, "one leaf", "-", "-", "-"])
            continue
        probabilities, best = asked.mechanism.pmf(asked.scores, asked.epsilon), int(asked.scores.values.argmax())
        cost = f"{float(asked.epsilon * material.rows_per_person):.3g}"
        shown.append(
            [
                words,
                str(asked.scores.candidates[best]),
                f"{probabilities.size:,}",
                cost,
                chance_text(float(probabilities[best])),
            ]
        )
    header = ("learner", "best first split", "choices", "epsilon of the question", "probability")
    note = "Random forests and boosted tables have no first question: they ask for noisy counts and sums instead."
    return PageTable("The first question of other learners", header, shown, note)


def _advice(state: State, target: str, material: Material) -> Note:
    """Return which learner the library recommends, and how to find out how accurate it would be."""
    from dpselect.learn import recommend_learner

    pure = recommend_learner(state["epsilon"])
    many = material.rows_per_person
    loose = recommend_learner(state["epsilon"], 1e-6, n_records=state["rows"], rows_per_person=many)
    names = {"tree": "the readable tree", "boosted": "boosted tables"}
    return Note(
        "Which learner",
        (
            f"Without a delta: {names[pure.learner]}. {_sentence(pure.why)}",
            f"With delta 1e-6 and about {state['rows']:,} rows: {names[loose.learner]}. {_sentence(loose.why)}",
            "How accurate a fit would be has no exact law beyond one split. dps.learn.preview(model, sample, "
            f"{target!r}, n_records={state['rows']}) tries fits on the public sample: that draws, so it is not shown "
            "here, and spends nothing.",
        ),
    )


def _sentence(why: str) -> str:
    """Return a reason as a sentence."""
    return f"{why[:1].upper()}{why[1:]}."


def _depth(state: State) -> str:
    return "" if state["depth"] == "auto" else f"max_depth={state['depth']}, "


def _commands(state: State, domains: Mapping[str, Any], material: Material) -> Commands:
    reading = material.reading
    depth = None if state["depth"] == "auto" else int(state["depth"])
    query = Train(
        state["class"],
        epsilon=exact_epsilon(state["epsilon"]),
        model=state["learner"],
        max_depth=depth,
        n_records=state["rows"] if state["learner"] == "tree" else None,
    )
    if material.description:
        return example_dataset.commands(material.description, query)
    name = "people"
    shell = shell_of(query, f"{name}.toml", f"--ledger {name}.ledger")
    numeric = [column for column, domain in domains.items() if isinstance(domain, tuple)]
    numbers = f"numbers={numeric!r}" if {"decimal", "thousands"} & reading.keys() else ""
    python = (
        opening(
            f"{name}.ledger",
            "# Of this sample: write down what is public of your table.",
            f"domains = {dict(domains)!r}",
            f'table = dps.data.TableFile.of("{name}.csv"{keywords(reading)}).columns({numbers})',
            f"{name} = {{column: table[column] for column in domains}}",
        )
        + f"model = {_python(state, state['rows'], material, ', ledger=ledger')}\nmodel.fit({name}, {state['class']!r})"
    )
    note = (
        f"{name}.toml, as dpselect describe {name}.csv > {name}.toml begins it, and domains in Python state for each "
        "column what values there can be. They are public facts: write them down, do not read them from the private "
        f"table. The sample of this page has {len(domains) - 1} columns beside the class."
    )
    return Commands(shell, python, note)


def _python(state: State, rows: int, material: Material, more: str = "") -> str:
    """Return the model as Python writes it."""
    epsilon, more = exact_text(state["epsilon"]), _persons_code(material) + more
    if state["learner"] == "tree":
        return f"dps.learn.DPTreeClassifier({epsilon}, {_depth(state)}domains=domains, n_records={rows}{more})"
    return f"dps.learn.DPID3Classifier({epsilon}, {_depth(state)}domains=domains{more})"


def _persons_code(material: Material) -> str:
    return f", person={material.person!r}, rows_per_person={material.rows_per_person}" if material.person else ""


def _fewer_code(person: str) -> Sequence[str]:
    """Return the statements that leave out a row, or all rows of its person."""
    if not person:
        return ("fewer = {name: cells[:row] + cells[row + 1 :] for name, cells in sample.items()}",)
    return (
        f"others = [place for place, who in enumerate(sample[{person!r}]) if who != sample[{person!r}][row]]",
        "fewer = {name: [cells[place] for place in others] for name, cells in sample.items()}",
    )


def _domains_code(domains: Mapping[str, Any]) -> str:
    """Return domains as Python writes them: described edges of bins are an array."""
    said = [
        f"{name!r}: np.array({each.tolist()!r})" if isinstance(each, np.ndarray) else f"{name!r}: {each!r}"
        for name, each in domains.items()
    ]
    return f"{{{', '.join(said)}}}"


def _example(state: State, material: Material, domains: Mapping[str, Any]) -> str:
    target, rows, person = state["class"], row_count(material), material.person
    names = f"[*domains, {person!r}]" if person else "domains"
    array = any(isinstance(each, np.ndarray) for each in domains.values())
    return "\n".join(
        [
            *(["import numpy as np", ""] if array else []),
            "import dpselect as dps",
            "",
            material.table_python,
            f"domains = {_domains_code(domains)}",
            f"sample = {{name: list(table[name]) for name in {names}}}",
            f"model = {_python(state, rows, material)}",
            f"asked = dps.learn.first_split(model, sample, {target!r})",
            f"row = {state['row'] - 1}",
            *_fewer_code(person),
            f"neighbour = dps.learn.first_split(model, fewer, {target!r})",
            "asked and dps.plot.pmf_chart(",
            "    asked.scores, epsilon=asked.epsilon, mechanism=asked.mechanism,",
            f"    neighbour=neighbour and neighbour.scores, shown={_ASKED},",
            ")",
            "# %%",
            f"print(dps.learn.without_noise(model, sample, {target!r}).export_text())",
            "# %%",
            f"tree = {_python({**state, 'epsilon': 1, 'learner': 'tree'}, rows, material)}",
            f"dps.plot.accuracy_chart(tree, sample, {target!r}, epsilon={exact_text(state['epsilon'])})",
        ]
    )


PAGE = Content(_fields, _view)
