"""A reason is given for every file that a specialist cannot review at base or head."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.context.factory import ANY_TEXT, PYTHON
from tests.variants import variant
from wardround.assignment.readability import MAX_SOURCE_BYTES, why_unreadable
from wardround.change.diff import ChangedFile, FileStatus
from wardround.specialists import Specialist

FILE = ChangedFile("a.py", None, FileStatus.ADDED, "100644")
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n"
LATIN_1 = b"# caf\xe9\n"
NOTEBOOK = "it is a notebook; convert it"
DECLINING = variant(PYTHON, declines=lambda path, text: NOTEBOOK if "%%" in text else "")


@pytest.mark.parametrize(
    ("specialist", "content", "reason"),
    [
        (PYTHON, b"x = 1\n", None),
        (PYTHON, LATIN_1, "it is not UTF-8 text"),
        (PYTHON, POINTER, "it is a Git LFS pointer, and its content is not in the repository"),
        (PYTHON, b"#" * (MAX_SOURCE_BYTES + 1), "it is larger than 2 MiB"),
        (PYTHON, None, "its content is not in this clone; fetch it (partial or damaged clone)"),
        (DECLINING, b"%%\n", NOTEBOOK),
        (DECLINING, b"x\n", None),
        (ANY_TEXT, LATIN_1, None),
        (ANY_TEXT, POINTER, ""),
        (ANY_TEXT, b"\xff\0\1", ""),
        (ANY_TEXT, b"#" * (MAX_SOURCE_BYTES + 1), None),
    ],
)
def test_each_content_has_its_reason(
    specialist: Specialist, content: bytes | None, reason: str | None
) -> None:
    assert why_unreadable(FILE, "a.py", content, specialist) == reason


def test_a_fragment_is_not_reviewed() -> None:
    reason = why_unreadable(replace(FILE, fragment=True), "a.py", b"x = 1\n", PYTHON)
    assert reason == "the diff has only fragments of it; give --repo with a matching checkout"
