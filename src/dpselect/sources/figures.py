"""Where pictures begin: with a figure of their own, and a file that must be a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dpselect.kernel.extras import not_installed

_ENDINGS = (".png", ".svg", ".pdf")


def new_figure(**looks: Any) -> Any:
    """Return a figure of matplotlib, made without pyplot, that notebooks show.

    Args:
        **looks: what ``matplotlib.figure.Figure`` takes, such as ``figsize=`` and ``layout=``.

    Raises:
        ImportError: matplotlib is not installed.
    """
    try:
        from dpselect.sources.picture import Picture
    except ImportError:
        raise not_installed("Pictures need matplotlib", "plot") from None
    return Picture(**looks)


def require_picture(path: str | Path | None) -> None:
    """Refuse a file that is not a picture (``ValueError``).

    >>> require_picture("law.svg")
    """
    if path is not None and Path(path).suffix.lower() not in _ENDINGS:
        raise ValueError(f"{Path(path).name} is not a picture: pass a file that ends in .png, .svg or .pdf.")
