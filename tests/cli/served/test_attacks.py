"""Hostile servers, lost replies and tokens in wrong places: nothing steers a terminal, leaks or is paid twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.certificates.canonical_json import checksum
from dpselect.cli import main
from tests.client.between import Between, standing

AGE = ["age", "--epsilon", "0.01"]
STEERING = "\x1b]0;title\x07\x1b[31m\u202e"


@pytest.fixture(autouse=True)
def _soon(monkeypatch) -> None:
    """What is lost is asked for again at once."""
    monkeypatch.setattr("dpselect.client.transport.WAITS", (0.01,))


def asked(capsys, *words: str) -> tuple[int, str, str]:
    """Run a command; return its status and what it printed."""
    capsys.readouterr()
    status = main([*words])
    said = capsys.readouterr()
    return status, said.out, said.err


def forged(content: dict, **changed: object) -> dict:
    """Return a release that says something else, with a certificate that agrees."""
    paper = content["certificate"]["certificate"] | {k: v for k, v in changed.items() if k != "accuracy"}
    return {**content, **changed, "certificate": {"certificate": paper, "sha256": checksum(paper)}}


def releases(change):
    """Return what changes releases alone, as :class:`Between` takes it."""

    def changed(path: str, status: int, body: bytes) -> tuple[int, bytes]:
        if not path.endswith("/release") or status != 200:
            return status, body
        return status, json.dumps(change(json.loads(body))).encode()

    return changed


@pytest.mark.parametrize(
    "change, status, said",
    [
        (lambda c: forged(c, answer={"candidates": [STEERING]}), 0, "median: \\x1b]0;title"),
        (lambda c: forged(c, mechanism=STEERING), 0, "by \\x1b]0;title"),
        (lambda c: c | {"accuracy": STEERING}, 0, "\\x1b]0;title"),
        (lambda c: c | {"request": STEERING}, 0, "request \\x1b]0;title"),
        (lambda c: forged(c, guarantee=c["guarantee"] | {"epsilon": "0.02"}), 1, "promises epsilon 0.02 where 0.01"),
        (lambda c: forged(c, guarantee=c["guarantee"] | {"epsilon": "1e999999999"}), 1, "does not answer as"),
        (lambda c: forged(c, guarantee=c["guarantee"] | {"epsilon": "-1"}), 1, "does not answer as"),
        (lambda c: c | {"answer": {"candidates": [3]}}, 1, "does not answer as"),
        (lambda c: c | {"ledger_row": float("inf")}, 1, "--key "),
        (lambda c: forged(c, answer={"candidates": [1, 2]}), 1, "does not answer as"),
        (lambda c: forged(c, answer={}), 1, "does not answer as"),
        (lambda c: [c], 1, "does not answer as"),
    ],
)
def test_a_hostile_release_is_harmless(change, status, said, office, url, capsys) -> None:
    """Its words are spelled out, its numbers fill no memory, and another price is said; status 1, as it may be paid."""
    del url
    with standing(Between(office.port, releases(change))) as between:
        ended, out, err = asked(capsys, "median", f"http://127.0.0.1:{between.port}/survey", *AGE)

    assert (status, True) == (ended, said in out + err), out + err
    assert not {*"\x1b\x07\u202e"} & {*(out + err)}
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "status, body",
    [
        (422, json.dumps({"detail": f"{STEERING} TOKEN"})),
        (403, json.dumps({"detail": STEERING * 10**5})),
        (401, json.dumps({"detail": [STEERING]})),
        (200, "[" * 10**5),
        (200, "9" * 10**5),
        (200, '[{"name": NaN}]'),
        (200, '[{"name": "x", "about": "y", "paused": 0, "left": {"released": {"epsilon": "1e999999999"}}}]'),
        (200, '[{"name": "x", "about": "y", "paused": 0, "left": {"released": {"epsilon": "1/0"}}}]'),
        (302, ""),
        (307, ""),
    ],
)
def test_hostile_replies_are_one_sentence(status, body, office, url, capsys) -> None:
    """A refusal with status 2; no redirection is followed, and a token that comes back is not printed."""
    del url
    token = office.tokens["ann"]
    reply = status, body.replace("TOKEN", token).encode()
    with standing(Between(office.port, lambda *_: reply)) as between:
        ended, out, err = asked(capsys, "datasets", f"http://127.0.0.1:{between.port}")

    assert (2, "", 1) == (ended, out, err.count("\n")), err
    assert not {*"\x1b\x07\u202e"} & {*err}
    assert token not in err
    assert len(err) < 5000
    # What may have been cut short on the way is asked for again.
    assert status == 200 or 1 == len(between.seen)


def test_hostile_facts_are_spelled_out(office, url, capsys) -> None:
    """Names, descriptions, columns and what was asked: all are the server's words."""
    del url
    left = {"released": {"epsilon": "1"}}
    facts = {"name": STEERING, "about": STEERING, "paused": True, "left": left, "rule": STEERING}
    facts |= {"rows_per_person": None, STEERING: {STEERING: [STEERING]}}
    answers = {
        "/datasets": [facts],
        "/datasets/survey": facts | {"columns": {STEERING: {STEERING: STEERING}}},
        "/history": [{"request": STEERING, "dataset": STEERING, "query": {"query": STEERING}, "state": STEERING}],
    }
    with standing(Between(office.port, lambda path, *_: (200, json.dumps(answers[path]).encode()))) as between:
        server = f"http://127.0.0.1:{between.port}"
        for words in (["datasets", server], ["datasets", server, "survey"], ["history", server]):
            status, out, err = asked(capsys, *words)
            assert (0, "") == (status, err)
            assert "\\x1b]0;title" in out
            assert not {*"\x1b\x07\u202e"} & {*out}
            assert 0 == asked(capsys, *words, "--json")[0]


