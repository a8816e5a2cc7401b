"""The content of the ``svr``, ``test-result`` and ``vsa`` predicates, derived from the predicate of a review.

Pure: the same review predicate and time give the same content, so that a verifier derives it again and
compares.

Source: in-toto Attestation Framework, ``spec/predicates/svr.md`` 0.2 and ``spec/predicates/test-result.md``
0.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import msgspec

from wardround.findings import Severity
from wardround.records import strict_json
from wardround.records.statement import line_names
from wardround.records.verification_summary import token, verification_summary
from wardround.storage.digest import sha256

DIGEST = "digest"
"""The field of a review predicate with the digest of the others."""
VERIFIER = "https://wardround.dev/verifier/v1"
"""The verifier's identity, raised when the derivation of verdicts changes. A name; nothing is fetched."""
_PASSED, _WARNED, _FAILED = "PASSED", "WARNED", "FAILED"
_REVIEWED, _INCONCLUSIVE = "reviewed", "inconclusive"
_Digest = Annotated[str, msgspec.Meta(pattern=r"^sha256:[0-9a-f]{64}\Z")]
_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class ContextPart(msgspec.Struct, frozen=True):
    """The context of a review: its id, and the document whose digest the id is."""

    id: _Digest
    document: dict[str, Any]

    @property
    def digest(self) -> str:
        """The SHA-256 of the document, as 64 hexadecimal digits."""
        return self.id.removeprefix("sha256:")


class VerdictPart(msgspec.Struct, frozen=True):
    """The verdict of a review, its tier, and the number of people who must approve."""

    name: _Name
    tier: _Name
    approvals: int = 0


class PolicyPart(msgspec.Struct, frozen=True):
    """The policy that led to the verdict."""

    name: _Name
    digest: _Digest


class GatePart(msgspec.Struct, frozen=True):
    """The outcome behind the exit status: pass, blocked or inconclusive; and the level that blocks."""

    outcome: _Name
    fail_level: str = "error"


class SignalPart(msgspec.Struct, frozen=True):
    """The result of one plane; the severity is ``none`` if it has no findings."""

    plane: _Name
    status: _Name
    severity: str = "none"


class OriginPart(msgspec.Struct, frozen=True):
    """The run of a CI system that made a review."""

    repository: str = ""
    change_request: str = ""
    workflow_run: str = ""
    actor: str = ""
    workflow: str = ""
    workflow_commit: str = ""


class ReviewPredicate(msgspec.Struct, frozen=True):
    """The fields of a review predicate that statements and the store need; it has more.

    Attributes:
        floor: the policy of the organisation, if there is one.
        origin: the run that made the review; None outside of CI systems.
        digest: digest of the other fields; empty in records of the first schema.
        schema: decides which predicates follow.
    """

    context: ContextPart
    verdict: VerdictPart
    policy: PolicyPart
    gate: GatePart
    signals: tuple[SignalPart, ...]
    floor: PolicyPart | None = None
    origin: OriginPart | None = None
    digest: _Digest | Literal[""] = ""
    schema: str | None = None

    @property
    def policies(self) -> tuple[PolicyPart, ...]:
        """The policy of the repository, and the floor if there is one."""
        return (self.policy,) if self.floor is None else (self.policy, self.floor)


def review_predicate(predicate: Mapping[str, Any]) -> ReviewPredicate:
    """Read the fields of a review predicate.

    Raises:
        msgspec.ValidationError: a field is missing or has another form.
    """
    return msgspec.convert(predicate, ReviewPredicate)


def digest_of(predicate: Mapping[str, Any]) -> str:
    """Return the digest of a review predicate without the field that has it.

    Raises:
        ValueError: the predicate has no canonical encoding.
    """
    rest = {name: value for name, value in predicate.items() if name != DIGEST}
    return f"sha256:{sha256(strict_json.encode(rest)).hexdigest()}"


