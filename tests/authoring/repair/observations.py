"""Observations of small projects, made from the lines that each test executes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wardround.authoring.repair.model import Failure, Observation, ObservedTest
from wardround.context.run_evidence import TestOutcome

Lines = Mapping[str, tuple[int, ...]]


def observation(
    failing: Mapping[str, Lines], passing: Mapping[str, Lines], failure: Failure | None = None
) -> Observation:
    """Return the observation of tests by their ids; the failing ones are requested."""
    broken = [ObservedTest(name, TestOutcome.FAILED, failure, lines) for name, lines in failing.items()]
    sound = [ObservedTest(name, TestOutcome.PASSED, None, lines) for name, lines in passing.items()]
    return Observation((*broken, *sound), frozenset(failing))


def reader(files: Mapping[str, str]) -> Callable[[str], str | None]:
    """Return the text of files by path, None for others."""
    return files.get
