"""Counts of what only files of one kind have, and hints of how numbers may be written, for the curator alone."""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpselect.dataset.description import Dataset
from dpselect.dataset.description_parts import NumericDomain
from dpselect.dataset.source_rows import cells, reading_of
from dpselect.kernel.format_exact import count_text
from dpselect.sources import csv_text, edge_lines, feather, file_parts, json_lines, sheets, statistics_files
from dpselect.sources.categories import spellings
from dpselect.sources.web import local

# Numbers with fractions behind a comma, with groups of three digits, and with a unit before or behind.
_COMMA = re.compile(r"[+-]?([0-9]+|[0-9]{1,3}([. '\u00a0\u202f][0-9]{3})+),[0-9]+")
_GROUPS = re.compile(r"[+-]?[1-9][0-9]{0,2}([, '\u00a0\u202f][0-9]{3})+([.][0-9]+)?")
_UNIT = re.compile(r"[+-]?([^\d\s.,'+()-]{1,4}\s*)?[+-]?[0-9][0-9.,'\u00a0\u202f]*(\s*[^\d\s.,'+()-]{1,4})?")
# Keys of lines of JSON that are named, and how much of each; lengths of lines of text that are.
_KEYS, _LONGEST, _WIDTHS = 30, 40, 3


def file_counts(dataset: Dataset, facts: dict[str, Any]) -> list[str]:
    """Return lines on what a file of this kind shows otherwise than it is read, and note their figures as facts."""
    if _is_file(dataset, sheets.ENDINGS):
        return _of_sheet(dataset, facts)
    if _is_file(dataset, json_lines.ENDINGS):
        return _of_objects(dataset, facts)
    return _of_lines(dataset, facts) if _is_file(dataset, csv_text.ENDINGS) else []


def labelled_codes(dataset: Dataset, name: str, domain: NumericDomain, facts: dict[str, Any]) -> str:
    """Return which codes outside of the bounds have a label in a file of SPSS or Stata, a clause."""
    if not facts["outside"] or not _is_file(dataset, statistics_files.ENDINGS):
        return ""
    codes: dict[float, str] = {}
    for each in _files(dataset):
        codes |= statistics_files.labelled_codes(each, name)
    beyond = {code: label for code, label in codes.items() if not domain.lower <= code <= domain.upper}
    texts = [spellings(code)[0] for code in beyond if spellings(code)[0] not in dataset.missing]
    named = ", ".join(f"{code:g} is {label!r}" for code, label in beyond.items())
    return f"; {named} in the file: missing = {json.dumps(texts)} leaves them out" if texts else ""


def number_hint(dataset: Dataset, unread: list[str]) -> str:
    """Return how cells that are not read as numbers could be, a clause; an empty text where nothing is seen."""
    dialect = reading_of(dataset).dialect
    # Nothing is said of the text of a table whose columns have types.
    typed = dataset.frame is not None or dataset.in_engine or _is_file(dataset, (".parquet", *feather.ENDINGS))
    for cell in unread:
        text = cell.strip()
        if dialect.mark == "." and _COMMA.fullmatch(text):
            if not _is_file(dataset, csv_text.ENDINGS):
                return f"; {cell!r} is text with a decimal comma, which is read in .csv and .tsv files: save it as one"
            return f'; is the comma of {cell!r} the decimal mark, decimal = ","?'
        if typed:
            continue
        if dialect.decimal is None and dialect.thousands is None and _GROUPS.fullmatch(text):
            return f'; with decimal = "." {cell!r} is a number'
        found = _UNIT.fullmatch(text)
        unit = "" if found is None else (found[1] or found[2] or "").strip()
        if unit and unit not in dialect.unit:
            return f"; with unit = {json.dumps(unit, ensure_ascii=False)} {cell!r} is a number"
    return ""


def undecoded_counts(dataset: Dataset, read: Mapping[str, Any]) -> dict[str, int]:
    """Return by column how many cells of a file of text are not in its encoding, and so were read as empty.

    Args:
        dataset: the description.
        read: the arrow columns that were read.
    """
    names = [name for name, held in read.items() if getattr(held, "null_count", 0)]
    if not names or not _is_file(dataset, csv_text.ENDINGS):
        return {}
    # All rows and all cells: which rows fulfil a condition, and which cells are declared missing, may depend on the
    # encoding. Every byte is a letter of Latin-1.
    whole = replace(dataset, where=None, missing=())
    every = read if dataset.where is None and not dataset.missing else cells(whole, names)
    bytewise = cells(replace(whole, encoding="latin-1"), names)
    counts = {name: int(every[name].null_count - bytewise[name].null_count) for name in names}
    return {name: many for name, many in counts.items() if many}


