"""A chart as users hold it: a specification of Vega-Lite that notebooks show, and that can be saved."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

from dpselect._optional import not_installed
from dpselect.kernel.errors import InputError
from dpselect.sources.output import Output

# What no SVG can hold: the converter ends the whole process where a name has one of them.
_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
KINDS = (".svg", ".png", ".pdf", ".json")


class Picture:
    """A chart. Notebooks show it, also those that cannot draw Vega-Lite or have no network.

    Args:
        specification: of Vega-Lite.
    """

    def __init__(self, specification: dict[str, Any]) -> None:
        self._specification = specification

    @property
    def chart(self) -> Any:
        """A chart of Altair, to build on: a new one each time.

        Raises:
        """
        try:
            import altair
        except ImportError:
            raise not_installed("Charts to build on need Altair", "web") from None
        return altair.Chart.from_dict(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return the specification of Vega-Lite."""
        return deepcopy(self._specification)

    def svg(self) -> str:
        """Return a picture that stands by itself, without scripts.

        Raises:
            ImportError: vl-convert-python is not installed.
        """
        return str(_convert("svg", self._specification))

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the chart to a file: its ending says the kind (.svg, .png, .pdf, or .json for the specification).

        Raises:
            FileExistsError: the file exists, and ``overwrite`` was not asked for.
            ImportError: vl-convert-python is not installed.
            ValueError: a file of another kind.
        """
        kind = Path(path).suffix.lower()
        if kind not in KINDS:
            raise InputError(f"A chart is saved as {', '.join(KINDS)}: name a file with one of these endings.")
        with Output(path, overwrite) as file:
            specification = self.to_dict()
            content = json.dumps(specification, indent=1) if kind == ".json" else _convert(kind[1:], specification)
            file.put(content.encode() if isinstance(content, str) else content)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:  # noqa: ARG002
        """Return the specification for notebooks that can draw it, and a picture for all others."""
        specification = self.to_dict()
        major = str(specification["$schema"]).rpartition("/v")[2].partition(".")[0]
        shown = {f"application/vnd.vegalite.v{major}+json": specification}
        return shown | {"image/svg+xml": str(_convert("svg", specification)), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"Picture({' '.join(self._specification['title']['text'])!r})"


def _convert(kind: str, specification: dict[str, Any]) -> str | bytes:
    try:
        import vl_convert
    except ImportError:
        raise not_installed("Pictures of charts need vl-convert-python", "web") from None
    convert = getattr(vl_convert, f"vegalite_to_{kind}")
    converted: str | bytes = convert(json.dumps(_writable(specification)))
    return converted


def _writable(value: Any) -> Any:
    if isinstance(value, str):
        return _UNWRITABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_writable(name): _writable(each) for name, each in value.items()}
    return [_writable(each) for each in value] if isinstance(value, list) else value
