"""Kinds of files in which a rule is off by default."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

from tests.variants import specialist
from wardround.checks.base import Check
from wardround.errors import WardroundError
from wardround.findings import Plane, Severity, Span
from wardround.host import PluginHost
from wardround.reports.explanation import render_rule
from wardround.rules import off_in
from wardround.rules.file_kinds import FileKind
from wardround.rules.model import Rule
from wardround.specialists import Comment
from wardround_lab.evaluation.batch import CaseBatch, Settings
from wardround_lab.evaluation.cases import Case


class _Every(Check):
    """Reports every file."""

    ID = "T001"
    NAME = "every-file"
    SEVERITY: ClassVar = Severity.WARN

    def run(self) -> None:
        self.report(Span(1, 1, 1, 1), "a file")


@pytest.fixture
def off_in_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(off_in, "kinds_off", lambda: {"acme/T001": frozenset({FileKind.TESTS})})


def reported(path: str, settings: Settings = Settings(), line: str = "a") -> list[str]:  # noqa: B008
    def comments(text: str) -> list[Comment]:
        return [Comment(1, text.strip("# \n"), 1)] if text.startswith("#") else []

    host = PluginHost([specialist("acme", ("*.txt",), checks=(_Every,), comments=comments)])
    case = Case("a", "p", f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{line}\n")
    (outcome,) = CaseBatch(host, settings).review([case], "set")
    return [finding.rule for finding in outcome.said]


@pytest.mark.usefixtures("off_in_tests")
def test_a_rule_is_off_in_its_kinds_of_files_and_on_in_others() -> None:
    assert reported("a.txt") == ["acme/T001"]
    assert reported("tests/a.txt") == []
    assert reported("tests/a.txt", Settings(preview=True)) == ["acme/T001"]


@pytest.mark.usefixtures("off_in_tests")
def test_a_suppression_where_a_rule_is_off_is_not_unused() -> None:
    assert reported("tests/a.txt", line="# wardround: ignore[T001] not now") == []


def test_explain_states_the_kinds_and_that_a_rule_was_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "wardround.reports.explanation.kinds_off", lambda: {"acme/T001": frozenset({FileKind.TESTS})}
    )
    rule = Rule("acme/T001", "every-file", Plane.SEMANTIC, Severity.WARN, "a-class", "why")
    shown = render_rule(rule, (), 100, 60)
    assert "judgements    not read\n              off in tests, where its findings were wrong\n" in shown


def test_a_table_with_an_unknown_kind_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "off_in.yml"
    file.write_text("a/A1: [homework]\n", encoding="utf-8")
    with pytest.raises(WardroundError, match="has no kinds of files: Invalid enum value 'homework'"):
        off_in.read_kinds_off(file)
