"""Lines are mapped between base and head of a change, and diffs given as text are parsed strictly."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.change.change_source import PatchChangeSource
from wardround.change.diff import ChangedFile, FilePatch, FileStatus, Hunk, hunks_of, read_patch, unquote
from wardround.errors import DiffError

if TYPE_CHECKING:
    from tests.conftest import GitRepository

LINES = "one = 1\ntwo = 2\nthree = 3\nfour = 4\nfive = 5\n"
CHANGED = LINES.replace("three = 3", "three = 33\nmore = 0")
DIFF = """\
diff --git a/a.py b/a.py
index 1111111..2222222 100644
--- a/a.py
+++ b/a.py
@@ -1,5 +1,6 @@
 one = 1
 two = 2
-three = 3
+three = 33
+more = 0
 four = 4
 five = 5
"""


def changed(*hunks: tuple[int, int, int, int]) -> ChangedFile:
    return ChangedFile(
        "a.py", "a.py", FileStatus.MODIFIED, "100644", hunks=tuple(Hunk(*hunk) for hunk in hunks)
    )


def one(text: str) -> FilePatch:
    (patch,) = read_patch(text)
    return patch


class TestLines:
    def test_lines_of_a_hunk_are_added_and_have_no_old_place(self) -> None:
        file = changed((3, 1, 3, 2))
        assert [file.is_added_line(line) for line in range(1, 8)] == [False, False, True, True, *[False] * 3]
        assert [file.base_line(line) for line in range(1, 8)] == [1, 2, None, None, 4, 5, 6]

    def test_lines_below_a_deletion_move_up(self) -> None:
        file = changed((2, 3, 1, 0))
        assert [file.is_added_line(line) for line in (1, 2, 3)] == [False, False, False]
        assert [file.base_line(line) for line in (1, 2, 3)] == [1, 5, 6]

    def test_lines_below_an_insertion_move_down(self) -> None:
        file = changed((2, 0, 3, 2))
        assert [file.base_line(line) for line in (2, 3, 4, 5)] == [2, None, None, 3]

    def test_every_line_of_an_added_file_is_added(self) -> None:
        file = ChangedFile("a.py", None, FileStatus.ADDED, "100644")
        assert file.is_added_line(1)
        assert file.is_added_line(10_000)

    def test_context_reaches_as_far_as_asked(self) -> None:
        file = changed((10, 1, 10, 1))
        near = [line for line in range(1, 20) if file.is_near_change(line, 3)]
        assert near == list(range(7, 14))

    def test_context_surrounds_a_deletion(self) -> None:
        near = [line for line in range(1, 20) if changed((10, 2, 9, 0)).is_near_change(line, 1)]
        assert near == [8, 9, 10]

    def test_added_lines_are_counted(self) -> None:
        assert changed((1, 1, 1, 3), (9, 4, 11, 0), (20, 0, 18, 2)).added_lines == 5

    @given(
        old=st.lists(st.sampled_from("abc"), max_size=12), new=st.lists(st.sampled_from("abc"), max_size=12)
    )
    def test_a_line_that_is_not_added_is_at_its_old_place(self, old: list[str], new: list[str]) -> None:
        steps = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        file = changed(
            *(
                (i1 + (i2 > i1), i2 - i1, j1 + (j2 > j1), j2 - j1)
                for tag, i1, i2, j1, j2 in steps
                if tag != "equal"
            )
        )
        retained = [
            (line, file.base_line(line)) for line in range(1, len(new) + 1) if not file.is_added_line(line)
        ]
        expected = [
            (j + 1, i + 1)
            for tag, i1, i2, j1, j2 in steps
            if tag == "equal"
            for i, j in zip(range(i1, i2), range(j1, j2), strict=True)
        ]
        assert retained == expected

    def test_hunks_are_read_from_their_headers(self) -> None:
        section = ["@@ -3 +3,2 @@ def f():\n", "-a\n", "+b\n", "+c\n", "@@ -9,2 +10,0 @@\n", "-x\n", "-y\n"]
        assert hunks_of(section) == (Hunk(3, 1, 3, 2), Hunk(9, 2, 10, 0))


class TestReading:
    def test_hunks_leave_out_the_context(self) -> None:
        patch = one(DIFF)
        assert (patch.path, patch.base_path, patch.status) == ("a.py", "a.py", FileStatus.MODIFIED)
        assert patch.hunks() == (Hunk(3, 1, 3, 2),)

    def test_two_changes_in_one_block_are_two_hunks(self) -> None:
        patch = one("--- a/a.py\n+++ b/a.py\n@@ -4,4 +4,4 @@\n-a\n+A\n b\n c\n-d\n+D\n")
        assert patch.hunks() == (Hunk(4, 1, 4, 1), Hunk(7, 1, 7, 1))

    def test_insertion_and_deletion_start_before_the_gap(self) -> None:
        patch = one("--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n a\n+b\n c\n-d\n")
        assert patch.hunks() == (Hunk(1, 0, 2, 1), Hunk(3, 1, 3, 0))

    @pytest.mark.parametrize(
        ("before", "after"),
        [("a/x.py", "b/x.py"), ("i/x.py", "w/x.py"), ("c/x.py", "i/x.py"), ("x.py", "x.py")],
    )
    def test_prefixes_are_no_part_of_a_path(self, before: str, after: str) -> None:
        assert one(f"--- {before}\n+++ {after}\n@@ -1 +1 @@\n-a\n+b\n").path == "x.py"

    def test_added_and_deleted_files(self) -> None:
        added = one("--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+a\n")
        assert (added.path, added.base_path, added.status) == ("new.py", None, FileStatus.ADDED)
        removed = one("--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n")
        assert (removed.path, removed.base_path, removed.status) == ("old.py", "old.py", FileStatus.DELETED)

    def test_a_renamed_file_knows_both_names(self) -> None:
        text = "diff --git a/old.py b/new.py\nsimilarity index 90%\nrename from old.py\nrename to new.py\n"
        patch = one(f"{text}--- a/old.py\n+++ b/new.py\n@@ -1 +1 @@\n-a\n+b\n")
        assert (patch.path, patch.base_path, patch.status) == ("new.py", "old.py", FileStatus.RENAMED)

    def test_quoted_paths_are_unquoted(self) -> None:
        assert unquote('"a/caf\\303\\251\\t\\"x\\\\.py"') == 'a/café\t"x\\.py'
        assert unquote('"latin\\351.py"') == os.fsdecode(b"latin\xe9.py")
        assert unquote("plain.py") == "plain.py"

    def test_lines_that_resemble_headers_are_content(self) -> None:
        patch = one("--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- a/gone\n-x\n+++ b/come\n+@@ -1 +1 @@\n")
        assert patch.path == "q.sql"
        assert [line.text for line in patch.lines] == ["-- a/gone\n", "x\n", "++ b/come\n", "@@ -1 +1 @@\n"]

    def test_a_last_line_without_an_end_is_a_line(self) -> None:
        end = "\\ No newline at end of file\n"
        patch = one(f"--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n-a\n{end}+b\n+c\n{end}")
        assert patch.hunks() == (Hunk(1, 1, 1, 2),)

    def test_a_patch_as_mailed_is_read(self) -> None:
        mail = "From 1 Mon Sep 17\nSubject: x\n\n - a point\n---\n a.py | 3 ++-\n 1 file changed\n\n"
        assert one(f"{mail}{DIFF}-- \n2.39.5\n").hunks() == (Hunk(3, 1, 3, 2),)

    def test_files_come_sorted(self) -> None:
        other = DIFF.replace("a.py", "b.py")
        assert [patch.path for patch in read_patch(other + DIFF)] == ["a.py", "b.py"]

    def test_an_empty_text_has_no_files(self) -> None:
        assert read_patch("") == read_patch("\n") == ()


class TestRefusing:
    @pytest.mark.parametrize(
        "path",
        ["../x.py", "/etc/passwd", "x/../../y.py", "a/../b.py", ".git/config", "x/.git/hooks/y"],
    )
    def test_a_path_outside_the_repository(self, path: str) -> None:
        with pytest.raises(DiffError, match="is not a path inside a repository; remove that part"):
            read_patch(f"--- a/ok.py\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n")

    def test_a_quoted_path_outside_the_repository(self) -> None:
        with pytest.raises(DiffError, match="is not a path inside a repository"):
            read_patch('--- a/ok.py\n+++ "b/\\056\\056/x.py"\n@@ -1 +1 @@\n-a\n+b\n')

    def test_a_file_that_comes_twice(self) -> None:
        with pytest.raises(DiffError, match=r"the diff has 'a\.py' twice; give each file once"):
            read_patch(DIFF + DIFF)

    @pytest.mark.parametrize(
        ("hunk", "said"),
        [
            ("@@ -1,9 +1,9 @@\n+only one\n", "the diff cannot be read: "),
            (
                "@@ -1 +1 @@\n-x\n+y\n+one too many\n",
                "line 6 of the diff exceeds the length in its hunk header",
            ),
            (
                "@@ -1 +1 @@\n-x\n+y\n one too many\n",
                "line 6 of the diff exceeds the length in its hunk header",
            ),
            ("@@ x @@\n+y\n", "line 3 of the diff is not a hunk header: '@@ x @@'; correct it"),
        ],
    )
    def test_a_hunk_that_is_not_what_its_header_reports(self, hunk: str, said: str) -> None:
        with pytest.raises(DiffError) as refused:
            read_patch(f"--- a/a.py\n+++ b/a.py\n{hunk}")
        assert str(refused.value).startswith(said)

    @pytest.mark.parametrize("first", ["diff --cc a.py", "diff --combined a.py", "diff --git a/a.py b/a.py"])
    def test_a_combined_diff_of_a_merge(self, repo: GitRepository, first: str) -> None:
        combined = "--- a/a.py\n+++ b/a.py\n@@@ -1,1 -1,1 +1,2 @@@\n  a = 1\n++print(nope)\n"
        done = repo.wardround("review", "--diff-file", "-", stdin=f"{first}\nindex 1,2..3\n{combined}")
        assert done.returncode == 2
        assert (
            "a combined diff of a merge, which does not separate two sides; give git diff BASE HEAD"
            in done.stderr
        )
        assert len(done.stderr.splitlines()) == 1

    def test_a_hunk_header_that_cannot_be_read(self) -> None:
        with pytest.raises(
            DiffError, match=r"line 3 of the diff is not a hunk header: '@@-1 \+1@@'; correct it"
        ):
            read_patch("--- a/a.py\n+++ b/a.py\n@@-1 +1@@\n-a\n+b\n")

    @pytest.mark.parametrize(
        ("cut", "line"),
        [
            ("--- a/a.py\n+++ b/a.py\n", 2),
            ("diff --git a/a.py b/a.py\nindex 1111111..2222222 100644\n", 2),
            ("diff --git a/a.py b/b.py\nsimilarity index 90%\nrename from a.py\nrename to b.py\n", 2),
            ("diff --git a/a.py b/a.py\nindex 1111111..2222222 100644\n" + DIFF.replace("a.py", "b.py"), 2),
        ],
    )
    def test_a_file_whose_hunks_are_missing(self, cut: str, line: int) -> None:
        with pytest.raises(DiffError, match=f"line {line} of the diff announces changed lines, but no hunk"):
            read_patch(cut)

    @pytest.mark.parametrize(
        "header",
        [
            "new file mode 100644\nindex 0000000..e69de29\n",
            "deleted file mode 100644\nindex 1111111..0000000\n",
            "old mode 100644\nnew mode 100755\n",
            "similarity index 100%\nrename from x.py\nrename to a.py\n",
            "index 1111111..2222222 100644\nBinary files a/a.py and b/a.py differ\n",
        ],
    )
    def test_a_file_that_has_no_hunk_to_show_is_read(self, header: str) -> None:
        assert one(f"diff --git a/a.py b/a.py\n{header}").path == "a.py"

    def test_text_that_is_not_a_diff(self) -> None:
        with pytest.raises(DiffError, match="the diff names no file; give a unified diff"):
            read_patch("Dear reviewer,\nplease look.\n")


class TestCompleting:
    def content(self, origin: PatchChangeSource) -> tuple[bytes | None, bytes | None, bool]:
        (file,) = origin.change.files
        return origin.content(file, base=True), origin.content(file), file.fragment

    def test_a_checkout_of_the_old_side_gives_both(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_text(LINES, encoding="utf-8")
        assert self.content(PatchChangeSource(DIFF, tmp_path)) == (LINES.encode(), CHANGED.encode(), False)

    @pytest.mark.parametrize("context", [0, 1, 3])
    @pytest.mark.parametrize("side", ["before", "after"])
    def test_a_diff_with_little_context(self, tmp_path: Path, context: int, side: str) -> None:
        before = "".join(f"line {number}\n" for number in range(12))
        after = (
            before.replace("line 3\n", "line 3\nnew\nnew\n").replace("line 8\n", "").replace("line 11", "end")
        )
        names = ("a/a.py", "b/a.py")
        lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), *names, n=context)
        (tmp_path / "a.py").write_text(before if side == "before" else after)
        found = self.content(PatchChangeSource("".join(lines), tmp_path))
        assert found == (before.encode(), after.encode(), False)

    def test_a_checkout_of_the_new_side_gives_both(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_text(CHANGED, encoding="utf-8")
        assert self.content(PatchChangeSource(DIFF, tmp_path)) == (LINES.encode(), CHANGED.encode(), False)

    def test_lines_outside_the_diff_come_from_the_checkout(self, tmp_path: Path) -> None:
        above, below = "above = 1\n" * 9, "below = 1\n" * 9
        (tmp_path / "a.py").write_text(above + LINES + below, encoding="utf-8")
        origin = PatchChangeSource(DIFF.replace("@@ -1,5 +1,6 @@", "@@ -10,5 +10,6 @@"), tmp_path)
        assert self.content(origin) == (
            (above + LINES + below).encode(), (above + CHANGED + below).encode(), False,
        )  # fmt: skip

    def test_a_checkout_of_neither_leaves_a_fragment(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_text("something = 'else'\n", encoding="utf-8")
        base, head, fragment = self.content(PatchChangeSource(DIFF, tmp_path))
        assert (base, head, fragment) == (None, CHANGED.encode(), True)

    def test_an_added_file_needs_no_checkout(self, tmp_path: Path) -> None:
        origin = PatchChangeSource("--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,2 @@\n+a = 1\n+b = 2\n", tmp_path)
        assert self.content(origin) == (None, b"a = 1\nb = 2\n", False)

    def test_a_last_line_without_an_end_stays_without(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_bytes(b"a = 1\nb = 2")
        end = "\\ No newline at end of file\n"
        diff = f"--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-a = 1\n+a = 3\n b = 2\n{end}"
        assert self.content(PatchChangeSource(diff, tmp_path)) == (b"a = 1\nb = 2", b"a = 3\nb = 2", False)

    def test_a_link_in_the_checkout_is_not_followed(self, tmp_path: Path) -> None:
        (tmp_path / "outside.py").write_text(LINES, encoding="utf-8")
        (tmp_path / "checkout").mkdir()
        (tmp_path / "checkout/a.py").symlink_to("../outside.py")
        assert self.content(PatchChangeSource(DIFF, tmp_path / "checkout"))[2]

    def test_what_a_diff_states_of_a_binary_file_is_not_a_content(self, tmp_path: Path) -> None:
        diff = "diff --git a/a b/a\nindex 1111111..2222222 100644\nBinary files a/a and b/a differ\n"
        assert self.content(PatchChangeSource(diff, tmp_path)) == (None, None, True)
        (tmp_path / "a").write_bytes(b"text, for all that an attribute says")
        assert self.content(PatchChangeSource(diff, tmp_path)) == (None, None, True)
        (tmp_path / "a").write_bytes(b"\xff\0\xff")
        assert self.content(PatchChangeSource(diff, tmp_path)) == (None, b"\xff\0\xff", False)

    @pytest.mark.parametrize("is_applied", [False, True])
    @pytest.mark.parametrize("kind", ["edit", "delete"])
    def test_words_are_found_in_the_rest_of_a_folder_that_is_a_side_of_the_diff(
        self, repo: GitRepository, kind: str, is_applied: bool
    ) -> None:
        deletion = "--- a/a.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-load = 1\n-two = 2\n"
        edit = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-load = 1\n+save = 1\n two = 2\n"
        added = "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+load()\n"
        repo.write("use.py", "from a import load\n")
        repo.write("logs/use.py", "load\n")
        repo.write(".gitignore", "logs\n")
        repo.write("a.py", "save = 1\ntwo = 2\n" if is_applied else "load = 1\ntwo = 2\n")
        if kind == "delete" and is_applied:
            (repo.root / "a.py").unlink()
        origin = PatchChangeSource((edit if kind == "edit" else deletion) + added, repo.root)
        is_known = kind == "edit" or not is_applied
        assert origin.files_with_word(["load"], ["*.py"]) == ["new.py", *(["use.py"] if is_known else [])]
        assert ("use.py" in origin.tracked_paths()) == is_known

    def test_words_of_a_folder_that_is_not_a_side_of_the_diff_do_not_count(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_text("something = 'else'\n", encoding="utf-8")
        (tmp_path / "use.py").write_text("more\n", encoding="utf-8")
        assert PatchChangeSource(DIFF, tmp_path).files_with_word(["more"], ["*.py"]) == ["a.py"]

    def test_a_fragment_is_inconclusive_and_not_clean(self, repo: GitRepository) -> None:
        done = repo.wardround("review", "--diff-file", "-", stdin=DIFF)
        assert done.returncode == 0
        reported = " ".join(done.stdout.split())
        assert "the diff has only fragments of it; give --repo with a matching checkout" in reported
        assert "wardround: inconclusive - " in reported

    def test_a_diff_of_git_is_reviewed_like_the_change_itself(
        self, repo: GitRepository, tmp_path: Path
    ) -> None:
        repo.commit({"a.py": LINES})
        repo.stage({"a.py": LINES + 'print("%s %s" % (1,))\n', "b.py": 'print("%s %s" % (1,))\n'})
        diff = tmp_path / "change.diff"
        diff.write_text(repo.git("diff", "--cached"), encoding="utf-8")
        from_diff = repo.report("--diff-file", diff)
        staged = repo.report()
        assert len(staged["findings"]) == 2
        assert from_diff["findings"] == staged["findings"]
        assert from_diff["unreviewed"] == []
