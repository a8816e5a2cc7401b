"""DC068: comparison never true."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.positions import Passage
from wardround.rules.maturity import Maturity
from wardround.storage.regex_cache import bounded
from wardround_docker_ci.check import WORKFLOW, CiCheck

_COMPARED = LazyPattern(
    r"(?<![\w.])(github\.(?:ref|ref_name|head_ref|base_ref|event_name|ref_type)|runner\.os|job\.status"
    r"|needs\.[\w-]+\.result|steps\.[\w-]+\.(?:outcome|conclusion))\s*(==|!=)\s*'([^']*)'",
    re.IGNORECASE,
)
_BEGINS = LazyPattern(
    r"startsWith\(\s*github\.(ref|ref_name|head_ref|base_ref)\s*,\s*'([^']*)'\s*\)", re.IGNORECASE
)
_WITH_BOOLEAN = LazyPattern(
    r"(?<![\w.])(github\.event\.pull_request\.(?:draft|merged|head\.repo\.fork)|(?:github\.event\.)?inputs\.[\w-]+)"
    r"\s*(==|!=)\s*('(?:true|false)'|true\b|false\b)"
)
_EVENTS = frozenset(
    {
        "branch_protection_rule", "check_run", "check_suite", "create", "delete", "deployment",
        "deployment_status", "discussion", "discussion_comment", "fork", "gollum", "image_version",
        "issue_comment", "issues", "label", "merge_group", "milestone", "page_build", "public",
        "pull_request", "pull_request_review", "pull_request_review_comment", "pull_request_target",
        "push", "registry_package", "release", "repository_dispatch", "schedule", "status", "watch",
        "workflow_call", "workflow_dispatch", "workflow_run", "dynamic", "project", "project_card",
        "project_column",
    }
)  # fmt: skip
_RESULTS = {"success", "failure", "cancelled", "skipped"}


class ComparisonNeverTrue(CiCheck):
    """A condition compares a GitHub context with a value that it never has, so its result is constant.

    `github.ref` is `refs/heads/main` and not `main`; a result is `failure` and not `failed`. The step or
    job then always or never runs, without an error. Compare with a possible value.
    """

    ID = "DC068"
    NAME = "comparison-never-true"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "useless-comparison"
    KINDS = WORKFLOW
    NEEDS = ("==", "!=", "startsWith")
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on:
              workflow_dispatch:
                inputs:
                  dry: {type: boolean}
            jobs:
              a:
                if: github.event.inputs.dry == 'true' || inputs.dry == true
                steps: []
        """),
        code("""
            on: push
            jobs:
              a:
                if: github.ref == 'refs/heads/main' || github.ref_name == 'main'
                steps: []
        """),
    ]
    INVALID = [
        code("""
            on:
              workflow_dispatch:
                inputs:
                  dry: {type: boolean}
            jobs:
              a:
                if: «inputs.dry == 'true'»
                steps: []
        """),
        code("""
            on: pull_request
            jobs:
              a:
                if: «github.event.pull_request.draft == 'false'»
                steps: []
        """),
    ]

    def run(self) -> None:
        for text in self._expressions():
            for comparison in _COMPARED.finditer(text.text):
                reason = _impossible_value(comparison.group(1).lower(), comparison.group(3))
                self._report(text, comparison, reason, is_equality=comparison.group(2) == "==")
            for call in _BEGINS.finditer(text.text):
                reason = _impossible_prefix(call.group(1).lower(), call.group(2))
                self._report(text, call, reason, is_equality=True)
            for comparison in _WITH_BOOLEAN.finditer(text.text):
                reason = self._type_mismatch(comparison.group(1), comparison.group(3))
                self._report(text, comparison, reason, is_equality=comparison.group(2) == "==")

    def _report(self, text: Passage, match: re.Match[str], reason: str, *, is_equality: bool) -> None:
        if reason:
            result = "never true" if is_equality else "always true"
            self.report_at(text.start + match.start(), text.start + match.end(), f"{result}: {reason}")

    def _type_mismatch(self, context: str, value: str) -> str:
        """Return why a boolean and a string are never equal; empty if the types are the same."""
        is_text = value.startswith("'")
        name = context.rpartition(".")[2]
        if context.startswith("github.event.pull_request."):
            return f"{context} is a boolean and '{value[1:-1]}' a string" if is_text else ""
        if context.startswith("github.event.inputs."):
            return "" if is_text else f"{context} is a string and {value} a boolean"
        kinds = {
            self.file.workflow.root.text("on", event, "inputs", name, "type")
            for event in ("workflow_dispatch", "workflow_call")
        } - {""}
        if kinds == {"boolean"} and is_text:
            return f"{context} is a boolean and '{value[1:-1]}' a string"
        return f"{context} is a string and {value} a boolean" if kinds == {"string"} and not is_text else ""

    def _expressions(self) -> Iterator[Passage]:
        """Yield the conditions, and every expression in braces outside of them."""
        conditions = [job.condition for job in self.file.workflow.jobs]
        conditions += [step.condition for _, step in self.file.workflow.all_steps]
        seen: list[tuple[int, int]] = []
        for one in conditions:
            if one is not None:
                text = self.file.passage(one)
                seen.append((text.start, text.end))
                yield text
        seen.sort()
        for found in bounded(r"\$\{\{.*?\}\}").finditer(self.file.text):
            before = bisect.bisect_right(seen, found.start(), key=lambda one: one[0])
            if not before or found.start() >= seen[before - 1][1]:
                yield Passage(found.group(), found.start())


def _impossible_prefix(name: str, prefix: str) -> str:
    """Return why a context never begins with a text; empty if it may."""
    return "" if "refs/".startswith(prefix) else _impossible_value(f"github.{name}", prefix)


def _impossible_value(context: str, value: str) -> str:
    """Return why a context never has a value; empty if it may."""
    if context in ("github.ref_name", "github.head_ref", "github.base_ref"):
        return f"{context} does not begin with refs/" if value.startswith("refs/") else ""
    if context == "github.ref_type":
        return "" if value in ("branch", "tag") else "github.ref_type is branch or tag"
    if context == "runner.os":
        return "" if value.lower() in _SYSTEMS else "runner.os is Linux, Windows or macOS"
    return _impossible_text(context, value) if value else ""


def _impossible_text(context: str, value: str) -> str:
    """Return why a context never has a non-empty value; empty if it may."""
    if context == "github.ref":
        return "" if value.startswith("refs/") else f"github.ref has the form refs/heads/{value}"
    if context == "github.event_name":
        return "" if value.lower() in _EVENTS else f"{value} is not an event"
    is_result = context == "job.status" or context.endswith((".result", ".outcome", ".conclusion"))
    if is_result and value.lower() not in _RESULTS:
        return f"{context} is success, failure, cancelled or skipped"
    return ""


_SYSTEMS = ("linux", "windows", "macos")
