"""Running every specialist's tools and checks over the base or head of a change.

Wardround's own checks run while the tools run. Any unexpected result of a run makes its files *unreviewed*.
Results are cached by all their inputs, so that only content that was never reviewed costs anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from wardround.assignment.work_units import WorkUnit
from wardround.change.snapshot import Snapshot
from wardround.execution.check_runner import BUDGET_S, CheckRunner
from wardround.execution.executor import Executor, InProcessExecutor
from wardround.execution.model import NO_CHANGE_REVIEW, ChangeReview, Results
from wardround.execution.review_side import ReviewSide
from wardround.execution.tool_planner import ToolPlanner
from wardround.execution.tool_runner import ToolJob, ToolRunner
from wardround.execution.tool_settings import ToolSettings
from wardround.findings import RawFinding, ToolRun, Unreviewed
from wardround.storage.result_cache import ResultCache
from wardround.text.redaction import may_contain_token
from wardround.tools.configuration import SettingsReader
from wardround.tools.identity import identity
from wardround.tools.process import Processes
from wardround.tools.tool import Profile, UntrustedPaths


class Scheduler:
    """Schedules the tools and checks of one review.

    Args:
        trusted: the files of the trusted side.
        snapshot: makes the private folder, when the first tool must run.
        is_secret: True for the id of a rule about secrets.
        progress: called with the names of tools that the review waits for.
        unrun_paths: the paths of a change whose code must not be run; None where that is trusted.
        executor: where the checks run.
    """

    def __init__(
        self,
        *,
        root: Path,
        profile: Profile,
        trusted: SettingsReader,
        cache: ResultCache,
        processes: Processes,
        snapshot: Callable[[], Snapshot],
        jobs: int,
        timeout_s: float | None,
        is_secret: Callable[[str], bool],
        progress: Callable[[str], None] = lambda text: None,
        unrun_paths: UntrustedPaths | None = None,
        executor: Executor | None = None,
    ) -> None:
        self.profile = profile
        self.cache = cache
        self.processes = processes
        self.is_secret = is_secret
        self._cores = jobs
        self._executor = executor or InProcessExecutor()
        settings = ToolSettings(root, trusted, unrun_paths)
        self._planner = ToolPlanner(root, profile, settings, cache)
        self.tools = ToolRunner(processes, snapshot, jobs, timeout_s, settings.files, progress)

    def review(
        self, side: ReviewSide, units: Sequence[WorkUnit], change_review: ChangeReview | None = None
    ) -> Results:
        """Run all tools of the profile and all checks over the units of base or head.

        Args:
            change_review: the change-level checks; their results are part of the results.
        """
        results = Results()
        jobs = self.plan(side, units, results)
        with self._check_runner(side, units, change_review or NO_CHANGE_REVIEW) as checks:
            checks.submit(self._executor, self._cores)
            threads = self.tools.start(side, jobs)
            change_results = checks.run(lambda: self._cores - 1 - sum(t.is_alive() for t in threads))
            checks.collect(results)
        results.change_level = None if change_review is None else change_results
        self.tools.wait(threads, jobs)
        self.conclude(jobs, results)
        return results

    def plan(self, side: ReviewSide, units: Sequence[WorkUnit], results: Results) -> list[ToolJob]:
        """Return the runs of tools that are needed; see ``ToolPlanner.plan``."""
        return self._planner.plan(side, units, results)

    def check(self, side: ReviewSide, units: Sequence[WorkUnit], results: Results) -> None:
        """Run wardround's own checks in this thread, and nothing else meanwhile."""
        with self._check_runner(side, units, NO_CHANGE_REVIEW) as checks:
            checks.submit(InProcessExecutor(), 1)
            checks.run()
            checks.collect(results)

    def conclude(self, jobs: Sequence[ToolJob], results: Results) -> None:
        """Add the outcomes of the jobs to the results and the cache."""
        for job in jobs:
            _add_outcome(job, results)
        self._store(jobs, results)
        results.runs = summed_runs(results.runs)

    def _check_runner(
        self, side: ReviewSide, units: Sequence[WorkUnit], change_review: ChangeReview
    ) -> CheckRunner:
        budget_s = BUDGET_S[self.profile]
        return CheckRunner(
            side, units, self.cache, change_review, budget_s, lambda: self.processes.is_stopped
        )

    def _store(self, jobs: Sequence[ToolJob], results: Results) -> None:
        """Cache results, except for files in which a tool reports a secret or reads parts only."""
        secret = {
            path
            for (reviewer, path), findings in results.by_file.items()
            if any(self._may_show_a_secret(reviewer.name, finding) for finding in findings)
        }
        for job in jobs:
            left_out = secret | job.skipped.keys()
            keys = {path: job.keys[path] for path in job.results if path not in left_out}
            self.cache.put({key: job.results[path] for path, key in keys.items() if key})
        self.cache.put({key: found for key, (path, found) in results.fresh.items() if path not in secret})

    def _may_show_a_secret(self, reviewer: str, finding: RawFinding) -> bool:
        return self.is_secret(f"{reviewer}/{finding.code}") or _may_quote_a_secret(finding)


def _add_outcome(job: ToolJob, results: Results) -> None:
    if job.error is not None:
        reason = str(job.error)
        results.unreviewed += [
            Unreviewed(path, job.specialists[path], job.tool.name, reason) for path in job.files
        ]
        return
    results.unreviewed += [
        Unreviewed(path, job.specialists[path], job.tool.name, reason)
        for path, reason in sorted(job.skipped.items())
        if reason
    ]
    results.unreviewed += [  # for any other cause
        Unreviewed(path, job.specialists[path], job.tool.name, "its run did not finish")
        for path in job.files
        if path not in job.results and path not in job.skipped
    ]
    for path, findings in job.results.items():
        results.by_file[job.tool, path] = findings
    program = identity(job.tool, job.program)
    results.runs.append(
        ToolRun(job.tool.name, program.version, len(job.results), 0, job.seconds, program.digest)
    )


def _may_quote_a_secret(finding: RawFinding) -> bool:
    """Return True if a message or a fix may contain a token, from whichever line of the file."""
    edits = finding.fix.edits if finding.fix else ()
    texts = [finding.message, *(edit.replacement for edit in edits)]
    return any(map(may_contain_token, texts))


def summed_runs(runs: Iterable[ToolRun]) -> list[ToolRun]:
    """One entry for each tool that reviewed a file, by name."""
    total: dict[str, ToolRun] = {}
    for run in runs:
        seen = total.get(run.tool)
        total[run.tool] = run if seen is None else replace(
            seen, files=seen.files + run.files, cached=seen.cached + run.cached,
            seconds=seen.seconds + run.seconds,
        )  # fmt: skip
    return [total[name] for name in sorted(total) if total[name].files]
