"""Reviews as reports have them, and acting on them, for the tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from msgspec.structs import replace
from securesystemslib.signer import CryptoSigner

from tests.delivery.github_merge_api import HEAD, REPOSITORY, TOKEN, GithubApi
from tests.delivery.test_client import StoppedClock
from tests.planes.evidence_factory import document, evidence
from tests.records.sample_reviews import FACTS, MOMENT, review
from wardround.context.document import document_id
from wardround.delivery.acting.acting import Acting, Outcome
from wardround.delivery.acting.action_log import ActionLog
from wardround.delivery.acting.plan import ActSettings, Plan
from wardround.delivery.acting.verified_review import VerifiedReview
from wardround.delivery.code_hosts.github.host import open_github
from wardround.delivery.code_hosts.model import ChangeRequestReference
from wardround.delivery.reported_review import (
    ReportedContext,
    ReportedGate,
    ReportedReview,
    ReportedVerdict,
)
from wardround.policy.conclude import conclude
from wardround.policy.schema import convert_policy
from wardround.records import bundle
from wardround.records.record import RecordedContext, RecordedPolicy, predicate_of

RECORD = f"sha256:{'9' * 64}"

POLICY = """\
schema: wardround.policy/1
name: team
version: 1
tiers: {T1: auto-merge, T2: auto-merge, T3: auto-merge, T4: auto-merge, T5: auto-merge}
"""


def reported(
    verdict: Any = "auto-merge", *, gate: Any = "pass", approvals: int = 0, head: str = HEAD
) -> ReportedReview:
    """A report with a verdict on a commit."""
    return ReportedReview(
        schema="wardround.report/1",
        context=ReportedContext(f"sha256:{'1' * 64}", "b" * 40, head),
        gate=ReportedGate(gate, reasons=("ruff/B006: 1",) if gate != "pass" else ()),
        verdict=ReportedVerdict(verdict, "T3", "team@sha256:2", ("a reason",), approvals),
    )


def verified(report: ReportedReview, **values: Any) -> VerifiedReview:
    """The review that a record for the branch main confirms."""
    return VerifiedReview(report, **{"record": RECORD, "target": "main", **values})


@dataclass
class Actor:
    """Acts on the pull request of a server."""

    api: GithubApi
    url: str
    folder: Path
    clock: StoppedClock = field(default_factory=StoppedClock)
    shown: list[str] = field(default_factory=list)

    @contextmanager
    def acting(self, review: VerifiedReview, **settings: Any) -> Iterator[Acting]:
        reference = ChangeRequestReference("github", self.url, REPOSITORY, 7)
        host = open_github(reference, {"GITHUB_TOKEN": TOKEN}, clock=self.clock)
        log = ActionLog(self.log, {"change_request": f"{REPOSITORY}#7", "record": review.record})
        with closing(host):
            yield Acting(host, review, ActSettings(**settings), log, self.shown.append)

    def plan(self, review: VerifiedReview, **settings: Any) -> Plan:
        with self.acting(review, **settings) as acting:
            return acting.plan()

    def apply(self, review: VerifiedReview, **settings: Any) -> Outcome:
        with self.acting(review, **settings) as acting:
            return acting.apply()

    @property
    def log(self) -> Path:
        return self.folder / "actions.jsonl"


def signed_review(
    signed_by: CryptoSigner | None, *, head: str = HEAD, policy: str = POLICY, **values: Any
) -> tuple[dict[str, Any], bytes]:
    """A JSON report and its record, whose verdict follows from its evidence under a policy.

    Args:
        values: parts of the record to replace, such as ``origin`` and ``request``.
    """
    own = convert_policy(yaml.safe_load(policy), "the policy")
    known = evidence(profile=values.pop("profile", "ci"), policy_file="review.yml")
    context = replace(document(), head=head)
    found = conclude(context, known, (own,))
    record = replace(
        review(known),
        context=RecordedContext(document_id(found.context), found.context),
        evidence=found.evidence,
        signals=found.signals,
        verdict=found.verdict,
        policy=RecordedPolicy(own.name, own.digest, own),
        floor=None,
        **values,
    )
    report = {
        "schema": "wardround.report/1",
        "context": {"id": record.context.id, "base": context.base, "head": head},
        "gate": {"outcome": known.gate},
        "verdict": {
            "name": record.verdict.name,
            "tier": record.verdict.tier,
            "policy": record.verdict.policy,
            "approvals": record.verdict.approvals,
        },
    }
    return report, bundle.write(predicate_of(record), FACTS, signed_by, MOMENT).data
