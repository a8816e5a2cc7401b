"""The run of a change for a review: the result reports every failure, and nothing of the machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.conftest import GitRepository
from tests.planes.run_factory import (
    CLEAN,
    FAILED,
    PASSED,
    SANDBOXED,
    difference,
    run_of_behaviour,
    run_of_tests,
)
from wardround.change.change_source import GitChangeSource, PatchChangeSource
from wardround.change.repository import Repository
from wardround.context.canonical import canonical_json
from wardround.context.run_evidence import BehaviourRun, Observed, RunEvidence, RunState, TestsRun
from wardround.errors import SandboxError
from wardround.workflows.change_run import RunnableChange, run_change

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6"


class Fixed:
    """Workflows with hand-written results."""

    def __init__(self, run: RunEvidence = CLEAN, failure: BaseException | None = None) -> None:
        self._run = run
        self._failure = failure
        self.seen: list[RunnableChange] = []

    def tests(self, runnable: RunnableChange, /) -> TestsRun:
        self.seen.append(runnable)
        if self._failure is not None:
            raise self._failure
        assert self._run.tests is not None
        return self._run.tests

    def behaviour(self, runnable: RunnableChange, /) -> BehaviourRun:
        self.seen.append(runnable)
        assert self._run.behaviour is not None
        return self._run.behaviour


@pytest.fixture
def run(repo: GitRepository) -> Callable[..., RunEvidence]:
    repo.commit({"app.py": "a = 1\n"})
    repo.commit({"app.py": "a = 2\n"})

    def running(workflows: Fixed, parts: tuple[str, ...] = ("tests", "behaviour")) -> RunEvidence:
        with Repository(repo.root) as repository:
            change = repository.between("HEAD~1", "HEAD")
            source = GitChangeSource(repository, change)
            return run_change(source, change, parts, "auto", workflows=workflows)  # type: ignore[arg-type]

    return running


def test_only_the_requested_parts_run(run: Callable[..., RunEvidence]) -> None:
    assert run(Fixed(), ("tests",)) == RunEvidence(tests=CLEAN.tests)
    assert run(Fixed(), ("behaviour",)) == RunEvidence(behaviour=CLEAN.behaviour)
    assert run(Fixed()) == CLEAN


@pytest.mark.parametrize(
    ("failure", "state", "detail"),
    [
        (
            SandboxError("bubblewrap is missing; install it"),
            RunState.REFUSED,
            "bubblewrap is missing; install it",
        ),
        (RuntimeError("lost"), RunState.FAILED, "it failed with RuntimeError"),
        (SystemExit(3), RunState.FAILED, "it failed with SystemExit"),
    ],
)
def test_a_part_that_fails_states_why_and_the_other_one_runs(
    run: Callable[..., RunEvidence], failure: BaseException, state: RunState, detail: str
) -> None:
    found = run(Fixed(failure=failure))
    assert found.tests is not None
    assert (found.tests.conditions.state, found.tests.conditions.detail) == (state, detail)
    assert found.behaviour == CLEAN.behaviour


def test_an_interrupt_ends_the_review(run: Callable[..., RunEvidence]) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(Fixed(failure=KeyboardInterrupt()))


def test_a_diff_and_the_work_tree_cannot_run(repo: GitRepository) -> None:
    patch = PatchChangeSource("--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-a\n+b\n", Path("/nonexistent"))
    found = run_change(patch, patch.change, ("tests",), "auto")
    assert found.tests is not None
    assert found.tests.conditions.detail == "a diff has no tree that could run; review commits or the index"
    repo.commit({"app.py": "a = 1\n"})
    repo.write("app.py", "a = 2\n")
    with Repository(repo.root) as repository:
        change = repository.worktree()
        uncommitted = run_change(GitChangeSource(repository, change), change, ("behaviour",), "auto")
    assert uncommitted.behaviour is not None
    assert uncommitted.behaviour.conditions.state is RunState.REFUSED
    assert "stage the change" in uncommitted.behaviour.conditions.detail


def test_no_secret_enters(run: Callable[..., RunEvidence]) -> None:
    tests = run_of_tests(
        replace(FAILED, excerpt=f"E   AssertionError: {SECRET}\nE  password='hunter2hunter'")
    )
    shown = Observed(returned=repr(SECRET), printed=SECRET, arguments=(f"token={SECRET}",))
    behaviour = run_of_behaviour(
        difference(call=f"login({SECRET!r})", before=shown, after=Observed(raised=SECRET))
    )
    text = canonical_json(run(Fixed(RunEvidence(tests, behaviour)))).decode()
    assert SECRET not in text
    assert "hunter2" not in text
    assert "login('***')" in text


def test_no_path_of_the_machine_enters(run: Callable[..., RunEvidence], repo: GitRepository) -> None:
    excerpt = f'File "/tree/app.py", line 2\nFile "{repo.root}/.venv/lib/x.py"\nFile "{Path.home()}/y.py"\n'
    refused = replace(SANDBOXED, state=RunState.REFUSED, detail=f"{repo.root} has no Python environment")
    tests = run_of_tests(replace(FAILED, excerpt=excerpt), conditions=refused)
    found = run(Fixed(RunEvidence(tests)), ("tests",)).tests
    assert found is not None
    assert found.tests[0].excerpt == 'File "app.py", line 2\nFile "./.venv/lib/x.py"\nFile "~/y.py"\n'
    assert found.conditions.detail == ". has no Python environment"


def test_addresses_and_the_order_of_the_run_do_not_matter(run: Callable[..., RunEvidence]) -> None:
    shown = Observed(returned="<Port object at 0x7f3a5c0b1d90>")
    first = run_of_behaviour(difference(line=9), difference(before=shown))
    other = Observed(returned="<Port object at 0x7f99aa0b1d90>")
    second = run_of_behaviour(difference(before=other), difference(line=9))
    tests = (PASSED, replace(PASSED, id="test_a.py::test"))
    ids = {
        canonical_json(run(Fixed(RunEvidence(run_of_tests(*order), behaviour))))
        for order, behaviour in ((tests, first), (tests[::-1], second))
    }
    assert len(ids) == 1


def test_texts_are_short_and_can_be_recorded(run: Callable[..., RunEvidence]) -> None:
    excerpt = "".join(f"line {number}\n" for number in range(10_000)) + "E  assert \udc80\n"
    many = [replace(FAILED, id=f"test_{number:04}", excerpt=excerpt) for number in range(300)]
    found = run(Fixed(RunEvidence(run_of_tests(*many))), ("tests",)).tests
    assert found is not None
    assert len(found.tests) == 300
    assert sum(bool(test.excerpt) for test in found.tests) == 100
    assert found.tests[0].excerpt.endswith("E  assert \\x80\n")
    assert len(canonical_json(found)) < 300_000
