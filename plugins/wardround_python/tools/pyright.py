"""pyright: its command and the parser of its output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType

import msgspec

from wardround.errors import ToolOutputError
from wardround.findings import Plane, RawFinding, Severity, Span
from wardround.languages import jsonc
from wardround.lazy import LazyPattern
from wardround.tools.ignore_comments import CommentForm, IgnoreComment
from wardround.tools.parsing import RAN, collapse_whitespace, decode_output, map_of, relative, selection
from wardround.tools.setting_texts import resolve_sibling, texts_at, toml_document
from wardround.tools.tool import Columns, Invocation, Probe, Profile, Tool, ToolScope, install_line
from wardround_python.environment import PROJECT_FILES
from wardround_python.specialist import PYTHON
from wardround_python.target_version import noted_target, required_version, target_note
from wardround_python.tools import pylint_settings
from wardround_python.tools.ruff_config import read_snapshot_file


class PyrightPlace(msgspec.Struct):
    line: int
    character: int


class PyrightRange(msgspec.Struct):
    start: PyrightPlace
    end: PyrightPlace


class PyrightResult(msgspec.Struct):
    file: str
    severity: str
    message: str
    range: PyrightRange | None = None
    rule: str | None = None


class PyrightSummary(msgspec.Struct, rename="camel"):
    files_analyzed: int


class PyrightOutput(msgspec.Struct, rename="camel"):
    general_diagnostics: list[PyrightResult]
    summary: PyrightSummary


_SETTING = CommentForm(PYTHON.files, r"#\s*(pyright\s*:)")
_CONFIGS = ("pyproject.toml", "pyrightconfig.json")
_PATHS = (
    "extends", "extraPaths", "stubPath", "typeshedPath",
    "executionEnvironments.*.root", "executionEnvironments.*.extraPaths",
)  # fmt: skip
"""The settings that list its files and folders. The folder of environments may be anywhere: of
these it reads installed packages only.
"""
_STATED = LazyPattern(r"pythonVersion")
_UNKNOWN_SYNTAX = LazyPattern(r"Expected |Unpack operation not allowed in comprehension")
"""Messages of pyright for syntax that is newer than it."""


def _configured_strings(path: str, text: str, *settings: str) -> list[str]:
    """Return the strings in settings of a configuration file, including those that it may extend."""
    if path.endswith(".toml"):
        return texts_at(toml_document(text), *(f"tool.pyright.{setting}" for setting in settings))
    return texts_at(jsonc.loads(text), *settings) if path.endswith(".json") else []


def _is_newer(message: str, file: str, run: Invocation) -> bool:
    """Return True for syntax that a supported Python reads, even if the target version does not."""
    needed = required_version(message)
    if needed is not None:
        return noted_target(run).supports(needed)
    if not _UNKNOWN_SYNTAX.match(message):
        return False
    from wardround.languages.python.tree import parse  # not at commit

    try:
        parse(read_snapshot_file(run.root, file) or "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


class Pyright(Tool):
    """pyright, with the types of the project."""

    name = "pyright"
    planes = frozenset({Plane.CONTRACT, Plane.SEMANTIC, Plane.TESTS})
    ignore_comments = (
        IgnoreComment(
            r"#\s*(?:pyright|mypy)\s*:",
            ("pyright", "mypy"),
            ((PYTHON, r"#\s*(pyright\s*:\s*basic)"), (_SETTING, r"=\s*(?:false|none)\b")),
            region=r"#\s*(?:pyright|mypy)\s*[:=]",
            after_reason="pyright:|mypy:",
            settings=("# pyright:",),
        ),
    )
    probe = Probe("probe.py", "print(undefined)\n", "reportUndefinedVariable")
    program = "pyright"
    success_codes = RAN
    returns_end_lines = True
    typical_s = 3.0
    install = install_line("ci")
    profiles = frozenset({Profile.CI})
    scope = ToolScope.PROJECT
    columns = Columns.UTF16
    timeout_s = 300.0
    distribution = "pyright"
    config_names = (*_CONFIGS, *pylint_settings.FILES)
    project_files = PROJECT_FILES
    variables = MappingProxyType({"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1", "PYRIGHT_PYTHON_NODE_ENV": "wheel"})

    def command(self, run: Invocation) -> Sequence[str]:
        argv = [str(run.program), "--outputjson", "--level", "error"]
        if run.environment is not None:
            argv += ["--pythonpath", str(run.environment / "bin" / "python")]
        elif not any(_STATED.search(read_snapshot_file(run.root, name) or "") for name in _CONFIGS):
            argv += ["--pythonversion", noted_target(run).type_version()]
        return [*argv, *(f"./{file}" for file in run.files)]

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        """Read ``pyright --outputjson``, whose positions are 0-based."""
        answer = decode_output(output, PyrightOutput)
        if answer.summary.files_analyzed < 1:
            raise ToolOutputError("pyright checked no files")
        from wardround_python.tools.false_positives.refuted_facts import refuter  # not at commit
        from wardround_python.tools.late_none_tests import LATE, refute_by_later_test

        results = []
        is_refuted = refuter(run.root)
        is_tested_late = refute_by_later_test(run.root)
        for result in answer.general_diagnostics:
            if result.range is None or result.severity == "information":
                continue
            start, end = result.range.start, result.range.end
            span = Span(start.line + 1, start.character + 1, end.line + 1, end.character + 1)
            code = result.rule or "syntax-error"
            file = relative(result.file, run)
            if result.rule in (None, "reportGeneralTypeIssues") and _is_newer(result.message, file, run):
                continue  # ruff reports it with the same severity
            is_asked = code in run.requested or not map_of("pyright").is_ignored(code, file)
            is_late = is_tested_late(file, code, result.message, span)
            if (is_asked or is_late) and not is_refuted(file, code, span):
                message = collapse_whitespace(result.message)
                results.append(
                    RawFinding(
                        code, file, span, f"{message}; {LATE}" if is_late else message,
                        severity=Severity.WARN if is_late else None, is_confirmed=is_late,
                    )
                )  # fmt: skip
        return results

    def config_closure(self, path: str, text: str) -> Sequence[str]:
        targets = (resolve_sibling(path, name) for name in _configured_strings(path, text, "extends"))
        return [target for target in targets if target is not None]

    def named_paths(self, path: str, text: str) -> Sequence[str]:
        return _configured_strings(path, text, *_PATHS)

    def identity(self) -> str:
        return selection("pyright")

    def fallback_config(self, read: Callable[[str], str | None]) -> tuple[str, str] | None:
        return target_note(read)


PYRIGHT = Pyright()
