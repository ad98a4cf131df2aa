"""Every published system by its name: it is called, and its defaults are those of the paper."""

import inspect

import numpy as np
import pytest

import dpselect as dps
from dpselect import papers
from dpselect.learn.evolutionary import _Search
from dpselect.learn.population import Node
from dpselect.papers.yamamoto_and_shibuya_2024 import tdt_problem
from research.papers import markers
from tests.learn.test_evolutionary import KNOWN, Large, noted

STAR = dps.Graph.from_edges([0] * 9, range(1, 10), nodes=12)
OBJECTIVES = [dps.Scores([90, 1, 2], 1, kind="integer"), dps.Scores([80, 3, 1], 1, kind="integer")]
ROWS = [[colour, size] for colour in ("red", "blue") for size in ("s", "m", "l")] * 30
LABELS = ["yes" if colour == "red" else "no" for colour, size in ROWS]
TABLE = {"domains": {0: ["red", "blue"], 1: ["s", "m", "l"]}, "classes": ["no", "yes"]}
SCORES = dps.Scores([30, 1, 0], 1, kind="integer")


def drawn(mechanism):
    """Return what a mechanism names among three candidates."""
    return dps.select(SCORES, epsilon=50, mechanism=mechanism).value


def fitted(model):
    """Return whether a fit spent all of its epsilon and predicts."""
    model.fit(ROWS, LABELS)
    assert set(model.predict(ROWS)) <= {"no", "yes"}
    return model.privacy_spent_.epsilon


BOUND = {"max_records": 1000}
STUDY = {"families": 40, "epsilon": 60}
CALLS = {
    "SNM-T": lambda of: drawn(of()) == 0,
    "SNM-LAP": lambda of: drawn(of()) == 0,
    "SNM-LLN": lambda of: of().pmf(SCORES, 50)[0] > 0.9,
    "greedy tree": lambda of: fitted(of(1, **TABLE)) == 1,
    "random forest": lambda of: fitted(of(1, 2, **TABLE)) == 1,
    "SLD": lambda of: drawn(of()) == 0,
    **{
        name: lambda of: of(STAR, 1, max_degree=11, epsilon=1).value[0] in range(12)
        for name in ("PrivTopk", "EMPrivTopk", "PFPrivTopk", "LDPrivTopk", "SLDPrivTopk")
    },
    "GlobalDiffPID3": lambda of: fitted(of(1, **BOUND, **TABLE)) == 1,
    "LocalDiffPID3": lambda of: fitted(of(1, **TABLE)) == 1,
    "ShiftedLocalDiffPID3": lambda of: fitted(of(1, **BOUND, **TABLE)) == 1,
    "PrivateSQL": lambda of: of(STAR, max_degree=11, epsilon=1).value[0] in range(12),
    "SuLQ ID3": lambda of: fitted(of(1, 2, **TABLE)) == 1,
    "DP-MOET": lambda of: fitted(of(1, **TABLE)) == 1,
    "DP-MOTkIN": lambda of: len(of(STAR, epsilon=1).value) == 3,
    "SPS": lambda of: drawn(of()) == 0,
    "TDT study": lambda of: of([60, 30], [4, 28], **STUDY).value in (0, 1),
    **{f"SPS ({case})": lambda of: of([60, 30], [4, 28], **STUDY).value in (0, 1) for case in ("I", "II", "III", "IV")},
    **{f"A{n}": lambda of: fitted(of(1, **TABLE)) == 1 for n in (2, 3, 5)},
    **{f"A{n}": lambda of: fitted(of(1, **BOUND, **TABLE)) == 1 for n in (1, 4)},
    "A2": lambda of: fitted(of(1, **BOUND, **TABLE)) == 1,
    **{name: lambda of: inspect.isclass(of) for name in ("Jostle", "MkChoiceMaker")},
}
for name in papers.EVERY_SYSTEM:
    if name.startswith(("PrivPareto", "PrivAgg")):
        CALLS[name] = lambda of: of(OBJECTIVES, epsilon=90).value == (0,)
    elif name.startswith("DP-MOET-"):
        CALLS[name] = lambda of: fitted(of(1, population=4, selected=2, generations=1, output=1, **TABLE)) == 1
    elif name.startswith("DP-MOTkIN-"):
        CALLS[name] = lambda of: len(of(STAR, 2, epsilon=1).value) == 2


