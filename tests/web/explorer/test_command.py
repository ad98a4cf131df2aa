"""The command as it is typed: a real server, which prints one address and stops when it is asked to."""

from __future__ import annotations

import signal
import subprocess
import sys
import urllib.error
import urllib.request
from http.cookiejar import CookieJar

import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra web")


@pytest.mark.parametrize("given", [[], ["people.csv"]])
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
