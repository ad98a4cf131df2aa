"""Whether a value is what a JSON Schema says, as far as ours go; and the members that no schema names."""

from __future__ import annotations

from typing import Any

_KINDS = {
    "string": str, "number": (int, float), "integer": int, "boolean": bool, "array": list, "object": dict,
    "null": type(None),
}  # fmt: skip


def faults(value: Any, schema: dict[str, Any], where: str = "") -> list[str]:
    """Return what is wrong with a value, each with the path to it."""
    kinds = schema.get("type")
    if kinds is not None:
        named = kinds if isinstance(kinds, list) else [kinds]
        fits = any(isinstance(value, _KINDS[kind]) for kind in named)
        # A truth value is an integer in Python alone.
        if not fits or (isinstance(value, bool) and "boolean" not in named):
            return [f"{where} is {value!r}, and should be {kinds}"]
    found = []
    if isinstance(value, dict):
        found += [f"{where}/{name} is missing" for name in schema.get("required", ()) if name not in value]
        for name, member in value.items():
            inner = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
            found += faults(member, inner, f"{where}/{name}")
    if isinstance(value, list):
        for place, member in enumerate(value):
            found += faults(member, schema.get("items", {}), f"{where}/{place}")
    return found


def unnamed(value: dict[str, Any], schema: dict[str, Any]) -> set[str]:
    """Return the members that the schema does not name."""
    return {*value} - {*schema["properties"]}