@pytest.mark.parametrize("name", papers.EVERY_SYSTEM)
def test_every_published_name_can_be_called(name: str) -> None:
    """By the printed spelling, and on data."""
    system = papers.published_system(name)

    assert (system.func if hasattr(system, "func") else system).__doc__
    assert CALLS[name](system)


def test_names_of_python_are_found_too() -> None:
    """As an attribute, in the paper's capitals or in Python's."""
    assert papers.LocalDiffPID3 is papers.local_diff_pid3 is papers.published_system("local diff pid3")
    assert papers.SNM_T is papers.published_system("SNM-T")
    with pytest.raises(AttributeError, match="no attribute 'LocalDiff'"):
        papers.LocalDiff  # noqa: B018
    with pytest.raises(ValueError, match="The system 'LocalDifPID3' does not exist: did you mean LocalDiffPID3"):
        papers.published_system("LocalDifPID3")


def test_variants_differ_by_what_the_paper_says() -> None:
    """DP-MOET in four variants, PrivPareto in two, the trees in three."""
    of = papers.published_system
    pareto, agg = of("DP-MOET-Pareto_local")(1), of("DP-MOET-Agg_global")(1)

    assert ("pareto", "local-dampening", 30, 3, 3, 4, 10, 3) == tuple(
        getattr(pareto, name)
        for name in ("goal", "mechanism", "population", "selected", "generations", "depth", "max_depth", "output")
    )
    assert ("weighted", "exponential", 100, 20, 2, 3, 5, 1) == tuple(
        getattr(agg, name)
        for name in ("goal", "mechanism", "population", "selected", "generations", "depth", "max_depth", "output")
    )
    named = {name: of(name)(1).mechanism for name in ("GlobalDiffPID3", "LocalDiffPID3", "ShiftedLocalDiffPID3")}
    assert ["exponential", "local-dampening", "shifted-local-dampening"] == list(named.values())


@pytest.mark.parametrize("case", ["I", "II", "III", "IV"])
def test_the_study_has_the_published_law(case: str) -> None:
    """The same as the law of the reproduction, computed from the bound as a number."""
    theorem, sides = {"I": (4, 2), "II": (4, 1), "III": (5, 2), "IV": (5, 1)}[case]
    b, c = np.array([120, 90, 80]), np.array([40, 85, 90])

    scores, mechanism = tdt_problem(b, c, families=150, epsilon=9, case=case)
    wanted = markers.published((b, c, 150), 9.0, theorem=theorem, sides=sides)

    assert np.allclose(wanted, mechanism.pmf(scores, 9), atol=1e-6)


def test_refusals() -> None:
    """One sentence, before anything is spent."""
    with dps.budget(epsilon=1) as book:
        for call, says in (
            (lambda: papers.priv_topk(STAR, variant="RNM", epsilon=1), "variant is one of EM, PF, LD, SLD"),
            (lambda: papers.dp_moet(1, selection="sum"), "selection is one of pareto, agg"),
            (lambda: papers.dp_motkin(STAR, sensitivity="smooth", epsilon=1), "sensitivity is one of local, global"),
            (lambda: papers.greedy_tree(1, selection="SNM-LLN"), "SNM-LLN has a law and trains nothing"),
            (lambda: papers.random_forest(1, selection="RNM"), "selection is one of EM, PF, LD, SNM-T, SNM-LAP"),
            (lambda: papers.greedy_tree(1, selection="LD"), "selection is one of EM, PF, SLD, SNM-T, SNM-LAP"),
            (lambda: papers.sps(4), "theorem is 2"),
            (lambda: papers.tdt_study([60, 30], [4, 28], families=40, epsilon=1, case="V"), "case is one of I, II"),
            (lambda: papers.tdt_study([60, 30], [4, 28], families=40, epsilon=1e-3), "costs all of epsilon"),
        ):
            with pytest.raises(ValueError, match=says):
                call()
        assert 0 == len(book.events)


def test_a_mutation_grows_as_deep_as_is_printed() -> None:
    """With the printed operators a mutated tree reaches the maximum depth; by default it grows three levels."""

    def levels(node) -> int:
        return 0 if node.attribute < 0 else 1 + max(levels(node.first), levels(node.second))

    leaf = Node(0)
    assert {3: 3, None: 6, 1: 1} == {
        most: levels(_Search(KNOWN, 3, noted(1, Large()), most).mutate(leaf, 6)) for most in (3, None, 1)
    }
    with pytest.raises(ValueError, match=r"Mutations grow 2\^40 nodes"):
        papers.dp_moet(1, max_depth=40, **TABLE).fit(ROWS, LABELS)
