"""The demonstration: every line as soon as it is known."""

from __future__ import annotations

import json

import pytest

import dpselect as dps
from dpselect.cli import main


def test_what_is_known_is_printed_before_the_rest(monkeypatch, capsys) -> None:
    """The question before the graph is loaded, and the first laws before the others."""
    printed = []

    class Broken(Exception):
        """The rest cannot be computed."""

    def refuse(*_: object, **__: object) -> None:
        printed.append(capsys.readouterr().out)
        raise Broken

    monkeypatch.setattr(dps.Graph, "from_name", refuse)
    assert 70 == main(["demo"])
    monkeypatch.undo()
    monkeypatch.setattr(dps.utilities, "open_pairs", refuse)
    assert 70 == main(["demo"])

    assert ["Les Miserables, and who met whom. Who stands between the others most?"] == printed[0].splitlines()
    assert "Exact probability that the true answer, Valjean, is named:" in printed[1]


@pytest.mark.slow
def test_the_demo_as_json_is_one_object(capsys) -> None:
    """And nothing else is printed."""
    assert 0 == main(["demo", "--json"])
    facts = json.loads(capsys.readouterr().out)

    assert "Valjean" == facts["truth"]
    assert 11 == len(facts["laws"])


@pytest.mark.parametrize(("metric", "status"), [("degree", 2), ("core-number", 2), ("triangles", 0)])
def test_a_bound_that_a_metric_does_not_use_is_refused(metric: str, status: int, capsys) -> None:
    """Whoever passes one may believe that it protects."""
    words = ["top-k", "lesmis", metric, "--max-degree", "40", "--epsilon", "1"]
    assert status == main(words)
    assert (f"{metric} has no use for it" in capsys.readouterr().err) == (status == 2)
    assert 0 == main([*words, "--truncate", "--dry-run"])
