"""The command as it is typed: a real server, which prints one address and stops when it is asked to."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from fractions import Fraction
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra web")

import dpselect as dps
from dpselect.cli import main
from dpselect.ledger import read_only
from tests.web.explorer.served import Served


@pytest.mark.parametrize("given", [pytest.param([], marks=pytest.mark.slow), ["people.csv"]])
def test_the_example_serves_until_it_is_stopped(given, tmp_path, monkeypatch) -> None:
    """It listens on 127.0.0.1 alone, lets in who has the address, once, and ends cleanly on Ctrl-C.

    A file that was named is said to be shown as it is, and every page names it.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age\n30\n")
    command = [sys.executable, "-m", "dpselect", "explore", *given]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1]
            assert address.startswith("http://127.0.0.1:")
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
            with browser.open(address, timeout=30) as answer:
                shown = answer.read()
                assert b"dpselect" in shown
                assert bool(given) == (b"people.csv, 1 row." in shown)
            with pytest.raises(urllib.error.HTTPError, match="403"):
                urllib.request.urlopen(address, timeout=30)
        finally:
            server.send_signal(signal.SIGINT)
            said = server.communicate(timeout=30)[1]
    assert 0 == server.returncode
    assert "Traceback" not in said
    assert bool(given) == ("people.csv is shown as it is: name only data that anybody may see." in said)


def test_a_ledger_is_named_for_the_planner(tmp_path, monkeypatch, capsys) -> None:
    """It is verified before anybody can connect, its file stays as it is, and one that is none, or that reading would
    change, is refused.
    """
    monkeypatch.chdir(tmp_path)
    ledger = dps.Ledger.open("people.ledger", epsilon=2, dataset="people")
    ledger.spend(dps.Guarantee(Fraction(1, 2), dps.mechanisms.Neighbours.ADD_REMOVE), mechanism="counts")
    before = Path("people.ledger").read_bytes()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    with Served("--ledger", "people.ledger", "--at", "/planner") as server:
        with browser.open(server.first, timeout=30) as answer:
            shown = answer.read().decode()
        said = server.stop()

    assert "0.5 was spent before" in shown
    assert "The planner shows what people.ledger has left: its owner may see it." in said
    assert before == Path("people.ledger").read_bytes()
    Path("broken.ledger").write_text("no ledger")
    other = sqlite3.connect("people.ledger")
    other.execute("PRAGMA journal_mode = wal")
    other.execute("CREATE TABLE late (a)")
    other.commit()
    for end in ("", "-wal"):
        shutil.copy(f"people.ledger{end}", f"log.ledger{end}")
    other.close()
    log = Path("log.ledger-wal").read_bytes()
    monkeypatch.setattr(read_only, "_PATIENCE", 0.05)
    # Nothing waits for a server that stands by mistake.
    monkeypatch.delattr("socket.create_server")
    for wrong in ("broken.ledger", "none.ledger", "log.ledger"):
        assert 2 == main(["explore", "--ledger", wrong])
        refused = capsys.readouterr()
        assert not refused.out
        assert wrong in refused.err
    assert log == Path("log.ledger-wal").read_bytes()
