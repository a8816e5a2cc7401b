"""Levels that follow from readings are written where the levels of rules are declared."""

from __future__ import annotations

import importlib
from pathlib import Path

import msgspec
import pytest

from tests.variants import specialist
from wardround.errors import UsageError
from wardround.findings import Severity
from wardround.host import PluginHost
from wardround.rules.earned_level import Level, present_level
from wardround.rules.file_kinds import FileKind
from wardround.rules.model import RULES_PACKAGE, package_folder
from wardround.rules.reading_counts import ReadingCounts
from wardround.rules.tool_map import ToolMap, ToolMapFile
from wardround.rules.yaml_loader import load_yaml
from wardround_lab.evaluation.judging import catalogue_edits
from wardround_lab.evaluation.judging.catalogue_edits import write_kinds, write_level
from wardround_lab.evaluation.judging.check_level import set_check_level
from wardround_lab.evaluation.judging.standing import RuleLevels
from wardround_lab.evaluation.judging.yaml_level import set_declared_level, set_tool_level

CHECK = '''"""A check."""

from __future__ import annotations

from wardround.checks.base import Check
from wardround.findings import Span


class Every(Check):
    """Reports every file."""

    ID = "A1"
    NAME = "every-file"  # a comment

    def run(self) -> None:
        self.report(Span(1, 1, 1, 1), "a file")
'''


def tool_map(text: str) -> ToolMap:
    return ToolMap(msgspec.convert(load_yaml(text), ToolMapFile))


def test_a_check_gets_a_severity_or_becomes_preview_and_stable_again() -> None:
    lowered = set_check_level(CHECK, "A1", Level.INFO)
    assert 'NAME = "every-file"  # a comment\n    SEVERITY = Severity.INFO\n' in lowered
    assert "from wardround.findings import Severity, Span\n" in lowered
    preview = set_check_level(lowered, "A1", Level.PREVIEW)
    assert "    MATURITY = Maturity.PREVIEW\n    SEVERITY = Severity.INFO\n" in preview
    assert "from wardround.rules.maturity import Maturity\n" in preview
    assert set_check_level(preview, "A1", Level.INFO) == lowered
    for level, text in ((Level.INFO, lowered), (Level.PREVIEW, preview)):
        assert set_check_level(text, "A1", level) == text


def test_a_check_that_passes_a_higher_severity_itself_is_changed_manually() -> None:
    text = CHECK.replace('"a file")', '"a file", severity=Severity.WARN)')
    with pytest.raises(UsageError, match="line 16 of its check reports warn itself"):
        set_check_level(text, "A1", Level.INFO)
    assert "PREVIEW" in set_check_level(text, "A1", Level.PREVIEW)


def test_a_level_is_written_into_the_module_of_a_check_and_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "check_of_every_file.py"
    file.write_text(CHECK, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("check_of_every_file")
    host = PluginHost([specialist("acme", ("*.txt",), checks=(module.Every,))])
    standing = RuleLevels("acme/A1", Level.WARN, Level.INFO, ReadingCounts(5, true=10))
    with pytest.raises(UsageError, match="install wardround from this checkout with -e"):
        write_level(standing, host, tmp_path / "other")
    assert write_level(standing, host, tmp_path) == file
    assert file.read_text("utf-8") == set_check_level(CHECK, "A1", Level.INFO)
    with pytest.raises(UsageError, match="no file declares the rule"):
        write_level(RuleLevels("acme/B9", Level.WARN, Level.INFO, ReadingCounts(5)), host, tmp_path)


@pytest.mark.parametrize("tool", ["ruff", "oxlint", "ty", "tsc", "squawk", "zizmor"])
def test_a_level_in_a_tool_map_changes_one_code_and_nothing_else(tool: str) -> None:
    text = (package_folder(RULES_PACKAGE) / "tools" / f"{tool}.yml").read_text("utf-8")
    rules = {rule.code: rule for rule in tool_map(text).all_rules()}
    codes = [code for code, rule in rules.items() if present_level(rule) in (Level.WARN, Level.ERROR)]
    for code in (codes[0], codes[-1]):
        lowered = set_tool_level(text, code, Level.INFO)
        changed = {rule.code: rule for rule in tool_map(lowered).all_rules()}
        assert present_level(changed.pop(code)) is Level.INFO
        assert changed == {other: rule for other, rule in rules.items() if other != code}
        preview = set_tool_level(lowered, code, Level.PREVIEW)
        assert present_level(tool_map(preview).rule(code)) is Level.PREVIEW
        assert present_level(tool_map(set_tool_level(preview, code, Level.INFO)).rule(code)) is Level.INFO
        assert set_tool_level(preview, code, Level.PREVIEW) == preview


def test_a_code_without_an_entry_gets_one() -> None:
    text = "tool: acme\ncode: .+\ndefault: {severity: warn}\ncodes:\n  b: {name: bee}\n  # the last\nurl: x\n"
    for code in ("a", "c", "@a/b"):
        changed = tool_map(set_tool_level(text, code, Level.INFO))
        assert {rule.code: rule.severity for rule in changed.all_rules()} == {
            "b": Severity.WARN, code: Severity.INFO
        }  # fmt: skip
        assert changed.content.url == "x"


def test_an_entry_that_codes_share_is_changed_manually() -> None:
    text = "codes:\n  a: &shared {severity: warn}\n  b: *shared\n"
    for code in ("a", "b"):
        with pytest.raises(UsageError, match=f"the entry of {code} is that of other codes too"):
            set_tool_level(text, code, Level.INFO)


def test_a_declarative_rule_gets_the_level_in_its_metadata() -> None:
    text = "id: TS1\nseverity: warning\nmetadata:\n  name: a\n  maturity: preview\n  severity: warn\n"
    assert set_declared_level(text, "TS2", Level.INFO) is None
    assert set_declared_level(text, "TS1", Level.INFO) == (
        "id: TS1\nseverity: warning\nmetadata:\n  name: a\n  maturity: stable\n  severity: info\n"
    )
    nested = "rules:\n- id: PY1\n  metadata: {name: a, severity: warn}\n"
    assert set_declared_level(nested, "PY1", Level.PREVIEW) == (
        "rules:\n- id: PY1\n  metadata: {maturity: preview, name: a, severity: warn}\n"
    )


def test_kinds_are_written_sorted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue_edits, "package_folder", lambda package: tmp_path)
    file = write_kinds(
        {"b/B1": frozenset({FileKind.TESTS, FileKind.CI}), "a/A1": frozenset({FileKind.CI})}, tmp_path
    )
    assert file.read_text("utf-8").endswith("--write` writes them.\na/A1: [ci]\nb/B1: [ci, tests]\n")
    write_kinds({}, tmp_path)
    assert load_yaml(file.read_text("utf-8")) == {}
