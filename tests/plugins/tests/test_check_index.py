"""The index that selects checks has every check and excludes none from a file it can report on."""

from __future__ import annotations

import pytest
from wardround_tests.specialist import TestsSpecialist

from tests.rule_cases import invalid_cases_of
from wardround.checks.base import Check
from wardround.checks.index import discover_checks
from wardround.checks.registry import CheckRegistry
from wardround.rules.cases import Invalid
from wardround.testing import source_for_case

CHECKS = TestsSpecialist().checks


def test_every_check_is_in_it_once() -> None:
    assert {*CHECKS, *TestsSpecialist().change_checks} == set(discover_checks("wardround_tests.checks"))
    assert len({check.ID for check in CHECKS}) == len(CHECKS)


@pytest.mark.parametrize(("check", "case"), invalid_cases_of(CHECKS))
def test_a_check_is_chosen_for_its_own_cases(check: type[Check], case: Invalid) -> None:
    assert isinstance(CHECKS, CheckRegistry)
    assert check in set(CHECKS.candidates("", source_for_case(TestsSpecialist(), case)))
