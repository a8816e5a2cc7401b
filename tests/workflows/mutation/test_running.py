"""Mutants of a change run in the sandbox against the tests that run their line."""

from __future__ import annotations

import os
import sys

import pytest

from tests.conftest import GitRepository
from wardround.change.repository import Repository
from wardround.context.run_evidence import RunConditions, RunState, TestsRun, UnnoticedMutation
from wardround.workflows.environments.existing_python import existing_python
from wardround.workflows.mutation.result import MutationResult
from wardround.workflows.mutation.running import MutationOptions, mutate_change

CODE = """\
def price(net, rate):
    if net < 0:
        return net
    found = net * rate
    return found


def label(text):
    return text.lower()
"""
TESTS = """\
from prices import label, price


def test_a_price_has_a_rate():
    assert price(10, 2) == 20


def test_a_negative_price_stays():
    assert price(-1, 2) == -1


def test_a_label_is_made():
    label("A")
"""
ALL = ("tests/test_prices.py::test_a_price_has_a_rate", "tests/test_prices.py::test_a_negative_price_stays",
       "tests/test_prices.py::test_a_label_is_made")  # fmt: skip


def mutated(
    repo: GitRepository,
    code: str,
    tests: str,
    *ids: str,
    isolation: str = "none",
    budget_s: float = 60.0,
) -> MutationResult:
    repo.commit({"README.md": "Prices.\n"})
    repo.commit({"prices.py": code, "tests/test_prices.py": tests})
    with Repository(repo.root) as repository:
        change = repository.range(repository.commit("HEAD~1"), repository.commit("HEAD"))
        return mutate_change(
            repository,
            change,
            change.head,
            ids or ALL,
            existing_python(repo.root, {"VIRTUAL_ENV": sys.prefix}),
            MutationOptions(budget_s=budget_s, isolation=isolation),
            repo.root.parent / "log",
            environ=os.environ,
        )


def unnoticed(result: MutationResult) -> set[tuple[int, str, str]]:
    return {(item.line, item.before, item.after) for item in result.unnoticed}


@pytest.mark.parametrize("isolation", ["auto", "none"])
def test_edits_that_no_test_notices_are_reported(repo: GitRepository, isolation: str) -> None:
    result = mutated(repo, CODE, TESTS, isolation=isolation)

    assert (result.state, result.detail) == (RunState.COMPLETE, "")
    assert unnoticed(result) == {
        (2, "net < 0", "net < 1"),
        (9, "text.lower()", "text.upper()"),
        (9, "return text.lower()", "return None"),
    }


def test_only_the_tests_that_run_a_line_decide(repo: GitRepository) -> None:
    result = mutated(repo, CODE, TESTS, ALL[0])

    assert {item.line for item in result.tried} == {2, 4, 5}, "lines that no test runs have no mutant"
    assert all(item.tests == 1 for item in result.tried)


def test_a_test_that_fails_without_an_edit_notices_nothing(repo: GitRepository) -> None:
    tests = TESTS.replace('label("A")', 'assert label("A") == "A"')
    result = mutated(repo, CODE, tests, ALL[2])

    assert (result.state, result.tried) == (RunState.COMPLETE, ())


def test_an_endless_mutant_is_noticed(repo: GitRepository) -> None:
    code = "def count(most):\n    n = most - 1\n    while n < most:\n        n += most\n"
    tests = "from prices import count\n\n\ndef test_the_end_is_reached():\n    assert count(3) is None\n"
    result = mutated(repo, code, tests, "tests/test_prices.py::test_the_end_is_reached")

    assert ("n += most", True) in {(item.before, item.is_noticed) for item in result.tried}


def test_a_mutant_that_damages_the_tree_does_not_stop_the_others(repo: GitRepository) -> None:
    code = """\
        import os


        def clear(folder, really):
            if not really:
                return 0
            os.unlink(folder)
            return 1
    """
    tests = """\
        from prices import clear


        def test_nothing_is_removed():
            assert clear(__file__, False) == 0
    """
    result = mutated(repo, dedented(code), dedented(tests), "tests/test_prices.py::test_nothing_is_removed")
    assert result.state is RunState.COMPLETE
    assert all(item.is_noticed for item in result.tried)


def dedented(text: str) -> str:
    return "".join(line[8:] or "\n" for line in text.splitlines(keepends=True))


def test_the_end_of_the_time_is_reported(repo: GitRepository) -> None:
    result = mutated(repo, CODE, TESTS, budget_s=0.001)

    assert result.state is not RunState.COMPLETE


def test_tests_that_need_more_than_the_time_are_the_reason(repo: GitRepository) -> None:
    slow = "import time\n\n\ndef test_slow():\n    time.sleep(60)\n"

    result = mutated(repo, CODE, slow, "tests/test_prices.py::test_slow", budget_s=2)

    assert (result.state, result.tried) == (RunState.FAILED, ())
    assert result.detail == "no mutant was tried, as the time ended before the tests without an edit did"


def test_tests_that_cannot_be_collected_are_an_incomplete_run(repo: GitRepository) -> None:
    result = mutated(repo, CODE, "import missing_library\n")

    assert (result.state, result.tried) == (RunState.FAILED, ())
    assert "no mutant was tried, as pytest ran no test" in result.detail


def test_a_change_without_code_has_no_mutants(repo: GitRepository) -> None:
    result = mutated(
        repo, "LIMIT = 1\n", "def test_nothing():\n    pass\n", "tests/test_prices.py::test_nothing"
    )

    assert result == MutationResult(RunState.COMPLETE)


def test_mutants_are_part_of_the_evidence_of_a_run() -> None:
    evidence = TestsRun(RunConditions(RunState.COMPLETE, "bubblewrap"))
    result = MutationResult(RunState.COMPLETE)

    assert result.added_to(evidence) == evidence
    assert UnnoticedMutation("a.py", 1, "a", "b") not in result.unnoticed


def test_nothing_of_the_work_tree_is_changed(repo: GitRepository) -> None:
    mutated(repo, CODE, TESTS, ALL[0])

    assert repo.git("status", "--porcelain") == ""
    assert repo.read("prices.py").decode() == CODE
