"""semgrep with the project's own rules: ``.semgrep.yml`` and the YAML files of ``.semgrep/`` at the root.

Without such rules it does not run. They are read from the trusted side and copied for semgrep, so that a
change cannot add a rule to its own review.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from wardround.errors import ToolFailed, ToolOutputError
from wardround.findings import Plane, RawFinding, Severity, Span
from wardround.tools.ignore_comments import ANY_COMMENT, IgnoreComment
from wardround.tools.parsing import RAN, collapse_whitespace, decode_output, relative
from wardround.tools.tool import Columns, Invocation, Probe, Profile, Tool, install_line

_FILES = (".semgrep.yml", ".semgrep.yaml")
_COPIES = "semgrep-rules.json"
"""The name of a file above the root: the text of every file with rules, by path."""
_INVALID_RULES = frozenset({2, 7})
"""Exit statuses for rules that semgrep cannot parse; its output names the rule."""
_OFFLINE_MODES = frozenset({"search", "taint", "extract"})
_SECONDS_PER_RULE = 10
_SEVERITIES = {
    "CRITICAL": Severity.ERROR, "HIGH": Severity.ERROR, "ERROR": Severity.ERROR,
    "MEDIUM": Severity.WARN, "WARNING": Severity.WARN,
    "LOW": Severity.INFO, "INFO": Severity.INFO,
}  # fmt: skip


class SemgrepPosition(msgspec.Struct):
    line: int
    col: int


class SemgrepExtra(msgspec.Struct):
    message: str
    severity: str = ""


class SemgrepResult(msgspec.Struct):
    check_id: str
    path: str
    start: SemgrepPosition
    end: SemgrepPosition
    extra: SemgrepExtra


class SemgrepError(msgspec.Struct):
    """An error about a file, or about the rules."""

    message: str = ""
    path: str = ""

    def reviewed_file(self, run: Invocation) -> str:
        """Return the file under review that the error is about; empty if it is about the rules."""
        return next((file for file in run.files if self.path in (file, str(run.root / file))), "")


class SemgrepPaths(msgspec.Struct):
    scanned: list[str]


class SemgrepOutput(msgspec.Struct):
    results: list[SemgrepResult]
    errors: list[SemgrepError]
    paths: SemgrepPaths


def parse_semgrep(output: bytes, run: Invocation, ids: Iterable[str]) -> list[RawFinding]:
    """Parse ``semgrep scan --json``; a file it did not scan is a failure.

    Args:
        ids: the ids of the rules; semgrep puts the folder of their file in front.
    """
    report = decode_output(output, SemgrepOutput)
    for error in report.errors:
        if not error.reviewed_file(run):
            raise ToolOutputError(f"semgrep reported {collapse_whitespace(error.message)[:200]}")
    left_out = sorted(set(run.files) - {relative(path, run) for path in report.paths.scanned})
    if left_out:
        raise ToolOutputError(f"semgrep did not scan {left_out[0]} ({len(left_out)} of {len(run.files)})")
    longest_first = sorted(ids, key=lambda rule_id: (-len(rule_id), rule_id))
    return [_to_finding(result, run, longest_first) for result in report.results]


def _to_finding(result: SemgrepResult, run: Invocation, longest_first: Sequence[str]) -> RawFinding:
    code = next(
        (rule_id for rule_id in longest_first if f".{result.check_id}".endswith(f".{rule_id}")),
        result.check_id.rpartition(".")[2],
    )
    return RawFinding(
        code,
        relative(result.path, run),
        Span(result.start.line, result.start.col, result.end.line, result.end.col),
        collapse_whitespace(result.extra.message),
        severity=_SEVERITIES.get(result.extra.severity.upper()),
        explicitly_enabled=True,
    )


def _unfinished_files(output: bytes, run: Invocation) -> Mapping[str, str]:
    """Return the files that a rule did not read to the end, mostly for lack of time, with the reason."""
    errors = decode_output(output, SemgrepOutput).errors
    by_file = {error.reviewed_file(run): collapse_whitespace(error.message)[:200] for error in errors}
    return {file: reason for file, reason in by_file.items() if file}


class RuleFiles:
    """The files with rules of a project, text by path."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    @classmethod
    def of(cls, run: Invocation) -> RuleFiles:
        """Return the rule files that ``Semgrep.config_overlay`` put above the root of a run."""
        copies = run.root.parent / _COPIES
        return cls(msgspec.json.decode(copies.read_bytes(), type=dict[str, str]))

    def have_rules(self) -> bool:
        """Return True if a file has rules, or cannot be read: then the run states why."""
        try:
            return any(map(self._rules, self._texts))
        except ToolFailed:
            return True

    def ids(self) -> list[str]:
        """Return the ids of the rules.

        Raises:
            ToolFailed: a file is not YAML, or a rule needs what semgrep fetches from its registry.
        """
        return [str(rule.get("id", "")) for path in self._texts for rule in self._rules(path)]

    def write(self, folder: Path) -> Iterator[Path]:
        """Write each file with rules into a folder; yield where."""
        for number, path in enumerate(self._texts):
            if self._rules(path):
                file = folder / f"semgrep-{number}" / path.rpartition("/")[2]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(self._texts[path], "utf-8", errors="surrogateescape")
                yield file

    def _rules(self, path: str) -> Sequence[Mapping[str, Any]]:
        from wardround.rules.yaml_loader import parse_yaml  # slow to import

        try:
            document = parse_yaml(self._texts[path])
        except ValueError as cause:
            raise ToolFailed(f"{path} is not valid YAML; correct it") from cause
        rules = document.get("rules") if isinstance(document, dict) else None
        known = [rule for rule in rules if isinstance(rule, dict)] if isinstance(rules, list) else []
        for rule in known:
            if rule.get("mode", "search") not in _OFFLINE_MODES:
                raise ToolFailed(
                    f"{path}: rule {rule.get('id')} has the mode {rule['mode']}, which is not supported: "
                    "semgrep may fetch rules from its registry for it"
                )
        return known


