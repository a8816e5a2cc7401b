"""A test with a missing prerequisite was not run, and its reason names what to do."""

from __future__ import annotations

import pytest

from wardround.context.run_evidence import RunState, TestOutcome
from wardround.workflows.test.runs.missing_means import RunMeans, explain_missing_means
from wardround.workflows.test.runs.project_run import ProjectResult, RawResult

PATHS = ("src/shop/__init__.py", "src/shop/_fast.pyx", "tests/test_shop.py")
MEANS = RunMeans(True, tuple, lambda: PATHS)


def after(one: RawResult, state: RunState = RunState.COMPLETE) -> tuple[RunState, str, TestOutcome, str]:
    found = explain_missing_means(ProjectResult(state, {"test": one}, (), ()), MEANS)
    return found.state, found.detail, found.results["test"].outcome, found.results["test"].detail


@pytest.mark.parametrize(
    ("excerpt", "reason"),
    [
        (
            "E       fixture 'mocker' not found",
            "the environment has no fixture mocker; install pytest-mock in it",
        ),
        (
            "async def functions are not natively supported.\nYou need to install a plugin",
            "the environment has no plugin for asynchronous tests; install pytest-asyncio or anyio in it",
        ),
        (
            "fatal: not a git repository (or any of the parent directories): .git",
            "it reads the git repository, and the tree of a run has none; skip it where there is no .git",
        ),
        (
            "E   ModuleNotFoundError: No module named 'shop._fast'",
            "the module shop._fast is compiled from src/shop/_fast.pyx and was not built; "
            "build it in the work tree",
        ),
    ],
)
def test_a_failure_for_lack_of_means_is_a_test_that_was_not_run(excerpt: str, reason: str) -> None:
    found = after(RawResult(TestOutcome.ERROR, excerpt=excerpt))

    assert found == (RunState.PARTIAL, f"1 test was not run: {reason}", TestOutcome.NOT_RUN, reason)


@pytest.mark.parametrize(
    "excerpt",
    [
        "E       fixture 'prices' not found",
        "E   ModuleNotFoundError: No module named 'shop.prices'",
        "E   AssertionError: not a git repository",
    ],
)
def test_another_failure_remains_one(excerpt: str) -> None:
    assert after(RawResult(TestOutcome.FAILED, excerpt=excerpt))[:3] == (
        RunState.COMPLETE,
        "",
        TestOutcome.FAILED,
    )


@pytest.mark.parametrize(
    ("module", "advice"),
    [
        ("yaml", "; install it in the environment of the project"),
        ("shop.prices", ""),
        ("tests", ""),
        ("shop._fast", "; the module shop._fast is compiled from src/shop/_fast.pyx and was not built; "
         "build it in the work tree"),
    ],
)  # fmt: skip
def test_a_module_that_prevents_collection_is_named_with_what_to_do(module: str, advice: str) -> None:
    detail = f"it could not be collected: ModuleNotFoundError: No module named '{module}'"

    found = after(RawResult(TestOutcome.NOT_RUN, detail=detail), RunState.FAILED)

    assert found == (RunState.FAILED, "", TestOutcome.NOT_RUN, detail + advice)
