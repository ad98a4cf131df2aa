"""What cannot work out is refused before it is paid for, in one sentence; the rest is paid for and delivered."""

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.learn import (
    THE_FIVE,
    DPBoostedTreesClassifier,
    DPEvolutionaryTreeClassifier,
    DPID3Classifier,
    DPRandomForestClassifier,
    DPTreeClassifier,
)
from dpselect.learn.builder import grow
from dpselect.learn.domains import attributes
from dpselect.learn.dry_run import EmptyTable, FirstOutcomes, dry_run
from dpselect.learn.size_limits import leaves_of_binary, leaves_of_multiway
from dpselect.papers import RandomDecisionForestClassifier
from dpselect.views import Records
from tests.calls import calls
from tests.learn.doors import Large, noted

NUMBERS = [f"c{place}" for place in range(8)]
DOMAINS = dict.fromkeys(NUMBERS, (0, 1))
TINY = "epsilon is too small for counts"
LARGE = "could have .* leaves, and time and memory allow"
KINDS = {
    "tree": DPTreeClassifier,
    "id3": DPID3Classifier,
    "forest": RandomDecisionForestClassifier,
    "evolutionary": DPEvolutionaryTreeClassifier,
    "A1": lambda epsilon, **given: THE_FIVE["A1"](epsilon, max_records=1000, **given),
    "A2": lambda epsilon, **given: THE_FIVE["A2"](epsilon, max_records=1000, **given),
    "A3": THE_FIVE["A3"],
    "A4": lambda epsilon, **given: THE_FIVE["A4"](epsilon, max_records=1000, **given),
    "A5": THE_FIVE["A5"],
}


def table(rows: int = 200) -> tuple[dict, np.ndarray]:
    """Eight columns of numbers, and labels that follow the first."""
    random = np.random.default_rng(0)
    columns = {name: random.uniform(0, 1, rows) for name in NUMBERS}
    return columns, (columns["c0"] > 0.5).astype(int)


def fit(kind: str, epsilon=1, **given):
    """One fit of one kind of estimator, with small domains of eight columns unless others are given."""
    model = KINDS[kind](epsilon, **({"domains": DOMAINS, "classes": [0, 1]} | given))
    return model.fit(*table())


