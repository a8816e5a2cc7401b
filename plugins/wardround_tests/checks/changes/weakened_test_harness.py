from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wardround.checks.base import ChangeCheck
from wardround.checks.source import ChangedFileView
from wardround.findings import Severity
from wardround.rules.cases import change
from wardround.rules.maturity import Maturity
from wardround_tests.changes.config_loosening import lowered_thresholds, weakened_lines
from wardround_tests.changes.conftest import changed_autouse, removed_assertions
from wardround_tests.changes.harness_files import (
    PYTHON_SETTINGS,
    RECIPE_FOLDERS,
    RECIPES,
    SCRIPT_SETTINGS,
    SET_UP_NAMES,
    HarnessKind,
    kind_of,
)
from wardround_tests.changes.line_diff import added_lines, removed_lines, span_of_line
from wardround_tests.changes.loosening import Loosening, line_of_removed_text, short
from wardround_tests.changes.production_changes import Production
from wardround_tests.changes.test_commands import RUNS_TESTS, narrower
from wardround_tests.file_kinds import is_production, is_test

# Patterns are strings, since compiling them takes longer than a review that does not need them.

_QUOTED_WORD = r"[\"'][\w-]+[\"'],?"
"""An item of a list of names, such as plugins."""
_IS_INSTALL = (
    r"\b(install|uses:|pip|requires|dependencies|(uv|poetry|pdm|npm|yarn|pnpm|bun) add)\b|^\s*#|[=<>~]=|"
    r"^\s*(- )?(name|cache|key|path|image|[\w-]*version)\s*:|"
    r"\b(pytest|jest|vitest|tox|nox)[\w.-]*\.(html|xml|json|ini|cfg|toml|py|js|ts)\b"
)


_MOST = 5
"""Maximum number of lines reported in one file."""