def test_a_lost_answer_is_asked_for_with_the_key_that_is_said(office, url, capsys) -> None:
    """Status 1; the same command with that key gives the answer, and it is paid for once."""
    before = spent(office)
    lost = Between(office.port, lambda path, status, body: None if path.endswith("/release") else (status, body))
    with standing(lost) as between:
        ended, out, err = asked(capsys, "median", f"http://127.0.0.1:{between.port}/survey", *AGE)
    assert (1, "") == (ended, out)
    key = err.partition("--key ")[2].partition(" ")[0]
    assert {key} == {*lost.keys}
    assert "stays spent" in err

    assert 0 == asked(capsys, "median", f"{url}/survey", *AGE, "--key", key)[0]
    assert 1 == spent(office) - before


def test_a_certificate_that_cannot_be_written_is_refused_before_anything_is_spent(office, url, capsys) -> None:
    """Of a file that exists, another ending and a folder that does not; what is there stays as it is."""
    Path("there.json").write_text("mine", encoding="utf-8")
    before = spent(office)
    for name in ("there.json", "there.txt", "nowhere/a.json"):
        ended, _, err = asked(capsys, "median", f"{url}/survey", *AGE, "--certificate", name)
        assert (2, 1) == (ended, err.count("\n"))

    assert before == spent(office)
    assert "mine" == Path("there.json").read_text(encoding="utf-8")


def test_what_was_paid_for_is_printed_where_it_cannot_be_saved(url, capsys, monkeypatch) -> None:
    """Whole, with status 1."""

    def full(*_: object) -> None:
        raise OSError(28, "full")

    monkeypatch.setattr("dpselect.sources.output.Output.put", full)
    ended, out, err = asked(capsys, "median", f"{url}/survey", *AGE, "--certificate", "a.json")
    assert (1, True) == (ended, out.startswith("median: "))
    assert "paid for and could not be saved" in err
    assert not Path("a.json").exists()


def spent(office) -> int:
    """Return how many rows the ledger has, as a curator sees it."""
    return len(office.send("carla", "GET", "/datasets/survey/spends?most=1000").json["spends"])


def test_a_token_on_the_command_line_is_refused(url, office, capsys) -> None:
    """In every form, and it is not quoted; nor is one that stands where a file belongs, or within an address."""
    token = office.tokens["bob"]
    host = url.removeprefix("http://")
    for words in (
        [f"{url}/survey", "--token", token],
        [f"{url}/survey", f"--token={token}"],
        [f"{url}/survey", "--token-file", token],
        [f"http://bob:{token}@{host}/survey"],
        [f"{url}/survey?token={token}"],
        [f"{url}/survey#{token}"],
        [f"{url}/{token}"],
    ):
        ended, out, err = asked(capsys, "median", *words, *AGE)
        assert (2, "") == (ended, out)
        assert token not in err
    assert (
        "--token-file FILE or set DPSELECT_TOKEN" in asked(capsys, "median", f"{url}/survey", *AGE, "--token", token)[2]
    )


