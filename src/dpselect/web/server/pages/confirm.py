"""A second question before something that cannot be undone."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import Request
from starlette.responses import Response

from dpselect.web.server.pages.form import FIELD
from dpselect.web.server.pages.layout import page

# What the second form holds beside the fields of the first.
_SURE = "sure"


def asked_again(
    request: Request, fields: Mapping[str, str], title: str, sentence: str, button: str, cancel: str
) -> Response | None:
    """Return the page that asks whether somebody is sure; ``None`` where its form was sent.

    Args:
        request: that would change something.
        fields: of its form, which the page holds on to.
        title: of the page.
        sentence: what will happen, and what of it stays.
        button: what does it.
        cancel: the address of the page that leads back.
    """
    if fields.get(_SURE) == "yes":
        return None
    kept = {name: value for name, value in fields.items() if name not in (FIELD, _SURE)} | {_SURE: "yes"}
    return page(request, "sure.html", title, sentence=sentence, button=button, cancel=cancel, fields=kept)
