"""dpselect predict: label a table with a released model, or predict its numbers. It spends nothing."""

from __future__ import annotations

import csv
import io
import sys

import dpselect as dps
from dpselect.cli import paths, reading
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import Exact, flag, option
from dpselect.cli.request import Request
from dpselect.kernel.errors import InputError
from dpselect.queries.train import THRESHOLD
from dpselect.sources import tables


def run(request: Request) -> CommandAnswer:
    """Return the labels or numbers as csv."""
    model = dps.learn.load(request.model)
    table = tables.table(
        request.file,
        [each.name for each in model.attributes_],
        reading.of(request),
        reading.numbers({each.name: each.categories for each in model.attributes_}),
    )
    noun = "label" if hasattr(model, "classes_") else "value"
    if noun == "value" and request.proba:
        raise InputError("--proba goes with models of classes, and this one predicts a number: leave it out.")
    if request.threshold is not None:
        if noun == "value":
            raise InputError("--threshold goes with models of classes, and this one predicts a number: leave it out.")
        if "threshold" not in model.get_params():
            raise InputError("This kind of model labels by its likeliest class: leave --threshold out.")
        if request.threshold != "base-rate" and len(model.classes_) != 2:
            raise InputError(
                f"A share is for two classes, and this model has {len(model.classes_)}: pass --threshold base-rate."
            )
        model.set_params(threshold=request.threshold)
    labels = model.predict(table).tolist()
    header, columns, facts = [noun], [labels], {f"{noun}s": labels}
    if request.proba:
        shares = model.predict_proba(table)
        header += [f"chance of {label}" for label in model.classes_.tolist()]
        columns += [[f"{share:.4f}" for share in column] for column in shares.T]
        facts |= {"classes": model.classes_.tolist(), "shares": shares.tolist()}
    if request.why:
        header, columns = [*header, "why"], [*columns, model.why(table)]
        facts |= {"why": [*columns[-1]]}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(zip(*columns, strict=True))
    if request.out:
        request.out.put(text.getvalue().encode("utf-8", "backslashreplace"))
        print(f"{len(labels)} {noun}s written to {request.out}", file=sys.stderr)
        return CommandAnswer("", {f"{noun}s": len(labels), "written_to": str(request.out)})
    return CommandAnswer(text.getvalue().rstrip("\n"), facts)


VERB = Command(
    run,
    (
        paths.input("model", metavar="MODEL", help="the JSON file that dpselect train wrote"),
        paths.input("file", help=f"{reading.FILES} with the model's columns"),
        flag("--proba", "print the probability of every class"),
        flag("--why", "print the path that leads to each label, or the columns that move its score most"),
        option(
            "--threshold",
            type=Exact("share", THRESHOLD.of_text),
            metavar="SHARE",
            help="of two classes, the least share at which the second is the label; base-rate, of any, labels by the "
            "share over that among all rows (default: as the model says)",
        ),
        *reading.FILE,
        paths.output("--out", metavar="CSV", help="write there instead of printing"),
    ),
    "dpselect predict model.json people.csv --why",
    about="Protected: the training records of the model, by its guarantee. The rows of FILE are not protected, so "
    "their labels are for those who may see them. Nothing is spent: the model was paid for.",
    verbatim=True,
)
