"""No file serves two purposes, no ledger is an output, and nothing that exists is replaced unasked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.cli.options import Role
from dpselect.cli.paths import PICTURES
from tests.cli import inputs
from tests.cli.every import every_command
from tests.cli.inputs import CHOOSE, CHOOSE_TREE, PERCENTILE, PREDICT, TOP_K, TRAIN

# Options that take text which is no path. A new one is either declared as a path or named here.
WORDS = {
    "asked", "at", "by", "candidate", "column", "columns", "config", "dataset", "date_order", "decimal", "encoding",
    "ends", "features", "goal", "importance", "impossible", "item", "key", "label", "learner", "mechanism",
    "mechanisms", "missing_text", "names", "neighbours", "note", "of", "order", "person", "prior", "priors",
    "quantile_bins", "question", "release", "request", "score", "separator", "server", "sheet", "source", "statement",
    "table", "target", "thousands", "thresholds", "token", "unit", "value", "weight_column", "where",
}  # fmt: skip


pytestmark = pytest.mark.usefixtures("folder")
EVERY = every_command()


def status_of(arguments: list[str]) -> int:
    """Return how a command ends."""
    try:
        return main(arguments)
    except SystemExit as end:
        return int(end.code)


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the sentence of a command that must change nothing."""
    before = inputs.state(Path.cwd())
    capsys.readouterr()
    assert 2 == status_of(arguments)
    assert before == inputs.state(Path.cwd())
    said = capsys.readouterr()
    assert "" == said.out
    assert 1 == said.err.count("\n")
    return said.err


@pytest.mark.parametrize("words, params", EVERY, ids=lambda each: " ".join(each) if isinstance(each, tuple) else "")
def test_every_path_is_declared(words: tuple[str, ...], params: list) -> None:
    """Whatever takes plain text is a path with a purpose, or is named above as none."""
    for param in params:
        plain = not getattr(param, "is_flag", False) and param.type.name == "text"
        if plain and param.role is None:
            assert param.name in WORDS, f"{' '.join(words)}: declare {param.name} by dpselect.cli.paths"
    roles = [param.role for param in params]
    # A check takes what a question says of its outputs, and writes none.
    own = [param for param in params if not getattr(param, "hidden", False) or getattr(param, "rare", False)]
    assert (Role.OUTPUT in roles) == (len(overwriting(own)) > 1)


def filled(words: tuple[str, ...], params: list, **given: str) -> list[str]:
    """Return a command line whose required arguments are there, well formed at least."""
    line, options = list(words), []
    for param in params:
        needed = param.required
        values = given.get(param.name)
        if values is None and param.role is not None and needed:
            values = f"some-{param.name}{param.endings[0] if param.endings else ''}"
        if values is None and needed:
            choices = getattr(param.type, "choices", None)
            values = str(sorted(choices)[0] if choices else 1)
        if values is not None and not getattr(param, "is_flag", False):
            option = param.opts[0].startswith("-")
            (options if option else line).extend([*(param.opts[:1] if option else []), values])
    return [*line, *options]


def overwriting(params: list) -> list[list[str]]:
    """Return what may be said of files that exist: nothing, and where there is that option, that they are replaced."""
    return [[], *([["--overwrite"]] if any(param.name == "overwrite" for param in params) else [])]


OUTPUTS = [(words, params, param) for words, params in EVERY for param in params if param.role is Role.OUTPUT]