@pytest.mark.parametrize(
    ("kind", "given", "error", "message"),
    [
        *(
            ("forest", {"mechanism": name}, dps.PrivacyError, f"^{name} does not fit .*permute-and-flip")
            for name in ("shifted-local-dampening", "shifted-local-dampening-flip", "inverse-sensitivity")
        ),
        *(
            (
                "id3",
                {"mechanism": "inverse-sensitivity", "criterion": criterion, "max_records": 1000},
                dps.PrivacyError,
                "^inverse-sensitivity does not fit .* pass mechanism=.permute-and-flip",
            )
            for criterion in ("information-gain", "max-operator", "max-operator-winner", "gini", "misclassified")
        ),
        (
            "id3",
            {"mechanism": "shifted-local-dampening", "criterion": "max-operator-winner"},
            dps.PrivacyError,
            "^shifted-local-dampening does not fit",
        ),
        *((kind, {"epsilon": 1e-13}, ValueError, TINY) for kind in ("tree", "id3", "A1", "A2", "A3", "A4", "A5")),
        ("tree", {"epsilon": Fraction(1, 10**20)}, ValueError, TINY),
        ("tree", {"n_records": 1000, "epsilon": 1e-13}, ValueError, TINY),
        ("forest", {"leaf": "counts", "epsilon": 1e-13}, ValueError, TINY),
        ("A5", {"n_records": 1000, "epsilon": Fraction(1, 10**299), "rows_per_person": 10**14}, ValueError, "epsilon"),
        ("tree", {"rows_per_person": 10**30}, ValueError, "rows_per_person must be at most"),
        ("id3", {"n_trees": 10**13}, ValueError, "n_trees must be at most 10,000"),
        ("forest", {"n_trees": 10**9}, ValueError, "n_trees must be at most 10,000"),
        ("forest", {"max_depth": 22}, ValueError, LARGE),
        ("forest", {"max_depth": 40}, ValueError, LARGE),
        ("forest", {"max_depth": 10**9}, ValueError, LARGE),
        ("forest", {"max_depth": 10**30}, ValueError, LARGE),
        ("forest", {"bins": 10**6, "max_depth": 12}, ValueError, LARGE),
        ("id3", {"max_depth": 10**9}, ValueError, "max_depth must be at most 100"),
        ("id3", {"max_depth": 10**30}, ValueError, "max_depth must be at most 100"),
        ("id3", {"bins": 10**6, "max_depth": 1}, ValueError, LARGE),
        ("A3", {"max_leaves": 10**30, "max_depth": 8, "bins": 64}, ValueError, LARGE),
        ("tree", {"bins": 10**6}, ValueError, LARGE),
        ("tree", {"bins": 10**9}, ValueError, "bins must be at most 1,000,000"),
        ("tree", {"n_records": 10**400}, ValueError, "n_records must be at most"),
        ("A5", {"n_records": 10**400}, ValueError, "n_records must be at most"),
        ("id3", {"max_records": 10**400}, ValueError, "max_records must be at most"),
        ("evolutionary", {"generations": 10**9}, ValueError, r"population x \(generations \+ 1\) trees"),
        ("evolutionary", {"population": 2**20, "generations": 0, "depth": 1}, ValueError, "trees, at most 1,000,000"),
        ("evolutionary", {"max_depth": 10**9}, ValueError, "max_depth must be at most 100"),
        ("evolutionary", {"mechanism": "inverse-sensitivity"}, dps.PrivacyError, "^inverse-sensitivity does not fit"),
    ],
)
def test_refused_and_nothing_spent(kind: str, given: dict, error: type[Exception], message: str) -> None:
    """In one sentence, and within 20,000 calls of functions, once modules are imported."""
    with dps.budget(epsilon=2) as book, pytest.raises(error, match=message) as refusal:
        fit(kind, **given)

    assert 0 == book.totals.spends
    assert 1 == str(refusal.value).count(". ") + 1

    def again() -> None:
        with pytest.raises(error):
            fit(kind, **given)

    assert calls(again) < 20_000


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("forest", {"max_depth": 10**9, "domains": {name: [0, 1] for name in NUMBERS}, "n_trees": 2}),
        ("forest", {"mechanism": "local-dampening-flip", "n_trees": 2, "max_depth": 2}),
        ("forest", {"stop": "support", "max_depth": 40, "n_trees": 2}),
        ("forest", {"stop": "support", "splits": "multiway", "max_leaves": 10**30, "n_trees": 2}),
        ("A3", {"n_records": 200, "max_leaves": 10**30}),
        ("A3", {"max_leaves": 10**30}),
        ("tree", {"max_depth": 10**9}),
        ("tree", {"epsilon": 10**300}),
        ("tree", {"epsilon": Fraction(1, 10**9)}),
        ("id3", {"max_depth": 100, "max_leaves": 10**30, "domains": {name: [0, 1] for name in NUMBERS}}),
        ("id3", {"epsilon": 10**300}),
        ("A5", {"epsilon": 10**300}),
        ("evolutionary", {"epsilon": Fraction(1, 10**9), "population": 5}),
    ],
)
def test_extremes_that_work_out(kind: str, given: dict) -> None:
    """One spend, and a model."""
    given = {"domains": DOMAINS} | given
    epsilon = given.pop("epsilon", 1)
    columns, labels = table()
    if given["domains"] is not DOMAINS:
        columns = {name: (values > 0.5).astype(int) for name, values in columns.items()}
    with dps.budget(epsilon=10**300) as book:
        model = KINDS[kind](epsilon, classes=[0, 1], **given).fit(columns, labels)

    assert 1 == book.totals.spends
    assert (200,) == model.predict(columns).shape


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "evolutionary"])
def test_the_rehearsal_asks_all_that_a_fit_may_ask(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kind of question at every share of epsilon, the deepest path included."""
    rehearsed = Large()
    monkeypatch.setattr("dpselect.learn.fit_plan.dry_run", lambda epsilon: noted(epsilon, _Fitting(rehearsed)))
    domains = {"a": [0, 1, 2], "b": [0, 1], "c": (0, 4), "d": (0, 4)}
    known = attributes(list(domains), domains, bins=4, missing=False)
    random, outcomes = np.random.default_rng(1), Large()
    codes = [random.integers(0, each.size, 50) for each in known]
    program = KINDS[kind](1)._fit_plan(known, [0, 1], Fraction(1))
    program.rehearse(Fraction(1))
    program(Records(codes, random.integers(0, 2, 50), tuple(each.size for each in known), 2), noted(1, outcomes))

    assert outcomes.asked
    missed = set(outcomes.asked) - set(rehearsed.asked)
    # Nodes that can be split no further end early and spend more than those of the longest path.
    least = min((epsilon for what, epsilon in rehearsed.asked if what == "leaf"), default=0)
    assert all(what == "leaf" and epsilon > least for what, epsilon in missed)


class _Fitting(FirstOutcomes):
    """What comes first, as in a rehearsal, with the notes of another."""

    def __init__(self, notes: Large) -> None:
        self.asked, self.many = notes.asked, notes.many


class Wrong:
    """Decides what no node can be split by."""

    def decide(self, facts):
        """Too large a place."""
        return np.full(facts["size"].shape, 4)


class Never:
    """Ends every node, whatever was released."""

    def decide(self, facts):
        """No query."""
        return np.full(facts["size"].shape, -1)


@pytest.mark.parametrize(
    ("conditional", "mechanism", "error", "message"),
    [
        (Wrong(), "permute-and-flip", ValueError, "one integer for each node"),
        (Never(), "inverse-sensitivity", dps.PrivacyError, "does not fit"),
    ],
)
def test_conditionals_are_rehearsed_too(conditional, mechanism: str, error: type[Exception], message: str) -> None:
    """What they answer, and every query that they may ask for."""
    with dps.budget(epsilon=2) as book, pytest.raises(error, match=message):
        fit("id3", criterion=conditional, mechanism=mechanism, max_records=1000)

    assert 0 == book.totals.spends


class Remembers:
    """Ends every node and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked = []

    def decide(self, facts):
        """Remember."""
        self.asked.append(facts["size"].size)
        return np.full(facts["size"].shape, -1)


def test_conditionals_do_not_remember_a_rehearsal() -> None:
    """They are asked about the one root of the tree that is grown."""
    conditional = Remembers()
    fit("id3", criterion=conditional, max_records=1000)

    assert [1] == conditional.asked


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_rehearsal_costs_little(kind: str) -> None:
    """Less than 30,000 calls of functions for the defaults over eight columns, once modules are imported."""
    model = KINDS[kind](1, domains=DOMAINS, classes=[0, 1], **({"max_depth": 2} if kind == "A3" else {}))
    model.rehearse(NUMBERS)

    assert calls(lambda: model.rehearse(NUMBERS)) < 30_000


def test_where_noise_decides_a_tree_ends_at_a_public_size() -> None:
    """More nodes of a level than there is room for: all of them end, whatever the records are."""
    known = attributes(["a", "b", "c"], {name: list(range(4)) for name in "abc"}, bins=2, missing=False)
    program = DPID3Classifier(max_depth=3, stop="depth")._fit_plan(known, [0, 1], Fraction(1))
    plan = program.plan(0)
    whole = grow(EmptyTable((4, 4, 4), 2), known, plan, dry_run(Fraction(1)))
    object.__setattr__(plan, "most", 3)
    ended = grow(EmptyTable((4, 4, 4), 2), known, plan, dry_run(Fraction(1)))

    assert (64, 4) == (whole.leaves.size, ended.leaves.size)


def test_how_many_leaves_there_may_be() -> None:
    """By hand: two of three values each; immense depths are no effort."""
    known = attributes(["a", "b"], {"a": [0, 1, 2], "b": (0, 4)}, bins=4, missing=False)

    assert [2, 8, 12, 12] == [leaves_of_binary(known, depth) for depth in (1, 3, 4, 10**30)]
    assert [4, 12, 12] == [leaves_of_multiway(known, depth) for depth in (1, 2, 10**30)]


def test_domains_whose_width_is_beyond_floats(recwarn: pytest.WarningsRecorder) -> None:
    """Finite increasing edges; domains of ordinary width keep theirs, to the last bit."""
    wide, usual = attributes(["w", "u"], {"w": (-1e308, 1e308), "u": (0.1, 0.7)}, bins=4, missing=False)

    assert [-1e308, -5e307, 0, 5e307, 1e308] == wide.edges.tolist()
    assert np.linspace(0.1, 0.7, 5).tolist() == usual.edges.tolist()
    assert not recwarn.list
    with pytest.raises(ValueError, match="both finite"):
        attributes(["n"], {"n": (0, 10**400)}, bins=4, missing=False)


@pytest.mark.parametrize("model", [DPTreeClassifier, dps.learn.DPTreeRegressor])
def test_a_domain_without_a_column_is_refused_before_paying(model: type) -> None:
    """A typing error would cost a column; the target and the column of persons may have domains."""
    columns, label = table()
    domains = DOMAINS | {"y": [0, 1] if model is DPTreeClassifier else (0, 1)}
    data = columns | {"y": label, "who": np.arange(label.size)}
    with dps.budget(epsilon=1, neighbours="person", dataset="d") as book:
        with pytest.raises(ValueError, match="domains has 'c9', and the table has no such column"):
            model(1, domains=domains | {"c9": (0, 1)}, person="who").fit(data, "y")
        assert not book.events
        model(1, domains=domains | {"who": [1]}, person="who").fit(data, "y")


def test_labels_without_a_name_may_have_one_domain() -> None:
    """Which of two is theirs nobody knows, so one of them has no column."""
    columns, label = table()
    DPTreeClassifier(1, domains=DOMAINS | {"y": [0, 1]}, classes=[0, 1]).fit(columns, label)
    with pytest.raises(ValueError, match="domains has 'y', 'c9'"):
        DPTreeClassifier(1, domains=DOMAINS | {"y": [0, 1], "c9": (0, 1)}, classes=[0, 1]).fit(columns, label)


@pytest.mark.parametrize(
    ("kind", "classes", "given", "message"),
    [
        (DPRandomForestClassifier, 30_000, {"n_trees": 2}, "no room for 30,000 classes: lower n_trees, declare fewer"),
        (DPRandomForestClassifier, 300, {"n_trees": 10_000}, "of 10000 trees has no room for 300 classes"),
        (DPBoostedTreesClassifier, 30_000, {"rounds": 5000}, "more than 4 GiB in 5000 rounds: .* or fewer classes"),
    ],
)
def test_classes_beyond_memory_or_time_are_refused(kind: type, classes: int, given: dict, message: str) -> None:
    """What a forest keeps grows with the square of the classes, what boosting keeps with the classes and rounds."""
    model = kind(1, domains={"a": ["x", "y"]}, classes=list(range(classes)), **given)
    with dps.budget(epsilon=2, delta=1e-3) as book, pytest.raises(ValueError, match=message):
        model.fit({"a": ["x", "y"]}, [0, 1])

    assert 0 == book.totals.spends
