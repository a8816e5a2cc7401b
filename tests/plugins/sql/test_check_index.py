"""The index of checks has every check, and selects it for each file that it can report on."""

from __future__ import annotations

import subprocess
import sys

import pytest
from wardround_sql.check import SqlCheck
from wardround_sql.document import SqlDocument
from wardround_sql.specialist import SqlSpecialist

from tests.rule_cases import invalid_cases_of
from wardround.checks.base import Check
from wardround.checks.index import discover_checks
from wardround.checks.registry import CheckRegistry
from wardround.checks.source import SourceFile
from wardround.rules.cases import Invalid

CHECKS = SqlSpecialist().checks


def test_the_index_has_every_check_once() -> None:
    assert isinstance(CHECKS, CheckRegistry)
    assert {*CHECKS, *SqlSpecialist().change_checks} == set(discover_checks("wardround_sql.checks"))
    assert len({check.ID for check in CHECKS}) == len(CHECKS)
    assert [CHECKS.get(check.ID) for check in CHECKS] == list(CHECKS)
    assert CHECKS.get("none") is None


@pytest.mark.parametrize(("check", "case"), invalid_cases_of(CHECKS))
def test_a_check_is_selected_for_its_own_cases(check: type[Check], case: Invalid) -> None:
    assert isinstance(CHECKS, CheckRegistry)
    assert issubclass(check, SqlCheck)
    text = case.source if check.READS == "code" else SqlDocument(SourceFile(case.path, case.source)).sql
    assert check in set(CHECKS.candidates(check.READS, SourceFile("", text.lower())))


def test_a_migration_imports_only_the_checks_that_may_match() -> None:
    program = (
        "import sys\n"
        "from wardround.checks.source import SourceFile\n"
        "from wardround_sql.specialist import SqlSpecialist\n"
        "one = SqlSpecialist()\n"
        "source = SourceFile('db/migrations/0002_a.sql', 'delete from a;\\n')\n"
        "print([r.code for r in one.run_checks(one.checks, source)])\n"
        "print(sorted(m for m in sys.modules if m.startswith('wardround_sql.checks.')))\n"
    )
    for _ in ("builds the index", "reads it"):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    reported, imported = done.stdout.splitlines()
    assert reported == "['SQ020']"
    assert "write_without_where" in imported
    assert "policy_always_true" not in imported
