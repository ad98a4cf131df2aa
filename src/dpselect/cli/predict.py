"""dpselect predict: label a table with a released model. It spends nothing."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from typing import Any

import dpselect as dps
from dpselect.cli import paths
from dpselect.sources import tables


def add(verbs: Any) -> None:
    """Add the command."""
    parser = verbs.add_parser("predict", help="label a table with a released model")
    paths.add_input(parser, "model", metavar="MODEL", help="the JSON file that dpselect train wrote")
    paths.add_input(parser, "file", metavar="FILE", help="a table (.csv, .csv.gz, .parquet) with the model's columns")
    parser.add_argument("--proba", action="store_true", help="print the share of every class")
    parser.add_argument("--why", action="store_true", help="print the path that leads to each label")
    paths.add_output(parser, "--out", metavar="CSV", help="write there instead of printing")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> str:
    """Return the labels as csv."""
    model = dps.learn.load(given.model)
    table = tables.table(given.file, [each.name for each in model.attributes_])
    header, columns = ["label"], [model.predict(table).tolist()]
    if given.proba:
        header += [f"share of {label}" for label in model.classes_.tolist()]
        columns += [[f"{share:.4f}" for share in shares] for shares in model.predict_proba(table).T]
    if given.why:
        header, columns = [*header, "why"], [*columns, model.why(table)]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(zip(*columns, strict=True))
    if given.out:
        given.out.put(text.getvalue().encode("utf-8", "backslashreplace"))
        print(f"{len(columns[0])} labels written to {given.out}", file=sys.stderr)
        return ""
    return text.getvalue().rstrip("\n")
