"""ruff: its command and its configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from wardround.findings import Plane, RawFinding
from wardround.tools.excluded_files import ExcludedFiles
from wardround.tools.ignore_comments import IgnoreComment
from wardround.tools.parsing import RAN
from wardround.tools.tool import Invocation, Probe, Tool, install_line
from wardround_python.environment import PROJECT_FILES
from wardround_python.specialist import PYTHON
from wardround_python.tools import pylint_settings
from wardround_python.tools.ruff_config import (
    excludes_by_itself,
    extended_by,
    is_in_default_exclude,
    ruff_config_closure,
    ruff_config_overlay,
    ruff_fallback_config,
)

_EXCLUDED = ("exclude", "extend-exclude")
_NO_FOLDERS = ("--config", "exclude = []")
"""Replaces the folders that ruff excludes by default, such as ``dist`` and ``venv``."""


def _is_set_for_any(run: Invocation) -> bool:
    return any(excludes_by_itself(run.root, file) for file in run.files)


class Ruff(Tool):
    """ruff, with the project's configuration and our selection."""

    name = "ruff"
    planes = frozenset(Plane) - {Plane.INTENT}
    required_planes = frozenset({Plane.SEMANTIC, Plane.SECURITY, Plane.PERF})
    ignore_comments = (
        IgnoreComment(
            r"(?:#|--|//|/\*)\s*noqa\b",  # tools take any blank of Unicode
            ("noqa",),
            ((PYTHON, r"#\s*((?i:noqa)\b)"),),
            after_reason="noqa",
        ),
        IgnoreComment(
            r"#\s*(?:ruff|flake8|pylint)\s*[:=]",
            ("ruff", "flake8", "pylint"),
            ((PYTHON, r"#\s*((?:ruff|flake8)\s*[:=]\s*(?i:noqa|ignore|disable|file-ignore))"),),
            region=r"#\s*(?:ruff|flake8|pylint)\s*[:=]",
            region_end=r"ruff\s*:\s*enable",
            after_reason="ruff:|pylint:",
        ),
    )
    excluded_files = (
        ExcludedFiles(
            ("pyproject.toml",),
            (("tool", "ruff"), ("tool", "ruff", "lint"), ("tool", "ruff", "format")),
            _EXCLUDED,
        ),
        ExcludedFiles(("ruff.toml", ".ruff.toml"), ((), ("lint",), ("format",)), _EXCLUDED),
    )
    probe = Probe("probe.py", "print(undefined)\n", "F821")
    program = "ruff"
    success_codes = RAN
    returns_end_lines = True
    install = install_line()
    distribution = "ruff"
    config_names = ("pyproject.toml", "ruff.toml", ".ruff.toml", *pylint_settings.FILES)
    project_files = PROJECT_FILES

    def command(self, run: Invocation) -> Sequence[str]:
        selected = [f"--extend-select={code.rstrip('*') or 'ALL'}" for code in run.requested]
        return [
            str(run.program), "check", "--no-cache", "--no-fix", "--quiet", "--force-exclude",
            *(_NO_FOLDERS if any(map(is_in_default_exclude, run.files)) and not _is_set_for_any(run) else ()),
            "--no-respect-gitignore", "--output-format", "json", *selected, "--", *run.files,
        ]  # fmt: skip

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        """Read ``ruff check --output-format json``."""
        if output.strip() == b"[]":
            return []
        from wardround_python.tools.ruff_results import findings_of  # a run without results needs none of it

        return findings_of(output, run)

    def skipped_files(self, printed: bytes, run: Invocation) -> Mapping[str, str]:
        """Return the files that ruff skips by default, if the project sets ``exclude`` for others."""
        excluded = [file for file in run.files if is_in_default_exclude(file)]
        if not excluded or not _is_set_for_any(run):
            return {}
        reason = "ruff excludes folders of this name by default; set exclude in ruff's configuration"
        return {file: reason for file in excluded if not excludes_by_itself(run.root, file)}

    def accepts(self, path: str, text: str) -> bool:
        """Return True for Python: a specialist that borrows ruff claims files of other types too."""
        from wardround_python.specialist import PythonSpecialist

        return PythonSpecialist().claims(path, text)

    def config_closure(self, path: str, text: str) -> Sequence[str]:
        return ruff_config_closure(path, text)

    def named_paths(self, path: str, text: str) -> Sequence[str]:
        return extended_by(path, text)

    def config_overlay(self, folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
        return ruff_config_overlay(folder, configs)

    def fallback_config(self, read: Callable[[str], str | None]) -> tuple[str, str] | None:
        return ruff_fallback_config(read)


RUFF = Ruff()
