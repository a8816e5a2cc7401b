"""Checks of a change as a whole, one rule in each file."""

from __future__ import annotations

from wardround.checks import ChangeCheck
from wardround_tests.changes.edited_harness import EditedHarness
from wardround_tests.changes.fix_without_test import FixWithoutTest
from wardround_tests.changes.untested_function import UntestedFunction
from wardround_tests.changes.weakened_test import WeakenedTest

CHECKS: tuple[type[ChangeCheck], ...] = (UntestedFunction, FixWithoutTest, WeakenedTest, EditedHarness)
