"""Every change of a record's bytes is detected, and the first fault is named."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from securesystemslib.signer import CryptoSigner

from tests.records.sample_reviews import HEAD, predicate, public, record, signer
from wardround.records import envelope, signing, statement, strict_json
from wardround.records.bundle import Facts
from wardround.records.envelope import Envelope
from wardround.records.verify import verify_record


@pytest.fixture(scope="module")
def ada() -> CryptoSigner:
    return signer()


def problem(data: bytes, *trusted: CryptoSigner, **options: Any) -> str:
    """The position and reason of the first fault."""
    found = verify_record(data, public(*trusted), **options)
    assert found.problem is not None
    assert found.review is None
    return str(found.problem)


def resigned(data: bytes, line: int, change: Callable[[dict[str, Any]], Any], by: CryptoSigner) -> bytes:
    """The record with one statement changed and signed again, as a dishonest signer could do."""
    envelopes = [envelope.parse(splitline) for splitline in data.splitlines()]
    value = json.loads(envelopes[line - 1].payload)
    change(value)
    unsigned = Envelope(strict_json.encode(value), envelope.PAYLOAD_TYPE)
    envelopes[line - 1] = signing.add_signature(unsigned, by)
    return envelope.bundle(envelopes)


def test_a_record_is_valid(ada: CryptoSigner) -> None:
    found = verify_record(record(ada).data, public(ada))
    assert found.problem is None
    assert found.signers == (ada.public_key.keyid,)
    assert found.created == "2030-01-31T12:00:05Z"
    assert found.review is not None
    assert (found.review.verdict.name, found.review.verdict.tier) == ("human-review", "T3")


def test_the_same_review_signed_by_the_same_key_is_the_same_bytes(ada: CryptoSigner) -> None:
    assert record(ada).data == record(ada).data


@pytest.mark.parametrize("bit", [0x01, 0x20, 0x80, 0xFF])
def test_every_changed_byte_is_detected_with_its_line(ada: CryptoSigner, bit: int) -> None:
    data = record(ada).data
    trusted = public(ada)
    for at in range(len(data)):
        changed = data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]
        found = verify_record(changed, trusted).problem
        assert found is not None, f"byte {at} changed by {bit:#x} is not detected"
        line = data[:at].count(b"\n") + 1
        expected = "file" if data[at] == 0x0A or changed[at] == 0x0A else f"line {line}"
        assert found.place.startswith((expected, f"line {line}")), f"byte {at}: {found}"
        assert found.reason


def test_every_removed_and_every_doubled_byte_is_detected(ada: CryptoSigner) -> None:
    data = record(ada).data
    trusted = public(ada)
    for at in range(len(data)):
        assert verify_record(data[:at] + data[at + 1 :], trusted).problem is not None
        assert verify_record(data[:at] + data[at : at + 1] + data[at:], trusted).problem is not None


def test_every_truncation_is_detected(ada: CryptoSigner) -> None:
    data = record(ada).data
    for length in range(len(data)):
        assert verify_record(data[:length], public(ada)).problem is not None


def test_lines_are_neither_exchanged_nor_excluded_nor_repeated(ada: CryptoSigner) -> None:
    lines = record(ada).data.splitlines(keepends=True)
    swapped = problem(lines[0] + lines[2] + lines[1], ada)
    assert swapped == (
        "line 2, payload: predicateType must be https://in-toto.io/attestation/svr/v0.2 on this line"
    )
    assert problem(lines[0] + lines[1], ada) == (
        "file: it has 2 lines; a record has 4: review, svr, test-result, vsa"
    )
    assert problem(b"".join(lines[:3]), ada) == (
        "file: it has 3 lines; a record has 4: review, svr, test-result, vsa"
    )
    assert problem(lines[0] * 3, ada).startswith("line 2, payload: predicateType must be")
    assert problem(b"", ada).startswith("file: it has 0 lines")


def test_lines_of_two_records_do_not_mix(ada: CryptoSigner) -> None:
    first = record(ada).data.splitlines(keepends=True)
    milder = record(ada, verdict={"name": "auto-merge", "tier": "T1"}).data.splitlines(keepends=True)
    assert problem(first[0] + milder[1] + first[2] + first[3], ada) == (
        "line 2, predicate: properties does not follow from the review on line 1"
    )
    elsewhere = record(ada, Facts(head="e" * 40)).data.splitlines(keepends=True)
    assert problem(first[0] + first[1] + elsewhere[2] + first[3], ada) == (
        "line 3, subject: it differs from the subject of line 1"
    )


def test_a_verification_summary_of_another_review_does_not_fit(ada: CryptoSigner) -> None:
    first = record(ada).data.splitlines(keepends=True)
    milder = record(ada, verdict={"name": "auto-merge", "tier": "T1"}).data.splitlines(keepends=True)
    assert problem(b"".join(first[:3]) + milder[3], ada) == (
        "line 4, predicate: inputAttestations does not follow from the review on line 1"
    )


def test_a_record_without_signatures_is_reported_as_not_signed(ada: CryptoSigner) -> None:
    assert problem(record(None).data, ada) == "line 1: not signed"


def test_a_line_without_signatures_is_reported_as_not_signed(ada: CryptoSigner) -> None:
    signed_lines = record(ada).data.splitlines(keepends=True)
    unsigned = record(None).data.splitlines(keepends=True)
    assert problem(signed_lines[0] + signed_lines[1] + unsigned[2], ada) == "line 3: not signed"


def test_a_key_that_is_not_known_is_named(ada: CryptoSigner) -> None:
    other = signer()
    assert problem(record(other).data, ada) == (
        f"line 1, signature 1: the key {other.public_key.keyid} is not trusted, and its public key is not "
        "known; get the file with the public key from the signer, then: wardround keys trust FILE"
    )


def test_a_valid_signature_by_a_known_key_does_not_suffice(ada: CryptoSigner) -> None:
    found = verify_record(record(ada).data, [], known=public(ada)).problem
    assert found is not None
    assert found.untrusted == ada.public_key.keyid
    assert str(found) == (
        f"line 1, signature 1: it is valid, but its key {ada.public_key.keyid} is not trusted"
    )


def test_a_signature_by_another_key_under_the_id_of_a_trusted_one_is_rejected(ada: CryptoSigner) -> None:
    impostor = CryptoSigner.generate_ed25519(keyid=ada.public_key.keyid)
    assert problem(record(impostor).data, ada) == (
        f"line 1, signature 1: it is not a signature of the payload by the key {ada.public_key.keyid}"
    )


def test_every_listed_signature_must_be_valid_and_the_threshold_met(ada: CryptoSigner) -> None:
    grace = signer()
    both = envelope.bundle(
        [
            signing.add_signature(envelope.parse(splitline), grace)
            for splitline in record(ada).data.splitlines()
        ]
    )
    assert verify_record(both, public(ada, grace), threshold=2).problem is None
    assert verify_record(both, public(ada), known=public(grace)).problem is None
    assert "is not trusted, and its public key is not known" in problem(both, ada)
    assert problem(record(ada).data, ada, grace, threshold=2) == (
        "line 1: 1 trusted key signed each line so far; 2 must have"
    )


def test_lines_signed_by_different_keys_do_not_add_up(ada: CryptoSigner) -> None:
    grace = signer()
    mixed = record(ada).data.splitlines(keepends=True)[:2] + record(grace).data.splitlines(keepends=True)[2:]
    assert problem(b"".join(mixed), ada, grace) == (
        "line 3: 0 trusted keys signed each line so far; 1 must have"
    )


def test_a_signature_is_listed_once(ada: CryptoSigner) -> None:
    lines = record(ada).data.splitlines()
    value = json.loads(lines[0])
    value["signatures"] *= 2
    lines[0] = strict_json.encode(value)
    assert problem(b"\n".join(lines) + b"\n", ada) == (
        "line 1, signatures: they must be sorted by keyid, each key once"
    )


NOT_BASE64 = "line 1, payload: not base64 (RFC 4648, section 4)"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda line: line.update(extra=1), "line 1: unknown field 'extra'"),
        (lambda line: line.pop("payload"), "line 1: the field 'payload' is missing"),
        (
            lambda line: line.update(payloadType="text/plain"),
            "line 1, payloadType: it must be application/vnd.in-toto+json",
        ),
        (lambda line: line.update(signatures={}), "line 1, signatures: it must be a list"),
        (lambda line: line["signatures"].append(1), "line 1, signature 2: it must be a JSON object"),
        (lambda line: line["signatures"][0].update(cert=""), "line 1, signature 1: unknown field 'cert'"),
        (
            lambda line: line["signatures"][0].update(keyid=1),
            "line 1, signature 1: keyid must be the id of a key",
        ),
        (
            lambda line: line.update(payload="Zh=="),
            "line 1, payload: not the canonical base64 of its bytes (RFC 4648, section 3.5)",
        ),
        (lambda line: line.update(payload="Zg"), NOT_BASE64),
        (lambda line: line.update(payload="_-__"), NOT_BASE64),
        (lambda line: line.update(payload=5), NOT_BASE64),
    ],
)
def test_an_envelope_of_another_form_is_rejected(
    ada: CryptoSigner, change: Callable[[dict[str, Any]], Any], reason: str
) -> None:
    lines = record(ada).data.splitlines()
    value = json.loads(lines[0])
    change(value)
    lines[0] = strict_json.encode(value)
    assert problem(b"\n".join(lines) + b"\n", ada) == reason


def nested(*keys: str | int, to: Any) -> Callable[[dict[str, Any]], None]:
    """A change that replaces one value of a statement."""

    def change(value: Any) -> None:
        for key in keys[:-1]:
            value = value[key]
        value[keys[-1]] = to

    return change


DIFFERS = "does not follow from the review on line 1"
CONTEXT_FORM = "payload: subject 1 must be review-context with a sha256 digest"
ELSEWHERE = [{"name": "review-context", "digest": {"sha256": "0" * 64}}]


@pytest.mark.parametrize(
    ("line", "change", "reason"),
    [
        (1, nested("_type", to="x"), "payload: _type is 'x', not https://in-toto.io/Statement/v1"),
        (1, nested("predicateType", to=["x"]), "payload: predicateType ['x'] is not a predicate of a record"),
        (1, nested("predicate", to={}), "payload: the predicate is not a JSON object with content"),
        (1, nested("more", to=1), "payload: unknown field 'more'"),
        (1, nested("subject", to=[]), "payload: subject must be the review context and at most one commit"),
        (1, nested("subject", 0, "name", to="x"), CONTEXT_FORM),
        (1, nested("subject", 0, "digest", "sha256", to="A" * 64), CONTEXT_FORM),
        (
            1,
            nested("subject", 1, "digest", to={"sha1": HEAD}),
            "payload: subject 2 must be head with a gitCommit digest",
        ),
        (
            1,
            nested("predicate", "verdict", to=None),
            "predicate: Expected `object`, got `null` - at `$.verdict`",
        ),
        (
            2,
            nested("predicate", "timeCreated", to="now"),
            "predicate: timeCreated is not a time in UTC, as 2030-01-31T12:00:00Z",
        ),
        (2, nested("predicate", "properties", to=["WARDROUND_TIER_T1"]), f"predicate: properties {DIFFERS}"),
        (2, nested("predicate", "extra", to=None), f"predicate: extra {DIFFERS}"),
        (3, nested("predicate", "result", to="PASSED"), f"predicate: result {DIFFERS}"),
        (3, nested("subject", to=ELSEWHERE), "subject: it differs from the subject of line 1"),
    ],
)
def test_a_signed_statement_that_contradicts_itself_is_rejected(
    ada: CryptoSigner, line: int, change: Callable[[dict[str, Any]], Any], reason: str
) -> None:
    assert problem(resigned(record(ada).data, line, change, ada), ada) == f"line {line}, {reason}"


def test_the_subject_is_the_digest_of_the_context(ada: CryptoSigner) -> None:
    other = nested("subject", 0, "digest", "sha256", to="0" * 64)
    data = record(ada).data
    for line in (1, 2, 3):
        data = resigned(data, line, other, ada)
    assert problem(data, ada).startswith("line 1, subject 1: it is not sha256:")
    changed = nested("predicate", "context", "document", "base", to="0")
    assert problem(resigned(record(ada).data, 1, changed, ada), ada).startswith(
        "line 1, predicate: context.id is not sha256:"
    )


def test_a_payload_in_another_encoding_is_rejected_although_it_is_signed(ada: CryptoSigner) -> None:
    envelopes = [envelope.parse(splitline) for splitline in record(ada).data.splitlines()]
    spaced = json.dumps(json.loads(envelopes[0].payload)).encode()
    envelopes[0] = signing.add_signature(Envelope(spaced, envelope.PAYLOAD_TYPE), ada)
    assert problem(envelope.bundle(envelopes), ada) == (
        "line 1, payload: byte 10: not the canonical encoding of its value (RFC 8785)"
    )


def test_a_further_check_can_refuse_a_record_that_holds_otherwise(ada: CryptoSigner) -> None:
    seen = []

    def check(found: Any) -> str | None:
        seen.append(found)
        return "verdict does not follow from the evidence"

    data = record(ada).data
    assert problem(data, ada, further_checks=[check]) == (
        "line 1, predicate: verdict does not follow from the evidence"
    )
    assert seen == [predicate()]
    assert verify_record(data, public(ada), [lambda _: None]).problem is None


def test_further_checks_see_no_record_whose_signatures_are_invalid(ada: CryptoSigner) -> None:
    seen: list[Any] = []
    problem(record(signer()).data, ada, further_checks=[seen.append])
    assert seen == []


def test_a_staged_change_has_no_commit_as_subject(ada: CryptoSigner) -> None:
    data = record(ada, Facts(head=":index")).data
    value = json.loads(base64.b64decode(json.loads(data.splitlines()[0])["payload"]))
    assert [item["name"] for item in value["subject"]] == [statement.CONTEXT_SUBJECT]
    assert verify_record(data, public(ada)).problem is None


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.text(max_size=3)
    | st.just("0001-01-01T00:00:00+23:59"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def paths(value: Any) -> list[tuple[str | int, ...]]:
    """The place of every value inside a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path for key, inner in items for path in ((key,), *((key, *rest) for rest in paths(inner)))]


@given(data=st.data(), line=st.integers(1, 3), replacement=JSON)
def test_no_signed_value_of_another_form_is_accepted_or_stops_the_verification(
    ada: CryptoSigner, data: st.DataObject, line: int, replacement: Any
) -> None:
    original = record(ada).data
    value = json.loads(envelope.parse(original.splitlines()[line - 1]).payload)
    path = data.draw(st.sampled_from(paths(value)))
    changed = resigned(original, line, nested(*path, to=replacement), ada)
    assume(changed != original)
    found = verify_record(changed, public(ada))
    if found.problem is None:  # parts that only replay checks
        assert line == 1
        assert path[0] == "predicate"
    else:
        assert found.problem.reason


@given(st.binary(max_size=200))
def test_no_bytes_stop_the_verification(data: bytes) -> None:
    assert verify_record(data, []).problem is not None