def derived_predicates(
    review: ReviewPredicate, first: Mapping[str, Any], created: str
) -> dict[str, dict[str, Any]]:
    """Return the predicates of the further lines of a record, by short name and in their order.

    Args:
        first: the statement about the review.
        created: RFC 3339 in UTC, as ``timestamp`` returns it.
    """
    known = {
        "svr": svr(review, created, first),
        "test-result": test_result(review),
        "vsa": verification_summary(review, first, created, VERIFIER),
    }
    return {name: known[name] for name in line_names(review.schema) if name in known}


def svr(review: ReviewPredicate, created: str, first: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return a Simple Verification Result that names verdict, tier and policy as properties.

    Args:
        created: RFC 3339 in UTC, as ``timestamp`` returns it.
        first: the statement about the review, which a property covers together with the time.
    """
    properties = [
        f"WARDROUND_VERDICT_{token(review.verdict.name)}",
        f"WARDROUND_TIER_{token(review.verdict.tier)}",
        *(f"WARDROUND_POLICY_{token(policy.name)}" for policy in review.policies),
    ]
    if review.gate.outcome == "pass":
        properties.append("WARDROUND_GATE_PASS")
    if review.digest and first is not None:
        content = strict_json.encode({"review": first, "timeCreated": created})
        properties.append(f"WARDROUND_CONTENT_{sha256(content).hexdigest().upper()}")
    return {
        "verifier": {"id": VERIFIER, "policies": [_descriptor(policy) for policy in review.policies]},
        "timeCreated": created,
        "properties": properties,
    }


def test_result(review: ReviewPredicate) -> dict[str, Any]:
    """Return a Test Result with the planes as tests.

    A plane failed if it is inconclusive or has a finding at the fail level, and has a warning if it has a
    finding at warn. A plane that does not apply is in no list. An inconclusive gate counts as failed.
    """
    planes: dict[str, list[str]] = {_PASSED: [], _WARNED: [], _FAILED: []}
    for signal in review.signals:
        outcome = _outcome(signal, review.gate.fail_level)
        if outcome is not None:
            planes[outcome].append(signal.plane)
    return {
        "result": _result(review, planes),
        "configuration": [_descriptor(policy) for policy in review.policies],
        "passedTests": planes[_PASSED],
        "warnedTests": planes[_WARNED],
        "failedTests": planes[_FAILED],
    }


def timestamp(moment: datetime) -> str:
    """Return a time in UTC to the second, as RFC 3339.

    Raises:
        ValueError: the time has no time zone.
    """
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    in_utc = moment.astimezone(UTC).replace(microsecond=0, tzinfo=None)
    return f"{in_utc.isoformat()}Z"


def is_timestamp(text: Any) -> bool:
    """Return True for a time in exactly the form of ``timestamp``."""
    if not isinstance(text, str) or not text.endswith("Z"):
        return False
    try:
        return timestamp(datetime.fromisoformat(text)) == text
    except ValueError:
        return False


def _outcome(signal: SignalPart, fail_level: str) -> str | None:
    if signal.status == _INCONCLUSIVE:
        return _FAILED
    if signal.status != _REVIEWED:
        return None
    severity = _level(signal.severity)
    blocking = _level(fail_level)
    if blocking and severity >= blocking:
        return _FAILED
    return _WARNED if severity >= Severity.WARN else _PASSED


def _level(label: str) -> int:
    """Return the rank of a severity; 0 for none, and the highest for a name that is unknown."""
    if label == "none":
        return 0
    known = {severity.label: int(severity) for severity in Severity}
    return known.get(label, int(Severity.ERROR))


def _result(review: ReviewPredicate, planes: Mapping[str, list[str]]) -> str:
    if review.gate.outcome != "pass":
        return _FAILED
    return _WARNED if planes[_WARNED] or planes[_FAILED] else _PASSED


def _descriptor(policy: PolicyPart) -> dict[str, Any]:
    return {"name": policy.name, "digest": {"sha256": policy.digest.removeprefix("sha256:")}}
