"""A probe: one run of a test at the base, in which an expression is evaluated where a line is reached."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from wardround.authoring.repair.program import ProgramOptions, ProgramRun, run_program
from wardround.authoring.repair.project import ProjectRun
from wardround.change.repository import Repository

BUDGET_S = 20.0
"""CPU seconds of the run."""
_MOST_VALUES = 20
_LONGEST = 500


class Probe(msgspec.Struct, frozen=True):
    """A requested run.

    Attributes:
        test: the id of a test.
        file: path relative to the root.
        line: 1-based.
        expression: of Python; it is evaluated in the sandbox alone.
    """

    test: str
    file: str
    line: Annotated[int, msgspec.Meta(ge=1)]
    expression: Annotated[str, msgspec.Meta(max_length=1000)]


class ProbeResult(msgspec.Struct, frozen=True):
    """The result of a run.

    Attributes:
        values: representations of the values, or exceptions, in their order.
        outcome: ``passed``, ``failed`` or ``skipped``; empty if the test did not end.
        problem: one sentence if the run ended early, or the line was not reached.
    """

    values: tuple[str, ...] = ()
    outcome: str = ""
    problem: str = ""


class _Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    value: str
    is_error: bool


class _Outcome(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    outcome: str


class _End(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    is_end: bool
    problem: str


def run_probe(
    repository: Repository,
    base: str,
    probe: Probe,
    project: ProjectRun,
    *,
    environ: Mapping[str, str],
    log: Path,
    budget_s: float = BUDGET_S,
) -> ProbeResult:
    """Run the test of a probe on a tree that it cannot write.

    Args:
        environ: the caller's environment.
        log: the file for the output of pytest.
        budget_s: CPU seconds.

    Raises:
        GitError: the tree cannot be written.
    """
    options = ProgramOptions(project.environment, environ, log, project.isolation, project.root)
    values = {
        "mode": "probe",
        "test": probe.test,
        "path": probe.file,
        "line": probe.line,
        "expression": probe.expression,
    }
    return _result(run_program(repository, base, values, budget_s, options))


def _result(run: ProgramRun) -> ProbeResult:
    values = tuple(row.value[:_LONGEST] for row in run.rows(_Value))[:_MOST_VALUES]
    outcomes = [row.outcome for row in run.rows(_Outcome)]
    ends = list(run.rows(_End))
    outcome = outcomes[-1] if outcomes else ""
    problem = ends[-1].problem if ends else run.problem or "the run ended early"
    if not problem and not outcome:
        problem = "pytest did not find the test"
    if not problem and not values:
        problem = "the line was not reached"
    return ProbeResult(values, outcome, problem)
