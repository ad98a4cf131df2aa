"""Research datasets."""

import hashlib
import importlib.util
import re
from pathlib import Path

import pytest

from dpselect import datasets


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let there be a wheel alone: no clone around the code, nor in the current folder."""
    monkeypatch.setattr(datasets, "__file__", str(tmp_path / "lib" / "site-packages" / "dpselect" / "datasets.py"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DPSELECT_DATA", raising=False)


@pytest.mark.usefixtures("installed")
def test_without_any_folder_it_says_what_to_do() -> None:
    """Nothing is downloaded and nothing is guessed."""
    with pytest.raises(FileNotFoundError, match="work in a clone of dpselect, .* or set DPSELECT_DATA to"):
        datasets.graph("enron")


def test_a_folder_without_a_manifest_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The folder must describe itself, and a wrong one is said, though the repository has data of its own."""
    monkeypatch.setenv("DPSELECT_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"no manifest\.toml"):
        datasets.folders()


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
    with pytest.raises(ValueError, match="the manifests hold tiny"):
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

    with pytest.raises(
        datasets.FileContentError, match=rf"g\.csv is not the file .* put the right file there.*{other}"
    ):
        datasets.graph("tiny")
    described(tiny, other.upper())
    assert [2, 1, 1, 0] == datasets.graph("tiny").degrees.tolist()


def test_a_file_is_digested_once(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run asks before every cell: the second time costs no reading."""
    digested: list[object] = []
    digest = hashlib.file_digest
    monkeypatch.setattr(hashlib, "file_digest", lambda *given: digested.append(given) or digest(*given))

    assert [tiny / "g.csv"] * 2 == [datasets.checked_file("tiny"), datasets.checked_file("tiny")]
    assert 1 == len(digested)


def test_a_missing_file_is_named(tiny: Path) -> None:
    """The manifest may name more than is there."""
    (tiny / "g.csv").unlink()
    with pytest.raises(FileNotFoundError, match=re.escape(f"The file {tiny / 'g.csv'} does not exist: put it there.")):
        datasets.graph("tiny")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"not toml", "cannot be read"),
        (b"\xff", "cannot be read"),
        (b"", "has no [datasets]"),
        (b"datasets = 3", "has no [datasets]"),
        (b"[datasets.a]\nfile = 3", "does not give a file for a"),
        (b"[datasets]\na = 3", "does not give a file for a"),
    ],
)
def test_a_broken_manifest_is_named(tiny: Path, content: bytes, told: str) -> None:
    """Whatever is wrong with it: one sentence with the file, and the error of a missing folder."""
    (tiny / "manifest.toml").write_bytes(content)
    with pytest.raises(FileNotFoundError, match=re.escape(f"{tiny / 'manifest.toml'} {told}")):
        datasets.folders()


def test_a_manifest_that_is_a_folder_cannot_be_read(tiny: Path) -> None:
    """As one that is protected: it is named."""
    (tiny / "manifest.toml").unlink()
    (tiny / "manifest.toml").mkdir()
    with pytest.raises(FileNotFoundError, match=r"manifest\.toml cannot be read \(Is a directory\)"):
        datasets.folders()


def test_a_graph_needs_its_number_of_nodes(tiny: Path) -> None:
    """Nodes are public: they stand in the manifest."""
    (tiny / "manifest.toml").write_text('[datasets.tiny]\nkind = "graph"\nfile = "g.csv"\n', encoding="utf-8")
    with pytest.raises(ValueError, match="gives no n_nodes for tiny"):
        datasets.graph("tiny")


OURS = Path(__file__).parents[1] / "data"
# Words of licences under which a copy may be passed on, and of facts, which need none.
SHIPPED_UNDER = {"CC BY 4.0", "published figures"}


def test_a_clone_has_data_without_any_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Adult is found in the source tree, and is the file that the manifest describes."""
    monkeypatch.delenv("DPSELECT_DATA", raising=False)

    assert OURS == datasets.repository()
    assert OURS / "tabular" / "adult.parquet" == datasets.checked_file("adult")


@pytest.mark.parametrize("name", sorted(datasets._manifest(OURS)["datasets"]))
def test_every_shipped_file_is_the_manifests(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Checksum, size, licence, source, attribution and what was changed: CC BY asks for the latter three."""
    monkeypatch.delenv("DPSELECT_DATA", raising=False)
    facts = datasets.every()[name].facts

    assert facts["bytes"] == datasets.checked_file(name).stat().st_size
    assert facts["licence"] in SHIPPED_UNDER
    assert {"origin", "citation", "terms", "changes", "sha256"} <= facts.keys()
    assert facts["licence"] != "CC BY 4.0" or {"url", "doi"} <= facts.keys()
    assert "no licence stated" not in facts["terms"]
    # The page of attributions names it.
    assert f"`{name}`" in (OURS / "README.md").read_text(encoding="utf-8")


def test_nothing_else_is_in_the_repositorys_folder() -> None:
    """Whatever has no licence stays outside: each file is in the manifest, and what is missing has no file."""
    manifest = datasets._manifest(OURS)
    files = {path.relative_to(OURS).as_posix() for path in OURS.rglob("*") if path.is_file()}
    shipped = {facts["file"] for facts in manifest["datasets"].values()}

    assert {"README.md", "manifest.toml"} | shipped == files
    for name, facts in manifest["missing"].items():
        assert facts.get("file") not in files
        assert name not in manifest["datasets"]
        assert {"kind", "origin", "url", "citation", "terms", "get"} <= facts.keys()
        assert facts["licence"] not in SHIPPED_UNDER


def test_what_is_simulated_is_made_by_the_module_that_is_named() -> None:
    """There is no file of it."""
    for facts in datasets._manifest(OURS)["simulated"].values():
        assert importlib.util.find_spec(facts["made_by"]) is not None
        assert "file" not in facts


@pytest.mark.data
def test_no_dataset_without_a_licence_came_along() -> None:
    """What the folder beside the repository knows without a licence is named there, and not shipped."""
    manifest = datasets._manifest(OURS)
    for name, facts in datasets._manifest(datasets.folders()[0])["datasets"].items():
        if "no licence stated" in facts["terms"]:
            assert name in manifest["missing"]
            assert name not in manifest["datasets"]


def added(folder: Path, name: str, text: str) -> None:
    """Write a folder with one table of the given text."""
    folder.mkdir(exist_ok=True)
    (folder / "t.csv").write_text(text, encoding="utf-8")
    (folder / "manifest.toml").write_text(f'[datasets.{name}]\nfile = "t.csv"\n', encoding="utf-8")


def test_the_variable_adds_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its datasets, and those of the repository."""
    added(tmp_path / "mine", "mine", "a\n1\n")
    monkeypatch.setenv("DPSELECT_DATA", str(tmp_path / "mine"))

    assert (tmp_path / "mine", OURS) == datasets.folders()
    assert {"mine", "adult"} <= datasets.every().keys()
    assert [] == datasets.disagreements()


def test_the_folder_of_the_variable_comes_first_and_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Another file of the same name is read and named beside the one that it stands for; a missing one is not."""
    added(tmp_path / "mine", "adult", "a\n1\n")
    monkeypatch.setenv("DPSELECT_DATA", str(tmp_path / "mine"))
    ours, theirs = OURS / "tabular" / "adult.parquet", tmp_path / "mine" / "t.csv"

    assert theirs == datasets.checked_file("adult")
    assert [f"adult is read from {theirs}, which is another file than {ours}."] == datasets.disagreements()
    theirs.unlink()
    assert ours == datasets.checked_file("adult")
    assert [] == datasets.disagreements()


def test_the_same_file_in_both_folders_is_no_matter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is said of it; the one of the variable is read."""
    (tmp_path / "t.csv").write_bytes((OURS / "genomics" / "tdt_justice2020.csv").read_bytes())
    (tmp_path / "manifest.toml").write_text('[datasets.tdt_justice2020]\nfile = "t.csv"\n')
    monkeypatch.setenv("DPSELECT_DATA", str(tmp_path))

    assert tmp_path / "t.csv" == datasets.checked_file("tdt_justice2020")
    assert [] == datasets.disagreements()


def test_the_variable_may_name_the_repositorys_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then there is one folder."""
    monkeypatch.setenv("DPSELECT_DATA", str(OURS))
    assert (OURS,) == datasets.folders()


@pytest.mark.usefixtures("installed")
def test_an_installed_dpselect_finds_the_clone_it_runs_in(tmp_path: Path) -> None:
    """The current folder's data are taken where their manifest has the mark; other projects have such folders too."""
    added(tmp_path / "data", "tiny", "a\n1\n")
    assert datasets.repository() is None
    with (tmp_path / "data" / "manifest.toml").open("r+", encoding="utf-8") as file:
        text = file.read()
        file.seek(0)
        file.write(f'repository = "dpselect"\n{text}')

    assert tmp_path / "data" / "t.csv" == datasets.checked_file("tiny")


def test_what_no_folder_has_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Until a folder has it."""
    monkeypatch.delenv("DPSELECT_DATA", raising=False)
    assert {"enron", "dblp", "nltcs"} <= datasets.elsewhere().keys()
    assert {"dblp_like"} <= datasets.elsewhere("simulated").keys()
    added(tmp_path / "mine", "nltcs", "a\n1\n")
    monkeypatch.setenv("DPSELECT_DATA", str(tmp_path / "mine"))

    assert "nltcs" not in datasets.elsewhere()
    assert "dblp" in datasets.elsewhere()


def test_an_unknown_dataset_is_said() -> None:
    """With the command that lists those that there are."""
    with pytest.raises(ValueError, match=r"'nobody' does not exist in .*: `python -m research datasets` lists"):
        datasets.checked_file("nobody")


@pytest.mark.parametrize("section", ["missing", "simulated"])
def test_other_sections_of_a_broken_manifest_are_named(tiny: Path, section: str) -> None:
    """A list where tables belong."""
    path = tiny / "manifest.toml"
    path.write_text(f"{section} = [1]\n{path.read_text()}")
    with pytest.raises(FileNotFoundError, match=re.escape(f"[{section}] takes one table per dataset")):
        datasets.folders()
