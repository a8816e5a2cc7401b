"""TE204."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wardround.checks.base import ChangeCheck
from wardround.checks.cases import change
from wardround.checks.source import ChangedFileView
from wardround.findings import Severity
from wardround_tests.changes.config_loosening import lowered_thresholds, weakened_lines
from wardround_tests.changes.conftest import changed_autouse, fewer_demands
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
from wardround_tests.changes.loosening import Eased, line_that_lost, short
from wardround_tests.changes.production_changes import Production
from wardround_tests.changes.test_commands import RUNS_TESTS, narrower
from wardround_tests.file_kinds import is_production, is_test

# Patterns are texts here, since compiling them takes longer than most reviews that need none.

_IS_INSTALL = (
    r"\b(install|uses:|pip|requires|dependencies|(uv|poetry|pdm|npm|yarn|pnpm|bun) add)\b|^\s*#|[=<>~]=|"
    r"^\s*(- )?(name|cache|key|path|image|[\w-]*version)\s*:|"
    r"\b(pytest|jest|vitest|tox|nox)[\w.-]*\.(html|xml|json|ini|cfg|toml|py|js|ts)\b"
)


_MOST = 5
"""So many places of one file are told."""


class WeakenedTestHarness(ChangeCheck):
    """A change eases the tests it is judged by: what they collect, what fails them, or whether CI minds.

    Together with code in the same change, a green run no longer says what it said before. A person has to
    look at this edit by itself; best give it a commit of its own, with the reason.
    """

    ID = "TE204"
    NAME = "weakened-test-harness"
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
        edited = [f for f in self.change.files if f.base_path is not None and kind_of(f.path) is not None]
        judged = [f for f in self.change.files if is_production(f.path) or _holds_tests(f.path)]
        if not edited or not judged:
            return
        for file in edited:
            if file.text is None or file.base_text is None:
                continue
            places: dict[int, Eased] = {}
            for one in self._eased(file):
                places.setdefault(one.line, one)
            for line in sorted(places)[:_MOST]:
                self.report(file.path, span_of_line(file, line), places[line].message, places[line].severity)

    def _eased(self, file: ChangedFileView) -> Iterator[Eased]:
        """The lines by which a file lets more pass than before, and how."""
        kind, added, gone = kind_of(file.path), added_lines(file), removed_lines(file)
        yield from weakened_lines(kind, file, added, gone)
        if kind is HarnessKind.PYTHON:
            from wardround_tests.changes.pytest_config import eased_settings  # parsers of settings

            yield from eased_settings(file)
        else:
            yield from lowered_thresholds(added, gone)
        if kind is HarnessKind.RECIPE or file.path.endswith(("tox.ini", "noxfile.py")):
            yield from self._run_less(file, added, gone)
        elif kind is HarnessKind.SCRIPT:
            from wardround_tests.changes.js_runner_config import eased_script_settings

            yield from eased_script_settings(file)
        elif kind is HarnessKind.CONFTEST:
            from wardround_tests.changes.js_runner_config import grown_lists

            yield from grown_lists(
                file, "collect_ignore|collect_ignore_glob", "leaves more tests out of the run"
            )
            code = Production([f for f in Production.of(self.change).files if kind_of(f.path) is None])
            yield from changed_autouse(file, gone, code)
            yield from fewer_demands(file, code)

    def _run_less(
        self, file: ChangedFileView, added: Sequence[tuple[int, str]], gone: Sequence[str]
    ) -> Iterator[Eased]:
        """Commands that run fewer tests than before, or are gone from every recipe of the change."""
        old = [line for line in gone if _is_run(line)]
        new = [(number, line) for number, line in added if _is_run(line)]
        if len(new) == len(old):
            for was, (number, now) in zip(old, new, strict=True):
                reason = narrower(was, now)
                if reason:
                    yield Eased(number, f"{reason}, in the change that it judges")
        elif not new:
            kept = [line for line in (file.text or "").split("\n") if _is_run(line)]
            lost = [line for line in old if not any(_command(line) in one for one in kept)]
            if lost and not any(_command(lost[0]) in text for text in self._other_recipes(file)):
                yield Eased(
                    line_that_lost(file, lost[0]), f"these tests are no longer run here: {short(lost[0])}"
                )

    def _other_recipes(self, file: ChangedFileView) -> list[str]:
        return [
            other.text or ""
            for other in self.change.files
            if other is not file
            and kind_of(other.path) in (HarnessKind.RECIPE, HarnessKind.SCRIPT, HarnessKind.PYTHON)
        ]


def _holds_tests(path: str) -> bool:
    return is_test(path) and not path.endswith("conftest.py")


def _is_run(line: str) -> bool:
    return re.search(RUNS_TESTS, line) is not None and re.search(_IS_INSTALL, line) is None


def _command(line: str) -> str:
    """A line without what makes it an item or a value of something."""
    return re.sub(r"^[-\s@]*(run|command|script|commands)?\s*[:=]?\s*", "", line).strip()
