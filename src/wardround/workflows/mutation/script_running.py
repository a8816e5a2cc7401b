"""The run of mutants of the changed lines of scripts against the test files that run these lines."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from wardround.change.diff import Change, FileStatus
from wardround.context.run_evidence import RunState
from wardround.workflows.mutation.choice import Mutant, choose_mutants
from wardround.workflows.mutation.result import MutationResult, TriedMutant
from wardround.workflows.mutation.script_edits import script_mutants
from wardround.workflows.test.recordings.script_lines import ScriptLines
from wardround.workflows.test.runs.script_run import EditedRun, ScriptSandbox, ScriptTests, run_edited

_LEAST_S = 10.0
_TIMES = 3
_ONE_FAILURE = {"vitest": "--bail=1", "jest": "--bail=1", "mocha": "--bail"}
"""The option that ends a run after the first failure."""


class ScriptMutation:
    """Tries mutants of the scripts of one project; each runs on a separate tree.

    Args:
        tests: the project, with the test files whose tests all passed.
        lines: the lines that each test file runs.
        deadline: on the monotonic clock.
    """

    def __init__(
        self, sandbox: ScriptSandbox, tests: ScriptTests, lines: ScriptLines, deadline: float, log: Path,
        progress: Callable[[str], None] = lambda text: None,
    ) -> None:  # fmt: skip
        self._sandbox = sandbox
        self._tests = tests
        self._lines = lines
        self._deadline = deadline
        self._log = log
        self._progress = progress

    def result(self, change: Change, most: int) -> MutationResult:
        """Try at most this many mutants.

        Raises:
            GitError: the tree cannot be written.
        """
        possible = _mutants(change, self._sandbox)
        covered = {mutant: found for mutant in possible if (found := self._tests_of(mutant))}
        mutants = choose_mutants(covered, most)
        if not mutants:
            return MutationResult(RunState.COMPLETE, possible=len(possible))
        files = sorted({test for mutant in mutants for test in covered[mutant]})
        self._progress(f"{len(mutants)} mutants of the changed lines, {len(files)} files of tests")
        begin = time.monotonic()
        first = self._run(files, {}, self._deadline - begin)
        if not first.is_sound:
            detail = f"no mutant was tried, as {first.problem or 'a test fails when it is repeated'}"
            return MutationResult(RunState.FAILED, possible=len(possible), detail=detail)
        limit = max(_LEAST_S, _TIMES * (time.monotonic() - begin))
        return self._try_mutants(mutants, covered, limit, len(possible))

    def _try_mutants(
        self, mutants: Sequence[Mutant], covered: Mapping[Mutant, Sequence[str]], limit: float, possible: int
    ) -> MutationResult:
        tried: list[TriedMutant] = []
        for number, mutant in enumerate(mutants):
            left = self._deadline - time.monotonic()
            if left < limit / _TIMES:
                detail = f"the time ended after {len(tried)} mutants"
                return MutationResult(RunState.PARTIAL, tuple(tried), possible, detail)
            self._progress(f"mutant {number + 1} of {len(mutants)}: {mutant.path}:{mutant.edit.line}")
            run = self._run(covered[mutant], {mutant.path: self._apply_edit(mutant)}, min(limit, left))
            if run.is_cut_off and left < limit:
                detail = f"the time ended after {len(tried)} mutants"
                return MutationResult(RunState.PARTIAL, tuple(tried), possible, detail)
            kind = mutant.edit.kind.name.lower().replace("_", "-")
            tried.append(
                TriedMutant(
                    mutant.path,
                    mutant.edit.line,
                    kind,
                    *mutant.edit.shown,
                    not run.is_sound,
                    len(covered[mutant]),
                )
            )
        return MutationResult(RunState.COMPLETE, tuple(tried), possible)

    def _tests_of(self, mutant: Mutant) -> tuple[str, ...]:
        found = self._lines.of(mutant.path)
        ran = found.tests.get(mutant.edit.lines[0], frozenset()) if found is not None else frozenset()
        return tuple(file for file in self._tests.files if file in ran)

    def _apply_edit(self, mutant: Mutant) -> str:
        text, edit = self._sandbox.files.text(mutant.path), mutant.edit
        return text[: edit.start] + edit.after + text[edit.end :]

    def _run(self, files: Sequence[str], edited: Mapping[str, str], wall_s: float) -> EditedRun:
        option = _ONE_FAILURE.get(self._tests.framework)
        found = self._tests.arguments
        arguments = msgspec.structs.replace(found, options=(*found.options, *((option,) if option else ())))
        tests = msgspec.structs.replace(
            self._tests, files=tuple(files), arguments=arguments, is_filtered=True
        )
        limits = msgspec.structs.replace(self._sandbox.limits, wall_s=max(wall_s, 1.0))
        sandbox = msgspec.structs.replace(self._sandbox, limits=limits)
        return run_edited(sandbox, tests, edited, self._deadline, self._log)


def _mutants(change: Change, sandbox: ScriptSandbox) -> list[Mutant]:
    found: list[Mutant] = []
    for file in change.files:
        if file.status is not FileStatus.DELETED and file.is_regular and file.path in sandbox.files.blobs:
            text = sandbox.files.text(file.path)
            lines = frozenset(file.added_line_numbers(text.count("\n") + 1))
            found += script_mutants(file.path, text, lines)
    return found
