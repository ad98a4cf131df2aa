"""Research datasets."""

import hashlib
import re
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
        '[datasets.tiny]\nkind = "graph"\nfile = "g.csv"\nn_nodes = 4\n'
        '[datasets.other]\nkind = "tabular"\nfile = "t.parquet"\n',
        encoding="utf-8",
    )

    assert [1, 1, 0, 0] == datasets.graph("tiny").degrees.tolist()
    with pytest.raises(ValueError, match="it holds tiny"):
        datasets.graph("other")


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return a folder with one graph and its sha256."""
    monkeypatch.setenv("DPSELECT_DATA", str(tmp_path))
    (tmp_path / "g.csv").write_text("source,target\n0,1\n", encoding="utf-8")
    described(tmp_path, hashlib.sha256((tmp_path / "g.csv").read_bytes()).hexdigest())
    return tmp_path


def described(folder: Path, sha256: str) -> None:
    """Write the manifest of the one graph."""
    (folder / "manifest.toml").write_text(
        f'[datasets.tiny]\nkind = "graph"\nfile = "g.csv"\nn_nodes = 4\nsha256 = "{sha256}"\n', encoding="utf-8"
    )


def test_a_file_is_held_against_the_manifest(tiny: Path) -> None:
    """The described file is read; another one is refused by name, with what to do, until the manifest describes it."""
    assert [1, 1, 0, 0] == datasets.graph("tiny").degrees.tolist()
    (tiny / "g.csv").write_text("source,target\n0,1\n0,2\n", encoding="utf-8")
    other = hashlib.sha256((tiny / "g.csv").read_bytes()).hexdigest()

    with pytest.raises(datasets.WrongFile, match=rf"g\.csv is not the file .* put the right file there.*{other}"):
        datasets.graph("tiny")
    described(tiny, other.upper())
    assert [2, 1, 1, 0] == datasets.graph("tiny").degrees.tolist()


def test_a_file_is_digested_once(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run asks before every cell: the second time costs no reading."""
    digested: list[object] = []
    digest = hashlib.file_digest
    monkeypatch.setattr(hashlib, "file_digest", lambda *given: digested.append(given) or digest(*given))

    assert [tiny / "g.csv"] * 2 == [datasets.checked("tiny"), datasets.checked("tiny")]
    assert 1 == len(digested)


def test_a_missing_file_is_named(tiny: Path) -> None:
    """The manifest may name more than is there."""
    (tiny / "g.csv").unlink()
    with pytest.raises(FileNotFoundError, match=re.escape(f"There is no file {tiny / 'g.csv'}.")):
        datasets.graph("tiny")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"not toml", "cannot be read"),
        (b"\xff", "cannot be read"),
        (b"", "has no [datasets]"),
        (b"datasets = 3", "has no [datasets]"),
        (b"[datasets.a]\nfile = 3", "gives no file for a"),
        (b"[datasets]\na = 3", "gives no file for a"),
    ],
)
def test_a_broken_manifest_is_named(tiny: Path, content: bytes, told: str) -> None:
    """Whatever is wrong with it: one sentence with the file, and the error of a missing folder."""
    (tiny / "manifest.toml").write_bytes(content)
    with pytest.raises(FileNotFoundError, match=re.escape(f"{tiny / 'manifest.toml'} {told}")):
        datasets.folder()


def test_a_manifest_that_is_a_folder_cannot_be_read(tiny: Path) -> None:
    """As one that is protected: it is named."""
    (tiny / "manifest.toml").unlink()
    (tiny / "manifest.toml").mkdir()
    with pytest.raises(FileNotFoundError, match=r"manifest\.toml cannot be read \(Is a directory\)"):
        datasets.folder()


def test_a_graph_needs_its_number_of_nodes(tiny: Path) -> None:
    """Nodes are public: they stand in the manifest."""
    (tiny / "manifest.toml").write_text('[datasets.tiny]\nkind = "graph"\nfile = "g.csv"\n', encoding="utf-8")
    with pytest.raises(ValueError, match="gives no n_nodes for tiny"):
        datasets.graph("tiny")
