"""What all tests of engines share; the engines themselves are started in engines.py, one of each per session."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.warehouse import engines

pytest.importorskip("ibis", reason='Warehouses need Ibis: python -m pip install ".[warehouse]"')

# Every fixture there, so that another engine is added there alone.
globals().update({name: each for name, each in vars(engines).items() if name in engines.FIXTURES})


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Let every fit from here on draw the same entropy."""
    from dpselect.learn.estimator import PrivateEstimator
    from dpselect.release.open_session import session_factory_of
    from dpselect.release.system_noise import SystemNoise

    def again() -> SystemNoise:
        generator = np.random.Generator(np.random.Philox(20261121))
        return SystemNoise(lambda: generator.bytes)

    return lambda: monkeypatch.setattr(PrivateEstimator, "_session_factory", staticmethod(session_factory_of(again)))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What the engines' own libraries deprecate, and the sockets that Spark leaves open, are not ours."""
    folder = f"{Path(__file__).parent}{os.sep}"
    for item in items:
        if str(item.path).startswith(folder):
            item.add_marker(pytest.mark.filterwarnings("ignore::DeprecationWarning"))
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))
            item.add_marker(pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"))
