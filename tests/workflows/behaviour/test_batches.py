"""Calls that share a process: the effects of one do not change the comparison of others."""

from __future__ import annotations

from tests.conftest import GitRepository
from tests.workflows.behaviour.compared_project import Results, compared
from wardround.workflows.behaviour.limits import BehaviourLimits

TESTS = (
    "import pytest\nfrom lib import core\n\n\n@pytest.mark.parametrize('number', range(30))\n"
    "def test_a_number(number):\n    core.used(number)\n"
)


def results(repo: GitRepository, base: str, head: str, limits: BehaviourLimits | None = None) -> Results:
    files = {"lib/__init__.py": "", "tests/test_core.py": TESTS}
    return Results(
        compared(repo, {**files, "lib/core.py": base}, {**files, "lib/core.py": head}, limits=limits)
    )


def test_a_call_that_ends_its_process_does_not_end_others(repo: GitRepository) -> None:
    base = "import os\n\n\ndef used(number):\n    return number\n"
    head = (
        "import os\n\n\ndef used(number):\n    if number == 7:\n        os._exit(3)\n"
        "    while number == 9: pass\n    if number == 12: os.fork()\n    return number\n"
    )

    found = results(repo, base, head)

    inputs = found.inputs("used")
    assert inputs is not None
    assert inputs[0] > 30
    assert inputs[1] == 0


def test_the_state_that_another_call_left_is_not_a_difference(repo: GitRepository) -> None:
    base = "SEEN = []\n\n\ndef used(number):\n    return len(SEEN)\n"
    head = "SEEN = []\n\n\ndef used(number):\n    SEEN.append(number)\n    return len(SEEN) - 1\n"

    assert results(repo, base, head).run.differences == ()


def test_all_functions_share_a_number_of_inputs(repo: GitRepository) -> None:
    base = "def used(number):\n    return number\n"

    found = results(
        repo, base, base.replace("return number", "return number + 1"), BehaviourLimits(all_inputs=24)
    )

    inputs = found.inputs("used")
    assert inputs is not None
    assert 12 < inputs[0] == inputs[1] <= 24