class WeakenedTestHarness(ChangeCheck):
    """A change loosens the configuration of the tests that verify it.

    It changes which tests are collected, when they fail, or whether CI requires them to pass, so a successful
    run proves less than before. Review this edit on its own; preferably commit it separately, with the
    reason.
    """

    ID = "TE204"
    NAME = "weakened-test-harness"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "test-harness-edited"
    SEVERITY = Severity.WARN
    PATHS = (
        *("conftest.py", "package.json", "codecov.y"),
        *sorted({*PYTHON_SETTINGS, *SCRIPT_SETTINGS, *RECIPES, *RECIPE_FOLDERS, *SET_UP_NAMES}),
    )
    VALID = [
        change(
            {
                "pyproject.toml": (
                    """
                    [tool.pytest.ini_options]
                    addopts = '-ra'
                    """,
                    """
                    [tool.pytest.ini_options]
                    addopts = '-ra --ignore=tests/old'
                    """,
                ),
            },
        ),
        change(
            {
                "shop.py": (
                    """
                    a = 1
                    """,
                    """
                    a = 2
                    """,
                ),
                "pyproject.toml": (
                    """
                    [tool.pytest.ini_options]
                    addopts = '-ra'
                    """,
                    """
                    [tool.pytest.ini_options]
                    addopts = '-ra --strict-markers'
                    """,
                ),
            },
        ),
    ]
    INVALID = [
        change(
            {
                "shop.py": (
                    """
                    a = 1
                    """,
                    """
                    a = 2
                    """,
                ),
                "src/setupTests.ts": (
                    """
                    console.error = (text) => {
                      throw new Error(text)
                    }
                    mount()
                    """,
                    """
                    «console.error = (text) => {»
                    }
                    mount()
                    """,
                ),
            },
        ),
        change(
            {
                "shop.py": (
                    """
                    a = 1
                    """,
                    """
                    a = 2
                    """,
                ),
                "Makefile": (
                    """
                    test:
                    \tpytest
                    """,
                    """
                    test:
                    \t«-pytest»
                    """,
                ),
            },
        ),
    ]

    def run(self) -> None:
        edited = [file for file in self.change.files if _is_edited_harness(file)]
        if not edited:
            return
        if any(is_production(file.path) or _contains_tests(file.path) for file in self.change.files):
            for file in edited:
                self._check_file(file)

    def _check_file(self, file: ChangedFileView) -> None:
        if file.text is None or file.base_text is None:
            return
        by_line: dict[int, Loosening] = {}
        for loosening in self._loosenings(file):
            by_line.setdefault(loosening.line, loosening)
        for line, loosening in sorted(by_line.items())[:_MOST]:
            self.report(file.path, span_of_line(file, line), loosening.message, loosening.severity)

    def _loosenings(self, file: ChangedFileView) -> Iterator[Loosening]:
        """Yield the lines by which a file lets more tests pass than before."""
        kind, added, removed = kind_of(file.path), added_lines(file), removed_lines(file)
        yield from weakened_lines(kind, file, added, removed)
        if kind is HarnessKind.PYTHON:
            from wardround_tests.changes.pytest_config import loosened_settings  # parsers of settings

            yield from loosened_settings(file)
        else:
            yield from lowered_thresholds(added, removed)
        if kind is HarnessKind.RECIPE or file.path.endswith(("tox.ini", "noxfile.py")):
            yield from self._reduced_runs(file, added, removed)
        elif kind is HarnessKind.SCRIPT:
            from wardround_tests.changes.js_runner_config import loosened_script_settings

            yield from loosened_script_settings(file)
        elif kind is HarnessKind.CONFTEST:
            from wardround_tests.changes.js_runner_config import grown_lists

            yield from grown_lists(
                file, "collect_ignore|collect_ignore_glob", "excludes more tests from the run"
            )
            code = Production([f for f in Production.of(self.change).files if kind_of(f.path) is None])
            yield from changed_autouse(file, removed, code)
            yield from removed_assertions(file, code)

    def _reduced_runs(
        self, file: ChangedFileView, added: Sequence[tuple[int, str]], removed: Sequence[str]
    ) -> Iterator[Loosening]:
        """Yield test commands that run less than before, or are removed from every recipe of the change."""
        old = [line for line in removed if _is_run(line)]
        new = [(number, line) for number, line in added if _is_run(line)]
        if len(new) == len(old):
            for previous, (number, current) in zip(old, new, strict=True):
                if reason := narrower(previous, current):
                    yield Loosening(number, f"{reason}; review this separately from the code under test")
        elif not new:
            lost = self._first_lost_command(file, old)
            if lost:
                text = f"test command is removed: {short(lost)}; review this separately"
                yield Loosening(line_of_removed_text(file, lost), text)

    def _first_lost_command(self, file: ChangedFileView, old: Sequence[str]) -> str:
        """Return the first removed test command; empty if another recipe of the change has it."""
        remaining = list(filter(_is_run, (file.text or "").split("\n")))
        for line in old:
            command = _command(line)
            if any(command in other for other in remaining):
                continue
            is_moved = any(command in text for text in self._other_recipes(file))
            return "" if is_moved else line
        return ""

    def _other_recipes(self, file: ChangedFileView) -> list[str]:
        return [
            other.text or ""
            for other in self.change.files
            if other is not file
            and kind_of(other.path) in (HarnessKind.RECIPE, HarnessKind.SCRIPT, HarnessKind.PYTHON)
        ]


def _is_edited_harness(file: ChangedFileView) -> bool:
    return file.base_path is not None and kind_of(file.path) is not None


def _contains_tests(path: str) -> bool:
    return is_test(path) and not path.endswith("conftest.py")


def _is_run(line: str) -> bool:
    if re.fullmatch(_QUOTED_WORD, line.strip()):
        return False
    return re.search(RUNS_TESTS, line) is not None and re.search(_IS_INSTALL, line) is None


def _command(line: str) -> str:
    """Return a line without list markers and keys."""
    return re.sub(r"^[-\s@]*(run|command|script|commands)?\s*[:=]?\s*", "", line).strip()
