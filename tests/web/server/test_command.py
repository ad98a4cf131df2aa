"""The command as it is typed: settings, tokens, a server, and somebody who asks it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable

import pytest

pytest.importorskip("sqlalchemy", reason="the server needs the extra web")

from dpselect.cli import main

COMMAND = [sys.executable, "-m", "dpselect", "serve"]


@pytest.fixture
def said(capsys) -> Callable[..., tuple[int, str, str]]:
    """Run the command in this process; return its status and what it printed."""

    def run(*words: str) -> tuple[int, str, str]:
        status = main(["serve", *words])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def test_the_examples_serve_until_they_are_stopped(said, tmp_path, monkeypatch) -> None:
    """From nothing to a release, with what the page of help shows; the server ends cleanly."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age,job\n" + "30,nurse\n" * 300, encoding="utf-8")
    assert 0 == said("office.toml", "--init")[0]
    text = (tmp_path / "office.toml").read_text(encoding="utf-8")
    (tmp_path / "office.toml").write_text(text.replace("port = 8440", "port = 0"), encoding="utf-8")
    assert 0 == said("office.toml", "--token", "carla", "--role", "curator")[0]
    status, out, _ = said("office.toml", "--token", "ann")
    assert (0, 2) == (status, len(out.splitlines()))

    with subprocess.Popen(
        [*COMMAND, "office.toml"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            assert line.startswith("Serving 1 dataset at http://127.0.0.1:"), line
            request = urllib.request.Request(
                f"{line.split()[-1]}/datasets/people/release",
                json.dumps({"query": "most_common", "column": "job", "epsilon": 1}).encode(),
                {
                    "Authorization": f"Bearer {out.splitlines()[0]}",
                    "Idempotency-Key": "first",
                    "Content-Type": "application/json",
                },
            )
            with urllib.request.urlopen(request, timeout=60) as reply:
                assert ["nurse"] == json.load(reply)["answer"]["candidates"]
            # A token can be made beside a server that runs.
            assert 0 == said("office.toml", "--token", "bob")[0]
            assert "Another server has this database" in said("office.toml")[2]
        finally:
            server.send_signal(signal.SIGINT)
            wrote = server.communicate(timeout=60)[1]
    assert 0 == server.returncode
    assert "Traceback" not in wrote
    assert "Ledger" not in wrote


@pytest.mark.parametrize(
    "words, sentence",
    [
        (("nothing.toml",), "The file nothing.toml does not exist"),
        (("office.toml", "--init"), "office.toml exists already"),
        (("office.toml",), "datasets.people: The file"),
        (("bad.toml",), "datasets is missing: add it."),
        (("office.toml", "--token", "Ann Smith"), "A name has at most 63"),
        (("office.toml", "--token", "ann", "--days", "0"), "A token works for more than 0"),
    ],
)
def test_what_is_wrong_is_a_sentence(said, words, sentence, tmp_path, monkeypatch) -> None:
    """With status 2: nothing was spent."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.toml").write_text("[server]\n", encoding="utf-8")
    assert 0 == said("office.toml", "--init")[0]
    status, _, wrote = said(*words)

    assert 2 == status
    assert sentence in " ".join(wrote.split())
    assert "Traceback" not in wrote
