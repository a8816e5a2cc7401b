"""Verification of a record's bytes: the first fault, with its position.

Pure: no clock, disk, network or environment. A record must be the canonical encoding of itself, so that every
changed byte is detected, in a signed part or not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from wardround.records import envelope, predicates, statement, strict_json
from wardround.records.envelope import KEYLESS, Envelope, EnvelopeFault, SignatureLine
from wardround.records.predicates import DIGEST, ReviewPredicate
from wardround.records.statement import FIRST_SCHEMA
from wardround.storage.digest import sha256

if TYPE_CHECKING:
    from securesystemslib.signer import Key

FurtherCheck = Callable[[Mapping[str, Any]], str | None]
"""Takes the review predicate of an otherwise valid record; returns the reason why it is invalid."""
LARGEST_BYTES = 64 * 1024 * 1024
"""Maximum size of a record; that of a change with 2,000 files and findings has about one MiB."""
_NAMES = tuple(statement.PREDICATE_NAMES)


class Problem(msgspec.Struct, frozen=True):
    """The first fault: its position and reason.

    Attributes:
        untrusted: the id of a key that made a valid signature and is not trusted; empty otherwise.
    """

    place: str
    reason: str
    untrusted: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


class Verification(msgspec.Struct, frozen=True):
    """The result of a verification; the record holds if the problem is None.

    Attributes:
        review: the fields of the review predicate; None if the record is not valid.
        signers: the ids of the trusted keys that signed every line.
        created: the time that the record states.
    """

    problem: Problem | None
    review: ReviewPredicate | None = None
    signers: tuple[str, ...] = ()
    created: str = ""


class _DoesNotHold(Exception):
    def __init__(self, place: str, reason: str, untrusted: str = "") -> None:
        super().__init__(reason)
        self.problem = Problem(place, reason, untrusted)


class _Statement(msgspec.Struct, frozen=True):
    """A line of the record, decoded: its number, the value of its payload."""

    number: int
    value: dict[str, Any]

    @property
    def place(self) -> str:
        return f"line {self.number}"


def verify_record(
    data: bytes,
    trusted: Sequence[Key],
    further_checks: Sequence[FurtherCheck] = (),
    *,
    threshold: int = 1,
    known: Sequence[Key] = (),
) -> Verification:
    """Verify the bytes of a record.

    Args:
        trusted: the public keys whose signatures count.
        further_checks: run in order once everything else holds.
        threshold: the number of trusted keys that must have signed every line.
        known: public keys that can check a signature but do not count.

    Returns:
        The verification; its problem is the first one in the order of the file.
    """
    try:
        lines = _lines(data)
        envelopes = [_parse_line(number, line) for number, line in enumerate(lines, 1)]
        signers = _signers(envelopes, _Keys(trusted, known), threshold)
        statements = [
            _decode_statement(number, signed_envelope) for number, signed_envelope in enumerate(envelopes, 1)
        ]
        review = _require_consistent(statements)
        _run(further_checks, statements[0])
    except _DoesNotHold as found:
        return Verification(found.problem)
    return Verification(None, review, signers, statements[1].value["predicate"]["timeCreated"])


def content_problem(data: bytes) -> Problem | None:
    """Return the first fault other than of signatures; None if there is none."""
    try:
        envelopes = [_parse_line(number, line) for number, line in enumerate(_lines(data), 1)]
        statements = [
            _decode_statement(number, signed_envelope) for number, signed_envelope in enumerate(envelopes, 1)
        ]
        _run((digest_fault,), statements[0])
        _require_consistent(statements)
    except _DoesNotHold as found:
        return found.problem
    return None


def _lines(data: bytes) -> list[bytes]:
    if len(data) > LARGEST_BYTES:
        raise _DoesNotHold("file", f"it is larger than {LARGEST_BYTES >> 20} MiB")
    lines = data.split(b"\n")
    if lines.pop():
        raise _DoesNotHold(f"line {len(lines) + 1}", "it does not end with a newline")
    if not len(statement.line_names(FIRST_SCHEMA)) <= len(lines) <= len(_NAMES):
        raise _line_count_problem(len(lines), _NAMES)
    return lines


def _line_count_problem(found: int, names: Sequence[str]) -> _DoesNotHold:
    lines = f"{found} line{'s' if found != 1 else ''}"
    return _DoesNotHold("file", f"it has {lines}; a record has {len(names)}: {', '.join(names)}")


def _parse_line(number: int, line: bytes) -> Envelope:
    try:
        return envelope.parse(line)
    except EnvelopeFault as fault:
        location = f"line {number}, {fault.part}" if fault.part else f"line {number}"
        raise _DoesNotHold(location, str(fault)) from fault


class _Keys:
    """Public keys by id, and which of them are trusted."""

    def __init__(self, trusted: Sequence[Key], known: Sequence[Key]) -> None:
        self.trusted = {key.keyid for key in trusted}
        self._by_id = {key.keyid: key for key in (*known, *trusted)}

    def check(self, item: Envelope, place: str) -> None:
        """Check every signature of an envelope."""
        for number, signature in enumerate(item.signatures, 1):
            where = f"{place}, signature {number}"
            key = self._by_id.get(signature.key_id)
            if key is None:
                raise _DoesNotHold(where, _unknown_key_text(signature.key_id))
            if not _is_valid(key, item, signature):
                raise _DoesNotHold(
                    where, f"it is not a signature of the payload by the key {signature.key_id}"
                )

    def trusted_signers(self, item: Envelope) -> set[str]:
        return {signature.key_id for signature in item.signatures} & self.trusted


def _unknown_key_text(key_id: str) -> str:
    return (
        f"the key {_shorten(key_id)} is not trusted, and its public key is not known; get the file with the "
        "public key from the signer, then: wardround keys trust FILE"
    )


def _signers(envelopes: Sequence[Envelope], keys: _Keys, threshold: int) -> tuple[str, ...]:
    """Return the trusted keys that signed every line."""
    common = set(keys.trusted)
    for number, signed_envelope in enumerate(envelopes, 1):
        location = f"line {number}"
        if not signed_envelope.signatures:
            raise _DoesNotHold(location, "not signed")
        keys.check(signed_envelope, location)
        signers = keys.trusted_signers(signed_envelope)
        if not signers:
            key_id = signed_envelope.signatures[0].key_id
            raise _DoesNotHold(
                f"{location}, signature 1", f"it is valid, but its key {key_id} is not trusted", key_id
            )
        common &= signers
        if len(common) < threshold:
            number_found = (
                f"{len(common)} trusted key{'s' if len(common) != 1 else ''} signed each line so far"
            )
            raise _DoesNotHold(location, f"{number_found}; {threshold} must have")
    return tuple(sorted(common))


def _is_valid(key: Key, item: Envelope, signature: SignatureLine) -> bool:
    from securesystemslib.dsse import Envelope as Dsse  # takes 80 ms; loaded with the keys
    from securesystemslib.exceptions import UnverifiedSignatureError
    from securesystemslib.signer import Signature

    is_keyless = signature.bundle is not None
    if is_keyless != (key.keytype == KEYLESS) or (is_keyless and not _is_that_of_its_bundle(signature)):
        return False
    found = Signature(
        signature.key_id, signature.value.hex(), {"bundle": signature.bundle} if is_keyless else {}
    )
    try:
        key.verify_signature(found, Dsse(item.payload, item.payload_type, {}).pae())
    except UnverifiedSignatureError:
        return False
    return True


def _is_that_of_its_bundle(signature: SignatureLine) -> bool:
    """Compare the two copies of a keyless signature: sigstore verifies only the one in the bundle."""
    message = (signature.bundle or {}).get("messageSignature")
    return isinstance(message, dict) and message.get("signature") == envelope.base64_text(signature.value)


def _decode_statement(number: int, item: Envelope) -> _Statement:
    location = f"line {number}, payload"
    try:
        value = strict_json.decode(item.payload)
    except strict_json.NotCanonical as cause:
        raise _DoesNotHold(location, str(cause)) from cause
    fault = statement.statement_fault(value)
    if fault is not None:
        raise _DoesNotHold(location, fault)
    expected = _NAMES[number - 1]
    if value["predicateType"] != statement.PREDICATE_NAMES[expected]:
        raise _DoesNotHold(
            location, f"predicateType must be {statement.PREDICATE_NAMES[expected]} on this line"
        )
    return _Statement(number, value)


def _require_consistent(statements: Sequence[_Statement]) -> ReviewPredicate:
    """Require that the statements are those of the schema, about the same context, and agree."""
    first, *others = statements
    review = _review(first)
    names = statement.line_names(review.schema)
    if len(names) != len(statements):
        raise _line_count_problem(len(statements), names)
    subjects = first.value["subject"]
    digest = sha256(strict_json.encode(review.context.document)).hexdigest()
    if review.context.digest != digest:
        raise _DoesNotHold(
            "line 1, predicate", f"context.id is not sha256:{digest}, the digest of context.document"
        )
    if subjects[0]["digest"]["sha256"] != digest:
        raise _DoesNotHold("line 1, subject 1", f"it is not sha256:{digest}, the digest of context.document")
    for other in others:
        if other.value["subject"] != subjects:
            raise _DoesNotHold(f"{other.place}, subject", "it differs from the subject of line 1")
    _require_derived_statements(statements, review)
    return review


def digest_fault(predicate: Mapping[str, Any]) -> str | None:
    """Return the reason why a review predicate does not match its digest; None if it does.

    Only records of the first schema have no digest.
    """
    if DIGEST not in predicate and predicate.get("schema") == FIRST_SCHEMA:
        return None
    derived = predicates.digest_of(predicate)
    return None if predicate.get(DIGEST) == derived else f"digest is not {derived}, that of the other fields"


def _review(first: _Statement) -> ReviewPredicate:
    try:
        return predicates.review_predicate(first.value["predicate"])
    except msgspec.ValidationError as cause:
        raise _DoesNotHold("line 1, predicate", str(cause)) from cause


def _require_derived_statements(statements: Sequence[_Statement], review: ReviewPredicate) -> None:
    first, svr, *_ = statements
    created = svr.value["predicate"].get("timeCreated")
    if not predicates.is_timestamp(created):
        raise _DoesNotHold(
            f"{svr.place}, predicate", "timeCreated is not a time in UTC, as 2030-01-31T12:00:00Z"
        )
    derived = predicates.derived_predicates(review, first.value, created)
    for predicate, content in zip(statements[1:], derived.values(), strict=True):
        differing = _first_difference(predicate.value["predicate"], content)
        if differing is not None:
            raise _DoesNotHold(
                f"{predicate.place}, predicate", f"{differing} does not follow from the review on line 1"
            )


def _first_difference(found: Mapping[str, Any], derived: Mapping[str, Any]) -> str | None:
    names = sorted({*found, *derived})
    return next(
        (_shorten(name) for name in names if _decode_part(found, name) != _decode_part(derived, name)), None
    )


def _decode_part(content: Mapping[str, Any], name: str) -> tuple[Any, ...]:
    return (content[name],) if name in content else ()


def _run(checks: Sequence[FurtherCheck], first: _Statement) -> None:
    for check in checks:
        reason = check(first.value["predicate"])
        if reason is not None:
            raise _DoesNotHold("line 1, predicate", reason)


def _shorten(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."
