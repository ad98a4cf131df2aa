"""Traces of public data: the options that name them, and the choice maker that they teach."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from dpselect.cli import paths
from dpselect.cli.options import number, one_of, option
from dpselect.cli.request import Request
from dpselect.kernel.errors import InputError, MissingFileError

OPTIONS = (
    paths.input(
        "--traces",
        metavar="PARQUET",
        help="runs on public data, from AdaptiveAlgorithm.train (default: those that ship, of made-up data)",
    ),
    option(
        "--share",
        type=number,
        metavar="S",
        help="of epsilon for metafeatures (default 0.05; 0 without any to pay)",
    ),
    option(
        "--metafeatures",
        type=one_of(["free", "paid"]),
        metavar="free|paid",
        help="public ones only, or those paid for too (default: paid for histograms, free for trees, where it gains "
        "nothing to pay)",
    ),
    option(
        "--learner",
        metavar="NAME",
        help="forest, regret-tree or fixed (default: forest for histograms, regret-tree for trees)",
    ),
)


def maker_of(
    request: Request, options: list[Any], *, metafeatures: str | None = None, learner: str | None = None
) -> Any:
    """Return the choice maker that traces teach, those that ship unless others are named.

    Without options it has all that the traces hold.

    Raises:
        ValueError: traces of another kind than asked for, or of neither histograms nor trees.
    """
    from dpselect.adaptive import AdaptiveAlgorithm, Traces, histogram_options, shipped_traces, tree_options

    traces = Traces.read(request.traces) if request.traces else shipped_traces(f"{request.task}s")
    names = set(traces.metafeatures)
    kinds: dict[str, Any] = {"histogram": histogram_options, "tree": tree_options}
    fitting = [name for name, kind in kinds.items() if {each.name for each in kind.metafeatures()} <= names]
    if not fitting:
        raise InputError(
            f"{request.traces} holds traces of neither histograms nor trees: train with their metafeatures."
        )
    if request.task not in (None, fitting[0]):
        raise InputError(
            f"{request.traces} holds traces of the kind {fitting[0]!r}, not {request.task!r}: pass others."
        )
    kind = kinds[fitting[0]]
    read = kind.metafeatures()
    how = {"derived": kind.DERIVED, "features": kind.FEATURES}
    if (metafeatures or kind.METAFEATURES) == "free":
        read, how = [each for each in read if each.public], {}
    wanted = [option for option in options or kind.options() if option.name in traces.options]
    if len(wanted) < 2:
        listed = ", ".join(option.name for option in options)
        raise InputError(f"{request.traces} holds traces of fewer than two of {listed}: train with these.")
    maker = AdaptiveAlgorithm(
        wanted, read, kind.LOSS, share=request.get("share"), learner=learner or kind.LEARNER, **how
    )
    with warnings.catch_warnings():
        # The explanation says where choosing did worse than one option.
        warnings.filterwarnings("ignore", message="On databases left out of training")
        return maker.learn(traces)


def read_counts(path: str) -> Any:
    """Return the counts of a .npy file.

    Raises:
        FileNotFoundError, ValueError: no such file, or none that holds numbers.
    """
    import numpy as np

    if not Path(path).is_file():
        raise MissingFileError(f"The file {path} does not exist: check its path.")
    try:
        return np.load(path, allow_pickle=False)
    except (ValueError, EOFError):
        raise InputError(f"{path} is not a .npy file of numbers: write it with numpy.save.") from None
