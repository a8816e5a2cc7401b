"""The verification summary follows from the review, and claims no level of SLSA."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from tests.records.sample_reviews import FACTS, HEAD, predicate, record
from wardround.records import envelope
from wardround.records.bundle import Facts

_DIGEST = {
    "type": "object",
    "required": ["sha256"],
    "additionalProperties": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
}
_SCHEMA = {
    "type": "object",
    "required": [
        "verifier", "timeVerified", "resourceUri", "policy", "verificationResult", "verifiedLevels",
    ],
    "properties": {
        "verifier": {"type": "object", "required": ["id"], "properties": {"id": {"pattern": "^https://"}}},
        "timeVerified": {"pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"},
        "resourceUri": {"type": "string", "pattern": "^[a-z][a-z0-9+.-]*:[!-~]+$"},
        "policy": {"type": "object", "required": ["uri"], "properties": {"digest": _DIGEST}},
        "inputAttestations": {"type": "array", "items": {"required": ["digest"]}},
        "verificationResult": {"enum": ["PASSED", "FAILED"]},
        "verifiedLevels": {
            "type": "array", "minItems": 1, "items": {"type": "string", "not": {"pattern": "^SLSA_"}},
        },
        "slsaVersion": {"pattern": "^[0-9]+[.][0-9]+$"},
    },
    "propertyNames": {"pattern": "^([a-zA-Z]+|https://.*)$"},
}  # fmt: skip
"""The fields of SLSA 1.1, and that custom levels do not begin with SLSA_."""


def summary(facts: Facts = FACTS, **changes: Any) -> dict[str, Any]:
    last = envelope.parse(record(None, facts, **changes).data.splitlines()[-1])
    found: dict[str, Any] = json.loads(last.payload)["predicate"]
    jsonschema.validate(found, _SCHEMA)
    return found


@pytest.mark.parametrize(
    ("verdict", "gate", "expected"),
    [
        ("auto-merge", "pass", "PASSED"),
        ("auto-approve", "pass", "PASSED"),
        ("human-review", "pass", "FAILED"),
        ("escalate", "pass", "FAILED"),
        ("declined", "blocked", "FAILED"),
        ("auto-merge", "inconclusive", "FAILED"),
        ("a verdict of later versions", "pass", "FAILED"),
    ],
)
def test_a_summary_passes_only_if_the_gate_passed_and_no_person_is_needed(
    verdict: str, gate: str, expected: str
) -> None:
    found = summary(verdict={"name": verdict, "tier": "T1"}, gate={"outcome": gate})
    assert found["verificationResult"] == expected
    if expected == "FAILED":
        assert found["verifiedLevels"] == ["FAILED"]


def test_a_verdict_that_needs_approvals_does_not_pass() -> None:
    found = summary(verdict={"name": "auto-merge", "tier": "T1", "approvals": 1})
    assert (found["verificationResult"], found["verifiedLevels"]) == ("FAILED", ["FAILED"])


def test_the_levels_are_the_verdict_and_the_tier() -> None:
    found = summary(verdict={"name": "auto-merge", "tier": "T1"})
    assert found["verifiedLevels"] == ["WARDROUND_VERDICT_AUTO_MERGE", "WARDROUND_TIER_T1"]


@pytest.mark.parametrize(
    ("repository", "head", "expected"),
    [
        ("https://git.example/acme/shop", HEAD, f"git+https://git.example/acme/shop@{HEAD}"),
        ("https://git.example/a b\u00e9", HEAD, f"git+https://git.example/a%20b%C3%A9@{HEAD}"),
        ("shop", HEAD, f"gitoid:commit:sha1:{HEAD}"),
        ("https://[", HEAD, f"gitoid:commit:sha1:{HEAD}"),
        ("", "d" * 64, f"gitoid:commit:sha256:{'d' * 64}"),
    ],
)
def test_the_resource_is_the_commit_in_its_repository(repository: str, head: str, expected: str) -> None:
    assert summary(Facts(head=head), origin={"repository": repository})["resourceUri"] == expected


def test_the_resource_of_a_staged_change_is_its_context() -> None:
    context = predicate()["context"]["id"]
    assert summary(Facts(head="index"))["resourceUri"] == f"https://wardround.dev/review-context/{context}"


def test_the_floor_of_the_organisation_is_an_extension_field() -> None:
    floor = {"name": "acme floor", "digest": f"sha256:{'e' * 64}"}
    assert summary(floor=floor)["https://wardround.dev/verification_summary/floor"] == {
        "uri": "https://wardround.dev/policy/acme%20floor",
        "digest": {"sha256": "e" * 64},
    }
