"""Only findings of the change count: old findings stay old if the code around them moves."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wardround.change.diff import ChangedFile, FileStatus, Hunk
from wardround.findings import RawFinding, Span, Status
from wardround.processors.classify import classify
from wardround.processors.result_pairs import ResultPair
from wardround.processors.statements import StatementIndex
from wardround.specialists import lines_as_statements

if TYPE_CHECKING:
    from tests.ruff_reviews import Judged

NEW, CAUSED, EXISTING = Status.NEW, Status.CAUSED, Status.EXISTING
OLD = """\
import os
import sys


def first(items=[], *, names={'a' : 1}):
    try:
        return items, names
    except:
        pass


def second(items=[]):
    assert (items, 'never false')
    value = lambda: undefined_name
    return '%s %s' % (items,)


def third(x = []):
    return f'nothing', x, {'k': 1, 'k': 2}
"""
FILLER = "".join(f"NUMBER_{n} = {n}\n" for n in range(100))


def result(line: int, code: str = "X1", message: str = "m", column: int = 1) -> RawFinding:
    return RawFinding(code, "a.py", Span(line, column, line, column + 1), message)


def compared(
    base: str,
    head: str,
    base_results: list[RawFinding] | None,
    head_results: list[RawFinding],
    *hunks: Hunk,
    base_path: str | None = "a.py",
    path: str = "a.py",
) -> ResultPair:
    status = FileStatus.ADDED if base_path is None else FileStatus.MODIFIED
    return ResultPair(
        ChangedFile(path, base_path, status, "100644", hunks=hunks),
        head_results,
        base_results,
        StatementIndex(head, lines_as_statements(head), ("#",)),
        None if base_path is None else StatementIndex(base, lines_as_statements(base), ("#",)),
    )


class TestStatuses:
    def test_a_result_on_an_added_line_is_new(self) -> None:
        pair = compared("a\n", "a\nb\n", [], [result(2)], Hunk(1, 0, 2, 1))
        assert classify([pair]) == [[NEW]]

    def test_a_result_that_stood_on_the_same_line_is_existing(self) -> None:
        pair = compared("a\nb\n", "x\na\nb\n", [result(2)], [result(3)], Hunk(0, 0, 1, 1))
        assert classify([pair]) == [[EXISTING]]

    def test_one_that_appeared_on_an_untouched_line_is_caused(self) -> None:
        pair = compared("import os\nos\n", "import os\n", [], [result(1)], Hunk(2, 1, 1, 0))
        assert classify([pair]) == [[CAUSED]]

    def test_where_the_base_is_unknown_nothing_is_caused(self) -> None:
        pair = compared("a\nb\n", "a\nc\n", None, [result(1), result(2)], Hunk(2, 1, 2, 1))
        assert classify([pair]) == [[EXISTING, NEW]]

    def test_a_line_that_was_only_rewritten_keeps_its_result(self) -> None:
        pair = compared("f( 'x' )\n", 'f("x")\n', [result(1)], [result(1)], Hunk(1, 1, 1, 1))
        assert classify([pair]) == [[EXISTING]]

    @pytest.mark.parametrize(
        ("base", "head", "column", "status"),
        [
            ("use: a@b\n", "use: a@b # why\n", 1, EXISTING),
            ("use: a@b # v1\n", "use: a@b  # v2\n", 1, EXISTING),
            ("use: a@b # v1\n", "use: a@b\n", 1, EXISTING),
            ("use: a@b # v1\n", "use: a@c # v1\n", 1, NEW),
            ("use: 'a' # old\n", "use: 'a' # new\n", 12, NEW),  # it is about the comment
            ("# old\n", "# new\n", 1, NEW),
            ("use: 'a # v1'\n", "use: 'a # v2'\n", 1, NEW),
            ("use: a#1\n", "use: a#2\n", 1, NEW),
        ],
    )
    def test_a_line_whose_comment_alone_changed_keeps_its_result(
        self, base: str, head: str, column: int, status: Status
    ) -> None:
        results = [result(1, column=column)]
        assert classify([compared(base, head, results, results, Hunk(1, 1, 1, 1))]) == [[status]]

    def test_a_copy_of_a_bad_line_is_new(self) -> None:
        pair = compared("bad\n", "bad\nbad\n", [result(1)], [result(1), result(2)], Hunk(1, 0, 2, 1))
        assert classify([pair]) == [[EXISTING, NEW]]

    def test_a_line_moved_to_another_file_keeps_its_result(self) -> None:
        removed = compared("bad\n", "", [result(1)], [], Hunk(1, 1, 0, 0))
        come = compared("", "bad\n", [], [result(1)], Hunk(0, 0, 1, 1), base_path=None, path="b.py")
        assert classify([removed, come]) == [[], [EXISTING]]
        assert classify([come, removed]) == [[EXISTING], []]

    def test_a_line_copied_to_another_file_is_new_there(self) -> None:
        stays = compared("bad\n", "bad\n", [result(1)], [result(1)])
        come = compared("", "bad\n", [], [result(1)], Hunk(0, 0, 1, 1), base_path=None, path="b.py")
        assert classify([stays, come]) == [[EXISTING], [NEW]]

    def test_another_complaint_on_the_same_line_is_caused(self) -> None:
        pair = compared("a\n", "a\n", [result(1, "X1")], [result(1, "X1"), result(1, "X2")])
        assert classify([pair]) == [[EXISTING, CAUSED]]

    @settings(max_examples=150, deadline=None)
    @given(
        st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), min_size=1, max_size=12),
        st.data(),
    )
    def test_what_is_taken_over_never_exceeds_what_there_was(
        self, lines: list[tuple[str, bool]], data: st.DataObject
    ) -> None:
        base = "".join(f"{name}\n" for name, _ in lines)
        before = [result(n + 1) for n, (_, is_bad) in enumerate(lines) if is_bad]
        inserted = data.draw(st.lists(st.sampled_from("abc"), max_size=6))
        at = data.draw(st.integers(0, len(lines)))
        names = [name for name, _ in lines]
        head = [*names[:at], *inserted, *names[at:]]
        moved = [n + 1 if n < at else n + 1 + len(inserted) for n, (_, is_bad) in enumerate(lines) if is_bad]
        added = [at + 1 + n for n in range(len(inserted)) if data.draw(st.booleans())]
        hunks = [Hunk(at, 0, at + 1, len(inserted))] if inserted else []
        after = sorted([*moved, *added])
        pair = compared(base, "".join(f"{n}\n" for n in head), before, [result(n) for n in after], *hunks)
        (row,) = classify([pair])
        assert Counter(row)[EXISTING] == len(before)
        assert [line for line, status in zip(after, row, strict=True) if status is NEW] == added


class TestRealChanges:
    """The changes of FIELD.md, item 18: nothing new, nothing lost."""

    @pytest.fixture
    def names(self, judged: Judged) -> Counter[str]:
        """Fingerprints of the old findings, as if all of them had just been written."""
        found = Counter(f.fingerprint for f in judged.findings({"a.py": OLD}))
        assert sum(found.values()) >= 8
        assert set(found.values()) == {1}
        judged.repo.commit()
        return found

    def after(self, judged: Judged, files: dict[str, str | None]) -> Counter[str]:
        found = judged.findings(files)
        assert [f for f in found if f.status is not EXISTING] == []
        return Counter(f.fingerprint for f in found)

    def test_a_hundred_lines_above(self, judged: Judged, names: Counter[str]) -> None:
        assert self.after(judged, {"a.py": FILLER + OLD}) == names

    def test_a_hundred_lines_between(self, judged: Judged, names: Counter[str]) -> None:
        spread = OLD.replace("def second", FILLER + "\n\ndef second")
        assert self.after(judged, {"a.py": spread}) == names

    def test_reformatted(self, judged: Judged, names: Counter[str]) -> None:
        formatted = subprocess.run(
            [Path(sys.executable).with_name("ruff"), "format", "--line-length", "30", "-"],
            input=OLD, capture_output=True, check=True, text=True,
        ).stdout  # fmt: skip
        assert formatted != OLD
        assert self.after(judged, {"a.py": formatted}) == names

    def test_renamed(self, judged: Judged, names: Counter[str]) -> None:
        assert self.after(judged, {"a.py": None, "pkg/renamed.py": "NUMBER = 0\n" + OLD}) == names

    def test_functions_in_another_order(self, judged: Judged, names: Counter[str]) -> None:
        head, first, second, third = OLD.split("def ")
        moved = f"{head}def {third}\n\ndef {first}def {second}".rstrip() + "\n"
        found = judged.findings({"a.py": moved})
        assert [f for f in found if f.status is not EXISTING] == []
        assert len(found) == names.total()

    def test_a_function_moved_to_another_file(self, judged: Judged, names: Counter[str]) -> None:
        head, first, second, third = OLD.split("def ")
        found = judged.findings(
            {"a.py": f"{head}def {first}def {second}".rstrip() + "\n", "b.py": f"def {third}"}
        )
        assert [f for f in found if f.status is not EXISTING] == []
        assert len(found) == names.total()

    @pytest.mark.parametrize("rest", ["", "Z = 1\n"], ids=["file deleted", "file kept"])
    def test_everything_moved_to_another_file(self, judged: Judged, names: Counter[str], rest: str) -> None:
        files = {"a.py": rest or None, "b.py": f"NUMBER = 0\n\n\n{OLD}", "other.py": "Y = 2\n" * 40}
        found = judged.findings(files)
        assert [f for f in found if f.status is not EXISTING] == []
        assert len(found) == names.total()

    def test_a_move_does_not_hide_what_it_breaks(self, judged: Judged) -> None:
        judged.repo.commit({"a.py": "import json\n\n\ndef load(text):\n    return json.loads(text)\n"})
        moved = {
            "a.py": "import json\n\nprint(json)\n",
            "b.py": "def load(text):\n    return json.loads(text)\n",
        }
        assert judged.brought(moved) == [("b.py", 2, "ruff/F821", "new")]

    def test_line_ends_exchanged(self, judged: Judged, names: Counter[str]) -> None:
        assert self.after(judged, {"a.py": OLD.replace("\n", "\r\n")}) == names


class TestBrought:
    def test_deleting_the_last_use_causes_the_unused_import(self, judged: Judged) -> None:
        judged.repo.commit({"a.py": "import os\nimport sys\n\nX = 1\nprint(os.sep, sys.path)\n"})
        assert judged.brought({"a.py": "import os\nimport sys\n\nX = 1\nprint(sys.path)\n"}) == [
            ("a.py", 1, "ruff/F401", "caused")
        ]

    def test_a_second_like_the_first_is_new_and_has_its_own_name(self, judged: Judged) -> None:
        bad = "def f(x=[]):\n    return x\n"
        judged.repo.commit({"a.py": bad})
        files = {"a.py": bad + "\n\n" + bad}
        found = [f for f in judged.findings(files) if f.rule == "ruff/B006"]
        assert [f.status for f in found] == [EXISTING, NEW]
        assert len({f.fingerprint for f in found}) == 2

    def test_a_file_that_could_not_be_parsed_before_blames_only_added_lines(self, judged: Judged) -> None:
        judged.repo.commit({"a.py": "import os\nx = (\n"})
        assert judged.brought({"a.py": "import os\nx = ()\n"}) == []
