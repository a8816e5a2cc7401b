"""One review: its policy's lines, and what its signature proves."""

from __future__ import annotations

from pathlib import Path

import pytest
from securesystemslib.signer import CryptoSigner

from tests.installed import require_installed
from tests.records.sample_reviews import FACTS, real_record, signer
from wardround.errors import UsageError
from wardround.records import keys
from wardround.records.store import RecordNotFound, open_store
from wardround_lab.dashboard.views.review import review, signature_check

require_installed("securesystemslib")


def test_a_review_has_the_lines_of_its_policies_and_which_of_them_decide(tmp_path: Path) -> None:
    with open_store(tmp_path / "records.sqlite") as records:
        digest = records.append(real_record(None), FACTS)
        found = review(records, digest[:12])
        with pytest.raises(RecordNotFound):
            review(records, "f" * 12)
    deciding = [line.line.line for line in found.lines if line.effect == "decides"]
    assert deciding == [reason.policy for reason in found.verdict.reasons if reason.policy]
    assert {line.line.line.partition("#")[0] for line in found.lines} == {"default", "strict"}
    assert found.stored.digest == digest


def test_a_signature_is_valid_by_a_trusted_key_only(monkeypatch: pytest.MonkeyPatch) -> None:
    own: CryptoSigner = signer()
    data = real_record(own).data
    assert signature_check(data).state == "not trusted"
    monkeypatch.setattr(keys, "trusted_keys", lambda: (own.public_key,))
    found = signature_check(data)
    assert (found.state, own.public_key.keyid in found.detail) == ("valid", True)


def test_records_without_a_signature_or_with_another_content_are_told_apart() -> None:
    data = real_record(None).data
    assert signature_check(data).state == "not signed"
    assert signature_check(data.replace(b"\n", b" \n", 1)).state == "not valid"
    assert signature_check(b"").state == "not valid"


def test_bytes_that_are_no_record_are_one_sentence(tmp_path: Path) -> None:
    import sqlite3

    file = tmp_path / "records.sqlite"
    with open_store(file) as records:
        digest = records.append(real_record(None), FACTS)
    with sqlite3.connect(file) as database:
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f"DROP TRIGGER {name}")
        database.execute("UPDATE records SET bundle = '{}'")
    database.close()
    with open_store(file) as records, pytest.raises(UsageError, match="is not the record of a review"):
        review(records, digest)