@pytest.mark.parametrize("words, params, output", OUTPUTS, ids=lambda each: getattr(each, "name", ""))
def test_no_output_is_another_file_of_the_command(words, params, output, capsys) -> None:
    """Each output against each other path, by its own name, a hard link and a symbolic link, --overwrite or not."""
    for other in params:
        if other.role is None or other.name == output.name:
            continue
        ending = (output.endings or other.endings or (".file",))[0]
        if other.endings and ending not in other.endings:
            continue
        name = f"one{ending}"
        Path(name).write_text("public or private")
        for link in (name, f"hard{ending}", f"soft{ending}", f"./{name}"):
            if link.startswith("hard"):
                Path(link).hardlink_to(name)
            if link.startswith("soft"):
                Path(link).symlink_to(name)
            line = filled(words, params, **{other.name: name, output.name: link})
            for more in overwriting(params) if link == name else overwriting(params)[-1:]:
                assert "same file" in refused([*line, *more], capsys), line
        for link in Path().glob(f"*{ending}"):
            link.unlink()
        Path(name).unlink(missing_ok=True)


@pytest.mark.parametrize("words, params, output", OUTPUTS, ids=lambda each: getattr(each, "name", ""))
def test_no_ledger_and_no_existing_file_is_an_output(words, params, output, capsys) -> None:
    """A ledger under any name, its journal, a file, a folder, a device; a missing folder, an empty name."""
    ending = output.endings[0] if output.endings else ""
    disguised = f"holiday{ending or '.txt'}"
    Path(disguised).write_bytes(Path("people.ledger").read_bytes())
    for more in overwriting(params):
        line = filled(words, params, **{output.name: disguised})
        assert "is a ledger or another database, never overwritten" in refused([*line, *more], capsys)
        if not ending:
            for end in ("-wal", "-journal", "-shm"):
                journal = filled(words, params, **{output.name: f"people.ledger{end}"})
                assert "never overwritten" in refused([*journal, *more], capsys)
            assert "is a device or a pipe" in refused(
                [*filled(words, params, **{output.name: "/dev/full"}), *more], capsys
            )
            assert "is a folder" in refused([*filled(words, params, **{output.name: "."}), *more], capsys)
        assert "does not exist: make it" in refused(
            [*filled(words, params, **{output.name: f"none/x{ending}"}), *more], capsys
        )
        assert "is empty" in refused([*filled(words, params, **{output.name: ""}), *more], capsys)
        assert "too long" in refused([*filled(words, params, **{output.name: "x" * 300 + ending}), *more], capsys)
    Path(f"there{ending}").write_text("mine")
    line = filled(words, params, **{output.name: f"there{ending}"})
    pass_it = ", or pass --overwrite." if len(overwriting(params)) > 1 else "; no file is written over."
    assert f"exists already: name another file{pass_it}" in refused(line, capsys)


def test_what_used_to_be_erased_stays(capsys: pytest.CaptureFixture[str]) -> None:
    """The ledger, the private table and counts, a paid model, the traces, an existing model."""
    ledger = ["--ledger", "people.ledger"]
    for line in (
        [*CHOOSE, "--out", "people.ledger", *ledger],
        [*CHOOSE, "--out", "counts.npy", *ledger],
        [*TRAIN, "--out", "people.ledger", *ledger],
        [*TRAIN, "--out", "model.json", *ledger],
        [*TRAIN, "--out", "people.toml", *ledger, "--overwrite"],
        [*TRAIN, "--out", "people.csv", *ledger, "--overwrite"],
        [*TRAIN, "--out", "new.json", "--picture", "new.svg", "--ledger", "new.json"],
        [*PREDICT, "--out", "people.ledger", "--overwrite"],
        [*PREDICT, "--out", "model.json", "--overwrite"],
        [*PREDICT, "--out", "people.csv", "--overwrite"],
        [*CHOOSE_TREE, "--out", "cells.parquet", "--overwrite"],
        ["compare", "top-k", *TOP_K, "--out", "nodes.txt"],
        ["budget", "export", "people.ledger", "--backup", "people.ledger"],
        ["budget", "export", "people.ledger", "--backup", "model.json"],
        ["budget", "create", "people.csv", "--epsilon", "1", "--dataset", "x"],
        ["budget", "create", "people.ledger-wal", "--epsilon", "1", "--dataset", "x"],
    ):
        refused(line, capsys)
    assert 0 == dps.Ledger.read("people.ledger").totals.spends


