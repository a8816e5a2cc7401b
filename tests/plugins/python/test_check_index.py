"""The index of checks has every check and excludes none from a file it can report on."""

from __future__ import annotations

import subprocess
import sys

import pytest
from wardround_python.specialist import PythonSpecialist

from tests.rule_cases import invalid_cases_of
from wardround.checks.base import Check
from wardround.checks.index import discover_checks
from wardround.checks.registry import CheckRegistry
from wardround.rules.cases import Invalid
from wardround.testing import source_for_case

CHECKS = PythonSpecialist().checks


def test_every_check_is_in_it_once() -> None:
    assert isinstance(CHECKS, CheckRegistry)
    assert {*CHECKS, *PythonSpecialist().change_checks} == set(discover_checks("wardround_python.checks"))
    assert len({check.ID for check in CHECKS}) == len(CHECKS)


@pytest.mark.parametrize(("check", "case"), invalid_cases_of(CHECKS))
def test_a_check_is_selected_for_its_own_cases(check: type[Check], case: Invalid) -> None:
    assert isinstance(CHECKS, CheckRegistry)
    assert check in set(CHECKS.candidates("", source_for_case(PythonSpecialist(), case)))


def test_a_module_imports_the_checks_that_may_report() -> None:
    program = (
        "import sys\n"
        "from wardround.checks.source import SourceFile\n"
        "from wardround_python.specialist import PythonSpecialist\n"
        "one = PythonSpecialist()\n"
        "source = SourceFile('a.py', 'import os\\nPORT = int(os.environ[\\'PORT\\'])\\n')\n"
        "list(one.run_checks(one.checks, source))\n"
        "print(sorted(m for m in sys.modules if m.startswith('wardround_python.checks.')))\n"
    )
    for _ in ("builds the index", "reads it"):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "env_without_validation" in done.stdout
    assert "insecure_cipher" not in done.stdout
    assert "wardround_python.dataflow" not in done.stdout
