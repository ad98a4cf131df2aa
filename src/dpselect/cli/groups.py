"""A release in every group on the command line: one line per group, and what a dry run says of one of them."""

from __future__ import annotations

from typing import Any

import numpy as np

import dpselect as dps
from dpselect.certificates.contribution_text import EACH_GROUP
from dpselect.cli.command import CommandAnswer
from dpselect.cli.plan_text import facts_text, promise, state_error
from dpselect.cli.release_text import escape_name
from dpselect.cli.request import Request
from dpselect.cli.tables import ReleaseFacts
from dpselect.mechanisms.error_bound import NoBound
from dpselect.mechanisms.permute_and_flip import permute_and_flip
from dpselect.mechanisms.worst_case import error_bound_of
from dpselect.release.one_shot import method_of
from dpselect.release.questions import question, require_count
from dpselect.release.release import Release


def plan(request: Request, items: Any, groups: Any, unit: str) -> None:
    """Note how wrong one group may be; what the release itself will refuse is left to it.

    Each group is drawn at epsilon / G, or of records at epsilon, whatever adds the epsilons up, and so in one pass
    where that is possible.
    """
    if items is None or groups is None:
        return
    relation, share = "add-remove", 1
    if request.person is not None:
        if request.groups_per_person is None or request.groups_per_person < len(groups):
            from dpselect.release.most_common import LEFT_OUT

            request.outcome.says(NoBound(LEFT_OUT), unit)
            return
        relation, share = "person", len(groups)
    k, part = require_count(request.k, len(items)), request.epsilon / share
    example = dps.Scores(np.zeros(len(items), dtype=np.int64), 1, None, relation, 1, kind="integer", zero="worst")
    method = method_of(question(example, part / k, permute_and_flip()), k, None, None)
    request.outcome.scope = EACH_GROUP
    request.outcome.says(error_bound_of(example, k, part, permute_and_flip(), method), unit)


def answer_by_group(
    release: Release[dict[Any, Any]],
    unit: str = "",
    *,
    note: str = "",
    protected: str | None = None,
    **more: Any,
) -> CommandAnswer:
    """Return a release of groups, one line per group, and after a note what it cost and how wrong a group may be.

    Args:
        note: before the cost.
        protected: what one step between databases is, in words, where the relation alone does not say it.
        more: further facts for programs.
    """
    groups = [*zip(release.value, release._answer.values(), strict=True)]
    lines = [f"{escape_name(group)}: {', '.join(map(escape_name, winners))}" for group, winners in groups]
    facts = {
        "groups": [{"group": group, "candidates": winners} for group, winners in groups],
        **more,
        "mechanism": release.mechanism,
        "guarantee": promise(release.guarantee),
        **state_error(release.error_bound, unit),
    }
    cost = f"{facts_text(release.guarantee, protected=protected)}, by {release.mechanism}"
    return CommandAnswer.of([*lines, ReleaseFacts(cost, release.error_bound.describe(unit), note=note)], facts)
