"""Asking: the form of a question, its plan, which costs nothing, and then its release."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from dpselect.queries import Query
from dpselect.web import tokens
from dpselect.web.server import serializers
from dpselect.web.server.dataset import HostedDataset
from dpselect.web.server.dependencies import Analyst, CurrentUser
from dpselect.web.server.error_pages import HOME
from dpselect.web.server.errors import InvalidQueryError, NotFoundError
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.pages import fields as forms
from dpselect.web.server.pages import public
from dpselect.web.server.pages.budget_bar import budget_bars
from dpselect.web.server.pages.form import UNREADABLE, Fields
from dpselect.web.server.pages.layout import page
from dpselect.web.server.users import User


def question_pages(jobs: JobQueue) -> APIRouter:
    """Return the addresses of questions."""
    router = APIRouter()

    @router.get(f"{HOME}/datasets/{{name}}/{{kind}}")
    def form(name: str, kind: str, request: Request, user: CurrentUser) -> Response:
        found = jobs.dataset(name, user.analyst)
        query = forms.queries_about(found.description, jobs.server_state.queries).get(kind)
        if query is None:
            raise NotFoundError("This question cannot be asked about this dataset.")
        fields = forms.fields_of(query, found.description)
        given = request.query_params
        values = {each.name: given.getlist(each.name) or [each.default] for each in fields}
        facts: dict[str, Any] = {
            "dataset": serializers.summary(found, user, jobs.server_state.standings.of(name)),
            "budget": budget_bars(found, user),
            "about": query.about(),
            "fields": fields,
            "values": values,
            "mistakes": defaultdict(str),
            "plan": None,
            "columns": public.columns(found.description),
        }
        if given:
            asked, mistakes = forms.fill_query(query, given)
            facts["mistakes"] |= mistakes
            try:
                facts |= {} if asked is None else _plan_facts(jobs, found, asked, user)
            except InvalidQueryError as error:
                facts["mistakes"] |= {error.field: forms.sentence(error.sentence)}
        rare = [each for each in fields if each.rare]
        facts["more"] = any(each.is_changed(values[each.name]) or each.name in facts["mistakes"] for each in rare)
        status = 422 if facts["mistakes"] else 200
        return page(request, "question.html", f"{query.title}: {name}", status, **facts)

    @router.post(f"{HOME}/datasets/{{name}}/{{kind}}")
    def release(name: str, kind: str, given: Fields, user: Analyst) -> Response:
        query = _stored_query(jobs, given)
        if query.name != kind:
            raise InvalidQueryError(UNREADABLE)
        asked = jobs.submit(user.name, given.get("key", "")[:200], name, query)
        jobs.start_job(asked)
        # A page that is loaded again or sent twice is the same request, by its key.
        return RedirectResponse(f"{HOME}/requests/{asked.id}", 303)

    return router


def _plan_facts(jobs: JobQueue, dataset: HostedDataset, query: Query[Any], user: User) -> dict[str, Any]:
    plan = dataset.plan(query, jobs.server_state.settings.limits.candidates).as_json()
    return {
        "plan": plan,
        "words": query.words(),
        "query": query.canonical(),
        "key": tokens.fresh(),
        "may_ask": user.role == "analyst",
    }


def _stored_query(jobs: JobQueue, given: Mapping[str, str]) -> Query[Any]:
    try:
        return jobs.server_state.query_of(given.get("query", ""))
    except ValueError:
        raise InvalidQueryError(UNREADABLE) from None