class Semgrep(Tool):
    """semgrep with the project's own rules; it takes too long for a commit."""

    name = "semgrep"
    planes = frozenset({Plane.SECURITY})
    ignore_comments = (
        IgnoreComment(r"\bnosem(?:grep)?\b", ("nosem",), ((ANY_COMMENT, r"(\bnosem(?:grep)?\b)"),)),
    )
    program = "semgrep"
    success_codes = RAN | _INVALID_RULES
    install = install_line("ci")
    distribution = "semgrep"
    version_options = ("--experimental", "--version")  # the default one loads all of its Python
    profiles = frozenset({Profile.CI})
    columns = Columns.UTF8
    typical_s = 3.0
    timeout_s = 120.0
    variables = MappingProxyType({"SEMGREP_ENABLE_VERSION_CHECK": "0", "SEMGREP_SEND_METRICS": "off"})
    config_names = _FILES
    config_folders = (".semgrep",)
    config_at_root = True
    starts_in_packages = True
    probe = Probe(
        "probe.py",
        "eval(text)\n",
        "probe.evaluated",
        settings={
            ".semgrep.yml": "rules:\n- {id: probe.evaluated, languages: [python], severity: ERROR, "
            "message: evaluated, pattern: eval(...)}\n"
        },
    )

    def command(self, run: Invocation) -> Sequence[str]:
        # An absolute path: semgrep takes r/a.yml for a name of its registry.
        files = RuleFiles.of(run).write(run.scratch.absolute())
        configs = [word for file in files for word in ("--config", str(file))]
        return [
            str(run.program), "scan", "--experimental", "--metrics=off", "--disable-version-check",
            "--json", "-q", "--scan-unknown-extensions", "--max-target-bytes=0",
            f"--timeout={_SECONDS_PER_RULE}", *configs, "--", *run.files,
        ]  # fmt: skip

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        return parse_semgrep(output, run, RuleFiles.of(run).ids())

    def unparsed_files(self, output: bytes, run: Invocation) -> Mapping[str, str]:
        return _unfinished_files(output, run)

    def package_of(self, path: str, configs: Mapping[str, str]) -> str | None:
        """Return the root if the project has rules, else None."""
        return "" if f"../{_COPIES}" in configs else None

    def config_overlay(self, folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
        """Return a copy of all rules above the root, where no file under review can be."""
        texts = {path: text for path, text in sorted(configs.items()) if self._is_rule_file(path)}
        has_rules = not folder and RuleFiles(texts).have_rules()
        return {f"../{_COPIES}": msgspec.json.encode(texts).decode()} if has_rules else {}

    def _is_rule_file(self, path: str) -> bool:
        """Return True for a file of rules; files named ``.test`` are test code for rules."""
        return path in _FILES or (self.is_in_config_folder(path) and ".test." not in path)


SEMGREP = Semgrep()
