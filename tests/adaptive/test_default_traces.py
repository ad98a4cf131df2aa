"""The traces that ship: of the built-in options, small, in the package, and what a fresh run says too."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dpselect.adaptive import AdaptiveAlgorithm, histogram_options, shipped_traces, tree_options
from dpselect.adaptive.default_traces import KINDS, path_of
from research.comparisons import shipped_traces as made

ROOMS = {"histograms": histogram_options, "trees": tree_options}
# Quick ones: database, option, epsilon.
CELLS = {
    "histograms": [
        ("sparse, 1024, 1000", "identity", Fraction(1, 10)),
        ("steps, 64x64, 50000", "hb", Fraction(1)),
        ("gaussians, 1024, 50000", "uniform", Fraction(1, 100)),
        ("uniform, 1024, 1000", "coarse_dawa", Fraction(1, 10)),
    ],
    "trees": [
        ("one attribute, 300 rows, 5% noise", "default", Fraction(1)),
        ("two together, 300 rows, 35% noise", "A2", Fraction(10)),
        ("wide, 300 rows, 5% noise", "A5", Fraction(1, 10)),
    ],
}


@pytest.mark.parametrize("kind", KINDS)
def test_they_hold_every_built_in_option_and_fact(kind: str) -> None:
    """Those of the room, on every made-up database, at every epsilon and what a share of .05 leaves of it."""
    traces, room = shipped_traces(kind), ROOMS[kind]
    databases, groups = made.databases_of(kind)

    assert {option.name for option in room.options()} == set(traces.options)
    assert [each.name for each in room.metafeatures()] == list(traces.metafeatures)
    assert groups == traces.groups
    assert {} == traces.failures()
    whole = {float(epsilon) for epsilon in made.EPSILONS[kind]}
    assert np.allclose(
        sorted(whole | {float(Fraction(19, 20) * each) for each in made.EPSILONS[kind]}), traces.epsilons
    )
    assert len(databases) * len(traces.options) * len(traces.epsilons) == len(traces)


def test_they_are_small_files_of_the_package() -> None:
    """Less than 300 kB together, beside the code that reads them."""
    assert sum(path_of(kind).stat().st_size for kind in KINDS) < 300_000
    with pytest.raises(ValueError, match="Traces ship for histograms and trees, not for 'forests'"):
        shipped_traces("forests")


@pytest.mark.parametrize("kind", KINDS)
def test_their_facts_are_those_of_the_made_up_databases(kind: str) -> None:
    """Whoever runs the script again gets the same databases."""
    databases, _ = made.databases_of(kind)
    values = shipped_traces(kind).values()
    for name in list(databases)[:: max(1, len(databases) // 6)]:
        fresh = {each.name: float(each.value(databases[name])) for each in ROOMS[kind].metafeatures()}

        assert fresh == pytest.approx(values[name])


@pytest.mark.parametrize(
    ("kind", "cell"),
    [(kind, cell) for kind in KINDS for cell in CELLS[kind][:1]]
    + [pytest.param(kind, cell, marks=pytest.mark.slow) for kind in KINDS for cell in CELLS[kind][1:]],
)
def test_fresh_runs_agree_within_noise(kind: str, cell: tuple[str, str, Fraction]) -> None:
    """Forty runs of an option, beside the mean that ships."""
    database, name, epsilon = cell
    room, counts = ROOMS[kind], made.databases_of(kind)[0][database]
    (option,) = room.options(names=[name])
    losses = [room.LOSS(counts, option.answer(counts, epsilon)) for _ in range(40)]
    rows = shipped_traces(kind).rows()
    (shipped,) = (
        row["loss"]
        for row in rows
        if (row["database"], row["option"]) == (database, name) and math.isclose(row["epsilon"], epsilon)
    )
    error = float(np.std(losses)) * math.sqrt(1 / made.REPETITIONS[kind] + 1 / 40)

    assert abs(float(np.mean(losses)) - shipped) < 6 * error + 1e-3 * shipped


@pytest.mark.parametrize(
    "names", [tree_options.THE_FIVE, pytest.param((*tree_options.THE_FIVE, "default"), marks=pytest.mark.slow)], ids=len
)
def test_a_choice_maker_learns_from_them_at_once(names: tuple[str, ...]) -> None:
    """Also among the five alone."""
    maker = AdaptiveAlgorithm(
        tree_options.options(names=names),
        tree_options.free_metafeatures(),
        tree_options.LOSS,
        learner="regret-tree",
        fall_back="never",
    ).learn(shipped_traces("trees"))
    database = made.made_up_table("numeric", 500, 0.1, seed=99)

    assert maker.choose(database, 1).option.name in names
