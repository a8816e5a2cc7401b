from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.workflows.test.tiny_scripts import FILES, TESTS
from wardround.change.repository import INDEX, Repository
from wardround.context import run_evidence
from wardround.sandbox.model import Limits
from wardround.workflows.environments.existing_node import existing_node
from wardround.workflows.test.plans.planning import tree_of
from wardround.workflows.test.project.script_arguments import ScriptArguments
from wardround.workflows.test.runs.script_run import ScriptRun, ScriptSandbox, ScriptTests, run_script_tests

TESTS_OF_WORDS = "test/words.test.js"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    for path, text in {**FILES, ".gitignore": "node_modules\n"}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "node_modules").mkdir()
    return root


def run(
    root: Path, *files: str, isolation: str = "bubblewrap", wall_s: float = 60, is_filtered: bool = True,
    framework: str = "node:test",
) -> ScriptRun:  # fmt: skip
    for command in ("git init -q", "git add -A"):
        assert os.system(f"cd '{root}' && {command}") == 0
    with Repository(root) as repository:
        sandbox = ScriptSandbox(
            repository, INDEX, tree_of(repository, INDEX), existing_node(root, "", [], os.environ),
            isolation, os.environ, replace(Limits(), wall_s=wall_s),
        )  # fmt: skip
        program = {"node:test": "node"}.get(framework, framework)
        tests = ScriptTests("", framework, ScriptArguments(program), files or TESTS, is_filtered)
        logs = root.parent / "logs"
        logs.mkdir(exist_ok=True)
        return run_script_tests(sandbox, tests, time.monotonic() + 100, logs, 1, is_recorded=True)


@pytest.mark.parametrize("isolation", ["bubblewrap", "none"])
def test_planned_files_run_and_are_recorded(project: Path, isolation: str) -> None:
    done = run(project, isolation=isolation)

    assert done.state is run_evidence.RunState.COMPLETE
    assert done.results["test/basket.test.js > a basket > adds up"].outcome == "passed"
    assert done.recording is not None
    assert tuple(item.test for item in done.recording.runs) == TESTS
    assert not (project / ".wardround-run").exists()


def test_a_failing_file_is_repeated_and_not_recorded(project: Path) -> None:
    path = project / TESTS_OF_WORDS
    path.write_text(path.read_text().replace("words().length", "false"))

    done = run(project, TESTS_OF_WORDS, "test/prices.test.js")

    failed = done.results[f"{TESTS_OF_WORDS} > the words are there"]
    assert (failed.outcome, failed.attempts) == ("failed", 2)
    assert "AssertionError" in failed.excerpt
    assert done.recording is not None
    assert [item.test for item in done.recording.runs] == ["test/prices.test.js"]


def test_a_command_that_runs_no_tests_is_not_a_success(project: Path) -> None:
    shutil.copy(shutil.which("true") or "/bin/true", project / "jest")
    (project / "node_modules" / ".bin").mkdir()
    shutil.move(project / "jest", project / "node_modules" / ".bin" / "jest")

    done = run(project, TESTS_OF_WORDS, framework="jest")

    assert done.state is run_evidence.RunState.FAILED
    assert done.detail == "jest wrote no report: the process exited with status 0"
    assert done.results[TESTS_OF_WORDS].outcome == "not-run"


def test_a_missing_framework_is_named(project: Path) -> None:
    done = run(project, TESTS_OF_WORDS, framework="vitest")

    assert done.state is run_evidence.RunState.FAILED
    assert "vitest" in done.detail
    assert "not found" in done.detail


def test_a_test_that_hangs_ends_with_the_time(project: Path) -> None:
    (project / TESTS_OF_WORDS).write_text("setInterval(() => {}, 1000); await new Promise(() => {});\n")

    done = run(project, TESTS_OF_WORDS, wall_s=3)

    assert done.state is not run_evidence.RunState.COMPLETE
    assert "3 s" in done.detail


def test_the_network_is_closed(project: Path) -> None:
    (project / TESTS_OF_WORDS).write_text(
        "import net from 'node:net';\nimport test from 'node:test';\n"
        "test('listens', (t, done) => net.createServer().on('error', done).listen(0, '127.0.0.1', done));\n"
    )

    done = run(project, TESTS_OF_WORDS)

    assert done.results[f"{TESTS_OF_WORDS} > listens"].outcome == "failed"


def test_a_file_that_the_framework_does_not_collect_is_skipped(project: Path) -> None:
    done = run(project, *TESTS, "src/prices.js", is_filtered=False)

    assert done.results["src/prices.js"].outcome == "skipped"
    assert "does not collect it" in done.results["src/prices.js"].detail
