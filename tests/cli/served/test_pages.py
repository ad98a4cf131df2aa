"""Pages of help of the verbs that ask a server, and the commands of the documentation, run as they are written."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from dpselect.cli import command, main, schemas, served
from dpselect.cli.examples import commands
from dpselect.cli.options import Option
from tests.cli.every import every_command
from tests.cli.schema import faults, unnamed
from tests.cli.test_examples import lacking

SERVER = ["--server", "https://dp.example.org"]
PAGES = {name: [name, *SERVER] for name in served.SERVED} | {"history": ["history"]}
HOW_TO = Path(__file__).parents[3] / "docs" / "how-to" / "serve.md"


@pytest.mark.parametrize("width", ["80", "120"])
@pytest.mark.parametrize("name", PAGES)
def test_every_page_of_help_says_what_a_verb_that_asks_takes(name: str, width: str, monkeypatch, capsys) -> None:
    """What it does, whom it protects and how it is written; plain, as wide as the terminal, without a network."""
    monkeypatch.setenv("COLUMNS", width)
    assert 0 == main([*PAGES[name], "--help"])
    page = capsys.readouterr().out
    verb = command.root().imported(name, SERVER).verb

    assert not lacking("\n".join(line.rstrip() for line in page.splitlines()), name)
    assert all(len(line) <= int(width) for line in page.splitlines())
    assert verb.example.splitlines() == commands(page)
    assert {"--server", "--token-file"} <= {*re.findall(r"--[a-z-]+", page)}
    assert "--ledger" not in page


@pytest.mark.parametrize("name", served.SERVED)
def test_a_verb_that_reads_a_file_says_that_a_server_can_be_asked(name: str, capsys) -> None:
    """On its own page of help."""
    assert 0 == main([name, "--help"])
    assert f"dpselect {name} --server URL --help" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", served.SERVED)
def test_options_of_files_are_refused_in_a_sentence(name: str, capsys) -> None:
    """Of every option of the verb that reads a file, the one that asks a server has it, or says what to do instead."""
    (local,) = [options for words, options in every_command() if words == (name,)]
    asks = command.root().imported(name, SERVER)
    known = {each for parameter in asks.params for each in parameter.opts}
    for option in local:
        if not isinstance(option, Option) or option.opts[0] in known:
            continue
        assert option.opts[0] in asks.verb.elsewhere, option.opts[0]
        assert 2 == main([name, *SERVER, "--epsilon", "1", option.opts[0], "x"])
        assert f"there is no option {option.opts[0]}: {asks.verb.elsewhere[option.opts[0]]}." in capsys.readouterr().err


def pages_of(url: str, text: str) -> list[list[str]]:
    """Return commands of a text as words, asked of the running server about its tables."""
    replaced = text.replace("https://dp.example.org", url)
    replaced = replaced.replace("--dataset people", "--dataset survey").replace("--of income", "--of age")
    replaced = replaced.replace("--dataset visits --item ward", "--dataset survey --item job")
    return [shlex.split(line)[1:] for line in replaced.splitlines() if line.startswith("dpselect ")]


@pytest.mark.parametrize("name", PAGES)
def test_every_example_works_and_prints_its_json(name: str, url: str, capsys) -> None:
    """Asked of a running server: as text, as JSON, and as a plan of both kinds."""
    verb = command.root().imported(name, SERVER).verb
    for words in pages_of(url, re.sub(r"--epsilon [\d.]+", "--epsilon 0.01", verb.example)):
        assert 0 == main(words), capsys.readouterr().err
        Path("model.json").unlink(missing_ok=True)
        assert 0 == main([*words, "--json"])
        schema = schemas.answer(name) if name == "history" else schemas.served(name)
        printed = json.loads(capsys.readouterr().out.partition("\n{")[2].join(["{", ""]))
        assert not faults(printed, schema)
        assert not unnamed(printed, schema)


def test_the_commands_of_the_how_to_page_run(url: str, capsys) -> None:
    """In the order of the page; the certificate that one writes is whole, and is not written over."""
    text = HOW_TO.read_text(encoding="utf-8").partition("### From the command line")[2].partition("###")[0]
    lines = pages_of(url, text)
    assert 6 == len(lines)
    for words in lines:
        assert 0 == main(words), capsys.readouterr().err
    assert 0 == main(["verify", "median.json"])
    (certified,) = [words for words in lines if "--certificate" in words]
    capsys.readouterr()

    assert 2 == main(certified)
    assert "median.json" in capsys.readouterr().err
