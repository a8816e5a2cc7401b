"""From a case to base and head of its files."""

from __future__ import annotations

from typing import Any

import pytest

from wardround.change.diff import FileStatus
from wardround_lab.evaluation.case_builder import CaseChange, InvalidCase, build_change, resolve_positions
from wardround_lab.evaluation.cases import Case, Expected

_BEFORE = "one\ntwo\nthree\n"
_AFTER = "one\nTWO\nthree\n"
_HUNK = "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"
_DIFF = f"--- a/d/a.txt\n+++ b/d/a.txt\n{_HUNK}"


def _case(diff: str = _DIFF, **values: Any) -> Case:
    return Case("x", "set.jsonl:1 (x)", diff, **values)


def _texts(change: CaseChange) -> list[tuple[str, str | None, str | None]]:
    return [(known.file.path, known.base, known.head) for known in change.files]


@pytest.mark.parametrize(
    "case",
    [
        _case(before=_BEFORE, after=_AFTER),
        _case(before=_BEFORE),
        _case(after=_AFTER),
        _case(after={"d/a.txt": _AFTER}),
        _case(f"diff --git a/d/a.txt b/d/a.txt\nindex 1..2 100644\n{_DIFF}", after=_AFTER),
        _case(_DIFF.replace("a/d", "d").replace("b/d", "d"), after=_AFTER),
        _case(_HUNK, before={"d/a.txt": _BEFORE}),
        _case(_HUNK, before=_BEFORE, meta={"path": "d/a.txt"}),
        _case(_HUNK, before=_BEFORE, expected=(Expected("d/a.txt", 2),)),
        _case("", before={"d/a.txt": _BEFORE}, after={"d/a.txt": _AFTER}),
        _case("not a diff", before={"d/a.txt": _BEFORE}, after={"d/a.txt": _AFTER}),
        _case(
            _DIFF.replace("-1,3 +1,3", "-1,9 +1,9"), before=_BEFORE, after=_AFTER, meta={"path": "d/a.txt"}
        ),
    ],
)
def test_base_and_head_are_built_from_the_given_fields(case: Case) -> None:
    change = build_change(case)
    assert _texts(change) == [("d/a.txt", _BEFORE, _AFTER)]
    (known,) = change.files
    assert known.file.status is FileStatus.MODIFIED
    assert [known.file.is_added_line(line) for line in (1, 2, 3)] == [False, True, False]
    assert known.fragment is None


def test_line_ends_may_differ_between_diff_and_text() -> None:
    windows = _AFTER.replace("\n", "\r\n")
    (known,) = build_change(_case(after=windows)).files
    assert known.head == windows
    (known,) = build_change(_case(_DIFF.replace("\n", "\r\n"), after=_AFTER)).files
    assert known.head == _AFTER


def test_added_deleted_and_renamed_files() -> None:
    diff = (
        "diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+n\n"
        "diff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-o\n"
        "diff --git a/was b/is\nsimilarity index 50%\nrename from was\nrename to is\n"
        "--- a/was\n+++ b/is\n@@ -1 +1,2 @@\n same\n+more\n"
    )
    change = build_change(_case(diff, before={"was": "same\n"}))
    assert [(k.file.path, k.file.status, k.base, k.head) for k in change.files] == [
        ("is", FileStatus.RENAMED, "same\n", "same\nmore\n"),
        ("new", FileStatus.ADDED, None, "n\n"),
        ("old", FileStatus.DELETED, "o\n", None),
    ]


def test_files_the_diff_does_not_mention_are_the_project() -> None:
    change = build_change(_case(before={"d/a.txt": _BEFORE, "b.txt": "b\n"}, after={"d/a.txt": _AFTER}))
    assert dict(change.neighbours) == {"b.txt": "b\n"}


@pytest.mark.parametrize(
    ("case", "says"),
    [
        (_case(after="one\nother\nthree\n"), "'after' of d/a.txt does not match the diff"),
        (_case(before="one\n"), "'before' of d/a.txt does not match the diff"),
        (_case("no diff at all"), "the diff names no file"),
        (_case(_HUNK), "neither the diff nor the case names a file"),
        (_case(_DIFF.replace("d/a.txt", "../a.txt")), "not a path inside a repository"),
        (_case(after={"/etc/passwd": "x"}), "'/etc/passwd' is not a path inside a repository"),
        (_case(_HUNK, meta={"path": "../x"}), "'../x' is not a path inside a repository"),
        (_case(f"{_DIFF}{_DIFF.replace('a.txt', 'b.txt')}", after="x"), "the diff has 2 files"),
        (_case(before={"b": "1"}, after={"b": "2"}), "b differs between 'before' and 'after'"),
    ],
)
def test_a_case_that_contradicts_itself_is_unusable(case: Case, says: str) -> None:
    with pytest.raises(InvalidCase, match=r".") as raised:
        build_change(case)
    assert says in str(raised.value)


@pytest.mark.parametrize("named", ["d/a.txt", "b/d/a.txt", "a.txt", "repo/d/a.txt"])
def test_an_expected_file_is_matched_to_the_only_possible_file_of_the_diff(named: str) -> None:
    case = _case(after=_AFTER, expected=(Expected(named, 2, "c"),))
    assert resolve_positions(case, build_change(case)) == (Expected("d/a.txt", 2, "c"),)


def test_a_diff_that_shows_the_complete_file_is_not_a_fragment() -> None:
    complete = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n+y = 3\n"
    (known,) = build_change(_case(complete)).files
    assert (known.fragment, known.base, known.head) == (None, "x = 1\ny = 2\n", "x = 1\ny = 3\n")


def test_a_diff_that_shows_a_part_gives_a_fragment_with_lines_at_their_numbers() -> None:
    part = "--- a/a.go\n+++ b/a.go\n@@ -8,3 +8,4 @@\n a\n b\n+c\n d\n"
    (known,) = build_change(_case(part)).files
    assert known.fragment is not None
    assert known.fragment.known == {8, 9, 10, 11}
    assert (known.head or "").split("\n")[7:11] == ["a", "b", "c", "d"]
    assert (known.base or "").split("\n")[7:10] == ["a", "b", "d"]
