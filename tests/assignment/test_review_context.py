"""The context of a review describes the change once, before anything runs: files, reviewers, digests, id."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.context.factory import ANY_TEXT, PYTHON, added, context, modified, renamed
from wardround.change.diff import FileStatus
from wardround.config.request import ReviewRequest


def test_each_claimed_file_has_its_specialists_and_the_digest_of_its_content(tmp_path: Path) -> None:
    described = context(tmp_path, added("a.py", "x = 1\n"), added("b.css", "a {}\n"))
    (claimed,) = described.claimed
    assert (claimed.file.path, claimed.specialists, claimed.size) == ("a.py", (PYTHON,), 6)
    assert claimed.digest == hashlib.sha256(b"x = 1\n").digest()
    assert [file.path for file in described.change.files] == ["a.py", "b.css"]


def test_it_counts_hunks_and_added_lines(tmp_path: Path) -> None:
    described = context(tmp_path, added("a.py", "x = 1\ny = 2\n"), added("b.css", "a {}\n"))
    assert (described.hunks, described.added_lines) == (2, 3)


def test_the_id_depends_on_the_contents_under_review(tmp_path: Path) -> None:
    first = context(tmp_path, added("a.py", "x = 1\n")).id
    assert first == context(tmp_path, added("a.py", "x = 1\n")).id
    assert first.startswith("sha256:")
    assert first != context(tmp_path, added("a.py", "x = 2\n")).id
    assert first != context(tmp_path, added("b.py", "x = 1\n")).id


def test_excluded_files_and_other_specialists_are_excluded(tmp_path: Path) -> None:
    diff = added("gen/a.py", "x = 1\n")
    assert context(tmp_path, diff, exclude=("gen/",)).claimed == ()
    assert context(tmp_path, diff, request=ReviewRequest(skip=("python",))).claimed == ()
    assert context(tmp_path, diff, request=ReviewRequest(only=("text",))).claimed == ()


def test_a_fragment_is_unreviewed(tmp_path: Path) -> None:
    described = context(tmp_path, modified("a.py", "x = 1", "x = 2"))
    assert described.claimed == ()
    (missing,) = described.unreviewed
    assert (missing.file, missing.specialist, missing.tool) == ("a.py", "python", "git")
    assert missing.reason.startswith("the diff has only fragments of it")


def test_any_text_is_not_missed_where_a_specialist_names_the_reason(tmp_path: Path) -> None:
    described = context(tmp_path, modified("a.py", "x = 1", "x = 2"), specialists=(PYTHON, ANY_TEXT))
    assert [item.specialist for item in described.unreviewed] == ["python"]
    alone = context(tmp_path, modified("a.css", "a", "b"), specialists=(PYTHON, ANY_TEXT))
    assert [item.specialist for item in alone.unreviewed] == ["text"]


def test_a_file_renamed_from_a_kind_nobody_reviews_counts_as_added(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x = 1\n")
    files = {file.path: file for file in context(tmp_path, renamed("a.txt", "a.py")).change.files}
    assert files["a.py"].status is FileStatus.ADDED
    assert files["a.py"].added_lines == 2
    assert files["a.txt"].status is FileStatus.DELETED


def test_a_renamed_file_keeps_its_base_where_a_specialist_reviewed_it(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("x = 1\n")
    described = context(tmp_path, renamed("b.py", "a.py"))
    (file,) = described.change.files
    assert (file.status, file.added_lines, file.first_for) == (FileStatus.RENAMED, 1, ())
    assert described.claimed[0].base_digest == hashlib.sha256(b"x = 1\n").digest()


def test_it_cannot_be_changed(tmp_path: Path) -> None:
    described = context(tmp_path, added("a.py", "x = 1\n"))
    with pytest.raises(AttributeError):
        described.change = described.change  # type: ignore[misc]
    others = added("b.py", "x = 1\n")
    assert replace(described, document=context(tmp_path, others).document).id != described.id
