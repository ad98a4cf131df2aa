"""An entry for the public registry of deployments (registry.opendp.org), from what a certificate holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpselect.certificates.answer_table import words
from dpselect.ledger.attack import risk_of

# What a certificate does not know.
_OPEN = "TO COMPLETE: "


def registry_entry(content: Mapping[str, Any]) -> str:
    """Return the entry of a release as YAML, of which JSON is a part, with what a person must complete.

    It says what the certificate says, in the fields of the registry's tiers 1 to 3. Whatever a certificate does not
    know begins with "TO COMPLETE".

    Args:
        content: of a :class:`dpselect.Certificate`.

    >>> import dpselect as dps
    >>> votes = dps.Scores([900, 100], 1, candidates=["parks", "trams"], kind="integer")
    >>> with dps.budget(epsilon=1):
    ...     made = dps.select(votes, epsilon=1).certificate(question="What should the town build?")
    >>> entry = json.loads(registry_entry(made.content))
    >>> entry["deployment"]["dp_variant"]["variant_name"], entry["deployment"]["privacy_loss"]["privacy_parameters"]
    ('Pure DP', {'epsilon': 1.0})
    """
    promise = content["guarantee"]
    names = ("rho", "delta") if promise["rho"] is not None else ("epsilon", "delta")
    parameters = {name: float(Fraction(promise[name])) for name in names if Fraction(promise[name])}
    pure = "Pure DP" if not Fraction(promise["delta"]) else "Approximate DP"
    facts = f"Public facts: {words(content['public'])}" if content["public"] else ""
    deployment = {
        "basic": _basic(content),
        "dp_variant": {
            "variant_name": pure if promise["rho"] is None else "Zero Concentrated DP",
            "data_domain": f"{_OPEN}which datasets are possible. {facts}".rstrip(),
            "unprotected_quantities": facts or f"{_OPEN}what is published without protection",
        },
        "privacy_loss": {
            "privacy_unit": promise["protects"],
            "privacy_unit_details": f"Neighbouring datasets: {promise['neighbours']}.",
            "privacy_parameters": parameters,
            "privacy_parameters_details": f"An attacker {risk_of(promise)}.",
        },
        "deployment_model": {
            "model_name": "Central",
            "release_type": "One release",
            "data_source_type": f"{_OPEN}Static or Dynamic",
            "access_type": "Non-interactive",
        },
        "accounting": {
            "composition": _composition(content["ledger"]),
        },
        "implementation": {
            "mechanisms": f"{content['mechanism']}, sampled exactly by dpselect {content['software']['dpselect']}",
            "justification": f"{_OPEN}why these parameters",
        },
        "administrative": {"status": "Draft", "registry_authors": [f"{_OPEN}author"], "tier": 3},
    }
    return json.dumps({"deployment": deployment}, indent=2, ensure_ascii=False) + "\n"


def _composition(ledger: Mapping[str, Any] | None) -> str:
    """Return what the certificate says of a ledger."""
    if ledger is None:
        return f"{_OPEN}what else is released about these people, and how it adds up"
    many = len(ledger["rows"])
    return f"Recorded in a ledger before anything was drawn: {many} row{'s' if many > 1 else ''}."


def _basic(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the first tier asks for."""
    return {
        "name": content["question"] or f"{_OPEN}name of the data product",
        "data_curators": [
            {"data_curator_name": f"{_OPEN}who publishes", "data_curator_type": f"{_OPEN}such as Nonprofit"}
        ],
        "description": f"Released: {words(content['answer'])}",
        "intended_use": f"{_OPEN}what the answer is for",
        "data_product_type": "Summary statistics",
        "data_product_region": f"{_OPEN}region",
        "data_product_sector": f"{_OPEN}sector",
        "publication_date": content["date"],
    }
