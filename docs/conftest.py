"""Blocks of the pages run in a folder of their own; the tutorial runs as a whole, in test_every_block.py."""

import pytest

collect_ignore = ["conf.py", "pages.py", "pictures", "tutorial.md"]
collect_ignore_glob = ["_build/*", "reference/made/*"]


@pytest.fixture(autouse=True)
def folder_of_its_own(tmp_path, monkeypatch):
    """Files that a block writes do not stay."""
    monkeypatch.chdir(tmp_path)
