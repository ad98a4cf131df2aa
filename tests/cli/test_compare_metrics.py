"""dpselect compare metrics: which metric names the brokers, on a graph that may be looked at."""

import json

import pytest

from dpselect.cli import main

pytestmark = pytest.mark.usefixtures("folder")

LESMIS = ["compare", "metrics", "lesmis", "--epsilon", "10", "--max-degree", "76"]


def test_a_table_and_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """The sentence names a metric that the table has, and everything fits into eighty columns."""
    assert 0 == main(LESMIS)
    lines = capsys.readouterr().out.splitlines()

    assert lines[0].startswith("Use degree with permute-and-flip: on graphs like this one a list of 5 at")
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("open-pairs, local-dampening-flip") for line in lines)


def test_programs_get_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    """A row per metric, judged by ego betweenness, whose margin without noise has all of it."""
    assert 0 == main([*LESMIS, "--json"])
    facts = json.loads(capsys.readouterr().out)
    rows = {row["metric"]: row for row in facts["metrics"]}

    assert facts["metric"] in rows
    assert [1.0, 1.0] == rows["margin of ego-betweenness"]["limit"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*LESMIS, "--nodes", "5"], "--nodes: the nodes of a graph that ships with NetworkX are known: leave it out."),
        ([*LESMIS, "--ends", "who", "whom"], "--ends: a graph that ships with NetworkX is not a file: leave it out."),
        ([*LESMIS, "--k", "77"], "ask for fewer"),
        ([*LESMIS[:-1], "3"], "exceeds --max-degree"),
        ([*LESMIS[:1], "--out", "x.svg", *LESMIS[1:]], "--out goes with another task"),
        ([*LESMIS[:1], "--traces", "cells.parquet", *LESMIS[1:]], "--traces"),
        (LESMIS[:-2], "--max-degree"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(words: list[str], message: str, capsys) -> None:
    """Nothing is computed."""
    assert 2 == main(words)
    said = capsys.readouterr()
    assert "" == said.out
    assert message in said.err
    assert 1 == said.err.count("\n")
