"""The tests of a change are searched for its reviewed source, within limits."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.planes.evidence_factory import document
from wardround.analyses.test_search.change_tests import SearchedChange, find_change_tests
from wardround.assignment.review_context import ReviewContext
from wardround.assignment.work_units import ClaimedFile
from wardround.change.change_source import PatchChangeSource
from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.context.change_tests import ChangeTests
from wardround.context.code_graph.update_limit import UpdateLimit


def searched(root: Path, *paths: str, text: str = "def f():\n    return 1\n") -> SearchedChange:
    files = tuple(ChangedFile(path, None, FileStatus.ADDED, "100644", ()) for path in paths)
    specialists: Any = (SimpleNamespace(name="python"),)
    claimed = tuple(ClaimedFile(file, specialists, b"", 0) for file in files)
    context = ReviewContext(document(*paths), Change("1" * 40, "2" * 40, files), claimed)
    return SearchedChange(PatchChangeSource("", root), context, (), (), lambda file, base: text)


def test_test_files_and_other_languages_are_no_source(tmp_path: Path) -> None:
    found = searched(tmp_path, "a.py", "test_a.py", "b.ts", "b.spec.ts", "c.sql", "d.md").sources()
    assert [file.path for file in found] == ["a.py", "b.ts"]


def test_a_diff_with_functions_has_a_problem_and_one_without_has_none(tmp_path: Path) -> None:
    found = find_change_tests(searched(tmp_path, "a.py"), (), UpdateLimit(1.0, 100))
    assert found == ChangeTests(problem="a diff without a repository has no code graph")
    assert (
        find_change_tests(searched(tmp_path, "a.py", text="X = 1\n"), (), UpdateLimit(1.0, 100))
        == ChangeTests()
    )


def test_a_change_of_very_many_files_is_not_searched(tmp_path: Path) -> None:
    found = find_change_tests(
        searched(tmp_path, *(f"m{number}.py" for number in range(201))), (), UpdateLimit(1.0, 100)
    )
    assert found == ChangeTests(problem="more than 200 source files are changed")
