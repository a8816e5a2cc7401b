"""The record of one review as bytes: statements about the same subjects, signed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from wardround.errors import UsageError, WardroundError
from wardround.records import envelope, predicates, statement, strict_json
from wardround.records.envelope import PAYLOAD_TYPE, Envelope
from wardround.records.predicates import ReviewPredicate
from wardround.storage import directories
from wardround.storage.digest import sha256

if TYPE_CHECKING:
    from securesystemslib.signer import Signer

SUFFIX = ".intoto.jsonl"


class RecordError(WardroundError):
    """A review cannot be recorded: its predicate has no canonical encoding or lacks a field."""


class Facts(msgspec.Struct, frozen=True):
    """Properties of the reviewed change by which records are found; they are not part of the record.

    Attributes:
        repository: a name of the repository, such as its origin's URL or its folder.
        base: the base of the change.
        head: the head of the change; a commit id becomes a subject of the record.
        author: the author of the change, or empty.
        rules: the rules of its findings.
    """

    repository: str = ""
    base: str = ""
    head: str = ""
    author: str = ""
    rules: tuple[str, ...] = ()


class Bundle(msgspec.Struct, frozen=True):
    """The bytes of a record's file, their SHA-256 in hexadecimal, the time, and the parsed parts."""

    data: bytes
    digest: str
    created: str
    review: ReviewPredicate


def write(predicate: Mapping[str, Any], facts: Facts, signer: Signer | None, created: datetime) -> Bundle:
    """Return the record of a review; nothing is stored.

    Args:
        predicate: our own predicate, as a JSON object without any time; see ``ReviewPredicate`` for the
            fields that are required.
        signer: None leaves the record unsigned.
        created: the time of the review, with a time zone.

    Raises:
        RecordError: the predicate lacks a field, or has a value without canonical encoding.
        SigningError: the signer failed.
    """
    review = _read(predicate)
    moment = predicates.timestamp(created)
    subjects = statement.subjects(review.context.digest, facts.head)
    first = statement.statement(statement.REVIEW, predicate, subjects)
    others = _further_predicates(review, first, moment)
    statements = [
        first,
        *(
            statement.statement(statement.PREDICATE_NAMES[name], content, subjects)
            for name, content in others.items()
        ),
    ]
    lines = [_envelope(content, signer) for content in statements]
    data = envelope.bundle(lines)
    return Bundle(data, sha256(data).hexdigest(), moment, review)


def save(bundle: Bundle, path: Path, work_tree: Path | None) -> None:
    """Write a record to a file in one step, never through a link of the work tree.

    Raises:
        UsageError: it cannot be written there.
    """
    write_file(bundle.data, path, work_tree)


def write_file(data: bytes, path: Path, work_tree: Path | None) -> None:
    """Write the bytes of a record, as ``save`` does.

    Raises:
        UsageError: they cannot be written there.
    """
    try:
        directories.replace_file(path, data, work_tree)
    except OSError as cause:
        raise UsageError(
            f"the record cannot be written to {path}: {cause.strerror}; give another file"
        ) from cause


def _read(predicate: Mapping[str, Any]) -> ReviewPredicate:
    try:
        review = predicates.review_predicate(predicate)
        document = strict_json.encode(review.context.document)
    except (msgspec.ValidationError, ValueError) as cause:
        raise RecordError(f"the review cannot be recorded: {cause}") from cause
    found = sha256(document).hexdigest()
    if found != review.context.digest:
        raise RecordError(
            f"the review cannot be recorded: the id of its context is {review.context.id}, "
            f"but the digest of the document is sha256:{found}"
        )
    return review


def _further_predicates(
    review: ReviewPredicate, first: Mapping[str, Any], moment: str
) -> dict[str, dict[str, Any]]:
    try:
        return predicates.derived_predicates(review, first, moment)
    except ValueError as cause:
        raise RecordError(f"the review cannot be recorded: {cause}") from cause


def _envelope(value: Mapping[str, Any], signer: Signer | None) -> Envelope:
    try:
        unsigned = Envelope(strict_json.encode(value), PAYLOAD_TYPE)
    except ValueError as cause:
        raise RecordError(f"the review cannot be recorded: {cause}") from cause
    if signer is None:
        return unsigned
    from wardround.records.signing import add_signature  # securesystemslib takes 80 ms

    return add_signature(unsigned, signer)
