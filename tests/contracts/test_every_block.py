"""No block of code on any page without a test: each is run here or by doctest, or listed as a template."""

import doctest
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from dpselect.cli import main
from tests.contracts import page_inputs

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "research" / "comparisons" / "README.md",
    *(page for page in sorted(DOCS.rglob("*.md")) if not {"_build", "made"} & set(page.parts)),
    *sorted((ROOT / "src").rglob("*.md")),
]
TUTORIAL = DOCS / "tutorial.md"
# Where pytest looks for examples in pages: testpaths in pyproject.toml.
RUN_BY_DOCTEST = [DOCS, ROOT / "src", ROOT / "README.md"]

# Commands that are not run here, and why.
TEMPLATES = {
    "python -m pip install": "sets the library up: .ci/run does it",
    "export ": "an address of the reader's own",
    "curl ": "needs a server: tests/web/server starts one",
    "TOKEN=": "a token of the reader's own",
    "dpselect explore": "serves until it is stopped: tests/web starts it",
    "dpselect serve": "serves until it is stopped: tests/web starts it",
    "docker compose ": "needs Docker: tests/web/server/test_deploy.py reads its files",
    "systemctl ": "needs systemd: tests/web/server/test_deploy.py reads its unit",
    "runuser ": "needs the user of a server: tests/web/server/test_deploy.py reads its command",
    "useradd ": "makes a user of the machine",
    "install ": "writes to folders of the machine",
    "openssl ": "makes a secret of the reader's own",
    "sed ": "writes a secret of the reader's own",
    "chown ": "needs a user of the machine",
    "cp ": "a certificate of the reader's own",
    "python3 -m venv": "sets the library up: .ci/run does it",
    "/opt/dpselect/bin/pip install": "sets the library up: .ci/run does it",
    "dpselect histogram https://": "needs a server: tests/cli/served starts one",
    "dpselect datasets https://": "needs a server: tests/cli/served starts one",
    "dpselect history https://": "needs a server: tests/cli/served starts one",
    "dpselect median https://": "needs a server: tests/cli/served starts one",
    "eval ": "changes the shell that the reader types in",
    "chgrp ": "needs a group of several accounts",
    "chmod ": "needs a group of several accounts",
    "mv ": "needs a group of several accounts",
    "dpselect choose": "trains for minutes first: tests/cli/test_choose.py runs it",
    "python -m research compare --traces": "needs what dpselect choose trained: tests/cli/test_choose.py runs it",
    "python -m research reproduce": "takes minutes: tests/experiments runs its parts",
    "dpselect select postgres://": "needs a server: tests/warehouse starts one",
    "dpselect median postgres://": "needs a server: tests/warehouse starts one",
    "dpselect top-k postgres://": "needs a server: tests/warehouse starts one",
    'dpselect budget create "postgresql://': "needs a server: tests/ledger starts one",
    'dpselect budget export survey.ledger --backup "postgresql://': "needs a server: tests/ledger starts one",
    "dpselect audit": "takes minutes: tests/audit runs its parts",
    "python -m research audit": "takes minutes: tests/research runs its parts",
}
OURS = ("dpselect ", "python -m research ")
FENCE = re.compile(r"^(?P<fence>```+)(?P<words>[^\n]*)\n(?P<text>.*?)^(?P=fence)\s*$", re.MULTILINE | re.DOTALL)
CHECKER = doctest.OutputChecker()
CLOCK = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
# The answers of the tutorial are drawn: it says so, and shows likely ones.
DRAWN = re.compile(r"(?<=^median: )\d+$|(?<=^status   )\w[\w-]*$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block of one page."""

    page: Path
    language: str
    text: str
    line: int

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


@dataclass(frozen=True)
class Command:
    """A line of a block that a shell would run, and what the page says it prints (None: says nothing)."""

    line: str
    printed: str | None

    @property
    def template(self) -> bool:
        """Whether it is listed as one."""
        return any(self.line.startswith(words) for words in TEMPLATES)


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(page, match["words"].strip(), match["text"], text[: match.start()].count("\n") + 1)
        for match in FENCE.finditer(text)
    ]


