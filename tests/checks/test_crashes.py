"""A check that crashes loses its own results; those of the other checks of the file remain."""

from __future__ import annotations

from functools import cache

import pytest
from msgspec.structs import replace
from wardround_secrets.checks import CHECKS

from wardround import host
from wardround.checks.base import Check
from wardround.checks.crashes import CheckCrashes
from wardround.errors import OverBudget
from wardround.rules.cases import parse_code
from wardround.specialists import Specialist
from wardround.testing import source_for_case

METHODS = [
    ("python", "visit_Module"),
    ("python", "applies"),
    ("python", "__init__"),
    ("tests", "visit_Module"),
    ("tests", "check_test"),
    ("sql", "run"),
    ("docker-ci", "run"),
    ("templates", "run"),
    ("text", "run"),
    ("typescript", "run"),
]


@cache
def _specialist(name: str) -> Specialist:
    return next(item for item in host.load().specialists if item.name == name)


def _broken(check: type[Check], method: str, error: type[BaseException]) -> type[Check]:
    def crash(*_: object) -> None:
        raise error("impossible")

    return type("Broken", (check,), {"ID": "BROKEN", method: crash})


def _results(name: str, method: str, error: type[BaseException], crashes: CheckCrashes | None) -> set[str]:
    """Return the ids of the checks with results for a case of the first check, one of two that crashes."""
    specialist = _specialist(name)
    working = specialist.checks[0]
    case = parse_code(working.INVALID[0], working.CASE_PATH)
    source = replace(source_for_case(specialist, case), crashes=crashes)
    checks = [_broken(working, method, error), working]
    return {f"{name}/{result.code}" for result in specialist.run_checks(checks, source)}


@pytest.mark.parametrize(("name", "method"), METHODS)
def test_a_crash_ends_no_other_check(name: str, method: str) -> None:
    crashes = CheckCrashes()
    results = _results(name, method, ValueError, crashes)
    assert len(results) == 1
    assert f"{name}/BROKEN" not in results
    assert crashes.reasons == ["check BROKEN crashed: ValueError: impossible"]


def test_a_check_of_parsed_python_that_parses_text_in_vain_has_crashed() -> None:
    crashes = CheckCrashes()
    assert _results("python", "visit_Module", SyntaxError, crashes)
    assert crashes.reasons == ["check BROKEN crashed: SyntaxError: impossible"]


@pytest.mark.parametrize(("name", "method"), METHODS)
def test_a_crash_is_raised_where_nothing_records_it(name: str, method: str) -> None:
    with pytest.raises(ValueError, match="impossible"):
        _results(name, method, ValueError, None)


@pytest.mark.parametrize(("name", "method"), METHODS)
def test_an_exceeded_budget_ends_all_checks(name: str, method: str) -> None:
    with pytest.raises(OverBudget):
        _results(name, method, OverBudget, CheckCrashes())


def test_a_crash_of_a_check_for_secrets_ends_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = CHECKS[0], CHECKS[1]
    specialist, crashes = _specialist("secrets"), CheckCrashes()

    def crash(text: object) -> None:
        raise ValueError("impossible")

    monkeypatch.setattr(first, "find", crash)
    monkeypatch.setattr(first, "is_possible", lambda path, anchors: True)
    case = parse_code(second.INVALID[0], second.CASE_PATH)
    source = replace(source_for_case(specialist, case), crashes=crashes)
    assert [result.code for result in specialist.run_checks(specialist.checks, source)] == [second.ID]
    assert crashes.reasons == [f"check {first.ID} crashed: ValueError: impossible"]


def test_one_sentence_names_the_checks_with_one_error() -> None:
    crashes = CheckCrashes()
    for number in range(7):
        crashes.add(f"PY{number}", ValueError("x"))
    crashes.add("PY9", KeyError("y"))
    assert crashes.reasons == [
        "checks PY0, PY1, PY2, PY3, PY4 and 2 more crashed: ValueError: x",
        "check PY9 crashed: KeyError: 'y'",
    ]
