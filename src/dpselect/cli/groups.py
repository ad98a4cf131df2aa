"""What a dry run says of a release in every group: how wrong the list of one group may be, by public numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

import dpselect as dps
from dpselect.cli.request import Request
from dpselect.mechanisms.permute_and_flip import permute_and_flip
from dpselect.mechanisms.worst_case import worst_of
from dpselect.release.one_shot import method_of
from dpselect.release.questions import question, require_count


def plan(request: Request, items: Any, groups: Any, unit: str) -> None:
    """Note how wrong one group may be; what the release itself will refuse is left to it.

    Each group is drawn at epsilon / G, whatever adds the epsilons up, and so in one pass where that is possible.
    """
    if items is None or groups is None or request.groups_per_person is None or request.groups_per_person < len(groups):
        # Of persons in some of their groups only, no worst error is known.
        return
    k, part = require_count(request.k, len(items)), request.epsilon / len(groups)
    example = dps.Scores(np.zeros(len(items), dtype=np.int64), 1, None, "person", 1, kind="integer", zero="worst")
    method = method_of(question(example, part / k, permute_and_flip()), k, None)
    request.unit, request.scope = unit, "each group: "
    request.worst = worst_of(example, k, part, permute_and_flip(), method)
