"""A change to the configuration of its own review is reported if that of the target applies."""

from __future__ import annotations

from typing import Any

import pytest

from tests.processors.factory import added, inputs, modified
from wardround.change.diff import ChangedFile, Hunk
from wardround.execution.model import Results
from wardround.findings import Finding, Severity
from wardround.processors.model import ReviewFindings, SideResults
from wardround.processors.tamper import ReportTampering

LINE_TWO = Hunk(1, 0, 2, 1)


def _notices(*files: ChangedFile, is_trusted: bool = False, **values: Any) -> list[Finding]:
    given = inputs(*files, is_trusted=is_trusted, **values)
    return list(ReportTampering().apply(ReviewFindings(), given).notices)


def _changed(path: str, before: str, after: str) -> list[Finding]:
    return _notices(modified(path, LINE_TWO), base={path: before}, head={path: after})


@pytest.mark.parametrize("path", [".wardround.toml", "pkg/.wardround.toml", ".wardround-baseline.json"])
def test_our_own_files_are_watched(path: str) -> None:
    (notice,) = _changed(path, "a\n", "a\nb\n")
    assert (notice.rule, notice.span.line) == ("wardround/config-changed", 2)
    assert (notice.severity, notice.status) == (Severity.WARN, "new")
    assert notice.message == f"{path} controls this review; the target branch's version was used"


def test_a_new_file_has_no_version_on_the_target_branch() -> None:
    (notice,) = _notices(added(".wardround.toml"), head={".wardround.toml": "a\n"})
    assert notice.message.endswith("it is new and was not used: the settings of the target branch apply")


def test_of_shared_files_only_our_tables_count() -> None:
    path, before = "pyproject.toml", '[project]\nname = "a"\n'
    assert _changed(path, before, before.replace("a", "b")) == []
    assert len(_changed(path, before, before + "[tool.wardround]\n")) == 1


def test_a_renamed_file_counts_under_both_names() -> None:
    file = modified("b.toml", LINE_TWO)
    moved = type(file)("b.toml", ".wardround.toml", file.status, file.mode, hunks=file.hunks)
    assert len(_notices(moved, base={"b.toml": "a\n"}, head={"b.toml": "a\n"})) == 1


def test_files_that_tools_would_load_are_reported_as_unused() -> None:
    results = SideResults(Results(tampered_paths={"node_modules/.bin"}), Results())
    (notice,) = _notices(added("node_modules/.bin/eslint"), added("b.py"), results=results)
    assert notice.message.endswith("its version was not used")


def test_a_trusted_change_may_configure_its_review() -> None:
    assert _notices(added(".wardround.toml"), head={".wardround.toml": "a\n"}, is_trusted=True) == []
