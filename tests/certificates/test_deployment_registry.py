"""Entries for the public registry say what a certificate says, and no more."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import dpselect as dps
from dpselect.certificates.deployment_registry import registry_entry

yaml = pytest.importorskip("yaml", reason="PyYAML reads entries: python -m pip install pyyaml")

VOTES = dps.Scores([900, 100], 1, candidates=["parks", "trams"], kind="integer")
# The variants that the registry knows.
KNOWN = {"Pure DP", "Approximate DP", "Zero Concentrated DP"}


@pytest.fixture
def content():
    """What a certificate holds."""
    with dps.budget(epsilon=4):
        return dict(dps.select(VOTES, epsilon=1).certificate(question="What should the town build?").content)


def test_an_entry_is_yaml_with_what_is_known(content) -> None:
    """And what is not known asks to be completed."""
    entry = yaml.safe_load(registry_entry(content))["deployment"]

    assert "What should the town build?" == entry["basic"]["name"]
    assert {"epsilon": 1.0} == entry["privacy_loss"]["privacy_parameters"]
    assert entry["privacy_loss"]["privacy_parameters_details"].endswith("at most 74 % of the time.")
    assert entry["basic"]["description"].endswith("parks")
    assert entry["basic"]["intended_use"].startswith("TO COMPLETE")
    assert "TO COMPLETE" not in json.dumps(entry["privacy_loss"])


@pytest.mark.parametrize(
    ("changes", "variant", "parameters"),
    [
        ({"delta": "0.000001"}, "Approximate DP", {"epsilon": 1.0, "delta": 1e-6}),
        ({"rho": "0.125", "delta": "0.000001"}, "Zero Concentrated DP", {"rho": 0.125, "delta": 1e-6}),
        ({"epsilon": "1/3"}, "Pure DP", {"epsilon": float(Fraction(1, 3))}),
    ],
)
def test_each_kind_of_promise_has_its_variant(content, changes, variant: str, parameters) -> None:
    """By the names of the registry."""
    content["guarantee"] = content["guarantee"] | changes
    entry = json.loads(registry_entry(content))["deployment"]

    assert (variant, parameters) == (entry["dp_variant"]["variant_name"], entry["privacy_loss"]["privacy_parameters"])
    assert variant in KNOWN


def test_an_entry_holds_nothing_else(content) -> None:
    """Every leaf is a fact of the certificate, a word of the registry, or asks to be completed."""
    content["secret"] = "4711"
    assert "4711" not in registry_entry(content)


@pytest.mark.parametrize(
    ("ledger", "said"),
    [
        (None, "TO COMPLETE"),
        ({"rows": [{"row": 1}]}, "Recorded in a ledger before anything was drawn: 1 row."),
        ({"rows": [{"row": 1}, {"row": 4}]}, "Recorded in a ledger before anything was drawn: 2 rows."),
    ],
)
def test_an_entry_names_a_ledger_where_there_is_one(content, ledger, said: str) -> None:
    """A release without one was recorded nowhere."""
    content["ledger"] = ledger
    assert json.loads(registry_entry(content))["deployment"]["accounting"]["composition"].startswith(said)


def test_an_entry_without_public_facts_names_none(content) -> None:
    """It asks for them."""
    content["public"] = {}
    variant = json.loads(registry_entry(content))["deployment"]["dp_variant"]

    assert "Public facts" not in json.dumps(variant)
    assert variant["unprotected_quantities"].startswith("TO COMPLETE")
