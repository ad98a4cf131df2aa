"""A server in the place of a line: it answers from a dataset of this machine, in the JSON of a server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import dpselect as dps
from dpselect.client import RemoteDataset
from dpselect.client.transport import Reply
from dpselect.queries import QUERIES, Query, query_of


@dataclass
class Answering:
    """Answers plans and releases; ``changed`` alters each reply before it is sent.

    Attributes:
        data: what it has.
        known: classes of queries that it knows.
        sent: paths and bodies that came.
    """

    data: Any
    known: Mapping[str, type[Query[Any]]] = field(default_factory=lambda: QUERIES)
    changed: Any = lambda content: content
    sent: list[tuple[str, Any]] = field(default_factory=list)
    address: str = "http://localhost"

    def send(self, _method: str, path: str, body: Any = None, key: str | None = None) -> Reply:
        """Answer as a server does, by way of text."""
        self.sent.append((path, body))
        query = query_of(json.loads(json.dumps(body)), self.known)
        content = self.data.plan_of(query).as_json() if path.endswith("/plan") else self._answer(query, key)
        return Reply(200, json.loads(json.dumps(self.changed(content))), None)

    def _answer(self, query: Query[Any], key: str | None) -> dict[str, Any]:
        release = self.data.ask(query)
        certificate = release.certificate()
        return {
            **{name: certificate.content[name] for name in ("answer", "mechanism", "guarantee")},
            "accuracy": release.error_bound.describe(),
            "request": f"request of {key}",
            "ledger_row": 1,
            "certificate": {"certificate": certificate.content, "sha256": certificate.sha256},
            **query.attachments(release),
        }


def facts(description: dps.Dataset) -> dict[str, Any]:
    """Return public facts as a server lists them."""
    if description.graph is not None:
        more: dict[str, Any] = {"nodes": description.nodes, "max_degree": description.max_degree}
    else:
        domains = {
            name: [*each]
            if isinstance(each, tuple)
            else {part: float(getattr(each, part)) for part in ("lower", "upper", "step")}
            for name, each in description.columns.items()
        }
        rows = None if description.person is None else description.rows_per_person
        more = {"columns": domains, "rows_per_person": rows}
    return {"name": "survey", "rule": "sum" if description.budget is None else description.budget.rule} | more


def remote(data: Any, **options: Any) -> RemoteDataset:
    """Return a dataset of a server that has this dataset."""
    return RemoteDataset(Answering(data, **options), facts(data.description), 1)  # type: ignore[arg-type]
