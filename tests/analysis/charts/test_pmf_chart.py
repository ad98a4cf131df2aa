"""Exact chances as bars."""

from __future__ import annotations

import numpy as np
import pytest

import dpselect as dps

pytest.importorskip("altair", reason="charts need the extra web")
VOTES = dps.utilities.counts([7, 9, 9, 0], ["tea", "milk", "beer", "wine"])


def bars(chart) -> list[dict]:
    """The rows behind the bars."""
    return chart.to_dict()["data"]["values"]


def test_the_best_stand_first_and_ties_in_order() -> None:
    """Each bar is as long as the law says."""
    shown = bars(dps.plot.pmf_chart(VOTES, epsilon=1, mechanism="exponential"))
    law = dps.mechanism("exponential").pmf(VOTES, 1)

    assert ["milk", "beer", "tea", "wine"] == [row["candidate"] for row in shown]
    assert np.allclose(law[[1, 2, 0, 3]], [row["chance"] for row in shown], rtol=1e-12)


def test_large_counts_that_differ_by_one_are_in_order() -> None:
    """As floats they would be equal."""
    scores = dps.Scores({"a": 2**53, "b": 2**53 + 1}, sensitivity=1, range_bound=1, kind="integer")

    assert ["b", "a"] == [row["candidate"] for row in bars(dps.plot.pmf_chart(scores, epsilon=1))]


@pytest.mark.parametrize(("candidates", "shown"), [(25, 25), (26, 25), (10_000, 25)])
def test_many_candidates_share_the_last_bar(candidates, shown) -> None:
    """So that a chart stays a chart; together the bars sum to 1."""
    rows = bars(dps.plot.pmf_chart(dps.utilities.counts(np.arange(candidates)), epsilon=0.01))

    assert shown == len(rows)
    assert np.isclose(1, sum(row["chance"] for row in rows))


def test_a_neighbour_has_the_same_candidates() -> None:
    """Others are refused."""
    with pytest.raises(ValueError, match="same public candidates"):
        dps.plot.pmf_chart(VOTES, epsilon=1, neighbour=dps.utilities.counts([1, 2, 3, 4]))


def test_the_default_is_what_select_draws_with() -> None:
    """Its name stands in the title, and what the chances hold for below."""
    title = dps.plot.pmf_chart(VOTES, epsilon=1).to_dict()["title"]

    assert ["permute-and-flip, epsilon 1"] == title["text"]
    assert "made-up" in " ".join(title["subtitle"])


def test_fewer_bars_when_asked() -> None:
    """All chances are still there: those after the first share one bar, and at least one has its own."""
    scores = dps.Scores(range(30), 1, kind="integer")
    rows = dps.plot.pmf_chart(scores, epsilon=0.1, shown=4).to_dict()["data"]["values"]

    assert [29, 28, 27, 26] == [int(row["candidate"]) for row in rows[:-1]]
    assert "the other 26" == rows[-1]["candidate"]
    assert 1.0 == pytest.approx(sum(row["chance"] for row in rows))
    with pytest.raises(ValueError, match="at least 1"):
        dps.plot.pmf_chart(scores, epsilon=0.1, shown=0)
