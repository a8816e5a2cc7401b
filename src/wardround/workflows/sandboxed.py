"""The workflows that run the code of a change in the sandbox."""

from __future__ import annotations

import os
import tempfile
from functools import partial
from pathlib import Path

from wardround.change.repository import Repository
from wardround.config.loader import read_sandbox
from wardround.config.sandbox_settings import SandboxSettings
from wardround.context.run_evidence import BehaviourRun, RunConditions, RunState, TestsRun
from wardround.workflows.behaviour.compare import compare_behaviour
from wardround.workflows.change_run import RunnableChange
from wardround.workflows.environments.lookup import environment_of
from wardround.workflows.test.evidence import evidence_of
from wardround.workflows.test.planning import tree_of
from wardround.workflows.test.projects import DetectedProject, detect_projects
from wardround.workflows.test.running import RunOptions, run_tests
from wardround.workflows.tests_at_base import with_results_at_base

_LANGUAGE = "python"


class SandboxedWorkflows:
    """Tests and comparisons as ``wardround test`` and ``wardround behaviour`` run them."""

    def tests(self, runnable: RunnableChange, /) -> TestsRun:
        """Run the tests that the change can affect, and those that fail at the base, too."""
        repository, change = runnable.repository, runnable.change
        settings = _settings(runnable)
        options = RunOptions(isolation=runnable.sandbox or settings.backend)
        with tempfile.TemporaryDirectory(prefix="wardround-run-") as folder:
            run = partial(run_tests, environ=os.environ, progress=runnable.progress)
            found = evidence_of(run(repository, change, options, Path(folder)))
            return with_results_at_base(found, repository, change, options, Path(folder), run)

    def behaviour(self, runnable: RunnableChange, /) -> BehaviourRun:
        """Compare the changed functions on the same arguments before and after the change."""
        repository, change = runnable.repository, runnable.change
        settings = _settings(runnable)
        project = _project(repository, change.head, [file.path for file in change.files])
        if project is None:
            return BehaviourRun(RunConditions(RunState.COMPLETE))
        environment = environment_of(project, repository, settings, side=change.head, environ=os.environ)
        return compare_behaviour(
            repository,
            change,
            environment,
            isolation=runnable.sandbox or settings.backend,
            progress=runnable.progress,
        )


def _settings(runnable: RunnableChange) -> SandboxSettings:
    """Return the settings of the sandbox at the base of the change."""
    return read_sandbox(partial(_content, runnable.repository, runnable.change.base))


def _content(repository: Repository, side: str, path: str) -> bytes | None:
    blob = dict(repository.blobs_of(side)).get(path)
    return None if blob is None else repository.blobs.get(blob)


def _project(repository: Repository, side: str, changed: list[str]) -> DetectedProject | None:
    """Return the innermost project around the first changed file of Python; None without such a file."""
    paths = [path for path in changed if path.endswith(".py")]
    if not paths:
        return None
    tree = tree_of(repository, side)
    projects = [one for one in detect_projects(tuple(tree.blobs), tree.text) if one.language == _LANGUAGE]
    around = [one for one in projects if not one.root or paths[0].startswith(f"{one.root}/")]
    return max(around, key=lambda one: len(one.root), default=DetectedProject("", _LANGUAGE))
