"""The plan of a test run as text and as JSON."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

import msgspec

from wardround.text.escaping import one_line
from wardround.workflows.test.plans.plan import OmittedTest, SelectedTest, TestPlan
from wardround.workflows.test.project.projects import DetectedProject, Fact


class PlanReport(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The detected projects of a repository, and the plan for its tests."""

    projects: tuple[DetectedProject, ...]
    plan: TestPlan


def as_json(report: PlanReport) -> str:
    """Return the report as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(_printable(report))).decode() + "\n"


def _printable(report: PlanReport) -> object:
    """Return builtins whose strings are UTF-8; bytes of paths that are not become escapes."""
    return _escape(msgspec.to_builtins(report))


def _escape(value: object) -> object:
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, dict):
        return {key: _escape(part) for key, part in value.items()}
    return [_escape(part) for part in value] if isinstance(value, list | tuple) else value


def as_text(report: PlanReport) -> str:
    """Return the report for a terminal."""
    return "".join(f"{one_line(line)}\n" for line in _lines(report))


def _lines(report: PlanReport) -> Iterator[str]:
    for project in report.projects:
        yield from _project_lines(project)
    plan = report.plan
    yield from plan.notes
    total = len(plan.selected) + len(plan.omitted)
    yield from _title_and_reasons(f"{len(plan.selected)} of {total} tests to run", plan.selected)
    if plan.omitted:
        yield from _title_and_reasons(f"{len(plan.omitted)} left out", plan.omitted)


def _title_and_reasons(title: str, tests: Sequence[SelectedTest | OmittedTest]) -> Iterator[str]:
    """Yield the title and a line for each test; a reason that all of them share is only in the title."""
    reasons = {test.reason for test in tests}
    is_shared = len(reasons) == 1 and len(tests) > 1
    yield f"{title}: {tests[0].reason}" if is_shared else title
    for test in tests:
        yield f"  {test.id}" if is_shared else f"  {test.id}: {test.reason}"


def _project_lines(project: DetectedProject) -> Iterator[str]:
    managers = ", ".join(f"{manager.value} ({_source(manager)})" for manager in project.managers)
    yield f"{project.root or '.'}: {project.language}, {managers or 'no package manager'}"
    if project.run_from is not None and project.run_from_source is not None:
        yield f"  its tests run from {project.run_from or '.'} ({_source(project.run_from_source)})"
    for framework in project.frameworks:
        command = (
            shlex.join(framework.command)
            if framework.command
            else "listed only"
            if framework.is_listed_only
            else "no command"
        )
        yield f"  {framework.name} ({_source(framework.sources[0])}): {command}"


def _source(fact: Fact) -> str:
    return f"{fact.file}: {fact.key}" if fact.key else fact.file
