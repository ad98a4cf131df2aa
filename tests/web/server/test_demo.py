"""The server to try, as it is typed: what it prints can be used, and nothing of it stays."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the server needs the extra web")

import dpselect as dps
from dpselect.cli import main

COMMAND = [sys.executable, "-m", "dpselect", "serve"]


class Tried:
    """A demo that runs, with what it printed."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "--demo"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(folder)},
        )
        self.printed = ""
        for line in self.process.stdout:
            self.printed += line
            if line.startswith("Serving "):
                break
        self.address = line.split()[-1]
        self.tokens = dict(re.findall(r"^  (\w+) \(\w+\): (\S+)$", self.printed, re.MULTILINE))

    def stop(self, number: int) -> tuple[int, str]:
        """Send a signal; return the status and what was written on standard error."""
        self.process.send_signal(number)
        wrote = self.process.communicate(timeout=60)[1]
        return self.process.returncode, wrote


@pytest.fixture
def tried(tmp_path):
    """A demo with a temporary folder of its own."""
    running = Tried(tmp_path)
    yield running
    if running.process.poll() is None:
        running.process.kill()
        running.process.communicate()


def test_a_demo_is_asked_and_leaves_nothing(tried, tmp_path) -> None:
    """Three users, two made-up tables; while it runs, its folder is its owner's alone; afterwards there is none."""
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith("dpselect-made-up-")
    assert 0 == folder.stat().st_mode & 0o077
    assert {"carla", "ann", "bob"} == tried.tokens.keys()
    assert tried.printed.startswith("Everything here is made up")

    offers = {who: dps.connect(tried.address, token).datasets() for who, token in tried.tokens.items()}
    names = {who: {offer.name for offer in listed} for who, listed in offers.items()}
    assert {"made-up-people", "made-up-visits"} == names["carla"] == names["ann"]
    assert {"made-up-people"} == names["bob"]
    assert all(offer.about.startswith("Made up: ") for offer in offers["ann"])
    visits = dps.connect(tried.address, tried.tokens["ann"]).dataset("made-up-visits")
    assert ("emergency",) == visits.most_common("ward", epsilon=2).value

    # What is printed as an example runs as it is, and is about this server and this user.
    example = "\n".join(line.strip() for line in tried.printed.partition("in Python:\n")[2].splitlines()[:-1])
    done = subprocess.run([sys.executable, "-c", example], check=False)
    assert 0 == done.returncode
    assert tried.tokens["ann"] in example
    assert 2 == len(dps.connect(tried.address, tried.tokens["ann"]).history())

    status, wrote = tried.stop(signal.SIGINT)
    assert 0 == status
    assert "Traceback" not in wrote
    assert all(token not in wrote for token in tried.tokens.values())
    assert [] == [*tmp_path.iterdir()]


@pytest.mark.parametrize("name", ["SIGTERM", pytest.param("SIGHUP", marks=pytest.mark.slow)])
def test_other_signals_leave_nothing_either(name, tried, tmp_path) -> None:
    """A terminal that is closed, and an administrator."""
    status, wrote = tried.stop(getattr(signal, name))

    assert (0, "") == (status, wrote)
    assert [] == [*tmp_path.iterdir()]


def test_made_up_tables_are_what_their_settings_say(tmp_path) -> None:
    """The same ones each time; every value is a public one, and everybody has at most as many rows as count."""
    from dpselect.web.server.demo import write

    folders = [tmp_path / name for name in "ab"]
    for folder in folders:
        folder.mkdir()
    settings, _ = (write(folder) for folder in folders)
    rows = {}
    for name in ("people", "visits"):
        one, other = ((folder / f"{name}.csv").read_text(encoding="utf-8") for folder in folders)
        assert one == other
        header, *lines = one.splitlines()
        rows[name] = [dict(zip(header.split(","), line.split(","), strict=True)) for line in lines]
    for name, listed in rows.items():
        for column, domain in settings.datasets[f"made-up-{name}"].description.columns.items():
            held = {row[column] for row in listed}
            if isinstance(domain, tuple):
                assert held == {*domain}
            else:
                assert all(domain.lower <= int(value) <= domain.upper for value in held)
    each = [sum(row["who"] == who for row in rows["visits"]) for who in {row["who"] for row in rows["visits"]}]
    assert (300, 3) == (len(each), max(each))


def test_a_port_that_is_taken_is_left_alone(tmp_path) -> None:
    """A second demo takes another, and holds it from the moment that it has chosen."""
    from dpselect.web.server.demo import free_socket, write

    settings = write(tmp_path)
    with free_socket(settings) as one, free_socket(settings) as other, free_socket(settings) as third:
        assert 3 == len({each.getsockname()[1] for each in (one, other, third)})


@pytest.mark.parametrize(
    "words, sentence",
    [
        ((), "Name the file of settings, or pass --demo"),
        (("office.toml", "--demo"), "--demo takes no file of settings"),
        (("--demo", "--init"), "--demo takes no file of settings"),
        (("--demo", "--token", "eve"), "--demo takes no file of settings"),
    ],
)
def test_a_demo_is_by_itself(words, sentence, tmp_path, monkeypatch, capsys) -> None:
    """What goes with settings of one's own is refused, with status 2."""
    monkeypatch.chdir(tmp_path)

    assert 2 == main(["serve", *words])
    assert sentence in " ".join(capsys.readouterr().err.split())
