"""Audits and splits from a page, by the functions of ``wardround data``."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.lab.dashboard import curated
from wardround.errors import UsageError
from wardround_lab.dashboard.actions import example_audit
from wardround_lab.dashboard.actions.example_audit import AuditRequest, audit_examples
from wardround_lab.dashboard.actions.example_split import SplitRequest, split_examples
from wardround_lab.dashboard.views.example_audits import LEAK_CHECKS, check_rows, describe_audit, splits
from wardround_lab.dashboard.views.example_files import example_files, stored_audit


def quiet(text: str) -> None:
    """Ignore progress."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return curated.write(tmp_path / "data/a.jsonl", map(curated.curated, range(40)))


def test_an_audit_is_stored_next_to_the_file_and_shown_with_the_failures_first(file: Path) -> None:
    stolen = msgspec.structs.replace(curated.curated(50), output=f"token = '{curated.SECRET}'")
    curated.write(file, [*map(curated.curated, range(40)), stolen, curated.curated(1)])
    request = AuditRequest(
        train=(file,), hold_out=("acme/parser", "acme/cache"), since=curated.START + 20 * curated.DAY
    )
    audit = audit_examples(file.parents[1], request, quiet)
    stored = stored_audit(file)
    assert stored is not None
    assert stored.audit == audit
    rows = check_rows(audit.checks)
    failed = [row.check for row in rows if row.result == "FAILED"]
    assert failed == [row.check for row in rows[: len(failed)]]
    assert "secrets" in failed
    assert "not run" in {row.result for row in rows}
    assert curated.SECRET not in str(rows)
    assert describe_audit(stored).startswith(f"The audit failed {len(failed)} of {len(rows)} checks; ")
    assert [row.audit for row in example_files(file.parent)] == ["FAILED"]
    assert request.command(file.parents[1]) == (
        "wardround data audit data/a.jsonl --hold-out acme/parser --hold-out acme/cache --since 1601728000"
    )


def test_an_edit_after_the_audit_is_reported(file: Path) -> None:
    audit_examples(file.parents[1], AuditRequest(train=(file,)), quiet)
    curated.write(file, map(curated.curated, range(39)))
    stored = stored_audit(file)
    assert stored is not None
    assert not stored.is_current
    assert "The file has changed since its audit" in describe_audit(stored)
    assert describe_audit(None) == "This file has not been audited."


def test_a_split_is_checked_for_leaks(file: Path) -> None:
    data = file.parent
    request = SplitRequest(inputs=(file,), name="sft", share=0.2)
    built = split_examples(data.parent, data, request, (), quiet)
    assert built.result.train + built.result.evaluation + built.result.unused == 40
    assert [
        check.name for check in built.audit.checks if check.name in LEAK_CHECKS and not check.passed
    ] == []
    (row,) = splits(data)
    assert (row.folder, row.train, row.evaluation) == ("sft", built.result.train, built.result.evaluation)
    assert row.leaks == "none: 5 checks passed"
    assert request.command(data.parent, data) == (
        "wardround data build-sft data/a.jsonl --out data/sft --template chat --eval-share 0.2 --seed 1"
    )


def test_a_leak_that_somebody_adds_is_shown(file: Path) -> None:
    data = file.parent
    split_examples(data.parent, data, SplitRequest(inputs=(file,), name="sft", share=0.2), (), quiet)
    train, evaluation = data / "sft/train.jsonl", data / "sft/eval.jsonl"
    train.write_bytes(train.read_bytes() + evaluation.read_bytes())
    assert splits(data)[0].leaks == "the files have changed since they were built"
    audit = audit_examples(data.parent, AuditRequest(train=(train,), evaluation=(evaluation,)), quiet)
    failed = {check.name for check in audit.checks if not check.passed}
    assert {"repository-leakage", "time-leakage", "near-duplicates-across"} <= failed


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"inputs": ()}, "no file to split; choose at least one"),
        ({"share": 1.0}, "share 1: give a share between 0 and 1"),
        ({"name": "../x"}, "a folder has a name of letters"),
        ({"name": "taken"}, "taken: exists already; nothing was written"),
    ],
)
def test_a_split_that_cannot_be_is_refused(file: Path, changes: dict[str, object], complaint: str) -> None:
    (file.parent / "taken").mkdir()
    request = msgspec.structs.replace(SplitRequest(inputs=(file,), name="sft"), **changes)
    with pytest.raises(UsageError, match=complaint):
        split_examples(file.parents[1], file.parent, request, (), quiet)
    assert sorted(path.name for path in file.parent.iterdir()) == ["a.jsonl", "taken"]


def test_records_of_one_repository_cannot_be_split(file: Path) -> None:
    curated.write(file, [curated.curated(number, repositories=1) for number in range(9)])
    with pytest.raises(UsageError, match="all records are of one repository"):
        split_examples(file.parents[1], file.parent, SplitRequest(inputs=(file,), name="sft"), (), quiet)


def test_one_audit_runs_at_a_time(file: Path) -> None:
    with example_audit._RUNNING, pytest.raises(UsageError, match="another audit is running"):
        audit_examples(file.parents[1], AuditRequest(train=(file,)), quiet)


def test_the_list_of_held_out_repositories_of_the_repository_counts(file: Path) -> None:
    (file.parents[1] / "kept-for-measuring.txt").write_text("acme/parser\n")
    audit = audit_examples(file.parents[1], AuditRequest(train=(file,)), quiet)
    assert "kept-for-measuring" in [check.name for check in audit.checks if not check.passed]
