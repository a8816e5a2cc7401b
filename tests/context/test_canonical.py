"""The id of a context is a digest over exactly what is under review; stored ids stay valid."""

from __future__ import annotations

from msgspec.structs import replace

from wardround.change.diff import Change, ChangedFile, FileStatus, Hunk
from wardround.context.canonical import context_id

FILE = ChangedFile("a.py", "b.py", FileStatus.RENAMED, "100644", "3" * 40, "4" * 40)
CHANGE = Change("1" * 40, "2" * 40, (FILE,))
DIGESTS = {"a.py": b"\x05" * 32}
ID = "sha256:4ac8fc583ed4f3fec1e15a7187cac5b8e2abbe4af47416651399da7f4f6f729f"


def test_the_format_is_fixed() -> None:
    assert context_id(CHANGE, DIGESTS) == ID


def test_everything_under_review_counts() -> None:
    others = [
        replace(CHANGE, base="7" * 40, target="7" * 40),
        replace(CHANGE, head="7" * 40),
        replace(CHANGE, target="7" * 40),
        replace(CHANGE, files=()),
        *(
            replace(CHANGE, files=(replace(FILE, **part),))
            for part in (
                {"path": "c.py"},
                {"base_path": None},
                {"status": FileStatus.COPIED},
                {"mode": "100755"},
                {"head_blob": None},
                {"base_blob": None},
            )
        ),
    ]
    ids = {context_id(change, DIGESTS) for change in others} | {context_id(CHANGE, {}), ID}
    assert len(ids) == len(others) + 2


def test_hunks_follow_from_the_contents_and_do_not_count() -> None:
    change = replace(CHANGE, files=(replace(FILE, hunks=(Hunk(1, 1, 1, 1),)),))
    assert context_id(change, DIGESTS) == ID


def test_names_that_are_not_utf8_have_an_id() -> None:
    change = replace(CHANGE, files=(replace(FILE, path="a\udce4.py"),))
    assert context_id(change, {}).startswith("sha256:")
