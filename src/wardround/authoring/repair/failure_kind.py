"""How a failing test ends: by an exception of the code, by a wrong value, or because nothing is raised."""

from __future__ import annotations

from enum import StrEnum

from wardround.authoring.repair.model import Failure, Observation
from wardround.lazy import LazyPattern

_ASSERTIONS = ("", "AssertionError", "Failed")
_NOT_RAISED = LazyPattern(r"DID NOT (RAISE|WARN)|\w+ not (raised|triggered)\b")


class FailureKind(StrEnum):
    """The kinds by which operators are weighted, and proposals are restricted."""

    EXCEPTION = "exception"
    WRONG_VALUE = "wrong-value"
    NOT_RAISED = "not-raised"


def kind_of(failure: Failure | None) -> FailureKind:
    """Return the kind of a failure; that of an unknown one is a wrong value, the most common."""
    if failure is None:
        return FailureKind.WRONG_VALUE
    if _NOT_RAISED.search(f"{failure.message}\n{failure.text}"):
        return FailureKind.NOT_RAISED
    is_assertion = failure.exception.rpartition(".")[2] in _ASSERTIONS
    return FailureKind.WRONG_VALUE if is_assertion else FailureKind.EXCEPTION


def first_failure(observation: Observation) -> Failure | None:
    """Return the failure of the first failing test that has one."""
    failures = (test.failure for test in observation.failing)
    return next((failure for failure in failures if failure is not None), None)
