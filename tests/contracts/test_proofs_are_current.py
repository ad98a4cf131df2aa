"""Beside every file of the kernel and of release stands its proof, and no proof is older than its code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.contracts import complete, proof_hashes
from tests.contracts.proof_hashes import SOURCE

# What promises nothing that needs a proof, and why.
WITHOUT = {
    "kernel/errors.py": "messages",
    "kernel/neighbours.py": "the names of the relations",
    "release/noise_source.py": "the shape of what answers, without an answer",
    "release/median.py": "names a utility and a mechanism: utilities/median.md and mechanisms/permute_and_flip.md",
}
FILES = [
    path.relative_to(SOURCE).as_posix()
    for room in ("kernel", "release")
    for path in sorted((SOURCE / room).rglob("*.py"))
    if path.name != "__init__.py"
]
PROOFS = list(proof_hashes.proofs())
SAMPLE = '''
LIMIT = 3

def doubled(x):
    """Return twice x."""
    return 2 * x  # twice

class Held:
    def half(self):
        if self.gone:
            raise ValueError("There is nothing left.")
        return 1
'''


def proved(file: Path) -> set[str]:
    """Return the names of a file that proofs of its folder cover; those of a class when it is covered."""
    entries = [name for proof in file.parent.glob("*.md") for name in proof_hashes.covered(proof)]
    return {name.partition(".")[2] for name in entries if name.startswith(f"{file.stem}.")}


def test_every_file_is_proved() -> None:
    """In its own proof or that of a neighbouring file: each function, class and constant, or all parts of a class."""
    for name in set(FILES) - set(WITHOUT):
        file = SOURCE / name
        source = file.read_text(encoding="utf-8")
        covered = proved(file)
        lacking = [
            each
            for each in proof_hashes.provable(source)
            if each not in covered and not any(part.startswith(f"{each}.") for part in covered)
        ]

        assert not lacking, (
            f"No proof beside {name} covers {', '.join(lacking)}: write one, and name it in its Covers line."
        )


def test_what_needs_no_proof_is_still_there() -> None:
    """The short list of exceptions names files that exist and have none."""
    for name in WITHOUT:
        assert name in FILES
        assert not (SOURCE / name).with_suffix(".md").exists(), f"{name} has a proof: take it off the list."


def test_no_proof_is_older_than_its_code() -> None:
    """What it covers is what it covered when it was last read."""
    assert PROOFS
    lacking = [sentence for proof in PROOFS for sentence in proof_hashes.stale(proof)]
    assert not lacking, "\n".join(lacking)


def test_proofs_have_four_parts() -> None:
    """Claim, assumptions, proof, and where the code differs."""
    proofs = [proof for name in FILES if (proof := (SOURCE / name).with_suffix(".md")).exists()]
    assert proofs
    assert {} == {proof: lacking for proof in proofs if (lacking := complete.of_proof(proof))}


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A proof beside a file, current."""
    (tmp_path / "sample.py").write_text(SAMPLE, encoding="utf-8")
    proof = tmp_path / "sample.md"
    proof.write_text("# Twice\n", encoding="utf-8")
    proof_hashes.write(proof)
    return proof


@pytest.mark.parametrize(
    "before, after, old",
    [
        ("2 * x", "3 * x", "doubled"),
        ("LIMIT = 3", "LIMIT = 4", "LIMIT"),
        ("return 1", "return 2", "Held"),
        ("self.gone", "not self.gone", "Held"),
        ("ValueError", "TypeError", "Held"),
        ("def doubled", "def twice", "doubled"),
    ],
)
def test_a_change_of_the_code_makes_its_proof_old(sample: Path, before: str, after: str, old: str) -> None:
    """The message names the proof, what changed, and what to do."""
    (sentence,) = proof_hashes.stale(sample, {"sample": SAMPLE.replace(before, after)})

    assert sentence.startswith("sample.md proves")
    assert f"sample.{old}" in sentence
    assert f"--write {sample}." in sentence


@pytest.mark.parametrize(
    "before, after",
    [("  # twice", ""), ("Return twice x.", "Double."), ("2 * x", "(2\n        * x)"), ("nothing left", "no more")],
)
def test_comments_docstrings_layout_and_messages_do_not(sample: Path, before: str, after: str) -> None:
    """They are not what was proved."""
    assert not proof_hashes.stale(sample, {"sample": SAMPLE.replace(before, after)})


def test_a_change_of_the_trunk_is_noticed() -> None:
    """A guard of one bit less in the coins, and peeling that charges one winner only."""
    coins, draws = (SOURCE / name for name in ("kernel/bernoulli_exp.py", "release/session.py"))
    for file, before, after, named in (
        (coins, "2.0**-33", "2.0**-34", "bernoulli_exp.GUARD"),
        (draws, "require_count(k, asked.ticks.size)", "1", "session.Session.draw"),
    ):
        text = file.read_text(encoding="utf-8")
        assert before in text
        (sentence,) = proof_hashes.stale(file.with_suffix(".md"), {file.stem: text.replace(before, after)})
        assert f"proves an older {named}:" in sentence


def test_a_proof_that_was_read_again_is_current(sample: Path) -> None:
    """``--write`` keeps its names and gives them the hashes of today; what is gone must be taken out first."""
    file = sample.with_suffix(".py")
    file.write_text(SAMPLE.replace("2 * x", "x + x"), encoding="utf-8")
    assert proof_hashes.stale(sample)
    proof_hashes.write(sample)
    assert not proof_hashes.stale(sample)
    file.write_text(SAMPLE.replace("doubled", "twice"), encoding="utf-8")
    with pytest.raises(SystemExit, match="sample.doubled, which is not there"):
        proof_hashes.write(sample)


def test_a_proof_must_say_what_it_covers(tmp_path: Path) -> None:
    """A proof without the line is told so."""
    proof = tmp_path / "bare.md"
    proof.write_text("# Bare\n", encoding="utf-8")
    (sentence,) = proof_hashes.stale(proof)
    assert "does not say what it covers" in sentence


def test_no_proof_is_another_with_other_names() -> None:
    """Each says what is true of its own code."""
    known = proof_hashes.phrases()

    assert {*PROOFS} == {*known}
    assert [] == [sentence for proof in PROOFS for sentence in proof_hashes.pasted(proof, known)]


@pytest.mark.parametrize(
    "name", ["mechanisms/permute_and_flip.md", "mechanisms/smooth/dilation.md", "utilities/tdt.md", "scores/combine.md"]
)
def test_a_proof_that_was_pasted_is_not_written(name: str, tmp_path: Path) -> None:
    """With the names of another function, and without its Covers line, it would look like that one's own."""
    text = proof_hashes.LINE.sub("", (SOURCE / name).read_text(encoding="utf-8")).rstrip()
    proof, words = tmp_path / "newcomer.md", Path(name).stem.split("_")
    proof.with_suffix(".py").write_text("def newcomer() -> int:\n    return 1\n", encoding="utf-8")
    for word in words:
        text = re.sub(rf"(?i)\b{word}", "newcomer", text)
    proof.write_text(re.sub(r"`[^`]*`", "`newcomer`", text), encoding="utf-8")

    with pytest.raises(SystemExit, match=f"newcomer.md reads like {name} with other names"):
        proof_hashes.write(proof)
    assert "Covers" not in proof.read_text(encoding="utf-8")