def test_a_token_comes_from_a_file_that_nobody_else_reads(url, office, capsys, monkeypatch) -> None:
    """Before the environment; a file that others may read is refused, and none of its text is quoted."""
    monkeypatch.setenv("DPSELECT_TOKEN", "not-a-token-of-this-server")
    file = Path("token")
    file.write_text(f"{office.tokens['ann']}\n", encoding="ascii")
    words = ["datasets", url, "--token-file", "token"]
    file.chmod(0o600)
    assert 0 == asked(capsys, *words)[0]
    for mode in (0o640, 0o604, 0o620, 0o602):
        file.chmod(mode)
        ended, _, err = asked(capsys, *words)
        assert (2, True) == (ended, "chmod 600" in err)
    file.chmod(0o600)
    for content in (b"", b"\xff\xfe" * 20, b"two words", b"x" * 10**4):
        file.write_bytes(content)
        ended, _, err = asked(capsys, *words)
        assert (2, 1) == (ended, err.count("\n"))
        assert "Traceback" not in err
    assert 2 == asked(capsys, "datasets", url)[0]


def test_without_a_token_it_says_where_one_belongs(url, monkeypatch, capsys) -> None:
    """In a script nobody is asked."""
    monkeypatch.delenv("DPSELECT_TOKEN")
    ended, _, err = asked(capsys, "datasets", url)
    assert (2, True) == (ended, "Pass --token-file FILE, or set DPSELECT_TOKEN" in err)


def test_a_token_is_typed_hidden(url, office, monkeypatch, capsys) -> None:
    """On a terminal; where it would be shown, it is refused."""
    monkeypatch.delenv("DPSELECT_TOKEN")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("getpass.getpass", lambda _: office.tokens["ann"])
    assert 0 == asked(capsys, "datasets", url)[0]

    def shown(_: str) -> str:
        import warnings
        from getpass import GetPassWarning

        warnings.warn("would be shown", GetPassWarning, stacklevel=1)
        return "seen"

    monkeypatch.setattr("getpass.getpass", shown)
    ended, _, err = asked(capsys, "datasets", url)
    assert (2, True) == (ended, "only be typed where it stays hidden" in err)


# A command that does not wait between its attempts.
AT_ONCE = """
import sys, time
time.sleep = lambda _: None
from dpselect.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_no_traceback_has_the_token(url, office) -> None:
    """Not even where one is asked for, of a server that is not there."""
    token = office.tokens["ann"]
    for address in ("http://127.0.0.1:1", url):
        done = subprocess.run(
            [sys.executable, "-c", AT_ONCE, "datasets", address, "nothing"],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "DPSELECT_TRACEBACK": "1", "DPSELECT_TOKEN": token},
            timeout=60,
        )
        assert 2 == done.returncode
        assert "Traceback" in done.stderr
        assert token not in done.stdout + done.stderr


@pytest.mark.parametrize("words", [["median", "--help"], ["median", "--help", "--all"], ["history", "--help"]])
def test_a_page_of_help_needs_no_network(words) -> None:
    """Nothing that reads from one is loaded, and no NumPy: a cold start stays short."""
    code = (
        "import sys, dpselect_command; sys.argv[1:] = sys.argv[1:]; dpselect_command.main();"
        "print([name for name in ('urllib.request', 'ssl', 'dpselect.client', 'getpass') if name in sys.modules],"
        "'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    loaded, _, numpy = done.stdout.splitlines()[-1].rpartition(" ")
    assert "[]" == loaded
    assert "False" == numpy


def test_a_claim_that_would_be_false_is_a_privacy_error(office, url) -> None:
    """As in the library, and not a plain mistake; other refusals of the same status stay those."""
    del url
    replies = [{"detail": "A public fact is missing.", "error": "PrivacyError"}, {"detail": "No such column."}]
    for reply, error in zip(replies, (dps.PrivacyError, ValueError), strict=True):
        changed = Between(office.port, lambda *_, reply=reply: (422, json.dumps(reply).encode()))
        with standing(changed) as between, pytest.raises(error, match=reply["detail"]):
            dps.connect(f"http://127.0.0.1:{between.port}", office.tokens["ann"]).datasets()


def test_an_interrupt_says_the_key(url, capsys, monkeypatch) -> None:
    """Status 130: the question may have been paid for, so the key that asks again is printed."""

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dpselect.client.dataset.RemoteDataset.ask", stopped)
    ended, out, err = asked(capsys, "median", f"{url}/survey", *AGE, "--key", "my-1")
    assert (130, "") == (ended, out)
    assert "--key my-1 asks for the answer again" in err
    assert "stays spent" in err
