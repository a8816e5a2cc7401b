"""Reading the record of a review from its file, without checking who signed it.

The record may be of a stranger: its size is limited, and a policy that is not a bundled one is tried first
in a process with limits.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from wardround.errors import ConfigError, UsageError
from wardround.policy.conclude import conclude
from wardround.policy.decide import decide
from wardround.policy.loading import is_bundled
from wardround.records import envelope, strict_json
from wardround.records.record import DERIVED_ALIKE, ReviewRecord, convert_record, read_record
from wardround.records.replay import Difference, replay_evidence
from wardround.records.statement import REVIEW
from wardround.records.trial import require_within_limits
from wardround.records.verify import LARGEST_BYTES, digest_fault


def record_content(file: Path) -> bytes:
    """Return the bytes of a record's file, up to one more than the maximum size of a record.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        with file.open("rb") as opened:
            return opened.read(LARGEST_BYTES + 1)
    except OSError as cause:
        raise UsageError(f"{file} cannot be read: {cause.strerror}; give the file of a record") from cause


def read_record_file(file: Path) -> ReviewRecord:
    """Read the first line of a record's file without verifying its signatures.

    Raises:
        UsageError: it cannot be read, or is not the record of a review.
    """
    return parse_record(record_content(file), str(file))


def parse_record(data: bytes, origin: str) -> ReviewRecord:
    """Read the first line of a record.

    Raises:
        UsageError: it is not the record of a review.
    """
    if len(data) > LARGEST_BYTES:
        raise UsageError(f"{origin}: it is larger than {LARGEST_BYTES >> 20} MiB; give the file of a record")
    try:
        statement = strict_json.decode(envelope.parse(data.partition(b"\n")[0]).payload)
        if statement["predicateType"] != REVIEW:
            raise UsageError(f"{origin}: its first line is not about a review; give the file of a record")
        return _read(statement["predicate"])
    except (ConfigError, KeyError, TypeError, ValueError, msgspec.ValidationError) as cause:
        raise UsageError(f"{origin} is not the record of a review: {cause}; give another file") from cause


def evidence_fault(predicate: Mapping[str, Any]) -> str | None:
    """Return the reason why the verdict of a record does not follow from its evidence; None if it does.

    Of a record of an earlier schema, signals and verdict are not derived again; see ``derivation_note``.
    """
    try:
        record = _read(predicate)
    except (ConfigError, ValueError, msgspec.ValidationError) as cause:
        return str(cause)
    replay = replay_evidence(record)
    differences = [
        difference
        for difference in replay.differences
        if record.schema in DERIVED_ALIKE or not _is_concluded(difference)
    ]
    if not differences:
        return digest_fault(predicate)
    first = differences[0]
    note = f"; {replay.note}" if replay.note else ""
    return f"{first.part} is {first.recorded}, but {first.derived} follows from the evidence{note}"


def derivation_note(record: ReviewRecord) -> str:
    """Return a note about a record whose verdict this version derives in another way; empty if it does not.

    Signals and verdict of an earlier schema were derived by rules that this version does not have.
    """
    if record.schema in DERIVED_ALIKE or not any(map(_is_concluded, replay_evidence(record).differences)):
        return ""
    current = conclude(record.context.document, record.evidence, record.policies).verdict
    return (
        f"the verdict was derived by version {record.components.version}; "
        f"this version derives {current.name} ({current.tier}) from the same evidence"
    )


def _is_concluded(difference: Difference) -> bool:
    """Return True for a part that planes, tiers and policy derive."""
    return difference.part.partition("[")[0].partition(".")[0] in ("signals", "verdict")


def _read(predicate: Mapping[str, Any]) -> ReviewRecord:
    """Read a record whose conditions end within the limits."""
    if not all(map(is_bundled, convert_record(predicate).policies)):
        require_within_limits(lambda: _evaluate(predicate))
    return read_record(predicate)


def _evaluate(predicate: Mapping[str, Any]) -> None:
    """Evaluate the conditions of a record for its evidence and for its signals, which may differ from it."""
    record = read_record(predicate)
    conclude(record.context.document, record.evidence, record.policies)
    decide(record.signals, record.context.document, record.evidence, record.policies)
