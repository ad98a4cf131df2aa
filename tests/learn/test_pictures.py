"""Pictures of trees: no word lies on another, whatever the tree and the axes."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from dpselect.learn import DPTreeClassifier
from dpselect.learn.domains import attributes
from dpselect.learn.tree import Tree
from dpselect.learn.tree_drawing import tree_picture
from dpselect.papers import RandomDecisionForestClassifier

LONG = {
    "a rather long name of a column, which is cut": [f"a category with a long name {i}" for i in range(4)],
    "$x_1$": ["a_b", "$c$", "d^2"],
    "n": (0, 1e6),
}
KNOWN = attributes(list(LONG), LONG, bins=7, missing=True)


def random_tree(depth: int, seed: int) -> Tree:
    """Some nodes end early; one child per value where there are few, and two elsewhere."""
    rng = np.random.default_rng(seed)
    tree = Tree(KNOWN, 6)
    nodes = np.array([0])
    for level in range(depth):
        split = np.where((rng.random(nodes.size) < 0.8) | (level == 0), rng.integers(0, 3, nodes.size), -1)
        groups = [np.zeros(0, dtype=np.int64)] * nodes.size
        for i, place in enumerate(split.tolist()):
            if place >= 0:
                many = KNOWN[place].size if level == 1 else 2
                groups[i] = np.arange(KNOWN[place].size) % many
        nodes = tree.add_level(nodes, split, groups)
    tree.counts = rng.integers(0, 10**7, tree.counts.shape).astype(float)
    return tree


def model_of(tree: Tree, kind=DPTreeClassifier):
    """A model with this tree and classes of long names."""
    model = kind(1)
    model.trees_, model.attributes_, model.n_features_in_ = [tree], KNOWN, len(KNOWN)
    model.classes_ = np.array([f"a class with a long name {i}" for i in range(6)])
    return model


def boxes(figure: Figure) -> list:
    """Where the renderer puts the words and their frames."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw_without_rendering()
    words = [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]
    return [(text.get_bbox_patch() or text).get_window_extent(renderer) for text in words]


def touching(found: list) -> int:
    """How many pairs of boxes lie on each other."""
    return sum(one.x0 < two.x1 and two.x0 < one.x1 and one.y0 < two.y1 and two.y0 < one.y1
               for one, two in combinations(found, 2))  # fmt: skip


@pytest.mark.parametrize(("depth", "seed"), [(0, 0), (3, 1), pytest.param(5, 3, marks=pytest.mark.slow)])
def test_no_words_lie_on_others(depth: int, seed: int) -> None:
    """Every node and every answer is there, inside of the figure."""
    tree = random_tree(depth, seed)
    figure = tree_picture(model_of(tree), tree, None)
    found = boxes(figure)

    assert 2 * tree.split.size - 1 == len(found)
    assert 0 == touching(found)
    page = figure.bbox
    for each in found:
        assert page.x0 <= each.x0 < each.x1 <= page.x1
        assert page.y0 <= each.y0 < each.y1 <= page.y1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_no_words_lie_on_others_in_many_trees(seed: int) -> None:
    """Lone leaves, lopsided trees and wide ones, up to six splits deep."""
    tree = random_tree(seed % 7, seed)

    assert 0 == touching(boxes(tree_picture(model_of(tree), tree, None)))


@pytest.mark.parametrize("size", [(24, 9), (14, 20)])
def test_no_words_lie_on_others_in_axes_of_somebody(size: tuple[float, float]) -> None:
    """Text shrinks until it fits; the figure keeps its canvas and its size."""
    figure = Figure(figsize=size)
    canvas = FigureCanvasAgg(figure)
    axes = figure.subplots(1, 2)
    tree = random_tree(2, 5)
    drawn = tree_picture(model_of(tree), tree, None, axes[1])
    assert drawn is figure
    assert figure.canvas is canvas
    assert size == tuple(figure.get_size_inches())
    axes[0].set_axis_off()
    found, room = boxes(figure), axes[1].get_window_extent()

    assert 2 * tree.split.size - 1 == len(found)
    assert 0 == touching(found)
    assert all(room.x0 - 1 <= each.x0 and each.x1 <= room.x1 + 1 for each in found)


def test_axes_that_are_too_small_are_refused() -> None:
    """In one sentence that says what they take."""
    tree = random_tree(2, 5)
    with pytest.raises(ValueError, match="axes of at least .* inches: pass larger ones, or leave ax= out"):
        tree_picture(model_of(tree), tree, None, Figure(figsize=(2, 2)).subplots())


def test_a_notebook_shows_a_tree_without_pyplot() -> None:
    """A figure of the library brings its own picture; one that is as long as a street stays within bounds."""
    tree = random_tree(1, 5)
    figure = tree_picture(model_of(tree), tree, None)

    assert figure._repr_png_().startswith(b"\x89PNG")
    figure.set_size_inches(400, 1)
    assert 8_000 == int.from_bytes(figure._repr_png_()[16:20], "big")


def test_the_check_finds_words_that_lie_on_others() -> None:
    """Planted: twice the size of the letters."""
    tree = random_tree(2, 5)
    figure = tree_picture(model_of(tree), tree, None)
    for text in figure.findobj(Text):
        text.set_fontsize(2.5 * text.get_fontsize())

    assert touching(boxes(figure)) > 0


def test_every_kind_of_model_is_drawn(tmp_path: Path) -> None:
    """Into a file, and into axes by name."""
    rng = np.random.default_rng(1)
    table = {"n": rng.random(300), "c": rng.choice(["a", "b"], 300)}
    model = RandomDecisionForestClassifier(9, 2, max_depth=3, domains={"n": (0, 1), "c": ["a", "b"]}, classes=[0, 1])
    model.fit(table, (table["n"] > 0.5).astype(int))
    axes = Figure().subplots()

    assert model.plot_tree(tmp_path / "t.png", tree=1) is not None
    assert (tmp_path / "t.png").stat().st_size > 2000
    assert model.plot_tree(ax=axes) is axes.get_figure()
