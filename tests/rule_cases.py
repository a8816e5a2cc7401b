"""All cases of rules: those in their checks, and the further ones in ``tests/rules``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from wardround.checks.base import Check
from wardround.rules.cases import Invalid
from wardround.testing import cases_of_check

RULE_CASES = Path(__file__).parent / "rules"


def invalid_cases_of(checks: Iterable[type[Check]]) -> list[tuple[type[Check], Invalid]]:
    """Return every case that the checks must report."""
    return [(check, case) for check in checks for case in cases_of_check(check, RULE_CASES)[1]]
