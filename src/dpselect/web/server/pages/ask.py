"""Asking: the form of a question, its plan, which costs nothing, and then its release."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from pydantic import ValidationError
from starlette.responses import RedirectResponse, Response

from dpselect.web import tokens
from dpselect.web.server import shown
from dpselect.web.server.dataset import Dataset
from dpselect.web.server.desk import Desk
from dpselect.web.server.pages import fields as forms
from dpselect.web.server.pages import public
from dpselect.web.server.pages.form import UNREADABLE, Fields
from dpselect.web.server.pages.labels import heading
from dpselect.web.server.pages.shell import page
from dpselect.web.server.people import Visitor
from dpselect.web.server.questions import Question, canonical, question_of
from dpselect.web.server.refusal import Refusal, Unknown, Wrong
from dpselect.web.server.refused import HOME
from dpselect.web.server.visitors import Analyst, AnyVisitor


def question_pages(desk: Desk) -> APIRouter:
    """Return the addresses of questions."""
    router = APIRouter()

    @router.get(f"{HOME}/datasets/{{name}}/{{kind}}")
    def form(name: str, kind: str, request: Request, visitor: AnyVisitor) -> Response:
        found = desk.dataset(name, None if visitor.role == "curator" else visitor.name)
        if kind not in forms.asked_of(found.facts):
            raise Unknown("This question cannot be asked about this dataset.")
        model = forms.MODELS[kind]
        fields = forms.fields_of(model, found.facts)
        given = request.query_params
        values = {each.name: given.getlist(each.name) or [each.default] for each in fields}
        facts: dict[str, Any] = {
            "dataset": shown.summary(found, visitor, desk.house.standings.of(name)),
            "about": forms.about(model),
            "fields": fields,
            "values": values,
            "mistakes": defaultdict(str),
            "plan": None,
            "columns": public.columns(found.facts),
        }
        if given:
            try:
                question = model.model_validate({"question": kind, **forms.read(fields, given)})
                facts |= _planned(desk, found, question, visitor)
            except ValidationError as error:
                facts["mistakes"] |= forms.mistakes(error)
            except Refusal as error:
                facts["mistakes"] |= {"": str(error)}
        rare = [each for each in fields if each.rare]
        facts["more"] = any(each.is_changed(values[each.name]) or each.name in facts["mistakes"] for each in rare)
        status = 422 if facts["mistakes"] else 200
        return page(request, "question.html", heading(kind, name), status, **facts)

    @router.post(f"{HOME}/datasets/{{name}}/{{kind}}")
    def release(name: str, kind: str, given: Fields, visitor: Analyst) -> Response:
        question = _kept(given)
        if question.model_dump()["question"] != kind:
            raise Wrong(UNREADABLE)
        asked = desk.take(visitor.name, given.get("key", "")[:200], name, question)
        desk.begin(asked)
        # A page that is loaded again or sent twice is the same request, by its key.
        return RedirectResponse(f"{HOME}/requests/{asked.id}", 303)

    return router


def _planned(desk: Desk, dataset: Dataset, question: Question, visitor: Visitor) -> dict[str, Any]:
    plan = dataset.plan(question, desk.house.settings.limits.candidates).as_json()
    return {
        "plan": plan,
        "words": question.words(),
        "question": canonical(question),
        "key": tokens.fresh(),
        "may_ask": visitor.role == "analyst",
    }


def _kept(given: Mapping[str, str]) -> Question:
    try:
        return question_of(given.get("question", ""))
    except ValidationError:
        raise Wrong(UNREADABLE) from None
