"""The report of a run of tests for a terminal, and as JSON."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from wardround.context.line_coverage.ranges import adjacent
from wardround.context.run_evidence import CoverageDelta, LineEvidence, RunState, TestOutcome
from wardround.text.escaping import json_text, one_line
from wardround.text.failures import error_line
from wardround.text.json_schema import schema_text
from wardround.workflows.mutation.result import MutationResult
from wardround.workflows.test.plans.plan import TestPlan
from wardround.workflows.test.reports.report import ProjectRun, TestReport, TestResult
from wardround.workflows.test.scripts import results as script_results

_SHOWN = 20
"""Maximum number of listed tests of one outcome; the report has all of them."""
_SHOWN_NOT_RUN = 5
_EXCERPT_LINES = 12
_MOST_RANGES = 10
_FAILURES = (TestOutcome.FAILED, TestOutcome.ERROR)


def schema() -> str:
    """Return the JSON schema of the report."""
    return schema_text(TestReport)


def as_json(report: TestReport) -> str:
    """Return the report as indented JSON."""
    return json_text(msgspec.json.format(msgspec.json.encode(_escape(msgspec.to_builtins(report))))) + "\n"


def _escape(value: object) -> object:
    """Return builtins whose strings are UTF-8; bytes of paths that are not become escapes."""
    if isinstance(value, str):
        return value if value.isascii() else "\n".join(map(one_line, value.split("\n")))
    if isinstance(value, dict):
        return {key: _escape(part) for key, part in value.items()}
    return [_escape(part) for part in value] if isinstance(value, list | tuple) else value


def plan_line(plan: TestPlan) -> str:
    """Return the number of tests to run, and the reason if there are none."""
    total = len(plan.selected) + len(plan.omitted)
    if not total:
        return "no tests were found"
    if plan.selected:
        return f"{len(plan.selected)} of {total} tests to run"
    reasons = Counter(test.reason for test in plan.omitted)
    reason = reasons.most_common(1)[0][0] if len(reasons) == 1 else "nothing that they ran changed"
    return f"0 of {total} tests to run: {reason}"


def as_text(report: TestReport) -> str:
    """Return the results for a terminal, without the plan."""
    return "".join(f"{one_line(line)}\n" for line in _lines(report))


def _lines(report: TestReport) -> Iterator[str]:
    for run in report.runs:
        yield from _run_lines(run)
    failures = report.with_outcome(*_FAILURES)
    for test in failures[:_SHOWN]:
        yield from _failure_lines(test)
    if len(failures) > _SHOWN:
        yield f"{len(failures) - _SHOWN} more failures are in the report"
    for test in report.with_outcome(TestOutcome.FLAKY)[:_SHOWN]:
        yield f"flaky {test.id}: {test.detail}"
    has_started = any(run.isolation for run in report.runs)
    yield from _not_run_lines(report.with_outcome(TestOutcome.NOT_RUN), are_listed=has_started)
    for order in report.order:
        yield f"{order.id} fails after {', '.join(order.after)}, and passes alone"
    yield from _coverage_lines(report.lines)
    yield from _delta_lines(report.delta)
    if report.mutation is not None:
        yield from _mutation_lines(report.mutation)
    yield from report.notes if has_started or not report.runs else ()
    yield summary(report)


def _run_lines(run: ProjectRun) -> Iterator[str]:
    if run.environment is None:
        return  # the tests that were not run have the reason
    source = run.command_source
    origin = f" ({source.file}{f': {source.key}' if source.key else ''})" if source else ""
    isolation = f"{run.isolation} {run.isolation_version}".strip() or "not started"
    interpreter = "Node.js" if run.framework in script_results.FRAMEWORKS else "Python"
    command = shlex.join(run.command) or run.framework
    yield (
        f"{run.root or '.'}: {command}{origin}, {interpreter} {run.environment.version} of "
        f"{run.environment.source}, isolation: {isolation}"
    )
    for means in run.environment.supplied:
        yield f"  supplied: {means}"


def _failure_lines(test: TestResult) -> Iterator[str]:
    error = error_line(test.excerpt)
    yield f"{test.outcome.value} {test.id}{error and f': {error}'}"
    if test.reason:
        yield f"  selected: {test.reason}"
    if test.detail:
        yield f"  {test.detail}"
    if test.places:
        yield f"  changed lines in its traceback: {', '.join(test.places)}"
    for line in test.excerpt.split("\n")[-_EXCERPT_LINES:]:
        if line.strip():
            yield f"    {line}"


def _not_run_lines(tests: Sequence[TestResult], *, are_listed: bool) -> Iterator[str]:
    for detail, some in _group_by_detail(tests).items():
        count = "1 test" if len(some) == 1 else f"{len(some)} tests"
        yield f"{count} not run: {detail}"
        if not are_listed:
            continue
        for test in some[:_SHOWN_NOT_RUN]:
            yield f"  {test.id}"
        if len(some) > _SHOWN_NOT_RUN:
            yield f"  and {len(some) - _SHOWN_NOT_RUN} more, all in the report"


def _group_by_detail(tests: Iterable[TestResult]) -> dict[str, list[TestResult]]:
    found: dict[str, list[TestResult]] = {}
    for test in tests:
        found.setdefault(test.detail, []).append(test)
    return found


def _coverage_lines(lines: Sequence[LineEvidence]) -> Iterator[str]:
    covered = sum(len(line.covered) for line in lines)
    missed = sum(len(line.uncovered) for line in lines)
    if not covered and not missed:
        return
    total = covered + missed
    noun = "changed line was" if total == 1 else "changed lines were"
    yield f"{covered} of {total} {noun} run by these tests"
    for line in lines:
        if line.uncovered:
            yield f"  not run: {line.path}:{ranges(line.uncovered)}"
        if line.partial:
            yield f"  not all ways taken: {line.path}:{ranges(line.partial)}"


def _delta_lines(delta: Sequence[CoverageDelta]) -> Iterator[str]:
    for file in delta:
        yield f"  {file.path}: {_share(file.base)} lines run before the change, {_share(file.head)} now"


def _share(counts: tuple[int, int] | None) -> str:
    return "no" if counts is None else f"{counts[0]} of {counts[1]}"


def _mutation_lines(result: MutationResult) -> Iterator[str]:
    unnoticed = result.unnoticed
    tried = len(result.tried)
    yield f"the tests noticed {tried - len(unnoticed)} of {tried} small edits of the changed lines"
    for mutant in unnoticed[:_SHOWN]:
        yield f"  not noticed: {mutant.path}:{mutant.line}: {mutant.before} -> {mutant.after}"
    if len(unnoticed) > _SHOWN:
        yield f"  and {len(unnoticed) - _SHOWN} more"
    if result.detail:
        yield f"  {result.detail}"


def ranges(numbers: Sequence[int]) -> str:
    """Return sorted numbers as ranges, ``3-5, 9``."""
    parts = adjacent(numbers)
    shown = [f"{first}-{last}" if first != last else f"{first}" for first, last in parts[:_MOST_RANGES]]
    return ", ".join([*shown, *(["..."] if len(parts) > _MOST_RANGES else [])])


def summary(report: TestReport) -> str:
    """Return the counts and the time in one line."""
    counts = Counter(test.outcome for test in report.tests)
    seconds = sum(run.wall_s for run in report.runs)
    found = ", ".join(
        f"{counts[outcome]} {outcome.value.replace('-', ' ')}" for outcome in TestOutcome if counts[outcome]
    )
    is_shown = counts[TestOutcome.NOT_RUN] > 0
    end = "; inconclusive" if is_shown else f"; inconclusive: {report.detail}"
    end = "" if report.state is RunState.COMPLETE else end
    return f"{found or 'no tests run'} in {seconds:.1f} s{end}"
