"""Research datasets."""

from pathlib import Path

import pytest

from dpselect import datasets


def test_without_the_variable_it_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is downloaded and nothing is guessed."""
    monkeypatch.delenv("DPSELECT_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match="Set DPSELECT_DATA"):
        datasets.graph("enron")


def test_a_folder_without_a_manifest_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The folder must describe itself."""
    monkeypatch.setenv("DPSELECT_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"no manifest\.toml"):
        datasets.folder()


def test_a_graph_of_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A manifest entry gives the file and the number of nodes; other kinds are not graphs."""
    monkeypatch.setenv("DPSELECT_DATA", str(tmp_path))
    (tmp_path / "g.csv").write_text("source,target\n0,1\n", encoding="utf-8")
    (tmp_path / "manifest.toml").write_text(
        '[datasets.tiny]\nkind = "graph"\nfile = "g.csv"\nn_nodes = 4\n[datasets.other]\nkind = "tabular"\n',
        encoding="utf-8",
    )

    assert [1, 1, 0, 0] == datasets.graph("tiny").degrees.tolist()
    with pytest.raises(ValueError, match="it holds tiny"):
        datasets.graph("other")
