"""JSON Schemas of what ``--json`` prints: a member keeps its name and its type, and others may be added.

``dpselect COMMAND --json`` prints one object. Amounts of budget are text that spells an exact fraction, such as
``"1/3"``; what ends in ``_float`` is the same as a float.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpselect.queries.registry import QUERIES

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
WHOLE: Schema = {"type": "integer"}
TRUTH: Schema = {"type": "boolean"}
NAME: Schema = {"type": ["string", "number"]}
ANY: Schema = {}


def _maybe(schema: Schema) -> Schema:
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return schema | {"type": [*kinds, "null"]}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _object(required: Mapping[str, Schema], **optional: Schema) -> Schema:
    return {"type": "object", "properties": {**required, **optional}, "required": [*required]}


def _map(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


_AMOUNTS = {"epsilon": TEXT, "epsilon_float": NUMBER, "delta": TEXT, "delta_float": NUMBER, "neighbours": TEXT}
GUARANTEE = _object(_AMOUNTS, rho=TEXT)
ACCURACY = _maybe(
    _object({"probability": NUMBER, "error_below": _maybe(NUMBER), "unit": _maybe(TEXT), "candidates": _maybe(WHOLE)})
)
# How wrong a release may be, for programs and as the line that people read.
_ERROR_FIELDS = {"accuracy": ACCURACY, "accuracy_line": TEXT}
_PAYMENT_FIELDS = {"mechanism": TEXT, "guarantee": GUARANTEE}
_BY_GROUP = _list(_object({"group": NAME}, candidates=_list(NAME)))
_TERMS = {"dataset": TEXT, "neighbours": TEXT, "rule": TEXT, "epsilon": TEXT, "delta": TEXT}
_SPENT_AMOUNTS = _map(TEXT)
# As certificates have it.
_CERTIFIED_GUARANTEE = _object(
    {"epsilon": TEXT, "delta": TEXT, "rho": _maybe(TEXT), "neighbours": TEXT, "protects": TEXT}
)


def _winners_schema(**more: Schema) -> Schema:
    """Return the schema of a list of winners: ``groups`` stands in place of ``candidates`` where groups were asked."""
    gaps = {"rows_per_person": WHOLE, "gaps": _list(NUMBER), "p_value": NUMBER}
    return _object({**_PAYMENT_FIELDS, **_ERROR_FIELDS}, candidates=_list(NAME), groups=_BY_GROUP, **gaps, **more)


def _served_schema(schema: Schema) -> Schema:
    """Return the schema of the same answer where a server gives it."""
    return _object(
        {name: schema["properties"][name] for name in schema["required"]} | _WHERE,
        **{name: each for name, each in schema["properties"].items() if name not in schema["required"]},
    )


_PMFS = _list(
    _object(
        {
            "name": TEXT,
            "epsilon": _list(TEXT),
            "probability_of_best": _list(NUMBER),
            "expected_error": _list(NUMBER),
            "not_applicable": _maybe(TEXT),
        }
    )
)
_COMPARISON = _object({"mechanisms": _PMFS})
_COUNT = _object({"value": NAME, "count": WHOLE}, group=NAME)
_MODEL_FIELDS = {"guarantee": GUARANTEE, "mechanism": TEXT, "written_to": TEXT, **_ERROR_FIELDS}

# Where a server is asked: what its answer has beside the same members.
_WHERE = {"server": TEXT, "dataset": TEXT, "request": TEXT, "ledger_row": WHOLE, "key": TEXT}
# By the form of a query's answer.
_BY_FORM = {
    "winners": _winners_schema(),
    "names": _winners_schema(),
    "counts": _object(
        {**_PAYMENT_FIELDS, **_ERROR_FIELDS, "counts": _list(_COUNT), "every_count_within": WHOLE},
        rows_per_person=WHOLE,
    ),
    "model": _object(
        {**_MODEL_FIELDS, "model": {"type": "object"}, "learned_from": _list(TEXT), "chosen_because": _maybe(TEXT)}
    ),
    "table": _object({**_MODEL_FIELDS, "model": {"type": "object"}, "rows": WHOLE, "measured": _list(_list(TEXT))}),
}
_QUERIES = {name.replace("_", "-"): _BY_FORM[query.form] for name, query in QUERIES.items()}
# By command: what it prints beside "command", which every object has.
ANSWERS: Mapping[str, Schema] = {
    **_QUERIES,
    "median-record": _winners_schema(),
    "quantiles": _winners_schema(p=_list(TEXT), q=_list(TEXT)),
    "top-k": _winners_schema(metric=TEXT, weights=_map(TEXT), margin=TRUTH, decay=WHOLE, truncated_to=WHOLE),
    "snp": _winners_schema(),
    # Whatever the query prints that SQL means.
    "sql": _winners_schema(p=_list(TEXT), q=_list(TEXT), counts=_list(_COUNT), every_count_within=WHOLE),
    "above-threshold": _object(
        {
            **_PAYMENT_FIELDS,
            **_ERROR_FIELDS,
            "answers": _list(_object({"name": NAME, "above": TRUTH, "level": ANY, "gap": _maybe(NUMBER)})),
            "names": WHOLE,
        }
    ),
    "check": _object(
        {
            "private": TEXT,
            "rows": WHOLE,
        },
        # Of a file of edges.
        not_an_edge=WHOLE,
        unread=_list(TEXT),
        other_nodes=WHOLE,
        strangers=_list(TEXT),
        between=WHOLE,
        remedy=_maybe(TEXT),
        weights=_map(WHOLE),
        loops=WHOLE,
        repeated=WHOLE,
        edges=WHOLE,
        nodes_with_an_edge=WHOLE,
        nodes=WHOLE,
        directed=TRUTH,
        largest_degree=WHOLE,
        most_followers=WHOLE,
        # Of a table.
        hidden_rows=WHOLE,
        percents=_map(WHOLE),
        keys=_map(WHOLE),
        lines_that_are_not_objects=WHOLE,
        lines_by_cells=_map(WHOLE),
        columns=_map(
            _object(
                {"empty": WHOLE},
                filled=WHOLE,
                numbers=WHOLE,
                not_a_number=WHOLE,
                dates=WHOLE,
                not_a_date=WHOLE,
                unread=_list(TEXT),
                outside=WHOLE,
                beyond=_list(TEXT),
                listed=WHOLE,
                outside_the_list=WHOLE,
                strangers=_list(TEXT),
                without_leading_zeros=WHOLE,
                unused=WHOLE,
                names=WHOLE,
            )
        ),
        persons=_object(
            {
                "persons": WHOLE,
                "nobody": WHOLE,
                "largest": WHOLE,
                "rows_per_person": _map(WHOLE),
                "above": WHOLE,
                "left_out": WHOLE,
            }
        ),
    ),
    "describe": _object({"private": TEXT, "description": TEXT}),
    "sample": _object({"rows": WHOLE, "written_to": TEXT}),
    "predict": _object(
        {},
        labels={"type": ["array", "integer"]},
        values={"type": ["array", "integer"]},
        classes=_list(NAME),
        shares=_list(_list(NUMBER)),
        why=_list(TEXT),
        written_to=TEXT,
    ),
    "choose histogram": _object({**_MODEL_FIELDS, "counts": {"type": "array"}, "why": TEXT}),
    "choose tree": _object({**_MODEL_FIELDS, "model": {"type": "object"}, "why": TEXT}),
    "budget create": _object({"ledger": TEXT, **_TERMS}, rho=TEXT),
    "budget show": _object(
        {
            **_TERMS,
            "spent": _SPENT_AMOUNTS,
            "left": _SPENT_AMOUNTS,
            "releases": WHOLE,
            "events": _list({"type": "object"}),
        },
        rho=TEXT,
        answers=_list({"type": ["string", "null"]}),
    ),
    "budget spend": _object({"row": WHOLE, **_PAYMENT_FIELDS}),
    "budget report": _object(
        {"delta": NUMBER, **dict.fromkeys(("basic", "rho", "optimum", "fixed_questions"), _maybe(NUMBER))}, reason=TEXT
    ),
    "budget verify": _object({"entries": WHOLE, "spent": _SPENT_AMOUNTS}),
    "budget settle": _object({"entries": WHOLE}),
    "budget export": _object({}, events=_list({"type": "object"}), written_to=TEXT),
    "publish": _object(
        {
            "format": TEXT,
            "title": TEXT,
            "publication": TEXT,
            "description": TEXT,
            "guarantee": _CERTIFIED_GUARANTEE,
            "answers": _map({"type": "object"}),
            "folder": TEXT,
        }
    ),
    "certificate": _object({"written_to": TEXT}),
    "verify": _object({"whole": TRUTH}, why=TEXT, sha256=TEXT, certificate={"type": "object"}, in_ledger=TRUTH),
    "plan": _object(
        {"plans": _list({"type": "object"}), "epsilon": _maybe(NUMBER), "probability": NUMBER},
        **{
            "candidates": WHOLE,
            "k": WHOLE,
            "sensitivity": NUMBER,
            "range_bound": WHOLE,
            "kind": TEXT,
            "error": _maybe(NUMBER),
        },
    ),
    "mechanisms": _object({"mechanisms": _list(_object({"name": TEXT, "sampler": TEXT, "use": TEXT}))}),
    "compare": _object({"regret": _list(TEXT)}),
    "compare formulas": _object({"mechanism": TEXT, "small_groups": TEXT, "formulas": _list({"type": "object"})}),
    "compare histogram": _object({"range_error": _map(NUMBER)}),
    "compare metrics": _object({"metric": TEXT, "metrics": _list({"type": "object"})}),
    **{f"compare {name}": _COMPARISON for name in ("percentile", "median", "snp", "top-k")},
    "demo": _object(
        {},
        truth=NAME,
        laws=_list(_object({"metric": TEXT, "mechanism": TEXT, "probabilities": _map(NUMBER)})),
        released=NAME,
        written_to=TEXT,
        rows=WHOLE,
        columns=_list(TEXT),
        **{"try": _list(TEXT)},
    ),
    "audit": _object({}, claims=_list(_map(TEXT)), findings=_list({"type": "object"}), not_tested=_list(TEXT)),
    "history": _object(
        {"server": TEXT, "requests": _list({"type": "object"})}, answer={"type": "object"}, certificate=TEXT
    ),
    "datasets": _object({"folders": _list(TEXT), "datasets": _list({"type": "object"})}, disagreements=_list(TEXT)),
}
# What a plan of SQL has beside the others.
_OF_SQL = {"query": {"type": "object"}, "statistics": TEXT, "sensitivity": TEXT}
# What --dry-run prints in place of the answer.
PLAN_SCHEMA = _object(
    {
        "dry_run": TRUTH,
        "mechanism": TEXT,
        "guarantee": GUARANTEE,
        "draws": WHOLE,
        "error_bound": {"type": ["number", "string", "null"]},
        **_ERROR_FIELDS,
        "reach": _maybe(TEXT),
        "chosen_because": _maybe(TEXT),
        "ledger": _maybe(
            _object({"path": TEXT, "left": _SPENT_AMOUNTS, "left_after": _SPENT_AMOUNTS, "record": _map(TEXT)})
        ),
    },
    rows_per_person=WHOLE,
    **_OF_SQL,
)

_REMAINING_AMOUNTS = _map(_SPENT_AMOUNTS)
_OFFER = _object({"name": TEXT, "about": TEXT, "paused": TRUTH, "left": _REMAINING_AMOUNTS})
SERVED_SCHEMAS: Mapping[str, Schema] = {
    **{name: _served_schema(ANSWERS[name]) for name in (*_QUERIES, "sql")},
    "datasets": _object({"server": TEXT, "datasets": _list(_OFFER)}),
}

SERVED_PLAN = _object(
    {
        "dry_run": TRUTH,
        "mechanism": TEXT,
        "guarantee": GUARANTEE,
        **_ERROR_FIELDS,
        "protects": TEXT,
        "server": TEXT,
        "dataset": TEXT,
        "left": _REMAINING_AMOUNTS,
    },
    **_OF_SQL,
)


def answer(command: str) -> Schema:
    """Return the JSON Schema of what a command prints with ``--json``.

    Raises:
        KeyError: there is no such command, or it prints no object.

    >>> answer("budget settle")["properties"]["entries"]
    {'type': 'integer'}
    """
    return _with_title(f"dpselect {command} --json", ANSWERS[command])


def served_schema(command: str) -> Schema:
    """Return the JSON Schema of what a command prints of a server with ``--json``: that of the same answer, and more.

    Raises:
        KeyError: it asks no server.
    """
    return _with_title(f"dpselect {command} https://... --json", SERVED_SCHEMAS[command])


def served_dry_run() -> Schema:
    """Return the JSON Schema of what every command prints of a server with ``--dry-run --json``."""
    return _with_title("dpselect ... https://... --dry-run --json", SERVED_PLAN)


def dry_run() -> Schema:
    """Return the JSON Schema of what every command that spends prints with ``--dry-run --json``."""
    return _with_title("dpselect ... --dry-run --json", PLAN_SCHEMA)


def _with_title(title: str, schema: Schema) -> Schema:
    # Every release may be asked for with a certificate, and may say how public names were read.
    certified = {"certificate": TEXT, "notes": _list(TEXT)} if "guarantee" in schema["properties"] else {}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
        "properties": {"command": TEXT, **certified, **schema["properties"]},
        "required": ["command", *schema["required"]],
    }
