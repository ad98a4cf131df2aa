"""Pages of help of what asks a server, and the commands of the documentation, run as they are written."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from dpselect.cli import click_commands, main, schemas
from dpselect.cli.command_registry import queries
from dpselect.cli.dataset_options import is_of_dataset
from dpselect.cli.examples import commands
from dpselect.cli.options import Argument, CommandOption
from tests.cli.schema import faults, unnamed
from tests.cli.test_examples import lacking

HOST = "https://dp.example.org"
PAGES = ("datasets", "history")
HOW_TO = Path(__file__).parents[3] / "docs" / "how-to" / "serve.md"


@pytest.mark.parametrize("width", ["80", "120"])
@pytest.mark.parametrize("name", PAGES)
def test_every_page_of_help_says_what_a_verb_that_asks_takes(name: str, width: str, monkeypatch, capsys) -> None:
    """What it does, whom it protects and how it is written; plain, as wide as the terminal, without a network."""
    monkeypatch.setenv("COLUMNS", width)
    assert 0 == main([name, HOST, "--help"])
    page = capsys.readouterr().out
    verb = click_commands.root().import_command(name, [HOST]).verb

    assert not lacking("\n".join(line.rstrip() for line in page.splitlines()), name)
    assert all(len(line) <= int(width) for line in page.splitlines())
    assert verb.example.splitlines() == commands(page)
    assert "--token-file" in page
    assert "--ledger" not in page


@pytest.mark.parametrize("name", queries())
def test_a_query_says_that_a_server_can_be_asked(name: str, capsys) -> None:
    """On its own page of help; who asks is said by options that the whole page shows."""
    assert 0 == main([name, "--help"])
    page = " ".join(capsys.readouterr().out.split())
    assert f"{HOST}/survey" in page
    assert "--token-file" not in page
    assert 0 == main([name, "--help", "--all"])
    assert {"--key", "--token-file", "--authority", "--plain"} <= {*capsys.readouterr().out.split()}


def _value(parameter: Any) -> str:
    return str(parameter.type.choices[0]) if hasattr(parameter.type, "choices") else "2"


@pytest.mark.parametrize("name", queries())
def test_options_of_files_are_refused_in_a_sentence(name: str, capsys) -> None:
    """Of a dataset of a server all that is public is known there, and its ledger pays."""
    parameters = click_commands.root().import_command(name).params
    positional = [each for each in parameters if isinstance(each, Argument)][1:]
    words = [_value(each) for each in positional]
    for each in parameters:
        if isinstance(each, CommandOption) and each.required:
            words += [
                each.opts[0],
                ("new.csv" if name == "synthesize" else "new.json") if each.name == "out" else _value(each),
            ]
    words += [] if "--epsilon" in words else ["--epsilon", "1"]
    refused = 0
    for option in parameters:
        of_file = is_of_dataset(option) or option.name in ("ledger", "question", "file_hash", "workers")
        if not of_file or not isinstance(option, CommandOption):
            continue
        value = [] if option.is_flag else [_value(option)]
        paper = ["--certificate", "paper.json"] if option.name in ("question", "file_hash") else []
        line = [name, f"{HOST}/survey", *words, *paper, option.opts[0], *value]
        assert 2 == main(line), line
        said = capsys.readouterr().err
        assert option.opts[0] in said
        assert "leave it out" in said or "leave out" in said, said
        refused += 1
    assert refused


def test_options_of_servers_are_refused_where_this_machine_is_asked(tmp_path, monkeypatch, capsys) -> None:
    """A token would be sent nowhere, and a key would not keep a second answer from being paid for."""
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("age\n1\n", encoding="utf-8")
    for words in (["--key", "my-1"], ["--token-file", "t.csv"], ["--plain"]):
        assert 2 == main(["median", "t.csv", "age", "--lower", "0", "--upper", "9", "--epsilon", "1", *words])
        assert f"{words[0]} goes with a dataset of a server" in capsys.readouterr().err


def test_an_address_that_is_not_a_dataset_of_a_server_is_refused(capsys) -> None:
    """As are the options that named one before."""
    for dataset in (HOST, f"{HOST}/", f"{HOST}/Survey", f"{HOST}//", f"{HOST}/survey?x=1", "https:///survey"):
        assert 2 == main(["median", dataset, "age", "--epsilon", "1"])
        assert "A dataset of a server is like" in capsys.readouterr().err
    assert 2 == main(["median", "--server", HOST, "--dataset", "survey", "--column", "age", "--epsilon", "1"])
    assert f"in the place of a description, such as {HOST}/survey" in capsys.readouterr().err
    assert 2 == main(["median", f"{HOST}/survey.xls", "age", "--lower", "0", "--upper", "9", "--epsilon", "1"])
    assert "does not end in .csv" in capsys.readouterr().err


def pages_of(url: str, text: str) -> list[list[str]]:
    """Return commands of a text as words, asked of the running server about its tables."""
    replaced = text.replace("https://dp.example.org", url)
    replaced = replaced.replace(f"{url}/people", f"{url}/survey").replace(" people", " survey")
    replaced = replaced.replace("--of income", "--of age").replace(f"{url}/visits ward", f"{url}/survey job")
    return [shlex.split(line)[1:] for line in replaced.splitlines() if line.startswith("dpselect ")]


@pytest.mark.parametrize("name", PAGES)
def test_every_example_works_and_prints_its_json(name: str, url: str, capsys) -> None:
    """Asked of a running server: as text, as JSON, and as a plan of both kinds."""
    verb = click_commands.root().import_command(name, [HOST]).verb
    for words in pages_of(url, re.sub(r"--epsilon [\d.]+", "--epsilon 0.01", verb.example)):
        assert 0 == main(words), capsys.readouterr().err
        Path("model.json").unlink(missing_ok=True)
        assert 0 == main([*words, "--json"])
        schema = schemas.answer(name) if name == "history" else schemas.served_schema(name)
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
