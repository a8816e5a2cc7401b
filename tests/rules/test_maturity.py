"""Preview rules are off by default; ``preview = true``, or the rule's name, switches them on."""

from __future__ import annotations

from typing import ClassVar

import pytest

from tests.variants import specialist
from wardround.checks.base import Check
from wardround.config import loader
from wardround.errors import ConfigError
from wardround.findings import Plane, Severity, Span
from wardround.host import PluginHost
from wardround.reports.catalogue import as_text
from wardround.reports.explanation import render_rule
from wardround.rules.maturity import Maturity
from wardround.rules.model import Rule
from wardround.specialists import Comment
from wardround_lab.evaluation.batch import CaseBatch, Settings
from wardround_lab.evaluation.cases import Case


class _Preview(Check):
    """Reports every file."""

    ID = "T001"
    NAME = "every-file"
    MATURITY: ClassVar = Maturity.PREVIEW

    def run(self) -> None:
        self.report(Span(1, 1, 1, 1), "a file")


class _Silent(Check):
    """Reports nothing."""

    ID = "T002"
    NAME = "nothing"
    MATURITY: ClassVar = Maturity.PREVIEW

    def run(self) -> None: ...


def _rule(maturity: Maturity, disabled_reason: str = "") -> Rule:
    return Rule("acme/A1", "some-name", Plane.SEMANTIC, Severity.WARN, "a-class", "why",
                disabled_reason=disabled_reason, maturity=maturity)  # fmt: skip


def _preview(files: dict[str, bytes], path: str) -> bool:
    return loader.read(files.get, [path], ()).for_file(path).preview


@pytest.mark.parametrize(
    ("maturity", "by_default", "with_preview"),
    [
        (Maturity.STABLE, True, True),
        (Maturity.PREVIEW, False, True),
        (Maturity.DEPRECATED, False, False),
    ],
)
def test_which_rules_run_without_being_named(
    maturity: Maturity, by_default: bool, with_preview: bool
) -> None:
    rule = _rule(maturity)
    assert (rule.runs(preview=False), rule.runs(preview=True)) == (by_default, with_preview)
    assert rule.is_shown is by_default


def test_preview_does_not_switch_on_what_is_off_for_another_reason() -> None:
    assert not _rule(Maturity.PREVIEW, "too many wrong hits").runs(preview=True)


def test_preview_is_set_for_a_folder_by_the_nearest_configuration() -> None:
    files = {
        ".wardround.toml": b"preview = true\n",
        "old/.wardround.toml": b"preview = false\n",
        "old/new/pyproject.toml": b"[tool.wardround]\npreview = true\n",
    }
    paths = ["a.py", "old/a.py", "old/new/a.py"]
    assert [_preview(files, path) for path in paths] == [True, False, True]
    assert not _preview({}, "a.py")


def test_preview_must_be_a_truth_value() -> None:
    with pytest.raises(ConfigError, match="preview: expected `bool`, got `str`"):
        _preview({".wardround.toml": b'preview = "yes"\n'}, "a.py")


@pytest.mark.parametrize(("settings", "reported"), [
    (Settings(), []),
    (Settings(preview=True), ["acme/T001"]),
    (Settings(all_rules=True), ["acme/T001"]),
])  # fmt: skip
def test_a_review_reports_a_preview_rule_where_it_is_on(settings: Settings, reported: list[str]) -> None:
    host = PluginHost([specialist("acme", ("*.txt",), checks=(_Preview,))])
    case = Case("a", "p", "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+a\n")
    (outcome,) = CaseBatch(host, settings).review([case], "set")
    assert [finding.rule for finding in outcome.said] == reported


def test_a_suppression_of_a_preview_rule_that_is_off_is_not_unused() -> None:
    def comments(text: str) -> list[Comment]:
        return [Comment(1, text.strip("# \n"), 1)]

    host = PluginHost([specialist("acme", ("*.txt",), checks=(_Silent,), comments=comments)])
    diff = "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+# wardround: ignore[T002] not now\n"
    reported = [
        [finding.rule for finding in outcome.said]
        for settings in (Settings(), Settings(preview=True))
        for outcome in CaseBatch(host, settings).review([Case("a", "p", diff)], "set")
    ]
    assert reported == [[], ["wardround/unused-suppression"]]


def test_the_catalogue_and_explain_show_the_maturity() -> None:
    rule = _rule(Maturity.PREVIEW)
    assert as_text([rule]).split() == ["acme/A1", "off", "preview", "semantic", "some-name"]
    shown = render_rule(rule, (), 100, 60)
    assert "maturity      preview; set preview = true, or name the rule\n" in shown
    assert '"acme/A1" = "warn"' in shown
