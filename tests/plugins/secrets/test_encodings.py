"""Secrets are found in every encoding; a file that is not scanned is not clean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.plugins.secrets.planted import GITHUB, STRIPE
from wardround.change.change_source import decode_any_encoding, is_lfs_pointer

if TYPE_CHECKING:
    from tests.conftest import GitRepository

SECRET = f"GITHUB={GITHUB}\n"
POINTER = b"version https://git-lfs.github.com/spec/v1\n"
DIGEST = b"4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393"


def places(repo: GitRepository) -> list[tuple[str, int, int]]:
    report = repo.report("--profile", "ci", "--config-from", "head", "--only", "secrets")
    assert report["unreviewed"] == []
    return [
        (found["rule"], found["line"], found["column"])
        for found in report["findings"]
        if found["status"] == "new"
    ]


@pytest.mark.parametrize(
    "content",
    [
        b"n=\xe9\n" + SECRET.encode(),
        f"n=\xe9\n{SECRET}".encode("utf-16"),
        b"\xfe\xff" + f"n=\xe9\n{SECRET}".encode("utf-16-be"),
        POINTER + SECRET.encode(),
    ],
    ids=["latin-1", "utf-16-le", "utf-16-be", "no pointer"],
)
def test_a_secret_is_found(repo: GitRepository, content: bytes) -> None:
    repo.stage({"s.env": content})
    assert places(repo) == [("secrets/SE001", 2, 8)]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_only_secrets_added_by_the_change_are_new(repo: GitRepository, encoding: str) -> None:
    repo.commit({"s.env": f"n=\xe9\n{SECRET}".encode(encoding)})
    repo.stage({"s.env": f"n=\xe9\n{SECRET}m=\xe9\n".encode(encoding)})
    assert places(repo) == []
    repo.stage({"s.env": f"n=\xe9\n{SECRET}STRIPE={STRIPE}\n".encode(encoding)})
    assert [line for _, line, _ in places(repo)] == [3]


def test_line_numbers_match_git_where_a_character_contains_a_newline_byte(repo: GitRepository) -> None:
    repo.commit({"s.env": "\u4e0a\u4e0a\u4e0a\nx\n".encode("utf-16")})
    repo.stage({"s.env": f"\u4e0a\u4e0a\u4e0a\n{SECRET}x\n".encode("utf-16")})
    assert [line for _, line, _ in places(repo)] == [5]


def test_a_secret_in_a_file_that_is_not_utf8_can_be_waived(repo: GitRepository) -> None:
    waiver = "# wardround: ignore[secrets/SE001] revoked, kept to show what leaked\n"
    repo.stage({"s.env": f"# \xe9\n{waiver}{SECRET}".encode("latin-1")})
    assert places(repo) == []


def test_a_file_that_is_larger_than_what_is_read_is_unreviewed(repo: GitRepository) -> None:
    rows = b"some text\n" * (17 * 1024 * 1024 // 10)
    repo.stage({"large.txt": rows + SECRET.encode(), "large.bin": b"\xff\0" + rows})
    report = repo.report("--profile", "ci")
    reported = [(item["file"], item["specialist"], item["reason"]) for item in report["unreviewed"]]
    assert reported == [("large.txt", "secrets", "it is larger than 16 MiB")]
    assert report["gate"]["outcome"] == "inconclusive"


def test_what_is_not_a_text_is_nobodys(repo: GitRepository) -> None:
    pointer = POINTER + b"oid sha256:" + DIGEST + b"\nsize 12345\n"
    repo.stage({"image": b"\x89PNG\0\0" + SECRET.encode() + b"\xff", "pointer.bin": pointer})
    assert places(repo) == []


def test_what_a_pointer_is() -> None:
    pointer = POINTER + b"oid sha256:" + DIGEST + b"\nsize 12345\n"
    assert is_lfs_pointer(pointer)
    assert is_lfs_pointer(POINTER + b"ext-0-foo sha256:" + DIGEST + b"\n" + pointer[len(POINTER) :])
    assert not is_lfs_pointer(pointer + SECRET.encode())
    assert not is_lfs_pointer(POINTER)
    assert not is_lfs_pointer(POINTER + b"ext-0-foo sha256:0\n" * 60 + pointer[len(POINTER) :])


def test_which_encodings_are_read() -> None:
    assert decode_any_encoding(b"\xef\xbb\xbfa\0b") == "a\0b"
    assert decode_any_encoding(b"caf\xe9") == "caf\xe9"
    assert decode_any_encoding("a\U0001f600".encode("utf-16")) == "a\U0001f600"
    assert decode_any_encoding(b"\xff\xfe" + b"a\0\0\0") is None
    assert decode_any_encoding(b"\x80\0") is None
