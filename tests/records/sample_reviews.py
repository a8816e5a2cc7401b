"""Predicates of reviews for the tests of records."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace
from securesystemslib.signer import CryptoSigner, Key

from tests.planes.evidence_factory import document, evidence
from wardround.context.document import document_id
from wardround.context.run_evidence import RunEvidence
from wardround.planes.evidence import Evidence
from wardround.policy.conclude import conclude
from wardround.policy.loading import bundled_policy
from wardround.policy.schema import PolicyRule
from wardround.records import bundle, strict_json
from wardround.records.bundle import Bundle, Facts
from wardround.records.record import (
    SCHEMA,
    Components,
    RecordedContext,
    RecordedGate,
    RecordedPolicy,
    RecordedRequest,
    ReviewRecord,
    predicate_of,
)

MOMENT = datetime(2030, 1, 31, 12, 0, 5, tzinfo=UTC)
HEAD = "c" * 40
FACTS = Facts(
    repository="shop", base="b" * 40, head=HEAD, author="Ada <ada@example.org>", rules=("ruff/B006",)
)


def signal(plane: str, status: str = "reviewed", severity: str = "none") -> dict[str, Any]:
    return {"plane": plane, "status": status, "severity": severity, "confidence": 1, "findings": []}


def predicate(**changes: Any) -> dict[str, Any]:
    """The predicate of a review with one warning; any part can be replaced."""
    document = {"base": "b" * 40, "head": HEAD, "files": [{"path": "a.py", "status": "modified"}]}
    parts: dict[str, Any] = {
        "context": context(document),
        "evidence": {"runs": [{"tool": "ruff", "version": "0.17.6"}]},
        "signals": [signal("semantic", severity="warn"), signal("security")],
        "gate": {"outcome": "pass", "fail_level": "error", "reasons": []},
        "verdict": {"name": "human-review", "tier": "T3", "reasons": []},
        "policy": {"name": "default", "digest": f"sha256:{'d' * 64}"},
        "versions": {"wardround": "0.1"},
    }
    return parts | changes


def context(document: dict[str, Any]) -> dict[str, Any]:
    """A context whose id is the digest of its document."""
    return {
        "id": f"sha256:{hashlib.sha256(strict_json.encode(document)).hexdigest()}",
        "document": document,
    }


def with_condition(condition: str) -> bytes:
    """An unsigned record whose policy has a condition."""
    found = review(evidence())
    rule = PolicyRule(id="own", when=condition, because="reasons")
    policy = replace(found.policy.document, name="own", rules=(rule,))
    recorded = replace(found, policy=RecordedPolicy("own", policy.digest, policy))
    return bundle.write(predicate_of(recorded), FACTS, None, MOMENT).data


def signer() -> CryptoSigner:
    return CryptoSigner.generate_ed25519()


def record(signed_by: CryptoSigner | None, facts: Facts = FACTS, **changes: Any) -> Bundle:
    return bundle.write(predicate(**changes), facts, signed_by, MOMENT)


def public(*signers: CryptoSigner) -> Sequence[Key]:
    return [item.public_key for item in signers]


def review(known: Evidence, run: RunEvidence | None = None) -> ReviewRecord:
    """The record of a review with this evidence under the default policy and a strict floor."""
    policies = (bundled_policy("default"), bundled_policy("strict"))
    context = document() if run is None else replace(document(), run=run)
    found = conclude(context, known, policies)
    own, floor = (RecordedPolicy(item.name, item.digest, item) for item in policies)
    return ReviewRecord(
        schema=SCHEMA,
        context=RecordedContext(document_id(found.context), found.context),
        gate=RecordedGate(known.gate, known.fail_level),
        evidence=found.evidence,
        signals=found.signals,
        verdict=found.verdict,
        policy=own,
        floor=floor,
        request=RecordedRequest("target", run=context.ran.parts),
        components=Components("0.1", "", "", (), "", {"mode": "off", "threads": 1}),
    )


def real_record(signed_by: CryptoSigner | None, **known: Any) -> Bundle:
    """The record of a review whose verdict follows from its evidence."""
    return bundle.write(predicate_of(review(evidence(**known))), FACTS, signed_by, MOMENT)
