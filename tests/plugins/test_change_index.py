"""The index that selects change-level checks excludes none from a change it can report on."""

from __future__ import annotations

import importlib

import pytest

from tests.rule_cases import RULE_CASES
from wardround.checks.base import ChangeCheck
from wardround.checks.registry import CheckRegistry
from wardround.checks.source import ChangedFileView
from wardround.rules.cases import ChangeCase
from wardround.specialists import Specialist
from wardround.testing import cases_of_change_check

LANGUAGES = ["python", "sql", "typescript", "tests"]


def specialist_of(language: str) -> Specialist:
    module = importlib.import_module(f"wardround_{language}.specialist")
    created: Specialist = getattr(module, f"{language.title()}Specialist")()
    return created


def checks_of(language: str) -> CheckRegistry[type[ChangeCheck]]:
    checks = specialist_of(language).change_checks
    assert isinstance(checks, CheckRegistry)
    return checks


def files_of(case: ChangeCase) -> list[ChangedFileView]:
    return [
        ChangedFileView(
            path, path, lambda line: True, lambda after=after: after, lambda before=before: before
        )
        for path, (before, after) in case.files.items()
    ]


@pytest.mark.parametrize(
    ("language", "check", "case"),
    [
        (item, check, case)
        for item in LANGUAGES
        for check in checks_of(item)
        for case in cases_of_change_check(check, RULE_CASES)[1]
    ],
)
def test_a_check_is_chosen_for_its_own_cases(
    language: str, check: type[ChangeCheck], case: ChangeCase
) -> None:
    assert check in set(checks_of(language).candidates_for_change(files_of(case)))


@pytest.mark.parametrize(
    ("language", "path", "expected"),
    [
        ("python", "src/a.py", []),
        ("typescript", "src/a.ts", []),
        ("tests", "src/a.py", ["TE201", "TE202", "TE205"]),
        ("tests", "tests/test_a.py", ["TE201", "TE202", "TE203", "TE205"]),
        ("tests", "Makefile", ["TE204"]),
    ],
)
def test_a_change_runs_only_the_checks_that_can_report_on_it(
    language: str, path: str, expected: list[str]
) -> None:
    case = ChangeCase({path: ("one = 1\n", "one = 2\n"), "README.md": ("--to\n", "--from\n")})
    assert [check.ID for check in checks_of(language).candidates_for_change(files_of(case))] == expected
