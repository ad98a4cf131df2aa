"""What synthetic tables are judged by: distances that are known, and peers that are not here."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from research.comparisons import synthesis, synthesis_peers
from research.comparisons.synthesis_tables import auc, chain, parts, query_error, total_variation


def test_the_rows_themselves_have_no_error_and_shuffled_columns_do() -> None:
    """In pairs, triples and queries; half of the rows of one column moved is a half."""
    true, _ = parts(chain())
    shuffled = synthesis.independent(true)

    assert 0 == total_variation(true, true[0], 2) == query_error(true, true[0])
    assert total_variation(true, shuffled, 3) > total_variation(true, shuffled, 2) > 0.1
    assert query_error(true, shuffled) > 0.001
    assert 0.5 == total_variation(([np.array([0, 1]), np.array([0, 0])], [2, 2]), [np.zeros(2, int)] * 2, 2)


def test_rows_on_which_a_forest_is_judged_are_not_synthesized() -> None:
    """Four of five rows on one side and one on the other; a forest of shuffled rows knows nothing."""
    rows = np.arange(1000)
    (kept,), (held_out,) = parts(([rows], [1000]))[0][0], parts(([rows], [1000]))[1]
    true, others = parts(chain())

    assert (800, 200) == (len(kept), len(held_out))
    assert {*kept} | {*held_out} == {*rows.tolist()}
    assert auc(true[0], others) > 0.75
    assert auc(synthesis.independent(true), others) == pytest.approx(0.5, abs=0.05)


def test_peers_that_are_not_here_are_skipped(tmp_path, monkeypatch, capsys) -> None:
    """With the reason, on both sides."""
    monkeypatch.setattr(synthesis_peers, "METHODS", {"opendp-mst": "no_such_library"})
    monkeypatch.setattr(sys, "argv", ["synthesis_peers.py", str(tmp_path), "--methods", "opendp-mst"])
    synthesis_peers.main()

    assert "opendp-mst: no_such_library or mbi is not installed here: skipped\n" == capsys.readouterr().out
    np.savez(tmp_path / "chain.opendp-mst.1.npz", failed="stopped after 300 processor seconds")
    found = [(label, made) for label, made, _ in synthesis.peers(tmp_path, "chain (made up)", 1)]
    assert ("OpenDP mst", "stopped after 300 processor seconds") == found[0]
    assert {"not run"} == {made for _, made in found[1:]}
