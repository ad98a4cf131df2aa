"""A run of tests: its part of all tests, its cores, and that it heeds interrupts."""

import importlib.util
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
_spec = importlib.util.spec_from_file_location("conftest_of_the_root", ROOT / "conftest.py")
conftest = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(conftest)


def _chosen(part, names):
    left = []
    config = SimpleNamespace(
        getoption=lambda _: part, hook=SimpleNamespace(pytest_deselected=lambda items: left.extend(items))
    )
    items = [SimpleNamespace(nodeid=name) for name in names]
    conftest.pytest_collection_modifyitems(config, items)
    assert len(items) + len(left) == len(names)
    return [item.nodeid for item in items]


def test_each_test_is_in_one_part() -> None:
    """The same one on every machine; and no part is much larger than another."""
    names = [f"tests/room/test_{file}.py::test_fact[{n}]" for file in range(30) for n in range(20)]
    parts = [_chosen((k, 6), names) for k in range(1, 7)]

    assert sorted(names) == sorted(name for part in parts for name in part)
    assert all(60 < len(part) < 140 for part in parts)
    assert names == _chosen(None, names)


@pytest.mark.parametrize("text", ["0/6", "7/6", "1", "1/2/3", "a/b", "-1/6"])
def test_a_part_that_is_none_is_refused(text) -> None:
    """K from 1 to N."""
    with pytest.raises(ValueError):
        conftest._part(text)
    assert conftest._part("6/6") == (6, 6)


@pytest.mark.parametrize(
    ("names", "cores"),
    [
        (["conftest.py"], 0),
        (["conftest.py::test_a", "conftest.py::test_b"], 0),
        (["conftest.py", "README.md"], None),
        (["tests"], None),
        (["tests", "src", "docs", "README.md"], None),
    ],
)
def test_one_file_runs_in_one_process(names, cores, monkeypatch) -> None:
    """Everything else takes all cores."""
    monkeypatch.chdir(ROOT)

    assert cores == conftest.pytest_xdist_auto_num_workers(SimpleNamespace(args=names))


def test_a_job_in_the_background_heeds_interrupts() -> None:
    """Such a job begins with them ignored, and the tests of interrupts would wait forever."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        conftest.pytest_configure()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
