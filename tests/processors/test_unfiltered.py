"""A file in plain text that a filter should have encrypted or moved to Git LFS is a finding."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.processors.factory import added, inputs, modified, review
from wardround.change.diff import Change, ChangedFile
from wardround.processors.unfiltered import ReportUnfiltered

_ATTRIBUTES = {".gitattributes": "s/* filter=git-crypt\n*.bin filter=lfs\n*.ipynb filter=nbstripout\n"}
_CIPHERTEXT = "\0GITCRYPT\0abc"
_POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 3\n"


def _rules(file: ChangedFile, text: str, base: str | None = None, head: str = "2" * 40) -> list[str]:
    given = inputs(
        file,
        head={file.path: text},
        base={} if base is None else {file.path: base},
        other_text=_ATTRIBUTES.get,
    )
    given = replace(given, change=Change("1" * 40, head, (file,)))
    return [notice.rule for notice in ReportUnfiltered().apply(review(), given).notices]


@pytest.mark.parametrize(
    ("path", "text", "rules"),
    [
        ("s/a.py", "PASSWORD = 'plain'\n", ["wardround/not-encrypted"]),
        ("s/a.py", _CIPHERTEXT, []),
        ("s/a.py", "", []),
        ("m.bin", "weights", ["wardround/not-in-lfs"]),
        ("m.bin", _POINTER, []),
        ("a.ipynb", "{}", []),
        ("a.py", "x = 1\n", []),
    ],
)
def test_plain_text_under_a_filter_is_reported(path: str, text: str, rules: list[str]) -> None:
    assert _rules(added(path), text) == rules


def test_a_file_that_was_plain_text_before_is_an_older_defect() -> None:
    assert _rules(modified("s/a.py"), "x = 2\n", base="x = 1\n") == []
    assert _rules(modified("s/a.py"), "x = 2\n", base=_CIPHERTEXT) == ["wardround/not-encrypted"]


def test_the_work_tree_has_plain_text() -> None:
    assert _rules(added("s/a.py"), "x = 2\n", head=":worktree") == []
