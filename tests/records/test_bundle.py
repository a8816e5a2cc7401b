"""The record of a real review holds, is written in one step, and leads to the same verdict again."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from tests.planes.evidence_factory import evidence, finding, missing
from tests.records.sample_reviews import FACTS, MOMENT, predicate, public, record, review, signer
from wardround.errors import UsageError
from wardround.planes.evidence import Evidence
from wardround.records import bundle, envelope
from wardround.records.bundle import RecordError
from wardround.records.predicates import digest_of
from wardround.records.public_keys import read_public_key
from wardround.records.reading import derivation_note, evidence_fault, parse_record
from wardround.records.record import predicate_of, read_record
from wardround.records.replay import replay_evidence
from wardround.records.verify import content_problem, verify_record
from wardround.storage.directories import LinkRefusedError


@pytest.mark.parametrize(
    "known",
    [evidence(), evidence(findings=(finding(),)), evidence(missing=(missing(),), gate="inconclusive")],
    ids=["clean", "warned", "incomplete"],
)
def test_the_record_of_a_review_holds_and_its_verdict_follows_from_it(known: Evidence) -> None:
    ada, created = signer(), review(known)
    written = bundle.write(predicate_of(created), FACTS, ada, MOMENT)
    found = verify_record(written.data, public(ada), [evidence_fault])
    assert found.problem is None
    assert found.review is not None
    assert (found.review.verdict.name, found.review.verdict.tier) == (
        created.verdict.name,
        created.verdict.tier,
    )
    payload = json.loads(base64.b64decode(json.loads(written.data.splitlines()[0])["payload"]))
    assert read_record(payload["predicate"]) == created


def test_a_verdict_that_does_not_follow_is_rejected_although_it_is_signed() -> None:
    ada = signer()
    content = predicate_of(review(evidence(gate="blocked", findings=(finding(severity="error"),))))
    content["verdict"]["name"] = "auto-merge"
    written = bundle.write(content, FACTS, ada, MOMENT)
    assert verify_record(written.data, public(ada)).problem is None
    refused = verify_record(written.data, public(ada), [evidence_fault]).problem
    assert refused is not None
    assert refused.place == "line 1, predicate"
    assert "verdict.name" in refused.reason


EARLIER = Path(__file__).parent / "earlier"


def test_a_record_of_the_first_schema_holds_with_a_note_about_its_verdict() -> None:
    data = (EARLIER / "review-1.intoto.jsonl").read_bytes()
    key = read_public_key(EARLIER / "review-1.pub")
    assert verify_record(data, [key], [evidence_fault]).problem is None
    assert content_problem(data) is None
    assert derivation_note(parse_record(data, "earlier")) == (
        "the verdict was derived by version 0.1; this version derives escalate (T4) from the same evidence"
    )
    assert derivation_note(review(evidence())) == ""


def test_a_record_without_a_verification_summary_is_derived_as_strictly_as_a_present_one() -> None:
    data = (EARLIER / "review-1.1.intoto.jsonl").read_bytes()
    key = read_public_key(EARLIER / "review-1.1.pub")
    assert verify_record(data, [key], [evidence_fault]).problem is None
    assert content_problem(data) is None
    assert replay_evidence(parse_record(data, "earlier")).differences == ()
    milder = json.loads(envelope.parse(data.splitlines()[0]).payload)["predicate"]
    milder["verdict"] |= {"name": "auto-merge"}
    assert "verdict.name is" in str(evidence_fault(milder))


def test_the_record_of_a_review_states_what_the_id_of_its_context_does_not_cover() -> None:
    recorded = predicate_of(review(evidence()))
    assert {"evidence.messages", "evidence.moves", "evidence.neighbours"} <= set(
        recorded["context"]["not_covered"]
    )
    assert recorded["digest"] == digest_of(recorded)


def test_a_review_whose_context_has_another_id_is_not_recorded() -> None:
    wrong = predicate()
    wrong["context"]["id"] = f"sha256:{'0' * 64}"
    with pytest.raises(RecordError, match="the id of its context is sha256:000"):
        bundle.write(wrong, FACTS, None, MOMENT)


def test_a_review_without_canonical_encoding_is_not_recorded() -> None:
    with pytest.raises(RecordError, match="the review cannot be recorded: nan is not representable"):
        bundle.write(predicate(evidence={"score": float("nan")}), FACTS, None, MOMENT)


def test_a_review_that_lacks_a_part_is_not_recorded() -> None:
    incomplete = predicate()
    del incomplete["gate"]
    with pytest.raises(RecordError, match="required field `gate`"):
        bundle.write(incomplete, FACTS, None, MOMENT)


def test_a_record_is_saved_with_its_folder(tmp_path: Path) -> None:
    created = record(None)
    bundle.save(created, tmp_path / "new" / f"x{bundle.SUFFIX}", None)
    bundle.save(created, tmp_path / "new" / f"x{bundle.SUFFIX}", None)
    assert [file.read_bytes() for file in (tmp_path / "new").iterdir()] == [created.data]


def test_a_record_is_not_saved_through_a_link_of_the_work_tree(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "out").symlink_to(tmp_path)
    with pytest.raises(LinkRefusedError):
        bundle.save(record(None), tmp_path / "tree" / "out" / "x", tmp_path / "tree")
    assert not (tmp_path / "x").exists()


def test_a_record_that_cannot_be_saved_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError) as refused:
        bundle.save(record(None), tmp_path / "file" / "x", None)
    assert str(refused.value) == (
        f"the record cannot be written to {tmp_path}/file/x: Not a directory; give another file"
    )
