"""What every verb must have: a line in the list, a file, an example that is understood, and what the base gives it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from dpselect.cli import click_commands, main
from dpselect.cli import commands as verbs
from dpselect.cli.examples import commands
from dpselect.cli.request import Request
from tests.cli.every import every_command

SOURCE = Path(__file__).parents[2] / "src"
ROOT = click_commands.root()
COMMANDS = {
    " ".join(words): ROOT.import_command(words[0])
    if len(words) == 1
    else ROOT.import_command(words[0]).commands[words[1]]
    for words, _ in every_command()
}


def test_every_verb_is_a_file_and_a_line() -> None:
    """A new verb is its file and one line in the list: neither alone."""
    files = {path.stem for path in Path(verbs.__file__).parent.glob("*.py")} - {"__init__"}
    listed = {name.replace("-", "_") for name in verbs.VERBS}

    assert not files - listed, f"add a line to VERBS in cli/commands/__init__.py for {files - listed}"
    assert not listed - files, f"write cli/verbs/{{{','.join(listed - files)}}}.py, which holds VERB"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_what_its_page_needs(name: str) -> None:
    """A line that says what it does, an example that is understood, and words for all that it takes."""
    verb = COMMANDS[name].verb
    assert COMMANDS[name].short_help.endswith("."), f"{name}: say in one sentence what it does"
    assert verb.example.startswith(f"dpselect {name}"), f"{name}: give an example that begins with dpselect {name}"
    for example in verb.example.splitlines():
        request = Request(shlex.split(example)[1:])
        click_commands.parse_options(request.words, request)
        assert request.verb is not None, f"{name}: the example is not understood"
    for parameter in COMMANDS[name].params:
        assert parameter.help, f"{name}: say what {parameter.name} is"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_what_the_base_gives(name: str) -> None:
    """Epsilon, ledger and --dry-run where it releases; no name that a request uses itself."""
    verb = COMMANDS[name].verb
    options = {option for parameter in COMMANDS[name].params for option in parameter.opts}
    assert not verb.spends or {"--epsilon", "--ledger", "--dry-run", "--json"} <= options
    own = {*vars(Request([]))} - {"json", "dry_run", "overwrite"}
    assert not own & {parameter.name for parameter in COMMANDS[name].params}, f"{name}: name that option otherwise"


@pytest.mark.parametrize("width", ["80", "120"])
@pytest.mark.parametrize("name", COMMANDS)
def test_every_page_of_help_is_plain_in_a_pipe(name: str, width: str, monkeypatch, capsys) -> None:
    """No colour, no line wider than the terminal, and the examples on it, whole."""
    monkeypatch.setenv("COLUMNS", width)
    assert 0 == main([*name.split(), "--help"])
    page = capsys.readouterr().out

    assert "\x1b" not in page
    assert all(len(line) <= int(width) for line in page.splitlines())
    assert COMMANDS[name].verb.example.splitlines() == commands(page)
    assert not [line for line in page.splitlines() if "[TEXT]" in line]


def test_without_a_word_the_help_says_what_to_try_first(capsys) -> None:
    """Status 0: nothing was asked, and nothing was refused."""
    assert 0 == main([])
    page = capsys.readouterr().out
    assert "Try first: dpselect demo" in page
    assert all((f"  {name} " in page) == (name not in verbs.PANELS["More"]) for name in verbs.VERBS)


def test_all_the_help_lists_every_command(capsys) -> None:
    """Those of this package, of queries and of other packages."""
    assert 0 == main(["--help", "--all"])
    page = capsys.readouterr().out
    assert all(f"  {name} " in page for name in {*verbs.VERBS, *(name.split()[0] for name in COMMANDS)})


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["quantiles", "--help"]])
def test_a_list_of_verbs_imports_none(words: list[str]) -> None:
    """One page of help needs at most one verb, and no heavy library."""
    code = (
        "import sys; from dpselect.cli import main; main(sys.argv[1:]);"
        "print([name for name in sys.modules if name.startswith('dpselect.cli.commands.')],"
        "[name for name in ('scipy', 'pyarrow', 'sklearn', 'ibis', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    assert "[] []" == done.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    "typed, suggested",
    [
        (["quan"], {"plain,quantiles"}),
        (["budget", "s"], {"plain,show", "plain,spend", "plain,settle"}),
        (["quantiles", "--lo"], {"plain,--lower"}),
        (["train", "--model", "f"], {"plain,forest"}),
        (["train", "--model", "b"], {"plain,boosted"}),
        (["train", "--out", "do"], {"file,do"}),
        (["quantiles", "people.csv", "--p", "25", "50", "--ep"], {"plain,--epsilon"}),
        (["quantiles", "--mechanism", "perm"], {"plain,permute-and-flip"}),
        (["compare", "top-k", "--mechanisms", "perm"], {"plain,permute-and-flip"}),
        (["select", "--sensitivity", "1", "--neighbours", "e"], {"plain,edge"}),
        (["nothing", "x"], set()),
        (["train", "--nothing", "3", "--nothing"], set()),
    ],
)
def test_a_shell_can_ask_what_may_follow(typed: list[str], suggested: set[str], monkeypatch, capsys) -> None:
    """Verbs, tasks, options, words from a list, and files."""
    monkeypatch.setenv("_DPSELECT_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", shlex.join(["dpselect", *typed]))
    monkeypatch.setenv("COMP_CWORD", str(len(typed)))
    assert 0 == main([])

    assert suggested == set(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "words, said",
    [
        (["counts"], "dpselect: the command 'counts' does not exist, did you mean histogram: see dpselect --help."),
        (
            ["percentile"],
            "dpselect: the command 'percentile' does not exist, did you mean quantiles: see dpselect --help.",
        ),
        (["quantils"], "dpselect: the command 'quantils' does not exist, did you mean quantiles: see dpselect --help."),
        (["budget"], "dpselect budget: name a task: create, show, spend, report, verify, settle or export; see "),
        (
            ["budget", "shw"],
            "dpselect budget: the task 'shw' does not exist, did you mean show: see dpselect budget --help.",
        ),
        (["demo", "--epsilon", "1"], "dpselect demo: the option --epsilon does not exist: see dpselect demo --help."),
        (["--verzion"], "dpselect: the option --verzion does not exist, did you mean --version: see dpselect --help."),
        (["train", "--unknwn"], "dpselect train: the option --unknwn does not exist, did you mean --unknown: see "),
        (["train", "x", "--unknown", "clipp"], "did you mean clip? It is one of clip, ignore."),
        (
            ["compare", "x"],
            "the task 'x' does not exist; it is one of "
            "formulas, histogram, median, metrics, percentile, snp, top-k: see ",
        ),
        (
            ["quantiles", "x", "--p", "abc"],
            "--p: 'abc' is not a number: write one such as 50, 0.5 or 1/3, and the dataset before --p.",
        ),
        (["quantiles", "x", "--p", "25,50"], "--p: '25,50' are several: write spaces between, as in --p 25 50."),
        (
            ["select", "x", "--sensitivity", "1", "--neighbours", "persn"],
            "did you mean person? It is one of substitution, add-remove, ",
        ),
        (["snp", "x", "--families"], "dpselect snp: --families needs a value: see dpselect snp --help."),
    ],
)
def test_a_slip_is_answered_with_what_may_be_meant(words: list[str], said: str, capsys) -> None:
    """Status 2 and one sentence."""
    assert 2 == main(words)
    printed = capsys.readouterr()

    assert said in printed.err
    assert ("", 1) == (printed.out, printed.err.count("\n"))


def test_a_verb_beside_the_list_is_noticed(tmp_path: Path, monkeypatch) -> None:
    """The contract above can fail."""
    package = ModuleType("verbs")
    package.__file__ = str(tmp_path / "__init__.py")
    package.VERBS = {"top-k": "words"}
    (tmp_path / "other.py").touch()
    monkeypatch.setattr(f"{__name__}.verbs", package)

    with pytest.raises(AssertionError, match="add a line to VERBS"):
        test_every_verb_is_a_file_and_a_line()


@pytest.mark.parametrize("words, light", [(["--help"], True), (["nothing"], True), (["mechanisms"], False)])
def test_the_command_needs_no_library_for_a_page_of_help(words: list[str], light: bool) -> None:
    """The vocabulary of the package waits until a command uses a name of it; then it is whole."""
    code = (
        "import sys, dpselect_command; status = dpselect_command.main(); import dpselect;"
        "print(status, 'numpy' in sys.modules); assert dpselect.BudgetError.__module__ == 'dpselect';"
        "assert not hasattr(dpselect, 'nothing') and dpselect.__version__ and 'numpy' in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    status = 2 if words == ["nothing"] else 0
    assert f"{status} {not light}" == done.stdout.splitlines()[-1]
