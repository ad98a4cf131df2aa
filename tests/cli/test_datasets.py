"""The list of research data: what is here, where it comes from, under which terms, and how to get the rest."""

import json
import re
from pathlib import Path

import pytest

from dpselect import datasets
from dpselect.cli import main

OURS = Path(__file__).parents[2] / "data"


@pytest.fixture
def clone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let there be a clone, and no other folder."""
    monkeypatch.delenv("DPSELECT_DATA", raising=False)


@pytest.fixture
def mine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return a folder with a file of the repository's, two other files under names that it knows, and none of gone."""
    for name in ("n.parquet", "adult.parquet"):
        (tmp_path / name).write_bytes(b"rows")
    (tmp_path / "six.csv").write_bytes((OURS / "genomics" / "tdt_justice2020.csv").read_bytes())
    (tmp_path / "manifest.toml").write_text(
        '[datasets.nltcs]\nfile = "n.parquet"\nkind = "tabular"\nrows = 3\ncolumns = ["a", "b"]\n'
        '[datasets.adult]\nfile = "adult.parquet"\nterms = "mine, and nobody else\'s"\nsince = 2020-01-01\n'
        '[datasets.tdt_justice2020]\nfile = "six.csv"\n'
        '[datasets.gone]\nfile = "gone.npy"\nkind = "histogram1d"\nshape = [7]\n'
        '[missing.dblp]\nreason = "none"\n'
    )
    monkeypatch.setenv("DPSELECT_DATA", str(tmp_path))
    return tmp_path


