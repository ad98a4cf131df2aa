"""How soon the first page stands: what it does not need is loaded while somebody looks at it."""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the explorer needs the extra web")

from dpselect.web.explorer.pages import PAGES
from dpselect.web.explorer.warm_up import warm_up
from tests.web.explorer.served import Served

SECONDS = 2.0


def test_the_list_of_pages_needs_no_page() -> None:
    """Neither a page's content nor what draws is imported before the port is open; FastAPI is the server's alone."""
    code = (
        "import sys; import dpselect.web.explorer.commands.explore;"
        "from dpselect.web.explorer.app import explorer; explorer(1);"
        "print(*sys.modules)"
    )
    loaded = set(
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    )

    assert "dpselect.web.explorer.pages" in loaded
    assert not {name for name in loaded if name.startswith("dpselect.web.explorer.pages.")}
    assert not loaded & {"fastapi", "altair", "vl_convert", "scipy.special", "dpselect.learn", "dpselect.audit"}


def test_everything_is_loaded_in_the_background() -> None:
    """After the thread has ended no page waits for an import."""
    warm_up(PAGES).join()

    assert {f"dpselect.web.explorer.pages.{page.path.replace('-', '_')}" for page in PAGES} < {*sys.modules}
    assert "vl_convert" in sys.modules


@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="the system does not say what a process has used")
def test_the_first_page_takes_less_than_two_seconds() -> None:
    """Of the processor, from the command to the answer, in one of three starts."""

    def used() -> float:
        with Served() as server:
            urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar())).open(server.first).read()
            ticks = server.facts().split()[13:15]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    assert any(used() < SECONDS for _ in range(3))
