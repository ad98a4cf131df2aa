"""A page: one question, what can be changed about it, and what follows, with the command for private data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from dpselect.web.explorer.form_fields import Field
from dpselect.web.explorer.material import Material

if TYPE_CHECKING:
    from dpselect.analysis.charts.chart_picture import Picture

State = Mapping[str, Any]


@dataclass(frozen=True)
class Chart:
    """A picture.

    Attributes:
        title: a heading above it.
        draw: a width in pixels to a picture.
        says: what it shows, in a sentence, for readers who cannot see it.
    """

    title: str
    draw: Callable[[float], Picture]
    says: str
    kind: str = "chart"


@dataclass(frozen=True)
class PageTable:
    """Rows of text; the first cell of a row is its name."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    kind: str = "table"


@dataclass(frozen=True)
class Note:
    """A heading and a few sentences, one paragraph each."""

    title: str
    words: Sequence[str]
    kind: str = "note"


@dataclass(frozen=True)
class TreeDrawing:
    """A picture that a template of this library has drawn, with a sentence for readers who cannot see it."""

    title: str
    picture: Any
    says: str
    kind: str = "tree"


Part = Chart | PageTable | Note | TreeDrawing


@dataclass(frozen=True)
class Commands:
    """The same question about private data, as code and as a command: nothing on a page asks it.

    Attributes:
        shell: a command of dpselect; empty where none asks the same question.
        python: statements that do the same.
        note: what has to be filled in.
    """

    shell: str
    python: str
    note: str = ""


@dataclass(frozen=True)
class View:
    """The content of a page for one state.

    Attributes:
        headline: the answer in a sentence or two.
        parts: pictures, tables and notes.
        commands: for private data.
        example: Python for a notebook: it makes the public data of this view and draws its pictures; a line
            ``# %%`` starts another cell.
    """

    headline: str
    parts: Sequence[Part]
    commands: Commands
    example: str


@dataclass(frozen=True)
class Content:
    """The fields and the view of a page.

    Attributes:
        fields: of what was given on the command line, what can be changed.
        view: from the values of the fields by name, and what was given, to what is shown. It raises ``ValueError``
            or ``PrivacyError`` with a sentence that is shown instead.
        needs: fields that count only while another field, a choice, has one of these values; others are put away.
    """

    fields: Callable[[Material], Sequence[Field]]
    view: Callable[[State, Material], View]
    needs: Mapping[str, tuple[str, Sequence[str]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Page:
    """One question. The file of its content is imported when somebody first opens it: the list needs none of them.

    Attributes:
        path: in the address; the page "top-k" is ``PAGE`` of ``pages/top_k.py``.
        title: in the list of pages.
        question: the question in a sentence.
        about: the data that it is about: ``"table"``, ``"numbers"``, ``"graph"``, or nothing that can be named.
        known: its content, where no file has it.
    """

    path: str
    title: str
    question: str
    about: str = ""
    known: Content | None = None

    @property
    def content(self) -> Content:
        """The fields and the view of this page."""
        if self.known is not None:
            return self.known
        content: Content = import_module(f"dpselect.web.explorer.pages.{self.path.replace('-', '_')}").PAGE
        return content
