"""A comparison trusts nothing of the code that it runs, and shows nothing where nothing changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.workflows.behaviour.compared_project import Results, compared
from wardround.context.run_evidence import RunState
from wardround.workflows.behaviour.limits import BehaviourLimits

DOUBLED = "def doubled(value):\n    return value * 2\n"
USE = "from lib.core import doubled\n\n\ndef test_it_doubles():\n    assert doubled(2) == 4\n"
FILES = {"lib/__init__.py": "", "lib/core.py": DOUBLED, "test_core.py": USE}
TRIPLED = {**FILES, "lib/core.py": DOUBLED.replace("* 2", "* 3")}


def test_arguments_are_loaded_in_the_sandbox_only(repo: GitRepository, tmp_path: Path) -> None:
    marker = tmp_path / "places" / "home" / "loaded"
    trap = (
        "class Trap:\n    def __reduce__(self):\n"
        f'        return exec, ("import os; os.path.isdir({str(marker.parent)!r})'
        f" and open({str(marker)!r}, 'w')\",)\n"
    )
    core = f"{trap}\n\ndef used(trap):\n    return 1\n"
    tests = "from lib.core import Trap, used\n\n\ndef test_it_is_used():\n    used(Trap())\n"
    files = {"lib/__init__.py": "", "lib/core.py": core, "test_core.py": tests}

    found = Results(compared(repo, files, {**files, "lib/core.py": core.replace("return 1", "return 2")}))

    assert found.texts("used") == ("used(None)", "1", "2")
    assert not marker.exists()


@pytest.mark.parametrize(
    "content", ["{", "\\0" * 1000, '{"call": 0}', '{"call": 0, "function": 99, "origin": "x"}', "[" * 100_000]
)
def test_results_that_the_code_replaced_are_rejected(repo: GitRepository, content: str) -> None:
    forging = (
        "import os, threading\n\n\n"
        f"{DOUBLED}\n\nfor name in ('.wardround-results', '.wardround-summary', '.wardround-attributes'):\n"
        f"    if os.path.exists(name):\n        open(name, 'w').write({content!r})\n"
    )
    head = {**FILES, "lib/core.py": forging.replace("* 2", "* 3")}

    run = compared(repo, FILES, head)

    assert run.conditions.state in (RunState.PARTIAL, RunState.COMPLETE)
    assert all(difference.function == "doubled" for difference in run.differences)


def test_base_against_base_shows_nothing(repo: GitRepository) -> None:
    layout = DOUBLED.replace("    return", "    # the same\n    return")

    run = compared(repo, FILES, {**FILES, "lib/core.py": layout})

    assert (run.differences, run.compared, run.not_compared) == ((), (), ())


def test_the_same_behaviour_in_other_words_shows_nothing(repo: GitRepository) -> None:
    found = Results(compared(repo, FILES, {**FILES, "lib/core.py": DOUBLED.replace("* 2", "+ value")}))

    inputs = found.inputs("doubled")
    assert inputs is not None
    assert inputs[0] > 5
    assert inputs[1] == 0


def test_two_comparisons_are_equal(repo: GitRepository) -> None:
    first = compared(repo, FILES, TRIPLED)
    second = compared(repo, FILES, TRIPLED)

    assert first == second


def test_a_moved_file_is_compared(repo: GitRepository) -> None:
    text = (
        DOUBLED + "\n\n" + "\n\n".join(f"def same_{at}(value):\n    return value + {at}\n" for at in range(9))
    )
    base = {**FILES, "lib/core.py": text}
    head = {"lib/__init__.py": "", "lib/inner/__init__.py": "", "test_core.py": USE}
    head["lib/inner/arithmetic.py"] = text.replace("* 2", "* 3")

    run = compared(repo, base, head)

    assert [
        (difference.path, difference.call, difference.after.returned) for difference in run.differences
    ] == [("lib/inner/arithmetic.py", "doubled(2)", "6")]


def test_a_suite_that_fails_is_reported(repo: GitRepository) -> None:
    files = {**FILES, "conftest.py": "raise RuntimeError('no database')\n"}

    run = compared(repo, files, {**files, "lib/core.py": TRIPLED["lib/core.py"]})

    assert run.conditions.state is RunState.FAILED
    assert "no database" in run.conditions.detail
    assert [item.reason for item in run.not_compared] == ["the tests of the base could not be run"]


def test_a_function_whose_tests_cannot_be_collected_is_not_called_untested(repo: GitRepository) -> None:
    other = {"test_other.py": "def test_other():\n    pass\n"}
    broken = "raise RuntimeError('no database\\nset URL')\n"
    files = {**FILES, **other, "test_core.py": broken + USE}

    run = compared(repo, files, {**files, "lib/core.py": TRIPLED["lib/core.py"]})

    (left,) = run.not_compared
    assert left.reason == (
        "no test that could be collected called it; not collected: test_core.py: RuntimeError: no database"
    )


def test_a_head_that_cannot_be_imported_is_reported(repo: GitRepository) -> None:
    head = {**FILES, "lib/core.py": "import missing_package\n\n" + TRIPLED["lib/core.py"]}

    run = compared(repo, FILES, head)

    assert run.differences == ()
    assert "No module named 'missing_package'" in run.not_compared[0].reason


def test_tests_that_hang_are_stopped(repo: GitRepository) -> None:
    files = {**FILES, "test_wait.py": "import time\n\n\ndef test_it_waits():\n    time.sleep(60)\n"}

    limits = BehaviourLimits(tests_s=6)
    run = compared(repo, files, {**files, "lib/core.py": TRIPLED["lib/core.py"]}, limits=limits)

    assert run.conditions.state is RunState.PARTIAL
    assert "6 s" in run.conditions.detail
    assert [difference.call for difference in run.differences] == ["doubled(2)"]


def test_no_change_of_python_code_needs_no_run(repo: GitRepository) -> None:
    run = compared(repo, FILES, {**FILES, "README.md": "text\n"})

    assert run.conditions.state is RunState.COMPLETE
    assert run.conditions.isolation == ""