def commands(block: Block) -> Iterator[Command]:
    """Return the commands of a block: every line of ```sh, every line after a dollar sign of ```console."""
    if block.language == "sh":
        yield from (Command(line, None) for line in block.text.splitlines() if line.strip())
    if block.language == "console":
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            line, _, printed = part.partition("\n")
            yield Command(line, printed)


EVERY_BLOCK = [block for page in PAGES for block in blocks(page)]
PAGES_WITH_COMMANDS = [
    page
    for page in PAGES
    if page != TUTORIAL and any(not c.template for block in blocks(page) for c in commands(block))
]


def test_there_are_blocks_of_every_kind() -> None:
    """The pages are found, and so are their blocks."""
    assert {"python", "sh", "console"} <= {block.language for block in EVERY_BLOCK}
    assert TUTORIAL in PAGES


def test_every_block_is_run_or_is_no_code() -> None:
    """Python is examples with prompts, files say their name, commands are ours, the rest is no code."""
    for block in EVERY_BLOCK:
        if block.language == "python" and block.text.startswith("# our_queries.py"):
            # The file of a curator: tests/web/server/test_own_queries.py serves it.
            continue
        if block.language == "python":
            parts = doctest.DocTestParser().parse(block.text)
            stray = "".join(part for part in parts if isinstance(part, str)).strip()

            assert not stray, f"{block}: write every statement after >>>, so that doctest runs it: {stray}"
            assert any(isinstance(part, doctest.Example) for part in parts)
            assert any(block.page.is_relative_to(place) for place in RUN_BY_DOCTEST)
        elif block.language in ("sh", "console"):
            for command in commands(block):
                assert command.template or command.line.startswith(OURS), f"{block}: list {command.line} in TEMPLATES"
        elif block.language == "toml":
            assert re.match(r"# [\w-]+\.toml\n", block.text), f"{block}: begin with the name of the file, # name.toml"
        else:
            assert re.fullmatch(r"text|\{\w[\w-]*\}.*", block.language), f"{block}: nothing runs {block.language!r}"
            assert not re.search(r"^(>>>|\$ |import |dpselect )", block.text, re.MULTILINE), f"{block}: code in text"


@pytest.mark.parametrize("page", PAGES_WITH_COMMANDS, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of_a_page_run(page: Path, tmp_path: Path, monkeypatch, capfd) -> None:
    """In the order of the page, in a folder that has the files it speaks of."""
    monkeypatch.chdir(tmp_path)
    page_inputs.write(tmp_path)

    for block in blocks(page):
        write_file_of(block)
        for command in commands(block):
            if not command.template:
                run(command, capfd)


def test_the_tutorial_runs_from_top_to_bottom(tmp_path: Path, monkeypatch, capfd) -> None:
    """In one folder, where a command finds what those before it wrote; it needs no Python."""
    monkeypatch.chdir(tmp_path)
    for block in blocks(TUTORIAL):
        assert block.language in ("console", "toml", "text"), block
        write_file_of(block)
        for command in commands(block):
            run(command, capfd)


def run(command: Command, capfd) -> None:
    """Run one command and compare what it prints, clock times and drawn answers apart; ``>`` names a file for it."""
    line, _, file = command.line.partition(" > ")
    status = exit_status(shlex.split(line.removeprefix(OURS[0]).removeprefix(OURS[1])))
    captured = capfd.readouterr()
    if file:
        Path(file).write_text(captured.out, encoding="utf-8")
    printed = captured.out + captured.err
    if command.printed is None:
        assert 0 == status, f"{command.line}: {printed}"
    else:
        wanted, got = (DRAWN.sub("DRAWN", CLOCK.sub("CLOCK", text)) for text in (command.printed, printed))
        assert CHECKER.check_output(wanted, got, doctest.ELLIPSIS), f"{command.line} prints\n{printed}"


def exit_status(words: list[str]) -> int:
    """Return the exit status, also where the parser leaves by itself."""
    try:
        return main(words)
    except SystemExit as left:
        return int(left.code or 0)


def write_file_of(block: Block) -> None:
    """Write a block of TOML to the file that its first line names."""
    if block.language == "toml":
        name = block.text.partition("\n")[0].removeprefix("# ")
        Path(name).write_text(block.text, encoding="utf-8")
