"""Running the cases a rule carries, for authors of plugins and for wardround itself.

import pytest
from wardround.testing import invalid_cases, places, valid_cases

@pytest.mark.parametrize(("specialist", "check", "case"), invalid_cases(load().specialists))
def test_check_reports(specialist, check, case):
assert places(specialist, check, case) == [(case.line, case.column)]
"""

from __future__ import annotations

from collections.abc import Iterable

from wardround.checks import Check, Invalid, NoProject, Source, Valid
from wardround.findings import RawResult
from wardround.specialists import Specialist


def results(specialist: Specialist, check: type[Check], case: str | Valid | Invalid) -> list[RawResult]:
    """Everything one check says about one case, in the order of places."""
    if isinstance(case, str):
        case = Valid(case)
    options = specialist.options() if specialist.options is not None else None
    source = Source(case.path, case.source, case.base, NoProject(case.others), options)
    return sorted(specialist.run_checks([check], source), key=lambda result: result.span)


def places(specialist: Specialist, check: type[Check], case: str | Valid | Invalid) -> list[tuple[int, int]]:
    """The (line, column) of everything one check says about one case."""
    return [result.span.start for result in results(specialist, check, case)]


def invalid_cases(specialists: Iterable[Specialist]) -> list[tuple[Specialist, type[Check], Invalid]]:
    """Every case that must be reported."""
    return [(s, check, case) for s in specialists for check in s.checks for case in check.INVALID]


def valid_cases(specialists: Iterable[Specialist]) -> list[tuple[Specialist, type[Check], str | Valid]]:
    """Every case that must be passed over."""
    return [(s, check, case) for s in specialists for check in s.checks for case in check.VALID]
