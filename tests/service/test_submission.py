"""Validation of the submissions of clients."""

from __future__ import annotations

import json

import msgspec
import pytest

from wardround.errors import GitError
from wardround.service.submission import Submission, parse_submission


def test_a_diff_or_two_revisions_of_a_repository_are_accepted() -> None:
    assert parse_submission(b'{"diff": ""}') == Submission(diff="")
    named = {"repository": "shop", "base": "main~2", "head": "v1"}
    assert parse_submission(json.dumps(named).encode()) == Submission(**named)


@pytest.mark.parametrize(
    ("submission", "message"),
    [
        ({}, "Give either diff, or repository with base and head"),
        ({"repository": "shop", "base": "main"}, "Give either diff, or repository with base and head"),
        ({"diff": "", "head": "x"}, "Give diff alone, or repository with base and head"),
        ({"diff": "a\0b"}, "The diff is binary"),
        ({"diff": 1}, "Expected `str | null`, got `int`"),
        ({"diff": "", "path": "/etc/passwd"}, "Object contains unknown field `path`"),
        ([], "Expected `object`, got `array`"),
    ],
)
def test_anything_else_is_not_valid(submission: object, message: str) -> None:
    with pytest.raises(msgspec.ValidationError) as refused:
        parse_submission(json.dumps(submission).encode())
    assert message in str(refused.value)


@pytest.mark.parametrize("body", [b"", b"{", b'{"diff": "\xff"}', b'{"diff": "\\ud800"}', b"[" * 100_000])
def test_what_is_not_json_is_rejected(body: bytes) -> None:
    with pytest.raises((msgspec.DecodeError, UnicodeError, RecursionError)):
        parse_submission(body)


@pytest.mark.parametrize(
    "revision",
    ["--output=/tmp/x", "-h", "", "a b", "main..other", ":/fix", "HEAD@{1}", "a:b.py", "x\ny", "ref^{/x}"],
)
def test_a_revision_is_a_branch_a_tag_or_a_commit(revision: str) -> None:
    body = json.dumps({"repository": "shop", "base": revision, "head": "main"}).encode()
    with pytest.raises(GitError, match=r"base .* is not a revision"):
        parse_submission(body)
