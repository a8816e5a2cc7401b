"""Attacks on the acceptance of records: in doubt, the change is reviewed again."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GitRepository
from tests.records.places import Place
from wardround.cli.accepting import accepted_review
from wardround.cli.options import RecordSpec
from wardround.policy.conclude import conclude
from wardround.records import bundle, keys, signing, store
from wardround.records.location import VARIABLE, default_file
from wardround.records.reading import parse_record
from wardround.records.record import predicate_of
from wardround.records.signing import SignerSettings

pytestmark = pytest.mark.usefixtures("without_slow_tools")

RECORD = "review.intoto.jsonl"
CONFIG = 'only = ["contract", "secrets", "sql", "tests", "text"]\n'
ACCEPTING = CONFIG + "records = {accept = true}\n"
MIGRATION = "migrations/001.sql"
COLUMN = "ALTER TABLE users ADD COLUMN age integer NOT NULL;\n"
"""A change with one warning, all of whose planes report."""
POLICIES = Path(str(files("wardround_rules"))) / "policies"
STRICT = (POLICIES / "strict.yml").read_text(encoding="utf-8")
REVIEW = ("review", "--profile", "ci", "--base", "main")


@pytest.fixture
def branch(repo: GitRepository) -> GitRepository:
    """A branch with a warning, and a key of ours that is trusted."""
    repo.commit({".wardround.toml": CONFIG, "README.md": "# Shop\n"})
    repo.git("checkout", "--quiet", "-b", "topic")
    repo.commit({MIGRATION: COLUMN})
    assert repo.wardround("keys", "new").returncode == 0
    keys.trust(keys.own_key_file().with_name("private.pem.pub"))
    return repo


def recorded(repo: GitRepository, *options: str | Path, file: str = RECORD) -> bytes:
    """The record of a review."""
    done = repo.wardround(*REVIEW, "--record", f"../{file}", *options)
    assert done.returncode in (0, 1), done.stderr
    return (repo.root.parent / file).read_bytes()


def accepting(repo: GitRepository, *options: str | Path, record: bytes | None = None) -> tuple[str, str]:
    """Return the output of a review that may accept a record: its report, and its messages."""
    file = repo.root.parent / "given.intoto.jsonl"
    if record is not None:
        file.write_bytes(record)
    done = repo.wardround(*REVIEW, "--accept-record", file, *options)
    assert done.returncode in (0, 1, 4), done.stderr
    return done.stdout, done.stderr


def require_reviewed(printed: tuple[str, str], reason: str) -> None:
    """The change was reviewed, and the reason was printed."""
    assert "was accepted from the record" not in printed[0]
    assert reason in printed[1]


def edited(data: bytes, line: int, edit: Callable[[dict[str, Any]], None]) -> bytes:
    """The record with an edited statement, and the signatures as they are."""
    lines = data.splitlines()
    envelope = json.loads(lines[line])
    statement = json.loads(base64.b64decode(envelope["payload"]))
    edit(statement)
    text = json.dumps(statement, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    envelope["payload"] = base64.b64encode(text.encode()).decode()
    lines[line] = json.dumps(envelope, sort_keys=True, separators=(",", ":")).encode()
    return b"\n".join(lines) + b"\n"


def resigned(data: bytes, when: datetime | None = None, **evidence: Any) -> bytes:
    """A record by the trusted key of other evidence or another time, with the verdict that follows."""
    from msgspec.structs import replace

    record = parse_record(data, "record")
    changed = replace(record.evidence, **evidence)
    found = conclude(record.context.document, changed, record.policies)
    record = replace(
        record,
        evidence=found.evidence,
        signals=found.signals,
        verdict=found.verdict,
        gate=replace(record.gate, outcome=changed.gate),
    )
    signer = signing.open_signer(SignerSettings(f"file:{keys.own_key_file()}"), os.environ)
    document = record.context.document
    facts = bundle.Facts(base=document.base, head=document.head)
    return bundle.write(predicate_of(record), facts, signer, when or datetime.now(UTC)).data


def test_a_record_of_the_same_review_is_accepted_with_its_verdict_id_and_key(branch: GitRepository) -> None:
    record = recorded(branch)
    out, err = accepting(branch, "--record", "../again", record=record)
    own = keys.own_public_key()
    assert own is not None
    digest = store.sha256(record).hexdigest()
    reported = " ".join(out.replace("note:", "").split())
    verdict = parse_record(record, "record").verdict
    assert (
        f"the verdict {verdict.name} ({verdict.tier}) was accepted from the record sha256:{digest} "
        f"signed by the key {own[1].keyid}; nothing was run again"
    ) in reported
    assert err == ""
    assert (branch.root.parent / "again").read_bytes() == record
    usual = branch.wardround(*REVIEW, "--format", "json")
    again = branch.wardround(*REVIEW, "--format", "json", "--accept-record", f"../{RECORD}")
    before, after = json.loads(usual.stdout), json.loads(again.stdout)
    assert usual.returncode == again.returncode
    for part in ("context", "gate", "verdict", "signals"):
        assert after[part] == before[part]
    assert [f["fingerprint"] for f in after["findings"]] == [f["fingerprint"] for f in before["findings"]]
    assert [f["message"] for f in after["findings"]] == [f["message"] for f in before["findings"]]


def test_by_default_nothing_is_accepted(branch: GitRepository) -> None:
    branch.wardround(*REVIEW)
    done = branch.wardround(*REVIEW)
    assert "accepted" not in done.stdout + done.stderr


def test_the_configuration_of_the_target_accepts_records_of_the_store(
    branch: GitRepository, store_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, store_place.text)
    branch.git("checkout", "--quiet", "main")
    branch.commit({".wardround.toml": ACCEPTING})
    branch.git("rebase", "--quiet", "main", "topic")
    first = branch.wardround(*REVIEW)
    assert "there is none of this context" in first.stderr
    assert "was accepted" not in first.stdout
    second = branch.wardround(*REVIEW)
    assert "was accepted from the record" in second.stdout
    assert branch.wardround("records", "list").stdout.endswith("1 record\n")
    commit = branch.wardround("review", "--base", "main")
    assert "accepted" not in commit.stdout + commit.stderr


def test_the_change_cannot_switch_acceptance_on(branch: GitRepository) -> None:
    branch.commit({".wardround.toml": ACCEPTING})
    branch.wardround(*REVIEW)
    done = branch.wardround(*REVIEW)
    assert "accepted" not in done.stdout + done.stderr


def test_a_record_by_an_untrusted_key_is_rejected(branch: GitRepository, tmp_path: Path) -> None:
    keys.create(tmp_path / "other.pem", None)
    record = recorded(branch, "--sign-with", tmp_path / "other.pem")
    require_reviewed(accepting(branch, record=record), "is not trusted")


def test_a_signature_that_names_a_trusted_key_is_checked(branch: GitRepository, tmp_path: Path) -> None:
    keys.create(tmp_path / "other.pem", None)
    record = recorded(branch, "--sign-with", tmp_path / "other.pem")
    other = keys.read_any(tmp_path / "other.pem.pub", None).keyid
    own = keys.own_public_key()
    assert own is not None
    forged = record.replace(other.encode(), own[1].keyid.encode())
    require_reviewed(accepting(branch, record=forged), "it is not a signature of the payload by the key")


def test_without_a_signature_or_a_trusted_key_nothing_is_accepted(branch: GitRepository) -> None:
    record = recorded(branch)
    unsigned = b"".join(
        json.dumps({**json.loads(line), "signatures": []}, sort_keys=True, separators=(",", ":")).encode()
        + b"\n"
        for line in record.splitlines()
    )
    require_reviewed(accepting(branch, record=unsigned), "line 1: not signed")
    own = keys.own_public_key()
    assert own is not None
    keys.remove(own[1].keyid)
    require_reviewed(accepting(branch, record=record), "no key is trusted")


@pytest.mark.parametrize("line", [0, 1, 2])
def test_an_edited_verdict_is_rejected(branch: GitRepository, line: int) -> None:
    def edit(statement: dict[str, Any]) -> None:
        predicate = statement["predicate"]
        if line == 0:
            predicate["verdict"] |= {"name": "auto-merge", "tier": "T1"}
        elif line == 1:
            predicate["properties"] = ["WARDROUND_VERDICT_AUTO_MERGE"]
        else:
            predicate["result"] = "PASSED"

    forged = edited(recorded(branch), line, edit)
    require_reviewed(accepting(branch, record=forged), f"it does not hold: line {line + 1}")


def test_a_verdict_that_does_not_follow_is_rejected_even_by_a_trusted_key(branch: GitRepository) -> None:
    from msgspec.structs import replace

    record = parse_record(recorded(branch), "record")
    milder = replace(record, verdict=replace(record.verdict, name="auto-merge", tier="T1"))
    signer = signing.open_signer(SignerSettings(f"file:{keys.own_key_file()}"), os.environ)
    facts = bundle.Facts(base=record.context.document.base, head=record.context.document.head)
    forged = bundle.write(predicate_of(milder), facts, signer, datetime.now(UTC)).data
    require_reviewed(accepting(branch, record=forged), "follows from the evidence")


def test_a_record_of_another_repository_or_commit_is_rejected(branch: GitRepository) -> None:
    record = recorded(branch)
    branch.commit({MIGRATION: COLUMN.replace("age", "height")})
    require_reviewed(accepting(branch, record=record), "is not accepted: the context is sha256:")
    branch.git("reset", "--quiet", "--hard", "HEAD~1")
    branch.git("commit", "--quiet", "--amend", "--no-edit", "--date", "1950000000 +0000")  # the same files
    require_reviewed(accepting(branch, record=record), "is not accepted: the context is sha256:")


@pytest.mark.parametrize(
    ("then", "now", "reason"),
    [
        ((), ("--only", "sql"), "the options of the review differ"),
        (("--no-models",), (), "the options of the review differ"),
        (("--config-from", "head"), (), "the options of the review differ"),
        (("--fail-level", "none"), (), "the fail level is 'error', recorded 'none'"),
        ((), ("--config", "../strict.toml"), "the policy is strict@sha256:"),
        ((), ("--policy-floor", "../floor.yml"), "the policy floor is floor@sha256:"),
        (("--policy-floor", "../floor.yml"), (), "the policy floor is none, recorded floor@sha256:"),
        (
            ("--policy-floor", "../older.yml"),
            ("--policy-floor", "../floor.yml"),
            "the policy floor is floor@",
        ),
    ],
)
def test_a_record_of_another_review_of_the_change_is_rejected(
    branch: GitRepository, then: tuple[str, ...], now: tuple[str, ...], reason: str
) -> None:
    above = branch.root.parent
    (above / "strict.toml").write_text(CONFIG + 'policy = "strict"\n')
    floor = STRICT.replace("name: strict", "name: floor")
    (above / "floor.yml").write_text(floor)
    (above / "older.yml").write_text(floor.replace("T3: human-review", "T3: escalate"))
    record = recorded(branch, *then)
    require_reviewed(accepting(branch, *now, "--verbose", record=record), reason)


def test_another_program_of_the_same_name_and_version_is_noticed(
    branch: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = parse_record(recorded(branch), "record")
    tools = tuple(
        type(tool)(tool.tool, tool.version, f"sha256:{'0' * 64}" if tool.digest else "")
        for tool in record.evidence.tools
    )
    assert any(tool.digest for tool in tools)
    forged = resigned(recorded(branch), tools=tools)
    require_reviewed(accepting(branch, record=forged), "is not accepted: the tool ")


def test_an_inconclusive_record_is_rejected(branch: GitRepository) -> None:
    from wardround.planes.evidence import MissingEvidence

    missing = (MissingEvidence(MIGRATION, "sql", "squawk", "it crashed"),)
    forged = resigned(recorded(branch), gate="inconclusive", missing=missing)
    require_reviewed(accepting(branch, record=forged), "is not accepted: it is inconclusive")


@pytest.mark.parametrize(
    ("age", "reason"),
    [(timedelta(days=8), "it is older than 7 days"), (-timedelta(days=1), "it is dated in the future")],
)
def test_an_old_record_and_one_of_the_future_are_rejected(
    branch: GitRepository, age: timedelta, reason: str
) -> None:
    forged = resigned(recorded(branch), datetime.now(UTC) - age)
    require_reviewed(accepting(branch, record=forged), reason)


def test_trusted_records_that_disagree_are_not_accepted(branch: GitRepository) -> None:
    record = recorded(branch)
    milder = resigned(record, findings=(), gate="pass")
    assert parse_record(milder, "milder").verdict != parse_record(record, "record").verdict
    with store.open_store(default_file()) as records:
        for data in (record, milder):
            created = bundle.Bundle(data, store.sha256(data).hexdigest(), "2030-01-31T12:00:05Z", _read(data))
            records.append(created, bundle.Facts())
    done = branch.wardround(*REVIEW, "--accept-record", "store")
    require_reviewed((done.stdout, done.stderr), "has another verdict for the same input")


def _read(data: bytes) -> Any:
    from wardround.records.predicates import review_predicate

    payload = json.loads(base64.b64decode(json.loads(data.splitlines()[0])["payload"]))
    return review_predicate(payload["predicate"])


@pytest.mark.parametrize("options", [["--staged"], ["--worktree"]])
def test_only_reviews_of_commits_accept_records(branch: GitRepository, options: list[str]) -> None:
    recorded(branch)
    branch.stage({"a.py": "A = 3\n"})
    done = branch.wardround("review", *options, "--accept-record", f"../{RECORD}")
    assert "only reviews of commits have records that can be" in done.stderr
    assert "was accepted" not in done.stdout


def test_a_file_that_is_not_a_record_or_not_there(branch: GitRepository) -> None:
    require_reviewed(accepting(branch, record=b"nothing\n" * 3), "it does not hold: line 1")
    done = branch.wardround(*REVIEW, "--accept-record", "../nowhere")
    assert (done.returncode, done.stderr) == (
        2,
        "wardround: --accept-record ../nowhere: No such file or directory; "
        "give the file of a record, or store\n",
    )  # fmt: skip


def test_a_store_that_cannot_be_reached_leaves_the_review_as_it_is(branch: GitRepository) -> None:
    unreachable = {VARIABLE: "postgresql://ada:hunter2@127.0.0.1:1/records"}
    done = branch.wardround(*REVIEW, "--accept-record", "store", env=unreachable)
    assert "wardround: no record of the store is accepted: the record store postgresql://" in done.stderr
    assert "hunter2" not in done.stderr
    assert "SQ021" in done.stdout


def test_a_ci_run_accepts_a_record_and_keeps_it_with_its_reports(branch: GitRepository) -> None:
    run = ("ci", "--provider", "jenkins", "--base-ref", "main", "--no-fetch")
    first = branch.wardround(*run, "--reports-dir", "../first", "--accept-record", "store")
    assert first.returncode == 0, first.stderr
    assert "was accepted" not in first.stdout
    second = branch.wardround(*run, "--reports-dir", "../second", "--accept-record", "store")
    assert second.returncode == 0, second.stderr
    assert "was accepted from the record" in " ".join(second.stdout.split())
    before, after = (branch.root.parent / name for name in ("first", "second"))
    assert (after / RECORD).read_bytes() == (before / RECORD).read_bytes()
    reports = [json.loads((folder / "report.json").read_text()) for folder in (before, after)]
    assert reports[0]["verdict"] == reports[1]["verdict"]


def test_a_checkout_without_the_commit_of_its_event_accepts_nothing() -> None:
    session: Any = object()  # nothing of it is read
    assert accepted_review(RecordSpec(accept=None), session) is None


def test_a_coverage_file_of_the_work_tree_is_not_covered_by_a_record(branch: GitRepository) -> None:
    record = recorded(branch)
    branch.write("coverage.xml", "<coverage/>")
    require_reviewed(accepting(branch, record=record), "the coverage file coverage.xml may count")
