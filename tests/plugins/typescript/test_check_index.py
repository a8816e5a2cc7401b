"""The index that selects checks has every check and excludes none from a file it can report on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import PurePosixPath

import pytest
from wardround_typescript.specialist import TypescriptSpecialist

from tests.rule_cases import invalid_cases_of
from wardround.checks.base import Check
from wardround.checks.index import discover_checks
from wardround.checks.registry import CheckRegistry
from wardround.checks.source import SourceFile
from wardround.rules.cases import Invalid

CHECKS = TypescriptSpecialist().checks


def test_index_contains_every_check_once() -> None:
    assert isinstance(CHECKS, CheckRegistry)
    checks = {*CHECKS, *TypescriptSpecialist().change_checks}
    assert checks == set(discover_checks("wardround_typescript.checks"))
    assert len({check.ID for check in CHECKS}) == len(CHECKS)


@pytest.mark.parametrize(("check", "case"), invalid_cases_of(CHECKS))
def test_index_selects_a_check_for_its_own_cases(check: type[Check], case: Invalid) -> None:
    assert isinstance(CHECKS, CheckRegistry)
    assert check in set(
        CHECKS.candidates(PurePosixPath(case.path).suffix, SourceFile(case.path, case.source))
    )


def test_script_without_matching_words_imports_few_checks_and_no_parser() -> None:
    program = (
        "import sys\n"
        "from wardround.checks.source import SourceFile\n"
        "from wardround_typescript.specialist import TypescriptSpecialist\n"
        "one = TypescriptSpecialist()\n"
        "source = SourceFile('src/a.ts', 'const a = 1;\\n')\n"
        "print([r.code for r in one.run_checks(one.checks, source)])\n"
        "kept = ('wardround_typescript.checks.', 'tree_sitter')\n"
        "print(sorted(name for name in sys.modules if name.startswith(kept)))\n"
    )
    for _ in ("builds the index", "reads it"):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    reported, imported = done.stdout.splitlines()
    assert reported == "[]"
    assert "stale_response_race" not in imported
    assert "tree_sitter" not in imported
