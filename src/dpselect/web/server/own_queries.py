"""Queries of a curator: classes of a Python file that the settings name, served beside those of the library."""

from __future__ import annotations

import inspect
import sys
import traceback
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from dpselect.kernel.errors import InputError, MissingFileError
from dpselect.queries import QUERIES, Query
from dpselect.web.server.queries import Queries

_MODULE = "dpselect_own_queries"


def queries_with(path: str | None) -> Queries:
    """Return the queries of the library, and with them those of a file of Python, by their names.

    The file is run. It is the curator's own code, which may do whatever this process may.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it cannot be run, or holds what cannot be served; the message says what to do.
    """
    if path is None:
        return QUERIES
    known = dict(QUERIES)
    classes = dict.fromkeys(each for each in vars(_run(path)).values() if isinstance(each, type))
    for each in classes:
        if issubclass(each, Query) and each.__module__ == _MODULE and each.name:
            _require(each, known, path)
            known[each.name] = each
    if len(known) == len(QUERIES):
        raise InputError(f"{path} has no query: write a subclass of dpselect.queries.Query that has a name.")
    return known


def _run(path: str) -> ModuleType:
    if not Path(path).is_file():
        raise MissingFileError(f"There is no file {path}: correct queries below [server].")
    spec = spec_from_file_location(_MODULE, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is not a file of Python: give it a name that ends in .py.")
    # Dataclasses look up the module of a class.
    module = sys.modules[_MODULE] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise InputError(f"{path}, line {error.lineno}: this is not Python: {error.msg}.") from None
    except Exception as error:
        line = [each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == path][-1]
        words = str(error).partition("\n")[0]
        raise InputError(f"{path}, line {line}: {type(error).__name__}: {words}") from None
    return module


def _require(query: type[Query[Any]], known: Queries, path: str) -> None:
    """Refuse a query that cannot be served (``ValueError``)."""
    named = f"{path}: {query.__name__}"
    if query.name in known:
        raise InputError(f"{named} has the name {query.name}, and so has another query: give it a name of its own.")
    if inspect.isabstract(query):
        raise InputError(f"{named} lacks {', '.join(sorted(query.__abstractmethods__))}: write them.")
