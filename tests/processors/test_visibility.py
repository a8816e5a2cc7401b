"""The filter mode decides which findings are shown."""

from __future__ import annotations

import pytest

from tests.processors.factory import finding, modified
from wardround.change.diff import Hunk
from wardround.config.schema import FilterMode
from wardround.findings import Status
from wardround.processors.visibility import open_findings, visible_findings

FILES = {"a.py": modified("a.py", Hunk(9, 0, 10, 1))}
FINDINGS = (
    finding(1, status=Status.EXISTING),
    finding(2, status=Status.CAUSED),
    finding(8, status=Status.EXISTING),
    finding(9, status=Status.SUPPRESSED),
    finding(10, status=Status.SUPPRESSED),
    finding(1, status=Status.EXISTING, file="elsewhere.py"),
)


@pytest.mark.parametrize(
    ("mode", "lines"),
    [
        ("added", [2, 10]),
        ("diff_context", [2, 8, 10]),
        ("file", [1, 2, 8, 9, 10, 1]),
        ("nofilter", [1, 2, 8, 9, 10, 1]),
    ],
)
def test_each_mode_shows_its_findings(mode: FilterMode, lines: list[int]) -> None:
    assert [item.span.line for item in visible_findings(FINDINGS, FILES, mode)] == lines


def test_suppressed_findings_are_not_open() -> None:
    assert [item.span.line for item in open_findings(FINDINGS, FILES, "added")] == [2]
