"""Runs of JavaScript tests of a commit in the sandbox, for projects that need no packages."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from wardround.change.repository import Repository
from wardround.context.run_evidence import TestOutcome
from wardround.sandbox.choices import AUTO
from wardround.sandbox.model import Limits
from wardround.workflows.environments.existing_node import node, node_view
from wardround.workflows.environments.model import Environment
from wardround.workflows.test.plans.planning import tree_of
from wardround.workflows.test.project.script_arguments import ScriptArguments
from wardround.workflows.test.runs.script_repetition import FAILURES
from wardround.workflows.test.runs.script_run import ScriptSandbox, ScriptTests, run_script_files
from wardround_lab.experiments.instances.test_runs import TestRun

_FRAMEWORK = "node:test"
_LONGEST_S = 60.0


def node_environment(root: Path, environ: Mapping[str, str]) -> Environment:
    """Return Node.js without packages.

    Args:
        root: the work tree, whose programs are never started.

    Raises:
        EnvironmentUnavailable: it is not installed.
    """
    version, program = node(root, environ)
    return Environment(
        language="javascript", source="Node.js", digest=version, visible=node_view(program), version=version
    )


def run_scripts(
    repository: Repository, side: str, files: Sequence[str], environ: Mapping[str, str], log: Path
) -> TestRun:
    """Run files of tests at a commit with the runner of Node.js.

    Args:
        environ: the caller's environment.
        log: the file for the output.

    Raises:
        EnvironmentUnavailable: Node.js is not installed.
    """
    sandbox = ScriptSandbox(
        repository, side, tree_of(repository, side), node_environment(repository.root, environ), AUTO,
        environ, Limits(wall_s=_LONGEST_S),
    )  # fmt: skip
    tests = ScriptTests("", _FRAMEWORK, ScriptArguments("node"), tuple(files), is_filtered=True)
    results, problem = run_script_files(sandbox, tests, time.monotonic() + _LONGEST_S, log)
    failures = {result.id: result.excerpt for result in results if result.outcome in FAILURES}
    return TestRun(
        passed=frozenset(result.id for result in results if result.outcome is TestOutcome.PASSED),
        failures=failures,
        uncollected={},
        problem="" if failures else problem,
    )
