"""The dataset of a command: a description, or a data file with its public facts as options.

These options follow from the keys of a description, and make the same object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from datetime import date
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpselect.cli import paths
from dpselect.cli.key_options import file_keywords, is_said, key_option, name_of
from dpselect.cli.names import names
from dpselect.cli.options import Argument, CommandOption, Exact, Role, number, option
from dpselect.cli.request import Request
from dpselect.dataset.fields import DatasetFields
from dpselect.kernel.errors import InputError, PrivacyError

if TYPE_CHECKING:
    from dpselect.dataset import Dataset

PANEL = "A data file without a description"
DESCRIPTION = ".toml"
SERVED_DATASET = "a dataset of a server, such as https://dp.example.org/survey"
_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
# As dpselect.data.Periods knows them.
STEPS = ("day", "week", "month", "quarter", "year")


def _bound(text: str) -> Any:
    """Return a public bound: a date such as 2025-12-31, or a number."""
    if not _DATE.fullmatch(text):
        return number.read(text)
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InputError(f"{text!r} is not a day of the calendar: write one such as 2025-12-31") from None


def _step(text: str) -> Any:
    """Return how fine an answer is: a period of the calendar, or a number."""
    if text in STEPS:
        return text
    if text.isalpha():
        raise InputError(f"{text!r} is not a step: write a number, or between dates {', '.join(STEPS[:-1])} or year")
    return number.read(text)


# What is public of columns, by the options that say it.
_BOUNDS = (
    option(
        "--lower",
        type=Exact("bound", _bound),
        metavar="X",
        panel=PANEL,
        rare=True,
        help="of numbers or dates, such as 2025-12-31: the public smallest value",
    ),
    option(
        "--upper",
        type=Exact("bound", _bound),
        metavar="X",
        panel=PANEL,
        rare=True,
        help="of numbers or dates: the public largest value",
    ),
    option(
        "--step",
        type=Exact("step", _step),
        metavar="X",
        panel=PANEL,
        rare=True,
        help=f"the step of numbers (default 1), or of dates: {', '.join(STEPS[:-1])} or {STEPS[-1]} (default day)",
    ),
)
_DOMAIN = paths.input(
    "--domain",
    metavar="A,B|FILE|N",
    panel=PANEL,
    rare=True,
    help="the public values: names with commas between (a single one ends with a comma), a file with one per line, or "
    "N for the whole numbers 0 .. N-1",
)
_GROUPS = paths.input(
    "--groups",
    metavar="A,B|FILE|N",
    panel=PANEL,
    rare=True,
    help="with --by, the public groups, written as --domain is; rows of other groups are left out",
)


def argument(words: str | None = "") -> Argument:
    """Return the first argument of a question.

    Args:
        words: what a data file may be; ``None`` where it needs a description.
    """
    file = "" if words is None else f"; or a data file{words}, with options that --help --all shows"
    about = f"a description (.toml), as dpselect describe writes it; {SERVED_DATASET}{file}"
    return Argument("dataset", metavar="DATASET", help=about, role=Role.INPUT)


@cache
def description_options(of: str) -> tuple[CommandOption | Argument, ...]:
    """Return an option for every key of a description that is of ``"table"`` or ``"graph"``."""
    keys = [each for each in fields(DatasetFields) if each.metadata.get("about")]
    return tuple(key_option(each, PANEL) for each in keys if each.metadata["of"] in ("", of))


def of_columns(*, numbers: bool, values: bool, groups: bool) -> tuple[CommandOption | Argument, ...]:
    """Return the options for what is public of the columns of a question."""
    return (*(_BOUNDS if numbers else ()), *((_DOMAIN,) if values else ()), *((_GROUPS,) if groups else ()))


def is_of_dataset(parameter: Any) -> bool:
    """Return whether an option says something of a data file."""
    return PANEL in (getattr(parameter, "panel", None) or ())


def is_description(request: Request) -> bool:
    """Return whether a command names a description."""
    return str(request.dataset).lower().endswith(DESCRIPTION)


def dataset_of(request: Request) -> Dataset:
    """Return the dataset that a description has; it says all there is to say.

    Raises:
        ValueError, FileNotFoundError: as :meth:`dpselect.Dataset.load`; an option that belongs into it.
    """
    from dpselect.dataset import Dataset

    for name, parameter in request.parameters.items():
        if is_of_dataset(parameter) and is_said(request.get(name)):
            raise InputError(
                f"The description says how its data are read and what is public: leave {paths.label_of(parameter)} "
                "out, or write it there."
            )
    return Dataset.load(request.dataset)


def one_off(request: Request, noun: str, **more: Any) -> Dataset:
    """Return the dataset that options say.

    Args:
        request: the command line.
        noun: ``"source"`` or ``"graph"``.
        more: further keys, such as ``columns``, as :func:`domains` returns them.

    Raises:
        ValueError: what does not go together, by its options.
    """
    from dpselect.dataset import Dataset

    keys = [each for each in fields(DatasetFields) if is_of_dataset(request.parameters.get(name_of(each)))]
    said = {each.name: request.get(name_of(each)) for each in keys}
    facts: dict[str, Any] = {name: value for name, value in said.items() if is_said(value)}
    with error_location(request):
        return Dataset(**{noun: str(request.dataset), **more, **facts})


@contextmanager
def error_location(request: Request) -> Iterator[None]:
    """Say of what cannot be used which line of a description says it, or which option."""
    from dpselect.dataset import DatasetError
    from dpselect.dataset.toml_text import content, locate_error
    from dpselect.queries.base import QueryError

    try:
        yield
    except DatasetError as error:
        if is_description(request):
            raise locate_error(error, request.dataset, content(request.dataset)[1]) from None
        raise InputError(_in_options(error, request)) from None
    except QueryError as error:
        sentence, parameter = paths.with_option_names(error.sentence, request), request.parameters.get(error.field)
        # What a description says is not said by an option beside it.
        of_option = parameter is not None and not (is_description(request) and is_of_dataset(parameter))
        raise InputError(f"{paths.label_of(parameter)}: {sentence}" if of_option else sentence) from None


def domains(request: Request, columns: Mapping[str, bool | None], *, unlisted: bool = False) -> dict[str, Any]:
    """Return what options say of the columns of a question.

    Args:
        request: the command line.
        columns: of each field that names a column whether it is one of numbers; ``None`` where it may be either.
        unlisted: whether nothing need be said of a column.

    Raises:
        PrivacyError: what is public of a column is not said.
        ValueError: bounds or names that are none.
    """
    result = dict[str, Any]()
    # Beside a column of numbers, the bounds are those of that one.
    of_values = all(numeric is False for numeric in columns.values())
    for field, numeric in columns.items():
        column = request.get(field)
        if column is None:
            continue
        if field == "by":
            result[column] = [*(names(request.groups, "--groups", "group") or ())]
        elif of_values and any(request.get(name) is not None for name in ("lower", "upper", "step")):
            result[column] = _period_bounds(request)
        elif numeric is False or (numeric is None and request.get("domain") is not None):
            result[column] = _values(request)
        elif request.get("bins"):
            result[column] = _of_bins(request)
        elif unlisted and (request.lower, request.upper) == (None, None):
            result[column] = "unlisted"
        else:
            result[column] = bounds(request)
    return result


def require_together(request: Request) -> None:
    """Refuse groups without their public list and rows of persons without persons, before anything is read."""
    from dpselect.views.contribution_bounds import ContributionBounds

    by, person = (None if request.get(name) is None else () for name in ("by", "person"))
    ContributionBounds.of(by, names(request.get("groups"), "--groups", "group"), person, request.get("rows_per_person"))


def _values(request: Request) -> list[Any] | str:
    listed = names(request.domain, "--domain", "value")
    if listed is None and "delta" in request.parameters:
        # What such names need is said by the query.
        return "unlisted"
    if listed is None:
        raise PrivacyError("Which names there are must not depend on the data: pass --domain, their public list.")
    return [*listed]


def _of_bins(request: Request) -> dict[str, Fraction]:
    """Return the bounds of listed bins of numbers."""
    if any(request.get(name) is not None for name in ("lower", "upper", "step")):
        raise InputError("Bins are listed by --bins, or even by --lower, --upper and --step: pass one of the two.")
    lower, upper = min(request.bins), max(request.bins)
    return {"lower": lower, "upper": upper, "step": upper - lower}


def bounds(request: Request) -> dict[str, Any]:
    """Return the public bounds and the step of a column (``PrivacyError``, ``ValueError``: missing, or not usable)."""
    lower, upper = request.lower, request.upper
    are_dates = [isinstance(each, date) for each in (lower, upper) if each is not None]
    dated = any(are_dates)
    step: Any = request.step if request.step is not None else "day" if dated else Fraction(1)
    if dated != isinstance(step, str) or (dated and not all(are_dates)):
        raise InputError(
            "Bounds and a step are of numbers, or of dates: write both bounds as 2025-12-31 and --step as day, week, "
            "month, quarter or year, or all three as numbers."
        )
    if not dated and step <= 0:
        raise InputError("--step must be positive: how fine the answer is.")
    if str(request.dataset).lower().endswith(".npy"):
        lower, upper = _of_counts(request, lower, step)
    if lower is None or upper is None:
        names = ", or --domain, the public list of names" if "domain" in request.parameters else ""
        raise PrivacyError(
            "The smallest and largest values in the file are private: pass --lower and --upper, the public bounds of "
            f"numbers{names}."
        )
    if not lower < upper:
        raise InputError("--lower must be below --upper: the public bounds of the values.")
    return {"lower": lower, "upper": upper, "step": step}


def _period_bounds(request: Request) -> dict[str, Any]:
    """Return the bounds of a column of dates, whose periods are its values (``ValueError``: those of numbers)."""
    if request.get("domain") is not None:
        raise InputError("--lower and --upper are of dates, and --domain lists other values: pass one of the two.")
    if not all(isinstance(request.get(name), (date, type(None))) for name in ("lower", "upper")):
        raise InputError("--lower and --upper are dates here, such as 2025-12-31: list other values by --domain.")
    return bounds(request)


def _of_counts(request: Request, lower: Fraction | None, step: Fraction) -> tuple[Fraction, Fraction]:
    """Return the bounds that follow from the public number of counts."""
    from dpselect.dataset.source_rows import histogram

    first = Fraction(0) if lower is None else lower
    last = first + step * (histogram(request.dataset).size - 1)
    if request.upper is not None and request.upper != last:
        raise InputError("--upper does not agree with the number of cells: leave it out for a histogram.")
    return first, last


def only_column(request: Request) -> str:
    """Return the name of the one column of a file (``ValueError``: there are several)."""
    from dpselect.sources import tables
    from dpselect.sources.dialects import advice

    dataset = str(request.dataset)
    reading = tables.FileOptions.of(**file_keywords(request))
    if dataset.lower().endswith(".npy"):
        return "value"
    there = tables.listed_names(dataset, reading)
    if len(there) == 1 and (advised := advice(there)):
        raise InputError(f"{Path(dataset).name} has one column, and {advised}.")
    if len(there) != 1:
        raise InputError(f"{Path(dataset).name} has {len(there)} columns: name one after it.")
    return str(there[0])


def require_there(request: Request, dataset: Dataset, columns: Mapping[str, Sequence[str]]) -> None:
    """Refuse a column that the table lacks: a slip of the pen, and no row is read for it.

    Args:
        request: the command line.
        dataset: its description.
        columns: by the field that names them.

    Raises:
        OSError, ValueError, ImportError: it lacks one; or as the readers of tables.
    """
    from dpselect.dataset.source_rows import reading_of
    from dpselect.sources import tables
    from dpselect.sources.missing_column import no_column
    from dpselect.sources.warehouse import Warehouse

    if dataset.source is None or dataset.is_histogram:
        return
    if dataset.stays:
        with Warehouse.open(dataset.address, dataset.table) as engine:
            there: Sequence[str] = [*engine.table.columns]
    else:
        there = tables.names(dataset.address, reading_of(dataset))
    person = {} if dataset.person is None else {"person": (dataset.person,)}
    for field, named in {**columns, **person}.items():
        for name in named:
            if name not in there:
                refused = no_column(name, there, dataset.address)
                parameter = request.parameters.get(field)
                right = (
                    f" Name the right one by {paths.label_of(parameter)}."
                    if isinstance(parameter, CommandOption)
                    else ""
                )
                raise InputError(f"{refused}{right}")


def words(request: Request) -> Iterator[str]:
    """Yield the words that name the dataset again, for another command."""
    yield str(request.dataset)
    for name, parameter in request.parameters.items():
        value = request.get(name)
        if is_of_dataset(parameter) and is_said(value):
            yield paths.label_of(parameter)
            yield from () if value is True else map(str, value if isinstance(value, tuple) else (value,))


def _in_options(error: Any, request: Request) -> str:
    """Return a refusal of a description with the option that is to blame."""
    reason, key = paths.with_option_names(error.reason, request), error.key
    blamed = [name for name in (key[-1:] or ()) if name in ("lower", "upper", "step")] or [
        "domain" if key[:1] == ("columns",) else each for each in key[:1]
    ]
    found = [name for name in blamed if name in request.parameters]
    shown = paths.label_of(request.parameters[found[0]]) if found else ""
    start = reason[:1].lower() if shown else reason[:1].upper()
    return f"{f'{shown}: ' if shown else ''}{start}{reason[1:]}"