LEDGERS = [
    (words, params, param)
    for words, params in EVERY
    for param in params
    if param.role in (Role.LEDGER, Role.NEW_LEDGER) or param.name == "ledger"
]


@pytest.mark.parametrize("words, params, ledger", LEDGERS, ids=lambda each: getattr(each, "name", ""))
def test_every_ledger_may_be_an_address_without_a_password(words, params, ledger, capsys) -> None:
    """In PostgreSQL; a password is refused before anything is read, and is not repeated."""
    line = filled(words, params, **{ledger.name: "postgresql://ann:s3cr3t@db/people?ledger=survey"})
    said = refused(line, capsys)
    if words[0] != "plan":
        assert "The address of a ledger holds no password" in said
        assert "End the address with ?ledger=NAME" in refused(
            filled(words, params, **{ledger.name: "postgresql://ann@db/people"}), capsys
        )
    assert "s3cr3t" not in said


def test_a_table_of_a_ledgers_server_is_no_ledger(capsys: pytest.CaptureFixture[str]) -> None:
    """Other databases, and other outputs, are files of this machine."""
    for line in (
        ["budget", "show", "duckdb://people.duckdb?ledger=survey"],
        ["budget", "create", "mysql://ann@db/people?ledger=survey", "--epsilon", "1", "--dataset", "x"],
        [*TRAIN, "--out", "postgresql://ann@db/people?ledger=survey", "--overwrite"],
    ):
        assert "reads like an address: name a file" in refused(line, capsys)


def test_overwrite_replaces_a_file_and_what_a_link_leads_to(folder: Path) -> None:
    """With the rights that it had."""
    Path("old.csv").write_text("old")
    Path("old.csv").chmod(0o600)
    Path("link.csv").symlink_to("old.csv")
    assert 0 == main([*PREDICT, "--out", "link.csv", "--overwrite"])

    assert Path("link.csv").is_symlink()
    assert 301 == len(Path("old.csv").read_text().splitlines())
    assert 0o600 == Path("old.csv").stat().st_mode & 0o777
    assert [] == list(folder.glob(".*"))


def test_new_files_have_the_rights_that_the_user_wants() -> None:
    """As any program makes them."""
    before = os.umask(0o027)
    try:
        assert 0 == main([*PREDICT, "--out", "new.csv"])
    finally:
        os.umask(before)
    assert 0o640 == Path("new.csv").stat().st_mode & 0o777


def test_files_behind_urls_and_patterns_count(capsys: pytest.CaptureFixture[str]) -> None:
    """A DuckDB file, file://, a pattern of files."""
    Path("x.duckdb").write_bytes(b"not opened")
    line = ["predict", "model.json", "--overwrite"]
    for table, out in (
        ("duckdb://x.duckdb?table=t", "x.duckdb"),
        ("file://people.csv", "people.csv"),
        ("peop*.csv", "people.csv"),
    ):
        assert "the table and --out" in refused([*line, table, "--out", out], capsys).lower()


def test_an_output_before_the_task_of_a_comparison_counts(capsys) -> None:
    """The picture is drawn; traces do not go with a task."""
    one = ["--epsilons", "1", "--mechanisms", "permute-and-flip"]
    assert 0 == main(["compare", "--out", "x.svg", "percentile", *PERCENTILE, *one])
    assert "<svg" in Path("x.svg").read_text()
    assert "exists already" in refused(["compare", "--out", "x.svg", "percentile", *PERCENTILE, *one], capsys)
    assert 0 == main(["compare", "--out", "x.svg", "--overwrite", "percentile", *PERCENTILE, *one])
    said = refused(["compare", "--traces", "cells.parquet", "percentile", *PERCENTILE, *one], capsys)
    assert "--traces goes without a task" in said
    assert "is not a picture" in refused(["compare", "--out", "x.doc", "percentile", *PERCENTILE], capsys)
    assert PICTURES == (".png", ".svg", ".pdf")
