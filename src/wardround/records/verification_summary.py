"""The content of the SLSA Verification Summary of a review, derived from its predicate.

Pure, as the other derived predicates are. No level of a SLSA track is claimed: a review verifies a change
against a policy, and no build.

Sources: SLSA 1.1, "Verification Summary Attestation"; the URI scheme ``gitoid`` as registered with IANA;
SPDX 2.3, clause 7.7, for the form ``git+https://HOST/PATH@COMMIT``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from wardround.records import strict_json
from wardround.records.statement import COMMIT_SUBJECT, CONTEXT_SUBJECT
from wardround.storage.digest import sha256

if TYPE_CHECKING:
    from wardround.records.predicates import PolicyPart, ReviewPredicate

SLSA_VERSION = "1.1"
FLOOR = "https://wardround.dev/verification_summary/floor"
"""The extension field with the policy of the organisation; a summary has one policy only."""
_POLICY = "https://wardround.dev/policy/"
_CONTEXT = "https://wardround.dev/review-context/sha256:"
_ACCEPTED = frozenset({"auto-merge", "auto-approve"})
"""The verdicts that need no person. After any other one, the policy was not met by the review alone."""
_PASSED, _FAILED = "PASSED", "FAILED"
_SHA1_DIGITS = 40
_TRANSPORTS = frozenset({"http", "https", "ssh", "git"})
_ADDRESS_CHARACTERS = "/:@~%"


def verification_summary(
    review: ReviewPredicate, first: Mapping[str, Any], created: str, verifier: str
) -> dict[str, Any]:
    """Return the summary.

    Args:
        first: the statement about the review.
        created: RFC 3339 in UTC, as ``predicates.timestamp`` returns it.
        verifier: the URI of the verifier.
    """
    result = _result(review)
    summary = {
        "verifier": {"id": verifier},
        "timeVerified": created,
        "resourceUri": resource_uri(review, first),
        "policy": _policy(review.policy),
        "inputAttestations": [{"digest": {"sha256": sha256(strict_json.encode(first)).hexdigest()}}],
        "verificationResult": result,
        "verifiedLevels": _levels(review) if result == _PASSED else [_FAILED],
        "slsaVersion": SLSA_VERSION,
    }
    return summary if review.floor is None else summary | {FLOOR: _policy(review.floor)}


def resource_uri(review: ReviewPredicate, first: Mapping[str, Any]) -> str:
    """Return the URI of the reviewed commit: in its repository, if the run names the address of one.

    The commit alone has a ``gitoid`` URI. A staged change and a diff have that of the review context.
    """
    digests = {subject["name"]: subject["digest"] for subject in first["subject"]}
    commit = digests.get(COMMIT_SUBJECT, {}).get("gitCommit")
    if commit is None:
        return f"{_CONTEXT}{digests[CONTEXT_SUBJECT]['sha256']}"
    repository = "" if review.origin is None else review.origin.repository
    if _is_address(repository):
        return f"git+{quote(repository, safe=_ADDRESS_CHARACTERS)}@{commit}"
    return f"gitoid:commit:{'sha1' if len(commit) == _SHA1_DIGITS else 'sha256'}:{commit}"


def _is_address(repository: str) -> bool:
    try:
        return urlsplit(repository).scheme in _TRANSPORTS
    except ValueError:
        return False


def _result(review: ReviewPredicate) -> str:
    needs_person = review.verdict.name not in _ACCEPTED or review.verdict.approvals > 0
    return _PASSED if review.gate.outcome == "pass" and not needs_person else _FAILED


def _levels(review: ReviewPredicate) -> list[str]:
    return [
        f"WARDROUND_VERDICT_{token(review.verdict.name)}",
        f"WARDROUND_TIER_{token(review.verdict.tier)}",
    ]


def token(name: str) -> str:
    """Return a name in the form of levels and properties: capitals, digits and underscores."""
    return re.sub(r"[^A-Z0-9]", "_", name.upper())


def _policy(policy: PolicyPart) -> dict[str, Any]:
    return {
        "uri": f"{_POLICY}{quote(policy.name, safe='')}",
        "digest": {"sha256": policy.digest.removeprefix("sha256:")},
    }
