"""checkov for Kubernetes manifests in CI: its command and its output."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from wardround.errors import ToolFailed, ToolOutputError
from wardround.findings import PARSE_FAILURE_PREFIX, Plane, RawFinding, Span
from wardround.lazy import LazyPattern
from wardround.tools.ignore_comments import ANY_COMMENT, IgnoreComment
from wardround.tools.parsing import RAN, collapse_whitespace, decode_output, relative
from wardround.tools.tool import Invocation, Probe, Profile, Tool, install_line
from wardround_docker_ci.file_kinds import FileKind, kind_of
from wardround_docker_ci.specialist import YAML
from wardround_docker_ci.tools.trusted import configuration, overlay_above


class CheckovCheck(msgspec.Struct):
    check_id: str
    check_name: str
    file_abs_path: str
    file_line_range: tuple[int, int]
    resource: str


class CheckovResults(msgspec.Struct):
    failed_checks: list[CheckovCheck]
    parsing_errors: list[str] = []


class CheckovReport(msgspec.Struct):
    """The report of one framework; without any resource it contains counts instead of results."""

    results: CheckovResults | None = None
    passed: int | None = None


_CONFIGS = (".checkov.yaml", ".checkov.yml")
_EMPTY = "{}\n"


_ABOUT = {
    "CKV_K8S_14": r"\bimage:",
    "CKV_K8S_16": r"\bprivileged:",
    "CKV_K8S_17": r"\bhostPID:",
    "CKV_K8S_18": r"\bhostIPC:",
    "CKV_K8S_19": r"\bhostNetwork:",
    "CKV_K8S_20": r"\ballowPrivilegeEscalation:",
    "CKV_K8S_25": r"\badd:",
    "CKV_K8S_26": r"\bhostPort:",
    "CKV_K8S_27": r"docker\.sock",
    "CKV_K8S_35": r"\bsecretKeyRef:|\bsecretRef:",
    "CKV_K8S_39": r"\bSYS_ADMIN\b",
    "CKV_K8S_43": r"\bimage:",
    "CKV_K8S_49": r"['\"]\*['\"]",
}
"""Patterns of the setting that a check reports, to find its line in the resource."""


def _span(check: CheckovCheck, lines: Sequence[str]) -> Span:
    """Return the span of the setting that the check reports, else of the resource's first line."""
    first, last = check.file_line_range
    first = min(max(first, 1), len(lines))
    pattern = _ABOUT.get(check.check_id)
    for number in range(first, min(last, len(lines)) + 1) if pattern else ():
        found = re.search(pattern or "", lines[number - 1].partition(" #")[0])
        if found:
            return Span(number, found.start() + 1, number, found.end() + 1)
    return Span(first, 1, first, max(len(lines[first - 1].rstrip()), 1) + 1)


_CHOICES = LazyPattern(r"^(?:check|skip-check)[ \t]*:[^\n]*\n?(?:[ \t-][^\n]*\n?|\n)*", re.MULTILINE)
"""The keys that select checks; others can name code, addresses and output files."""


def _choices(text: str) -> str:
    """Return the settings that select checks, by lines as YAML separates them."""
    lines = "\n".join(text.splitlines())
    return "".join(match[0] for match in _CHOICES.finditer(f"{lines}\n")) or _EMPTY


class Checkov(Tool):
    """checkov for Kubernetes manifests."""

    name = "checkov"
    planes = frozenset({Plane.SECURITY})
    ignore_comments = (
        IgnoreComment(
            r"\b(?:checkov|bridgecrew|cortex)(?:\.io/skip|:skip)",
            ("check", "bridgecrew", "cortex"),
            ((YAML, r"(?m:^)[ \t]*(checkov\.io/skip\d*)\s*:"), (ANY_COMMENT, r"(\bcheckov:skip\s*=)")),
        ),
    )
    probe = Probe(
        "probe.yml",
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: probe\nspec:\n  containers:\n    - name: probe\n"
        "      image: scratch\n      securityContext:\n        privileged: true\n",
        "CKV_K8S_16",
        10,
    )
    program = "checkov"
    success_codes = RAN
    typical_s = 3.0
    install = install_line("iac")
    profiles = frozenset({Profile.CI})
    timeout_s = 120.0
    distribution = "checkov"
    config_names = _CONFIGS
    config_at_root = True

    def command(self, run: Invocation) -> Sequence[str]:
        """Return the command for manifests only, without downloads.

        Raises:
            ToolFailed: the change adds a configuration, which checkov would read from its working directory
                and which can name code to run.
        """
        for added in (name for name in _CONFIGS if (run.root / name).exists()):
            if (run.root / added).read_bytes() == _EMPTY.encode():
                continue
            raise ToolFailed(f"not started, because {added} in this change could make it run code")
        config = configuration("checkov", run)
        chosen = ["--config-file", str(config)] if config is not None else []
        return [
            str(run.program), "--compact", "-o", "json", "--framework", "kubernetes", "--skip-download",
            *chosen, *(part for file in run.files for part in ("-f", file)),
        ]  # fmt: skip

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        """Read ``checkov -o json``, which locates findings by resource.

        Raises:
            ToolOutputError: it could not read a valid YAML file; invalid ones are in ``skipped_files``.
        """
        report = decode_output(output, CheckovReport)
        if report.results is None and report.passed is None:
            raise ToolOutputError("checkov printed neither results nor counts")
        results = report.results or CheckovResults([])
        unreadable = {Path(file).name for file in results.parsing_errors}
        for name in unreadable - {
            Path(file).name for file in (self.skipped_files(b"", run) if unreadable else ())
        }:
            raise ToolOutputError(f"checkov could not read {name}")
        found = []
        for check in results.failed_checks:
            inside = os.path.relpath(os.path.realpath(check.file_abs_path), os.path.realpath(run.root))
            file = relative(inside, run)
            lines = (run.root / file).read_text("utf-8-sig", "surrogateescape").split("\n")
            message = collapse_whitespace(f"{check.resource}: {check.check_name}")
            found.append(RawFinding(check.check_id, file, _span(check, lines), message))
        return found

    def skipped_files(self, errors: bytes, run: Invocation) -> Mapping[str, str]:
        """Return the files that are not YAML, which checkov skips without a message."""
        import yaml  # slow to import and only needed here

        reasons = {}
        for file in run.files:
            try:
                for _ in yaml.parse((run.root / file).read_text("utf-8-sig"), yaml.SafeLoader):
                    pass
            except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as cause:
                reasons[file] = f"{PARSE_FAILURE_PREFIX}: {collapse_whitespace(str(cause))[:200]}"
        return reasons

    def accepts(self, path: str, text: str) -> bool:
        return kind_of(path, text) is FileKind.KUBERNETES

    def config_overlay(self, folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
        """Return the selection of checks outside the snapshot, and empty files where checkov searches."""
        overlay = overlay_above("checkov", _CONFIGS, folder, configs)
        if not overlay:
            return {}
        choices = {name: _choices(text) for name, text in overlay.items()}
        return {**choices, **{name: _EMPTY for name in _CONFIGS if name in configs}}


CHECKOV = Checkov()
