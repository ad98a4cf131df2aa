"""Pages of released models: whole, for people, and of released figures only."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpselect as dps
from dpselect.learn.domains import Attribute
from dpselect.learn.pages.drawn_curves import MOST_NAMED, drawn_curve
from dpselect.learn.pages.drawn_tree import MOST_LEAVES, drawn_tree
from dpselect.learn.pages.expected_labels import ExpectedLabels, expected_labels
from dpselect.learn.pages.model_page import page_of
from dpselect.learn.tree import Tree
from tests.learn.boosted_models import fitted
from tests.learn.unbalanced import old_graduates

JOBS = ["nurse & <script>", "smith"]
DOMAINS = {"age": (0, 100), "job": JOBS, "rich": ["no", "<b>yes</b>"]}
TABLE = {
    "age": [age for age in range(100) for _ in range(20)],
    "job": [JOBS[place % 2] for place in range(2000)],
    "rich": [DOMAINS["rich"][age >= 50 and place % 2] for age in range(100) for place in range(20)],
}
VOID = {"meta", "br", "img"}


class Balanced(HTMLParser):
    """Follows the elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, Any]]] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Open one."""
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        """See one that closes itself."""
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Close the last."""
        assert tag == self.open.pop()


def parsed(page: str) -> Balanced:
    """The elements of a page, each closed where it belongs."""
    result = Balanced()
    result.feed(page)
    result.close()
    assert not result.open
    return result


def model(epsilon: float = 50, **settings: Any) -> Any:
    """A tree of two columns."""
    return dps.learn.DPTreeClassifier(epsilon, domains=DOMAINS, **settings).fit(TABLE, "rich")


def test_a_page_needs_no_other_file_and_runs_nothing() -> None:
    """No script, no link, no address but names of the format; names of columns and classes are text."""
    page = page_of(model())
    elements = parsed(page)

    assert not {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in elements.seen}
    names = {name for _, attributes in elements.seen for name in attributes}
    assert not [name for name in names if name.startswith(("on", "href", "src"))]
    assert not re.search(r"url\(|@import|https?:", page)
    assert "&lt;b&gt;yes&lt;/b&gt;" in page
    assert "nurse &amp; &lt;script&gt;" in page


def test_a_page_says_what_was_asked_and_what_is_promised() -> None:
    """The domains, epsilon with what it means, every leaf, and how much each column matters."""
    fitted = model(1)
    page = page_of(fitted)

    assert "0 to 100, in 32 bins" in page
    assert "epsilon = 1</p>" in page
    assert "= 2.72" in page
    assert f"a tree of {fitted.trees_[0].leaves.size} leaves" in page
    assert "Which columns matter" in page
    for share in fitted.feature_importances_:
        assert f"{100 * share:.1f} %" in page


