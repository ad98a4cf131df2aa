"""What notebooks show: small tables of public facts, escaped, without scripts."""

import re
from pathlib import Path

import dpselect as dps

FLIP = dps.mechanism("permute-and-flip")


def words(shown: object) -> str:
    """The text of a table, without its tags."""
    html: str = shown._repr_html_()  # type: ignore[attr-defined]
    assert "<script" not in html
    assert html.startswith("<table>")
    return re.sub(r"<[^>]+>+", " ", html)


def test_scores_show_no_score() -> None:
    """Private scores and sensitivities are left out; the number of candidates and whom a step changes are public."""
    safe = dps.sensitivity.local(lambda t: 7.25 * (t + 1), ceiling=123.5)
    text = words(dps.Scores([987654, 3], safe, kind="integer"))

    assert "987654" not in text
    assert "7.25" not in text
    assert "one record, added or removed" in text


def test_a_release_shows_its_answer_escaped() -> None:
    """A candidate that looks like markup is text."""
    scores = dps.Scores([900, 1], 1, candidates=["<img src=x>", "b"], kind="integer")
    html = dps.select(scores, epsilon=30, mechanism=FLIP)._repr_html_()

    assert "&lt;img src=x&gt;" in html
    assert "<img" not in html


def test_a_release_shows_its_promise_and_whom_it_protects() -> None:
    """In words, without a symbol; the promise by itself is a line of text, as everywhere."""
    edges = dps.Scores([900, 1], 1, neighbours="edge", kind="integer")
    promise = dps.Guarantee.from_rho(0.125, 1e-6, "edge", epsilon=3)

    assert re.search(
        r"epsilon\s+3\s+protected\s+one edge of the graph", words(dps.select(edges, epsilon=3, mechanism=FLIP))
    )
    assert ["epsilon", "rho", "delta", "protected"] == [name for name, _ in promise.in_words()]
    assert not hasattr(promise, "_repr_html_")


def test_a_budget_shows_what_is_spent_and_left(tmp_path: Path) -> None:
    """On disk or in memory."""
    ledger = dps.Ledger.open(tmp_path / "a.ledger", epsilon=2, delta=1e-6, dataset="<people>")
    dps.select(dps.Scores([1, 0], 1, kind="integer"), epsilon=0.5, mechanism=FLIP, ledger=ledger)
    with dps.budget(epsilon=2, delta=1e-6, rule="rho") as session:
        pass

    text = words(ledger)

    assert "&lt;people&gt;" in text
    assert re.search(r"epsilon spent\s+0\.5\s+epsilon left\s+1\.5", text)
    assert "rho left" in words(session)


def test_a_recommendation_shows_its_advice_and_table() -> None:
    """The rows that its text prints."""
    text = words(dps.recommend(dps.Scores([60, 40], 1, kind="integer"), epsilon=1, data="example"))

    assert "Use " in text
    assert "expected error" in text


def test_a_released_tree_shows_its_size_and_columns() -> None:
    """Of what was released alone."""
    columns = {"a": [0, 1] * 20, "y": [0, 1] * 20}
    model = dps.learn.DPTreeClassifier(50, domains={"a": [0, 1], "y": [0, 1]}).fit(columns, "y")

    text = words(model.trees_[0])

    assert re.search(r"leaves\s+2\s+depth\s+1\s+splits by\s+a", text)


def test_a_long_list_is_cut() -> None:
    """And says how many there are."""
    scores = dps.Scores(range(100), 1, range_bound=1)
    text = words(dps.top_k(scores, 50, epsilon=50, mechanism=FLIP))

    assert "(50 in all)" in text


def test_scores_name_public_candidates_and_the_public_ceiling() -> None:
    """The first eight names, and nothing of what the database decides."""
    safe = dps.sensitivity.local(lambda t: 7.25 * (t + 1), ceiling=123.5)
    text = words(dps.Scores([5] * 9, safe, candidates=[f"<{n}>" for n in range(9)], kind="integer"))

    assert "&lt;7&gt;, …" in text
    assert "&lt;8&gt;" not in text
    assert "follows the data, at most 123.5" in text
    assert "7.25" not in text
