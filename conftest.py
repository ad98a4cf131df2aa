"""How many processes a run takes."""

from __future__ import annotations

import pytest


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """A whole run takes all cores; chosen files run in this process, which is up at once, unless -n says otherwise."""
    return None if config.args_source is pytest.Config.ArgsSource.TESTPATHS else 0
