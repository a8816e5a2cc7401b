"""ty: its command and the parser of its output."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path, PurePosixPath

import msgspec

from wardround.errors import ToolOutputError
from wardround.findings import Plane, RawFinding, Severity, Span
from wardround.lazy import LazyPattern
from wardround.tools.ignore_comments import IgnoreComment
from wardround.tools.parsing import RAN, collapse_whitespace, decode_output, map_of, relative, selection
from wardround.tools.setting_texts import texts_at, toml_document
from wardround.tools.tool import Invocation, Probe, Tool, ToolScope, install_line
from wardround_python.environment import PROJECT_FILES
from wardround_python.specialist import PYTHON
from wardround_python.target_version import noted_target, required_version, target_note
from wardround_python.tools import pylint_settings
from wardround_python.tools.ruff_config import read_snapshot_file


class GitlabPlace(msgspec.Struct):
    line: int
    column: int


class GitlabPositions(msgspec.Struct):
    begin: GitlabPlace
    end: GitlabPlace


class GitlabLocation(msgspec.Struct):
    path: str
    positions: GitlabPositions


class GitlabResult(msgspec.Struct):
    check_name: str
    description: str
    severity: str
    location: GitlabLocation


_TY_CONFIGS = ("pyproject.toml", "ty.toml")


_PATHS = ("environment.extra-paths", "environment.root", "environment.typeshed", "src.root")
"""The settings that list folders, except that of the environment, which is passed as an option."""


def _version(run: Invocation) -> Sequence[str]:
    """Return the option for the Python version, unless settings of ty or the project's environment have one.

    ty itself reads ``requires-python``, but also where it is older than the types of the standard library.
    """
    target = noted_target(run)
    if run.environment is not None and target.oldest is None:
        return ()
    if any(pattern.search(read_snapshot_file(run.root, name) or "") for name, pattern in _STATED.items()):
        return ()
    return ("--python-version", target.type_version())


_STATED = {
    "pyproject.toml": LazyPattern(r"^\[tool\.ty\.environment\]", re.MULTILINE),
    "ty.toml": LazyPattern(r"python-version"),
}


def _make_empty_environment(scratch: Path) -> Path:
    """Return an environment without packages: by default ty uses the packages installed next to it."""
    environment = scratch / "without-packages"
    (environment / "lib" / "python3.9" / "site-packages").mkdir(parents=True, exist_ok=True)
    return environment


class Ty(Tool):
    """ty, with the types of the project."""

    name = "ty"
    planes = frozenset({Plane.INTENT, Plane.CONTRACT, Plane.SEMANTIC})
    ignore_comments = (
        IgnoreComment(
            r"#\s*(?:type|ty|mypy)\s*:\s*ignore",
            ("ignore",),
            ((PYTHON, r"#\s*((?:type|ty|pyright|mypy)\s*:\s*ignore)"),),
            after_reason="type:|ty:",
        ),
    )
    probe = Probe("probe.py", "numbers = [1]\nnumbers()\n", "not-callable", 2)
    program = "ty"
    success_codes = RAN
    returns_end_lines = True
    typical_s = 0.1
    install = install_line()
    scope = ToolScope.PROJECT
    files_per_run = 1000
    distribution = "ty"
    config_names = (*_TY_CONFIGS, *pylint_settings.FILES)
    project_files = PROJECT_FILES

    def command(self, run: Invocation) -> Sequence[str]:
        argv = [str(run.program), "check", "--output-format", "gitlab", "--no-progress"]
        if run.environment is not None:
            argv += ["--python", str(run.environment)]
        else:  # the installed packages are unknown, so imports cannot be checked
            argv += ["--ignore", "import-not-found", "--python", str(_make_empty_environment(run.scratch))]
        argv += _version(run)
        argv += [part for code in run.requested for part in ("--warn", code)]
        return [*argv, "--", *run.files]

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        """Read ``ty check --output-format gitlab``."""
        results = decode_output(output, list[GitlabResult])
        if not results:
            return []
        from wardround_python.tools.false_positives.refuted_facts import line_of, refuter  # only for results
        from wardround_python.tools.false_positives.unknown_signatures import Signatures
        from wardround_python.tools.late_none_tests import LATE, refute_by_later_test

        found = []
        is_refuted = refuter(run.root)
        is_tested_late = refute_by_later_test(run.root)
        signatures = Signatures(run.root, noted_target(run).type_version())
        lines_of = cache(lambda file: (read_snapshot_file(run.root, file) or "").split("\n"))

        @cache
        def is_waived(file: str, line: int) -> bool:
            """Return True if a comment on a line suppresses type checkers."""
            return "type: ignore" in line_of(lines_of(file), line)

        for result in results:
            begin, end = result.location.positions.begin, result.location.positions.end
            if result.check_name == "io":
                raise ToolOutputError(f"ty could not read a file: {result.description}")
            if PurePosixPath(result.location.path).name in ("", *_TY_CONFIGS):
                continue  # about the configuration, not about a file under review
            span = Span(begin.line, begin.column, end.line, end.column)
            message = collapse_whitespace(result.description.removeprefix(f"{result.check_name}: "))
            needed = required_version(message) if result.check_name == "invalid-syntax" else None
            if needed is not None and noted_target(run).supports(needed):
                continue  # ruff reports it with the same severity
            file = relative(result.location.path, run)
            is_asked = result.check_name in run.requested or not map_of("ty").is_ignored(
                result.check_name, file
            )
            is_fact = map_of("ty").states_fact(result.check_name, message)
            is_late = not is_waived(file, span.line) and is_tested_late(
                file, result.check_name, message, span
            )
            is_fact = is_fact or is_late
            is_more = is_fact or result.check_name in map_of("ty").if_caused
            is_told = is_asked or (is_more and not is_waived(file, span.line))
            is_told = is_told and not map_of("ty").is_ignored_message(result.check_name, message)
            if (
                is_told
                and not is_refuted(file, result.check_name, span)
                and not signatures.is_unknown(result.check_name, message, file, span)
            ):
                only_caused = not (is_asked or is_fact)
                severity = Severity.WARN if is_late else None
                if is_late:
                    message = f"{message}; {LATE}"
                found.append(
                    RawFinding(
                        result.check_name, file, span, message, severity=severity,
                        only_caused=only_caused, is_confirmed=is_late,
                    )
                )  # fmt: skip
        return found

    def named_paths(self, path: str, text: str) -> Sequence[str]:
        stem = "tool.ty." if path.endswith("pyproject.toml") else ""
        return texts_at(toml_document(text), *(stem + setting for setting in _PATHS))

    def identity(self) -> str:
        return selection("ty")

    def fallback_config(self, read: Callable[[str], str | None]) -> tuple[str, str] | None:
        return target_note(read)


TY = Ty()
