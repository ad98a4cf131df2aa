"""``--certificate``, ``dpselect verify`` and the answers of ``dpselect budget show``."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.certificates.build import certify
from dpselect.cli import main

ASK = ["quantiles", "people.csv", "age", "--p", "50", "--lower", "0", "--upper", "9", "--epsilon", "1"]


@pytest.fixture(autouse=True)
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table and a ledger, in the folder where commands run."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "people.csv"
    path.write_text("age\n" + "5\n" * 99)
    dps.Ledger.open("a.ledger", epsilon=9, dataset="people")
    return path


def printed(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    assert main(words) == status
    out, err = capsys.readouterr()
    return out + err


@pytest.mark.parametrize("ending", ["json", "html"])
def test_a_release_leaves_a_certificate_that_the_ledger_confirms(
    ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its row and the hash in the chain."""
    file = f"c.{ending}"
    printed(capsys, *ASK, "--ledger", "a.ledger", "--certificate", file, "--question", "How old?")

    content = dps.Certificate.read(file).content

    assert content["answer"] == {"percentile 50": 5}
    assert content["question"] == "How old?"
    assert content["public"]["column"] == "age"
    assert content["file"] is None
    assert content["repeat"].startswith("dpselect quantiles people.csv age")
    assert "has row 1, with the same hash" in printed(capsys, "verify", file, "--ledger", "a.ledger")


