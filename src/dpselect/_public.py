"""Names under which tracebacks, help and pickles show what users import."""

from collections.abc import Iterable, Mapping
from types import FunctionType
from typing import Any


def named_publicly(module: str, names: Mapping[str, Any], public: Iterable[str]) -> None:
    """Give classes and functions of the library the module that users import them from: ``dpselect.BudgetError``."""
    for each in map(names.get, public):
        if isinstance(each, (type, FunctionType)) and each.__module__.startswith("dpselect."):
            each.__module__ = module
