"""The command ``dpselect``: it stands outside of the package so that an interrupt while that loads is one sentence."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import Any, NoReturn


def main() -> int:
    """Run the command line; return its exit status."""
    # While libraries load, garbage is rare: looking for it after every 700 objects takes a seventh of a small command.
    gc.set_threshold(200_000)
    # Libraries written in C may take an interrupt for a broken installation: while they load, it ends the process.
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
    sys.meta_path.insert(0, _ArrowAlone())
    try:
        from dpselect.cli import main as run
    except KeyboardInterrupt:
        _stop()
    except ModuleNotFoundError as error:
        if error.name not in ("click", "rich_click", "rich"):
            raise
        from dpselect._optional import install

        sys.exit(f"dpselect: The command line needs Click and rich-click: {install('cli')}.")
    # The verb loads libraries of its own before it begins.
    status = run(loaded=lambda: signal.signal(signal.SIGINT, before))
    # What is done stays done: an interrupt while Python ends would take its status away.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    return status


class _ArrowAlone:
    """The import of pyarrow, which looks for pandas once: in vain, because no command passes a frame of pandas.

    Where pandas is needed all the same, pyarrow looks again.
    """

    def find_spec(self, name: str, *_: Any) -> Any:
        """Return how pyarrow is imported; pandas is not found while it looks."""
        if name == "pandas":
            raise ModuleNotFoundError(name=name)
        if name != "pyarrow":
            return None
        sys.meta_path.remove(self)
        from importlib.util import find_spec

        spec = find_spec(name)
        if spec is not None and "pandas" not in sys.modules:
            load = spec.loader.exec_module  # type: ignore[union-attr]

            def alone(module: Any) -> None:
                load(module)
                sys.meta_path.insert(0, self)
                module.array([0])
                sys.meta_path.remove(self)

            spec.loader.exec_module = alone  # type: ignore[union-attr, method-assign]
        return spec


def _stop(*_: object) -> NoReturn:
    sys.stderr.write("dpselect: Stopped.\n")
    sys.stderr.flush()
    os._exit(130)
