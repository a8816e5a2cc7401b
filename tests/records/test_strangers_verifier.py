"""A verifier independent of wardround accepts a record: in-toto's own models, DSSE and openssl.

The DSSE check follows the text of the protocol: the signature covers "DSSEv1", the length and text of the
payload type, and the length and bytes of the payload, separated by spaces.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from google.protobuf import json_format
from in_toto_attestation.predicates.test_result.v0 import test_result_pb2
from in_toto_attestation.predicates.vsa.v1 import vsa_pb2
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement

from tests.records.sample_reviews import HEAD, predicate, record, signer
from wardround.records.public_keys import public_pem

DOCUMENTED = Path(__file__).parents[2] / "docs" / "records.md"
MEMBERS = (
    "https://wardround.dev/review/v1",
    "https://in-toto.io/attestation/svr/v0.2",
    "https://in-toto.io/attestation/test-result/v0.1",
    "https://slsa.dev/verification_summary/v1",
)


def envelopes(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.decode().split("\n") if line]


def signed_bytes(envelope: dict[str, Any]) -> bytes:
    kind = envelope["payloadType"].encode()
    payload = base64.b64decode(envelope["payload"])
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


@pytest.fixture(scope="module")
def pem() -> str:
    return public_pem(ADA.public_key)


ADA = signer()
DATA = record(ADA).data


@pytest.mark.parametrize("line", range(4), ids=MEMBERS)
def test_a_check_written_from_the_dsse_protocol_accepts_every_line(pem: str, line: int) -> None:
    envelope = envelopes(DATA)[line]
    key = load_pem_public_key(pem.encode())
    assert isinstance(key, Ed25519PublicKey)
    (signature,) = envelope["signatures"]
    key.verify(base64.b64decode(signature["sig"]), signed_bytes(envelope))
    with pytest.raises(InvalidSignature):
        key.verify(base64.b64decode(signature["sig"]), signed_bytes(envelope) + b" ")


@pytest.mark.parametrize("line", range(4), ids=MEMBERS)
def test_the_models_of_in_toto_accept_every_statement(line: int) -> None:
    payload = base64.b64decode(envelopes(DATA)[line]["payload"])
    found = json_format.Parse(payload, statement_pb2.Statement())
    Statement.copy_from_pb(found).validate()
    assert found.predicate_type == MEMBERS[line]
    subjects = [(item.name, dict(item.digest)) for item in found.subject]
    context = predicate()["context"]["id"].removeprefix("sha256:")
    assert subjects == [("review-context", {"sha256": context}), ("head", {"gitCommit": HEAD})]


def test_the_model_of_a_test_result_accepts_ours() -> None:
    value = json.loads(base64.b64decode(envelopes(DATA)[2]["payload"]))
    found = json_format.ParseDict(value["predicate"], test_result_pb2.TestResult())
    assert (found.result, list(found.warned_tests)) == ("WARNED", ["semantic"])
    assert [item.name for item in found.configuration] == ["default"]


def test_the_model_of_a_verification_summary_accepts_ours() -> None:
    first, *_, last = (base64.b64decode(item["payload"]) for item in envelopes(DATA))
    predicate = json.loads(last)["predicate"]
    levels = predicate.pop("verifiedLevels")  # version 0.9.3 of the model has one string instead of a list
    found = json_format.ParseDict(predicate, vsa_pb2.VerificationSummary())
    assert (found.verifier.id, found.slsa_version) == ("https://wardround.dev/verifier/v1", "1.1")
    assert found.time_verified.ToJsonString() == "2030-01-31T12:00:05Z"
    assert found.policy.uri == "https://wardround.dev/policy/default"
    assert [dict(item.digest) for item in found.input_attestations] == [
        {"sha256": hashlib.sha256(first).hexdigest()}
    ]
    assert (found.verification_result, levels) == ("FAILED", ["FAILED"])


def test_a_simple_verification_result_has_the_fields_that_its_specification_requires() -> None:
    value = json.loads(base64.b64decode(envelopes(DATA)[1]["payload"]))["predicate"]
    assert sorted(value) == ["properties", "timeCreated", "verifier"]
    assert value["verifier"]["id"].startswith("https://")
    assert [sorted(policy) for policy in value["verifier"]["policies"]] == [["digest", "name"]]
    assert all(isinstance(item, str) for item in value["properties"])


def test_the_subject_is_the_digest_of_the_document_in_the_predicate() -> None:
    value = json.loads(base64.b64decode(envelopes(DATA)[0]["payload"]))
    document = value["predicate"]["context"]["document"]
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(canonical.encode()).hexdigest() == value["subject"][0]["digest"]["sha256"]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
@pytest.mark.parametrize("line", range(4), ids=MEMBERS)
def test_openssl_accepts_every_line_and_rejects_a_changed_one(tmp_path: Path, pem: str, line: int) -> None:
    envelope = envelopes(DATA)[line]
    (tmp_path / "key.pub").write_text(pem)
    (tmp_path / "signature").write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
    command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", "key.pub", "-rawin",
               "-in", "signed", "-sigfile", "signature"]  # fmt: skip
    (tmp_path / "signed").write_bytes(signed_bytes(envelope))
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 0
    (tmp_path / "signed").write_bytes(signed_bytes(envelope).replace(b"DSSEv1", b"DSSEv2"))
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode != 0


def documented(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", DOCUMENTED.read_text("utf-8"), re.DOTALL)
    return str(found)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_the_documented_program_accepts_a_record_and_rejects_a_changed_one(tmp_path: Path, pem: str) -> None:
    (tmp_path / "check.py").write_text(documented("python"))
    (tmp_path / "key.pub").write_text(pem)
    command = [sys.executable, "-I", "check.py", "record", "key.pub"]
    (tmp_path / "record").write_bytes(DATA)
    accepted = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert accepted.stdout == (
        "2030-01-31T12:00:05Z WARDROUND_VERDICT_HUMAN_REVIEW WARDROUND_TIER_T3 WARDROUND_POLICY_DEFAULT "
        "WARDROUND_GATE_PASS\nWARNED\n"
    ), accepted.stderr
    lines = DATA.splitlines(keepends=True)
    other = record(ADA, verdict={"name": "auto-merge", "tier": "T1"}).data.splitlines(keepends=True)
    (tmp_path / "record").write_bytes(lines[0] + lines[1] + other[2].replace(b'"sig":"', b'"sig":"A', 1))
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 1


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_the_documented_jq_filter_reads_a_record(tmp_path: Path) -> None:
    (tmp_path / "review.intoto.jsonl").write_bytes(DATA)
    done = subprocess.run(["sh", "-c", documented("sh")], cwd=tmp_path, capture_output=True, text=True)
    assert '"name": "human-review"' in done.stdout
    assert done.stdout.endswith("]\nWARNED\nFAILED\n"), done.stderr
