"""The index that selects checks has every check and excludes none from a file it can report on."""

from __future__ import annotations

import subprocess
import sys

import pytest
from wardround_docker_ci.check import CiCheck
from wardround_docker_ci.file_kinds import FileKind, kind_of
from wardround_docker_ci.specialist import DockerCiSpecialist

from tests.rule_cases import invalid_cases_of
from wardround.checks.base import Check
from wardround.checks.index import discover_checks
from wardround.checks.registry import CheckRegistry
from wardround.checks.source import SourceFile
from wardround.rules.cases import Invalid

CHECKS = DockerCiSpecialist().checks


def test_every_check_is_in_it_once() -> None:
    assert isinstance(CHECKS, CheckRegistry)
    assert sorted(c.__name__ for c in CHECKS) == sorted(
        c.__name__ for c in discover_checks("wardround_docker_ci.checks")
    )
    assert len({check.ID for check in CHECKS}) == len(CHECKS)
    assert [CHECKS.get(check.ID) for check in CHECKS] == list(CHECKS)
    assert CHECKS.get("none") is None


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.ID)
def test_a_check_is_reached_by_every_kind_it_declares(check: type[Check]) -> None:
    assert isinstance(CHECKS, CheckRegistry)
    assert issubclass(check, CiCheck)
    assert check.KINDS
    for kind in FileKind:
        chosen = set(CHECKS.candidates(kind, SourceFile("", " ".join(check.NEEDS))))
        assert (check in chosen) == (kind in check.KINDS)


@pytest.mark.parametrize(("check", "case"), invalid_cases_of(CHECKS))
def test_a_check_is_chosen_for_its_own_cases(check: type[Check], case: Invalid) -> None:
    assert isinstance(CHECKS, CheckRegistry)
    kind = kind_of(case.path, case.source)
    assert kind is not None
    assert check in set(CHECKS.candidates(kind, SourceFile(case.path, case.source)))


def test_a_dockerfile_imports_no_check_of_anything_else() -> None:
    program = (
        "import sys\n"
        "from wardround.checks.source import SourceFile\n"
        "from wardround_docker_ci.specialist import DockerCiSpecialist\n"
        "one = DockerCiSpecialist()\n"
        "source = SourceFile('Dockerfile', 'FROM a:1\\nUSER root\\n')\n"
        "print([r.code for r in one.run_checks(one.checks, source)])\n"
        "print(sorted(m for m in sys.modules if m.startswith('wardround_docker_ci.checks.')))\n"
    )
    for _ in ("builds the index", "reads it"):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    reported, imported = done.stdout.splitlines()
    assert reported == "['DC005', 'DC008']"
    assert "runs_as_root" in imported
    assert "no_permissions" not in imported
    assert "apt_without_yes" not in imported
