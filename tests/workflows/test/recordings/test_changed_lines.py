from __future__ import annotations

from typing import cast

import pytest

from wardround.change.diff import Change, ChangedFile, FileStatus, Hunk
from wardround.context.run_evidence import LineEvidence
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.recordings.changed_lines import ChangedLines
from wardround.workflows.test.recordings.script_lines import ScriptLines


class Tree:
    """Base or head of a change with one file."""

    def __init__(self, text: str) -> None:
        self.blobs = {"app.py": "1"}
        self._text = text

    def text(self, path: str) -> str:
        return self._text


def covered(before: str, after: str, hunk: Hunk, executed: int) -> tuple[LineEvidence, ...]:
    file = ChangedFile("app.py", "app.py", FileStatus.MODIFIED, "100755", hunks=(hunk,))
    sides = (cast(TreeUnderTest, Tree(text)) for text in (before, after))
    change = Change(base="a", head="b", files=(file,))
    return ChangedLines(change, *sides).coverage({"app.py": executed}, {}, cast(ScriptLines, None))


@pytest.mark.parametrize("before", ["#!/usr/bin/python3\nX = 1\n", "# text\nX = 1\n"])
def test_a_line_that_names_another_program_did_not_run(before: str) -> None:
    after = "#!/usr/bin/env -S python3 -O\nX = 2\n"

    found = covered(before, after, Hunk(1, 2, 1, 2), executed=0b110)

    assert found == (LineEvidence("app.py", (2,), (1,)),)


def test_a_comment_is_not_a_line_that_did_not_run() -> None:
    found = covered("# a\nX = 1\n", "# b\nX = 2\n", Hunk(1, 2, 1, 2), executed=0b110)

    assert found == (LineEvidence("app.py", (2,)),)
