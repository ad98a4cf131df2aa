"""HTML and SVG from templates, which escape every value: no module builds markup from text by itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from dpselect._optional import not_installed

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


@dataclass(frozen=True)
class Mark:
    """An element of a drawing.

    Attributes:
        content: text, and elements within this one.
        attributes: by name; their values are escaped as text is.
    """

    tag: str
    content: tuple[str | Mark, ...]
    attributes: dict[str, Any]


def mark(tag: str, *content: str | Mark, **attributes: Any) -> Mark:
    """Return an element; an underscore in the name of an attribute stands for a hyphen."""
    return Mark(tag, content, {name.replace("_", "-"): value for name, value in attributes.items()})


def drawing(*marks: Mark, **attributes: Any) -> Markup:
    """Return a picture as SVG.

    >>> print(drawing(mark("text", "a < b", x=1, text_anchor="end"), viewBox="0 0 9 9"))
    <svg viewBox="0 0 9 9" role="img">
    <text x="1" text-anchor="end">a &lt; b</text>
    </svg>
    """
    root = mark("svg", *marks, **attributes, role="img")
    return render("dpselect._display", "drawing.svg", root=root)


def render(package: str, name: str, **values: Any) -> Markup:
    """Return a template of a package with its values in it; another template takes the result as it is.

    Args:
        package: which has a folder ``templates``.
        name: of a file there.
        values: for the names in the template; a name without a value is an error.
    """
    template = _templates(package).get_template(name)
    from markupsafe import Markup

    return Markup(template.render(values))


def require_templates(package: str) -> None:
    """Refuse (``ImportError``) where no page can be written, before anything is paid for one."""
    _templates(package)


@cache
def _templates(package: str) -> Environment:
    # Not needed to import the package, and not fast to import.
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise not_installed("Pages and drawings need Jinja2", "html") from None

    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