def test_the_hash_of_the_table_is_stated_only_where_it_is_asked_for(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By --file-hash."""
    printed(capsys, *ASK, "--certificate", "c.json", "--file-hash")

    stated = dps.Certificate.read("c.json").content["file"]

    assert stated == {"name": "people.csv", "sha256": hashlib.sha256(table.read_bytes()).hexdigest()}


@pytest.mark.parametrize(
    "more, words",
    [
        (["--certificate", "c.pdf"], "not such a file"),
        (["--certificate", "no/c.json"], "does not exist: make it"),
        (["--question", "Why?"], "go with --certificate"),
        (["--file-hash"], "go with --certificate"),
    ],
)
def test_what_cannot_be_certified_is_refused_before_anything_is_spent(
    more: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With status 2, and the ledger as it was."""
    assert words in printed(capsys, *ASK, "--ledger", "a.ledger", *more, status=2)
    assert not dps.Ledger.read("a.ledger").events


def test_a_certificate_that_exists_stays(capsys: pytest.CaptureFixture[str]) -> None:
    """Unless --overwrite is there."""
    Path("c.json").write_text("mine")

    assert "--overwrite" in printed(capsys, *ASK, "--certificate", "c.json", status=2)
    assert Path("c.json").read_text() == "mine"


def test_a_dry_run_writes_none(capsys: pytest.CaptureFixture[str]) -> None:
    """And opens no file."""
    printed(capsys, *ASK, "--certificate", "c.json", "--dry-run")

    assert not Path("c.json").exists()


def test_an_answer_is_printed_whole_where_its_certificate_cannot_be_made(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was paid for reaches the user, with status 1."""

    def broken(**_: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr("dpselect.certificates.build.build_certificate", broken)
    text = printed(capsys, *ASK, "--certificate", "c.json", status=1)

    assert "percentile 50: 5" in text
    assert "secret" not in text


def test_verify_ends_with_status_1_where_something_was_changed(capsys: pytest.CaptureFixture[str]) -> None:
    """Another ledger, or another answer."""
    printed(capsys, *ASK, "--ledger", "a.ledger", "--certificate", "c.json")
    dps.Ledger.open("b.ledger", epsilon=9, dataset="others")

    assert "none with the number 1" in printed(capsys, "verify", "c.json", "--ledger", "b.ledger", status=1)
    Path("c.json").write_text(Path("c.json").read_text().replace('"percentile', '"Percentile').replace("      5", "4"))
    assert "was changed" in printed(capsys, "verify", "c.json", status=1)
    assert "is not a certificate" in printed(capsys, "verify", "a.ledger", status=2)


def test_a_password_in_a_command_is_not_in_its_certificate(capsys: pytest.CaptureFixture[str]) -> None:
    """Nor in its question."""
    printed(capsys, *ASK, "--certificate", "c.json", "--question", "postgres://ann:hunter2@db/people")

    assert "hunter2" not in Path("c.json").read_text()


def test_budget_show_lists_commands_columns_and_answers_that_were_kept(capsys: pytest.CaptureFixture[str]) -> None:
    """An answer stands where a certificate was named."""
    printed(capsys, *ASK, "--ledger", "a.ledger")
    printed(capsys, *ASK, "--ledger", "a.ledger", "--certificate", "c.json")
    printed(capsys, *ASK, "--ledger", "a.ledger", "--certificate", "d.json")
    Path("d.json").unlink()

    plain = printed(capsys, "budget", "show", "a.ledger")
    assert plain.count("quantiles age  permute-and-flip") == 3
    assert "answer" not in plain

    lines = printed(capsys, "budget", "show", "a.ledger", "--answers").splitlines()
    answers = [line.strip() for line in lines if "answer:" in line]
    assert answers[:2] == ["answer: not kept; ask with --certificate", "answer: percentile 50: 5"]
    assert "no whole certificate" in answers[2]
    listed = json.loads(printed(capsys, "budget", "show", "a.ledger", "--answers", "--json"))
    assert listed["answers"][:2] == [None, "percentile 50: 5"]


def test_a_certificate_of_another_release_shows_no_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """Where a file was replaced later, its answer is not taken for that of the older row."""
    for _ in range(2):
        printed(capsys, *ASK, "--ledger", "a.ledger", "--certificate", "c.json", "--overwrite")

    shown = printed(capsys, "budget", "show", "a.ledger", "--answers")

    assert shown.count("certificate of another release") == 1
    assert shown.count("answer: percentile 50: 5") == 1


@pytest.mark.parametrize("ending", ["json", "html"])
def test_an_entry_for_the_registry_says_what_the_certificate_says(
    ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of either form; and it is written once."""
    printed(capsys, *ASK, "--certificate", f"c.{ending}", "--question", "How old?")
    told = printed(capsys, "certificate", f"c.{ending}", "--registry", "entry.yaml")
    entry = json.loads(Path("entry.yaml").read_text(encoding="utf-8"))["deployment"]

    assert told == 'registry entry: entry.yaml; fill in what begins with "TO COMPLETE"\n'
    assert ("How old?", {"epsilon": 1.0}) == (entry["basic"]["name"], entry["privacy_loss"]["privacy_parameters"])
    assert "exists" in printed(capsys, "certificate", f"c.{ending}", "--registry", "entry.yaml", status=2)


def test_a_certificate_that_was_changed_has_no_entry(capsys: pytest.CaptureFixture[str]) -> None:
    """Nor has a file that is something else; nothing is written."""
    printed(capsys, *ASK, "--certificate", "c.json")
    whole = Path("c.json").read_text(encoding="utf-8")
    Path("c.json").write_text(whole.replace('"epsilon": "1"', '"epsilon": "0.1"'), encoding="utf-8")

    assert "was changed" in printed(capsys, "certificate", "c.json", "--registry", "entry.yaml", status=2)
    assert "is not a certificate" in printed(capsys, "certificate", "a.ledger", "--registry", "entry.yaml", status=2)
    assert not Path("entry.yaml").exists()


@pytest.mark.parametrize(
    ("guarantee", "said"),
    [
        (dps.Guarantee(1, "add-remove"), "How many? epsilon 1, one record"),
        (dps.Guarantee(1, "add-remove", 0.001), "How many? epsilon 1, delta 0.001, one record"),
        (
            dps.Guarantee.from_rho(0.125, 0.001, "add-remove", epsilon=3),
            "How many? epsilon 3, rho 0.125, delta 0.001, one record",
        ),
    ],
)
def test_verify_names_the_whole_promise(guarantee, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An epsilon whose delta is left out is another promise."""
    certify({"count": 7}, guarantee=guarantee, mechanism="noise", question="How many?").save("c.json")

    assert said in printed(capsys, "verify", "c.json")


def test_grouped_counts_are_a_table_of_groups_and_values(capsys: pytest.CaptureFixture[str]) -> None:
    """On the page of the certificate and in ``budget show --answers``; programs get one line, as ever."""
    Path("jobs.csv").write_text("job,place\n" + "nurse,north\n" * 50 + "cook,south\n" * 20, encoding="utf-8")
    ask = ["histogram", "jobs.csv", "job", "--domain", "nurse,cook", "--by", "place", "--groups", "north,south"]
    printed(capsys, *ask, "--epsilon", "1", "--ledger", "a.ledger", "--certificate", "c.html")
    counts = {
        (row["group"], row["value"]): row["count"] for row in dps.Certificate.read("c.html").content["answer"]["counts"]
    }
    page = Path("c.html").read_text(encoding="utf-8")
    assert '<th scope="col">nurse</th><th scope="col">cook</th>' in page
    for group in ("north", "south"):
        cells = "".join(f"<td>{counts[group, value]}</td>" for value in ("nurse", "cook"))
        assert f'<tr><th scope="row">{group}</th>{cells}</tr>' in page
    lines = [line.split() for line in printed(capsys, "budget", "show", "a.ledger", "--answers").splitlines()]
    assert ["answer:", "group", "nurse", "cook"] in lines
    assert ["north", *(str(counts["north", value]) for value in ("nurse", "cook"))] in lines
    (listed,) = json.loads(printed(capsys, "budget", "show", "a.ledger", "--answers", "--json"))["answers"]
    assert "\n" not in listed