def test_a_page_of_persons_and_one_of_what_is_not_private_say_so() -> None:
    """The promise of persons names how many records count, and observed domains promise nothing."""
    table = TABLE | {"who": [place // 2 for place in range(2000)]}
    owned = dps.learn.DPTreeClassifier(9, domains=DOMAINS, person="who", rows_per_person=2).fit(table, "rich")
    with pytest.warns(UserWarning, match="not private"):
        observed = dps.learn.DPTreeClassifier(1, domains="observed-not-private").fit(np.array([[1.0], [2.0]]), [0, 1])

    assert "all records of any one person, of which at most 2 are kept" in page_of(owned)
    assert "this model is not private" in page_of(observed)


def test_a_page_is_written_whole_and_replaces_nothing_unasked(tmp_path: Path) -> None:
    """As a model is saved; a model that was read again has the same page."""
    fitted = model()
    fitted.save_html(tmp_path / "a.html")
    with pytest.raises(FileExistsError):
        fitted.save_html(tmp_path / "a.html")
    fitted.save_html(tmp_path / "a.html", overwrite=True)
    fitted.save(tmp_path / "a.json")

    assert (tmp_path / "a.html").read_text(encoding="utf-8") == page_of(fitted)
    assert page_of(dps.learn.load(tmp_path / "a.json")) == page_of(fitted)


def test_every_leaf_and_condition_of_a_tree_is_drawn() -> None:
    """Within the picture; a long condition is cut where it is drawn, and whole beside it."""
    fitted = dps.learn.DPTreeClassifier(50, domains={"a name that is rather long": (0, 100)}, classes=[0, 1])
    fitted.fit({"a name that is rather long": TABLE["age"]}, [int(age >= 50) for age in TABLE["age"]])
    tree = fitted.trees_[0]
    picture = drawn_tree(fitted, tree)
    width, height = map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', picture).groups())

    assert picture.count('class="label"') == tree.leaves.size
    assert "<title>a name that is rather long &gt;= 50</title>a name that is… &gt;= 50" in picture
    for x, y in re.findall(r'<text x="(\S+)" y="(\S+)"', picture):
        assert 0 < float(x) < width
        assert 0 < float(y) < height


def test_a_tree_beyond_drawing_is_not_drawn() -> None:
    """A page stays small."""
    fitted = model()
    names = [f"n{code}" for code in range(MOST_LEAVES + 1)]
    attribute = dps.learn.domains.attribute("name", names, bins=2, missing=False)
    tree = Tree([attribute], 2)
    tree.add_level(np.array([0]), np.array([0]), [np.arange(len(names))])
    fitted.trees_, fitted.attributes_ = [tree], (attribute,)

    assert "too many to draw" in page_of(fitted)
    assert 'aria-label="a tree' not in page_of(fitted)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_sum_of_curves_is_drawn_column_by_column(classes: int) -> None:
    """On one scale, with its rho and where every record starts; nothing in it runs, and names are text."""
    model = fitted(classes, interactions=False, missing="category")
    page = page_of(model)
    parsed(page)

    assert "epsilon = 20, delta = 0.000001, rho = " in page
    assert 'aria-label="curve of age"' in page
    assert 'aria-label="curve of job"' in page
    assert page.count('aria-label="curve of ') == 2
    assert f"{model.intercept_[0]:+.2f}" in page
    assert "nurse &amp; &lt;script&gt;" in page
    assert "&lt;b&gt;no&lt;/b&gt;" in page
    assert "<script" not in page
    most = max(abs(curve).max() for curve in model.curves_)
    assert page.count(f">{most:+.2g}</text>") == 2


def test_a_model_with_interactions_has_curves_of_means() -> None:
    """And says how to get a sum of them; columns have their importances."""
    tried = (fitted(2, interactions=True, rounds=12 + more) for more in range(9))
    model = next(each for each in tried if not each.model_.additive)
    page = page_of(model)
    parsed(page)

    assert "some of several columns: each curve is the mean over the values of the other columns" in page
    assert "interactions=False" in page
    assert "Which columns matter" in page
    assert 'aria-label="curve of age"' in page


@pytest.mark.parametrize("kind", [dps.learn.DPTreeClassifier, dps.learn.DPRandomForestClassifier,
                                  dps.learn.DPBoostedTreesClassifier])  # fmt: skip
def test_pages_tell_labels_gains_and_what_is_within_noise(kind: Any) -> None:
    """By what was released; a column that says nothing has no bar."""
    X, y, domains = old_graduates(np.random.default_rng())
    model = kind(4, domains=domains, classes=["no", "yes"], threshold=0.15).fit(X, y)
    page = page_of(model)
    parsed(page)

    assert "The label is <b>yes</b> from a share of 0.15 on." in page
    assert 'aria-label="gains: which share of yes the likeliest records hold"' in page
    assert ">within noise</td>" in page
    expected = expected_labels(model)
    assert f"balanced accuracy of <b>{expected.balanced_accuracy:.2f}</b>" in page
    new, labels, _ = old_graduates(np.random.default_rng())
    told = model.predict(new)
    recalls = np.array([np.mean(told[labels == each] == each) for each in ("no", "yes")])
    assert np.abs(expected.recalls - recalls).max() < 0.2
    assert page_of(model.set_params(threshold="base-rate")).count("largest beside its share of all records") == 1


def test_gains_and_scores_are_those_of_the_groups() -> None:
    """By hand: 100 records of which 25 are yes, 60 of them labelled no."""
    groups = ExpectedLabels(np.array([60.0, 40.0]), np.array([[0.9, 0.1], [0.525, 0.475]]), np.array([0, 1]))

    found, gained = groups.gains()
    assert np.allclose([0, 0.4, 1], found)
    assert np.allclose([0, 19 / 25, 1], gained)
    assert np.allclose([54 / 75, 19 / 25], groups.recalls)
    assert np.isclose((54 / 75 + 19 / 25) / 2, groups.balanced_accuracy)
    assert np.isclose(2 * 19 / (25 + 40), groups.f1)
    nobody = ExpectedLabels(np.zeros(2), groups.shares, groups.places)
    assert (0, 0) == (nobody.balanced_accuracy, nobody.f1)


def test_steps_of_a_curve_stand_where_values_change() -> None:
    """Zero is in the middle, the largest contribution at an end, and missing values beside the numbers."""
    attribute = Attribute("age", None, np.array([0.0, 10.0, 20.0, 40.0]), missing=True)
    picture = drawn_curve(attribute, np.array([-2.0, -2.0, 1.0, 2.0]), 2.0)
    (path,) = re.findall(r'<path d="(\S+) (\S+)"', picture)
    moves = re.findall(r"([MHV])([-0-9.]+)", " ".join(path))

    assert ["M", "H", "V", "H"] == [letter for letter, _ in moves]
    left, middle, right = float(moves[0][1]), float(moves[1][1]), float(moves[3][1])
    assert middle == pytest.approx((left + right) / 2)
    top, low = float(re.search(r'cy="([0-9.]+)"', picture)[1]), float(path[1].split("H")[0])
    zero = float(re.search(r'y1="([0-9.]+)" y2="[0-9.]+" stroke="#999"', picture)[1])
    assert zero == pytest.approx((top + low) / 2)
    assert ">missing<" in picture


def test_of_many_categories_those_are_drawn_that_move_the_score_most() -> None:
    """In the order in which they were declared; the others are counted."""
    attribute = Attribute("town", tuple(f"t{code}" for code in range(40)), None)
    curve = np.where(np.arange(40) % 3 == 0, 1.0, 0.1) * np.where(np.arange(40) % 2, 1, -1)
    picture = drawn_curve(attribute, curve, 1.0)
    names = re.findall(r"</title>(t\d+)</text>", picture)

    assert [f"t{code}" for code in range(40) if code % 3 == 0] == names
    assert MOST_NAMED == len(names)
    assert "and 26 that move it less" in picture


def test_a_page_of_a_regressor_names_bounds_and_values() -> None:
    """The drawing of values, without bars of classes."""
    model = dps.learn.DPTreeRegressor(50, target=(0, 40), domains={"age": (0, 100)})
    model.fit({"age": TABLE["age"]}, [20.0 if age >= 50 else 10.0 for age in TABLE["age"]])
    page = page_of(model)
    parsed(page)

    assert "within its public bounds 0 and 40" in page
    assert f"a tree of {model.drawn_.leaves.size} leaves" in page
    assert "<rect" not in page
    assert "; records: " in page


def test_a_page_of_a_boosted_number_has_curves_in_its_units() -> None:
    """Where every prediction starts, and thousands without an exponent."""
    model = dps.learn.DPBoostedTreesRegressor(
        50, target=(0, 40_000), domains={"age": (0, 100)}, interactions=False, rounds=20
    )
    model.fit({"age": TABLE["age"]}, [20_000.0 if age >= 50 else 10_000.0 for age in TABLE["age"]])
    page = page_of(model)
    parsed(page)

    assert f"A prediction starts with {model.intercept_[0]:.4g}" in page
    assert re.search(r">[+-]\d,\d{3}</text>", page)
    assert "How much the mean prediction varies with a column" in page
