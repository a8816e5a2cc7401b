"""In-toto statements: the claim about a subject that an envelope signs.

Source: in-toto Attestation Framework v1, ``spec/v1/statement.md`` and ``spec/v1/digest_set.md``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
REVIEW = "https://wardround.dev/review/v1"
"""Our own predicate: the context, the signals and the verdict of a review. A name; nothing is fetched."""
SVR = "https://in-toto.io/attestation/svr/v0.2"
TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"
VSA = "https://slsa.dev/verification_summary/v1"
FIRST_SCHEMA = "wardround.review/1"
"""The schema of records without a digest, an origin and the list of what the context's id does not cover."""
WITHOUT_SUMMARY = "wardround.review/1.1"
"""The schema of records without a verification summary and the workflow in their origin."""
PREDICATE_NAMES = {"review": REVIEW, "svr": SVR, "test-result": TEST_RESULT, "vsa": VSA}
"""The predicates of a record by short name, in the order of its lines."""
CONTEXT_SUBJECT = "review-context"
COMMIT_SUBJECT = "head"
_FIELDS = {"_type", "subject", "predicateType", "predicate"}
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def statement(predicate_type: str, predicate: Mapping[str, Any], subjects: Sequence[Any]) -> dict[str, Any]:
    """Return a statement as a JSON object."""
    return {
        "_type": STATEMENT_TYPE,
        "subject": list(subjects),
        "predicateType": predicate_type,
        "predicate": predicate,
    }


def subjects(context_digest: str, head: str) -> list[dict[str, Any]]:
    """Return the subjects of a record: the review context and, if a commit was reviewed, that commit.

    A verifier matches subjects by digest only, so that the base, about which a review claims nothing, is not
    among them.

    Args:
        context_digest: SHA-256 of the canonical context document, as 64 hexadecimal digits.
        head: the head of the change; anything but an object id, as of a staged change, is not a subject.
    """
    found: list[dict[str, Any]] = [{"name": CONTEXT_SUBJECT, "digest": {"sha256": context_digest}}]
    if _COMMIT.fullmatch(head):
        found.append({"name": COMMIT_SUBJECT, "digest": {"gitCommit": head}})
    return found


def line_names(schema: str | None) -> tuple[str, ...]:
    """Return the short names of the predicates in a record of a schema, in the order of its lines."""
    names = tuple(PREDICATE_NAMES)
    return names[:-1] if schema in (FIRST_SCHEMA, WITHOUT_SUMMARY) else names


def statement_fault(value: Any) -> str | None:
    """Return the reason why a decoded payload is not a statement of a record; None if it is one."""
    if not isinstance(value, dict):
        return "the payload is not a JSON object"
    unknown, missing = sorted(set(value) - _FIELDS), sorted(_FIELDS - set(value))
    if unknown or missing:
        return (
            f"unknown field {_shorten_value(unknown[0])}"
            if unknown
            else f"the field {missing[0]!r} is missing"
        )
    if value["_type"] != STATEMENT_TYPE:
        return f"_type is {_shorten_value(value['_type'])}, not {STATEMENT_TYPE}"
    if value["predicateType"] not in PREDICATE_NAMES.values():
        return f"predicateType {_shorten_value(value['predicateType'])} is not a predicate of a record"
    if not isinstance(value["predicate"], dict) or not value["predicate"]:
        return "the predicate is not a JSON object with content"
    return _subject_fault(value["subject"])


def _subject_fault(found: Any) -> str | None:
    if not isinstance(found, list) or not 1 <= len(found) <= 2:
        return "subject must be the review context and at most one commit"
    context = found[0]
    if _digest_of(context, CONTEXT_SUBJECT, "sha256", _SHA256) is None:
        return f"subject 1 must be {CONTEXT_SUBJECT} with a sha256 digest"
    if len(found) == 2 and _digest_of(found[1], COMMIT_SUBJECT, "gitCommit", _COMMIT) is None:
        return f"subject 2 must be {COMMIT_SUBJECT} with a gitCommit digest"
    return None


def _digest_of(subject: Any, name: str, algorithm: str, form: re.Pattern[str]) -> str | None:
    if not isinstance(subject, dict) or set(subject) != {"name", "digest"} or subject["name"] != name:
        return None
    digest = subject["digest"]
    if not isinstance(digest, dict) or set(digest) != {algorithm}:
        return None
    value = digest[algorithm]
    return value if isinstance(value, str) and form.fullmatch(value) else None


def _shorten_value(value: Any) -> str:
    return repr(value) if len(repr(value)) <= 80 else f"{repr(value)[:77]}..."
