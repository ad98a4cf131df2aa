"""dpselect choose: let traces of public databases choose the algorithm, answer with it, and say why."""

from __future__ import annotations

import argparse
import io
import json
from pathlib import Path
from typing import Any

import dpselect as dps
from dpselect.cli import paths
from dpselect.cli.arguments import epsilon, number, whole
from dpselect.cli.spending import purse_of
from dpselect.cli.train import read_domains, require_columns
from dpselect.histograms.counts import require_counts
from dpselect.sources import tables


def add(verbs: Any) -> None:
    """Add the command and its two kinds of options."""
    parser = verbs.add_parser("choose", help="choose the algorithm by traces of public data, and answer with it")
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    cells = kinds.add_parser("histogram", help="a private histogram of counts over public cells")
    paths.add_input(cells, "file", metavar="FILE", help="counts (.npy), shape (n,) or (rows, columns)")
    paths.add_output(
        cells, "--out", required=True, metavar="NPY", endings=(".npy",), help="where to write the estimated counts"
    )
    trees = kinds.add_parser("tree", help="a private tree or forest")
    paths.add_input(trees, "file", metavar="FILE", help="a table (.csv, .csv.gz, .parquet)")
    trees.add_argument("--target", required=True, help="the column to be predicted")
    paths.add_input(trees, "--domains", required=True, metavar="TOML", help="public domains; see dpselect train --help")
    trees.add_argument("--max-records", type=whole, default=100_000, help="a public bound on the rows (default 100000)")
    paths.add_output(trees, "--out", required=True, metavar="JSON", help="where to write the released model")
    for each in (cells, trees):
        each.add_argument("--epsilon", type=epsilon, required=True, help="the privacy budget of the whole answer")
        add_traces(each)
        paths.add_ledger(each)
        each.set_defaults(run=run)


def add_traces(parser: argparse.ArgumentParser) -> None:
    """Add what tells how to learn from a file of traces."""
    paths.add_input(
        parser, "--traces", required=True, metavar="PARQUET", help="runs on public data, from ChoiceMaker.train"
    )
    parser.add_argument("--share", type=number, help="of epsilon for metafeatures (default 0.05; 0 without any to pay)")
    parser.add_argument(
        "--metafeatures",
        choices=["free", "paid"],
        help="public ones only, or those paid for too (default: paid for histograms, free for trees, where it gains "
        "nothing to pay)",
    )
    parser.add_argument(
        "--learner", help="forest, regret-tree or fixed (default: forest for histograms, regret-tree for trees)"
    )


def maker_of(given: argparse.Namespace, options: list[Any]) -> Any:
    """Return the choice maker that the traces on the command line teach; without options, all that they hold.

    Raises:
        ValueError: traces of another kind than asked for, or of neither histograms nor trees.
    """
    from dpselect.chooser import ChoiceMaker, Traces, cells, trees

    traces = Traces.read(given.traces)
    held = set(traces.metafeatures)
    kinds: dict[str, Any] = {"histogram": cells, "tree": trees}
    found = [name for name, kind in kinds.items() if {each.name for each in kind.metafeatures()} <= held]
    if not found:
        raise ValueError(f"{given.traces} holds traces of neither histograms nor trees: train with their metafeatures.")
    if getattr(given, "kind", None) not in (None, found[0]):
        raise ValueError(f"{given.traces} holds traces of the kind {found[0]!r}, not {given.kind!r}: pass others.")
    kind = kinds[found[0]]
    metafeatures = kind.metafeatures()
    how = {"derived": kind.DERIVED, "features": kind.FEATURES}
    if (given.metafeatures or kind.METAFEATURES) == "free":
        metafeatures, how = [each for each in metafeatures if each.public], {}
    wanted = [option for option in options or kind.options() if option.name in traces.options]
    maker = ChoiceMaker(
        wanted, metafeatures, kind.LOSS, share=given.share, learner=given.learner or kind.LEARNER, **how
    )
    return maker.learn(traces)


def run(given: argparse.Namespace) -> str:
    """Return the explanation, and write the answer."""
    from dpselect.chooser import cells, trees
    from dpselect.learn.export import as_json

    # What can be refused is refused before anything is spent.
    if given.kind == "histogram":
        database: Any = require_counts(read_counts(given.file))
        given.out.hold(8 * database.size + 4096)
        maker = maker_of(given, cells.options())
    else:
        domains = read_domains(given.domains)
        if given.target not in domains:
            raise dps.PrivacyError(f"{given.domains} lacks {given.target!r}: list the public classes there.")
        require_columns(given, domains, tables.names(given.file))
        classes = domains.pop(given.target)
        columns = dict(tables.table(given.file, [*domains, given.target]))
        labels = columns.pop(given.target)
        if len(labels) > given.max_records:
            raise ValueError("The table has more rows than --max-records: pass a larger public bound.")
        database = trees.Table(columns, labels, domains, classes)
        maker = maker_of(given, trees.options(given.max_records))
    found = maker.answer(database, given.epsilon, ledger=purse_of(given))
    why = found.choice.explain()
    if given.kind == "histogram":
        import numpy as np

        file = io.BytesIO()
        np.save(file, found.value)
        content, text = file.getvalue(), json.dumps(found.value.tolist())
    else:
        text = as_json(found.value)
        content = text.encode()
    paths.keep(given.out, content, f"{why}\n\n{text}")
    unit = f"epsilon = {found.guarantee.epsilon} per record added or removed"
    return f"{why}\n\n{unit}; written to {given.out}"


def read_counts(path: str) -> Any:
    """Return the counts of a .npy file.

    Raises:
        FileNotFoundError, ValueError: no such file, or none that holds numbers.
    """
    import numpy as np

    if not Path(path).is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    try:
        return np.load(path, allow_pickle=False)
    except (ValueError, EOFError):
        raise ValueError(f"{path} is no .npy file of numbers: write it with numpy.save.") from None