def encoding_hint(dataset: Dataset, undecoded: int) -> str:
    """Return how cells that are not in the encoding of their file can be read, a clause."""
    if not undecoded:
        return ""
    other, many = ("cp1252" if dataset.encoding == "utf-8" else "utf-8"), count_text(undecoded, "cell")
    verb = "is" if undecoded == 1 else "are"
    return f'; {many} {verb} not in {dataset.encoding}, and read as empty: is encoding = "{other}" right?'


def _of_sheet(dataset: Dataset, facts: dict[str, Any]) -> list[str]:
    """Return what a sheet shows otherwise than it is read: hidden rows, and numbers shown as percents."""
    reading, files = reading_of(dataset), _files(dataset)
    names = sheets.header(files[0], reading.sheet, reading.dialect)
    rows = [row for each in files for row in sheets.rows(each, reading.sheet, reading.dialect)]
    facts["hidden_rows"] = sum(row.hidden for row in rows)
    lines = [f"hidden rows: {facts['hidden_rows']}, which are read as all others"] if facts["hidden_rows"] else []
    percents = Counter(names[place - 1] for row in rows for place in row.percents if place <= len(names))
    facts["percents"] = {name: percents[name] for name in dataset.columns if percents[name]}
    if "%" in reading.dialect.unit:
        return lines
    return lines + [
        f'{name}: {many} numbers are shown as percents and read as fractions, 0.42 for 42 %: for 42 add unit = "%"'
        for name, many in facts["percents"].items()
    ]


def _of_objects(dataset: Dataset, facts: dict[str, Any]) -> list[str]:
    """Return which keys the lines of a file of JSON have, and what a name that none of them has may mean."""
    found, facts["lines_that_are_not_objects"] = Counter[str](), 0
    for each in _files(dataset):
        held, others = json_lines.keys(each)
        found += held
        facts["lines_that_are_not_objects"] += others
    facts["keys"] = dict(sorted(found.items(), key=lambda each: (-each[1], each[0]))[:_KEYS])
    more = f", and {len(found) - _KEYS} more" if len(found) > _KEYS else ""
    named = ", ".join(f"{_on_one_line(name)} in {many} lines" for name, many in facts["keys"].items())
    lines = [f"keys: {named}{more}"]
    if facts["lines_that_are_not_objects"]:
        lines.append(f"lines that are not objects: {facts['lines_that_are_not_objects']}, whose cells are all empty")
        if any(edge_lines.is_utf16(each) for each in _files(dataset)):
            lines.append("probably: the file is in UTF-16, which is not read here: save it as UTF-8")
    for name in filter(None, [*dataset.columns, dataset.person]):
        if name not in found:
            inner = [key for key in found if key.endswith(f".{name}") or key.startswith(f"{name}.")]
            near = inner or difflib.get_close_matches(name, [*found], 1)
            said = f": is it {near[0]!r}?" if near else ""
            lines.append(f"{name}: no line has this key{said}")
    return lines


def _on_one_line(name: str) -> str:
    """Return a key without signs that would end a line or colour a terminal."""
    return json.dumps(name[:_LONGEST], ensure_ascii=not name.isprintable())[1:-1]


def _of_lines(dataset: Dataset, facts: dict[str, Any]) -> list[str]:
    """Return how many lines of text have another number of cells than the first one, and what that may mean."""
    found, width = Counter[int](), 0
    for each in _files(dataset):
        width, held = csv_text.line_widths(each, reading_of(dataset).dialect)
        found += held
    facts["lines_by_cells"] = {str(cells): many for cells, many in found.most_common(_WIDTHS)}
    if not found:
        return []
    named = "; ".join(f"{many} of {cells} cell{'s'[: cells != 1]}" for cells, many in found.most_common(_WIDTHS))
    more = ", and others" if len(found) > _WIDTHS else ""
    line = f"lines of another length: {named}{more}, where the first line has {width}: their cells are all empty"
    if found[width + 1] > facts["rows"] / 2:
        line += "; if each begins with the name of its row, as R writes it, name that column in the first line"
    return [line]


def _files(dataset: Dataset) -> list[Path]:
    path = local(dataset.address)
    return file_parts.files(path) if file_parts.are_in(path) else [path]


def _is_file(dataset: Dataset, endings: tuple[str, ...]) -> bool:
    return not dataset.in_engine and dataset.frame is None and local(dataset.address).name.lower().endswith(endings)