def said(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return what a command prints, white space as one space."""
    assert 0 == main(["datasets", *arguments])
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("clone")
def test_a_clone_lists_what_it_has_and_what_it_lacks(capsys) -> None:
    """Size, source and terms of each; how to get what is missing; what is simulated."""
    text = said([], capsys)
    here, missing, simulated = re.split(r"Not here:|Made by dpselect", text)

    assert f"In {OURS}" in here
    assert "adult table of 45,222 rows and 13 columns; UCI Machine Learning Repository, CC BY 4.0" in here
    assert "enron graph of 36,692 nodes and 183,831 edges; SNAP, no licence stated. Download" in missing
    assert "dblp graph of 317,080 nodes and 1,049,866 edges; SNAP" in missing
    assert "income histogram of 4,096 counts" in missing
    assert "checkin histogram of 256 x 256 counts" in missing
    assert "dblp_like graph of 317,080 nodes" in simulated
    assert "tdt_justice2020 6 genetic markers; Justice et al. (2020), published figures" in here


@pytest.mark.usefixtures("clone")
def test_it_fits_into_eighty_columns(capsys) -> None:
    """Whatever is in the list or about one dataset; an address is never broken."""
    for words in ([], ["adult", "enron", "dblp_like", "tdt_justice2020"]):
        assert 0 == main(["datasets", *words])
        for line in capsys.readouterr().out.splitlines():
            assert len(line) <= 80 or "/" in line


@pytest.mark.usefixtures("clone")
def test_one_dataset_is_shown_in_full(capsys) -> None:
    """Terms, attribution, changes, and whether the file is the one that the manifest describes."""
    text = said(["adult"], capsys)

    assert "adult: table of 45,222 rows and 13 columns" in text
    for words in (
        "https://archive.ics.uci.edu/dataset/2/adult",
        "doi 10.24432/C5XW20",
        "CC BY 4.0",
        "Barry Becker and Ronny Kohavi (1996)",
        "Records with a missing value",
        str(OURS / "tabular" / "adult.parquet"),
        "the file that the manifest describes",
        "income: <=50K, >50K",
        "greedy decision tree",
    ):
        assert words in text
    assert "ask icpsr" in said(["nltcs"], capsys).lower()


def test_a_folder_that_was_added_is_a_part_of_its_own(capsys, mine: Path) -> None:
    """With what the repository knows of the same name, with what stands for another file, and with files missing."""
    text = said([], capsys)
    added, ours, missing = re.split(rf"In {re.escape(str(OURS))}|Not here:", text)

    assert f"In {mine}, which DPSELECT_DATA names" in added
    assert "nltcs table of 3 rows and 2 columns; terms not stated" in added
    assert "tdt_justice2020 6 genetic markers; Justice et al. (2020), published figures" in added
    assert "adult dataset; mine, and nobody else's" in added
    assert "adult " not in ours
    assert "nltcs " not in missing
    assert "dblp graph of 317,080 nodes and 1,049,866 edges; SNAP, no licence stated. Download" in missing
    assert f"gone histogram of 7 counts; terms not stated. The file {mine / 'gone.npy'} does not exist" in missing
    assert f"adult is read from {mine / 'adult.parquet'}, which is another file than" in missing


def test_a_wrong_file_is_said_of_one_dataset(capsys, mine: Path) -> None:
    """And where no checksum is known, that."""
    assert "no checksum" in said(["nltcs"], capsys)
    with (mine / "manifest.toml").open("a") as file:
        file.write(f'[datasets.odd]\nfile = "n.parquet"\nsha256 = "{"0" * 64}"\n')
    assert "is not the file that manifest.toml describes" in said(["odd"], capsys)


def test_programs_read_the_same(capsys, mine: Path) -> None:
    """One object: folders, and every dataset with its state, its path and its terms."""
    facts = json.loads(said(["--json"], capsys))
    known = {each["name"]: each for each in facts["datasets"]}

    assert [str(mine), str(OURS)] == facts["folders"]
    assert ("here", str(mine / "n.parquet")) == (known["nltcs"]["state"], known["nltcs"]["path"])
    assert (None, "Justice et al. (2020)") == (known["nltcs"]["origin"], known["tdt_justice2020"]["origin"])
    assert ("missing", None) == (known["gone"]["state"], known["gone"]["path"])
    assert ("missing", None) == (known["enron"]["state"], known["enron"]["path"])
    assert known["enron"]["get"].startswith("Download")
    assert "simulated" == known["dblp_like"]["state"]
    assert 1 == len(facts["disagreements"])
    [one] = json.loads(said(["adult", "--json"], capsys))["datasets"]
    assert ("mine, and nobody else's", "2020-01-01") == (one["terms"], one["since"])


@pytest.mark.usefixtures("clone")
def test_an_unknown_name_is_refused_with_the_nearest(capsys) -> None:
    """Status 2 and one sentence."""
    assert 2 == main(["datasets", "adlut"])
    assert "The dataset 'adlut' does not exist: did you mean adult?" in capsys.readouterr().err


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let there be no folder at all, as from a wheel, away from a clone."""
    monkeypatch.delenv("DPSELECT_DATA", raising=False)
    monkeypatch.setattr("dpselect.datasets.repository", lambda: None)


@pytest.mark.usefixtures("nowhere")
def test_without_any_folder_everything_is_listed_as_missing(capsys) -> None:
    """Origin, terms and how to get each of them: the facts come with the package."""
    text = said([], capsys)

    assert "Research data are missing here: work in a clone" in text
    assert "adult table of 45,222 rows and 13 columns; UCI Machine Learning Repository, CC BY 4.0. Clone" in text
    assert "enron graph of 36,692 nodes and 183,831 edges; SNAP, no licence stated. Download" in text
    assert "dblp_like graph" in text.split("Made by dpselect")[1]
    facts = json.loads(said(["adult", "--json"], capsys))
    assert ([], "missing") == (facts["folders"], facts["datasets"][0]["state"])


def test_the_package_has_the_facts_of_the_repository() -> None:
    """Word for word."""
    assert (OURS / "manifest.toml").read_bytes() == (Path(datasets.__file__).with_name("manifest.toml")).read_bytes()


@pytest.mark.usefixtures("clone")
def test_an_absent_file_can_be_known_by_its_numbers(capsys) -> None:
    """Expected numbers and the checksum; and nothing is said to have been compared here."""
    text = said(["dblp", "enron"], capsys)

    assert "nodes 317,080; edges 1,049,866; largest degree 343" in text
    assert "sha256 " in text
    assert "compared" not in text
    assert "our copy matches; the original file lists each edge in both directions" in text


def test_terms_have_one_wording_wherever_the_file_stands(capsys, monkeypatch, tmp_path: Path) -> None:
    """The repository's own, for a file that it describes."""
    (tmp_path / "six.csv").write_bytes((OURS / "genomics" / "tdt_justice2020.csv").read_bytes())
    (tmp_path / "manifest.toml").write_text('[datasets.tdt_justice2020]\nfile = "six.csv"\nterms = "other words"\n')
    monkeypatch.setenv("DPSELECT_DATA", str(tmp_path))
    text = said(["tdt_justice2020"], capsys)

    assert "other words" not in text
    assert "facts, which need no licence" in text
    assert str(tmp_path / "six.csv") in text
