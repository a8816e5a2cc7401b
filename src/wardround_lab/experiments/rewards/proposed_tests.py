"""The coverage of the answer by tests that a generator proposes, run with the answer in the sandbox."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from wardround.authoring.repair.observation import observe
from wardround.authoring.repair.project import project_run
from wardround.authoring.stages import PatchedFile
from wardround.authoring.work import Work
from wardround.change.diff import ChangedFile
from wardround_lab.experiments.instances.gold import Gold
from wardround_lab.experiments.instances.model import MinedInstance
from wardround_lab.experiments.rewards.generation import covered_share

STEP = "proposed-tests"
BUDGET_S = 120.0
"""CPU seconds for the proposed tests of one patch."""
_MESSAGE = "The answer with proposed tests\n"


class ExecutedLines(msgspec.Struct, frozen=True):
    """The lines of the answer's files that proposed tests execute."""

    lines: Mapping[str, frozenset[int]]


async def proposed_coverage(
    work: Work, mined: MinedInstance, gold: Gold, tests: Sequence[PatchedFile]
) -> float | None:
    """Return the share of the answer's statements that proposed tests execute; see ``covered_share``.

    The result of the run is recorded in the sequence of the trial.

    Args:
        tests: test files of Python.

    Raises:
        EnvironmentUnavailable: the project has no environment.
    """
    if not tests:
        return 0.0
    contents = {file.path: _content(file) for file in (*gold.files, *tests)}
    commit = work.repository.commit_files(mined.parent, contents, _MESSAGE)
    paths = [file.path for file in tests if file.text is not None]

    async def run() -> ExecutedLines:
        return _executed_lines(work, commit, paths, [file.path for file in gold.files])

    executed = await work.effects.run(STEP, (commit, paths), ExecutedLines, run)
    changed = work.repository.range(mined.parent, mined.commit).files
    texts = {file.path: file.text or "" for file in gold.files}
    lines = {file.path: _lines_with_answer(file) for file in changed if file.path in texts}
    return covered_share(texts, lines, executed.lines)


def _executed_lines(work: Work, commit: str, tests: Sequence[str], paths: Sequence[str]) -> ExecutedLines:
    run = project_run(work.repository, commit, tests, work.settings.isolation, work.environ, work.progress)
    found = observe(
        work.repository, commit, tests, run.environment, BUDGET_S, environ=work.environ,
        log=work.logs / "proposed-tests.log", isolation=run.isolation, project=run.root, is_everything=False,
    )  # fmt: skip
    lines = {path: {line for test in found.tests for line in test.lines.get(path, ())} for path in paths}
    return ExecutedLines({path: frozenset(numbers) for path, numbers in lines.items() if numbers})


def _lines_with_answer(file: ChangedFile) -> frozenset[int]:
    """Return the lines of a file with the answer that the answer adds or changes."""
    return frozenset(
        line for hunk in file.hunks for line in range(hunk.head_start, hunk.head_start + hunk.head_length)
    )


def _content(file: PatchedFile) -> bytes | None:
    return None if file.text is None else file.text.encode("utf-8", "surrogateescape")
